/* The input of tfrcsink. The functions run on the streaming thread, unless their description says
 * otherwise. */
#ifndef GST_TFRC_SINK_INPUT_H
#define GST_TFRC_SINK_INPUT_H

#include "gsttfrcsinkobject.h"

G_BEGIN_DECLS

/** Returns the times of a buffer that GstBaseSink should wait for the clock with. They are
 * GST_CLOCK_TIME_NONE for the buffers that the sink takes before they are due. */
void gst_tfrc_sink_input_get_times (
    GstTfrcSink *self, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop);

/** Tells the stream that the pipeline plays, or is paused. With playing, clock and base time are
 * set. The thread that changes the state. */
void gst_tfrc_sink_input_set_playing (GstTfrcSink *self, gboolean playing);

/** Forgets what is known of upstream and of time, for a new stream. */
void gst_tfrc_sink_input_reset (GstTfrcSink *self);

/** Takes one buffer. Waits until the buffer is due soon, and for room in the queue if `leaky' says
 * so. */
GstFlowReturn gst_tfrc_sink_input_render (GstTfrcSink *self, GstBuffer *buffer);

/** Waits until the last buffer has ended. Sends the packets that are left, and waits until they have
 * left. */
GstFlowReturn gst_tfrc_sink_input_finish (GstTfrcSink *self);

G_END_DECLS
#endif
