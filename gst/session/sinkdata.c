/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of data: numbers, header, protection, see sinksession.h. */
#include "sinksession-private.h"

#include <string.h>

#include "../common/random.h"

/* Send times are the low 32 bits of the monotonic clock in microseconds plus a random offset. RTP
 * time stamps are the same clock in units of 90 kHz. */
guint32
gst_tfrc_sink_session_rtp_timestamp (const GstTfrcSinkSession *session, guint64 time_ns)
{
  return (guint32) ((time_ns / 1000 + session->clock_offset_us) * 9 / 100);
}

/* An SSRC that has said BYE is gone (RFC 3550 section 6.3.4). The receiver of the new SSRC counts its
 * feedback from 0. The system had random numbers when the stream started; if it has none now, the
 * next number is a new SSRC, too. */
void
gst_tfrc_sink_session_renew (GstTfrcSinkSession *session)
{
  if (!session->said_bye || session->is_renewed)
    return;
  if (!gst_tfrc_random_fill (&session->ssrc, sizeof session->ssrc))
    session->ssrc++;
  session->peer_counts_anew = session->is_renewed = TRUE;
}

guint32
gst_tfrc_sink_session_get_ssrc (const GstTfrcSinkSession *session)
{
  return session->ssrc;
}

guint16
gst_tfrc_sink_session_get_next_seq (const GstTfrcSinkSession *session)
{
  return session->next_rtp_seq;
}

/* The first report leaves with the first packet, so that the receiver can measure delays from the
 * start. */
static void
begin_stream (GstTfrcSinkSession *session, guint16 first_seq, guint64 now_ns)
{
  session->first_seq = first_seq;
  session->packets_before = tfrc_sender_get_packets_sent (session->sender) - 1;
  session->report_ns = now_ns;
  gst_tfrc_sink_session_renew (session);
  session->said_bye = session->bye_answered = session->is_renewed = FALSE;
  gst_tfrc_sink_session_lose_reporter (session);
  session->peer_heard_ns = now_ns;
}

static void
number_packet (GstTfrcSinkSession *session, GstTfrcPacket *packet)
{
  packet->is_new = !packet->has_rtp_seq;
  if (packet->is_new)
    packet->rtp_seq = session->next_rtp_seq++;
  packet->has_rtp_seq = TRUE;
}

/* The header ends where the payload begins. */
static void
write_header (GstTfrcSinkSession *session, GstTfrcPacket *packet, const TfrcData *data)
{
  guint8 header[TFRC_WIRE_MAX_HEADER_BYTES];
  TfrcWireData wire = { 0 };

  wire.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  wire.seq = packet->rtp_seq;
  wire.timestamp = gst_tfrc_sink_session_rtp_timestamp (session, packet->due_ns);
  wire.ssrc = session->ssrc;
  wire.has_transport_seq = session->transport_seq == GST_TFRC_TRANSPORT_SEQ_ALWAYS
      || data->seq != packet->rtp_seq;
  wire.ttl = packet->ttl = gst_tfrc_adaptive_ttl_on_send (&session->ttl, data->send_time_us);
  tfrc_wire_set_data (&wire, data);
  packet->header_bytes = (guint16) tfrc_wire_write_data (header, &wire);
  packet->datagram_bytes = packet->header_bytes + packet->payload_bytes;
  memcpy (gst_tfrc_packet_datagram (packet), header, packet->header_bytes);
}

gboolean
gst_tfrc_sink_session_seal (const GstTfrcSinkSession *session, GstTfrcPacket *packet)
{
  const GstTfrcProtector *protector = &session->protector;
  gsize size;

  if (protector->protect == NULL || packet->is_sealed)
    return TRUE;
  size = protector->protect (
      protector->user, gst_tfrc_packet_datagram (packet), packet->datagram_bytes);
  if (size == 0 || size > packet->datagram_bytes + (gsize) GST_TFRC_PACKET_TAIL_BYTES)
    return FALSE;
  packet->datagram_bytes = (guint16) size;
  packet->is_sealed = TRUE;
  return TRUE;
}

/* Uses up the numbers of packets that the own queue has dropped. Returns FALSE if TFRC does not allow
 * all of them yet. */
static gboolean
account_local_drops (GstTfrcSinkSession *session, gsize payload_bytes, guint64 now_ns)
{
  TfrcData data;

  while (session->local_drops > 0
      && tfrc_sender_prepare (session->sender, payload_bytes, now_ns, &data) == TFRC_OK) {
    gst_tfrc_rate_control_on_packet (&session->control, session->sender, &data, NULL, now_ns);
    session->local_drops--;
  }
  return session->local_drops == 0;
}

void
gst_tfrc_sink_session_on_local_drop (GstTfrcSinkSession *session, guint packets)
{
  session->local_drops += packets;
}

GstTfrcPrepareResult
gst_tfrc_sink_session_prepare (GstTfrcSinkSession *session, GstTfrcPacket *packet, guint64 now_ns)
{
  TfrcData data;

  if (session->breaker.is_open)
    return GST_TFRC_TOO_EARLY;
  if (packet->is_sealed) {
    gst_tfrc_sink_session_mark_again (session, packet);
    return GST_TFRC_PREPARED;
  }
  if (!account_local_drops (session, packet->payload_bytes, now_ns))
    return GST_TFRC_TOO_EARLY;
  if (tfrc_sender_prepare (session->sender, packet->payload_bytes, now_ns, &data) != TFRC_OK)
    return GST_TFRC_TOO_EARLY;
  if (session->report_ns == G_MAXUINT64 || session->said_bye)
    begin_stream (session, data.seq, now_ns);
  number_packet (session, packet);
  gst_tfrc_sink_session_mark_packet (session, packet, data.seq, now_ns);
  gst_tfrc_rate_control_on_packet (
      &session->control, session->sender, &data, packet->is_new ? &packet->rtp_seq : NULL, now_ns);
  write_header (session, packet, &data);
  return GST_TFRC_PREPARED;
}

void
gst_tfrc_sink_session_take_back (GstTfrcSinkSession *session, GstTfrcPacket *packet)
{
  if (packet->is_sealed)
    return;
  tfrc_sender_cancel (session->sender, packet->payload_bytes);
  tfrc_ecn_cancel (session->ecn);
  gst_tfrc_rate_control_take_back (&session->control, packet->payload_bytes, packet->is_new);
  if (!packet->is_new)
    return;
  session->next_rtp_seq--;
  packet->has_rtp_seq = packet->is_new = FALSE;
}

guint64
gst_tfrc_sink_session_next_send_ns (const GstTfrcSinkSession *session)
{
  return session->breaker.is_open ? G_MAXUINT64 : tfrc_sender_next_send_ns (session->sender);
}
