/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ciphers of a protected stream, and the lengths of their keys (RFC 3711, RFC 6188, RFC 7714). */
#ifndef GST_TFRC_CIPHER_H
#define GST_TFRC_CIPHER_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  GST_TFRC_CIPHER_AES_128_GCM, /**< AEAD_AES_128_GCM (RFC 7714) */
  GST_TFRC_CIPHER_AES_256_GCM, /**< AEAD_AES_256_GCM (RFC 7714) */
  GST_TFRC_CIPHER_AES_128_ICM, /**< AES_CM_128_HMAC_SHA1_80 (RFC 3711) */
  GST_TFRC_CIPHER_AES_256_ICM  /**< AES_256_CM_HMAC_SHA1_80 (RFC 6188) */
} GstTfrcCipher;

#define GST_TYPE_TFRC_CIPHER (gst_tfrc_cipher_get_type ())
GType gst_tfrc_cipher_get_type (void);

/** The longest master key and master salt of all ciphers, bytes */
#define GST_TFRC_CIPHER_MAX_KEY_BYTES 32
#define GST_TFRC_CIPHER_MAX_SALT_BYTES 14

typedef struct
{
  gsize key_bytes;  /**< of the master key: 16 or 32 */
  gsize salt_bytes; /**< of the master salt: 12 with GCM, 14 with ICM */
  gsize tag_bytes;  /**< of the authentication tag: 16 with GCM, 10 with ICM */
} GstTfrcCipherSizes;

/** Returns the lengths of a cipher: static.  Any thread. */
const GstTfrcCipherSizes *gst_tfrc_cipher_get_sizes (GstTfrcCipher cipher);

/** A master key and a master salt.  Bytes beyond the cipher's lengths are 0. */
typedef struct
{
  guint8 key[GST_TFRC_CIPHER_MAX_KEY_BYTES];
  guint8 salt[GST_TFRC_CIPHER_MAX_SALT_BYTES];
} GstTfrcMasterKey;

/** The keys of a stream: each direction has its own, so that two equal SSRCs share no key stream.
 * To be wiped with gst_tfrc_stream_keys_wipe() when no longer in use. */
typedef struct
{
  GstTfrcCipher cipher;
  GstTfrcMasterKey sender;   /**< of packets from tfrcsink to tfrcsrc */
  GstTfrcMasterKey receiver; /**< of packets from tfrcsrc to tfrcsink */
} GstTfrcStreamKeys;

/** Overwrites the keys, in a way that the compiler does not leave out. */
void gst_tfrc_stream_keys_wipe (GstTfrcStreamKeys *keys);

G_END_DECLS
#endif
