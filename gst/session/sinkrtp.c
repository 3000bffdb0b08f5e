/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receivers that know RTP and RTCP, and not TFRC: their reports, from the port of the data or from
 * another port of the receiver's host, see sinksession.h and ratecontrol.h. */
#include "sinksession-private.h"

static gboolean
has_transport_feedback (const GstTfrcSinkSession *session, const GstTfrcReceivedPacket *packet)
{
  const guint8 *fci;
  gsize size;

  return tfrc_wire_find_transport_feedback (
      packet->data, packet->size, session->ssrc, 0, &fci, &size);
}

gboolean
gst_tfrc_sink_session_is_report (const GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp,
    const GstTfrcReceivedPacket *packet)
{
  return rtcp->has_report || has_transport_feedback (session, packet);
}

/* Before the first packet there is nothing to report. After the first feedback of TFRC reports are
 * signs of life, and no more. */
gboolean
gst_tfrc_sink_session_follow_report (
    GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcControlReport report = { packet->from, rtcp, packet->data, packet->size,
    session->ssrc, packet->arrival_ns };

  if (!gst_tfrc_rate_control_on_report (&session->control, session->sender, &report))
    return FALSE;
  session->expirations_at_feedback = tfrc_sender_get_nofeedback_expirations (session->sender);
  return TRUE;
}

gboolean
gst_tfrc_sink_session_knows_tfrc (const GstTfrcSinkSession *session)
{
  return session->control.control == GST_TFRC_CONTROL_TFRC;
}

void
gst_tfrc_sink_session_lose_reporter (GstTfrcSinkSession *session)
{
  if (gst_tfrc_rate_control_is_by_rtcp (&session->control))
    gst_tfrc_rate_control_reset (&session->control, session->sender);
}

/* A receiver without RTP/RTCP multiplexing sends its RTCP from another port (RFC 3550 section 11).
 * These packets may control the rate as reports from the port of the data may, and end that; they
 * change nothing else. */
GstTfrcRtcpResult
gst_tfrc_sink_session_on_rtcp_from_other_port (
    GstTfrcSinkSession *session, const GstTfrcReceivedPacket *packet)
{
  TfrcWireRtcp rtcp;

  if (session->control.control == GST_TFRC_CONTROL_TFRC || packet->truncated
      || !gst_tfrc_address_same_host (packet->from, &session->paths.peer)
      || tfrc_wire_parse_rtcp (packet->data, packet->size, session->ssrc, &rtcp) != TFRC_WIRE_OK
      || rtcp.sender_ssrc == session->ssrc
      || !gst_tfrc_rate_control_is_reporter (&session->control, packet->from, rtcp.sender_ssrc))
    return GST_TFRC_RTCP_FOREIGN;
  if (rtcp.has_bye && gst_tfrc_rate_control_is_by_rtcp (&session->control))
    return gst_tfrc_sink_session_on_bye (session, &rtcp, packet->arrival_ns);
  return !rtcp.has_feedback && gst_tfrc_sink_session_is_report (session, &rtcp, packet)
      ? gst_tfrc_sink_session_on_report (session, &rtcp, packet)
      : GST_TFRC_RTCP_FOREIGN;
}
