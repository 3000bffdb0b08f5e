/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The `stats' property of tfrcsrc: names, types and units are documented in
 * docs/statistics.md. */
#include "gsttfrcsrcstats.h"

#include <net/if.h>

#include "../common/messages.h"
#include "../common/enums.h"
#include "../keys/securityelement.h"

/* The delays of the network, and the IPTD, which contains them, would be wrong if the clocks of
 * both ends do not agree.  Then the structure does not have these fields. */
static void
add_delays (GstStructure *s, const GstTfrcDelays *delays)
{
  gboolean agree = gst_tfrc_delays_clocks_agree (delays);

  gst_structure_set (s, "clock-synchronised", G_TYPE_BOOLEAN, agree, NULL);
  gst_tfrc_stats_add_delay (s, "sender-delay", &delays->sender);
  if (agree) {
    gst_tfrc_stats_add_delay (s, "network-delay", &delays->network);
    gst_tfrc_stats_add_delay (s, "iptd", &delays->iptd);
  }
}

static void
add_loss_intervals (GstStructure *s, const TfrcLossStatistics *loss)
{
  gst_structure_set (s, "loss-intervals", G_TYPE_UINT64, loss->intervals, "loss-interval-mean",
      G_TYPE_DOUBLE, loss->mean_interval, "loss-interval-variance", G_TYPE_DOUBLE,
      loss->var_interval, "loss-interval-throughput", G_TYPE_DOUBLE, loss->f_mean_interval,
      "predictor-mean", G_TYPE_DOUBLE, loss->mean_predictor, "predictor-variance", G_TYPE_DOUBLE,
      loss->var_predictor, "predictor-covariance", G_TYPE_DOUBLE, loss->covariance,
      "predictor-inverse-mean", G_TYPE_DOUBLE, loss->mean_inverse_predictor, "predictor-gap",
      G_TYPE_DOUBLE, loss->predicted_gap, "predictor-throughput", G_TYPE_DOUBLE,
      loss->f_mean_inverse_predictor, NULL);
}

static void
add_handovers (GstStructure *s, const GstTfrcSrcStreamStats *stats)
{
  const TfrcReceiverStats *receiver = &stats->flow.reception.receiver;
  gchar name[IF_NAMESIZE] = "";

  if (stats->flow.reception.interface != 0)
    if_indextoname (stats->flow.reception.interface, name);
  gst_structure_set (s, "interface", G_TYPE_STRING, name, "handover-phase", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_HANDOVER_PHASE, receiver->handover_phase), "handovers",
      G_TYPE_UINT64, receiver->handovers, "handovers-completed", G_TYPE_UINT64,
      receiver->handovers_completed, "handovers-abandoned", G_TYPE_UINT64,
      receiver->handovers_abandoned, NULL);
}

/* The statistics of enhanced TFRC */
static void
add_choices (GstStructure *s, const GstTfrcSrcStreamStats *stats)
{
  const TfrcReceiverStats *receiver = &stats->flow.reception.receiver;

  gst_structure_set (s, "loss-interval-method", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (
          GST_TYPE_TFRC_LOSS_INTERVAL_METHOD, stats->flow.receiver.loss_interval_method),
      "loss-classifier", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_LOSS_CLASSIFIER, stats->flow.receiver.loss_classifier),
      "link-errors", G_TYPE_UINT64, receiver->link_errors, "congestion-loss-event-rate",
      G_TYPE_DOUBLE, receiver->congestion_p, NULL);
}

static const gchar *
get_sender_state (const GstTfrcSrcStreamStats *stats)
{
  if (!stats->flow.has_sender)
    return "waiting";
  if (stats->flow.sender_has_ended)
    return "gone";
  return stats->flow.sender_is_lost ? "lost" : "connected";
}

static GstStructure *
stats_new (const GstTfrcSrcStreamStats *stats)
{
  const TfrcReceiverStats *receiver;
  GstStructure *s;
  gchar *sender;

  receiver = &stats->flow.reception.receiver;
  sender = gst_tfrc_address_to_string (&stats->flow.reception.sender);
  s = gst_structure_new ("tfrcsrc-stats", "tfrc", G_TYPE_BOOLEAN, stats->flow.reception.tfrc,
      "sender", G_TYPE_STRING, stats->flow.has_sender ? sender : "", "sender-state", G_TYPE_STRING,
      get_sender_state (stats), "ssrc", G_TYPE_UINT, stats->flow.reception.ssrc, "local-port",
      G_TYPE_INT, (gint) stats->local_port, "packets-received", G_TYPE_UINT64,
      receiver->packets_received, "bytes-received", G_TYPE_UINT64, receiver->bytes_received,
      "packets-lost", G_TYPE_UINT64, receiver->packets_lost, "loss-ratio", G_TYPE_DOUBLE,
      receiver->packets_expected ? (gdouble) receiver->packets_lost / receiver->packets_expected
                                 : 0.0,
      "packets-late", G_TYPE_UINT64, receiver->packets_late, "packets-duplicate", G_TYPE_UINT64,
      receiver->packets_duplicate, "packets-suspect", G_TYPE_UINT64, receiver->packets_suspect,
      "packets-missing", G_TYPE_UINT64, stats->flow.queue.missing, "packets-too-late",
      G_TYPE_UINT64, stats->flow.queue.too_late, "ce-marks", G_TYPE_UINT64, receiver->packets_ce,
      "ecn-ect0-received", G_TYPE_UINT64, receiver->packets_ect0, "ecn-ect1-received",
      G_TYPE_UINT64, receiver->packets_ect1, "ecn-not-ect-received", G_TYPE_UINT64,
      receiver->packets_not_ect, "loss-events", G_TYPE_UINT64, receiver->loss_events,
      "loss-event-rate", G_TYPE_DOUBLE, receiver->p, "receive-rate", G_TYPE_DOUBLE,
      receiver->x_recv_Bps * 8, "rtt", G_TYPE_UINT64, receiver->rtt_ns, "ttl", G_TYPE_UINT,
      stats->flow.reception.ttl, "hops", G_TYPE_UINT, stats->flow.reception.hops, "jitter",
      G_TYPE_UINT64, (guint64) stats->flow.reception.jitter_ns, "feedback-sent", G_TYPE_UINT64,
      receiver->feedbacks_sent, "queue-packets", G_TYPE_UINT, stats->flow.queue.packets,
      "queue-dropped", G_TYPE_UINT64, stats->flow.queue.overflowed, "foreign-packets",
      G_TYPE_UINT64, stats->flow.foreign_packets, "malformed-packets", G_TYPE_UINT64,
      stats->flow.malformed_packets, "byes-refused", G_TYPE_UINT64, stats->flow.byes_refused,
      "messages-dropped", G_TYPE_UINT64, stats->flow.reception.messages_dropped, NULL);
  add_handovers (s, stats);
  add_choices (s, stats);
  gst_tfrc_security_add_stats (s, &stats->flow.security);
  add_loss_intervals (s, &stats->flow.reception.loss);
  add_delays (s, &stats->flow.reception.delays);
  g_free (sender);
  return s;
}

GstStructure *
gst_tfrc_src_get_stats (GstTfrcSrc *self)
{
  GstTfrcSrcStreamStats stats = { 0 };

  if (!gst_tfrc_gate_enter (&self->gate)) {
    GST_OBJECT_LOCK (self);
    gst_tfrc_src_settings_get_receiver (&self->settings, &stats.flow.receiver, NULL);
    GST_OBJECT_UNLOCK (self);
    return stats_new (&stats);
  }
  gst_tfrc_src_stream_get_stats (self->stream, &stats);
  gst_tfrc_gate_leave (&self->gate);
  stats.flow.reception.messages_dropped += gst_tfrc_notifier_get_dropped (&self->notifier);
  return stats_new (&stats);
}
