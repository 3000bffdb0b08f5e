/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `protect=raised-ttl' at the receiver, see raisedttl.h. */
#include "keypacket.h"
#include "raisedttl.h"

/* The time for which packets without protection may still be under way after the first protected
 * one */
#define PLAIN_GRACE_NS (2 * G_GUINT64_CONSTANT (1000000000))

void
gst_tfrc_raised_ttl_receiver_init (GstTfrcRaisedTtlReceiver *self, GstTfrcProtect protect)
{
  *self = (GstTfrcRaisedTtlReceiver){ .takes_plain = protect == GST_TFRC_PROTECT_RAISED_TTL,
    .is_sealed = protect != GST_TFRC_PROTECT_RAISED_TTL };
}

/* Packets that left before the first protected one may come after it. */
gboolean
gst_tfrc_raised_ttl_receiver_takes_plain (
    const GstTfrcRaisedTtlReceiver *self, gboolean is_rtcp, const guint8 *packet, guint64 now_ns)
{
  if (!self->takes_plain)
    return FALSE;
  if (!self->is_sealed)
    return TRUE;
  if (now_ns >= self->sealed_ns + PLAIN_GRACE_NS)
    return FALSE;
  return is_rtcp || !self->has_sealed_seq
      || (gint16) (GST_READ_UINT16_BE (packet + 2) - self->sealed_seq) < 0;
}

gboolean
gst_tfrc_raised_ttl_receiver_is_sealed (const GstTfrcRaisedTtlReceiver *self)
{
  return self->is_sealed;
}

/* The sender's key packets leave protected also as long as the others do not. */
void
gst_tfrc_raised_ttl_receiver_on_unprotected (GstTfrcRaisedTtlReceiver *self, gboolean is_media,
    const guint8 *packet, gsize size, guint64 now_ns)
{
  if (gst_tfrc_key_packet_is (packet, size))
    return;
  if (!self->is_sealed)
    self->sealed_ns = now_ns;
  self->is_sealed = TRUE;
  if (!is_media || self->has_sealed_seq)
    return;
  self->sealed_seq = GST_READ_UINT16_BE (packet + 2);
  self->has_sealed_seq = TRUE;
}
