/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ciphers of a protected stream, see cipher.h. */
#include "cipher.h"

#include <openssl/crypto.h>

GType
gst_tfrc_cipher_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { GST_TFRC_CIPHER_AES_128_GCM, "AEAD_AES_128_GCM", "aes-128-gcm" },
    { GST_TFRC_CIPHER_AES_256_GCM, "AEAD_AES_256_GCM", "aes-256-gcm" },
    { GST_TFRC_CIPHER_AES_128_ICM, "AES_CM_128_HMAC_SHA1_80", "aes-128-icm" },
    { GST_TFRC_CIPHER_AES_256_ICM, "AES_256_CM_HMAC_SHA1_80", "aes-256-icm" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcCipher", values));
  return type;
}

const GstTfrcCipherSizes *
gst_tfrc_cipher_get_sizes (GstTfrcCipher cipher)
{
  static const GstTfrcCipherSizes sizes[] = {
    [GST_TFRC_CIPHER_AES_128_GCM] = { 16, 12, 16 },
    [GST_TFRC_CIPHER_AES_256_GCM] = { 32, 12, 16 },
    [GST_TFRC_CIPHER_AES_128_ICM] = { 16, 14, 10 },
    [GST_TFRC_CIPHER_AES_256_ICM] = { 32, 14, 10 },
  };

  return &sizes[cipher];
}

void
gst_tfrc_stream_keys_wipe (GstTfrcStreamKeys *keys)
{
  OPENSSL_cleanse (keys, sizeof *keys);
}
