/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsrc as a handler of tfrc:// URIs. */
#include "gsttfrcsrcuri.h"

#include "../common/uri.h"

static GstURIType
gst_tfrc_src_uri_get_type (GType type)
{
  return GST_URI_SRC;
}

static const gchar *const *
gst_tfrc_src_uri_get_protocols (GType type)
{
  static const gchar *const protocols[] = { GST_TFRC_URI_SCHEME, NULL };

  return protocols;
}

static gchar *
gst_tfrc_src_uri_get_uri (GstURIHandler *handler)
{
  gchar *uri;

  g_object_get (handler, "uri", &uri, NULL);
  return uri;
}

static gboolean
gst_tfrc_src_uri_set_uri (GstURIHandler *handler, const gchar *uri, GError **error)
{
  return gst_tfrc_uri_apply (GST_ELEMENT (handler), uri, "address", error);
}

void
gst_tfrc_src_uri_handler_init (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = gst_tfrc_src_uri_get_type;
  handler->get_protocols = gst_tfrc_src_uri_get_protocols;
  handler->get_uri = gst_tfrc_src_uri_get_uri;
  handler->set_uri = gst_tfrc_src_uri_set_uri;
}
