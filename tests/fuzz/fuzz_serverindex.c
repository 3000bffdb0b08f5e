/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the segments of a movie (tools/server/tsindex.h): a file of any bytes.  Its segments are the
 * file without a gap, times do not go back, and a time leads to a segment that can be entered and
 * begins no later. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events.h"
#include "initgst.h"
#include "tools/server/tsindex.h"

#define MAX_BYTES (1 << 20)

static int
open_file (const guint8 *data, size_t bytes)
{
  int fd = memfd_create ("movie", MFD_CLOEXEC);

  CHECK (fd >= 0 && write (fd, data, bytes) == (ssize_t) bytes);
  return fd;
}

static void
check_find (TsIndex *index, guint64 time_ns, guint n)
{
  guint number = ts_index_find (index, time_ns);
  TsSegment segment;

  CHECK (number < n && ts_index_get (index, number, &segment));
  CHECK (segment.time_ns <= time_ns && (segment.is_random_access || number == 0));
}

static void
check (TsIndex *index, size_t bytes)
{
  guint64 at = 0, time_ns = 0;
  TsSegment segment;
  guint n;

  for (n = 0; ts_index_get (index, n, &segment); n++) {
    CHECK (segment.offset == at && segment.time_ns >= time_ns);
    at += segment.bytes;
    time_ns = segment.time_ns;
  }
  CHECK (n >= 1 && at == bytes);
  check_find (index, 0, n);
  check_find (index, time_ns / 2, n);
  check_find (index, G_MAXUINT64, n);
  CHECK (ts_index_get_mean_bps (index) >= 0);
  CHECK (ts_index_has_same_streams (index, index));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
  TsIndex *index;
  int fd;

  if (bytes > MAX_BYTES)
    return 0;
  init_gstreamer ();
  fd = open_file (data, bytes);
  index = ts_index_new (fd, NULL);
  close (fd);
  CHECK (index != NULL);
  check (index, bytes);
  ts_index_free (index);
  return 0;
}
