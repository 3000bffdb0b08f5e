/* When a buffer was due that the pipeline has brought late.  The pipeline waits
 * for its clock before it hands over a buffer.  A buffer that is late all the
 * same may be so because the sink made the pipeline wait for room: that is the
 * sender's delay (IPTD).  No other lateness is. */
#ifndef GST_TFRC_DUETIME_H
#define GST_TFRC_DUETIME_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** What a GstBaseSink waits by, all in ns */
typedef struct
{
  GstClockTime running_time; /**< of the buffer; GST_CLOCK_TIME_NONE: outside
                                 * of the segment */
  GstClockTime base_time;
  GstClockTime latency;
  GstClockTimeDiff ts_offset;
  GstClockTime render_delay;
} GstTfrcSyncTimes;

/** How long after the time for which GstBaseSink waits it is @a clock_time; 0
 * before that, or if the buffer has no such time. */
guint64 gst_tfrc_lateness_ns (const GstTfrcSyncTimes *times, GstClockTime clock_time);

/** When a buffer was due that comes now.
 * @param late_ns how late it is
 * @param now_ns monotonic
 * @param blocked_ns for how long the sink has made the pipeline wait since the
 *   pipeline was last on time; what the pipeline has caught up with since is
 *   taken off
 * @return monotonic */
guint64 gst_tfrc_due_time_ns (guint64 late_ns, guint64 now_ns, guint64 *blocked_ns);

G_END_DECLS
#endif
