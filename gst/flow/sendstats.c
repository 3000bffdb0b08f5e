/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of a sender's session, see sendstats.h. */
#include "sendstats.h"

#include <string.h>

static gdouble
loss_ratio (const GstTfrcSendSessionStats *stats)
{
  return stats->sender.packets_sent > 0
      ? MIN (1, (gdouble) stats->packets_lost / stats->sender.packets_sent)
      : 0;
}

static void
fill_receiver_state (
    GstTfrcSendSession *session, const GstTfrcRateControl *control, GstTfrcSendSessionStats *stats)
{
  const GstTfrcReceiverView *receiver = gst_tfrc_send_session_get_receiver (session);
  const TfrcWireState *says = gst_tfrc_receiver_view_get_says (receiver);

  stats->peer_state = gst_tfrc_receiver_view_get_state (receiver);
  stats->counters_refused = gst_tfrc_receiver_view_get_refused (receiver);
  stats->playout = gst_tfrc_receiver_view_get_playout (receiver);
  if (gst_tfrc_rate_control_is_by_rtcp (control))
    gst_tfrc_rate_control_get_losses (control, &stats->packets_lost, &stats->loss_events);
  if (says) {
    stats->packets_lost = says->packets_lost;
    stats->loss_events = says->loss_events;
    stats->ce_marks = says->ce_marks;
    stats->link_errors = says->link_errors;
  }
  stats->loss_ratio = loss_ratio (stats);
}

static void
fill_media_state (GstTfrcSendMedia *media, GstTfrcSendSessionStats *stats)
{
  const GstTfrcRateControl *control = gst_tfrc_send_media_get_control (media);
  const GstTfrcAdaptiveTtl *ttl = gst_tfrc_send_media_get_ttl (media);

  gst_tfrc_rate_control_get_stats (control, &stats->sender);
  stats->rate = *gst_tfrc_rate_control_get_config (control);
  stats->control = gst_tfrc_rate_control_get_control (control);
  stats->ssrc = gst_tfrc_rtp_stream_get_ssrc (
      gst_tfrc_send_media_get_rtp (media, GST_TFRC_RTP_MEDIA));
  stats->ttl = gst_tfrc_adaptive_ttl_get (ttl);
  stats->hops = gst_tfrc_adaptive_ttl_get_hops (ttl);
  tfrc_ecn_get_stats (gst_tfrc_send_media_get_ecn (media), &stats->ecn);
}

void
gst_tfrc_send_session_get_stats (GstTfrcSendSession *session, GstTfrcSendSessionStats *stats)
{
  GstTfrcSendMedia *media = gst_tfrc_send_session_get_media (session);
  const GstTfrcSendPaths *paths = gst_tfrc_send_session_get_paths (session);

  memset (stats, 0, sizeof *stats);
  fill_media_state (media, stats);
  fill_receiver_state (session, gst_tfrc_send_media_get_control (media), stats);
  stats->peer = *gst_tfrc_send_paths_get_peer (paths);
  stats->migrations = gst_tfrc_send_paths_get_migrations (paths);
  stats->path_validation_failures = gst_tfrc_send_paths_get_failures (paths);
  stats->handover_phase = gst_tfrc_send_handover_get_phase (
      gst_tfrc_send_session_get_handover (session));
}
