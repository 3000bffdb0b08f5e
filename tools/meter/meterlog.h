/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A CSV log of the meter tools.
 *
 * A measurement must not wait for a disk: lines stay in a large buffer, and write errors are
 * reported when the log is closed. */
#ifndef METER_METERLOG_H
#define METER_METERLOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct
{
  FILE *file; /* NULL: no log */
  const char *path;
} MeterLog;

/** Creates the file and writes its header.  Returns false, with a message on stderr, if that
 * fails.  With @a path NULL there is no log, and writing and closing do nothing. */
bool meter_log_open (MeterLog *log, const char *path, const char *header);

/** Writes what is in the buffer, for a log whose program may be killed before it closes the log. */
void meter_log_flush (MeterLog *log);

/** Returns whether the whole log has been written; if not, prints a message on stderr. */
bool meter_log_close (MeterLog *log);

/** Returns the wall clock, CLOCK_REALTIME. */
uint64_t meter_now_ns (void);

#endif
