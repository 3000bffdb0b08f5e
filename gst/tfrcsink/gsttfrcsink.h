/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element tfrcsink, for the plugin. */
#ifndef GST_TFRC_SINK_H
#define GST_TFRC_SINK_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (tfrcsink);

G_END_DECLS
#endif
