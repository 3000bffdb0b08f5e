/* What a sender knows of its receiver, see tfrcsinksession.h. */
#include "tfrcsinksession.h"

#include <string.h>

#include "../common/tfrcclock.h"
#include "../common/tfrcrandom.h"
#include "tfrctspacketizer.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* RFC 8083 needs reports every 4 s at least; this leaves time to be late. */
#define SENDER_REPORT_INTERVAL_NS (39 * S_NS / 10)

/* What no peer may guess */
static gboolean
draw_numbers (TfrcSinkSession * session, guint16 * first_seq)
{
  guint32 offset_us = 0;
  gboolean drawn = tfrc_random_fill (&session->ssrc, sizeof session->ssrc)
      && tfrc_random_fill (&offset_us, sizeof offset_us)
      && tfrc_random_fill (first_seq, sizeof *first_seq)
      && tfrc_random_cname (session->cname);

  session->clock_offset_us = offset_us;
  return drawn;
}

gboolean
tfrc_sink_session_init (TfrcSinkSession * session,
    const TfrcSinkRateConfig * rate)
{
  TfrcSenderConfig config;

  memset (session, 0, sizeof *session);
  session->report_ns = G_MAXUINT64;
  tfrc_sender_config_init (&config);
  if (!draw_numbers (session, &config.first_seq))
    return FALSE;
  config.segment_size_bytes = TFRC_TS_PAYLOAD_BYTES;
  config.clock_offset_us = (guint32) session->clock_offset_us;
  config.initial_rate_Bps = rate->start_bitrate / 8.0;
  config.queue_guard = rate->queue_guard;
  config.rto_policy = rate->rto_policy;
  if (rate->rate_scale > 0)
    config.rate_scale = rate->rate_scale;
  if (rate->burst_limit_ns > 0)
    config.burst_limit_ns = rate->burst_limit_ns;
  return tfrc_sender_new (&session->sender, &config) == TFRC_OK;
}

void
tfrc_sink_session_clear (TfrcSinkSession * session)
{
  tfrc_sender_free (session->sender);
  session->sender = NULL;
  tfrc_handover_log_clear (&session->handover_log);
}

/* ---- data -------------------------------------------------------------- */

/* Send times are the low 32 bits of our clock in microseconds plus a random
 * offset, RTP time stamps those of its 90 kHz equivalent. */
static guint32
rtp_timestamp (const TfrcSinkSession * session, guint64 time_ns)
{
  return (guint32) ((time_ns / 1000 + session->clock_offset_us) * 9 / 100);
}

/* The first report goes out with the first packet, so that the receiver can
 * tell delays from the start. */
static void
begin_stream (TfrcSinkSession * session, guint64 now_ns)
{
  session->report_ns = now_ns;
  /* An SSRC that has said BYE is gone (RFC 3550 section 6.3.4).  Who receives
   * the new one counts its feedback from 0.  The system had random numbers when
   * the stream started; were there none now, the next number is a new one too. */
  if (session->said_bye) {
    if (!tfrc_random_fill (&session->ssrc, sizeof session->ssrc))
      session->ssrc++;
    session->peer_counts_anew = TRUE;
  }
  session->said_bye = session->bye_answered = FALSE;
  session->peer_heard_ns = now_ns;
}

gsize
tfrc_sink_session_write_header (TfrcSinkSession * session,
    gsize payload_bytes, guint64 due_ns, guint64 now_ns, guint8 * header)
{
  TfrcWireData wire = { 0 };
  TfrcData data;

  if (tfrc_sender_prepare (session->sender, (guint32) payload_bytes, now_ns,
          &data) != TFRC_OK)
    return 0;
  if (session->report_ns == G_MAXUINT64 || session->said_bye)
    begin_stream (session, now_ns);
  wire.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  wire.timestamp = rtp_timestamp (session, due_ns);
  wire.ssrc = session->ssrc;
  tfrc_wire_set_data (&wire, &data);
  return tfrc_wire_write_data (header, &wire);
}

/* ---- the receiver ------------------------------------------------------ */

static TfrcHandoverPhase
phase_of (const TfrcFeedback * feedback)
{
  if (!feedback->handover)
    return TFRC_HANDOVER_NORMAL;
  return feedback->new_link ? TFRC_HANDOVER_NEW_LINK : TFRC_HANDOVER_OLD_LINK;
}

/* @completed: what was under way has come to its end */
static void
set_handover_phase (TfrcSinkSession * session, TfrcHandoverPhase phase,
    gboolean completed, guint64 now_ns)
{
  TfrcHandoverView view = {.phase = phase };
  TfrcSenderStats stats;

  tfrc_sender_get_stats (session->sender, &stats);
  if (completed)
    session->handovers_completed++;
  session->handover_phase = phase;
  view.handovers = stats.handovers;
  view.completed = session->handovers_completed;
  view.rtt_ns = stats.rtt_ns;
  view.rate_bps = stats.x_Bps * 8;
  view.packets_lost = session->peer_says.packets_lost;
  tfrc_handover_log_update (&session->handover_log, &view, now_ns);
}

/* An adaptation is done when the receiver was on the new link and asks for
 * nothing more. */
static void
follow_handover (TfrcSinkSession * session, const TfrcFeedback * feedback,
    guint64 now_ns)
{
  TfrcHandoverPhase phase = phase_of (feedback);

  set_handover_phase (session, phase, phase == TFRC_HANDOVER_NORMAL
      && session->handover_phase == TFRC_HANDOVER_NEW_LINK, now_ns);
}

static void
end_handover (TfrcSinkSession * session, guint64 now_ns)
{
  if (session->handover_phase != TFRC_HANDOVER_NORMAL)
    set_handover_phase (session, TFRC_HANDOVER_NORMAL, FALSE, now_ns);
}

/* The receiver's own newest feedback, as far as can be known: numbers that have
 * been used prove nothing, whoever repeats them. */
static gboolean
is_newest_feedback (const TfrcSinkSession * session, const TfrcWireRtcp * rtcp,
    guint64 arrival_ns)
{
  return rtcp->has_feedback && rtcp->has_state
      && rtcp->media_ssrc == session->ssrc
      && rtcp->sender_ssrc == session->peer_ssrc
      && session->has_peer_says && !session->peer_counts_anew
      && (gint32) (rtcp->state.feedback_number -
      session->peer_says.feedback_number) > 0
      && tfrc_sender_check_feedback (session->sender, &rtcp->feedback,
      arrival_ns) == TFRC_OK;
}

static void
on_moved (TfrcSinkSession * session, guint64 now_ns)
{
  const TfrcSinkPaths *paths = &session->paths;

  session->peer_heard_ns = now_ns;
  session->peer_state = TFRC_PEER_CONNECTED;
  if (paths->is_new_path)
    tfrc_sender_on_new_path (session->sender, paths->path.measured_rtt_ns,
        now_ns);
  tfrc_sender_on_peer_alive (session->sender, now_ns);
}

static TfrcRtcpResult
on_response (TfrcSinkSession * session, const TfrcWireRtcp * rtcp,
    const TfrcReceivedPacket * packet)
{
  TfrcSenderStats stats;

  if (rtcp->sender_ssrc != session->peer_ssrc)
    return TFRC_RTCP_FOREIGN;
  tfrc_sender_get_stats (session->sender, &stats);
  switch (tfrc_sink_paths_on_response (&session->paths, packet->from,
          rtcp->response, session->peer_says.feedback_number, stats.rtt_ns,
          packet->arrival_ns)) {
    case TFRC_RESPONSE_REFUSED:
      return TFRC_RTCP_FOREIGN;
    case TFRC_RESPONSE_USED:
      break;
    case TFRC_RESPONSE_MOVED:
      on_moved (session, packet->arrival_ns);
      break;
  }
  return TFRC_RTCP_USED;
}

/* From another address than the receiver's: nothing but where it is may change. */
static TfrcRtcpResult
on_rtcp_from_elsewhere (TfrcSinkSession * session,
    const TfrcReceivedPacket * packet)
{
  TfrcSenderStats stats;
  TfrcWireRtcp rtcp;

  if (!tfrc_sink_paths_can_move (&session->paths) || packet->truncated
      || session->peer_state == TFRC_PEER_GONE || session->said_bye
      || tfrc_wire_parse_rtcp (packet->data, packet->size, session->ssrc,
          &rtcp) != TFRC_WIRE_OK)
    return TFRC_RTCP_FOREIGN;
  if (rtcp.has_response)
    return on_response (session, &rtcp, packet);
  if (!is_newest_feedback (session, &rtcp, packet->arrival_ns))
    return TFRC_RTCP_FOREIGN;
  tfrc_sender_get_stats (session->sender, &stats);
  tfrc_sink_paths_on_feedback (&session->paths, packet->from, packet->size,
      &rtcp, stats.rtt_ns, packet->arrival_ns);
  return TFRC_RTCP_USED;
}

TfrcRtcpResult
tfrc_sink_session_on_rtcp (TfrcSinkSession * session,
    const TfrcReceivedPacket * packet)
{
  TfrcWireRtcp rtcp;
  gboolean is_feedback, is_bye;

  if (!tfrc_address_equal (packet->from, &session->paths.peer))
    return on_rtcp_from_elsewhere (session, packet);
  if (packet->truncated || tfrc_wire_parse_rtcp (packet->data, packet->size,
          session->ssrc, &rtcp) != TFRC_WIRE_OK)
    return TFRC_RTCP_MALFORMED;
  is_feedback = rtcp.has_feedback && rtcp.media_ssrc == session->ssrc;
  is_bye = rtcp.has_bye && rtcp.sender_ssrc == session->peer_ssrc;
  if (rtcp.has_response)
    return on_response (session, &rtcp, packet);
  if (!is_feedback && !is_bye && !rtcp.has_report)
    return TFRC_RTCP_FOREIGN;
  if (is_bye) {
    end_handover (session, packet->arrival_ns);
    session->bye_answered = session->said_bye;
    if (session->peer_state == TFRC_PEER_CONNECTED && !session->said_bye)
      session->peer_state = TFRC_PEER_GONE;
    return TFRC_RTCP_USED;
  }
  if (is_feedback) {
    if (session->peer_counts_anew)
      rtcp.feedback.has_state = FALSE;
    if (tfrc_sender_on_feedback (session->sender, &rtcp.feedback,
            packet->arrival_ns) != TFRC_OK)
      return TFRC_RTCP_USED;
    session->peer_counts_anew = FALSE;
    session->has_peer_says = rtcp.has_state;
    session->peer_says = rtcp.state;
    follow_handover (session, &rtcp.feedback, packet->arrival_ns);
  } else {
    tfrc_sender_on_peer_alive (session->sender, packet->arrival_ns);
  }
  session->peer_heard_ns = packet->arrival_ns;
  session->peer_ssrc = rtcp.sender_ssrc;
  session->peer_state = TFRC_PEER_CONNECTED;
  return TFRC_RTCP_USED;
}

/* ---- time -------------------------------------------------------------- */

/* When the peer is lost.  An idle stream does not lose it, as it answers
 * reports; after our BYE there is nothing that it should answer. */
static guint64
peer_timeout_ns (const TfrcSinkSession * session)
{
  if (session->peer_state != TFRC_PEER_CONNECTED || session->said_bye)
    return G_MAXUINT64;
  return session->peer_heard_ns + TFRC_PEER_TIMEOUT_NS;
}

guint64
tfrc_sink_session_next_ns (const TfrcSinkSession * session)
{
  guint64 next_ns = tfrc_sender_next_timeout_ns (session->sender);

  if (!session->said_bye)
    next_ns = MIN (next_ns, session->report_ns);
  next_ns = MIN (next_ns, tfrc_sink_paths_next_ns (&session->paths));
  return MIN (next_ns, peer_timeout_ns (session));
}

void
tfrc_sink_session_on_time (TfrcSinkSession * session, guint64 now_ns)
{
  tfrc_sender_on_timeout (session->sender, now_ns);
  if (tfrc_sink_paths_on_time (&session->paths, now_ns)
      && session->paths.is_new_path)
    tfrc_sender_on_new_path (session->sender, session->paths.fallback_rtt_ns,
        now_ns);
  if (now_ns >= peer_timeout_ns (session)) {
    session->peer_state = TFRC_PEER_LOST;
    end_handover (session, now_ns);
  }
}

gsize
tfrc_sink_session_write_rtcp (TfrcSinkSession * session, guint64 now_ns,
    guint8 * buffer)
{
  TfrcWireRtcp rtcp = { 0 };
  TfrcSenderStats stats;
  TfrcClockMap now;

  if (now_ns < session->report_ns || session->said_bye)
    return 0;
  session->report_ns = now_ns + SENDER_REPORT_INTERVAL_NS;
  tfrc_sender_get_stats (session->sender, &stats);
  rtcp.sender_ssrc = session->ssrc;
  tfrc_clock_map_init (&now);
  rtcp.sr_ntp = tfrc_clock_wall_to_ntp (now.wall_ns);
  rtcp.sr_timestamp = rtp_timestamp (session, now.now_ns);
  rtcp.clock_send_time_us =
      tfrc_sender_wire_time_us (session->sender, now.now_ns);
  rtcp.sr_packets = (guint32) stats.packets_sent;
  rtcp.sr_bytes = (guint32) stats.bytes_sent;
  return tfrc_wire_write_sender_report (buffer, &rtcp, session->cname);
}

gsize
tfrc_sink_session_write_challenge (TfrcSinkSession * session, guint64 now_ns,
    guint8 * buffer, TfrcAddress * to)
{
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];
  gsize size = tfrc_sink_paths_take_challenge (&session->paths, now_ns, to,
      data);

  return size == 0 ? 0 : tfrc_wire_write_path_challenge (buffer, size,
      session->ssrc, data);
}

gsize
tfrc_sink_session_write_bye (TfrcSinkSession * session, guint8 * buffer)
{
  if (session->report_ns == G_MAXUINT64 || session->bye_answered)
    return 0;
  session->said_bye = TRUE;
  return tfrc_wire_write_bye (buffer, session->ssrc, session->cname);
}

void
tfrc_sink_session_set_rate_limits (TfrcSinkSession * session,
    guint64 min_bitrate, guint64 max_bitrate)
{
  const gdouble least_Bps = (gdouble) TFRC_TS_PAYLOAD_BYTES / 64;
  gdouble min_Bps = min_bitrate / 8.0, max_Bps = max_bitrate / 8.0;

  if (max_Bps > 0) {
    max_Bps = MAX (max_Bps, least_Bps);
    min_Bps = MIN (min_Bps, max_Bps);
  }
  tfrc_sender_set_rate_limits (session->sender, min_Bps, max_Bps);
}

gboolean
tfrc_sink_session_is_peer_absent (const TfrcSinkSession * session)
{
  TfrcSenderStats stats;

  switch (session->peer_state) {
    case TFRC_PEER_WAITING:
      tfrc_sender_get_stats (session->sender, &stats);
      return stats.nofeedback_expirations > 0;
    case TFRC_PEER_CONNECTED:
      return FALSE;
    case TFRC_PEER_GONE:
    case TFRC_PEER_LOST:
      return TRUE;
  }
  return TRUE;
}

gdouble
tfrc_sink_session_get_rate_Bps (const TfrcSinkSession * session)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (session->sender, &stats);
  return stats.x_Bps;
}

guint64
tfrc_sink_session_get_bitrate (const TfrcSinkSession * session)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (session->sender, &stats);
  return stats.rtt_ns > 0 ? (guint64) (stats.x_Bps * 8) : 0;
}
