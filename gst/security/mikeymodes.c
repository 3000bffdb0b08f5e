/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modes of the key exchange in which the sender of data offers keys, PSK and RSA, and refusals
 * (RFC 3830 sections 3.1, 3.2 and 5.1.2), see mikey.h.  mikeyreverse.c has the third mode. */
#include <openssl/crypto.h>

#include "../common/random.h"
#include "credentials-private.h"
#include "mikeyexchange.h"
#include "mikeywrite.h"

/* ---- both kinds of offers ---------------------------------------------------- */

/* Makes this end's part of the keys, and derives the keys.
 * @rand: GST_TFRC_MIKEY_RAND_BYTES */
static gboolean
take_part (const GstTfrcMikeyTgk *tgk, const GstTfrcMikeySeed *seed, GstTfrcCipher cipher,
    guint8 *rand, GstTfrcOfferedKeys *keys, GError **error)
{
  if (!gst_tfrc_random_fill (rand, GST_TFRC_MIKEY_RAND_BYTES))
    return gst_tfrc_mikey_fail_crypto (error);
  return gst_tfrc_mikey_make_stream_keys (tgk, seed, NULL, cipher, &keys->provisional, error)
      && gst_tfrc_mikey_make_stream_keys (tgk, seed, rand, cipher, &keys->agreed, error);
}

/* ---- pre-shared key ---------------------------------------------------------- */

/* Exchange of key messages with a pre-shared key (RFC 3830 section 3.1). */

static GBytes *
write_psk_offer (const GstTfrcMikeyStream *stream, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyTransportKeys *transport, GstTfrcMikeyTgk *tgk, GError **error)
{
  GstTfrcMikeyWriter writer;

  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_PSK, seed->csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed->rand, (guint8) seed->rand_bytes);
  gst_tfrc_mikey_write_stream (&writer, stream);
  if (gst_tfrc_mikey_seal_keys (&writer, transport, seed, NULL, tgk, error))
    return gst_tfrc_mikey_writer_finish (&writer);
  gst_tfrc_mikey_writer_drop (&writer);
  return NULL;
}

static GBytes *
mikey_psk_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream, guint64 wall_ns,
    GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
{
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeySeed seed;
  GstTfrcMikeyTgk tgk;
  GBytes *message = NULL;

  if (!gst_tfrc_mikey_seed_make (&seed, wall_ns)
      || !gst_tfrc_mikey_derive_transport_keys (
          gst_tfrc_credentials_peek_psk (credentials), GST_TFRC_PSK_BYTES, &seed, &transport))
    gst_tfrc_mikey_fail_crypto (error);
  else
    message = write_psk_offer (stream, &seed, &transport, &tgk, error);
  if (message != NULL) {
    stream->csb_id = seed.csb_id;
    if (gst_tfrc_mikey_make_stream_keys (&tgk, &seed, NULL, stream->cipher, keys, error))
      *exchange = gst_tfrc_mikey_exchange_new (GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION, &seed,
          &transport, &tgk, stream->cipher, NULL, NULL);
    else
      g_clear_pointer (&message, g_bytes_unref);
  }
  OPENSSL_cleanse (&transport, sizeof transport);
  OPENSSL_cleanse (&tgk, sizeof tgk);
  return message;
}

static gboolean
check_psk_mac (
    const GstTfrcMikeyMessage *message, const GstTfrcMikeyTransportKeys *transport, GError **error)
{
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];

  if (!gst_tfrc_mikey_mac (
          transport->authentication, message->covered.data, message->covered.size, mac))
    return gst_tfrc_mikey_fail_crypto (error);
  if (CRYPTO_memcmp (mac, message->mac.data, sizeof mac) == 0)
    return TRUE;
  return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_WRONG_PASSPHRASE,
      "The sender's key message was made with another passphrase.");
}

static GBytes *
answer_psk_offer (const GstTfrcMikeyMessage *message, const GstTfrcMikeyTransportKeys *transport,
    const GstTfrcMikeySeed *seed, const GstTfrcMikeyStream *stream, GstTfrcOfferedKeys *keys,
    GError **error)
{
  guint8 rand[GST_TFRC_MIKEY_RAND_BYTES];
  GstTfrcMikeyTgk tgk;
  gboolean ok = gst_tfrc_mikey_open_keys (
                    message, transport, seed, NULL, stream->cipher, &tgk, error)
      && take_part (&tgk, seed, stream->cipher, rand, keys, error);

  OPENSSL_cleanse (&tgk, sizeof tgk);
  return ok ? gst_tfrc_mikey_verify_to (GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION, seed, stream, rand,
             transport->authentication, NULL, NULL, error)
            : NULL;
}

static GBytes *
mikey_psk_accept (const GstTfrcCredentials *credentials, const GstTfrcMikeyMessage *message,
    GstTfrcMikeyStream *stream, GstTfrcOfferedKeys *keys, GError **error)
{
  const guint32 wanted = 1 << GST_TFRC_MIKEY_PAYLOAD_T | 1 << GST_TFRC_MIKEY_PAYLOAD_RAND
      | 1 << GST_TFRC_MIKEY_PAYLOAD_SP | 1 << GST_TFRC_MIKEY_PAYLOAD_KEMAC;
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeySeed seed;
  GBytes *answer = NULL;

  /* what is cheap comes before what is not */
  if (!gst_tfrc_mikey_check_payloads (message, wanted, 0, error)
      || !gst_tfrc_mikey_read_stream (message, stream, error))
    return NULL;
  gst_tfrc_mikey_seed_take (&seed, message);
  if (!gst_tfrc_mikey_derive_transport_keys (
          gst_tfrc_credentials_peek_psk (credentials), GST_TFRC_PSK_BYTES, &seed, &transport))
    gst_tfrc_mikey_fail_crypto (error);
  else if (check_psk_mac (message, &transport, error))
    answer = answer_psk_offer (message, &transport, &seed, stream, keys, error);
  OPENSSL_cleanse (&transport, sizeof transport);
  return answer;
}

/* ---- RSA --------------------------------------------------------------------- */

/* Exchange of key messages with RSA (RFC 3830 section 3.2). */

#define BIT(payload) (1U << (payload))

/* IDs of both ends */
typedef struct
{
  gchar *initiator;
  gchar *responder;
} Ids;

static gboolean
get_ids (EVP_PKEY *initiator, EVP_PKEY *responder, Ids *ids, GError **error)
{
  ids->initiator = gst_tfrc_mikey_get_id (initiator, error);
  ids->responder = ids->initiator != NULL ? gst_tfrc_mikey_get_id (responder, error) : NULL;
  return ids->responder != NULL;
}

static void
clear_ids (Ids *ids)
{
  g_free (ids->initiator);
  g_free (ids->responder);
}

static GBytes *
write_offer (const GstTfrcCredentials *credentials, EVP_PKEY *peer, const Ids *ids,
    const GstTfrcMikeySeed *seed, const GstTfrcMikeyStream *stream,
    GstTfrcMikeyTransportKeys *transport, GstTfrcMikeyTgk *tgk, GError **error)
{
  GstTfrcMikeyWriter writer;

  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_RSA, seed->csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed->rand, (guint8) seed->rand_bytes);
  if (gst_tfrc_mikey_write_author (
          &writer, gst_tfrc_credentials_peek_certificate (credentials), ids->initiator, error)) {
    gst_tfrc_mikey_write_id (&writer, ids->responder);
    gst_tfrc_mikey_write_stream (&writer, stream);
    if (gst_tfrc_mikey_seal_envelope (&writer, seed, ids->initiator, peer, transport, tgk, error))
      return gst_tfrc_mikey_sign (
          &writer, gst_tfrc_credentials_peek_private_key (credentials), NULL, error);
  }
  gst_tfrc_mikey_writer_drop (&writer);
  return NULL;
}

static GBytes *
offer_to (const GstTfrcCredentials *credentials, EVP_PKEY *peer, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
{
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeySeed seed;
  GstTfrcMikeyTgk tgk;
  GBytes *offer = NULL;
  Ids ids = { NULL, NULL };

  if (!gst_tfrc_mikey_seed_make (&seed, wall_ns))
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_FAILED, "The random numbers fail.");
  else if (get_ids (gst_tfrc_credentials_peek_private_key (credentials), peer, &ids, error))
    offer = write_offer (credentials, peer, &ids, &seed, stream, &transport, &tgk, error);
  if (offer != NULL) {
    stream->csb_id = seed.csb_id;
    if (gst_tfrc_mikey_make_stream_keys (&tgk, &seed, NULL, stream->cipher, keys, error))
      *exchange = gst_tfrc_mikey_exchange_new (GST_TFRC_MIKEY_TYPE_RSA_VERIFICATION, &seed,
          &transport, &tgk, stream->cipher, ids.initiator, ids.responder);
    else
      g_clear_pointer (&offer, g_bytes_unref);
  }
  OPENSSL_cleanse (&transport, sizeof transport);
  OPENSSL_cleanse (&tgk, sizeof tgk);
  clear_ids (&ids);
  return offer;
}

static GBytes *
mikey_rsa_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream, guint64 wall_ns,
    GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
{
  EVP_PKEY *peer;
  GBytes *offer;

  if (gst_tfrc_credentials_peek_known_key (credentials) == NULL) {
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        "The receiver is known by its CA alone, and has to ask for keys.");
    return NULL;
  }
  peer = gst_tfrc_credentials_get_peer_key (credentials, NULL, 0, wall_ns, error);
  if (peer == NULL)
    return NULL;
  offer = offer_to (credentials, peer, stream, wall_ns, keys, exchange, error);
  EVP_PKEY_free (peer);
  return offer;
}

/* The signature, and after that what only the private key can open */
static GBytes *
answer_offer (const GstTfrcCredentials *credentials, const GstTfrcMikeyMessage *message,
    EVP_PKEY *peer, const Ids *ids, const GstTfrcMikeyStream *stream, GstTfrcOfferedKeys *keys,
    GError **error)
{
  guint8 rand[GST_TFRC_MIKEY_RAND_BYTES];
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeySeed seed;
  GstTfrcMikeyTgk tgk;
  GBytes *answer = NULL;

  if (!gst_tfrc_mikey_check_recipient (message, ids->responder, error)
      || !gst_tfrc_mikey_check_author (message, ids->initiator, error)
      || !gst_tfrc_mikey_check_signature (message, peer, NULL, error))
    return NULL;
  gst_tfrc_mikey_seed_take (&seed, message);
  if (gst_tfrc_mikey_open_envelope (gst_tfrc_credentials_peek_private_key (credentials), message,
          &seed, ids->initiator, stream->cipher, &transport, &tgk, error)
      && take_part (&tgk, &seed, stream->cipher, rand, keys, error))
    answer = gst_tfrc_mikey_verify_to (GST_TFRC_MIKEY_TYPE_RSA_VERIFICATION, &seed, stream, rand,
        transport.authentication, ids->initiator, ids->responder, error);
  OPENSSL_cleanse (&transport, sizeof transport);
  OPENSSL_cleanse (&tgk, sizeof tgk);
  return answer;
}

static GBytes *
mikey_rsa_accept (const GstTfrcCredentials *credentials, const GstTfrcMikeyMessage *message,
    guint64 wall_ns, GstTfrcMikeyStream *stream, GstTfrcOfferedKeys *keys, GError **error)
{
  const guint32 wanted = BIT (GST_TFRC_MIKEY_PAYLOAD_T) | BIT (GST_TFRC_MIKEY_PAYLOAD_RAND)
      | BIT (GST_TFRC_MIKEY_PAYLOAD_SP) | BIT (GST_TFRC_MIKEY_PAYLOAD_KEMAC)
      | BIT (GST_TFRC_MIKEY_PAYLOAD_PKE) | BIT (GST_TFRC_MIKEY_PAYLOAD_SIGN);
  const guint32 allowed = BIT (GST_TFRC_MIKEY_PAYLOAD_ID) | BIT (GST_TFRC_MIKEY_PAYLOAD_CERT);
  Ids ids = { NULL, NULL };
  GBytes *answer = NULL;
  EVP_PKEY *peer;

  /* what is cheap comes before what is not */
  if (!gst_tfrc_mikey_check_payloads (message, wanted, allowed, error)
      || !gst_tfrc_mikey_read_stream (message, stream, error))
    return NULL;
  peer = gst_tfrc_mikey_get_author_key (
      credentials, message, GST_TFRC_CERTIFICATE_SIGNS, wall_ns, error);
  if (peer != NULL
      && get_ids (peer, gst_tfrc_credentials_peek_private_key (credentials), &ids, error)) {
    g_strlcpy (stream->author, ids.initiator, sizeof stream->author);
    answer = answer_offer (credentials, message, peer, &ids, stream, keys, error);
  }
  clear_ids (&ids);
  EVP_PKEY_free (peer);
  return answer;
}

/* ---- offers of either kind --------------------------------------------------- */

gboolean
gst_tfrc_mikey_peek (const guint8 *message, gsize size, GstTfrcMikeyKind *kind, guint32 *csb_id)
{
  GstTfrcMikeyHeader header;

  if (!gst_tfrc_mikey_parse_header (message, size, &header, NULL))
    return FALSE;
  *csb_id = header.csb_id;
  switch (header.data_type) {
    case GST_TFRC_MIKEY_TYPE_PSK:
    case GST_TFRC_MIKEY_TYPE_RSA:
      *kind = GST_TFRC_MIKEY_OFFER;
      return TRUE;
    case GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION:
    case GST_TFRC_MIKEY_TYPE_RSA_VERIFICATION:
      *kind = GST_TFRC_MIKEY_VERIFICATION;
      return TRUE;
    case GST_TFRC_MIKEY_TYPE_REQUEST:
      *kind = GST_TFRC_MIKEY_REQUEST;
      return TRUE;
    case GST_TFRC_MIKEY_TYPE_GRANT:
      *kind = GST_TFRC_MIKEY_GRANT;
      return TRUE;
    case GST_TFRC_MIKEY_TYPE_ERROR:
      *kind = GST_TFRC_MIKEY_REFUSAL;
      return TRUE;
    default:
      return FALSE;
  }
}

GBytes *
gst_tfrc_mikey_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
{
  GstTfrcStreamKeys made;
  GBytes *offer;

  if (gst_tfrc_credentials_get_key_exchange (credentials) == GST_TFRC_KEY_EXCHANGE_PSK)
    offer = mikey_psk_offer (credentials, stream, wall_ns, &made, exchange, error);
  else
    offer = mikey_rsa_offer (credentials, stream, wall_ns, &made, exchange, error);
  if (offer != NULL)
    *keys = made;
  gst_tfrc_stream_keys_wipe (&made);
  return offer;
}

static guint8
offer_type (const GstTfrcCredentials *credentials)
{
  return credentials->key_exchange == GST_TFRC_KEY_EXCHANGE_PSK ? GST_TFRC_MIKEY_TYPE_PSK
                                                                : GST_TFRC_MIKEY_TYPE_RSA;
}

gboolean
gst_tfrc_mikey_is_offer_for (
    const GstTfrcCredentials *credentials, const guint8 *message, gsize size)
{
  GstTfrcMikeyHeader header;

  return gst_tfrc_mikey_parse_header (message, size, &header, NULL)
      && header.data_type == offer_type (credentials);
}

/* May leave stream and keys set if the offer is refused. */
static GBytes *
accept (const GstTfrcCredentials *credentials, const guint8 *bytes, gsize size, guint64 wall_ns,
    GstTfrcMikeyStream *stream, GstTfrcOfferedKeys *keys, GError **error)
{
  gboolean is_psk = gst_tfrc_credentials_get_key_exchange (credentials)
      == GST_TFRC_KEY_EXCHANGE_PSK;
  GstTfrcMikeyMessage message;

  if (!gst_tfrc_mikey_parse (bytes, size, &message, error))
    return NULL;
  if (message.header.data_type != offer_type (credentials)) {
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        is_psk ? "The key message is not one for a passphrase."
               : "The key message is not one for a private key.");
    return NULL;
  }
  if (is_psk)
    return mikey_psk_accept (credentials, &message, stream, keys, error);
  return mikey_rsa_accept (credentials, &message, wall_ns, stream, keys, error);
}

GBytes *
gst_tfrc_mikey_accept (const GstTfrcCredentials *credentials, const guint8 *bytes, gsize size,
    guint64 wall_ns, GstTfrcMikeyStream *stream, GstTfrcOfferedKeys *keys, GError **error)
{
  GstTfrcMikeyStream offered;
  GstTfrcOfferedKeys made;
  GBytes *answer = accept (credentials, bytes, size, wall_ns, &offered, &made, error);

  if (answer != NULL) {
    *stream = offered;
    *keys = made;
  }
  gst_tfrc_offered_keys_wipe (&made);
  return answer;
}

/* ---- refusals ---------------------------------------------------------------- */

/* Error messages (RFC 3830 section 5.1.2). */

/* Table 6.12, RFC 4738 section 3.9.2 */
enum
{
  AUTH_FAILURE = 0,
  INVALID_TIMESTAMP = 1,
  INVALID_ID = 7,
  INVALID_CERTIFICATE = 8,
  INVALID_DATA_TYPE = 11,
  UNSPECIFIED = 12,
  UNPARSEABLE = 13
};

GBytes *
gst_tfrc_mikey_refuse (guint32 csb_id, GstTfrcMikeyError reason)
{
  GstTfrcMikeyWriter writer;
  guint8 number;

  switch (reason) {
    case GST_TFRC_MIKEY_UNSUPPORTED:
      number = INVALID_DATA_TYPE;
      break;
    case GST_TFRC_MIKEY_WRONG_PASSPHRASE:
      number = AUTH_FAILURE;
      break;
    case GST_TFRC_MIKEY_UNKNOWN_KEY:
      number = INVALID_ID;
      break;
    case GST_TFRC_MIKEY_BAD_CERTIFICATE:
    case GST_TFRC_MIKEY_WRONG_NAME: /* whom this end waits for is its own affair */
      number = INVALID_CERTIFICATE;
      break;
    case GST_TFRC_MIKEY_CLOCK:
      number = INVALID_TIMESTAMP;
      break;
    case GST_TFRC_MIKEY_FAILED:
      number = UNSPECIFIED;
      break;
    default:
      /* A malformed message needs no answer, and a message that came twice has one. */
      return NULL;
  }
  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_ERROR, csb_id, NULL);
  gst_tfrc_mikey_write_timestamp (&writer, 0); /* nobody checks the time of such a message */
  gst_tfrc_mikey_write_error (&writer, number);
  return gst_tfrc_mikey_writer_finish (&writer);
}

gboolean
gst_tfrc_mikey_read_refusal (
    const guint8 *bytes, gsize size, guint32 *csb_id, GstTfrcMikeyError *reason)
{
  GstTfrcMikeyMessage message;

  if (!gst_tfrc_mikey_parse (bytes, size, &message, NULL)
      || message.header.data_type != GST_TFRC_MIKEY_TYPE_ERROR
      || (message.payloads & 1U << GST_TFRC_MIKEY_PAYLOAD_ERR) == 0)
    return FALSE;
  *csb_id = message.header.csb_id;
  switch (message.error_number) {
    case AUTH_FAILURE:
      *reason = GST_TFRC_MIKEY_WRONG_PASSPHRASE;
      return TRUE;
    case INVALID_TIMESTAMP:
      *reason = GST_TFRC_MIKEY_CLOCK;
      return TRUE;
    case INVALID_ID:
      *reason = GST_TFRC_MIKEY_UNKNOWN_KEY;
      return TRUE;
    case INVALID_CERTIFICATE:
      *reason = GST_TFRC_MIKEY_BAD_CERTIFICATE;
      return TRUE;
    case UNSPECIFIED:
      *reason = GST_TFRC_MIKEY_FAILED;
      return TRUE;
    default:
      *reason = GST_TFRC_MIKEY_UNSUPPORTED;
      return message.error_number <= UNPARSEABLE;
  }
}
