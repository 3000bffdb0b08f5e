/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics for Prometheus, see prometheus.h */
#include "prometheus.h"

#define NS (1e-9)     /* s */
#define BIT (1 / 8.0) /* byte */

/* The metrics, each from a field of the statistics (docs/statistics.md) */
typedef struct
{
  const gchar *name, *type;
  const gchar *field; /* a number, or the state of the peer: 1 if "connected" */
  gdouble unit;       /* of the field, in units of the metric */
  const gchar *help;
} Metric;

static const Metric metrics[] = {
  { "allowed_rate_bytes_per_second", "gauge", "allowed-rate", BIT,
      "X, the rate that TFRC allows." },
  { "receive_rate_bytes_per_second", "gauge", "receive-rate", BIT,
      "X_recv, the rate at which the receiver gets the stream." },
  { "rtt_seconds", "gauge", "rtt", NS, "R, the round-trip time." },
  { "sender_delay_mean_seconds", "gauge", "sender-delay-mean", NS,
      "Mean time from when a packet was due until it left." },
  { "sender_delay_p99_seconds", "gauge", "sender-delay-p99", NS,
      "99th percentile of the sender delay." },
  { "sender_delay_max_seconds", "gauge", "sender-delay-max", NS, "Longest sender delay." },
  { "iptd_mean_seconds", "gauge", "iptd-mean", NS,
      "Mean IP packet transfer delay, from when a packet was due until it arrived." },
  { "iptd_p99_seconds", "gauge", "iptd-p99", NS, "99th percentile of the IPTD." },
  { "queue_seconds", "gauge", "queue-time", NS,
      "How long the oldest packet that waits now has waited in the sender." },
  { "loss_ratio", "gauge", "loss-ratio", 1, "IPLR, lost packets as a part of all packets." },
  { "loss_event_ratio", "gauge", "loss-event-rate", 1,
      "p, the loss event rate: loss events as a part of packets." },
  { "packets_sent_total", "counter", "packets-sent", 1, "Packets that were sent." },
  { "bytes_sent_total", "counter", "bytes-sent", 1, "Bytes of transport stream that were sent." },
  { "packets_received_total", "counter", "packets-received", 1, "Packets that were received." },
  { "bytes_received_total", "counter", "bytes-received", 1,
      "Bytes of transport stream that were received." },
  { "packets_lost_total", "counter", "packets-lost", 1, "Packets that the network lost." },
  { "packets_requested_total", "counter", "packets-requested", 1,
      "Lost packets that the receiver asked for." },
  { "packets_repaired_total", "counter", "packets-repaired", 1,
      "Lost packets that were sent, or have come, once more." },
  { "packets_dropped_total", "counter", "packets-dropped", 1,
      "Packets that the sender's own queue dropped." },
  { "packets_past_deadline_total", "counter", "packets-past-deadline", 1,
      "Packets that were not sent because they could not be played in time." },
  { "packets_overdue_total", "counter", "packets-overdue", 1,
      "Packets that were sent although they had waited for too long." },
  { "queue_dropped_total", "counter", "queue-dropped", 1,
      "Received packets that the output did not take in time." },
  { "receiver_connected", "gauge", "peer-state", 1, "1 while the receiver answers, otherwise 0." },
};

/* ---- the format ---------------------------------------------------------- */

void
prometheus_add_head (GString *text, const gchar *name, const gchar *type, const gchar *help)
{
  g_string_append_printf (text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void
prometheus_add_sample (GString *text, const gchar *name, const gchar *labels, gdouble value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  /* The decimal point must not depend on the locale. */
  g_ascii_dtostr (number, sizeof number, value);
  g_string_append_printf (text, "%s%s %s\n", name, labels, number);
}

gchar *
prometheus_escape (const gchar *value)
{
  GString *text = g_string_new (value);

  g_string_replace (text, "\\", "\\\\", 0);
  g_string_replace (text, "\"", "\\\"", 0);
  g_string_replace (text, "\n", "\\n", 0);
  return g_string_free (text, FALSE);
}

/* ---- streams ------------------------------------------------------------- */

/* Returns FALSE if the statistics do not have the field. */
static gboolean
get_number (const GstStructure *stats, const gchar *field, gdouble *number)
{
  const GValue *value = gst_structure_get_value (stats, field);
  GValue converted = G_VALUE_INIT;

  if (value == NULL)
    return FALSE;
  if (G_VALUE_HOLDS_STRING (value)) {
    *number = g_strcmp0 (g_value_get_string (value), "connected") == 0;
    return TRUE;
  }
  g_value_init (&converted, G_TYPE_DOUBLE);
  if (!g_value_transform (value, &converted))
    return FALSE;
  *number = g_value_get_double (&converted);
  return TRUE;
}

static void
add_metric (GString *text, const gchar *prefix, const PrometheusStream *streams, guint n_streams,
    const Metric *metric)
{
  gchar *name = g_strconcat (prefix, metric->name, NULL);
  gboolean has_head = FALSE;
  gdouble number;

  for (guint i = 0; i < n_streams; i++) {
    if (!get_number (streams[i].stats, metric->field, &number))
      continue;
    if (!has_head)
      prometheus_add_head (text, name, metric->type, metric->help);
    has_head = TRUE;
    prometheus_add_sample (text, name, streams[i].labels, number * metric->unit);
  }
  g_free (name);
}

void
prometheus_add_streams (
    GString *text, const gchar *prefix, const PrometheusStream *streams, guint n_streams)
{
  for (guint i = 0; i < G_N_ELEMENTS (metrics); i++)
    add_metric (text, prefix, streams, n_streams, &metrics[i]);
}
