/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsrc as a handler of tfrc:// URIs. */
#ifndef GST_TFRC_SRC_URI_H
#define GST_TFRC_SRC_URI_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** Fills in a GstURIHandlerInterface. */
void gst_tfrc_src_uri_handler_init (gpointer iface, gpointer data);

G_END_DECLS
#endif
