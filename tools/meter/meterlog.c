/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Log of the meter tools, see meterlog.h. */
#include "meterlog.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define BUFFER_BYTES (1024 * 1024)

static bool
complain (const MeterLog *log)
{
  fprintf (stderr, "cannot write %s: %s\n", log->path, strerror (errno));
  return false;
}

bool
meter_log_open (MeterLog *log, const char *path, const char *header)
{
  log->path = path;
  log->file = NULL;
  if (path == NULL)
    return true;
  log->file = fopen (path, "w");
  if (log->file == NULL)
    return complain (log);
  setvbuf (log->file, NULL, _IOFBF, BUFFER_BYTES);
  if (header != NULL)
    fprintf (log->file, "%s\n", header);
  return true;
}

void
meter_log_flush (MeterLog *log)
{
  if (log->file != NULL)
    fflush (log->file); /* an error is reported when the log is closed */
}

bool
meter_log_close (MeterLog *log)
{
  FILE *file = log->file;
  bool failed;

  if (file == NULL)
    return true;
  log->file = NULL;
  failed = ferror (file) != 0;
  if (fclose (file) != 0 || failed)
    return complain (log);
  return true;
}

uint64_t
meter_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}
