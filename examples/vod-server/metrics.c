/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of the streams, see metrics.h */
#include "metrics.h"

#include <math.h>
#include <string.h>

#define NS (1e-9)     /* s */
#define BIT (1 / 8.0) /* byte */

/* The metrics of a stream that plays, each from a field of the statistics (docs/statistics.md) */
static const struct
{
  const gchar *name, *type, *field;
  gdouble unit; /* of the field, in units of the metric */
  const gchar *help;
} stream_metrics[] = {
  { "vod_stream_allowed_rate_bytes_per_second", "gauge", "allowed-rate", BIT,
      "X, the rate that TFRC allows." },
  { "vod_stream_receive_rate_bytes_per_second", "gauge", "receive-rate", BIT,
      "X_recv, the rate at which the receiver gets the movie." },
  { "vod_stream_rtt_seconds", "gauge", "rtt", NS, "R, the round-trip time." },
  { "vod_stream_sender_delay_mean_seconds", "gauge", "sender-delay-mean", NS,
      "Mean sender delay, the part of the IPTD that the sender knows: from when a packet was due "
      "until it left." },
  { "vod_stream_sender_delay_p99_seconds", "gauge", "sender-delay-p99", NS,
      "99th percentile of the sender delay." },
  { "vod_stream_sender_delay_max_seconds", "gauge", "sender-delay-max", NS,
      "Longest sender delay." },
  { "vod_stream_queue_seconds", "gauge", "queue-time", NS,
      "How long the oldest packet that waits now has waited in the sender." },
  { "vod_stream_loss_ratio", "gauge", "loss-ratio", 1,
      "IPLR, lost packets as a part of all packets." },
  { "vod_stream_loss_event_ratio", "gauge", "loss-event-rate", 1,
      "p, the loss event rate: loss events as a part of packets." },
  { "vod_stream_packets_sent_total", "counter", "packets-sent", 1, "Packets that were sent." },
  { "vod_stream_bytes_sent_total", "counter", "bytes-sent", 1,
      "Bytes of transport stream that were sent." },
  { "vod_stream_packets_lost_total", "counter", "packets-lost", 1,
      "Packets that the network lost, as the receiver tells." },
  { "vod_stream_packets_dropped_total", "counter", "packets-dropped", 1,
      "Packets that the sender's own queue dropped." },
  { "vod_stream_packets_overdue_total", "counter", "packets-overdue", 1,
      "Packets that were sent although they had waited for too long." },
};

gchar *
metrics_escape (const gchar *value)
{
  GString *text = g_string_new (value);

  g_string_replace (text, "\\", "\\\\", 0);
  g_string_replace (text, "\"", "\\\"", 0);
  g_string_replace (text, "\n", "\\n", 0);
  return g_string_free (text, FALSE);
}

static void
add_head (GString *text, const gchar *name, const gchar *type, const gchar *help)
{
  g_string_append_printf (text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* @labels: with their braces, or "" */
static void
add_sample (GString *text, const gchar *name, const gchar *labels, gdouble value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  /* The decimal point must not depend on the locale. */
  g_ascii_dtostr (number, sizeof number, value);
  g_string_append_printf (text, "%s%s %s\n", name, labels, number);
}

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

  add_sample (text, name, labels, value);
  g_free (labels);
}

static void
add_server (GString *text, const GPtrArray *list, const StreamTotals *totals, guint limit)
{
  guint states[STREAM_STATES] = { 0 };
  guint i;

  for (i = 0; i < list->len; i++)
    states[((const StreamStatus *) g_ptr_array_index (list, i))->state]++;
  add_head (text, "vod_streams", "gauge", "Streams whose status is known, by state.");
  for (i = 0; i < STREAM_STATES; i++)
    add_state (text, "vod_streams", (StreamState) i, states[i]);
  add_head (text, "vod_streams_limit", "gauge", "How many streams may play at the same time.");
  add_sample (text, "vod_streams_limit", "", limit);
  add_head (text, "vod_streams_started_total", "counter", "Streams that were started.");
  add_sample (text, "vod_streams_started_total", "", (gdouble) totals->started);
  add_head (text, "vod_streams_finished_total", "counter",
      "Streams that play no more, by their last state.");
  for (i = STREAM_ENDED; i < STREAM_STATES; i++)
    add_state (text, "vod_streams_finished_total", (StreamState) i, (gdouble) totals->finished[i]);
}

/* ---- of each stream ------------------------------------------------------ */

static gchar *
format_labels (const StreamStatus *status)
{
  gchar *movie = metrics_escape (status->movie), *host = metrics_escape (status->host), *labels;
  gboolean is_ipv6 = strchr (host, ':') != NULL;

  labels = g_strdup_printf ("{stream=\"%" G_GUINT64_FORMAT
                            "\",movie=\"%s\",receiver=\"%s%s%s:%u\"}",
      status->id, movie, is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", status->port);
  g_free (movie);
  g_free (host);
  return labels;
}

static gdouble
get_number (const GstStructure *stats, const gchar *field)
{
  const GValue *value = gst_structure_get_value (stats, field);
  GValue number = G_VALUE_INIT;

  g_value_init (&number, G_TYPE_DOUBLE);
  return value != NULL && g_value_transform (value, &number) ? g_value_get_double (&number) : NAN;
}

static void
add_connected (GString *text, const GPtrArray *playing, const GPtrArray *labels)
{
  const gchar *name = "vod_stream_receiver_connected";
  guint i;

  add_head (text, name, "gauge", "1 while the receiver answers, otherwise 0.");
  for (i = 0; i < playing->len; i++) {
    const StreamStatus *status = g_ptr_array_index (playing, i);
    const gchar *state = gst_structure_get_string (status->stats, "peer-state");

    add_sample (text, name, g_ptr_array_index (labels, i), g_strcmp0 (state, "connected") == 0);
  }
}

static void
add_streams (GString *text, const GPtrArray *playing, const GPtrArray *labels)
{
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (stream_metrics); i++) {
    add_head (text, stream_metrics[i].name, stream_metrics[i].type, stream_metrics[i].help);
    for (k = 0; k < playing->len; k++) {
      const StreamStatus *status = g_ptr_array_index (playing, k);
      gdouble value = get_number (status->stats, stream_metrics[i].field);

      if (!isnan (value))
        add_sample (text, stream_metrics[i].name, g_ptr_array_index (labels, k),
            value * stream_metrics[i].unit);
    }
  }
}

gchar *
metrics_format (const GPtrArray *list, const StreamTotals *totals, guint limit)
{
  GPtrArray *playing = g_ptr_array_new (), *labels = g_ptr_array_new_with_free_func (g_free);
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < list->len; i++) {
    StreamStatus *status = g_ptr_array_index (list, i);

    if (!has_series (status))
      continue;
    g_ptr_array_add (playing, status);
    g_ptr_array_add (labels, format_labels (status));
  }
  add_server (text, list, totals, limit);
  add_connected (text, playing, labels);
  add_streams (text, playing, labels);
  g_ptr_array_unref (playing);
  g_ptr_array_unref (labels);
  return g_string_free (text, FALSE);
}
