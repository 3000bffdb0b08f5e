/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libsrtp, see libsrtp.h. */
#include "libsrtp.h"

#include <gio/gio.h>
#include <openssl/crypto.h>
#include <srtp2/srtp.h>
#include <string.h>

#include "replaywindow.h"

#define RTCP_INDEX_BYTES 4 /* RFC 3711 section 3.4 */

struct _GstTfrcLibsrtp
{
  srtp_t session; /* NULL: no key yet */
  gboolean protects;
  gboolean has_data;
  GstTfrcSrtpStreams data; /* if has_data */
  gsize
      after_index_bytes; /* in a report: 0 with AES-GCM (RFC 7714 section 9.2), otherwise the tag */
  gboolean knows_roc[GST_TFRC_SRTP_STREAMS];        /* a packet of the stream has been protected */
  guint32 report_ssrcs[GST_TFRC_SRTP_REPORT_SSRCS]; /* of reports that have been unprotected */
  guint n_report_ssrcs;
};

GST_DEBUG_CATEGORY_STATIC (srtp_debug);
#define GST_CAT_DEFAULT srtp_debug

/* libsrtp's debug messages contain keys, and its infos say nothing: both stay unread. */
static void
log_message (srtp_log_level_t level, const char *message, void *data)
{
  if (level == srtp_log_level_error || level == srtp_log_level_warning)
    GST_WARNING ("libsrtp: %s", message);
}

static gpointer
start_libsrtp (gpointer data)
{
  srtp_err_status_t status;

  GST_DEBUG_CATEGORY_INIT (srtp_debug, "tfrcsrtp", 0, "SRTP of gst-tfrc");
  srtp_install_log_handler (log_message, NULL);
  status = srtp_init ();
  if (status != srtp_err_status_ok)
    GST_INFO ("srtp_init() returns %d", status);
  return NULL;
}

/* Once in a process, without an end: other users of libsrtp in the process may still need it.
 *
 * If another user, as GStreamer's srtpdec, has initialised libsrtp before, srtp_init() returns an
 * error, and libsrtp works all the same.  If libsrtp does not work, srtp_create() fails. */
static void
require_libsrtp (void)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, start_libsrtp, NULL);
}

static void
set_crypto_policy (srtp_crypto_policy_t *policy, GstTfrcCipher cipher)
{
  switch (cipher) {
    case GST_TFRC_CIPHER_AES_128_GCM:
      srtp_crypto_policy_set_aes_gcm_128_16_auth (policy);
      break;
    case GST_TFRC_CIPHER_AES_256_GCM:
      srtp_crypto_policy_set_aes_gcm_256_16_auth (policy);
      break;
    case GST_TFRC_CIPHER_AES_128_ICM:
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80 (policy);
      break;
    case GST_TFRC_CIPHER_AES_256_ICM:
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80 (policy);
      break;
  }
}

GstTfrcLibsrtp *
gst_tfrc_libsrtp_new (gboolean protects, const GstTfrcSrtpStreams *data)
{
  GstTfrcLibsrtp *self = g_new0 (GstTfrcLibsrtp, 1);

  self->protects = protects;
  self->has_data = data != NULL;
  if (data != NULL)
    self->data = *data;
  return self;
}

/* Sets the SSRC of the policies: that of the media and of its repairs, or any. */
static void
set_streams (const GstTfrcLibsrtp *self, srtp_policy_t *policy, srtp_policy_t *repair)
{
  guint32 repair_ssrc;

  if (!self->has_data) {
    policy->ssrc.type = self->protects ? ssrc_any_outbound : ssrc_any_inbound;
    return;
  }
  policy->ssrc.type = ssrc_specific;
  policy->ssrc.value = gst_tfrc_srtp_streams_get_media (&self->data);
  repair_ssrc = gst_tfrc_srtp_repair_ssrc (policy->ssrc.value);
  if (gst_tfrc_srtp_streams_find (&self->data, repair_ssrc) != GST_TFRC_SRTP_REPAIR)
    return;
  *repair = *policy;
  repair->ssrc.value = repair_ssrc;
  policy->next = repair;
}

gboolean
gst_tfrc_libsrtp_set_key (
    GstTfrcLibsrtp *self, GstTfrcCipher cipher, const GstTfrcMasterKey *key, GError **error)
{
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (cipher);
  guint8 key_and_salt[GST_TFRC_CIPHER_MAX_KEY_BYTES + GST_TFRC_CIPHER_MAX_SALT_BYTES];
  srtp_policy_t policy = { .key = key_and_salt, .window_size = GST_TFRC_REPLAY_WINDOW_NUMBERS };
  srtp_policy_t repair;
  srtp_err_status_t status;

  require_libsrtp ();
  memcpy (key_and_salt, key->key, sizes->key_bytes);
  memcpy (key_and_salt + sizes->key_bytes, key->salt, sizes->salt_bytes);
  set_crypto_policy (&policy.rtp, cipher);
  set_crypto_policy (&policy.rtcp, cipher);
  set_streams (self, &policy, &repair);
  self->after_index_bytes = sizes->tag_bytes == 16 ? 0 : sizes->tag_bytes;
  status = self->session ? srtp_update (self->session, &policy)
                         : srtp_create (&self->session, &policy);
  OPENSSL_cleanse (key_and_salt, sizeof key_and_salt);
  if (status == srtp_err_status_ok)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "libsrtp refuses the keys of %s: error %d",
      sizes->tag_bytes == 16 ? "AES-GCM" : "AES-ICM", status);
  return FALSE;
}

void
gst_tfrc_libsrtp_free (GstTfrcLibsrtp *self)
{
  if (self == NULL)
    return;
  if (self->session)
    srtp_dealloc (self->session);
  g_free (self);
}

/* ---- protection ---------------------------------------------------------- */

gsize
gst_tfrc_libsrtp_protect_data (GstTfrcLibsrtp *self, guint32 roc, guint8 *packet, gsize size)
{
  guint32 ssrc = GST_READ_UINT32_BE (packet + 8);
  GstTfrcSrtpStream stream = self->has_data ? gst_tfrc_srtp_streams_find (&self->data, ssrc)
                                            : GST_TFRC_SRTP_NO_STREAM;
  int bytes = (int) size;

  if (stream == GST_TFRC_SRTP_NO_STREAM)
    return 0;
  /* libsrtp takes 0 for "not set", which a new context begins with. */
  if (!self->knows_roc[stream]
      && srtp_set_stream_roc (self->session, ssrc, roc) != srtp_err_status_ok)
    return 0;
  if (srtp_protect (self->session, packet, &bytes) != srtp_err_status_ok)
    return 0;
  self->knows_roc[stream] = TRUE;
  return (gsize) bytes;
}

gsize
gst_tfrc_libsrtp_protect_report (GstTfrcLibsrtp *self, guint8 *packet, gsize size)
{
  int bytes = (int) size;

  return srtp_protect_rtcp (self->session, packet, &bytes) == srtp_err_status_ok ? (gsize) bytes
                                                                                 : 0;
}

/* ---- unprotection -------------------------------------------------------- */

static GstTfrcUnprotectResult
result_of (srtp_err_status_t status)
{
  if (status == srtp_err_status_replay_fail || status == srtp_err_status_replay_old)
    return GST_TFRC_UNPROTECTED_REPLAYED;
  return status == srtp_err_status_ok ? GST_TFRC_UNPROTECTED_OK : GST_TFRC_UNPROTECTED_FORGED;
}

/* libsrtp would guess the counter from this context's packets alone, but others may have come
 * elsewhere (gst_tfrc_srtp_follow_index()).  A new context's counter is 0, and libsrtp takes 0 for "not
 * set". */
GstTfrcUnprotectResult
gst_tfrc_libsrtp_unprotect_data (GstTfrcLibsrtp *self, guint32 roc, guint8 *packet, gsize *size)
{
  int bytes = (int) *size;
  GstTfrcUnprotectResult result;

  srtp_set_stream_roc (self->session, GST_READ_UINT32_BE (packet + 8), roc);
  result = result_of (srtp_unprotect (self->session, packet, &bytes));
  if (result == GST_TFRC_UNPROTECTED_OK)
    *size = (gsize) bytes;
  return result;
}

/* libsrtp takes reports that are not encrypted, which no peer of ours sends.  And libsrtp 2.5 on NSS
 * keeps the additional data of some reports that it refuses: one forged report of 2068 bytes without
 * encryption would make a context of AES-GCM fail for good. */
static gboolean
is_encrypted_report (const GstTfrcLibsrtp *self, const guint8 *packet, gsize size)
{
  return (packet[size - RTCP_INDEX_BYTES - self->after_index_bytes] & SRTCP_E_BYTE_BIT) != 0;
}

static gboolean
is_report_ssrc (const GstTfrcLibsrtp *self, guint32 ssrc)
{
  for (guint i = 0; i < self->n_report_ssrcs; i++) {
    if (self->report_ssrcs[i] == ssrc)
      return TRUE;
  }
  return FALSE;
}

/* Returns whether libsrtp may begin to keep a stream for a report's SSRC, or does so already. */
static gboolean
may_keep_stream (const GstTfrcLibsrtp *self, guint32 ssrc)
{
  return self->n_report_ssrcs < GST_TFRC_SRTP_REPORT_SSRCS || is_report_ssrc (self, ssrc);
}

GstTfrcUnprotectResult
gst_tfrc_libsrtp_unprotect_report (GstTfrcLibsrtp *self, guint8 *packet, gsize *size)
{
  guint32 ssrc = GST_READ_UINT32_BE (packet + 4);
  int bytes = (int) *size;
  GstTfrcUnprotectResult result;

  if (!is_encrypted_report (self, packet, *size) || !may_keep_stream (self, ssrc))
    return GST_TFRC_UNPROTECTED_FORGED;
  result = result_of (srtp_unprotect_rtcp (self->session, packet, &bytes));
  if (result != GST_TFRC_UNPROTECTED_OK)
    return result;
  if (!is_report_ssrc (self, ssrc))
    self->report_ssrcs[self->n_report_ssrcs++] = ssrc;
  *size = (gsize) bytes;
  return result;
}
