/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests for repairs, see sendrepairs.h. */
#include "sendrepairs.h"

#include "../common/log.h"

/* Every compound has the SSRC of its sender there. */
#define SSRC_AT 4

/* A receiver that does not know TFRC may have its RTCP on another port (RFC 3550 section 11). */
static gboolean
is_of_receiver (GstTfrcSendSession *session, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcRateControl *control = gst_tfrc_send_media_get_control (
      gst_tfrc_send_session_get_media (session));
  const GstTfrcAddress *peer = gst_tfrc_send_paths_get_peer (
      gst_tfrc_send_session_get_paths (session));
  guint32 ssrc = GST_READ_UINT32_BE (packet->data + SSRC_AT);

  if (gst_tfrc_rate_control_is_by_rtcp (control))
    return gst_tfrc_address_same_host (packet->from, peer)
        && gst_tfrc_rate_control_is_reporter (control, packet->from, ssrc);
  return gst_tfrc_address_equal (packet->from, peer)
      && gst_tfrc_receiver_view_is_receiver (gst_tfrc_send_session_get_receiver (session), ssrc);
}

/* Reads what a compound asks for, in the way of RTCP or in that of RIST. Returns how many numbers. */
static guint
read_requests (const GstTfrcReceivedPacket *packet, guint32 ssrc, guint16 *seqs, guint max)
{
  const guint8 *content;
  guint n = 0;
  gsize bytes;

  for (guint nth = 0;
       n < max && tfrc_wire_find_nack (packet->data, packet->size, ssrc, nth, &content, &bytes);
       nth++)
    n += (guint) tfrc_wire_read_nack (content, bytes, seqs + n, max - n);
  for (guint nth = 0; n < max
       && tfrc_wire_find_rist_request (packet->data, packet->size, ssrc, nth, &content, &bytes);
       nth++)
    n += (guint) tfrc_wire_read_rist_request (content, bytes, seqs + n, max - n);
  return n;
}

gboolean
gst_tfrc_send_repairs_on_rtcp (
    GstTfrcSendSession *session, GstTfrcOutbox *outbox, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcRtpStream *media = gst_tfrc_send_media_get_rtp (
      gst_tfrc_send_session_get_media (session), GST_TFRC_RTP_MEDIA);
  guint64 now_ns = MAX (packet->arrival_ns, packet->read_ns);
  guint16 seqs[GST_TFRC_SEND_REPAIRS_MAX_NUMBERS];
  guint n = 0, repaired = 0;

  if (!packet->truncated)
    n = read_requests (packet, gst_tfrc_rtp_stream_get_ssrc (media), seqs, G_N_ELEMENTS (seqs));
  if (n == 0 || !is_of_receiver (session, packet))
    return FALSE;
  /* The request has met the BYE: data after it would be another stream's. */
  if (gst_tfrc_rtp_stream_has_ended (media))
    return TRUE;
  for (guint i = 0; i < n; i++)
    repaired += gst_tfrc_outbox_repair (outbox, seqs[i], now_ns);
  gst_tfrc_log (flow, LOG, "the receiver asks for %u packets: %u are repaired", n, repaired);
  return TRUE;
}

/* ---- the end of what has left -------------------------------------------------- */

static gboolean
find_tail (GstTfrcSendSession *session, const GstTfrcOutbox *outbox, GstTfrcRepairTail *tail)
{
  GstTfrcSendMedia *media = gst_tfrc_send_session_get_media (session);

  return gst_tfrc_outbox_get_tail (outbox, tail)
      && gst_tfrc_receiver_view_get_says (gst_tfrc_send_session_get_receiver (session))
      && !gst_tfrc_send_session_is_peer_absent (session)
      && !gst_tfrc_rtp_stream_has_ended (gst_tfrc_send_media_get_rtp (media, GST_TFRC_RTP_MEDIA))
      && !gst_tfrc_receiver_view_has_newest (gst_tfrc_send_session_get_receiver (session),
          gst_tfrc_rate_control_get_packets_sent (gst_tfrc_send_media_get_control (media)));
}

guint64
gst_tfrc_send_repairs_probe_ns (GstTfrcSendSession *session, const GstTfrcOutbox *outbox)
{
  guint64 rtt_ns = gst_tfrc_rate_control_get_rtt_ns (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (session)));
  GstTfrcRepairTail tail;
  guint64 probe_ns;

  if (!find_tail (session, outbox, &tail))
    return G_MAXUINT64;
  probe_ns = tail.last_ns
      + MAX (GST_TFRC_SEND_REPAIRS_TAIL_RTTS * rtt_ns, GST_TFRC_SEND_REPAIRS_LEAST_TAIL_NS);
  return probe_ns < tail.end_ns ? probe_ns : G_MAXUINT64;
}

void
gst_tfrc_send_repairs_on_time (GstTfrcSendSession *session, GstTfrcOutbox *outbox, guint64 now_ns)
{
  if (now_ns >= gst_tfrc_send_repairs_probe_ns (session, outbox)
      && gst_tfrc_outbox_repair_newest (outbox, now_ns))
    gst_tfrc_log (flow, LOG, "no feedback has told of the newest packet: it is sent again");
}

guint64
gst_tfrc_send_repairs_tail_end_ns (GstTfrcSendSession *session, const GstTfrcOutbox *outbox)
{
  GstTfrcRepairTail tail;

  return find_tail (session, outbox, &tail) ? tail.end_ns : 0;
}
