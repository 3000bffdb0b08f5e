/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A generation of keys, see srtpgeneration.h. */
#include "srtpgeneration.h"

#include <openssl/crypto.h>
#include <string.h>

void
gst_tfrc_srtp_generation_free (GstTfrcSrtpGeneration *self)
{
  if (!self)
    return;
  gst_tfrc_srtp_context_clear (&self->receiving);
  OPENSSL_cleanse (&self->sending_key, sizeof self->sending_key);
  g_free (self);
}

/* tfrcsrc chooses the SSRC of its reports by itself, so a sender takes those of any. */
GstTfrcSrtpGeneration *
gst_tfrc_srtp_generation_new (gboolean is_sender, guint32 ssrc, gboolean has_repairs,
    const GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcSrtpGeneration *self = g_new0 (GstTfrcSrtpGeneration, 1);
  const GstTfrcSrtpStreams data = gst_tfrc_srtp_streams (ssrc, has_repairs);

  self->cipher = keys->cipher;
  self->tag_bytes = gst_tfrc_cipher_get_sizes (keys->cipher)->tag_bytes;
  self->sending_key = is_sender ? keys->sender : keys->receiver;
  self->ssrc = ssrc;
  if (gst_tfrc_srtp_context_set (&self->receiving, FALSE, is_sender ? NULL : &data, keys->cipher,
          is_sender ? &keys->receiver : &keys->sender, error))
    return self;
  gst_tfrc_srtp_generation_free (self);
  return NULL;
}

gboolean
gst_tfrc_srtp_generation_try (GstTfrcSrtpGeneration *self, GstTfrcSrtpAttempt *attempt)
{
  GstTfrcUnprotectResult result;

  if (attempt->is_spoilt)
    memcpy (attempt->packet, attempt->copy, attempt->size);
  attempt->is_spoilt = TRUE;
  result = attempt->is_rtcp
      ? gst_tfrc_srtp_context_unprotect_report (self->receiving, attempt->packet, &attempt->size)
      : gst_tfrc_srtp_context_unprotect_data (
          self->receiving, attempt->roc, attempt->packet, &attempt->size);
  if (result == GST_TFRC_UNPROTECTED_REPLAYED)
    attempt->is_replayed = TRUE;
  return result == GST_TFRC_UNPROTECTED_OK;
}
