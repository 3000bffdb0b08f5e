/* When a buffer is due, see duetime.h. */
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

void
gst_tfrc_clock_offset_update (
    GstTfrcClockOffset *offset, guint64 before_ns, GstClockTime clock_ns, guint64 after_ns)
{
  gint64 least_ns = (gint64) (before_ns - clock_ns), most_ns = (gint64) (after_ns - clock_ns);

  if (offset->is_known)
    offset->offset_ns = CLAMP (offset->offset_ns, least_ns, most_ns);
  else
    offset->offset_ns = least_ns + (most_ns - least_ns) / 2;
  offset->is_known = TRUE;
}
