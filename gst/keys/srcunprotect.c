/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that come to a source lose their protection, or are refused.  See srckeys.h. */
#include "srckeys-private.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* How long packets without protection may still be under way after the first protected one */
#define PLAIN_GRACE_NS (2 * S_NS)

/* A stream of which no packet can be unprotected for this time has other keys now. */
#define LOST_KEYS_NS (2 * S_NS)

static gboolean
has_lost_keys (const GstTfrcSrcKeyedStream *stream, guint64 now_ns)
{
  return stream == NULL || now_ns >= stream->read_ns + LOST_KEYS_NS;
}

static void
refuse (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    const GstTfrcSrcKeyedStream *stream, GstTfrcUnprotectResult result, gboolean was_plaintext,
    const GstTfrcKeyTime *time)
{
  if (result == GST_TFRC_UNPROTECTED_NO_KEY && was_plaintext)
    result = GST_TFRC_UNPROTECTED_FORGED;
  gst_tfrc_security_count (&self->stats.refused, result, was_plaintext);
  if (was_plaintext)
    gst_tfrc_src_exchange_count_failure (
        self, "The sender's stream is not protected: give the sender the same keys.", time->now_ns);
  else if (has_lost_keys (stream, time->now_ns))
    gst_tfrc_src_exchange_on_unknown (self, packet, time);
}

/* With GST_TFRC_PROTECT_RAISED_TTL packets need no protection until the first one comes protected.
 * Packets that left before that one may come after it. */
static gboolean
may_be_plain (const GstTfrcSrcKeys *self, const GstTfrcSrcKeyedStream *stream, gboolean is_rtcp,
    const guint8 *packet, guint64 now_ns)
{
  if (!self->takes_plain)
    return FALSE;
  if (stream == NULL || !stream->is_sealed)
    return TRUE;
  if (now_ns >= stream->sealed_ns + PLAIN_GRACE_NS)
    return FALSE;
  return is_rtcp || !stream->has_sealed_seq
      || (gint16) (GST_READ_UINT16_BE (packet + 2) - stream->sealed_seq) < 0;
}

/* The sender's key packets leave protected also as long as the others do not. */
static void
note_sealed (GstTfrcSrcKeyedStream *stream, gboolean is_rtcp, const guint8 *packet, gsize size,
    guint64 now_ns)
{
  if (is_rtcp && gst_tfrc_key_packet_is (packet, size))
    return;
  if (!stream->is_sealed)
    stream->sealed_ns = now_ns;
  stream->is_sealed = TRUE;
  if (is_rtcp || stream->has_sealed_seq)
    return;
  stream->sealed_seq = GST_READ_UINT16_BE (packet + 2);
  stream->has_sealed_seq = TRUE;
}

/* @found: set to whose packet it is, if the packet was protected */
static gboolean
unprotect (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gboolean is_rtcp, gsize *size,
    GstTfrcSrcKeyedStream **found, const GstTfrcKeyTime *time)
{
  gboolean was_plaintext = is_rtcp ? gst_tfrc_security_is_plain_rtcp (packet->data, *size)
                                   : gst_tfrc_security_is_plain_data (packet->data, *size);
  guint32 ssrc = GST_READ_UINT32_BE (packet->data + (is_rtcp ? 4 : 8));
  GstTfrcSrcKeyedStream *stream = gst_tfrc_src_exchange_find (self, ssrc);
  GstTfrcUnprotectResult result = GST_TFRC_UNPROTECTED_NO_KEY;
  gboolean is_known;

  if (was_plaintext && may_be_plain (self, stream, is_rtcp, packet->data, time->now_ns))
    return TRUE;
  is_known = stream && gst_tfrc_address_equal (packet->from, &stream->from);
  if (stream && !is_known)
    gst_tfrc_srtp_follow_index (stream->elsewhere, stream->srtp);
  if (stream)
    result = gst_tfrc_srtp_unprotect (
        is_known ? stream->srtp : stream->elsewhere, is_rtcp, packet->data, size, time->now_ns);
  if (result != GST_TFRC_UNPROTECTED_OK) {
    refuse (self, packet, stream, result, was_plaintext, time);
    return FALSE;
  }
  note_sealed (stream, is_rtcp, packet->data, *size, time->now_ns);
  stream->read_ns = time->now_ns;
  if (is_known)
    stream->local = packet->local;
  else
    stream->from_elsewhere = *packet->from;
  *found = stream;
  return TRUE;
}

static void
on_key_packet (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gsize size,
    GstTfrcSrcKeyedStream *stream, const GstTfrcKeyTime *time)
{
  if (!gst_tfrc_src_exchange_on_packet (self, packet, size, stream, time))
    self->stats.key_messages_refused++;
}

gboolean
gst_tfrc_src_keys_unprotect (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    gboolean is_rtcp, gsize *size, const GstTfrcKeyTime *time)
{
  GstTfrcSrcKeyedStream *stream = NULL;

  if (is_rtcp && gst_tfrc_key_packet_is (packet->data, *size)) {
    on_key_packet (self, packet, *size, NULL, time);
    return FALSE;
  }
  if (!unprotect (self, packet, is_rtcp, size, &stream, time))
    return FALSE;
  if (is_rtcp && gst_tfrc_key_packet_is (packet->data, *size)) {
    on_key_packet (self, packet, *size, stream, time);
    return FALSE;
  }
  return TRUE;
}
