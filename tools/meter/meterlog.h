/* A CSV log of the meter tools.
 *
 * What is measured must not wait for a disk: lines are kept in a large buffer,
 * and an error shows when the log is closed. */
#ifndef METER_METERLOG_H
#define METER_METERLOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct
{
  FILE *file; /* NULL: no log is wanted */
  const char *path;
} MeterLog;

/** Creates the file and writes its header; if it cannot, says so on stderr.
 * Without a path there is no log, and nothing to write or to close. */
bool meter_log_open (MeterLog *log, const char *path, const char *header);

/** Whether all of it has been written; if not, says so on stderr. */
bool meter_log_close (MeterLog *log);

/** The wall clock, CLOCK_REALTIME. */
uint64_t meter_now_ns (void);

#endif
