/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An HTTP server for Prometheus, see metricsserver.h */
#include "metricsserver.h"

#include <libsoup/soup.h>
#include <string.h>

#include "tools/stats/prometheus.h"

#define PATH "/metrics"

struct _MetricsServer
{
  SoupServer *server;
  GstElement *element;
};

static void
answer (SoupServerMessage *message, guint code, const gchar *type, gchar *body)
{
  soup_server_message_set_status (message, code, NULL);
  soup_server_message_set_response (message, type, SOUP_MEMORY_TAKE, body, strlen (body));
}

static void
answer_metrics (SoupServerMessage *message, GstElement *element)
{
  GString *text = g_string_new (NULL);
  GstStructure *stats;
  PrometheusStream stream;

  g_object_get (element, "stats", &stats, NULL);
  stream = (PrometheusStream){ "", stats };
  prometheus_add_streams (text, "tfrc_", &stream, 1);
  answer (message, SOUP_STATUS_OK, PROMETHEUS_CONTENT_TYPE, g_string_free (text, FALSE));
  gst_structure_free (stats);
}

static void
on_request (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query,
    gpointer data)
{
  const gchar *method = soup_server_message_get_method (message);

  if (strcmp (path, PATH) != 0)
    answer (message, SOUP_STATUS_NOT_FOUND, "text/plain", g_strdup ("see " PATH "\n"));
  else if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0)
    answer (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "text/plain", g_strdup ("GET only\n"));
  else
    answer_metrics (message, data);
}

static gboolean
listen_at (SoupServer *server, const gchar *address, guint16 port, GError **error)
{
  GSocketAddress *socket_address = g_inet_socket_address_new_from_string (address, port);
  gboolean ok;

  if (socket_address == NULL) {
    g_set_error (
        error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s is not a numeric address", address);
    return FALSE;
  }
  ok = soup_server_listen (server, socket_address, 0, error);
  g_object_unref (socket_address);
  return ok;
}

MetricsServer *
metrics_server_new (GstElement *element, const gchar *address, guint16 port, GError **error)
{
  MetricsServer *self = g_new0 (MetricsServer, 1);

  self->element = gst_object_ref (element);
  self->server = soup_server_new (NULL, NULL);
  soup_server_add_handler (self->server, NULL, on_request, element, NULL);
  if (!listen_at (self->server, address != NULL ? address : "127.0.0.1", port, error))
    g_clear_pointer (&self, metrics_server_free);
  return self;
}

gchar *
metrics_server_dup_uri (const MetricsServer *server)
{
  GSList *uris = soup_server_get_uris (server->server);
  GUri *uri = g_uri_parse_relative (uris->data, PATH, G_URI_FLAGS_NONE, NULL);
  gchar *text = g_uri_to_string (uri);

  g_uri_unref (uri);
  g_slist_free_full (uris, (GDestroyNotify) g_uri_unref);
  return text;
}

void
metrics_server_free (MetricsServer *server)
{
  if (server == NULL)
    return;
  soup_server_disconnect (server->server);
  g_object_unref (server->server);
  gst_object_unref (server->element);
  g_free (server);
}
