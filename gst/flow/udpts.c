/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain transport streams over UDP, see udpts.h. */
#include "udpts.h"

#include <gst/gst.h>
#include <string.h>
#include <tfrc/wire.h>

#include "../common/transportstream.h"

#define RTP_VERSION_2 0x80

void
gst_tfrc_udp_ts_init (
    GstTfrcUdpTs *self, guint32 own_ssrc, const GstTfrcAddressFilter *senders, gboolean accepts)
{
  memset (self, 0, sizeof *self);
  self->own_ssrc = own_ssrc;
  self->senders = senders;
  self->accepts = accepts;
  self->counts_others = TRUE;
}

/* @return FALSE: another address has a stream */
static gboolean
follow_sender (GstTfrcUdpTs *self, const GstTfrcReceivedPacket *datagram)
{
  gboolean is_same = self->has_sender && gst_tfrc_address_equal (&self->from, datagram->from);

  if (!is_same && self->has_sender
      && datagram->arrival_ns < self->heard_ns + GST_TFRC_UDP_TS_SILENCE_NS)
    return FALSE;
  if (!is_same) {
    /* An odd number would be that of repairs. */
    self->ssrc = ((self->has_sender ? self->ssrc : self->own_ssrc) + 2) & ~1u;
    if (self->ssrc == self->own_ssrc)
      self->ssrc += 2;
    self->from = *datagram->from;
    self->has_sender = TRUE;
  }
  self->heard_ns = datagram->arrival_ns;
  return TRUE;
}

gboolean
gst_tfrc_udp_ts_wrap (
    GstTfrcUdpTs *self, const GstTfrcReceivedPacket *datagram, GstTfrcUdpTsPacket *wrapped)
{
  if (!self->accepts || datagram->truncated || datagram->size > GST_TFRC_UDP_TS_MAX_BYTES
      || !gst_tfrc_is_transport_stream (datagram->data, datagram->size)
      || !gst_tfrc_address_filter_allows (self->senders, datagram->from)
      || !follow_sender (self, datagram))
    return FALSE;
  wrapped->bytes[0] = RTP_VERSION_2;
  wrapped->bytes[1] = TFRC_WIRE_PAYLOAD_TYPE;
  GST_WRITE_UINT16_BE (wrapped->bytes + 2, self->seq);
  GST_WRITE_UINT32_BE (wrapped->bytes + 4,
      (guint32) gst_util_uint64_scale (datagram->arrival_ns, TFRC_WIRE_CLOCK_RATE, GST_SECOND));
  GST_WRITE_UINT32_BE (wrapped->bytes + 8, self->ssrc);
  memcpy (wrapped->bytes + GST_TFRC_UDP_TS_HEADER_BYTES, datagram->data, datagram->size);
  wrapped->packet = *datagram;
  wrapped->packet.data = wrapped->bytes;
  wrapped->packet.size += GST_TFRC_UDP_TS_HEADER_BYTES;
  self->seq++;
  return TRUE;
}

gboolean
gst_tfrc_udp_ts_count_other (GstTfrcUdpTs *self, const GstTfrcReceivedPacket *packet)
{
  if (!self->counts_others || !gst_tfrc_address_filter_allows (self->senders, packet->from)
      || ++self->other.n < GST_TFRC_OTHER_PACKETS)
    return FALSE;
  self->other.from = *packet->from;
  self->other.is_ts = gst_tfrc_is_transport_stream (packet->data, packet->size);
  self->counts_others = FALSE;
  return TRUE;
}

void
gst_tfrc_udp_ts_end_count (GstTfrcUdpTs *self)
{
  self->counts_others = FALSE;
}
