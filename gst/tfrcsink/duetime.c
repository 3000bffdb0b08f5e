/* When a late buffer was due, see duetime.h. */
#include "duetime.h"

/* As gst_base_sink_adjust_time() has it */
static GstClockTime
adjusted_running_time (const GstTfrcSyncTimes *times)
{
  GstClockTime time = times->running_time + times->latency;

  if (times->ts_offset < 0)
    time -= MIN (time, (GstClockTime) -times->ts_offset);
  else
    time += times->ts_offset;
  return time - MIN (time, times->render_delay);
}

guint64
gst_tfrc_lateness_ns (const GstTfrcSyncTimes *times, GstClockTime clock_time)
{
  GstClockTime due;

  if (!GST_CLOCK_TIME_IS_VALID (times->running_time))
    return 0;
  due = times->base_time + adjusted_running_time (times);
  return clock_time - MIN (clock_time, due);
}

guint64
gst_tfrc_due_time_ns (guint64 late_ns, guint64 now_ns, guint64 *blocked_ns)
{
  *blocked_ns = MIN (*blocked_ns, late_ns);
  return now_ns - MIN (*blocked_ns, now_ns);
}
