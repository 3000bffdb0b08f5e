/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of a stream, see metrics.h */
#include "metrics.h"

#define NS (1e-9)     /* s */
#define BIT (1 / 8.0) /* byte */

/* The metrics, each from a field of the statistics (docs/statistics.md) */
static const struct
{
  const gchar *name, *type, *field;
  gdouble unit; /* of the field, in units of the metric */
  const gchar *help;
} metrics[] = {
  { "tfrc_allowed_rate_bytes_per_second", "gauge", "allowed-rate", BIT,
      "X, the rate that TFRC allows." },
  { "tfrc_receive_rate_bytes_per_second", "gauge", "receive-rate", BIT,
      "X_recv, the rate at which the receiver gets the stream." },
  { "tfrc_rtt_seconds", "gauge", "rtt", NS, "R, the round-trip time." },
  { "tfrc_sender_delay_mean_seconds", "gauge", "sender-delay-mean", NS,
      "Mean time from when a packet was due until it left." },
  { "tfrc_sender_delay_p99_seconds", "gauge", "sender-delay-p99", NS,
      "99th percentile of the sender delay." },
  { "tfrc_iptd_mean_seconds", "gauge", "iptd-mean", NS,
      "Mean IP packet transfer delay, from when a packet was due until it arrived." },
  { "tfrc_iptd_p99_seconds", "gauge", "iptd-p99", NS, "99th percentile of the IPTD." },
  { "tfrc_queue_seconds", "gauge", "queue-time", NS,
      "How long the oldest packet that waits now has waited in the sender." },
  { "tfrc_loss_ratio", "gauge", "loss-ratio", 1, "IPLR, lost packets as a part of all packets." },
  { "tfrc_loss_event_ratio", "gauge", "loss-event-rate", 1,
      "p, the loss event rate: loss events as a part of packets." },
  { "tfrc_packets_sent_total", "counter", "packets-sent", 1, "Packets that were sent." },
  { "tfrc_bytes_sent_total", "counter", "bytes-sent", 1,
      "Bytes of transport stream that were sent." },
  { "tfrc_packets_received_total", "counter", "packets-received", 1,
      "Packets that were received." },
  { "tfrc_bytes_received_total", "counter", "bytes-received", 1,
      "Bytes of transport stream that were received." },
  { "tfrc_packets_lost_total", "counter", "packets-lost", 1, "Packets that the network lost." },
  { "tfrc_packets_dropped_total", "counter", "packets-dropped", 1,
      "Packets that the sender's own queue dropped." },
  { "tfrc_queue_dropped_total", "counter", "queue-dropped", 1,
      "Received packets that the output did not take in time." },
};

static void
add (GString *text, const gchar *name, const gchar *type, const gchar *help, gdouble value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  /* The decimal point must not depend on the locale. */
  g_ascii_dtostr (number, sizeof number, value);
  g_string_append_printf (
      text, "# HELP %s %s\n# TYPE %s %s\n%s %s\n", name, help, name, type, name, number);
}

static gboolean
get_number (const GstStructure *stats, const gchar *field, gdouble *number)
{
  const GValue *value = gst_structure_get_value (stats, field);
  GValue converted = G_VALUE_INIT;

  g_value_init (&converted, G_TYPE_DOUBLE);
  if (value == NULL || !g_value_transform (value, &converted))
    return FALSE;
  *number = g_value_get_double (&converted);
  return TRUE;
}

gchar *
metrics_format (const GstStructure *stats)
{
  GString *text = g_string_new (NULL);
  const gchar *peer_state = gst_structure_get_string (stats, "peer-state");
  gdouble number;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (metrics); i++) {
    if (get_number (stats, metrics[i].field, &number))
      add (text, metrics[i].name, metrics[i].type, metrics[i].help, number * metrics[i].unit);
  }
  if (peer_state != NULL)
    add (text, "tfrc_receiver_connected", "gauge", "1 while the receiver answers, otherwise 0.",
        g_str_equal (peer_state, "connected"));
  return g_string_free (text, FALSE);
}
