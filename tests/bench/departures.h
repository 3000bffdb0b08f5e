/* When packets left, from the marks in them and the kernel's time stamps on their arrival */
#ifndef BENCH_DEPARTURES_H
#define BENCH_DEPARTURES_H

#include "benchpacket.h"

typedef struct Departures Departures;

/* @spacing_ns: the nominal time between two packets of a stream.  Ends the process if there is no
 * memory. */
Departures *departures_new (uint64_t spacing_ns);
void departures_free (Departures *departures);

/* A packet has come at @time_ns, of CLOCK_REALTIME.  Only packets that are marked as measured count,
 * and a packet that comes again does not. */
void departures_take (Departures *departures, const BenchMark *mark, uint64_t time_ns);

/* Prints one line of JSON. */
void departures_print (Departures *departures);

#endif
