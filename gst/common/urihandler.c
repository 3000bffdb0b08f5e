/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both elements as handlers of tfrc:// URIs, see urihandler.h */
#include "urihandler.h"

#include <gst/base/gstbasesrc.h>

#include "uri.h"

/* GStreamer asks for the type and the protocols before there is an element. */
static GstURIType
get_type (GType type)
{
  return g_type_is_a (type, GST_TYPE_BASE_SRC) ? GST_URI_SRC : GST_URI_SINK;
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
set_uri (GstURIHandler *handler, const gchar *uri, GError **error)
{
  return gst_tfrc_uri_apply (GST_ELEMENT (handler), uri, error);
}

void
gst_tfrc_uri_handler_init (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = get_type;
  handler->get_protocols = get_protocols;
  handler->get_uri = get_uri;
  handler->set_uri = set_uri;
}
