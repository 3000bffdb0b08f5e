/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of tfrcsink. */
#ifndef GST_TFRC_SINK_PROPERTIES_H
#define GST_TFRC_SINK_PROPERTIES_H

#include "../common/properties.h"
#include "gsttfrcsinkobject.h"

G_BEGIN_DECLS

extern const GstTfrcProperty gst_tfrc_sink_properties[];

/** Copies the settings that may change while a stream runs.  Object's lock held. */
void gst_tfrc_sink_get_limits (const GstTfrcSinkSettings *settings, GstTfrcSinkLimits *limits);

/** Gives the stream, if there is one, all settings that may change while it runs. */
void gst_tfrc_sink_apply_settings (GstTfrcSink *self);

G_END_DECLS
#endif
