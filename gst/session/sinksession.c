/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session's life and timers, and what is known of the receiver, see sinksession.h. sinkdata.c has the
 * packets of data, sinkreports.c writes RTCP, sinkpeer.c reads RTCP. */
#include "sinksession-private.h"

#include <string.h>

#include "../common/random.h"

/* Responses to challenges of the receiver, and as many to all others */
#define RESPONSES_PER_S 20
#define RESPONSES_BURST 20

/* ---- life --------------------------------------------------------------- */

/* The numbers that no peer may guess */
static gboolean
draw_numbers (GstTfrcSinkSession *session, guint16 *first_seq)
{
  guint32 offset_us = 0;
  gboolean drawn = gst_tfrc_random_fill (&session->ssrc, sizeof session->ssrc)
      && gst_tfrc_random_fill (&offset_us, sizeof offset_us)
      && gst_tfrc_random_fill (first_seq, sizeof *first_seq)
      && gst_tfrc_random_cname (session->cname);

  session->clock_offset_us = offset_us;
  return drawn;
}

static void
get_sender_config (const GstTfrcSinkRateConfig *rate, TfrcSenderConfig *config)
{
  if (rate->rules == TFRC_RULES_STRICT)
    tfrc_sender_config_init_strict (config);
  else
    tfrc_sender_config_init (config);
  config->segment_size_bytes = GST_TFRC_PACKET_MAX_PAYLOAD_BYTES;
  config->initial_rate_Bps = rate->start_bitrate / 8.0;
  config->queue_guard = rate->queue_guard;
  config->rtt_method = rate->rtt_method;
  config->rto_policy = rate->rto_policy;
  config->loss_response = rate->loss_response;
  if (rate->rate_scale > 0)
    config->rate_scale = rate->rate_scale;
  if (rate->burst_limit_ns > 0)
    config->burst_limit_ns = rate->burst_limit_ns;
}

const gchar *
gst_tfrc_sink_rate_config_get_problem (const GstTfrcSinkRateConfig *rate)
{
  TfrcSenderConfig config;

  get_sender_config (rate, &config);
  return tfrc_sender_config_problem (&config);
}

static gboolean
new_sender (GstTfrcSinkSession *session, const GstTfrcSinkRateConfig *rate, guint16 first_seq)
{
  TfrcSenderConfig config;

  get_sender_config (rate, &config);
  config.first_seq = first_seq;
  config.clock_offset_us = (guint32) session->clock_offset_us;
  return tfrc_sender_new (&session->sender, &config) == TFRC_OK;
}

GstTfrcSinkSession *
gst_tfrc_sink_session_new (const GstTfrcSinkSessionConfig *config)
{
  GstTfrcSinkSession *session = g_new0 (GstTfrcSinkSession, 1);

  session->report_ns = G_MAXUINT64;
  session->rate = config->rate;
  session->transport_seq = config->transport_seq;
  session->protector = config->protector;
  gst_tfrc_adaptive_ttl_init (
      &session->ttl, &config->adaptive_ttl, config->ttl, config->protector.protect != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (session->responses); i++)
    gst_tfrc_token_bucket_init (&session->responses[i], RESPONSES_PER_S, RESPONSES_BURST);
  gst_tfrc_send_paths_init (
      &session->paths, &config->peer, config->allow_migration, config->protector.protect != NULL);
  if ((config->ecn && tfrc_ecn_new (&session->ecn) != TFRC_OK)
      || !gst_tfrc_rate_control_init (
          &session->control, config->transport_seq == GST_TFRC_TRANSPORT_SEQ_ALWAYS)
      || !draw_numbers (session, &session->next_rtp_seq)
      || !new_sender (session, &config->rate, session->next_rtp_seq)) {
    gst_tfrc_sink_session_free (session);
    return NULL;
  }
  return session;
}

void
gst_tfrc_sink_session_free (GstTfrcSinkSession *session)
{
  if (session == NULL)
    return;
  gst_tfrc_rate_control_clear (&session->control);
  tfrc_sender_free (session->sender);
  tfrc_ecn_free (session->ecn);
  gst_tfrc_send_paths_clear (&session->paths);
  gst_tfrc_handover_log_clear (&session->handover_log);
  g_free (session);
}

/* ---- time -------------------------------------------------------------- */

/* When the peer is lost. An idle stream does not lose the peer, because the peer answers reports. A
 * receiver that does not know TFRC sends reports when it likes. After this stream's BYE there is
 * nothing that the peer should answer. */
static guint64
peer_timeout_ns (const GstTfrcSinkSession *session)
{
  guint64 timeout_ns = GST_TFRC_PEER_TIMEOUT_NS;

  if (session->peer_state != GST_TFRC_PEER_CONNECTED || session->said_bye)
    return G_MAXUINT64;
  if (gst_tfrc_rate_control_is_by_rtcp (&session->control))
    timeout_ns = MAX (timeout_ns, gst_tfrc_rate_control_timeout_ns (&session->control));
  return session->peer_heard_ns + timeout_ns;
}

gboolean
gst_tfrc_sink_session_is_broken (const GstTfrcSinkSession *session)
{
  return session->breaker.is_open;
}

static gboolean
doubts_bye (const GstTfrcSinkSession *session)
{
  return session->peer_state == GST_TFRC_PEER_GONE && !session->bye_believed;
}

guint64
gst_tfrc_sink_session_next_ns (const GstTfrcSinkSession *session)
{
  guint64 next_ns = tfrc_sender_next_timeout_ns (session->sender);

  if (!session->said_bye)
    next_ns = MIN (next_ns, session->report_ns);
  if (doubts_bye (session))
    next_ns = MIN (next_ns, session->believe_bye_ns);
  next_ns = MIN (next_ns, gst_tfrc_send_paths_next_ns (&session->paths));
  return MIN (next_ns, peer_timeout_ns (session));
}

void
gst_tfrc_sink_session_on_time (GstTfrcSinkSession *session, guint64 now_ns)
{
  guint64 expirations = tfrc_sender_get_nofeedback_expirations (session->sender);

  tfrc_sender_on_timeout (session->sender, now_ns);
  if (tfrc_sender_get_nofeedback_expirations (session->sender) > expirations) {
    gst_tfrc_sink_session_on_silence (session);
    tfrc_ecn_on_silence (session->ecn, now_ns);
  }
  if (gst_tfrc_send_paths_on_time (&session->paths, now_ns)) {
    gst_tfrc_adaptive_ttl_restart (&session->ttl, session->ttl.start);
    tfrc_ecn_on_new_path (session->ecn);
    if (session->paths.is_new_path)
      tfrc_sender_on_new_path (session->sender, session->paths.fallback_rtt_ns, now_ns);
  }
  if (now_ns >= peer_timeout_ns (session)) {
    session->peer_state = GST_TFRC_PEER_LOST;
    gst_tfrc_sink_session_lose_reporter (session);
    gst_tfrc_sink_session_end_handover (session, now_ns);
  }
  if (doubts_bye (session) && now_ns >= session->believe_bye_ns) {
    session->bye_believed = TRUE;
    gst_tfrc_sink_session_lose_reporter (session);
  }
}

/* ---- rate --------------------------------------------------------------- */

void
gst_tfrc_sink_session_set_rate_limits (
    GstTfrcSinkSession *session, guint64 min_bitrate, guint64 max_bitrate)
{
  const gdouble least_Bps = (gdouble) GST_TFRC_PACKET_MAX_PAYLOAD_BYTES / 64;
  gdouble min_Bps = min_bitrate / 8.0, max_Bps = max_bitrate / 8.0;

  if (max_Bps > 0) {
    max_Bps = MAX (max_Bps, least_Bps);
    min_Bps = MIN (min_Bps, max_Bps);
  }
  tfrc_sender_set_rate_limits (session->sender, min_Bps, max_Bps);
}

gdouble
gst_tfrc_sink_session_get_rate_Bps (const GstTfrcSinkSession *session)
{
  return tfrc_sender_get_rate_Bps (session->sender);
}

gdouble
gst_tfrc_sink_session_get_drain_rate_Bps (const GstTfrcSinkSession *session)
{
  return MIN (
      tfrc_sender_get_rate_Bps (session->sender), tfrc_sender_get_inst_rate_Bps (session->sender));
}

guint64
gst_tfrc_sink_session_get_bitrate (const GstTfrcSinkSession *session)
{
  gdouble rate_Bps = gst_tfrc_sink_session_get_drain_rate_Bps (session);

  return gst_tfrc_sink_session_get_rtt_ns (session) > 0 ? (guint64) (rate_Bps * 8) : 0;
}

guint64
gst_tfrc_sink_session_get_rtt_ns (const GstTfrcSinkSession *session)
{
  return tfrc_sender_get_rtt_ns (session->sender);
}

/* ---- the receiver ------------------------------------------------------- */

const GstTfrcAddress *
gst_tfrc_sink_session_get_peer (const GstTfrcSinkSession *session)
{
  return &session->paths.peer;
}

GstTfrcPeerState
gst_tfrc_sink_session_get_peer_state (const GstTfrcSinkSession *session)
{
  return session->peer_state;
}

gboolean
gst_tfrc_sink_session_is_peer_absent (const GstTfrcSinkSession *session)
{
  gboolean is_unanswered = tfrc_sender_get_nofeedback_expirations (session->sender) > 0;

  switch (session->peer_state) {
    case GST_TFRC_PEER_WAITING:
      return is_unanswered;
    case GST_TFRC_PEER_CONNECTED:
      return !session->has_receiver && session->control.control == GST_TFRC_CONTROL_NONE
          && is_unanswered;
    case GST_TFRC_PEER_GONE:
      return session->bye_believed;
    case GST_TFRC_PEER_LOST:
      return TRUE;
  }
  return TRUE;
}

gboolean
gst_tfrc_sink_session_is_bye_answered (const GstTfrcSinkSession *session)
{
  return session->bye_answered;
}

gboolean
gst_tfrc_sink_session_has_handover_event (const GstTfrcSinkSession *session)
{
  return gst_tfrc_handover_log_has_event (&session->handover_log);
}

GstTfrcHandoverEvent *
gst_tfrc_sink_session_take_handover_event (GstTfrcSinkSession *session)
{
  return gst_tfrc_handover_log_take (&session->handover_log);
}

static gdouble
loss_ratio (const GstTfrcSinkSessionStats *stats)
{
  return stats->sender.packets_sent > 0
      ? MIN (1, (gdouble) stats->packets_lost / stats->sender.packets_sent)
      : 0;
}

static void
fill_reported_losses (const GstTfrcSinkSession *session, GstTfrcSinkSessionStats *stats)
{
  const GstTfrcRateControl *control = &session->control;
  TfrcReceiverStats arrivals;

  stats->packets_lost = control->packets_lost;
  if (control->control == GST_TFRC_CONTROL_TRANSPORT_CC
      && tfrc_arrivals_get_stats (control->arrivals, &arrivals) == TFRC_OK) {
    stats->packets_lost = arrivals.packets_lost;
    stats->loss_events = arrivals.loss_events;
  }
  stats->loss_ratio = loss_ratio (stats);
}

static void
fill_receiver_state (const GstTfrcSinkSession *session, GstTfrcSinkSessionStats *stats)
{
  if (gst_tfrc_rate_control_is_by_rtcp (&session->control))
    fill_reported_losses (session, stats);
  if (!session->has_peer_says)
    return;
  stats->packets_lost = session->peer_says.packets_lost;
  stats->loss_events = session->peer_says.loss_events;
  stats->ce_marks = session->peer_says.ce_marks;
  stats->link_errors = session->peer_says.link_errors;
  stats->loss_ratio = loss_ratio (stats);
}

void
gst_tfrc_sink_session_get_stats (const GstTfrcSinkSession *session, GstTfrcSinkSessionStats *stats)
{
  memset (stats, 0, sizeof *stats);
  tfrc_sender_get_stats (session->sender, &stats->sender);
  stats->rate = session->rate;
  stats->control = session->control.control;
  stats->peer_state = session->peer_state;
  stats->ssrc = session->ssrc;
  stats->peer = session->paths.peer;
  stats->handover_events_dropped = session->handover_log.dropped;
  stats->migrations = session->paths.migrations;
  stats->path_validation_failures = session->paths.failures;
  stats->handover_phase = session->handover_phase;
  stats->counters_refused = session->counters_refused;
  stats->ttl = session->ttl.in_use;
  stats->hops = session->ttl.hops;
  tfrc_ecn_get_stats (session->ecn, &stats->ecn);
  fill_receiver_state (session, stats);
}
