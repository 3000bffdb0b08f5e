/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element tfrcsrc, for the plugin. */
#ifndef GST_TFRC_SRC_H
#define GST_TFRC_SRC_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (tfrcsrc);

G_END_DECLS
#endif
