/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modes of the key exchange (RFC 3830 section 3, RFC 4738): PSK, RSA and RSA-R, see mikey.h. */
#include <openssl/crypto.h>

#include "credentials-private.h"
#include "mikeyexchange.h"
#include "mikeywrite.h"
#include "mikeyreplay.h"

/* ---- pre-shared key ---------------------------------------------------------- */

/* Exchange of key messages with a pre-shared key (RFC 3830 section 3.1). */

static GBytes *
write_psk_offer (const GstTfrcMikeyStream *stream, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyTransportKeys *transport, GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyWriter writer;

  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_PSK, seed->csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed->rand, (guint8) seed->rand_bytes);
  gst_tfrc_mikey_write_cipher (&writer, stream->cipher);
  if (gst_tfrc_mikey_seal_keys (&writer, transport, seed, NULL, stream->cipher, keys, error))
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
  GBytes *message = NULL;

  if (!gst_tfrc_mikey_seed_make (&seed, wall_ns)
      || !gst_tfrc_mikey_derive_transport_keys (
          credentials->psk, sizeof credentials->psk, &seed, &transport))
    gst_tfrc_mikey_fail_crypto (error);
  else
    message = write_psk_offer (stream, &seed, &transport, keys, error);
  if (message != NULL) {
    stream->csb_id = seed.csb_id;
    *exchange = gst_tfrc_mikey_exchange_new (
        GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION, &seed, &transport, NULL, NULL);
  }
  OPENSSL_cleanse (&transport, sizeof transport);
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
answer_psk_offer (const GstTfrcMikeyMessage *message, GstTfrcMikeyReplayCache *cache,
    const GstTfrcMikeyTransportKeys *transport, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys, GError **error)
{
  if (!gst_tfrc_mikey_open_keys (message, transport, seed, NULL, stream->cipher, keys, error)
      || !gst_tfrc_mikey_replay_cache_add (cache, message, error))
    return NULL;
  return gst_tfrc_mikey_verify_to (GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION, seed, stream,
      transport->authentication, NULL, NULL, error);
}

static GBytes *
mikey_psk_accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const GstTfrcMikeyMessage *message, guint64 wall_ns, GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  const guint32 wanted = 1 << GST_TFRC_MIKEY_PAYLOAD_T | 1 << GST_TFRC_MIKEY_PAYLOAD_RAND
      | 1 << GST_TFRC_MIKEY_PAYLOAD_SP | 1 << GST_TFRC_MIKEY_PAYLOAD_KEMAC;
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeySeed seed;
  GBytes *answer = NULL;

  /* what is cheap comes before what is not */
  if (!gst_tfrc_mikey_check_payloads (message, wanted, 0, error)
      || !gst_tfrc_mikey_read_stream (message, stream, error)
      || !gst_tfrc_mikey_check_fresh (cache, message, wall_ns, error))
    return NULL;
  gst_tfrc_mikey_seed_take (&seed, message);
  if (!gst_tfrc_mikey_derive_transport_keys (
          credentials->psk, sizeof credentials->psk, &seed, &transport))
    gst_tfrc_mikey_fail_crypto (error);
  else if (check_psk_mac (message, &transport, error))
    answer = answer_psk_offer (message, cache, &transport, &seed, stream, keys, error);
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
    GstTfrcMikeyTransportKeys *transport, GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyWriter writer;

  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_RSA, seed->csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed->rand, (guint8) seed->rand_bytes);
  if (gst_tfrc_mikey_write_author (&writer, credentials->certificate, ids->initiator, error)) {
    gst_tfrc_mikey_write_id (&writer, ids->responder);
    gst_tfrc_mikey_write_cipher (&writer, stream->cipher);
    if (gst_tfrc_mikey_seal_envelope (
            &writer, seed, ids->initiator, peer, stream->cipher, transport, keys, error))
      return gst_tfrc_mikey_sign (&writer, credentials->private_key, NULL, error);
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
  GBytes *offer = NULL;
  Ids ids = { NULL, NULL };

  if (!gst_tfrc_mikey_seed_make (&seed, wall_ns))
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_FAILED, "The random numbers fail.");
  else if (get_ids (credentials->private_key, peer, &ids, error))
    offer = write_offer (credentials, peer, &ids, &seed, stream, &transport, keys, error);
  if (offer != NULL) {
    stream->csb_id = seed.csb_id;
    *exchange = gst_tfrc_mikey_exchange_new (
        GST_TFRC_MIKEY_TYPE_RSA_VERIFICATION, &seed, &transport, ids.initiator, ids.responder);
  }
  OPENSSL_cleanse (&transport, sizeof transport);
  clear_ids (&ids);
  return offer;
}

static GBytes *
mikey_rsa_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream, guint64 wall_ns,
    GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
{
  EVP_PKEY *peer;
  GBytes *offer;

  if (credentials->peer_key == NULL) {
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        "The receiver is known by its CA alone, and has to ask for keys.");
    return NULL;
  }
  peer = gst_tfrc_credentials_get_peer_key (credentials, NULL, wall_ns, error);
  if (peer == NULL)
    return NULL;
  offer = offer_to (credentials, peer, stream, wall_ns, keys, exchange, error);
  EVP_PKEY_free (peer);
  return offer;
}

/* The signature, and after that what only the private key can open */
static GBytes *
answer_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const GstTfrcMikeyMessage *message, EVP_PKEY *peer, const Ids *ids,
    const GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeySeed seed;
  GBytes *answer = NULL;

  if (!gst_tfrc_mikey_check_recipient (message, ids->responder, error)
      || !gst_tfrc_mikey_check_author (message, ids->initiator, error)
      || !gst_tfrc_mikey_check_signature (message, peer, NULL, error))
    return NULL;
  gst_tfrc_mikey_seed_take (&seed, message);
  if (gst_tfrc_mikey_open_envelope (credentials->private_key, message, &seed, ids->initiator,
          stream->cipher, &transport, keys, error)
      && gst_tfrc_mikey_replay_cache_add (cache, message, error))
    answer = gst_tfrc_mikey_verify_to (GST_TFRC_MIKEY_TYPE_RSA_VERIFICATION, &seed, stream,
        transport.authentication, ids->initiator, ids->responder, error);
  OPENSSL_cleanse (&transport, sizeof transport);
  return answer;
}

static GBytes *
mikey_rsa_accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const GstTfrcMikeyMessage *message, guint64 wall_ns, GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
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
      || !gst_tfrc_mikey_read_stream (message, stream, error)
      || !gst_tfrc_mikey_check_fresh (cache, message, wall_ns, error))
    return NULL;
  peer = gst_tfrc_mikey_get_author_key (credentials, message, wall_ns, error);
  if (peer != NULL && get_ids (peer, credentials->private_key, &ids, error))
    answer = answer_offer (credentials, cache, message, peer, &ids, stream, keys, error);
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

  if (credentials->key_exchange == GST_TFRC_KEY_EXCHANGE_PSK)
    offer = mikey_psk_offer (credentials, stream, wall_ns, &made, exchange, error);
  else
    offer = mikey_rsa_offer (credentials, stream, wall_ns, &made, exchange, error);
  if (offer != NULL)
    *keys = made;
  gst_tfrc_stream_keys_wipe (&made);
  return offer;
}

/* May leave stream and keys set if the offer is refused. */
static GBytes *
accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache, const guint8 *bytes,
    gsize size, guint64 wall_ns, GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys,
    GError **error)
{
  gboolean is_psk = credentials->key_exchange == GST_TFRC_KEY_EXCHANGE_PSK;
  GstTfrcMikeyMessage message;

  if (!gst_tfrc_mikey_parse (bytes, size, &message, error))
    return NULL;
  if (message.header.data_type != (is_psk ? GST_TFRC_MIKEY_TYPE_PSK : GST_TFRC_MIKEY_TYPE_RSA)) {
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        is_psk ? "The key message is not one for a passphrase."
               : "The key message is not one for a private key.");
    return NULL;
  }
  if (is_psk)
    return mikey_psk_accept (credentials, cache, &message, wall_ns, stream, keys, error);
  return mikey_rsa_accept (credentials, cache, &message, wall_ns, stream, keys, error);
}

GBytes *
gst_tfrc_mikey_accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const guint8 *bytes, gsize size, guint64 wall_ns, GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyStream offered;
  GstTfrcStreamKeys made;
  GBytes *answer = accept (credentials, cache, bytes, size, wall_ns, &offered, &made, error);

  if (answer != NULL) {
    *stream = offered;
    *keys = made;
  }
  gst_tfrc_stream_keys_wipe (&made);
  return answer;
}

/* ---- RSA in reverse mode ----------------------------------------------------- */

/* Exchange of key messages with RSA in reverse mode (RFC 4738). */

#define BIT(payload) (1U << (payload))

static gboolean
check_credentials (const GstTfrcCredentials *credentials, GError **error)
{
  if (credentials->private_key != NULL)
    return TRUE;
  return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
      "Keys are asked for with RSA keys, and this end has none.");
}

/* The known sender; anybody of the CA otherwise */
static gboolean
write_recipient (GstTfrcMikeyWriter *writer, const GstTfrcCredentials *credentials, GError **error)
{
  gchar *id;

  if (credentials->peer_key == NULL)
    return TRUE;
  id = gst_tfrc_mikey_get_id (credentials->peer_key, error);
  if (id == NULL)
    return FALSE;
  gst_tfrc_mikey_write_id (writer, id);
  g_free (id);
  return TRUE;
}

static GBytes *
write_request (const GstTfrcCredentials *credentials, const GstTfrcMikeySeed *seed, const gchar *id,
    GError **error)
{
  GstTfrcMikeyWriter writer;

  /* no crypto session: the receiver sends no data */
  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_REQUEST, seed->csb_id, NULL);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed->rand, (guint8) seed->rand_bytes);
  if (gst_tfrc_mikey_write_author (&writer, credentials->certificate, id, error)
      && write_recipient (&writer, credentials, error))
    return gst_tfrc_mikey_sign (&writer, credentials->private_key, NULL, error);
  gst_tfrc_mikey_writer_drop (&writer);
  return NULL;
}

GBytes *
gst_tfrc_mikey_request (const GstTfrcCredentials *credentials, guint64 wall_ns,
    GstTfrcMikeyExchange **exchange, GError **error)
{
  GstTfrcMikeySeed seed;
  GBytes *request = NULL;
  gchar *id = NULL;

  if (!check_credentials (credentials, error))
    return NULL;
  if (!gst_tfrc_mikey_seed_make (&seed, wall_ns))
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_FAILED, "The random numbers fail.");
  else if ((id = gst_tfrc_mikey_get_id (credentials->private_key, error)) != NULL)
    request = write_request (credentials, &seed, id, error);
  if (request != NULL)
    *exchange = gst_tfrc_mikey_exchange_new (GST_TFRC_MIKEY_TYPE_GRANT, &seed, NULL, id, NULL);
  g_free (id);
  return request;
}

/* Checks all of a request but its own signature and IDs. */
static gboolean
check_request (const GstTfrcMikeyMessage *message, GstTfrcMikeyReplayCache *cache, guint64 wall_ns,
    GError **error)
{
  const guint32 wanted = BIT (GST_TFRC_MIKEY_PAYLOAD_T) | BIT (GST_TFRC_MIKEY_PAYLOAD_RAND)
      | BIT (GST_TFRC_MIKEY_PAYLOAD_SIGN);
  const guint32 allowed = BIT (GST_TFRC_MIKEY_PAYLOAD_ID) | BIT (GST_TFRC_MIKEY_PAYLOAD_CERT);

  if (message->header.data_type != GST_TFRC_MIKEY_TYPE_REQUEST || message->header.prf != 0)
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_UNSUPPORTED, "The key message does not ask for keys.");
  return gst_tfrc_mikey_check_payloads (message, wanted, allowed, error)
      && gst_tfrc_mikey_check_fresh (cache, message, wall_ns, error);
}

/* Checks IDs and signature of a request. */
static gboolean
check_requester (const GstTfrcMikeyMessage *message, EVP_PKEY *peer, const gchar *initiator,
    const gchar *responder, GError **error)
{
  return gst_tfrc_mikey_check_recipient (message, responder, error)
      && gst_tfrc_mikey_check_author (message, initiator, error)
      && gst_tfrc_mikey_check_signature (message, peer, NULL, error);
}

static GBytes *
write_grant (const GstTfrcCredentials *credentials, EVP_PKEY *peer, const gchar *initiator,
    const gchar *responder, const GstTfrcMikeySeed *seed, const GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeyWriter writer;
  GByteArray *identities;
  GBytes *grant;
  gboolean ok;

  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_GRANT, seed->csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  ok = gst_tfrc_mikey_write_author (&writer, credentials->certificate, responder, error);
  if (ok) {
    gst_tfrc_mikey_write_cipher (&writer, stream->cipher);
    ok = gst_tfrc_mikey_seal_envelope (
        &writer, seed, responder, peer, stream->cipher, &transport, keys, error);
    OPENSSL_cleanse (&transport, sizeof transport);
  }
  if (!ok) {
    gst_tfrc_mikey_writer_drop (&writer);
    return NULL;
  }
  identities = gst_tfrc_mikey_join_identities (initiator, responder, seed->timestamp);
  grant = gst_tfrc_mikey_sign (&writer, credentials->private_key, identities, error);
  g_byte_array_unref (identities);
  return grant;
}

static GBytes *
grant_to (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const GstTfrcMikeyMessage *message, EVP_PKEY *peer, const GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  gchar *initiator = gst_tfrc_mikey_get_id (peer, error);
  gchar *responder = initiator != NULL ? gst_tfrc_mikey_get_id (credentials->private_key, error)
                                       : NULL;
  GstTfrcMikeySeed seed;
  GBytes *grant = NULL;

  gst_tfrc_mikey_seed_take (&seed, message);
  if (responder != NULL && check_requester (message, peer, initiator, responder, error)
      && gst_tfrc_mikey_replay_cache_add (cache, message, error))
    grant = write_grant (credentials, peer, initiator, responder, &seed, stream, keys, error);
  g_free (initiator);
  g_free (responder);
  return grant;
}

GBytes *
gst_tfrc_mikey_grant (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const guint8 *request, gsize size, guint64 wall_ns, GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyMessage message;
  GstTfrcStreamKeys made;
  GBytes *grant;
  EVP_PKEY *peer;

  if (!check_credentials (credentials, error)
      || !gst_tfrc_mikey_parse (request, size, &message, error)
      || !check_request (&message, cache, wall_ns, error))
    return NULL;
  peer = gst_tfrc_mikey_get_author_key (credentials, &message, wall_ns, error);
  if (peer == NULL)
    return NULL;
  grant = grant_to (credentials, cache, &message, peer, stream, &made, error);
  if (grant != NULL) {
    stream->csb_id = message.header.csb_id;
    *keys = made;
  }
  gst_tfrc_stream_keys_wipe (&made);
  EVP_PKEY_free (peer);
  return grant;
}

/* The signature covers the request's time stamp and both IDs; the MAC depends on its RAND. */
static gboolean
open_grant (const GstTfrcCredentials *credentials, const GstTfrcMikeyExchange *exchange,
    const GstTfrcMikeyMessage *message, EVP_PKEY *peer, GstTfrcCipher cipher,
    GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyTransportKeys transport;
  gchar *id = gst_tfrc_mikey_get_id (peer, error);
  GByteArray *identities;
  gboolean ok;

  if (id == NULL)
    return FALSE;
  identities = gst_tfrc_mikey_join_identities (exchange->initiator, id, exchange->seed.timestamp);
  ok = gst_tfrc_mikey_check_author (message, id, error)
      && gst_tfrc_mikey_check_signature (message, peer, identities, error)
      && gst_tfrc_mikey_open_envelope (
          credentials->private_key, message, &exchange->seed, id, cipher, &transport, keys, error);
  OPENSSL_cleanse (&transport, sizeof transport);
  g_byte_array_unref (identities);
  g_free (id);
  return ok;
}

/* Checks all of a grant that needs no key. */
static gboolean
check_grant (const GstTfrcMikeyExchange *exchange, const GstTfrcMikeyMessage *message,
    GstTfrcMikeyStream *stream, GError **error)
{
  const guint32 wanted = BIT (GST_TFRC_MIKEY_PAYLOAD_T) | BIT (GST_TFRC_MIKEY_PAYLOAD_SP)
      | BIT (GST_TFRC_MIKEY_PAYLOAD_KEMAC) | BIT (GST_TFRC_MIKEY_PAYLOAD_PKE)
      | BIT (GST_TFRC_MIKEY_PAYLOAD_SIGN);
  const guint32 allowed = BIT (GST_TFRC_MIKEY_PAYLOAD_ID) | BIT (GST_TFRC_MIKEY_PAYLOAD_CERT);

  return gst_tfrc_mikey_check_answer (exchange, message, error)
      && gst_tfrc_mikey_check_payloads (message, wanted, allowed, error)
      && gst_tfrc_mikey_read_stream (message, stream, error);
}

gboolean
gst_tfrc_mikey_take_grant (const GstTfrcCredentials *credentials,
    const GstTfrcMikeyExchange *exchange, const guint8 *bytes, gsize size, guint64 wall_ns,
    GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyMessage message;
  GstTfrcMikeyStream granted;
  GstTfrcStreamKeys made;
  EVP_PKEY *peer;
  gboolean ok;

  if (!check_credentials (credentials, error)
      || !gst_tfrc_mikey_parse (bytes, size, &message, error)
      || !check_grant (exchange, &message, &granted, error))
    return FALSE;
  peer = gst_tfrc_mikey_get_author_key (credentials, &message, wall_ns, error);
  if (peer == NULL)
    return FALSE;
  ok = open_grant (credentials, exchange, &message, peer, granted.cipher, &made, error);
  if (ok) {
    *stream = granted;
    *keys = made;
  }
  gst_tfrc_stream_keys_wipe (&made);
  EVP_PKEY_free (peer);
  return ok;
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
