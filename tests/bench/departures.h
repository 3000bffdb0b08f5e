/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

typedef struct
{
  uint32_t packets;
  double late_min_us, late_p50_us, late_p99_us, late_max_us; /* negative: early */
  double bursts; /* of the intervals between packets of a stream: those below half the spacing */
} DeparturesSummary;

void departures_summarize (Departures *departures, DeparturesSummary *summary);

#endif
