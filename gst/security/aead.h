/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AES-GCM of OpenSSL with one key in one direction, for the packets of SRTP (RFC 7714).
 *
 * The key is expanded once: only the nonce changes from packet to packet.
 *
 * One thread at a time uses an object.  No clock, no locks. */
#ifndef GST_TFRC_AEAD_H
#define GST_TFRC_AEAD_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_AEAD_NONCE_BYTES 12 /* RFC 7714 section 8.1 */
#define GST_TFRC_AEAD_TAG_BYTES 16   /* RFC 7714 section 13: no shorter one is for SRTP */

typedef struct _GstTfrcAead GstTfrcAead;

/** @param key copied
 * @param key_bytes 16 or 32
 * @param salt GST_TFRC_AEAD_NONCE_BYTES, copied: makes nonces from what differs between packets
 * @param seals FALSE: opens
 * @return NULL if OpenSSL has no memory */
GstTfrcAead *gst_tfrc_aead_new (
    const guint8 *key, gsize key_bytes, const guint8 *salt, gboolean seals);

/** Wipes the key.  NULL is allowed. */
void gst_tfrc_aead_free (GstTfrcAead *self);

/** A packet in two or three parts, of which the middle one is secret. */
typedef struct
{
  /** What differs from packet to packet: XORed with the salt it is the nonce, which a key must never
   * see twice for packets to be sealed */
  const guint8 *unique;
  const guint8 *header; /**< authenticated, not encrypted */
  gsize header_bytes;
  const guint8 *trailer; /**< the same, in the packet behind the tag; NULL: none */
  gsize trailer_bytes;
  guint8 *text;     /**< encrypted and decrypted in place, with the tag behind it */
  gsize text_bytes; /**< without the tag, for which there is room */
} GstTfrcAeadPacket;

/** Encrypts the text and writes the tag.
 * @return FALSE: OpenSSL fails, and the text must not leave */
gboolean gst_tfrc_aead_seal (GstTfrcAead *self, const GstTfrcAeadPacket *packet);

/** Decrypts the text.
 * @return FALSE: the tag is wrong, and the text is spoilt */
gboolean gst_tfrc_aead_open (GstTfrcAead *self, const GstTfrcAeadPacket *packet);

G_END_DECLS
#endif
