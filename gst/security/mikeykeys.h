/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derivation of keys in key messages, their symmetric cryptography (RFC 3830 section 4), and the SRTP
 * policy of a cipher (RFC 3830 section 6.10.1, RFC 7714 section 15).
 *
 * The functions that return a gboolean without an error return FALSE if the cryptographic library
 * fails. */
#ifndef GST_TFRC_MIKEYKEYS_H
#define GST_TFRC_MIKEYKEYS_H

#include "cipher.h"
#include "mikeyparse.h"

G_BEGIN_DECLS

/** A TGK and an envelope key that are made here: as long as the longest master key */
#define GST_TFRC_MIKEY_KEY_BYTES 32

/** The longest TGK that is read: more than any cipher needs */
#define GST_TFRC_MIKEY_MAX_TGK_BYTES 256

/** The inputs that make the keys of an exchange differ from all others */
typedef struct
{
  guint32 csb_id;
  guint64 timestamp; /**< NTP-UTC, of the initiator */
  guint8 rand[255];
  gsize rand_bytes;
} GstTfrcMikeySeed;

/** Protects a message: from a pre-shared key or an envelope key (section 4.1.4) */
typedef struct
{
  guint8 encryption[16];
  guint8 authentication[GST_TFRC_MIKEY_MAC_BYTES];
  guint8 salt[14];
} GstTfrcMikeyTransportKeys;

/** A TGK: the secret that the keys of a stream are derived from.  Wiped by whoever has it. */
typedef struct
{
  guint8 bytes[GST_TFRC_MIKEY_MAX_TGK_BYTES];
  gsize size;
} GstTfrcMikeyTgk;

/** Makes a new csb_id and RAND. */
gboolean gst_tfrc_mikey_seed_make (GstTfrcMikeySeed *self, guint64 wall_ns);

/** Takes csb_id and timestamp, and RAND if there is one, from a message. */
void gst_tfrc_mikey_seed_take (GstTfrcMikeySeed *self, const GstTfrcMikeyMessage *message);

/** The PRF MIKEY-1 (section 4.1.2)
 * @param label_size at most GST_TFRC_MIKEY_MAX_LABEL_BYTES */
#define GST_TFRC_MIKEY_MAX_LABEL_BYTES (4 + 1 + 4 + 1 + 255 + 1 + GST_TFRC_MIKEY_RAND_BYTES)
gboolean gst_tfrc_mikey_prf (const guint8 *inkey, gsize inkey_size, const guint8 *label,
    gsize label_size, guint8 *outkey, gsize outkey_size);

gboolean gst_tfrc_mikey_derive_transport_keys (const guint8 *inkey, gsize inkey_size,
    const GstTfrcMikeySeed *seed, GstTfrcMikeyTransportKeys *keys);

/** Derives the keys of both crypto sessions (section 4.1.3).
 * @param answer_rand RAND of the verification message, GST_TFRC_MIKEY_RAND_BYTES.  The label is then
 *   constant || cs_id || csb_id || length || RAND || length || RAND of the answer, as MIKEY-TICKET
 *   has the responder's RAND behind the initiator's (RFC 6043).  NULL: the label of RFC 3830 */
gboolean gst_tfrc_mikey_derive_stream_keys (const GstTfrcMikeyTgk *tgk,
    const GstTfrcMikeySeed *seed, const guint8 *answer_rand, GstTfrcCipher cipher,
    GstTfrcStreamKeys *keys);

/** Encrypts or decrypts key data: AES in counter mode (section 4.2.3).
 * @param out @a size bytes */
gboolean gst_tfrc_mikey_crypt (const GstTfrcMikeyTransportKeys *keys, const GstTfrcMikeySeed *seed,
    const guint8 *in, gsize size, guint8 *out);

/** HMAC-SHA-1-160 (section 4.2.4) */
gboolean gst_tfrc_mikey_mac (const guint8 key[GST_TFRC_MIKEY_MAC_BYTES], const guint8 *bytes,
    gsize size, guint8 mac[GST_TFRC_MIKEY_MAC_BYTES]);

/** Returns the time as an NTP timestamp of 64 bits, which overflows in 2036. */
guint64 gst_tfrc_mikey_timestamp (guint64 wall_ns);

/** Returns whether a timestamp is more than GST_TFRC_MIKEY_MAX_SKEW_NS ago. */
gboolean gst_tfrc_mikey_is_outdated (guint64 timestamp, guint64 wall_ns);

/** Returns whether a timestamp is at most GST_TFRC_MIKEY_MAX_SKEW_NS away from now. */
gboolean gst_tfrc_mikey_is_current (guint64 timestamp, guint64 wall_ns);

#define GST_TFRC_MIKEY_POLICY_MAX_BYTES 64

/** Writes types, lengths and values.
 * @return bytes written */
gsize gst_tfrc_mikey_policy_write (
    GstTfrcCipher cipher, guint8 parameters[GST_TFRC_MIKEY_POLICY_MAX_BYTES]);

/** Finds the cipher of a policy.  What the policy leaves out has SRTP's default.
 * @return FALSE with @a error set (GST_TFRC_MIKEY_ERROR): MALFORMED; UNSUPPORTED: no cipher has this
 *   policy */
gboolean gst_tfrc_mikey_policy_read (
    const guint8 *parameters, gsize size, GstTfrcCipher *cipher, GError **error);

G_END_DECLS
#endif
