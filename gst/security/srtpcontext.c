/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contexts of libsrtp, see srtpcontext.h. */
#include "srtpcontext.h"

#include <gio/gio.h>
#include <openssl/crypto.h>
#include <string.h>

#include "srtpindex.h"

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

gboolean
gst_tfrc_srtp_context_set (srtp_t *context, const GstTfrcSrtpContextType *type,
    GstTfrcCipher cipher, const GstTfrcMasterKey *key, GError **error)
{
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (cipher);
  guint8 key_and_salt[GST_TFRC_CIPHER_MAX_KEY_BYTES + GST_TFRC_CIPHER_MAX_SALT_BYTES];
  srtp_policy_t policy = { .ssrc = { type->ssrc_type, type->ssrc },
    .key = key_and_salt,
    .window_size = type->window_packets };
  srtp_policy_t repair;
  srtp_err_status_t status;

  require_libsrtp ();
  memcpy (key_and_salt, key->key, sizes->key_bytes);
  memcpy (key_and_salt + sizes->key_bytes, key->salt, sizes->salt_bytes);
  set_crypto_policy (&policy.rtp, cipher);
  set_crypto_policy (&policy.rtcp, cipher);
  repair = policy;
  repair.ssrc.value = gst_tfrc_srtp_repair_ssrc (type->ssrc);
  if (type->ssrc_type == ssrc_specific && type->has_repairs && repair.ssrc.value != type->ssrc)
    policy.next = &repair;
  status = *context ? srtp_update (*context, &policy) : srtp_create (context, &policy);
  OPENSSL_cleanse (key_and_salt, sizeof key_and_salt);
  if (status == srtp_err_status_ok)
    return TRUE;
  gst_tfrc_srtp_context_clear (context);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "libsrtp refuses the keys of %s: error %d",
      sizes->tag_bytes == 16 ? "AES-GCM" : "AES-ICM", status);
  return FALSE;
}

void
gst_tfrc_srtp_context_clear (srtp_t *context)
{
  if (*context)
    srtp_dealloc (*context);
  *context = NULL;
}
