/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RSA in key messages: identities, envelopes and signatures (RFC 3830 sections 3.2, 4.2.5, 4.2.6).
 *
 * Envelopes are RSA-OAEP, signatures RSA-PSS (PKCS #1 v2.1, which RFC 3830 recommends).  The RFC has
 * no field for their hash: this is SHA-256, for MGF1 too, with a salt of 32 bytes. */
#ifndef GST_TFRC_MIKEY_SEAL_H
#define GST_TFRC_MIKEY_SEAL_H

#include <openssl/evp.h>

#include "mikeyexchange.h"

G_BEGIN_DECLS

/** Returns the ID of a public key: the URI ni:///sha-256;HASH of its SubjectPublicKeyInfo (RFC 6920),
 * so that an ID needs no configuration and no certificate.
 * @return to be freed; NULL with @a error set: FAILED */
gchar *gst_tfrc_mikey_get_id (EVP_PKEY *key, GError **error);

/** Writes who the author is: the certificate if there is one, otherwise the ID. */
gboolean gst_tfrc_mikey_write_author (GstTfrcMikeyWriter *writer,
    const GstTfrcCredentials *credentials, const gchar *id, GError **error);

/** Returns the key of a message's author.
 * @return with a reference; NULL with @a error set: MALFORMED, UNKNOWN_KEY, BAD_CERTIFICATE,
 *   UNSUPPORTED */
EVP_PKEY *gst_tfrc_mikey_get_author_key (const GstTfrcCredentials *credentials,
    const GstTfrcMikeyMessage *message, guint64 wall_ns, GError **error);

/** Checks the IDs that a message has: the author's, and the one of whom the message is for.
 * @return FALSE with @a error set: UNKNOWN_KEY */
gboolean gst_tfrc_mikey_check_author (
    const GstTfrcMikeyMessage *message, const gchar *id, GError **error);
gboolean gst_tfrc_mikey_check_recipient (
    const GstTfrcMikeyMessage *message, const gchar *id, GError **error);

/** Makes an envelope key, writes KEMAC and PKE, and derives the stream's keys.
 * @param id of the author
 * @param transport set to the keys from the envelope key; the caller wipes them
 * @return FALSE with @a error set: FAILED */
gboolean gst_tfrc_mikey_seal_envelope (GstTfrcMikeyWriter *writer, const GstTfrcMikeySeed *seed,
    const gchar *id, EVP_PKEY *recipient, GstTfrcCipher cipher,
    GstTfrcMikeyTransportKeys *transport, GstTfrcStreamKeys *keys, GError **error);

/** Opens PKE and KEMAC of a message whose signature has been checked.
 * @return FALSE with @a error set: UNKNOWN_KEY if the envelope is for another key; OTHER_EXCHANGE if
 *   the keys were encrypted for another message */
gboolean gst_tfrc_mikey_open_envelope (EVP_PKEY *private_key, const GstTfrcMikeyMessage *message,
    const GstTfrcMikeySeed *seed, const gchar *id, GstTfrcCipher cipher,
    GstTfrcMikeyTransportKeys *transport, GstTfrcStreamKeys *keys, GError **error);

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
