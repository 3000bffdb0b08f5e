/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsink tells the application: the events of its stream as messages, signals and notifications.
 * Settings are read from the element's properties. */
#ifndef GST_TFRC_SINK_TELLING_H
#define GST_TFRC_SINK_TELLING_H

#include "../stream/running.h"
#include "../stream/sinkstream.h"

G_BEGIN_DECLS

/** For gst_tfrc_running_init() */
extern const GstTfrcTelling gst_tfrc_sink_telling;

/** The stream's GstTfrcSinkStreamEvents: gst_tfrc_running_tell().
 * @param running GstTfrcRunning */
void gst_tfrc_sink_telling_on_events (gpointer running, GstTfrcSinkStream *stream);

/** Tells why the stream has failed, if the streaming thread is about to return an error: an element in front would
 * otherwise post an error that says nothing before the notifier's thread does.  Streaming thread.
 * @return @a flow */
GstFlowReturn gst_tfrc_sink_telling_flow (GstTfrcRunning *running, GstFlowReturn flow);

/** Tells of the end of a stream, all of which has left: posts the last statistics, if they are wanted.
 * Streaming thread.
 * @return GST_FLOW_ERROR, with an error message, if nobody has received anything */
GstFlowReturn gst_tfrc_sink_telling_end (GstTfrcRunning *running);

G_END_DECLS
#endif
