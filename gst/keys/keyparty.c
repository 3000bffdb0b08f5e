/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common part of all exchanges of an end, see keyparty.h. */
#include "keyparty.h"

/* Entries of the replay cache, which the requests of reverse mode fill at a sender, one in a second
 * at most.  Each stays for ten minutes; a full cache refuses messages.  A receiver needs none: its part
 * of the keys is another one each time. */
#define REPLAY_ENTRIES 1024

GstTfrcKeyParty *
gst_tfrc_key_party_new (GstTfrcSrtpEnd end, GstTfrcCredentials *credentials, const guint8 *secret)
{
  gboolean has_psk = gst_tfrc_credentials_get_key_exchange (credentials)
      == GST_TFRC_KEY_EXCHANGE_PSK;
  GstTfrcKeyParty *self = g_new0 (GstTfrcKeyParty, 1);

  self->end = end;
  self->credentials = gst_tfrc_credentials_ref (credentials);
  if (end == GST_TFRC_SRTP_SENDER)
    self->replay_cache = gst_tfrc_mikey_replay_cache_new (REPLAY_ENTRIES);
  self->limits = gst_tfrc_key_limits_new (end, has_psk, secret);
  return self;
}

void
gst_tfrc_key_party_free (GstTfrcKeyParty *self)
{
  if (self == NULL)
    return;
  gst_tfrc_key_limits_free (self->limits);
  gst_tfrc_mikey_replay_cache_free (self->replay_cache);
  gst_tfrc_credentials_unref (self->credentials);
  g_free (self);
}

gboolean
gst_tfrc_key_party_may_answer (GstTfrcKeyParty *self, guint64 now_ns)
{
  return gst_tfrc_key_limits_may_answer (self->limits, now_ns);
}

GstTfrcKeyLimits *
gst_tfrc_key_party_get_limits (GstTfrcKeyParty *self)
{
  return self->limits;
}

GstTfrcCredentials *
gst_tfrc_key_party_get_credentials (const GstTfrcKeyParty *self)
{
  return self->credentials;
}
