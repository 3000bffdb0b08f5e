/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a trace in the order of sending, with their times.  A replay starts at an
 * offset, has a duration, and may loop. */
#ifndef VOD_REPLAY_REPLAY_H
#define VOD_REPLAY_REPLAY_H

#include "trace.h"

typedef struct
{
  FrameType type;
  guint32 bytes;
  guint64 display; /* number of pictures displayed before this frame */
  guint64 dts_ns;  /* start of its sending; the first is 0 */
  guint64 pts_ns;
  guint64 duration_ns;
} ReplayFrame;

typedef struct
{
  const Trace *trace;
  gboolean loop;
  guint64 duration_ns;
  guint next;            /* index in trace->frames */
  guint64 intervals;     /* intervals that have passed */
  guint64 first_display; /* frames displayed before this number are left out */
  guint64 displayed;     /* frames of the earlier loops */
} Replay;

/** Starts with the first I frame displayed at or after the offset.  Ends after the duration;
 * G_MAXUINT64: no limit. */
gboolean replay_init (Replay *replay, const Trace *trace, gboolean loop, guint64 offset_ns,
    guint64 duration_ns, GError **error);

/** Returns FALSE at the end.  Skips frames of 0 bytes, but not their time. */
gboolean replay_next (Replay *replay, ReplayFrame *frame);

#endif
