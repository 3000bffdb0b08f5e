/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The `stats' property of tfrcsink: names, types and units are documented in
 * docs/statistics.md. */
#include "gsttfrcsinkstats.h"

#include <math.h>

#include "../common/messages.h"
#include "../common/enums.h"
#include "../keys/securityelement.h"

static gdouble
bits (gdouble rate_Bps)
{
  return isfinite (rate_Bps) ? rate_Bps * 8 : 0;
}

/* The statistics of enhanced TFRC.  The counters may wrap, so the ratio has a bound of its own. */
static void
add_choices (GstStructure *s, const GstTfrcSendSessionStats *session)
{
  const GstTfrcSinkRateConfig *rate = &session->rate;
  const TfrcSenderStats *sender = &session->sender;

  gst_structure_set (s, "profile", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_PROFILE, rate->profile), "rtt-method", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_RTT_METHOD, rate->rtt_method), "rto-policy",
      G_TYPE_STRING, gst_tfrc_enum_get_nick (GST_TYPE_TFRC_RTO_POLICY, rate->rto_policy),
      "loss-response", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_LOSS_RESPONSE, sender->loss_response), "rtt-average",
      G_TYPE_UINT64, sender->rtt_average_ns, "congestion-loss-event-rate", G_TYPE_DOUBLE,
      sender->congestion_p, "link-errors", G_TYPE_UINT64, session->link_errors, "link-error-ratio",
      G_TYPE_DOUBLE,
      session->packets_lost ? MIN (1, (gdouble) session->link_errors / session->packets_lost) : 0.0,
      NULL);
}

/* The receiver's counts wrap on the wire. */
static void
add_ecn (GstStructure *s, const TfrcEcnStats *ecn)
{
  gst_structure_set (s, "ecn-state", G_TYPE_STRING, tfrc_ecn_state_to_string (ecn->state),
      "ecn-problem", G_TYPE_STRING, tfrc_ecn_problem_to_string (ecn->problem), "ecn-failures",
      G_TYPE_UINT64, ecn->failures, "ecn-ect-sent", G_TYPE_UINT64, ecn->ect_sent,
      "ecn-ect0-received", G_TYPE_UINT64, (guint64) ecn->report.ect0, "ecn-ect1-received",
      G_TYPE_UINT64, (guint64) ecn->report.ect1, "ecn-not-ect-received", G_TYPE_UINT64,
      (guint64) ecn->report.not_ect, NULL);
}

static GstStructure *
stats_new (const GstTfrcSinkStreamStats *stats)
{
  const GstTfrcSendSessionStats *session;
  const TfrcSenderStats *sender;
  GstStructure *s;
  gchar *peer;

  session = &stats->session;
  sender = &session->sender;
  peer = gst_tfrc_address_to_string (&session->peer);
  s = gst_structure_new ("tfrcsink-stats", "allowed-rate", G_TYPE_DOUBLE, bits (sender->x_Bps),
      "send-rate", G_TYPE_DOUBLE, bits (sender->x_inst_Bps), "equation-rate", G_TYPE_DOUBLE,
      bits (sender->x_eq_Bps), "receive-rate", G_TYPE_DOUBLE, bits (sender->x_recv_Bps),
      "receive-limit", G_TYPE_DOUBLE, bits (sender->recv_limit_Bps), "queue-guard-limit",
      G_TYPE_DOUBLE, bits (sender->queue_guard_Bps), "loss-event-rate", G_TYPE_DOUBLE, sender->p,
      "rtt", G_TYPE_UINT64, sender->rtt_ns, "rtt-sample", G_TYPE_UINT64, sender->rtt_sample_ns,
      "rttvar", G_TYPE_UINT64, sender->rttvar_ns, "equation-rto", G_TYPE_UINT64,
      sender->equation_rto_ns, "rto", G_TYPE_UINT64, sender->rto_ns, "segment-size", G_TYPE_DOUBLE,
      sender->segment_size_bytes, "data-limited", G_TYPE_BOOLEAN, sender->data_limited,
      "slow-start", G_TYPE_BOOLEAN, sender->slow_start, "packets-sent", G_TYPE_UINT64,
      sender->packets_sent, "bytes-sent", G_TYPE_UINT64, sender->bytes_sent, "packets-dropped",
      G_TYPE_UINT64, stats->outbox.packets_dropped, "packets-overdue", G_TYPE_UINT64,
      stats->outbox.packets_overdue, "packets-lost", G_TYPE_UINT64, session->packets_lost,
      "loss-ratio", G_TYPE_DOUBLE, session->loss_ratio, "loss-events", G_TYPE_UINT64,
      session->loss_events, "ce-marks", G_TYPE_UINT64, session->ce_marks, "counters-refused",
      G_TYPE_UINT64, session->counters_refused, "ttl", G_TYPE_UINT, session->ttl, "hops",
      G_TYPE_UINT, session->hops, "lookahead-packets", G_TYPE_UINT, stats->outbox.lookahead_packets,
      "queue-packets", G_TYPE_UINT, stats->outbox.queue_packets, "queue-bytes", G_TYPE_UINT64,
      (guint64) stats->outbox.queue_bytes, "queue-time", G_TYPE_UINT64, stats->outbox.queue_time_ns,
      "smoothing-rate", G_TYPE_DOUBLE, bits (stats->outbox.smoothing_rate_Bps), "feedback-received",
      G_TYPE_UINT64, sender->feedbacks_received, "feedback-refused", G_TYPE_UINT64,
      sender->feedbacks_refused, "nofeedback-expirations", G_TYPE_UINT64,
      sender->nofeedback_expirations, "send-errors", G_TYPE_UINT64, stats->send_errors,
      "icmp-errors", G_TYPE_UINT64, stats->icmp_errors, "foreign-packets", G_TYPE_UINT64,
      stats->foreign_packets, "malformed-packets", G_TYPE_UINT64, stats->malformed_packets,
      "messages-dropped", G_TYPE_UINT64, stats->messages_dropped, "ssrc", G_TYPE_UINT,
      session->ssrc, "local-port", G_TYPE_INT, (gint) stats->local_port, "handovers", G_TYPE_UINT64,
      sender->handovers, "handover-phase", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_HANDOVER_PHASE, session->handover_phase), "migrations",
      G_TYPE_UINT64, session->migrations, "path-validation-failures", G_TYPE_UINT64,
      session->path_validation_failures, "control", G_TYPE_STRING,
      gst_tfrc_control_get_name (session->control), "peer-address", G_TYPE_STRING, peer,
      "peer-state", G_TYPE_STRING, gst_tfrc_peer_state_get_name (session->peer_state), NULL);
  g_free (peer);
  add_choices (s, session);
  add_ecn (s, &session->ecn);
  gst_tfrc_security_add_stats (s, &stats->security);
  gst_tfrc_stats_add_delay (s, "sender-delay", &stats->outbox.delay);
  return s;
}

GstStructure *
gst_tfrc_sink_get_stats (GstTfrcSink *self)
{
  GstTfrcSinkStreamStats stats = { 0 };

  if (!gst_tfrc_gate_enter (&self->gate)) {
    GST_OBJECT_LOCK (self);
    gst_tfrc_sink_settings_get_rate (&self->settings, &stats.session.rate, NULL);
    GST_OBJECT_UNLOCK (self);
    return stats_new (&stats);
  }
  gst_tfrc_sink_stream_get_stats (self->stream, &stats);
  gst_tfrc_gate_leave (&self->gate);
  stats.messages_dropped += gst_tfrc_notifier_get_dropped (&self->notifier);
  return stats_new (&stats);
}
