/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The due time of a buffer, see duetime.h. */
#include "duetime.h"

/* As gst_base_sink_adjust_time() has it */
GstClockTime
gst_tfrc_sync_running_time (const GstTfrcSyncTimes *times)
{
  GstClockTime time = times->running_time + times->latency;

  if (times->ts_offset < 0)
    time -= MIN (time, (GstClockTime) -times->ts_offset);
  else
    time += times->ts_offset;
  return time - MIN (time, times->render_delay);
}

GstClockTime
gst_tfrc_sync_time_ns (const GstTfrcSyncTimes *times)
{
  return times->base_time + gst_tfrc_sync_running_time (times);
}

guint64
gst_tfrc_due_time_ns (guint64 late_ns, guint64 now_ns, GstTfrcLateness *lateness)
{
  lateness->own_ns = lateness->blocked_ns > 0 ? MIN (lateness->own_ns, late_ns) : late_ns;
  lateness->blocked_ns = MIN (lateness->blocked_ns, late_ns - lateness->own_ns);
  return now_ns - MIN (lateness->blocked_ns, now_ns);
}

/* A seek can lead back. */
gboolean
gst_tfrc_portion_needs_turn (GstTfrcPortion *portion, guint64 due_ns, gboolean is_hurried)
{
  gboolean is_over = due_ns < portion->begin_ns
      || due_ns >= portion->begin_ns + GST_TFRC_PORTION_NS;
  gboolean needs_turn = is_hurried && (is_over || !portion->has_turn);

  if (needs_turn)
    *portion = (GstTfrcPortion){ TRUE, due_ns };
  return needs_turn;
}
