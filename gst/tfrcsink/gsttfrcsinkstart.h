/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The start of tfrcsink's stream. */
#ifndef GST_TFRC_SINK_START_H
#define GST_TFRC_SINK_START_H

#include "gsttfrcsinkobject.h"

G_BEGIN_DECLS

/** Opens a stream with the present settings. The thread that changes the state.
 * @return the caller's; NULL after an error message was posted */
GstTfrcSinkStream *gst_tfrc_sink_start_open (GstTfrcSink *self);

G_END_DECLS
#endif
