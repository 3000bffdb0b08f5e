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
gst_tfrc_due_time_ns (guint64 late_ns, guint64 now_ns, guint64 *blocked_ns)
{
  *blocked_ns = MIN (*blocked_ns, late_ns);
  return now_ns - MIN (*blocked_ns, now_ns);
}
