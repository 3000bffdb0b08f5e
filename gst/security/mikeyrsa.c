/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exchange of key messages with RSA (RFC 3830 section 3.2), see mikeyexchange.h. */
#include <openssl/crypto.h>

#include "credentials-private.h"
#include "mikeyexchange.h"
#include "mikeyreplay.h"
#include "mikeyseal.h"

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
  if (gst_tfrc_mikey_write_author (&writer, credentials, ids->initiator, error)) {
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

GBytes *
gst_tfrc_mikey_rsa_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
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

GBytes *
gst_tfrc_mikey_rsa_accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
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
