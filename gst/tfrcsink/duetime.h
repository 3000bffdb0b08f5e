/* The time when a late buffer was due. The pipeline waits for its clock before it hands over a
 * buffer. If a buffer is late because the sink made the pipeline wait for room, the lateness is the
 * sender's delay (IPTD). Any other lateness is not. */
#ifndef GST_TFRC_DUETIME_H
#define GST_TFRC_DUETIME_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** The times from which GstBaseSink computes how long it waits, all in ns */
typedef struct
{
  GstClockTime running_time; /**< of the buffer; GST_CLOCK_TIME_NONE: outside of the segment */
  GstClockTime base_time;
  GstClockTime latency;
  GstClockTimeDiff ts_offset;
  GstClockTime render_delay;
} GstTfrcSyncTimes;

/** Returns how long @a clock_time is after the time that GstBaseSink waits for; 0 if it is before
 * that time, or if the buffer has no running time. */
guint64 gst_tfrc_lateness_ns (const GstTfrcSyncTimes *times, GstClockTime clock_time);

/** Returns when a buffer that comes now was due, monotonic.
 * @param late_ns how late the buffer is
 * @param now_ns monotonic
 * @param blocked_ns the time for which the sink has made the pipeline wait since the pipeline was
 *   last on time; reduced to @a late_ns if the pipeline has caught up */
guint64 gst_tfrc_due_time_ns (guint64 late_ns, guint64 now_ns, guint64 *blocked_ns);

G_END_DECLS
#endif
