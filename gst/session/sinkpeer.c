/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's RTCP, and ICMP about the receiver, see sinksession.h. */
#include "sinksession-private.h"

#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* The least time between a sender report and a report that the peer makes leave early */
#define HURRIED_REPORT_INTERVAL_NS S_NS

/* Packets that signs of life release are at least this far apart. */
#define RELEASE_INTERVAL_NS S_NS

/* The time for an answer to the report that follows a BYE. 2 R if that is more, at most
 * GST_TFRC_PEER_TIMEOUT_NS. */
#define BYE_DOUBT_NS S_NS

/* ---- handovers ----------------------------------------------------------- */

static TfrcHandoverPhase
phase_of (const TfrcFeedback *feedback)
{
  if (!feedback->handover)
    return TFRC_HANDOVER_NORMAL;
  return feedback->new_link ? TFRC_HANDOVER_NEW_LINK : TFRC_HANDOVER_OLD_LINK;
}

/* @completed: the handover that was under way has come to its end */
static void
set_handover_phase (
    GstTfrcSinkSession *session, TfrcHandoverPhase phase, gboolean completed, guint64 now_ns)
{
  GstTfrcHandoverView view = { .phase = phase };
  TfrcSenderStats stats;

  tfrc_sender_get_stats (session->sender, &stats);
  if (completed)
    session->handovers_completed++;
  if (phase != session->handover_phase && phase != TFRC_HANDOVER_NORMAL)
    tfrc_ecn_on_new_path (session->ecn);
  session->handover_phase = phase;
  view.handovers = stats.handovers;
  view.completed = session->handovers_completed;
  view.rtt_ns = stats.rtt_ns;
  view.rate_bps = stats.x_Bps * 8;
  view.packets_lost = session->peer_says.packets_lost;
  gst_tfrc_handover_log_update (&session->handover_log, &view, now_ns);
}

/* A handover is completed when the receiver was on the new link and now asks for nothing. */
static void
follow_handover (GstTfrcSinkSession *session, const TfrcFeedback *feedback, guint64 now_ns)
{
  TfrcHandoverPhase phase = phase_of (feedback);

  set_handover_phase (session, phase,
      phase == TFRC_HANDOVER_NORMAL && session->handover_phase == TFRC_HANDOVER_NEW_LINK, now_ns);
}

void
gst_tfrc_sink_session_end_handover (GstTfrcSinkSession *session, guint64 now_ns)
{
  if (session->handover_phase != TFRC_HANDOVER_NORMAL)
    set_handover_phase (session, TFRC_HANDOVER_NORMAL, FALSE, now_ns);
}

/* ---- signs of life ------------------------------------------------------- */

/* Does no feedback control the rate: there was none, or the nofeedback timer has expired since? */
static gboolean
lacks_feedback (const GstTfrcSinkSession *session)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (session->sender, &stats);
  return stats.rtt_ns == 0 || stats.nofeedback_expirations > session->expirations_at_feedback;
}

/* A host is alive at the receiver's address: one packet may leave at once, so that feedback begins
 * or goes on. A sign of life costs a peer nothing and must not control a rate: so one such packet
 * leaves each second, which is the rate of a sender without feedback (RFC 5348 section 4.2). */
static void
on_sign_of_life (GstTfrcSinkSession *session, guint64 now_ns)
{
  if (now_ns < session->release_ns || !lacks_feedback (session))
    return;
  session->release_ns = now_ns + RELEASE_INTERVAL_NS;
  tfrc_sender_on_peer_alive (session->sender, now_ns);
}

/* A receiver that does not know this sender yet waits for the next sender report. */
static void
hurry_report (GstTfrcSinkSession *session, guint64 now_ns)
{
  if (session->report_ns == G_MAXUINT64
      || now_ns < session->report_sent_ns + HURRIED_REPORT_INTERVAL_NS)
    return;
  if (session->peer_state != GST_TFRC_PEER_CONNECTED || lacks_feedback (session))
    session->report_ns = MIN (session->report_ns, now_ns);
}

static gboolean
is_receiver (const GstTfrcSinkSession *session, guint32 ssrc)
{
  return session->has_receiver && ssrc == session->peer_ssrc;
}

/* A receiver that does not know this sender, or doubts that data comes from this sender, sends a
 * challenge. After this sender's BYE a challenge gets no response, which shows the receiver that
 * the BYE was true. Before the first feedback a challenge gets its response even after the BYE:
 * otherwise the receiver could not play a stream that is shorter than R. A host that forges
 * challenges from the receiver's address does not know the receiver's SSRC, so that the receiver
 * keeps its own turns. */
static GstTfrcRtcpResult
on_challenge (GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, guint64 now_ns)
{
  GstTfrcTokenBucket *responses = &session->responses[is_receiver (session, rtcp->sender_ssrc)];

  if (session->said_bye && session->has_receiver)
    return GST_TFRC_RTCP_USED;
  if (!gst_tfrc_token_bucket_take (responses, now_ns))
    return GST_TFRC_RTCP_FOREIGN;
  session->owes_response = TRUE;
  memcpy (session->challenge, rtcp->challenge, sizeof session->challenge);
  on_sign_of_life (session, now_ns);
  hurry_report (session, now_ns);
  return GST_TFRC_RTCP_USED;
}

/* ---- from another address ------------------------------------------------ */

/* Is this the receiver's own newest feedback, as far as can be known? A feedback number that has
 * been used before proves nothing: any host may repeat that feedback. */
static gboolean
is_newest_feedback (const GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, guint64 arrival_ns)
{
  return rtcp->has_feedback && rtcp->has_state && rtcp->media_ssrc == session->ssrc
      && rtcp->sender_ssrc == session->peer_ssrc && session->has_peer_says
      && !session->peer_counts_anew
      && (gint32) (rtcp->state.feedback_number - session->peer_says.feedback_number) > 0
      && tfrc_sender_check_feedback (session->sender, &rtcp->feedback, arrival_ns) == TFRC_OK;
}

static void
on_migrated (GstTfrcSinkSession *session, guint64 now_ns)
{
  const GstTfrcSendPaths *paths = &session->paths;

  session->peer_heard_ns = now_ns;
  session->peer_state = GST_TFRC_PEER_CONNECTED;
  gst_tfrc_adaptive_ttl_restart (&session->ttl, session->ttl.start);
  tfrc_ecn_on_new_path (session->ecn);
  if (paths->is_new_path)
    tfrc_sender_on_new_path (session->sender, tfrc_path_get_measured_rtt_ns (paths->path), now_ns);
  on_sign_of_life (session, now_ns);
}

static GstTfrcRtcpResult
on_response (
    GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  if (rtcp->sender_ssrc != session->peer_ssrc)
    return GST_TFRC_RTCP_FOREIGN;
  switch (gst_tfrc_send_paths_on_response (&session->paths, packet->from, rtcp->response,
      session->peer_says.feedback_number, gst_tfrc_sink_session_get_rtt_ns (session),
      packet->arrival_ns)) {
    case GST_TFRC_RESPONSE_REFUSED:
      return GST_TFRC_RTCP_FOREIGN;
    case GST_TFRC_RESPONSE_USED:
      break;
    case GST_TFRC_RESPONSE_MIGRATED:
      on_migrated (session, packet->arrival_ns);
      break;
  }
  return GST_TFRC_RTCP_USED;
}

/* A packet from another address than the receiver's. It may change the receiver's address and
 * nothing else. */
static GstTfrcRtcpResult
on_rtcp_from_elsewhere (GstTfrcSinkSession *session, const GstTfrcReceivedPacket *packet)
{
  TfrcWireRtcp rtcp;

  if (!gst_tfrc_send_paths_can_migrate (&session->paths) || packet->truncated || session->said_bye
      || tfrc_wire_parse_rtcp (packet->data, packet->size, session->ssrc, &rtcp) != TFRC_WIRE_OK)
    return GST_TFRC_RTCP_FOREIGN;
  if (rtcp.has_response)
    return on_response (session, &rtcp, packet);
  if (!is_newest_feedback (session, &rtcp, packet->arrival_ns))
    return GST_TFRC_RTCP_FOREIGN;
  if (gst_tfrc_send_paths_on_feedback (&session->paths, packet->from, packet->size, &rtcp,
          gst_tfrc_sink_session_get_rtt_ns (session), packet->arrival_ns))
    on_migrated (session, packet->arrival_ns);
  return GST_TFRC_RTCP_USED;
}

/* ---- from the receiver's address ----------------------------------------- */

/* The receiver cannot have lost or received more packets than were sent, nor a packet that was not
 * sent. Only lost packets are link errors. A packet that was lost at first and came marked later is
 * counted once. Loss events stay counted if a lost packet comes late. After 2^32 packets any number
 * can be true. */
static gboolean
counters_can_be_true (const GstTfrcSinkSession *session, const TfrcWireState *state)
{
  guint64 sent = tfrc_sender_get_packets_sent (session->sender) - session->packets_before;

  return sent > G_MAXUINT32
      || ((guint64) state->packets_lost + state->ce_marks <= sent && state->loss_events <= sent
          && state->link_errors <= state->packets_lost
          && (guint16) (state->highest_seq - session->first_seq) < sent);
}

/* Counters that cannot be true keep their last value. The rest of the feedback is used: one forged
 * packet of data can make the counters of an honest receiver wrong for good, and the sender must
 * not lose that receiver's feedback. */
static void
keep_state (GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp)
{
  static const TfrcWireState none;
  const TfrcWireState *before = session->has_peer_says && is_receiver (session, rtcp->sender_ssrc)
      ? &session->peer_says
      : &none;
  TfrcWireState state = rtcp->state;

  if (rtcp->has_state && !counters_can_be_true (session, &state)) {
    session->counters_refused++;
    state.highest_seq = before->highest_seq;
    state.packets_lost = before->packets_lost;
    state.loss_events = before->loss_events;
    state.ce_marks = before->ce_marks;
    state.link_errors = before->link_errors;
  }
  session->has_peer_says = rtcp->has_state;
  session->peer_says = state;
}

/* If this program was stopped, the packet waited in the socket. That wait does not count as silence
 * of the peer, so the later time of arrival and reading counts. */
static void
on_heard (GstTfrcSinkSession *session, guint32 ssrc, const GstTfrcReceivedPacket *packet)
{
  session->peer_heard_ns = MAX (packet->arrival_ns, packet->read_ns);
  session->peer_ssrc = ssrc;
  session->peer_state = GST_TFRC_PEER_CONNECTED;
}

static void
on_feedback (GstTfrcSinkSession *session, TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  gboolean counts_anew = session->peer_counts_anew || !is_receiver (session, rtcp->sender_ssrc);
  guint64 now_ns = packet->arrival_ns;
  guint hops = session->ttl.hops;

  rtcp->feedback.no_rtt_sample = packet->arrival_slack_ns > 0;
  if (session->peer_counts_anew)
    rtcp->feedback.has_state = FALSE;
  if (!gst_tfrc_rate_control_on_feedback (
          &session->control, session->sender, &rtcp->feedback, now_ns))
    return;
  session->expirations_at_feedback = tfrc_sender_get_nofeedback_expirations (session->sender);
  session->peer_counts_anew = FALSE;
  gst_tfrc_adaptive_ttl_on_feedback (
      &session->ttl, rtcp->feedback.recv_data_us, rtcp->has_state ? rtcp->state.ttl : 0);
  gst_tfrc_sink_session_follow_ecn (session, rtcp, counts_anew, now_ns);
  gst_tfrc_sink_session_follow_route (session, hops);
  keep_state (session, rtcp);
  on_heard (session, rtcp->sender_ssrc, packet);
  session->has_receiver = TRUE;
  follow_handover (session, &rtcp->feedback, now_ns);
}

/* Before the first packet there is nothing to report. The SSRC shows the receiver whose feedback
 * has been used from others. A receiver that takes its place becomes known by feedback. */
GstTfrcRtcpResult
gst_tfrc_sink_session_on_report (
    GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  if (session->report_ns == G_MAXUINT64
      || (session->has_receiver && rtcp->sender_ssrc != session->peer_ssrc)
      || (gst_tfrc_rate_control_is_by_rtcp (&session->control)
          && !gst_tfrc_rate_control_is_reporter (
              &session->control, packet->from, rtcp->sender_ssrc)))
    return GST_TFRC_RTCP_FOREIGN;
  if (!gst_tfrc_sink_session_follow_report (session, rtcp, packet))
    on_sign_of_life (session, packet->arrival_ns);
  on_heard (session, rtcp->sender_ssrc, packet);
  return GST_TFRC_RTCP_USED;
}

/* Any host that sees the stream can forge a BYE. A receiver that is still there answers the next
 * sender report at once. The BYE is taken as true when no answer has come. */
static void
doubt_bye (GstTfrcSinkSession *session, guint64 now_ns)
{
  guint64 rtt_ns = gst_tfrc_sink_session_get_rtt_ns (session);

  session->report_ns = MIN (
      session->report_ns, MAX (now_ns, session->report_sent_ns + HURRIED_REPORT_INTERVAL_NS));
  session->believe_bye_ns = session->report_ns
      + CLAMP (2 * rtt_ns, BYE_DOUBT_NS, GST_TFRC_PEER_TIMEOUT_NS);
}

GstTfrcRtcpResult
gst_tfrc_sink_session_on_bye (GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, guint64 now_ns)
{
  if (session->peer_state == GST_TFRC_PEER_WAITING || rtcp->sender_ssrc != session->peer_ssrc)
    return GST_TFRC_RTCP_FOREIGN;
  gst_tfrc_sink_session_end_handover (session, now_ns);
  session->bye_answered = session->said_bye;
  if (session->peer_state == GST_TFRC_PEER_CONNECTED && !session->said_bye) {
    session->peer_state = GST_TFRC_PEER_GONE;
    session->bye_believed = FALSE;
    doubt_bye (session, now_ns);
  }
  return GST_TFRC_RTCP_USED;
}

GstTfrcRtcpResult
gst_tfrc_sink_session_on_rtcp (GstTfrcSinkSession *session, const GstTfrcReceivedPacket *packet)
{
  TfrcWireRtcp rtcp;

  if (!gst_tfrc_address_equal (packet->from, &session->paths.peer)) {
    GstTfrcRtcpResult result = gst_tfrc_sink_session_on_rtcp_from_other_port (session, packet);

    return result == GST_TFRC_RTCP_FOREIGN ? on_rtcp_from_elsewhere (session, packet) : result;
  }
  if (packet->truncated
      || tfrc_wire_parse_rtcp (packet->data, packet->size, session->ssrc, &rtcp) != TFRC_WIRE_OK)
    return GST_TFRC_RTCP_MALFORMED;
  /* this stream's own packet, sent back */
  if (rtcp.sender_ssrc == session->ssrc)
    return GST_TFRC_RTCP_FOREIGN;
  if (rtcp.has_response)
    return on_response (session, &rtcp, packet);
  if (rtcp.has_challenge)
    return on_challenge (session, &rtcp, packet->arrival_ns);
  if (rtcp.has_bye)
    return gst_tfrc_sink_session_on_bye (session, &rtcp, packet->arrival_ns);
  if (rtcp.has_feedback && rtcp.media_ssrc == session->ssrc) {
    on_feedback (session, &rtcp, packet);
    return GST_TFRC_RTCP_USED;
  }
  return gst_tfrc_sink_session_is_report (session, &rtcp, packet)
      ? gst_tfrc_sink_session_on_report (session, &rtcp, packet)
      : GST_TFRC_RTCP_FOREIGN;
}

void
gst_tfrc_sink_session_on_port_unreachable (
    GstTfrcSinkSession *session, const GstTfrcAddress *destination)
{
  if (session->said_bye
      && (destination->len == 0 || gst_tfrc_address_equal (destination, &session->paths.peer)))
    session->bye_answered = TRUE;
}
