/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common parts of all exchanges of key messages */
#ifndef GST_TFRC_MIKEY_EXCHANGE_H
#define GST_TFRC_MIKEY_EXCHANGE_H

#include "mikeykeys.h"
#include "mikeyparse.h"
#include "mikeywrite.h"

G_BEGIN_DECLS

struct _GstTfrcMikeyExchange
{
  guint8 answer_type; /* the data type of the answer */
  GstTfrcMikeySeed seed;
  guint8 authentication[GST_TFRC_MIKEY_MAC_BYTES]; /* key of the verification message */
  gchar *initiator;                                /* IDs; NULL: none */
  gchar *responder;
};

/** @param keys NULL: the answer is signed
 * @param initiator, responder copied */
GstTfrcMikeyExchange *gst_tfrc_mikey_exchange_new (guint8 answer_type, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyTransportKeys *keys, const gchar *initiator, const gchar *responder);

/** Writes the policy of a cipher. */
void gst_tfrc_mikey_write_cipher (GstTfrcMikeyWriter *writer, GstTfrcCipher cipher);

/** Makes a TGK, derives the stream's keys, and writes the KEMAC.
 * @param id of the author; NULL: the MAC is of the whole message (pre-shared key)
 * @return FALSE with @a error set: FAILED; the keys are wiped then */
gboolean gst_tfrc_mikey_seal_keys (GstTfrcMikeyWriter *writer,
    const GstTfrcMikeyTransportKeys *transport, const GstTfrcMikeySeed *seed, const gchar *id,
    GstTfrcCipher cipher, GstTfrcStreamKeys *keys, GError **error);

/** Decrypts the KEMAC, whose MAC has been checked, and derives the stream's keys.
 * @param id that the author has to have; NULL: without IDs
 * @return FALSE with @a error set; the keys are wiped then */
gboolean gst_tfrc_mikey_open_keys (const GstTfrcMikeyMessage *message,
    const GstTfrcMikeyTransportKeys *transport, const GstTfrcMikeySeed *seed, const gchar *id,
    GstTfrcCipher cipher, GstTfrcStreamKeys *keys, GError **error);

/** Reads what a message with keys says about the stream: header, policy and algorithms.
 * @return FALSE with @a error set: UNSUPPORTED, MALFORMED */
gboolean gst_tfrc_mikey_read_stream (
    const GstTfrcMikeyMessage *message, GstTfrcMikeyStream *stream, GError **error);

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
 * @param initiator, responder IDs; NULL: none
 * @return NULL with @a error set: FAILED */
GBytes *gst_tfrc_mikey_verify_to (guint8 data_type, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyStream *stream, const guint8 authentication[GST_TFRC_MIKEY_MAC_BYTES],
    const gchar *initiator, const gchar *responder, GError **error);

/* ---- as the functions of mikey.h, but stream and keys may be set if they fail --------- */

/* mikeypsk.c */
GBytes *gst_tfrc_mikey_psk_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error);
GBytes *gst_tfrc_mikey_psk_accept (const GstTfrcCredentials *credentials,
    GstTfrcMikeyReplayCache *cache, const GstTfrcMikeyMessage *message, guint64 wall_ns,
    GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys, GError **error);

/* mikeyrsa.c */
GBytes *gst_tfrc_mikey_rsa_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error);
GBytes *gst_tfrc_mikey_rsa_accept (const GstTfrcCredentials *credentials,
    GstTfrcMikeyReplayCache *cache, const GstTfrcMikeyMessage *message, guint64 wall_ns,
    GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys, GError **error);

G_END_DECLS
#endif
