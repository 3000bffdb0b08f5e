/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CSV lines for intervals of 100 ms, see intervallog.h. */
#include "intervallog.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#define INTERVAL_NS UINT64_C (100000000)

static uint64_t
clock_ns (clockid_t id)
{
  struct timespec ts;

  clock_gettime (id, &ts);
  return (uint64_t) ts.tv_sec * 1000000000 + (uint64_t) ts.tv_nsec;
}

uint64_t
interval_log_now_ns (void)
{
  return clock_ns (CLOCK_MONOTONIC);
}

bool
interval_log_init (IntervalLog *log, const char *path, const char *columns)
{
  uint64_t wall_ns = clock_ns (CLOCK_REALTIME);
  uint64_t now_ns = interval_log_now_ns ();

  memset (log, 0, sizeof (*log));
  log->wall_offset_ns = wall_ns - now_ns;
  log->next_ns = now_ns + INTERVAL_NS - wall_ns % INTERVAL_NS;
  if (path == NULL)
    return true;
  log->file = fopen (path, "w");
  if (log->file == NULL) {
    fprintf (stderr, "dccp-flow: %s: %s\n", path, strerror (errno));
    return false;
  }
  fprintf (log->file, "time_ns,packets,bytes%s\n", columns);
  return true;
}

FILE *
interval_log_next (IntervalLog *log, uint64_t now_ns)
{
  if (log->file == NULL || now_ns < log->next_ns)
    return NULL;
  fprintf (log->file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, log->next_ns + log->wall_offset_ns,
      log->packets, log->bytes);
  log->next_ns += INTERVAL_NS;
  log->packets = log->bytes = 0;
  return log->file;
}

bool
interval_log_close (IntervalLog *log, const char *path)
{
  FILE *file = log->file;
  bool written;

  if (file == NULL)
    return true;
  log->file = NULL;
  written = !ferror (file);
  if (fclose (file) == 0 && written)
    return true;
  fprintf (stderr, "dccp-flow: %s: not all of it could be written\n", path);
  return false;
}
