/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exchange of key messages with RSA in reverse mode (RFC 4738), see mikey.h. */
#include <openssl/crypto.h>

#include "credentials-private.h"
#include "mikeyexchange.h"
#include "mikeyreplay.h"
#include "mikeywrite.h"

#define BIT(payload) (1U << (payload))

static gboolean
check_credentials (const GstTfrcCredentials *credentials, GError **error)
{
  if (gst_tfrc_credentials_peek_private_key (credentials) != NULL)
    return TRUE;
  return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
      "Keys are asked for with RSA keys, and this end has none.");
}

/* The known sender; anybody of the CA otherwise */
static gboolean
write_recipient (GstTfrcMikeyWriter *writer, const GstTfrcCredentials *credentials, GError **error)
{
  gchar *id;

  if (gst_tfrc_credentials_peek_known_key (credentials) == NULL)
    return TRUE;
  id = gst_tfrc_mikey_get_id (gst_tfrc_credentials_peek_known_key (credentials), error);
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
  if (gst_tfrc_mikey_write_author (
          &writer, gst_tfrc_credentials_peek_certificate (credentials), id, error)
      && write_recipient (&writer, credentials, error))
    return gst_tfrc_mikey_sign (
        &writer, gst_tfrc_credentials_peek_private_key (credentials), NULL, error);
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
  else if ((id = gst_tfrc_mikey_get_id (gst_tfrc_credentials_peek_private_key (credentials), error))
      != NULL)
    request = write_request (credentials, &seed, id, error);
  if (request != NULL)
    *exchange = gst_tfrc_mikey_exchange_new (
        GST_TFRC_MIKEY_TYPE_GRANT, &seed, NULL, NULL, GST_TFRC_CIPHER_AES_128_GCM, id, NULL);
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
  GstTfrcMikeyTgk tgk;
  GBytes *grant;
  gboolean ok;

  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_GRANT, seed->csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  ok = gst_tfrc_mikey_write_author (
      &writer, gst_tfrc_credentials_peek_certificate (credentials), responder, error);
  if (ok) {
    gst_tfrc_mikey_write_stream (&writer, stream);
    ok = gst_tfrc_mikey_seal_envelope (&writer, seed, responder, peer, &transport, &tgk, error)
        && gst_tfrc_mikey_make_stream_keys (&tgk, seed, NULL, stream->cipher, keys, error);
    OPENSSL_cleanse (&transport, sizeof transport);
    OPENSSL_cleanse (&tgk, sizeof tgk);
  }
  if (!ok) {
    gst_tfrc_mikey_writer_drop (&writer);
    return NULL;
  }
  identities = gst_tfrc_mikey_join_identities (initiator, responder, seed->timestamp);
  grant = gst_tfrc_mikey_sign (
      &writer, gst_tfrc_credentials_peek_private_key (credentials), identities, error);
  g_byte_array_unref (identities);
  return grant;
}

static GBytes *
grant_to (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const GstTfrcMikeyMessage *message, EVP_PKEY *peer, const GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  gchar *initiator = gst_tfrc_mikey_get_id (peer, error);
  gchar *responder = initiator != NULL
      ? gst_tfrc_mikey_get_id (gst_tfrc_credentials_peek_private_key (credentials), error)
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
  peer = gst_tfrc_mikey_get_author_key (credentials, &message,
      GST_TFRC_CERTIFICATE_SIGNS | GST_TFRC_CERTIFICATE_TAKES_KEYS, wall_ns, error);
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
    const GstTfrcMikeyMessage *message, EVP_PKEY *peer, GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyTransportKeys transport;
  gchar *id = gst_tfrc_mikey_get_id (peer, error);
  GByteArray *identities;
  GstTfrcMikeyTgk tgk;
  gboolean ok;

  if (id == NULL)
    return FALSE;
  g_strlcpy (stream->author, id, sizeof stream->author);
  identities = gst_tfrc_mikey_join_identities (exchange->initiator, id, exchange->seed.timestamp);
  ok = gst_tfrc_mikey_check_author (message, id, error)
      && gst_tfrc_mikey_check_signature (message, peer, identities, error)
      && gst_tfrc_mikey_open_envelope (gst_tfrc_credentials_peek_private_key (credentials), message,
          &exchange->seed, id, stream->cipher, &transport, &tgk, error)
      && gst_tfrc_mikey_make_stream_keys (&tgk, &exchange->seed, NULL, stream->cipher, keys, error);
  OPENSSL_cleanse (&transport, sizeof transport);
  OPENSSL_cleanse (&tgk, sizeof tgk);
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
  peer = gst_tfrc_mikey_get_author_key (
      credentials, &message, GST_TFRC_CERTIFICATE_SIGNS, wall_ns, error);
  if (peer == NULL)
    return FALSE;
  ok = open_grant (credentials, exchange, &message, peer, &granted, &made, error);
  if (ok) {
    *stream = granted;
    *keys = made;
  }
  gst_tfrc_stream_keys_wipe (&made);
  EVP_PKEY_free (peer);
  return ok;
}
