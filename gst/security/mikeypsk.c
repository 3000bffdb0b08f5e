/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exchange of key messages with a pre-shared key (RFC 3830 section 3.1), see mikeyexchange.h. */
#include "mikeyexchange.h"

#include <openssl/crypto.h>

#include "credentials-private.h"
#include "mikeyreplay.h"

static gboolean
failed (GError **error)
{
  return gst_tfrc_mikey_fail (
      error, GST_TFRC_MIKEY_FAILED, "The cryptographic library or the random numbers fail.");
}

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

GBytes *
gst_tfrc_mikey_psk_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
{
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeySeed seed;
  GBytes *message = NULL;

  if (!gst_tfrc_mikey_seed_make (&seed, wall_ns)
      || !gst_tfrc_mikey_derive_transport_keys (
          credentials->psk, sizeof credentials->psk, &seed, &transport))
    failed (error);
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
    return failed (error);
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

GBytes *
gst_tfrc_mikey_psk_accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
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
    failed (error);
  else if (check_psk_mac (message, &transport, error))
    answer = answer_psk_offer (message, cache, &transport, &seed, stream, keys, error);
  OPENSSL_cleanse (&transport, sizeof transport);
  return answer;
}
