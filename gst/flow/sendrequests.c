/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver asks of a sender, see sendrequests.h. */
#include "sendrequests.h"

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

void
gst_tfrc_send_requests_init (GstTfrcSendRequests *self, GstTfrcSendSession *session,
    GstTfrcOutbox *outbox, GstTfrcEvents *events)
{
  *self = (GstTfrcSendRequests){ .session = session, .outbox = outbox, .events = events };
}

static void
repair (GstTfrcSendRequests *self, const guint16 *seqs, guint n, guint64 now_ns)
{
  guint repaired = 0;

  for (guint i = 0; i < n; i++)
    repaired += gst_tfrc_outbox_repair (self->outbox, seqs[i], now_ns);
  gst_tfrc_log (flow, LOG, "the receiver asks for %u packets: %u are repaired", n, repaired);
}

static void
ask_for_key_unit (GstTfrcSendRequests *self, guint64 now_ns)
{
  gboolean is_taken = gst_tfrc_key_units_take (&self->key_units, now_ns);

  gst_tfrc_log (flow, DEBUG, "the receiver has lost a picture: %s",
      is_taken ? "a key unit is wanted" : "a key unit was wanted a moment ago");
  if (is_taken)
    gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_KEY_UNIT);
}

gboolean
gst_tfrc_send_requests_on_rtcp (GstTfrcSendRequests *self, const GstTfrcReceivedPacket *packet)
{
  const GstTfrcRtpStream *media = gst_tfrc_send_media_get_rtp (
      gst_tfrc_send_session_get_media (self->session), GST_TFRC_RTP_MEDIA);
  guint32 ssrc = gst_tfrc_rtp_stream_get_ssrc (media);
  guint64 now_ns = MAX (packet->arrival_ns, packet->read_ns);
  guint16 seqs[GST_TFRC_SEND_REQUESTS_MAX_NUMBERS];
  gboolean wants_key_unit;
  guint n;

  if (packet->truncated)
    return FALSE;
  n = read_requests (packet, ssrc, seqs, G_N_ELEMENTS (seqs));
  wants_key_unit = tfrc_wire_find_pli (packet->data, packet->size, ssrc);
  if ((n == 0 && !wants_key_unit) || !is_of_receiver (self->session, packet))
    return FALSE;
  /* The request has met the BYE: data after it would be another stream's. */
  if (gst_tfrc_rtp_stream_has_ended (media))
    return TRUE;
  if (n > 0)
    repair (self, seqs, n, now_ns);
  if (wants_key_unit)
    ask_for_key_unit (self, now_ns);
  return TRUE;
}
