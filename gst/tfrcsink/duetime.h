/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The due times of a sink's buffers on the monotonic clock, which TFRC uses; the pipeline's clock may
 * be another one. As GstAudioBaseSink, the sink waits for the clock by itself, because it takes buffers
 * before they are due. If a buffer is late because the sink made the pipeline wait for room, the
 * lateness is the sender's delay (IPTD). Any other lateness is not. */
#ifndef GST_TFRC_DUETIME_H
#define GST_TFRC_DUETIME_H

#include <gst/base/gstbasesink.h>

#include "../common/clock.h"
#include "../stream/sinkstream.h"

G_BEGIN_DECLS

/** The times from which GstBaseSink computes how long it waits, all in ns */
typedef struct
{
  GstClockTime running_time; /**< of the buffer; valid */
  GstClockTime base_time;
  GstClockTime latency;
  GstClockTimeDiff ts_offset;
  GstClockTime render_delay;
} GstTfrcSyncTimes;

/** Returns the running time at which the buffer is due, as gst_base_sink_wait_clock() wants the
 * time. */
GstClockTime gst_tfrc_sync_running_time (const GstTfrcSyncTimes *times);

/** Returns when the buffer is due on the pipeline's clock. */
GstClockTime gst_tfrc_sync_time_ns (const GstTfrcSyncTimes *times);

/** The part of a stream that goes to the I/O loop at a time, while there is too little processor
 * time */
#define GST_TFRC_PORTION_NS (100 * GST_MSECOND)

/** A buffer that is later than this is a sign of too little processor time. */
#define GST_TFRC_LATE_NS (20 * GST_MSECOND)

/** The portion of a stream that goes to the I/O loop. Zero-initialise; zero again when the streaming
 * thread has waited for the clock. */
typedef struct
{
  gboolean has_turn; /**< the thread has waited for a turn for this portion */
  guint64 begin_ns;  /**< when its first buffer is due */
} GstTfrcPortion;

/** Returns whether the streaming thread has to wait for a turn before it hands a buffer over.
 * @param due_ns when the buffer is due
 * @param is_hurried the buffer is late, or other streams wait for their turns */
gboolean gst_tfrc_portion_needs_turn (GstTfrcPortion *portion, guint64 due_ns, gboolean is_hurried);

/** Why the pipeline is late. Zero-initialise. */
typedef struct
{
  /** The time for which the sink has made the pipeline wait, since the pipeline was last as late as
   * it is by itself. Whoever makes the pipeline wait adds the time. */
  guint64 blocked_ns;
  guint64 own_ns; /**< how late the pipeline is by itself */
} GstTfrcLateness;

/** Returns when a late buffer counts as due, monotonic. Once the pipeline has caught up, the time for
 * which the sink has made it wait is forgotten.
 * @param late_ns how late the buffer is
 * @param now_ns monotonic */
guint64 gst_tfrc_due_time_ns (guint64 late_ns, guint64 now_ns, GstTfrcLateness *lateness);

/** What is known of the times of a sink's input. For the streaming thread alone, like the functions
 * below but gst_tfrc_due_times_init(), gst_tfrc_due_times_review_end() and
 * gst_tfrc_due_times_set_playing(). */
typedef struct
{
  GstBaseSink *sink;
  GstTfrcSinkStream *stream;
  GstTfrcClockOffset clock_offset;
  gint64 timeline_ns; /* running time 0 on the monotonic clock, as the stream has been told */
  /* running time at which the last buffer ends; GST_CLOCK_TIME_NONE: unknown */
  GstClockTime end_ns;
  GstTfrcLateness lateness;
  GstTfrcPortion portion;
  gboolean knows_live; /* upstream has been asked whether it is live */
  gboolean is_live;    /* the answer */
  gboolean
      is_untimed; /* buffers come as fast as the stream takes them; as the stream has been told */

  /* Of the wait for the end, which other threads interrupt, under the sink's object lock */
  GstClockID end_id;     /* NULL: the thread does not wait for the clock */
  gboolean is_end_known; /* the time of end_id is that of the present limits and base time */
} GstTfrcDueTimes;

/** Begins with a new stream, which lives as long as @a self is used. */
void gst_tfrc_due_times_init (GstTfrcDueTimes *self, GstBaseSink *sink, GstTfrcSinkStream *stream);

/** Forgets what is known, after a flush. */
void gst_tfrc_due_times_flush (GstTfrcDueTimes *self);

/** Upstream is asked again whether it is live, at the next buffer. */
void gst_tfrc_due_times_forget_live (GstTfrcDueTimes *self);

/** Returns the times of a buffer that GstBaseSink should wait for the clock with. They are
 * GST_CLOCK_TIME_NONE for the buffers that the sink takes before they are due. */
void gst_tfrc_due_times_get_sync (
    GstBaseSink *sink, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop);

/** Waits until the buffer may be taken. With the preroll lock, which is released during the wait.
 * @param lookahead_ns the time by which buffers are taken before they are due, or may run ahead
 * @param due_ns set to the time at which the buffer is due, monotonic
 * @return GST_FLOW_FLUSHING if a flush or a stop has ended the wait */
GstFlowReturn gst_tfrc_due_times_wait_for_turn (
    GstTfrcDueTimes *self, GstBuffer *buffer, guint64 lookahead_ns, guint64 *due_ns);

/** Returns whether the buffer has no time, though the sink is to keep the time of its input: that has to be
 * found elsewhere, for gst_tfrc_due_times_wait_for_time(). */
gboolean gst_tfrc_due_times_lacks_time (GstTfrcDueTimes *self, GstBuffer *buffer);

/** Returns the running time of now, in ns; 0 as long as the pipeline has no clock. */
GstClockTime gst_tfrc_due_times_get_running_time (const GstTfrcDueTimes *self);

/** As gst_tfrc_due_times_wait_for_turn(), for a part of a buffer.
 * @param buffer that the part is of; NULL at the end of the stream
 * @param running_time of the part; GST_CLOCK_TIME_NONE: it is due now */
GstFlowReturn gst_tfrc_due_times_wait_for_time (GstTfrcDueTimes *self, GstBuffer *buffer,
    GstClockTime running_time, guint64 lookahead_ns, guint64 *due_ns);

/** Waits until the last buffer has ended. What has run ahead may be due long after all has left, and live input is due
 * after the latency of the pipeline, so the stream's limits bound the wait: every packet of a file may leave within
 * lookahead_ns, and for drain_timeout_ns the end of the stream waits longer. With the preroll lock, which is released
 * during the wait.
 * @return GST_FLOW_FLUSHING if a flush or a stop has ended the wait */
GstFlowReturn gst_tfrc_due_times_wait_for_end (GstTfrcDueTimes *self);

/** The stream has new limits, or the pipeline another base time: a wait for the end that has begun is for another time
 * now. Any thread. */
void gst_tfrc_due_times_review_end (GstTfrcDueTimes *self);

/** The sink has made the pipeline wait for this time. */
void gst_tfrc_due_times_add_blocked (GstTfrcDueTimes *self, guint64 blocked_ns);

/** Tells the stream that the pipeline plays, or is paused. With playing, clock and base time are
 * set. The thread that changes the state. */
void gst_tfrc_due_times_set_playing (GstTfrcDueTimes *self, gboolean playing);

G_END_DECLS
#endif
