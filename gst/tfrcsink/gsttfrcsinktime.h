/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The due times of tfrcsink's buffers. As GstAudioBaseSink, the sink waits for the clock by itself,
 * because it takes buffers before they are due. */
#ifndef GST_TFRC_SINK_TIME_H
#define GST_TFRC_SINK_TIME_H

#include "gsttfrcsinkobject.h"

G_BEGIN_DECLS

/** Returns the times of a buffer that GstBaseSink should wait for the clock with. They are
 * GST_CLOCK_TIME_NONE for the buffers that the sink takes before they are due. Streaming thread. */
void gst_tfrc_sink_time_get_times (
    GstTfrcSink *self, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop);

/** Waits until the buffer may be taken. Streaming thread, with the preroll lock.
 * @param due_ns set to the time at which the buffer is due, monotonic
 * @return GST_FLOW_FLUSHING if a flush or a stop has ended the wait */
GstFlowReturn gst_tfrc_sink_time_wait_for_turn (
    GstTfrcSink *self, GstBuffer *buffer, guint64 *due_ns);

/** Tells the stream that the pipeline plays, or is paused. With playing, clock and base time are
 * set. The thread that changes the state. */
void gst_tfrc_sink_time_set_playing (GstTfrcSink *self, gboolean playing);

G_END_DECLS
#endif
