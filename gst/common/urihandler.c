/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both elements as handlers of tfrc:// URIs, see urihandler.h */
#include "urihandler.h"

#include "uri.h"

/* GStreamer asks for the type and the protocols before there is an element. */
static GstURIType
get_type_of_sink (GType type)
{
  return GST_URI_SINK;
}

static GstURIType
get_type_of_src (GType type)
{
  return GST_URI_SRC;
}

static const gchar *const *
get_protocols (GType type)
{
  static const gchar *const protocols[] = { GST_TFRC_URI_SCHEME, NULL };

  return protocols;
}

static gchar *
get_uri (GstURIHandler *handler)
{
  gchar *uri;

  g_object_get (handler, "uri", &uri, NULL);
  return uri;
}

static gboolean
set_uri_of_sink (GstURIHandler *handler, const gchar *uri, GError **error)
{
  return gst_tfrc_uri_apply (GST_ELEMENT (handler), uri, "host", error);
}

static gboolean
set_uri_of_src (GstURIHandler *handler, const gchar *uri, GError **error)
{
  return gst_tfrc_uri_apply (GST_ELEMENT (handler), uri, "address", error);
}

void
gst_tfrc_uri_handler_init_sink (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = get_type_of_sink;
  handler->get_protocols = get_protocols;
  handler->get_uri = get_uri;
  handler->set_uri = set_uri_of_sink;
}

void
gst_tfrc_uri_handler_init_src (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = get_type_of_src;
  handler->get_protocols = get_protocols;
  handler->get_uri = get_uri;
  handler->set_uri = set_uri_of_src;
}
