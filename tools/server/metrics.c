/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of the streams, see metrics.h */
#include "metrics.h"

#include <string.h>

#include "tools/stats/prometheus.h"

static gboolean
has_series (const StreamStatus *status)
{
  return status->state == STREAM_PLAYING || status->state == STREAM_STOPPING;
}

/* ---- of the server ------------------------------------------------------- */

static void
add_state (GString *text, const gchar *name, StreamState state, gdouble value)
{
  gchar *labels = g_strdup_printf ("{state=\"%s\"}", stream_state_get_name (state));

  prometheus_add_sample (text, name, labels, value);
  g_free (labels);
}

static void
add_server (GString *text, const GPtrArray *list, const StreamTotals *totals, guint limit)
{
  guint states[STREAM_STATES] = { 0 };
  guint i;

  for (i = 0; i < list->len; i++)
    states[((const StreamStatus *) g_ptr_array_index (list, i))->state]++;
  prometheus_add_head (text, "vod_streams", "gauge", "Streams whose status is known, by state.");
  for (i = 0; i < STREAM_STATES; i++)
    add_state (text, "vod_streams", (StreamState) i, states[i]);
  prometheus_add_head (
      text, "vod_streams_limit", "gauge", "How many streams may play at the same time.");
  prometheus_add_sample (text, "vod_streams_limit", "", limit);
  prometheus_add_head (text, "vod_streams_started_total", "counter", "Streams that were started.");
  prometheus_add_sample (text, "vod_streams_started_total", "", (gdouble) totals->started);
  prometheus_add_head (text, "vod_streams_finished_total", "counter",
      "Streams that play no more, by their last state.");
  for (i = STREAM_ENDED; i < STREAM_STATES; i++)
    add_state (text, "vod_streams_finished_total", (StreamState) i, (gdouble) totals->finished[i]);
}

/* ---- of each stream ------------------------------------------------------ */

static gchar *
format_labels (const StreamStatus *status)
{
  gchar *movie = prometheus_escape (status->movie), *host = prometheus_escape (status->host),
        *labels;
  gboolean is_ipv6 = strchr (host, ':') != NULL;

  labels = g_strdup_printf ("{stream=\"%" G_GUINT64_FORMAT
                            "\",movie=\"%s\",receiver=\"%s%s%s:%u\"}",
      status->id, movie, is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", status->port);
  g_free (movie);
  g_free (host);
  return labels;
}

static void
clear_stream (gpointer data)
{
  PrometheusStream *stream = data;

  g_free ((gchar *) stream->labels);
}

static void
add_streams (GString *text, const GPtrArray *list)
{
  GArray *streams = g_array_new (FALSE, FALSE, sizeof (PrometheusStream));
  guint i;

  g_array_set_clear_func (streams, clear_stream);
  for (i = 0; i < list->len; i++) {
    const StreamStatus *status = g_ptr_array_index (list, i);

    if (has_series (status)) {
      PrometheusStream stream = { format_labels (status), status->stats };

      g_array_append_val (streams, stream);
    }
  }
  prometheus_add_streams (
      text, "vod_stream_", (const PrometheusStream *) streams->data, streams->len);
  g_array_unref (streams);
}

gchar *
metrics_format (const GPtrArray *list, const StreamTotals *totals, guint limit)
{
  GString *text = g_string_new (NULL);

  add_server (text, list, totals, limit);
  add_streams (text, list);
  return g_string_free (text, FALSE);
}
