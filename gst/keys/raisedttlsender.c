/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `protect=raised-ttl' at the sender, see raisedttl.h. */
#include "raisedttl.h"

/* The time for which the receiver's packets may come without protection after the switch: these
 * packets were under way. */
#define PLAIN_GRACE_NS (2 * G_GUINT64_CONSTANT (1000000000))

void
gst_tfrc_raised_ttl_sender_init (GstTfrcRaisedTtlSender *self, GstTfrcProtect protect)
{
  self->is_sealing = protect == GST_TFRC_PROTECT_ALL;
  self->takes_plain = !self->is_sealing;
  self->plain_until_ns = G_MAXUINT64;
}

gboolean
gst_tfrc_raised_ttl_sender_seal (GstTfrcRaisedTtlSender *self, guint64 now_ns)
{
  if (self->is_sealing)
    return FALSE;
  self->plain_until_ns = now_ns + PLAIN_GRACE_NS;
  self->is_sealing = TRUE;
  return TRUE;
}

gboolean
gst_tfrc_raised_ttl_sender_takes_plain (const GstTfrcRaisedTtlSender *self, guint64 now_ns)
{
  return self->takes_plain && now_ns < self->plain_until_ns;
}
