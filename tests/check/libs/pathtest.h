/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the tests of <tfrc/path.h>: a path, its configuration and the time. */
#ifndef PATHTEST_H
#define PATHTEST_H

#include <gst/check/gstcheck.h>
#include <string.h>
#include <tfrc/path.h>

#define MS GST_MSECOND
#define S GST_SECOND
#define FEEDBACK 64 /* size in bytes */
#define FULL 1344
#define BARE TFRC_WIRE_MIN_PATH_BYTES
#define RTT (60 * MS)
#define PATIENCE (3 * 999 * MS) /* three timeouts of RFC 9002's initial RTT */

static const TfrcPathConfig config = {
  .data = { { 1, 2, 3, 4, 5, 6, 7, 8 }, { 9, 10, 11, 12, 13, 14, 15, 16 } },
  .full_bytes = FULL,
  .rtt_ns = RTT,
};

static TfrcPath *path;
static guint64 now;
static guint8 challenge[8];

static inline void
start (guint64 rtt_ns)
{
  TfrcPathConfig other = config;

  other.rtt_ns = rtt_ns;
  now = 7 * S;
  fail_unless_equals_int (tfrc_path_start (path, &other, now), TFRC_OK);
}

static inline void
setup (void)
{
  fail_unless_equals_int (tfrc_path_new (&path), TFRC_OK);
}

static inline void
teardown (void)
{
  tfrc_path_free (path);
}

static inline gsize
take (void)
{
  return tfrc_path_take_challenge (path, now, challenge);
}

static inline gboolean
respond (guint which)
{
  return tfrc_path_on_response (path, config.data[which], now);
}

#endif
