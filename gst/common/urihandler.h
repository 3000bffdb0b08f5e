/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both elements as handlers of tfrc:// URIs. */
#ifndef GST_TFRC_URI_HANDLER_H
#define GST_TFRC_URI_HANDLER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** For G_IMPLEMENT_INTERFACE with GST_TYPE_URI_HANDLER, of an element with a property `uri'. */
void gst_tfrc_uri_handler_init (gpointer iface, gpointer data);

G_END_DECLS
#endif
