/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of tfrcsink. */
#ifndef GST_TFRC_SINK_INPUT_H
#define GST_TFRC_SINK_INPUT_H

#include "gsttfrcsinkobject.h"

G_BEGIN_DECLS

/** Forgets what is known of upstream and of time, for a new stream. The streaming thread, or
 * a thread that starts the sink. */
void gst_tfrc_sink_input_reset (GstTfrcSink *self);

/** Takes one buffer. Waits until the buffer is due soon, and for room in the queue if `leaky' says
 * so. Streaming thread, with the preroll lock, which is released during the waits. */
GstFlowReturn gst_tfrc_sink_input_render (GstTfrcSink *self, GstBuffer *buffer);

/** Waits until the last buffer has ended. Sends the packets that are left, and waits until they have
 * left. The same thread and lock. */
GstFlowReturn gst_tfrc_sink_input_finish (GstTfrcSink *self);

G_END_DECLS
#endif
