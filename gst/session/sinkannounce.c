/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sink's messages to the application, see sinkstream.h. */
#include "sinkstream-private.h"

void
gst_tfrc_sink_stream_emit (GstTfrcSinkStream *stream, const GstTfrcSinkPendingEvents *pending)
{
  if (pending->peer_changed)
    stream->events.peer_state (stream->user, pending->peer_state);
  if (pending->bitrate)
    stream->events.bitrate (stream->user, pending->bitrate);
  if (pending->send_error)
    stream->events.send_error (stream->user, pending->send_error);
  if (pending->handover)
    stream->events.handover (stream->user);
  if (pending->migrated)
    stream->events.migrated (stream->user);
  if (pending->ttl_not_raised && stream->events.ttl_not_raised)
    stream->events.ttl_not_raised (stream->user, pending->ttl_not_raised);
  if (pending->ecn && stream->events.ecn)
    stream->events.ecn (stream->user, pending->ecn_state, pending->ecn_problem);
  if (pending->security && stream->events.security)
    stream->events.security (stream->user);
  if (pending->broken && stream->events.broken)
    stream->events.broken (stream->user);
  if (pending->no_answer && stream->events.no_answer)
    stream->events.no_answer (stream->user, pending->no_answer_error);
  if (pending->stats)
    stream->events.stats (stream->user);
}

/* Input that is not live waits in front of the sink, and needs no encoder that makes up for that. */
void
gst_tfrc_sink_stream_update_estimate (GstTfrcSinkStream *stream, guint64 now_ns)
{
  guint64 wait_ns = stream->queue.live ? gst_tfrc_send_queue_age_ns (&stream->queue, now_ns) : 0;

  gst_tfrc_rate_estimate_set_rate (&stream->estimate,
      gst_tfrc_send_media_get_bitrate (gst_tfrc_send_session_get_media (stream->session))
          * gst_tfrc_rate_estimate_share (wait_ns),
      now_ns);
}

static void
announce_bitrate (GstTfrcSinkStream *stream, guint64 now_ns, GstTfrcSinkPendingEvents *pending)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  gst_tfrc_sink_stream_update_estimate (stream, now_ns);
  pending->bitrate = gst_tfrc_rate_estimate_announce (&stream->estimate, now_ns);
}

static void
announce_peer (GstTfrcSinkStream *stream, GstTfrcSinkPendingEvents *pending)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcPeerState state = gst_tfrc_receiver_view_get_state (
      gst_tfrc_send_session_get_receiver (stream->session));
  const GstTfrcAddress *peer = gst_tfrc_send_paths_get_peer (
      gst_tfrc_send_session_get_paths (stream->session));

  pending->peer_changed = state != stream->announced_peer_state;
  stream->announced_peer_state = pending->peer_state = state;
  pending->migrated = !gst_tfrc_address_equal (peer, &stream->announced_peer);
  stream->announced_peer = *peer;
}

void
gst_tfrc_sink_stream_announce_ttl (GstTfrcSinkStream *stream, GstTfrcSinkPendingEvents *pending)
{
  GstTfrcSendSessionStats stats;

  if (!gst_tfrc_adaptive_ttl_take_warning (
          gst_tfrc_send_media_get_ttl (gst_tfrc_send_session_get_media (stream->session))))
    return;
  gst_tfrc_send_session_get_stats (stream->session, &stats);
  pending->ttl_not_raised = stats.ttl;
}

static void
announce_ecn (GstTfrcSinkStream *stream, GstTfrcSinkPendingEvents *pending)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  const TfrcEcn *ecn = gst_tfrc_send_media_get_ecn (
      gst_tfrc_send_session_get_media (stream->session));
  TfrcEcnState state;
  TfrcEcnProblem problem;

  state = tfrc_ecn_get_state (ecn);
  problem = tfrc_ecn_get_problem (ecn);
  pending->ecn = state != stream->announced_ecn || problem != stream->announced_ecn_problem;
  stream->announced_ecn = pending->ecn_state = state;
  stream->announced_ecn_problem = pending->ecn_problem = problem;
}

static void
announce_break (GstTfrcSinkStream *stream, GstTfrcSinkPendingEvents *pending)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  if (stream->announced_broken
      || !gst_tfrc_rate_control_is_broken (
          gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session))))
    return;
  stream->announced_broken = pending->broken = TRUE;
  g_cond_signal (&stream->wake);
}

/* Has anything left that a receiver would answer? Without keys data waits, and key packets leave. */
static gboolean
has_asked (const GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  return stream->delay.count > 0
      || (stream->keys && gst_tfrc_send_queue_length (&stream->queue) > 0);
}

static void
announce_no_answer (GstTfrcSinkStream *stream, guint64 now_ns, GstTfrcSinkPendingEvents *pending)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcSilence *silence = &stream->silence;

  if (gst_tfrc_receiver_view_get_state (gst_tfrc_send_session_get_receiver (stream->session))
      != GST_TFRC_PEER_WAITING)
    gst_tfrc_silence_on_answer (silence);
  else if (has_asked (stream))
    gst_tfrc_silence_on_packet (silence, now_ns);
  pending->no_answer = gst_tfrc_silence_is_noticed (silence, now_ns);
  pending->no_answer_error = silence->error;
}

void
gst_tfrc_sink_stream_announce (
    GstTfrcSinkStream *stream, guint64 now_ns, GstTfrcSinkPendingEvents *pending)
{
  if (now_ns >= stream->stats_ns) {
    stream->stats_ns = now_ns + stream->limits.stats_interval_ns;
    pending->stats = TRUE;
  }
  announce_bitrate (stream, now_ns, pending);
  announce_peer (stream, pending);
  gst_tfrc_sink_stream_announce_ttl (stream, pending);
  announce_ecn (stream, pending);
  announce_break (stream, pending);
  announce_no_answer (stream, now_ns, pending);
  pending->handover = gst_tfrc_send_handover_has_event (
      gst_tfrc_send_session_get_handover (stream->session));
  pending->security = stream->keys && gst_tfrc_sink_keys_has_event (stream->keys);
}
