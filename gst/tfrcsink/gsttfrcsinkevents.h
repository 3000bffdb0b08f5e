/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of the stream of tfrcsink. */
#ifndef GST_TFRC_SINK_EVENTS_H
#define GST_TFRC_SINK_EVENTS_H

#include "../stream/sinkstream.h"

G_BEGIN_DECLS

/** Takes the events of a stream whose user is the element, and has the notifier's thread tell the
 * application. */
void gst_tfrc_sink_on_events (gpointer user, GstTfrcSinkStream *stream);

G_END_DECLS
#endif
