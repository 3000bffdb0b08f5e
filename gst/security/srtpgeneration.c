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

static gboolean
is_gcm (GstTfrcCipher cipher)
{
  return cipher == GST_TFRC_CIPHER_AES_128_GCM || cipher == GST_TFRC_CIPHER_AES_256_GCM;
}

GstTfrcSrtpGeneration *
gst_tfrc_srtp_generation_new (gboolean is_sender, const GstTfrcSrtpContextType *receiving,
    const GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcSrtpGeneration *self = g_new0 (GstTfrcSrtpGeneration, 1);

  self->cipher = keys->cipher;
  self->tag_bytes = gst_tfrc_cipher_get_sizes (keys->cipher)->tag_bytes;
  self->after_index_bytes = is_gcm (keys->cipher) ? 0 : self->tag_bytes;
  self->sending_key = is_sender ? keys->sender : keys->receiver;
  self->ssrc = receiving->ssrc;
  if (gst_tfrc_srtp_context_set (&self->receiving, receiving, keys->cipher,
          is_sender ? &keys->receiver : &keys->sender, error))
    return self;
  gst_tfrc_srtp_generation_free (self);
  return NULL;
}

/* libsrtp takes reports that are not encrypted, which no peer of ours sends.  And libsrtp 2.5 on NSS
 * keeps the additional data of some reports that it refuses: one forged report of 2068 bytes without
 * encryption would make a context of AES-GCM fail for good. */
static gboolean
is_encrypted_report (const GstTfrcSrtpAttempt *attempt, const GstTfrcSrtpGeneration *generation)
{
  gsize tail_bytes = GST_TFRC_SRTP_RTCP_INDEX_BYTES + generation->after_index_bytes;

  return (attempt->packet[attempt->size - tail_bytes] & SRTCP_E_BYTE_BIT) != 0;
}

static gboolean
is_report_ssrc (const GstTfrcSrtpGeneration *generation, guint32 ssrc)
{
  for (guint i = 0; i < generation->n_report_ssrcs; i++) {
    if (generation->report_ssrcs[i] == ssrc)
      return TRUE;
  }
  return FALSE;
}

/* Returns whether libsrtp may begin to keep a stream for a report's SSRC, or does so already. */
static gboolean
may_keep_stream (const GstTfrcSrtpAttempt *attempt, const GstTfrcSrtpGeneration *generation)
{
  return generation->n_report_ssrcs < GST_TFRC_SRTP_REPORT_SSRCS
      || is_report_ssrc (generation, GST_READ_UINT32_BE (attempt->packet + 4));
}

static void
note_report_ssrc (const GstTfrcSrtpAttempt *attempt, GstTfrcSrtpGeneration *generation)
{
  guint32 ssrc = GST_READ_UINT32_BE (attempt->packet + 4);

  if (!is_report_ssrc (generation, ssrc))
    generation->report_ssrcs[generation->n_report_ssrcs++] = ssrc;
}

gboolean
gst_tfrc_srtp_generation_try (GstTfrcSrtpGeneration *self, GstTfrcSrtpAttempt *attempt)
{
  int size = (int) attempt->size;
  srtp_err_status_t status;

  if (attempt->is_spoilt)
    memcpy (attempt->packet, attempt->copy, attempt->size);
  attempt->is_spoilt = TRUE;
  if (attempt->is_rtcp
      && (!is_encrypted_report (attempt, self) || !may_keep_stream (attempt, self)))
    return FALSE;
  status = attempt->is_rtcp ? srtp_unprotect_rtcp (self->receiving, attempt->packet, &size)
                            : srtp_unprotect (self->receiving, attempt->packet, &size);
  if (status == srtp_err_status_replay_fail || status == srtp_err_status_replay_old)
    attempt->is_replayed = TRUE;
  if (status != srtp_err_status_ok)
    return FALSE;
  if (attempt->is_rtcp)
    note_report_ssrc (attempt, self);
  attempt->size = (gsize) size;
  return TRUE;
}
