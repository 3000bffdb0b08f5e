/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common parts of all exchanges of key messages, see mikeyexchange.h. */
#include "mikeyexchange.h"

#include <openssl/crypto.h>
#include <string.h>

#include "../common/random.h"
#include "mikeypolicy.h"
#include "mikeyreplay.h"

/* Of the key data that is read, and of what is written here: two sub-payloads */
#define MAX_KEY_DATA_BYTES 512

GstTfrcMikeyExchange *
gst_tfrc_mikey_exchange_new (guint8 answer_type, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyTransportKeys *keys, const gchar *initiator, const gchar *responder)
{
  GstTfrcMikeyExchange *self = g_new0 (GstTfrcMikeyExchange, 1);

  self->answer_type = answer_type;
  self->seed = *seed;
  if (keys != NULL)
    memcpy (self->authentication, keys->authentication, sizeof self->authentication);
  self->initiator = g_strdup (initiator);
  self->responder = g_strdup (responder);
  return self;
}

void
gst_tfrc_mikey_exchange_free (GstTfrcMikeyExchange *self)
{
  if (self == NULL)
    return;
  g_free (self->initiator);
  g_free (self->responder);
  OPENSSL_cleanse (self, sizeof *self);
  g_free (self);
}

static gboolean
failed (GError **error)
{
  return gst_tfrc_mikey_fail (
      error, GST_TFRC_MIKEY_FAILED, "The cryptographic library or the random numbers fail.");
}

void
gst_tfrc_mikey_write_cipher (GstTfrcMikeyWriter *writer, GstTfrcCipher cipher)
{
  guint8 parameters[GST_TFRC_MIKEY_POLICY_MAX_BYTES];
  gsize size = gst_tfrc_mikey_policy_write (cipher, parameters);

  gst_tfrc_mikey_write_policy (writer, 0, parameters, (guint16) size);
}

/* Writes the encrypted key data, and the MAC over this payload or over the whole message. */
static gboolean
write_kemac (GstTfrcMikeyWriter *writer, const GstTfrcMikeyTransportKeys *transport,
    const GstTfrcMikeySeed *seed, const gchar *id, const guint8 *tgk)
{
  guint8 key_data[MAX_KEY_DATA_BYTES], encrypted[MAX_KEY_DATA_BYTES];
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];
  gsize size = gst_tfrc_mikey_write_key_data (
      key_data, sizeof key_data, id, tgk, GST_TFRC_MIKEY_KEY_BYTES);
  gboolean ok = size > 0 && gst_tfrc_mikey_crypt (transport, seed, key_data, size, encrypted);
  gsize begin;

  OPENSSL_cleanse (key_data, sizeof key_data);
  if (!ok)
    return FALSE;
  begin = gst_tfrc_mikey_write_kemac (writer, encrypted, (guint16) size);
  if (id == NULL)
    begin = 0;
  ok = gst_tfrc_mikey_mac (
      transport->authentication, writer->bytes->data + begin, writer->bytes->len - begin, mac);
  g_byte_array_append (writer->bytes, mac, sizeof mac);
  return ok;
}

gboolean
gst_tfrc_mikey_seal_keys (GstTfrcMikeyWriter *writer, const GstTfrcMikeyTransportKeys *transport,
    const GstTfrcMikeySeed *seed, const gchar *id, GstTfrcCipher cipher, GstTfrcStreamKeys *keys,
    GError **error)
{
  guint8 tgk[GST_TFRC_MIKEY_KEY_BYTES];
  gboolean ok = gst_tfrc_random_fill (tgk, sizeof tgk)
      && write_kemac (writer, transport, seed, id, tgk)
      && gst_tfrc_mikey_derive_stream_keys (tgk, sizeof tgk, seed, cipher, keys);

  OPENSSL_cleanse (tgk, sizeof tgk);
  return ok ? TRUE : failed (error);
}

/* Reads the decrypted key data. */
static gboolean
take_tgk (const guint8 *key_data, gsize size, const gchar *id, GstTfrcMikeyBytes *tgk,
    GstTfrcCipher cipher, GError **error)
{
  GstTfrcMikeyBytes author = { NULL, 0 };

  if (!gst_tfrc_mikey_parse_key_data (key_data, size, id != NULL ? &author : NULL, tgk, error))
    return FALSE;
  if (id != NULL && (author.size != strlen (id) || memcmp (author.data, id, author.size) != 0))
    return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNKNOWN_KEY,
        "The keys in the key message were encrypted by another end than the one that signed.");
  if (tgk->size < gst_tfrc_cipher_get_sizes (cipher)->key_bytes)
    return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        "The key in the key message is shorter than the cipher's keys.");
  return TRUE;
}

gboolean
gst_tfrc_mikey_open_keys (const GstTfrcMikeyMessage *message,
    const GstTfrcMikeyTransportKeys *transport, const GstTfrcMikeySeed *seed, const gchar *id,
    GstTfrcCipher cipher, GstTfrcStreamKeys *keys, GError **error)
{
  guint8 key_data[MAX_KEY_DATA_BYTES];
  gsize size = message->key_data.size;
  GstTfrcMikeyBytes tgk;
  gboolean ok;

  if (size > sizeof key_data)
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_UNSUPPORTED, "The key message has too many keys.");
  if (!gst_tfrc_mikey_crypt (transport, seed, message->key_data.data, size, key_data))
    return failed (error);
  ok = take_tgk (key_data, size, id, &tgk, cipher, error)
      && (gst_tfrc_mikey_derive_stream_keys (tgk.data, tgk.size, seed, cipher, keys)
          || failed (error));
  OPENSSL_cleanse (key_data, sizeof key_data);
  return ok;
}

gboolean
gst_tfrc_mikey_read_stream (
    const GstTfrcMikeyMessage *message, GstTfrcMikeyStream *stream, GError **error)
{
  const GstTfrcMikeyHeader *header = &message->header;

  if (header->n_sessions != GST_TFRC_MIKEY_SESSIONS || header->prf != 0
      || header->sessions[0].policy != message->policy_number
      || header->sessions[1].policy != message->policy_number
      || message->encryption != GST_TFRC_MIKEY_AES_CM_128)
    return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        "The key message has other crypto sessions or algorithms than are supported.");
  stream->csb_id = header->csb_id;
  stream->ssrc = header->sessions[0].ssrc;
  stream->roc = header->sessions[0].roc;
  return gst_tfrc_mikey_policy_read (
      message->policy.data, message->policy.size, &stream->cipher, error);
}

gboolean
gst_tfrc_mikey_check_fresh (GstTfrcMikeyReplayCache *cache, const GstTfrcMikeyMessage *message,
    guint64 wall_ns, GError **error)
{
  if (!gst_tfrc_mikey_is_current (message->timestamp, wall_ns))
    return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_CLOCK,
        "The key message's time stamp is more than five minutes away from this host's clock.");
  return gst_tfrc_mikey_replay_cache_check (cache, message, wall_ns, error);
}

gboolean
gst_tfrc_mikey_check_answer (
    const GstTfrcMikeyExchange *exchange, const GstTfrcMikeyMessage *message, GError **error)
{
  if (message->header.data_type == exchange->answer_type
      && message->header.csb_id == exchange->seed.csb_id
      && message->timestamp == exchange->seed.timestamp)
    return TRUE;
  return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_OTHER_EXCHANGE,
      "The key message does not answer the one that was sent.");
}

GByteArray *
gst_tfrc_mikey_join_identities (const gchar *initiator, const gchar *responder, guint64 timestamp)
{
  GByteArray *all = g_byte_array_new ();
  guint64 big_endian = GUINT64_TO_BE (timestamp);

  if (initiator != NULL)
    g_byte_array_append (all, (const guint8 *) initiator, (guint) strlen (initiator));
  if (responder != NULL)
    g_byte_array_append (all, (const guint8 *) responder, (guint) strlen (responder));
  return g_byte_array_append (all, (const guint8 *) &big_endian, sizeof big_endian);
}

/* The MAC of the message, Identity_i || Identity_r || Timestamp (section 5.2) */
static gboolean
get_verification_mac (const guint8 authentication[GST_TFRC_MIKEY_MAC_BYTES], const guint8 *message,
    gsize size, const gchar *initiator, const gchar *responder, guint64 timestamp,
    guint8 mac[GST_TFRC_MIKEY_MAC_BYTES])
{
  GByteArray *all = gst_tfrc_mikey_join_identities (initiator, responder, timestamp);
  gboolean ok;

  g_byte_array_prepend (all, message, (guint) size);
  ok = gst_tfrc_mikey_mac (authentication, all->data, all->len, mac);
  g_byte_array_unref (all);
  return ok;
}

GBytes *
gst_tfrc_mikey_verify_to (guint8 data_type, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyStream *stream, const guint8 authentication[GST_TFRC_MIKEY_MAC_BYTES],
    const gchar *initiator, const gchar *responder, GError **error)
{
  GstTfrcMikeyWriter writer;
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];

  gst_tfrc_mikey_writer_init (&writer, data_type, seed->csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  gst_tfrc_mikey_write_verification (&writer);
  if (!get_verification_mac (authentication, writer.bytes->data, writer.bytes->len, initiator,
          responder, seed->timestamp, mac)) {
    gst_tfrc_mikey_writer_drop (&writer);
    failed (error);
    return NULL;
  }
  g_byte_array_append (writer.bytes, mac, sizeof mac);
  return gst_tfrc_mikey_writer_finish (&writer);
}

gboolean
gst_tfrc_mikey_confirm (const GstTfrcCredentials *credentials, const GstTfrcMikeyExchange *exchange,
    const guint8 *bytes, gsize size, GError **error)
{
  gboolean is_psk = exchange->answer_type == GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION;
  const guint32 wanted = 1 << GST_TFRC_MIKEY_PAYLOAD_T | 1 << GST_TFRC_MIKEY_PAYLOAD_V;
  GstTfrcMikeyMessage message;
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];

  (void) credentials; /* the exchange has the keys */
  if (!gst_tfrc_mikey_parse (bytes, size, &message, error)
      || !gst_tfrc_mikey_check_answer (exchange, &message, error)
      || !gst_tfrc_mikey_check_payloads (&message, wanted, 1 << GST_TFRC_MIKEY_PAYLOAD_ID, error))
    return FALSE;
  if (!get_verification_mac (exchange->authentication, message.covered.data, message.covered.size,
          exchange->initiator, exchange->responder, exchange->seed.timestamp, mac))
    return failed (error);
  if (CRYPTO_memcmp (mac, message.mac.data, sizeof mac) == 0)
    return TRUE;
  return is_psk ? gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_WRONG_PASSPHRASE,
             "The receiver's answer was made with another passphrase.")
                : gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNKNOWN_KEY,
                    "The receiver's answer was made without the receiver's private key.");
}
