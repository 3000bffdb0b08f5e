/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of tfrcsink, see gsttfrcsinkstats.h. */
#include "gsttfrcsinkstats.h"

#include <math.h>

#include "../common/enums.h"
#include "../common/messages.h"
#include "../keys/securityelement.h"

/* ---- statistics: docs/statistics.md has names, types and units --------------- */

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
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_PROFILE, rate->profile), "tcp-model", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (
          GST_TYPE_TFRC_MODEL, rate->rules == TFRC_RULES_STRICT ? TFRC_MODEL_RENO : rate->model),
      "rtt-method", G_TYPE_STRING,
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

/* The counts by class have the names of GstTfrcClass. */
void
gst_tfrc_sink_stats_add_deadline (GstStructure *s, const GstTfrcDeadlineStats *deadline)
{
  static const gchar *const fields[GST_TFRC_CLASSES] = { "past-deadline-tables",
    "past-deadline-audio", "past-deadline-random-access", "past-deadline-reference",
    "past-deadline-unknown", "past-deadline-non-reference", "past-deadline-null" };

  gst_structure_set (s, "packets-past-deadline", G_TYPE_UINT64, deadline->dropped, NULL);
  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    gst_structure_set (s, fields[i], G_TYPE_UINT64, deadline->of_class[i], NULL);
}

static void
add_repairs (GstStructure *s, const GstTfrcRepairStoreStats *repairs)
{
  gst_structure_set (s, "packets-requested", G_TYPE_UINT64, repairs->requested, "packets-repaired",
      G_TYPE_UINT64, repairs->sent, "repairs-gone", G_TYPE_UINT64, repairs->gone,
      "repairs-too-soon", G_TYPE_UINT64, repairs->too_soon, "repairs-late", G_TYPE_UINT64,
      repairs->late, "repairs-over-budget", G_TYPE_UINT64, repairs->over_budget, "repairs-dropped",
      G_TYPE_UINT64, repairs->dropped, "repair-buffer-bytes", G_TYPE_UINT64,
      (guint64) repairs->bytes, NULL);
}

/* As the layout changes, the statistics tell the one of now. */
static void
add_fec (GstStructure *s, const GstTfrcFecStats *fec)
{
  gchar *layout = gst_tfrc_fec_layout_to_string (&fec->layout);

  gst_structure_set (s, "fec", G_TYPE_STRING, layout, "fec-packets-sent", G_TYPE_UINT64, fec->sent,
      "fec-packets-dropped", G_TYPE_UINT64, fec->dropped, NULL);
  g_free (layout);
}

GstStructure *
gst_tfrc_sink_stats_new (const GstTfrcSinkStreamStats *stats)
{
  const GstTfrcSendSessionStats *session;
  const TfrcSenderStats *sender;
  GstStructure *s;
  gchar *peer;

  session = &stats->session;
  sender = &session->sender;
  peer = gst_tfrc_address_to_string (&session->peer);
  s = gst_structure_new (GST_TFRC_STATS_NAME, "allowed-rate", G_TYPE_DOUBLE, bits (sender->x_Bps),
      "send-rate", G_TYPE_DOUBLE, bits (sender->x_inst_Bps), "equation-rate", G_TYPE_DOUBLE,
      bits (sender->x_eq_Bps), "receive-rate", G_TYPE_DOUBLE, bits (sender->x_recv_Bps),
      "receive-limit", G_TYPE_DOUBLE, bits (sender->recv_limit_Bps), "queue-guard-limit",
      G_TYPE_DOUBLE, bits (sender->queue_guard_Bps), "loss-event-rate", G_TYPE_DOUBLE, sender->p,
      "rtt", G_TYPE_UINT64, sender->rtt_ns, "rtt-sample", G_TYPE_UINT64, sender->rtt_sample_ns,
      "rtt-min", G_TYPE_UINT64, sender->rtt_min_ns, "rtt-max", G_TYPE_UINT64, sender->rtt_max_ns,
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
      "ahead-time", G_TYPE_UINT64, stats->outbox.ahead_ns, "smoothing-rate", G_TYPE_DOUBLE,
      bits (stats->outbox.smoothing_rate_Bps), "feedback-received", G_TYPE_UINT64,
      sender->feedbacks_received, "feedback-refused", G_TYPE_UINT64, sender->feedbacks_refused,
      "nofeedback-expirations", G_TYPE_UINT64, sender->nofeedback_expirations, "send-errors",
      G_TYPE_UINT64, stats->send_errors, "icmp-errors", G_TYPE_UINT64, stats->icmp_errors,
      "foreign-packets", G_TYPE_UINT64, stats->foreign_packets, "malformed-packets", G_TYPE_UINT64,
      stats->malformed_packets, "messages-dropped", G_TYPE_UINT64, stats->messages_dropped, "ssrc",
      G_TYPE_UINT, session->ssrc, "local-port", G_TYPE_INT, (gint) stats->local_port, "handovers",
      G_TYPE_UINT64, sender->handovers, "handover-phase", G_TYPE_STRING,
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_HANDOVER_PHASE, session->handover_phase), "migrations",
      G_TYPE_UINT64, session->migrations, "path-validation-failures", G_TYPE_UINT64,
      session->path_validation_failures, "control", G_TYPE_STRING,
      gst_tfrc_control_get_name (session->control), "peer-address", G_TYPE_STRING, peer,
      "peer-state", G_TYPE_STRING, gst_tfrc_peer_state_get_name (session->peer_state), NULL);
  g_free (peer);
  add_choices (s, session);
  add_ecn (s, &session->ecn);
  gst_tfrc_playout_add_stats (&session->playout, s);
  add_repairs (s, &stats->outbox.repairs);
  add_fec (s, &stats->outbox.fec);
  gst_tfrc_sink_stats_add_deadline (s, &stats->outbox.deadline);
  gst_structure_set (s, "deadline-slack", G_TYPE_UINT64, stats->outbox.deadline.slack_ns, NULL);
  gst_tfrc_security_add_stats (s, &stats->security);
  gst_tfrc_stats_add_delay (s, "sender-delay", &stats->outbox.delay);
  return s;
}
