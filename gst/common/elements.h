/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements, for the plugin. */
#ifndef GST_TFRC_ELEMENTS_H
#define GST_TFRC_ELEMENTS_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (tfrcsink);
GST_ELEMENT_REGISTER_DECLARE (tfrcsrc);
GST_ELEMENT_REGISTER_DECLARE (rtptfrcbwe);

G_END_DECLS
#endif
