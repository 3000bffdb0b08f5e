/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The derivation of keys, see srtpkdf.h. */
#include "srtpkdf.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <string.h>

#define BLOCK_BYTES 16
#define LABEL_AT 7 /* in the block: 7 bytes of label and index, at the end of 14 (section 4.3.1) */

/* The key stream of AES in counter mode is what encrypting zeros gives.  The block counter is in the
 * last two bytes, behind the salt of 14 bytes; a salt of 12 is followed by zeros (RFC 7714 section
 * 11), as the master key has it. */
gboolean
gst_tfrc_srtp_derive (GstTfrcCipher cipher, const GstTfrcMasterKey *master, GstTfrcSrtpLabel label,
    guint8 *result, gsize bytes)
{
  gboolean is_long = gst_tfrc_cipher_get_sizes (cipher)->key_bytes == 32;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new ();
  guint8 counter[BLOCK_BYTES] = { 0 };
  gboolean is_ok;
  int written;

  memcpy (counter, master->salt, sizeof master->salt);
  counter[LABEL_AT] ^= (guint8) label;
  memset (result, 0, bytes);
  is_ok = context != NULL
      && EVP_EncryptInit_ex (
             context, is_long ? EVP_aes_256_ctr () : EVP_aes_128_ctr (), NULL, master->key, counter)
          == 1
      && EVP_EncryptUpdate (context, result, &written, result, (int) bytes) == 1;
  EVP_CIPHER_CTX_free (context);
  OPENSSL_cleanse (counter, sizeof counter);
  if (!is_ok) {
    ERR_clear_error ();
    memset (result, 0, bytes);
  }
  return is_ok;
}
