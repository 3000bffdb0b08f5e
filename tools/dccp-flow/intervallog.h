/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts of a flow in intervals of 100 ms, as CSV lines.  Intervals begin at whole tenths of a
 * second of CLOCK_REALTIME, so they are the same at both ends of a flow. */
#ifndef INTERVAL_LOG_H
#define INTERVAL_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct
{
  FILE *file;              /**< NULL: no log */
  uint64_t next_ns;        /**< end of the interval, CLOCK_MONOTONIC */
  uint64_t wall_offset_ns; /**< from CLOCK_MONOTONIC to CLOCK_REALTIME */
  uint64_t packets, bytes; /**< in this interval so far */
} IntervalLog;

/** Returns CLOCK_MONOTONIC in nanoseconds. */
uint64_t interval_log_now_ns (void);

/** Opens @a path, which may be NULL, and writes the header.  @a columns follow time_ns (the end
 * of the interval), packets and bytes. */
bool interval_log_init (IntervalLog *log, const char *path, const char *columns);

static inline void
interval_log_add (IntervalLog *log, uint64_t bytes)
{
  log->packets++;
  log->bytes += bytes;
}

/** Returns NULL while the interval lasts.  After its end, begins its line and returns the file;
 * the caller writes the further columns and the end of the line. */
FILE *interval_log_next (IntervalLog *log, uint64_t now_ns);

/** Closes the file, if there is one. */
bool interval_log_close (IntervalLog *log, const char *path);

#endif
