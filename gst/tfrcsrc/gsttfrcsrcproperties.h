/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of tfrcsrc. */
#ifndef GST_TFRC_SRC_PROPERTIES_H
#define GST_TFRC_SRC_PROPERTIES_H

#include "../common/properties.h"
#include "gsttfrcsrcobject.h"

G_BEGIN_DECLS

extern const GstTfrcProperty gst_tfrc_src_properties[];

/** Gives the stream, if there is one, all settings that may change while it runs. */
void gst_tfrc_src_apply_settings (GstTfrcSrc *self);

G_END_DECLS
#endif
