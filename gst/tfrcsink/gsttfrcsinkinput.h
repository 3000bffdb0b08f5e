/* The input of tfrcsink; all functions run on the streaming thread. */
#ifndef GST_TFRC_SINK_INPUT_H
#define GST_TFRC_SINK_INPUT_H

#include "gsttfrcsinkobject.h"

G_BEGIN_DECLS

/** Takes one buffer, and waits for room in the queue if `leaky' says so. */
GstFlowReturn gst_tfrc_sink_input_render (GstTfrcSink *self, GstBuffer *buffer);

/** Sends the packets that are left, and waits until they have left. */
GstFlowReturn gst_tfrc_sink_input_finish (GstTfrcSink *self);

G_END_DECLS
#endif
