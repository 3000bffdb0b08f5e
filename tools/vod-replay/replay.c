/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a trace in the order of sending, see replay.h.  A loop goes on where the
 * previous loop has ended: the trace starts again, but times go on. */
#include "replay.h"

gboolean
replay_init (Replay *replay, const Trace *trace, gboolean loop, guint64 offset_ns,
    guint64 duration_ns, GError **error)
{
  guint i;

  *replay = (Replay){ .trace = trace, .loop = loop, .duration_ns = duration_ns };
  for (i = 0; i < trace->n_frames; i++) {
    const TraceFrame *frame = &trace->frames[i];

    if (frame->type == FRAME_TYPE_I && frame->bytes > 0
        && trace_interval_start_ns (trace, frame->display) >= offset_ns)
      break;
  }
  if (i == trace->n_frames)
    return trace_fail (trace->name, 0, error, "no I frame at or after %g s; the trace lasts %g s",
        offset_ns / 1e9, trace_interval_start_ns (trace, trace->n_frames) / 1e9);
  replay->next = i;
  replay->first_display = trace->frames[i].display;
  return TRUE;
}

/* Returns the next frame of the replay, or NULL. */
static const TraceFrame *
next_frame (Replay *replay, guint64 *display)
{
  const TraceFrame *frame;

  do {
    if (replay->next == replay->trace->n_frames) {
      if (!replay->loop)
        return NULL;
      replay->next = 0;
      replay->displayed += replay->trace->n_frames;
    }
    frame = &replay->trace->frames[replay->next++];
    *display = replay->displayed + frame->display;
  } while (*display < replay->first_display);
  *display -= replay->first_display;
  return frame;
}

gboolean
replay_next (Replay *replay, ReplayFrame *out)
{
  const Trace *trace = replay->trace;

  for (;;) {
    guint64 start_ns = trace_interval_start_ns (trace, replay->intervals);
    const TraceFrame *frame;

    if (start_ns >= replay->duration_ns)
      return FALSE;
    frame = next_frame (replay, &out->display);
    if (frame == NULL)
      return FALSE;
    replay->intervals++;
    if (frame->bytes == 0)
      continue;
    out->type = frame->type;
    out->bytes = frame->bytes;
    out->dts_ns = start_ns;
    out->pts_ns = trace_interval_start_ns (trace, out->display + trace->reorder_delay);
    out->duration_ns = trace_interval_start_ns (trace, replay->intervals) - start_ns;
    return TRUE;
  }
}
