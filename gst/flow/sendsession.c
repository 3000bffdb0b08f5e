/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's session, see sendsession.h: packets of data, RTCP both ways, time. */
#include "sendsession.h"

#include "../common/log.h"
#include "responses.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* The time for an answer to the report that follows a BYE. 2 R if that is more, at most
 * GST_TFRC_PEER_TIMEOUT_NS. */
#define BYE_DOUBT_NS S_NS

struct _GstTfrcSendSession
{
  GstTfrcSendMedia media;
  GstTfrcRtpStream *rtp; /* the movie's, of media, like the next one */
  GstTfrcRateControl *control;
  GstTfrcReceiverView receiver;
  GstTfrcSendPaths paths;
  GstTfrcSendHandover handover;
  GstTfrcResponses responses;
};

/* ---- life --------------------------------------------------------------- */

GstTfrcSendSession *
gst_tfrc_send_session_new (const GstTfrcSendSessionConfig *config)
{
  GstTfrcSendSession *session = g_new0 (GstTfrcSendSession, 1);

  session->rtp = gst_tfrc_send_media_get_rtp (&session->media, GST_TFRC_RTP_MEDIA);
  session->control = gst_tfrc_send_media_get_control (&session->media);
  gst_tfrc_responses_init (&session->responses);
  gst_tfrc_send_handover_init (&session->handover, config->events);
  gst_tfrc_send_paths_init (&session->paths, &config->peer, &config->local, config->allow_migration,
      config->media.streams[GST_TFRC_RTP_MEDIA].protector.protect != NULL);
  if (gst_tfrc_send_media_init (&session->media, &config->media))
    return session;
  gst_tfrc_send_session_free (session);
  return NULL;
}

void
gst_tfrc_send_session_free (GstTfrcSendSession *session)
{
  if (session == NULL)
    return;
  gst_tfrc_send_media_clear (&session->media);
  gst_tfrc_send_paths_clear (&session->paths);
  g_free (session);
}

static guint32
own_ssrc (const GstTfrcSendSession *session)
{
  return gst_tfrc_rtp_stream_get_ssrc (session->rtp);
}

static const GstTfrcAddress *
peer_of (const GstTfrcSendSession *session)
{
  return gst_tfrc_send_paths_get_peer (&session->paths);
}

static guint64
rtt_ns_of (const GstTfrcSendSession *session)
{
  return gst_tfrc_rate_control_get_rtt_ns (session->control);
}

/* ---- packets of data ---------------------------------------------------- */

/* The receiver of the new SSRC counts its feedback from 0. */
void
gst_tfrc_send_session_renew (GstTfrcSendSession *session)
{
  if (gst_tfrc_rtp_stream_renew (session->rtp))
    gst_tfrc_receiver_view_renew (&session->receiver);
}

GstTfrcPrepareResult
gst_tfrc_send_session_prepare (
    GstTfrcSendSession *session, GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  guint32 ssrc = own_ssrc (session);
  gboolean begins = FALSE;
  TfrcData data;
  GstTfrcPrepareResult result = gst_tfrc_send_media_prepare (
      &session->media, outgoing, now_ns, &data, &begins);

  if (begins)
    gst_tfrc_receiver_view_begin (&session->receiver, data.seq,
        gst_tfrc_rate_control_get_packets_sent (session->control) - 1, now_ns);
  if (own_ssrc (session) != ssrc)
    gst_tfrc_receiver_view_renew (&session->receiver);
  return result;
}

void
gst_tfrc_send_session_take_back (GstTfrcSendSession *session, GstTfrcOutgoing *outgoing)
{
  gst_tfrc_send_media_take_back (&session->media, outgoing);
}

/* ---- RTCP that leaves ----------------------------------------------------- */

gsize
gst_tfrc_send_session_write_rtcp (GstTfrcSendSession *session, guint64 now_ns, guint8 *buffer)
{
  return gst_tfrc_send_media_write_report (&session->media, now_ns, buffer);
}

gsize
gst_tfrc_send_session_write_challenge (GstTfrcSendSession *session, guint64 now_ns, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local)
{
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];
  gsize size = gst_tfrc_send_paths_take_challenge (&session->paths, now_ns, to, local, data);

  return size == 0 ? 0 : tfrc_wire_write_path_challenge (buffer, size, own_ssrc (session), data);
}

gsize
gst_tfrc_send_session_write_response (
    GstTfrcSendSession *session, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  GstTfrcResponse response;

  if (!gst_tfrc_responses_take (&session->responses, &response))
    return 0;
  *to = response.to;
  *local = response.path.local;
  return tfrc_wire_write_path_response (buffer, own_ssrc (session), response.data);
}

gboolean
gst_tfrc_send_session_owes_response (const GstTfrcSendSession *session)
{
  return gst_tfrc_responses_are_owed (&session->responses);
}

gsize
gst_tfrc_send_session_write_bye (GstTfrcSendSession *session, guint8 *buffer)
{
  return gst_tfrc_receiver_view_is_bye_answered (&session->receiver)
      ? 0
      : gst_tfrc_send_media_write_bye (&session->media, buffer);
}

/* ---- handovers, signs of life --------------------------------------------- */

static guint64
lost_as_told (const GstTfrcSendSession *session)
{
  const TfrcWireState *says = gst_tfrc_receiver_view_get_says (&session->receiver);

  return says ? says->packets_lost : 0;
}

static void
follow_handover (GstTfrcSendSession *session, const TfrcFeedback *feedback, guint64 now_ns)
{
  TfrcSenderStats stats;

  gst_tfrc_rate_control_get_stats (session->control, &stats);
  if (gst_tfrc_send_handover_on_feedback (
          &session->handover, feedback, &stats, lost_as_told (session), now_ns))
    tfrc_ecn_on_new_path (gst_tfrc_send_media_get_ecn (&session->media));
}

static void
end_handover (GstTfrcSendSession *session, guint64 now_ns)
{
  TfrcSenderStats stats;

  gst_tfrc_rate_control_get_stats (session->control, &stats);
  gst_tfrc_send_handover_end (&session->handover, &stats, lost_as_told (session), now_ns);
}

/* A receiver that does not know this sender yet waits for the next sender report. */
static void
hurry_report (GstTfrcSendSession *session, guint64 now_ns)
{
  if (gst_tfrc_rtp_stream_may_report (session->rtp, now_ns)
      && (gst_tfrc_receiver_view_get_state (&session->receiver) != GST_TFRC_PEER_CONNECTED
          || gst_tfrc_rate_control_lacks_feedback (session->control)))
    gst_tfrc_rtp_stream_hurry_report (session->rtp, now_ns);
}

/* A receiver that does not know this sender, or doubts that data comes from this sender, sends a
 * challenge. After this sender's BYE a challenge gets no response, which shows the receiver that
 * the BYE was true. Before the first feedback a challenge gets its response even after the BYE:
 * otherwise the receiver could not play a stream that is shorter than R. */
static GstTfrcRtcpResult
on_challenge (
    GstTfrcSendSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcReceiverView *receiver = &session->receiver;

  if (gst_tfrc_rtp_stream_has_ended (session->rtp)
      && gst_tfrc_receiver_view_has_receiver (receiver))
    return GST_TFRC_RTCP_USED;
  if (!gst_tfrc_responses_on_challenge (&session->responses,
          gst_tfrc_receiver_view_is_receiver (receiver, rtcp->sender_ssrc), rtcp->challenge,
          packet)) {
    gst_tfrc_log (flow, LOG, "too many challenges: %08x gets no response", rtcp->sender_ssrc);
    return GST_TFRC_RTCP_FOREIGN;
  }
  gst_tfrc_rate_control_on_sign_of_life (session->control, packet->arrival_ns);
  hurry_report (session, packet->arrival_ns);
  return GST_TFRC_RTCP_USED;
}

/* ---- the receiver's addresses ---------------------------------------------- */

/* Is this the receiver's own newest feedback, as far as can be known? */
static gboolean
is_newest_feedback (const GstTfrcSendSession *session, const TfrcWireRtcp *rtcp, guint64 arrival_ns)
{
  return rtcp->has_feedback && rtcp->has_state && rtcp->media_ssrc == own_ssrc (session)
      && gst_tfrc_receiver_view_is_newer (&session->receiver, rtcp)
      && (gst_tfrc_rate_control_accepts (session->control, &rtcp->feedback, arrival_ns)
          || (gst_tfrc_send_media_has_age_wrapped (&session->media, arrival_ns)
              && gst_tfrc_receiver_view_is_repeated (&session->receiver, rtcp)));
}

/* Data goes to another address now. */
static void
follow_path (GstTfrcSendSession *session, guint64 now_ns)
{
  guint64 rtt_ns;
  gboolean is_new_path = gst_tfrc_send_paths_is_new_path (&session->paths, &rtt_ns);

  gst_tfrc_send_media_on_moved (&session->media, is_new_path, rtt_ns, now_ns);
}

static void
on_migrated (GstTfrcSendSession *session, guint64 now_ns)
{
  gst_tfrc_receiver_view_on_moved (&session->receiver, now_ns);
  follow_path (session, now_ns);
  gst_tfrc_rate_control_on_sign_of_life (session->control, now_ns);
}

static GstTfrcRtcpResult
on_response (
    GstTfrcSendSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  if (rtcp->sender_ssrc != gst_tfrc_receiver_view_get_ssrc (&session->receiver))
    return GST_TFRC_RTCP_FOREIGN;
  switch (gst_tfrc_send_paths_on_response (&session->paths, packet->from, rtcp->response,
      gst_tfrc_receiver_view_get_number (&session->receiver), rtt_ns_of (session),
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

/* ---- feedback and reports ----------------------------------------------  */

/* If this program was stopped, the packet waited in the socket. That wait does not count as silence
 * of the peer, so the later time of arrival and reading counts. */
static GstTfrcHeard
heard (const GstTfrcSendSession *session, const GstTfrcReceivedPacket *packet)
{
  return (GstTfrcHeard){ MAX (packet->arrival_ns, packet->read_ns),
    gst_tfrc_rate_control_get_packets_sent (session->control) };
}

static GstTfrcRtcpResult
on_feedback (GstTfrcSendSession *session, TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  GstTfrcReceiverView *receiver = &session->receiver;
  gboolean counts_anew = gst_tfrc_receiver_view_counts_anew (receiver, rtcp->sender_ssrc);
  guint64 now_ns = packet->arrival_ns;

  if (is_newest_feedback (session, rtcp, now_ns)
      && gst_tfrc_receiver_view_is_repeated (receiver, rtcp)) {
    gst_tfrc_receiver_view_on_repeated (receiver, rtcp, heard (session, packet));
    gst_tfrc_rate_control_on_sign_of_life (session->control, now_ns);
    return GST_TFRC_RTCP_USED;
  }
  rtcp->feedback.no_rtt_sample = packet->arrival_slack_ns > 0;
  if (gst_tfrc_receiver_view_is_renewed (receiver)
      || (counts_anew && gst_tfrc_receiver_view_get_state (receiver) == GST_TFRC_PEER_GONE))
    rtcp->feedback.has_state = FALSE; /* its number is not to be compared with the last one's */
  if (!gst_tfrc_send_media_on_feedback (&session->media, rtcp, counts_anew, now_ns))
    return GST_TFRC_RTCP_USED;
  gst_tfrc_receiver_view_on_feedback (receiver, rtcp, heard (session, packet));
  if (gst_tfrc_send_paths_can_migrate (&session->paths))
    gst_tfrc_send_paths_set_local (&session->paths, &packet->local);
  follow_handover (session, &rtcp->feedback, now_ns);
  return GST_TFRC_RTCP_USED;
}

/* Before the first packet there is nothing to report. The SSRC shows the receiver whose feedback
 * has been used from others. A receiver that takes its place becomes known by feedback. */
static GstTfrcRtcpResult
on_report (
    GstTfrcSendSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcControlReport report = { packet->from, rtcp, packet->data, packet->size,
    own_ssrc (session), packet->arrival_ns };
  GstTfrcReceiverView *receiver = &session->receiver;

  if (!gst_tfrc_control_report_is (&report) || !gst_tfrc_rtp_stream_has_begun (session->rtp)
      || (gst_tfrc_receiver_view_has_receiver (receiver)
          && !gst_tfrc_receiver_view_is_receiver (receiver, rtcp->sender_ssrc))
      || (gst_tfrc_rate_control_is_by_rtcp (session->control)
          && !gst_tfrc_rate_control_is_reporter (
              session->control, packet->from, rtcp->sender_ssrc)))
    return GST_TFRC_RTCP_FOREIGN;
  if (!gst_tfrc_rate_control_on_report (session->control, &report))
    gst_tfrc_rate_control_on_sign_of_life (session->control, packet->arrival_ns);
  gst_tfrc_receiver_view_on_report (receiver, rtcp,
      gst_tfrc_rate_control_is_echo (session->control, &report), heard (session, packet));
  return GST_TFRC_RTCP_USED;
}

/* Any host that sees the stream can forge a BYE. A receiver that is still there answers the next
 * sender report at once. */
static GstTfrcRtcpResult
on_bye (GstTfrcSendSession *session, const TfrcWireRtcp *rtcp, guint64 now_ns)
{
  GstTfrcReceiverView *receiver = &session->receiver;
  guint64 doubt_ns = CLAMP (2 * rtt_ns_of (session), BYE_DOUBT_NS, GST_TFRC_PEER_TIMEOUT_NS);

  if (gst_tfrc_receiver_view_get_state (receiver) == GST_TFRC_PEER_WAITING
      || rtcp->sender_ssrc != gst_tfrc_receiver_view_get_ssrc (receiver))
    return GST_TFRC_RTCP_FOREIGN;
  gst_tfrc_log (flow, DEBUG, "receiver %08x says BYE", rtcp->sender_ssrc);
  end_handover (session, now_ns);
  if (gst_tfrc_receiver_view_on_bye (receiver, gst_tfrc_rtp_stream_has_ended (session->rtp)))
    gst_tfrc_receiver_view_doubt_bye (
        receiver, gst_tfrc_rtp_stream_hurry_report (session->rtp, now_ns) + doubt_ns);
  return GST_TFRC_RTCP_USED;
}

/* ---- RTCP that comes --------------------------------------------------------- */

static GstTfrcRtcpResult
on_rtcp_of_receiver (
    GstTfrcSendSession *session, TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  guint32 ssrc = own_ssrc (session);

  /* this stream's own packet, sent back */
  if (rtcp->sender_ssrc == ssrc)
    return GST_TFRC_RTCP_FOREIGN;
  if (rtcp->has_response)
    return on_response (session, rtcp, packet);
  if (rtcp->has_challenge)
    return on_challenge (session, rtcp, packet);
  if (rtcp->has_bye)
    return on_bye (session, rtcp, packet->arrival_ns);
  if (rtcp->has_feedback && rtcp->media_ssrc == ssrc)
    return on_feedback (session, rtcp, packet);
  return on_report (session, rtcp, packet);
}

/* A receiver without RTP/RTCP multiplexing sends its RTCP from another port (RFC 3550 section 11).
 * These packets may control the rate as reports from the port of the data may, and end that; they
 * change nothing else. */
static GstTfrcRtcpResult
on_rtcp_from_other_port (
    GstTfrcSendSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcRateControl *control = session->control;

  if (gst_tfrc_rate_control_get_control (control) == GST_TFRC_CONTROL_TFRC
      || !gst_tfrc_address_same_host (packet->from, peer_of (session))
      || rtcp->sender_ssrc == own_ssrc (session)
      || !gst_tfrc_rate_control_is_reporter (control, packet->from, rtcp->sender_ssrc))
    return GST_TFRC_RTCP_FOREIGN;
  if (rtcp->has_bye && gst_tfrc_rate_control_is_by_rtcp (control))
    return on_bye (session, rtcp, packet->arrival_ns);
  return rtcp->has_feedback ? GST_TFRC_RTCP_FOREIGN : on_report (session, rtcp, packet);
}

/* A packet from another address than the receiver's may change the receiver's address and nothing else. */
static GstTfrcRtcpResult
on_rtcp_from_elsewhere (
    GstTfrcSendSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  GstTfrcRtcpResult result = on_rtcp_from_other_port (session, rtcp, packet);

  if (result != GST_TFRC_RTCP_FOREIGN)
    return result;
  if (!gst_tfrc_send_paths_can_migrate (&session->paths)
      || gst_tfrc_rtp_stream_has_ended (session->rtp))
    return GST_TFRC_RTCP_FOREIGN;
  if (rtcp->has_response)
    return on_response (session, rtcp, packet);
  if (!is_newest_feedback (session, rtcp, packet->arrival_ns))
    return GST_TFRC_RTCP_FOREIGN;
  if (gst_tfrc_send_paths_on_feedback (&session->paths, packet, rtcp, rtt_ns_of (session)))
    on_migrated (session, packet->arrival_ns);
  return GST_TFRC_RTCP_USED;
}

GstTfrcRtcpResult
gst_tfrc_send_session_on_rtcp (GstTfrcSendSession *session, const GstTfrcReceivedPacket *packet)
{
  gboolean is_of_receiver = gst_tfrc_address_equal (packet->from, peer_of (session));
  TfrcWireRtcp rtcp;

  if (packet->truncated
      || tfrc_wire_parse_rtcp (packet->data, packet->size, own_ssrc (session), &rtcp)
          != TFRC_WIRE_OK)
    return is_of_receiver ? GST_TFRC_RTCP_MALFORMED : GST_TFRC_RTCP_FOREIGN;
  return is_of_receiver ? on_rtcp_of_receiver (session, &rtcp, packet)
                        : on_rtcp_from_elsewhere (session, &rtcp, packet);
}

void
gst_tfrc_send_session_on_port_unreachable (
    GstTfrcSendSession *session, const GstTfrcAddress *destination)
{
  if (gst_tfrc_rtp_stream_has_ended (session->rtp)
      && (destination->len == 0 || gst_tfrc_address_equal (destination, peer_of (session))))
    gst_tfrc_receiver_view_on_bye_answered (&session->receiver);
}

/* The kernel tells a socket without a peer of each packet that has left from its port, wherever the
 * packet went. */
void
gst_tfrc_send_session_on_time_exceeded (
    GstTfrcSendSession *session, const GstTfrcAddress *destination)
{
  if (gst_tfrc_address_equal (destination, peer_of (session)))
    gst_tfrc_adaptive_ttl_on_silence (gst_tfrc_send_media_get_ttl (&session->media));
}

guint8
gst_tfrc_send_session_get_rtcp_ttl (GstTfrcSendSession *session, const GstTfrcAddress *to)
{
  return gst_tfrc_address_equal (to, peer_of (session))
      ? gst_tfrc_adaptive_ttl_get_for_rtcp (gst_tfrc_send_media_get_ttl (&session->media))
      : 0;
}

/* ---- time ------------------------------------------------------------------------ */

static guint64
nofeedback_ns (gconstpointer owner)
{
  return gst_tfrc_rate_control_next_ns (((const GstTfrcSendSession *) owner)->control);
}

static guint64
report_ns (gconstpointer owner)
{
  return gst_tfrc_rtp_stream_report_ns (((const GstTfrcSendSession *) owner)->rtp);
}

static guint64
believe_bye_ns (gconstpointer owner)
{
  return gst_tfrc_receiver_view_next_ns (&((const GstTfrcSendSession *) owner)->receiver);
}

static guint64
paths_ns (gconstpointer owner)
{
  return gst_tfrc_send_paths_next_ns (&((const GstTfrcSendSession *) owner)->paths);
}

/* When the peer is lost. An idle stream does not lose the peer, because the peer answers reports. A
 * receiver that does not know TFRC sends reports when it likes. After this stream's BYE there is
 * nothing that the peer should answer. */
static guint64
peer_timeout_ns (gconstpointer owner)
{
  const GstTfrcSendSession *session = owner;
  const GstTfrcRateControl *control = session->control;
  guint64 timeout_ns = GST_TFRC_PEER_TIMEOUT_NS;

  if (gst_tfrc_receiver_view_get_state (&session->receiver) != GST_TFRC_PEER_CONNECTED
      || gst_tfrc_rtp_stream_has_ended (session->rtp))
    return G_MAXUINT64;
  if (gst_tfrc_rate_control_is_by_rtcp (control))
    timeout_ns = MAX (timeout_ns, gst_tfrc_rate_control_timeout_ns (control));
  return gst_tfrc_receiver_view_get_heard_ns (&session->receiver) + timeout_ns;
}

static const GstTfrcFlowTimer timers[] = {
  { "nofeedback", nofeedback_ns },
  { "sender report", report_ns },
  { "a BYE is believed", believe_bye_ns },
  { "challenges", paths_ns },
  { "the receiver is lost", peer_timeout_ns },
};

GstTfrcNextTimer
gst_tfrc_send_session_next_timer (const GstTfrcSendSession *session)
{
  return gst_tfrc_flow_timers_next (session, timers, G_N_ELEMENTS (timers));
}

void
gst_tfrc_send_session_on_time (GstTfrcSendSession *session, guint64 now_ns)
{
  gst_tfrc_send_media_on_time (&session->media, now_ns);
  if (gst_tfrc_send_paths_on_time (&session->paths, now_ns))
    follow_path (session, now_ns);
  if (now_ns >= peer_timeout_ns (session)) {
    gst_tfrc_receiver_view_lose (&session->receiver);
    gst_tfrc_rate_control_lose_reporter (session->control);
    end_handover (session, now_ns);
  }
  if (gst_tfrc_receiver_view_on_time (&session->receiver, now_ns))
    gst_tfrc_rate_control_lose_reporter (session->control);
  /* Packets leave often with a minimum, so that its end needs no timer. */
  gst_tfrc_rate_control_set_answered (session->control,
      gst_tfrc_receiver_view_answers (&session->receiver, peer_timeout_ns (session), now_ns));
}

/* ---- queries ---------------------------------------------------------------------- */

GstTfrcSendMedia *
gst_tfrc_send_session_get_media (GstTfrcSendSession *session)
{
  return &session->media;
}

const GstTfrcReceiverView *
gst_tfrc_send_session_get_receiver (const GstTfrcSendSession *session)
{
  return &session->receiver;
}

GstTfrcSendPaths *
gst_tfrc_send_session_get_paths (GstTfrcSendSession *session)
{
  return &session->paths;
}

GstTfrcSendHandover *
gst_tfrc_send_session_get_handover (GstTfrcSendSession *session)
{
  return &session->handover;
}

gboolean
gst_tfrc_send_session_is_peer_absent (const GstTfrcSendSession *session)
{
  const GstTfrcRateControl *control = session->control;

  return gst_tfrc_receiver_view_is_absent (&session->receiver,
      gst_tfrc_rate_control_get_control (control) != GST_TFRC_CONTROL_NONE,
      gst_tfrc_rate_control_is_unanswered (control));
}
