/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An HTTP server for Prometheus, see metricsserver.h */
#include "metricsserver.h"

#include <string.h>

#include "tools/http/httpserver.h"
#include "tools/stats/prometheus.h"

#define PATH "/metrics"

struct _MetricsServer
{
  HttpServer *http;
  GstElement *element;
};

static void
answer_metrics (SoupServerMessage *message, GstElement *element)
{
  GString *text = g_string_new (NULL);
  GstStructure *stats;
  PrometheusStream stream;

  g_object_get (element, "stats", &stats, NULL);
  stream = (PrometheusStream){ "", stats };
  prometheus_add_streams (text, "tfrc_", &stream, 1);
  http_answer (message, SOUP_STATUS_OK, PROMETHEUS_CONTENT_TYPE, g_string_free (text, FALSE));
  gst_structure_free (stats);
}

static void
on_request (SoupServerMessage *message, const gchar *path, gpointer element)
{
  const gchar *method = soup_server_message_get_method (message);

  if (strcmp (path, PATH) != 0)
    http_refuse (message, SOUP_STATUS_NOT_FOUND, "see " PATH);
  else if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0)
    http_refuse_method (message, "GET, HEAD");
  else
    answer_metrics (message, element);
}

MetricsServer *
metrics_server_new (GstElement *element, const gchar *address, guint16 port, GError **error)
{
  const HttpConfig config = { .name = "gst-tfrc", .handle = on_request, .data = element };
  HttpServer *http = http_server_new (
      &config, address != NULL ? address : "127.0.0.1", port, error);
  MetricsServer *self;

  if (http == NULL)
    return NULL;
  self = g_new0 (MetricsServer, 1);
  self->http = http;
  self->element = gst_object_ref (element);
  return self;
}

gchar *
metrics_server_dup_uri (const MetricsServer *server)
{
  gchar *uri = http_server_dup_uri (server->http);
  gchar *text = g_strconcat (uri, PATH, NULL);

  g_free (uri);
  return text;
}

void
metrics_server_free (MetricsServer *server)
{
  if (server == NULL)
    return;
  http_server_free (server->http);
  gst_object_unref (server->element);
  g_free (server);
}
