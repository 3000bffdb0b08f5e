/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common parts of all exchanges of key messages, and of those with RSA: identities, envelopes and
 * signatures (RFC 3830 sections 3.2, 4.2.5, 4.2.6).
 *
 * Envelopes are RSA-OAEP, signatures RSA-PSS (PKCS #1 v2.1, which RFC 3830 recommends).  The RFC has
 * no field for their hash: this is SHA-256, for MGF1 too, with a salt of 32 bytes. */
#ifndef GST_TFRC_MIKEYEXCHANGE_H
#define GST_TFRC_MIKEYEXCHANGE_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "mikeykeys.h"
#include "mikeystream.h"
#include "mikeywrite.h"

G_BEGIN_DECLS

struct _GstTfrcMikeyExchange
{
  guint8 answer_type; /* the data type of the answer */
  GstTfrcMikeySeed seed;
  GstTfrcMikeyTgk tgk; /* of an offer, whose keys wait for the receiver's part */
  GstTfrcCipher cipher;
  guint8 authentication[GST_TFRC_MIKEY_MAC_BYTES]; /* key of the verification message */
  gchar *initiator;                                /* IDs; NULL: none */
  gchar *responder;
};

/** Sets an error FAILED, and forgets OpenSSL's own.
 * @return FALSE */
gboolean gst_tfrc_mikey_fail_crypto (GError **error);

/** @param keys NULL: the answer is signed
 * @param tgk, cipher of an offer; NULL: the peer makes the keys, and chooses the cipher
 * @param initiator, responder copied */
GstTfrcMikeyExchange *gst_tfrc_mikey_exchange_new (guint8 answer_type, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyTransportKeys *keys, const GstTfrcMikeyTgk *tgk, GstTfrcCipher cipher,
    const gchar *initiator, const gchar *responder);

/** Makes a TGK, and writes the KEMAC.
 * @param id of the author; NULL: the MAC is of the whole message (pre-shared key)
 * @return FALSE with @a error set: FAILED */
gboolean gst_tfrc_mikey_seal_keys (GstTfrcMikeyWriter *writer,
    const GstTfrcMikeyTransportKeys *transport, const GstTfrcMikeySeed *seed, const gchar *id,
    GstTfrcMikeyTgk *tgk, GError **error);

/** Decrypts the KEMAC, whose MAC has been checked.
 * @param id that the author has to have; NULL: without IDs
 * @param cipher whose keys the TGK has to suffice for
 * @return FALSE with @a error set */
gboolean gst_tfrc_mikey_open_keys (const GstTfrcMikeyMessage *message,
    const GstTfrcMikeyTransportKeys *transport, const GstTfrcMikeySeed *seed, const gchar *id,
    GstTfrcCipher cipher, GstTfrcMikeyTgk *tgk, GError **error);

/** As gst_tfrc_mikey_derive_stream_keys(), with @a error set if it fails */
gboolean gst_tfrc_mikey_make_stream_keys (const GstTfrcMikeyTgk *tgk, const GstTfrcMikeySeed *seed,
    const guint8 *answer_rand, GstTfrcCipher cipher, GstTfrcStreamKeys *keys, GError **error);

/** Checks that a message is current and new.
 * @return FALSE with @a error set: CLOCK, REPLAYED */
gboolean gst_tfrc_mikey_check_fresh (GstTfrcMikeyReplayCache *cache,
    const GstTfrcMikeyMessage *message, guint64 wall_ns, GError **error);

/** Checks that a message is an answer to the exchange's, as far as that is readable.
 * @return FALSE with @a error set: OTHER_EXCHANGE */
gboolean gst_tfrc_mikey_check_answer (
    const GstTfrcMikeyExchange *exchange, const GstTfrcMikeyMessage *message, GError **error);

/** Returns Identity_i || Identity_r || Timestamp, which proofs cover besides a message (section 5.2,
 * and RFC 4738 section 3.6); to be unreferenced.  An ID may be NULL. */
GByteArray *gst_tfrc_mikey_join_identities (
    const gchar *initiator, const gchar *responder, guint64 timestamp);

/** Writes the verification message.
 * @param rand this end's part of the keys, GST_TFRC_MIKEY_RAND_BYTES
 * @param initiator, responder IDs; NULL: none
 * @return NULL with @a error set: FAILED */
GBytes *gst_tfrc_mikey_verify_to (guint8 data_type, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyStream *stream, const guint8 *rand,
    const guint8 authentication[GST_TFRC_MIKEY_MAC_BYTES], const gchar *initiator,
    const gchar *responder, GError **error);

/* ---- as the functions of mikey.h, but stream and keys may be set if they fail --------- */

/** Returns the ID of a public key: the URI ni:///sha-256;HASH of its SubjectPublicKeyInfo (RFC 6920),
 * so that an ID needs no configuration and no certificate.
 * @return to be freed; NULL with @a error set: FAILED */
gchar *gst_tfrc_mikey_get_id (EVP_PKEY *key, GError **error);

/** Writes who the author is.
 * @param certificate the author's; NULL: there is none, and the ID is written */
gboolean gst_tfrc_mikey_write_author (
    GstTfrcMikeyWriter *writer, X509 *certificate, const gchar *id, GError **error);

/** Returns the key of a message's author.
 * @param uses that the author's certificate has to be for, see certificate.h
 * @return with a reference; NULL with @a error set: MALFORMED, UNKNOWN_KEY, BAD_CERTIFICATE,
 *   WRONG_NAME, UNSUPPORTED */
EVP_PKEY *gst_tfrc_mikey_get_author_key (const GstTfrcCredentials *credentials,
    const GstTfrcMikeyMessage *message, guint32 uses, guint64 wall_ns, GError **error);

/** Checks the IDs that a message has: the author's, and the one of whom the message is for.
 * @return FALSE with @a error set: UNKNOWN_KEY */
gboolean gst_tfrc_mikey_check_author (
    const GstTfrcMikeyMessage *message, const gchar *id, GError **error);
gboolean gst_tfrc_mikey_check_recipient (
    const GstTfrcMikeyMessage *message, const gchar *id, GError **error);

/** Makes an envelope key and a TGK, and writes KEMAC and PKE.
 * @param id of the author
 * @param transport set to the keys from the envelope key; the caller wipes them
 * @return FALSE with @a error set: FAILED */
gboolean gst_tfrc_mikey_seal_envelope (GstTfrcMikeyWriter *writer, const GstTfrcMikeySeed *seed,
    const gchar *id, EVP_PKEY *recipient, GstTfrcMikeyTransportKeys *transport,
    GstTfrcMikeyTgk *tgk, GError **error);

/** Opens PKE and KEMAC of a message whose signature has been checked.
 * @return FALSE with @a error set: UNKNOWN_KEY if the envelope is for another key; OTHER_EXCHANGE if
 *   the keys were encrypted for another message */
gboolean gst_tfrc_mikey_open_envelope (EVP_PKEY *private_key, const GstTfrcMikeyMessage *message,
    const GstTfrcMikeySeed *seed, const gchar *id, GstTfrcCipher cipher,
    GstTfrcMikeyTransportKeys *transport, GstTfrcMikeyTgk *tgk, GError **error);

/** Ends the message with a signature of the message and of @a behind, which is not sent.
 * @param behind NULL: nothing
 * @return NULL with @a error set: FAILED.  The writer is ended in any case */
GBytes *gst_tfrc_mikey_sign (
    GstTfrcMikeyWriter *writer, EVP_PKEY *private_key, GByteArray *behind, GError **error);

/** @return FALSE with @a error set: UNSUPPORTED, UNKNOWN_KEY, FAILED */
gboolean gst_tfrc_mikey_check_signature (
    const GstTfrcMikeyMessage *message, EVP_PKEY *author, GByteArray *behind, GError **error);

G_END_DECLS
#endif
