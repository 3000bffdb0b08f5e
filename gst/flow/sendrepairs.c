/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests for repairs, see sendrepairs.h. */
#include "sendrepairs.h"

#include "../common/log.h"

/* Every compound has the SSRC of its sender there. */
#define SSRC_AT 4

static gboolean
is_of_receiver (const GstTfrcSendSession *session, const GstTfrcReceivedPacket *packet)
{
  return gst_tfrc_address_equal (
             packet->from, gst_tfrc_send_paths_get_peer (gst_tfrc_send_session_get_paths (session)))
      && gst_tfrc_receiver_view_is_receiver (gst_tfrc_send_session_get_receiver (session),
          GST_READ_UINT32_BE (packet->data + SSRC_AT));
}

gboolean
gst_tfrc_send_repairs_on_rtcp (
    GstTfrcSendSession *session, GstTfrcOutbox *outbox, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcRtpStream *media = gst_tfrc_send_media_get_rtp (
      gst_tfrc_send_session_get_media (session), GST_TFRC_RTP_MEDIA);
  guint32 ssrc = gst_tfrc_rtp_stream_get_ssrc (media);
  guint64 now_ns = MAX (packet->arrival_ns, packet->read_ns);
  guint16 seqs[GST_TFRC_SEND_REPAIRS_MAX_NUMBERS];
  guint n = 0, repaired = 0;
  const guint8 *fci;
  gsize bytes;

  if (packet->truncated || !tfrc_wire_find_nack (packet->data, packet->size, ssrc, 0, &fci, &bytes)
      || !is_of_receiver (session, packet))
    return FALSE;
  /* The request has met the BYE: data after it would be another stream's. */
  if (gst_tfrc_rtp_stream_has_ended (media))
    return TRUE;
  for (guint nth = 0; n < G_N_ELEMENTS (seqs)
       && tfrc_wire_find_nack (packet->data, packet->size, ssrc, nth, &fci, &bytes);
       nth++)
    n += (guint) tfrc_wire_read_nack (fci, bytes, seqs + n, G_N_ELEMENTS (seqs) - n);
  for (guint i = 0; i < n; i++)
    repaired += gst_tfrc_outbox_repair (outbox, seqs[i], now_ns);
  gst_tfrc_log (flow, LOG, "the receiver asks for %u packets: %u are repaired", n, repaired);
  return TRUE;
}
