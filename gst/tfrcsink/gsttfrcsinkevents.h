/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of the stream of tfrcsink. */
#ifndef GST_TFRC_SINK_EVENTS_H
#define GST_TFRC_SINK_EVENTS_H

#include "../session/sinkstream.h"

G_BEGIN_DECLS

/** The events of a stream whose user is the element */
extern const GstTfrcSinkStreamEvents gst_tfrc_sink_events;

G_END_DECLS
#endif
