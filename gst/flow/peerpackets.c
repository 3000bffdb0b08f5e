/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets are the sender's, see peerpackets.h. */
#include "peerpackets.h"

#include <string.h>

#include "../common/transportstream.h"

static gboolean
is_repairs_ssrc (guint32 ssrc)
{
  return ssrc % 2 != 0;
}

/* ---- data ---------------------------------------------------------------------- */

/* ST 2022-1 has an SSRC of 0, as it finds its packets by their ports. A sender without TFRC may do so, too; but no
 * other, or whoever can write its address would need to know nothing else. */
static GstTfrcDataKind
read_fec (const GstTfrcIntake *intake, const GstTfrcReceivedPacket *packet, TfrcWireData *header)
{
  const GstTfrcReception *reception = gst_tfrc_intake_get_reception (intake);
  guint32 ssrc = reception ? gst_tfrc_reception_get_ssrc (reception) : 0;
  gboolean is_plain = reception && !gst_tfrc_reception_has_tfrc (reception);
  gboolean has_ssrc = header->has_transport_seq
      ? header->ssrc == TFRC_WIRE_REPAIR_SSRC (ssrc)
      : is_plain && (header->ssrc == ssrc || header->ssrc == 0);
  TfrcWireData parsed = *header;
  TfrcWireFec fec;

  if (!has_ssrc || !tfrc_wire_take_fec (packet->data, &parsed, &fec)
      || !gst_tfrc_intake_is_from (intake, packet, ssrc))
    return GST_TFRC_DATA_OF_NOBODY;
  header->ssrc = ssrc;
  return GST_TFRC_DATA_MOVIE;
}

/* TFRC could not count a repair of a sender that knows it without a transport number. */
GstTfrcDataKind
gst_tfrc_peer_packets_read_data (
    const GstTfrcIntake *intake, const GstTfrcReceivedPacket *packet, TfrcWireData *header)
{
  gboolean is_rtx = gst_tfrc_rtp_is_repair (header);
  gboolean is_repairs = is_repairs_ssrc (header->ssrc)
      && gst_tfrc_intake_is_from (intake, packet, header->ssrc - 1);
  gboolean is_plain = is_repairs && !header->has_rtt_sendts
      && !gst_tfrc_reception_has_tfrc (gst_tfrc_intake_get_reception (intake));

  if (gst_tfrc_rtp_is_fec (header))
    return read_fec (intake, packet, header);
  if (is_rtx
      && (!is_repairs || (!header->has_transport_seq && !is_plain)
          || !tfrc_wire_take_original_seq (packet->data, header, &header->seq)))
    return GST_TFRC_DATA_OF_NOBODY;
  if ((!is_rtx && header->payload_type != TFRC_WIRE_PAYLOAD_TYPE)
      || !gst_tfrc_is_transport_stream (packet->data + header->header_bytes, header->payload_bytes))
    return GST_TFRC_DATA_OF_NOBODY;
  if (!is_rtx && !is_plain && !(is_repairs && header->has_transport_seq))
    return GST_TFRC_DATA_MOVIE;
  header->ssrc--;
  header->payload_type = TFRC_WIRE_REPAIR_PAYLOAD_TYPE;
  return is_plain ? GST_TFRC_DATA_PLAIN_REPAIR : GST_TFRC_DATA_MOVIE;
}

/* ---- RTCP ------------------------------------------------------------------------ */

/* A sender that knows TFRC multiplexes. */
static gboolean
is_at_sender (const GstTfrcReception *reception, const GstTfrcAddressFilter *filter,
    const GstTfrcAddress *from)
{
  const GstTfrcAddress *address = gst_tfrc_reception_get_address (reception);

  return gst_tfrc_address_equal (from, address)
      || (!gst_tfrc_reception_has_tfrc (reception) && gst_tfrc_address_same_host (from, address)
          && gst_tfrc_address_filter_allows (filter, from));
}

gboolean
gst_tfrc_peer_packets_read_rtcp (GstTfrcPeerPackets *self, const GstTfrcIntake *intake,
    const GstTfrcAddressFilter *filter, GstTfrcReceivedPacket *packet, TfrcWireRtcp *rtcp)
{
  const GstTfrcReception *reception = gst_tfrc_intake_get_reception (intake);
  guint32 ssrc = reception ? gst_tfrc_reception_get_ssrc (reception) : 0;
  gboolean is_of_repairs = is_repairs_ssrc (rtcp->sender_ssrc) && rtcp->sender_ssrc - 1 == ssrc;

  if (reception == NULL || (rtcp->sender_ssrc != ssrc && !is_of_repairs)
      || !is_at_sender (reception, filter, packet->from))
    return TRUE;
  if (is_of_repairs)
    *rtcp = (TfrcWireRtcp){ .sender_ssrc = ssrc };
  if (rtcp->has_sr && !gst_tfrc_reception_has_tfrc (reception))
    self->rtcp = *packet->from;
  packet->from = gst_tfrc_reception_get_address (reception);
  return !is_of_repairs || !gst_tfrc_reception_has_ended (reception);
}

void
gst_tfrc_peer_packets_begin (GstTfrcPeerPackets *self)
{
  memset (self, 0, sizeof *self);
}

const GstTfrcAddress *
gst_tfrc_peer_packets_get_rtcp (const GstTfrcPeerPackets *self)
{
  return gst_tfrc_address_family (&self->rtcp) == AF_UNSPEC ? NULL : &self->rtcp;
}
