/* The frames of a trace in the order of sending, each with its times: from an
 * offset, for a duration, over and over. */
#ifndef VOD_REPLAY_REPLAY_H
#define VOD_REPLAY_REPLAY_H

#include "trace.h"

typedef struct
{
  FrameType type;
  guint32 bytes;
  guint64 display; /* pictures displayed before it */
  guint64 dts_ns;  /* when its sending starts, from 0 on */
  guint64 pts_ns;
  guint64 duration_ns;
} ReplayFrame;

typedef struct
{
  const Trace *trace;
  gboolean loop;
  guint64 duration_ns;
  guint next;            /* in trace->frames */
  guint64 intervals;     /* that have passed */
  guint64 first_display; /* what would be displayed before is left out */
  guint64 displayed;     /* in the loops before this one */
} Replay;

/** Starts with the first I frame displayed at or after the offset, and ends
 * after the duration (G_MAXUINT64: never for that). */
gboolean replay_init (Replay *replay, const Trace *trace, gboolean loop, guint64 offset_ns,
    guint64 duration_ns, GError **error);

/** FALSE at the end.  Frames of no bytes are passed over, their time is not. */
gboolean replay_next (Replay *replay, ReplayFrame *frame);

#endif
