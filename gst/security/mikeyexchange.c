/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common parts of all exchanges of key messages, see mikeyexchange.h. */
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

#include "mikeyexchange.h"
#include "../common/random.h"
#include "credentials-private.h"
#include "mikeyreplay.h"

/* ---- exchange ---------------------------------------------------------------- */

gboolean
gst_tfrc_mikey_fail_crypto (GError **error)
{
  ERR_clear_error ();
  return gst_tfrc_mikey_fail (
      error, GST_TFRC_MIKEY_FAILED, "The cryptographic library or the random numbers fail.");
}

/* Of the key data that is read, and of what is written here: two sub-payloads */
#define MAX_KEY_DATA_BYTES 512

GstTfrcMikeyExchange *
gst_tfrc_mikey_exchange_new (guint8 answer_type, const GstTfrcMikeySeed *seed,
    const GstTfrcMikeyTransportKeys *keys, const GstTfrcMikeyTgk *tgk, GstTfrcCipher cipher,
    const gchar *initiator, const gchar *responder)
{
  GstTfrcMikeyExchange *self = g_new0 (GstTfrcMikeyExchange, 1);

  self->answer_type = answer_type;
  self->seed = *seed;
  if (keys != NULL)
    memcpy (self->authentication, keys->authentication, sizeof self->authentication);
  if (tgk != NULL)
    self->tgk = *tgk;
  self->cipher = cipher;
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

/* Writes the encrypted key data, and the MAC over this payload or over the whole message. */
static gboolean
write_kemac (GstTfrcMikeyWriter *writer, const GstTfrcMikeyTransportKeys *transport,
    const GstTfrcMikeySeed *seed, const gchar *id, const GstTfrcMikeyTgk *tgk)
{
  guint8 key_data[MAX_KEY_DATA_BYTES], encrypted[MAX_KEY_DATA_BYTES];
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];
  gsize size = gst_tfrc_mikey_write_key_data (
      key_data, sizeof key_data, id, tgk->bytes, (guint16) tgk->size);
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
    const GstTfrcMikeySeed *seed, const gchar *id, GstTfrcMikeyTgk *tgk, GError **error)
{
  tgk->size = GST_TFRC_MIKEY_KEY_BYTES;
  return (gst_tfrc_random_fill (tgk->bytes, tgk->size)
             && write_kemac (writer, transport, seed, id, tgk))
      || gst_tfrc_mikey_fail_crypto (error);
}

/* Reads the decrypted key data. */
static gboolean
take_tgk (const guint8 *key_data, gsize size, const gchar *id, GstTfrcMikeyTgk *tgk,
    GstTfrcCipher cipher, GError **error)
{
  GstTfrcMikeyBytes author = { NULL, 0 }, read;

  if (!gst_tfrc_mikey_parse_key_data (key_data, size, id != NULL ? &author : NULL, &read, error))
    return FALSE;
  if (id != NULL && (author.size != strlen (id) || memcmp (author.data, id, author.size) != 0))
    return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNKNOWN_KEY,
        "The keys in the key message were encrypted by another end than the one that signed.");
  if (read.size < gst_tfrc_cipher_get_sizes (cipher)->key_bytes || read.size > sizeof tgk->bytes)
    return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        "The key in the key message is shorter than the cipher's keys, or much longer.");
  memcpy (tgk->bytes, read.data, read.size);
  tgk->size = read.size;
  return TRUE;
}

gboolean
gst_tfrc_mikey_open_keys (const GstTfrcMikeyMessage *message,
    const GstTfrcMikeyTransportKeys *transport, const GstTfrcMikeySeed *seed, const gchar *id,
    GstTfrcCipher cipher, GstTfrcMikeyTgk *tgk, GError **error)
{
  guint8 key_data[MAX_KEY_DATA_BYTES];
  gsize size = message->key_data.size;
  gboolean ok;

  if (size > sizeof key_data)
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_UNSUPPORTED, "The key message has too many keys.");
  if (!gst_tfrc_mikey_crypt (transport, seed, message->key_data.data, size, key_data))
    return gst_tfrc_mikey_fail_crypto (error);
  ok = take_tgk (key_data, size, id, tgk, cipher, error);
  OPENSSL_cleanse (key_data, sizeof key_data);
  return ok;
}

gboolean
gst_tfrc_mikey_make_stream_keys (const GstTfrcMikeyTgk *tgk, const GstTfrcMikeySeed *seed,
    const guint8 *answer_rand, GstTfrcCipher cipher, GstTfrcStreamKeys *keys, GError **error)
{
  return gst_tfrc_mikey_derive_stream_keys (tgk, seed, answer_rand, cipher, keys)
      || gst_tfrc_mikey_fail_crypto (error);
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
    const GstTfrcMikeyStream *stream, const guint8 *rand,
    const guint8 authentication[GST_TFRC_MIKEY_MAC_BYTES], const gchar *initiator,
    const gchar *responder, GError **error)
{
  GstTfrcMikeyWriter writer;
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];

  gst_tfrc_mikey_writer_init (&writer, data_type, seed->csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed->timestamp);
  gst_tfrc_mikey_write_rand (&writer, rand, GST_TFRC_MIKEY_RAND_BYTES);
  gst_tfrc_mikey_write_verification (&writer);
  if (!get_verification_mac (authentication, writer.bytes->data, writer.bytes->len, initiator,
          responder, seed->timestamp, mac)) {
    gst_tfrc_mikey_writer_drop (&writer);
    gst_tfrc_mikey_fail_crypto (error);
    return NULL;
  }
  g_byte_array_append (writer.bytes, mac, sizeof mac);
  return gst_tfrc_mikey_writer_finish (&writer);
}

gboolean
gst_tfrc_mikey_confirm (const GstTfrcMikeyExchange *exchange, const guint8 *bytes, gsize size,
    GstTfrcStreamKeys *keys, GError **error)
{
  gboolean is_psk = exchange->answer_type == GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION;
  const guint32 wanted = 1 << GST_TFRC_MIKEY_PAYLOAD_T | 1 << GST_TFRC_MIKEY_PAYLOAD_RAND
      | 1 << GST_TFRC_MIKEY_PAYLOAD_V;
  GstTfrcMikeyMessage message;
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];

  if (!gst_tfrc_mikey_parse (bytes, size, &message, error)
      || !gst_tfrc_mikey_check_answer (exchange, &message, error)
      || !gst_tfrc_mikey_check_payloads (&message, wanted, 1 << GST_TFRC_MIKEY_PAYLOAD_ID, error))
    return FALSE;
  if (message.rand.size != GST_TFRC_MIKEY_RAND_BYTES)
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_UNSUPPORTED, "The receiver's part of the keys is not 16 bytes long.");
  if (!get_verification_mac (exchange->authentication, message.covered.data, message.covered.size,
          exchange->initiator, exchange->responder, exchange->seed.timestamp, mac))
    return gst_tfrc_mikey_fail_crypto (error);
  if (CRYPTO_memcmp (mac, message.mac.data, sizeof mac) == 0)
    return gst_tfrc_mikey_make_stream_keys (
        &exchange->tgk, &exchange->seed, message.rand.data, exchange->cipher, keys, error);
  return is_psk ? gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_WRONG_PASSPHRASE,
             "The receiver's answer was made with another passphrase.")
                : gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNKNOWN_KEY,
                    "The receiver's answer was made without the receiver's private key.");
}

/* ---- RSA --------------------------------------------------------------------- */

#define HASH_BYTES 32
#define MIN_ENVELOPE_KEY_BYTES 16
#define ID_PREFIX "ni:///sha-256;"

/* An RSA key of 16384 bits, the longest that OpenSSL takes */
#define MAX_RSA_BYTES 2048

/* base64url without padding (RFC 4648 section 5) */
static gchar *
format_id (const guint8 hash[HASH_BYTES])
{
  gchar *base64 = g_base64_encode (hash, HASH_BYTES), *id;

  g_strdelimit (base64, "+", '-');
  g_strdelimit (base64, "/", '_');
  g_strdelimit (base64, "=", '\0');
  id = g_strconcat (ID_PREFIX, base64, NULL);
  g_free (base64);
  return id;
}

gchar *
gst_tfrc_mikey_get_id (EVP_PKEY *key, GError **error)
{
  guint8 *der = NULL, hash[HASH_BYTES];
  gint size = i2d_PUBKEY (key, &der);
  gboolean ok = size > 0 && EVP_Digest (der, (gsize) size, hash, NULL, EVP_sha256 (), NULL) == 1;

  OPENSSL_free (der);
  if (ok)
    return format_id (hash);
  gst_tfrc_mikey_fail_crypto (error);
  return NULL;
}

gboolean
gst_tfrc_mikey_write_author (
    GstTfrcMikeyWriter *writer, X509 *certificate, const gchar *id, GError **error)
{
  guint8 *der = NULL;
  gint size;

  if (certificate == NULL) {
    gst_tfrc_mikey_write_id (writer, id);
    return TRUE;
  }
  size = i2d_X509 (certificate, &der);
  if (size > 0 && size <= GST_TFRC_MIKEY_MAX_BYTES)
    gst_tfrc_mikey_write_certificate (writer, der, (guint16) size);
  OPENSSL_free (der);
  if (size > GST_TFRC_MIKEY_MAX_BYTES)
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_UNSUPPORTED, "The certificate is too long for a key message.");
  return size > 0 ? TRUE : gst_tfrc_mikey_fail_crypto (error);
}

EVP_PKEY *
gst_tfrc_mikey_get_author_key (const GstTfrcCredentials *credentials,
    const GstTfrcMikeyMessage *message, guint32 uses, guint64 wall_ns, GError **error)
{
  const guint8 *end = message->certificate.data;
  X509 *certificate = NULL;
  EVP_PKEY *key = NULL;

  if (end != NULL) {
    certificate = d2i_X509 (NULL, &end, (glong) message->certificate.size);
    ERR_clear_error ();
    if (certificate == NULL || end != message->certificate.data + message->certificate.size) {
      gst_tfrc_mikey_fail (
          error, GST_TFRC_MIKEY_MALFORMED, "The certificate in the key message is malformed.");
      X509_free (certificate);
      return NULL;
    }
  }
  key = gst_tfrc_credentials_get_peer_key (credentials, certificate, uses, wall_ns, error);
  X509_free (certificate);
  return key;
}

static gboolean
is_id (GstTfrcMikeyBytes written, const gchar *id)
{
  return written.size == strlen (id) && memcmp (written.data, id, written.size) == 0;
}

/* The author's ID is first, unless a certificate replaces that ID. */
gboolean
gst_tfrc_mikey_check_author (const GstTfrcMikeyMessage *message, const gchar *id, GError **error)
{
  if (message->certificate.data != NULL || message->n_ids == 0 || is_id (message->ids[0], id))
    return TRUE;
  return gst_tfrc_mikey_fail (
      error, GST_TFRC_MIKEY_UNKNOWN_KEY, "The key message is of another key than the known one.");
}

gboolean
gst_tfrc_mikey_check_recipient (const GstTfrcMikeyMessage *message, const gchar *id, GError **error)
{
  guint at = message->certificate.data != NULL ? 0 : 1;

  if (message->n_ids <= at || is_id (message->ids[at], id))
    return TRUE;
  return gst_tfrc_mikey_fail (
      error, GST_TFRC_MIKEY_UNKNOWN_KEY, "The key message is for another end's key.");
}

typedef gint (*InitEnvelope) (EVP_PKEY_CTX *context);
typedef gint (*UseEnvelope) (
    EVP_PKEY_CTX *context, guint8 *out, gsize *out_size, const guint8 *in, gsize in_size);

/* RSA-OAEP in either direction.
 * @out_size: in: the room; out: bytes */
static gboolean
run_oaep (EVP_PKEY *key, InitEnvelope init, UseEnvelope use, const guint8 *in, gsize in_size,
    guint8 *out, gsize *out_size)
{
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey (NULL, key, NULL);
  gboolean ok = context != NULL && init (context) == 1
      && EVP_PKEY_CTX_set_rsa_padding (context, RSA_PKCS1_OAEP_PADDING) == 1
      && EVP_PKEY_CTX_set_rsa_oaep_md (context, EVP_sha256 ()) == 1
      && EVP_PKEY_CTX_set_rsa_mgf1_md (context, EVP_sha256 ()) == 1
      && use (context, out, out_size, in, in_size) == 1;

  EVP_PKEY_CTX_free (context);
  return ok;
}

gboolean
gst_tfrc_mikey_seal_envelope (GstTfrcMikeyWriter *writer, const GstTfrcMikeySeed *seed,
    const gchar *id, EVP_PKEY *recipient, GstTfrcMikeyTransportKeys *transport,
    GstTfrcMikeyTgk *tgk, GError **error)
{
  guint8 key[GST_TFRC_MIKEY_KEY_BYTES], envelope[MAX_RSA_BYTES];
  gsize size = sizeof envelope;
  gboolean ok = gst_tfrc_random_fill (key, sizeof key)
      && gst_tfrc_mikey_derive_transport_keys (key, sizeof key, seed, transport)
      && run_oaep (
          recipient, EVP_PKEY_encrypt_init, EVP_PKEY_encrypt, key, sizeof key, envelope, &size);

  OPENSSL_cleanse (key, sizeof key);
  if (!ok)
    return gst_tfrc_mikey_fail_crypto (error);
  if (!gst_tfrc_mikey_seal_keys (writer, transport, seed, id, tgk, error))
    return FALSE;
  gst_tfrc_mikey_write_envelope (writer, envelope, (guint16) size);
  return TRUE;
}

/* The MAC covers the KEMAC as if no payload followed (section 6.2). */
static gboolean
check_kemac (
    const GstTfrcMikeyMessage *message, const GstTfrcMikeyTransportKeys *transport, GError **error)
{
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];
  guint8 *kemac = g_memdup2 (message->kemac.data, message->kemac.size);
  gboolean ok;

  kemac[0] = GST_TFRC_MIKEY_PAYLOAD_LAST;
  ok = gst_tfrc_mikey_mac (transport->authentication, kemac, message->kemac.size, mac);
  g_free (kemac);
  if (!ok)
    return gst_tfrc_mikey_fail_crypto (error);
  if (CRYPTO_memcmp (mac, message->mac.data, sizeof mac) == 0)
    return TRUE;
  return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_OTHER_EXCHANGE,
      "The keys in the key message were encrypted for another message.");
}

static gboolean
open_pke (EVP_PKEY *private_key, const GstTfrcMikeyMessage *message, const GstTfrcMikeySeed *seed,
    GstTfrcMikeyTransportKeys *transport, GError **error)
{
  guint8 key[MAX_RSA_BYTES];
  gsize size = sizeof key;
  gboolean is_open = run_oaep (private_key, EVP_PKEY_decrypt_init, EVP_PKEY_decrypt,
      message->envelope.data, message->envelope.size, key, &size);
  gboolean is_long = is_open && size >= MIN_ENVELOPE_KEY_BYTES;
  gboolean ok = is_long && gst_tfrc_mikey_derive_transport_keys (key, size, seed, transport);

  OPENSSL_cleanse (key, sizeof key);
  ERR_clear_error ();
  if (!is_open)
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_UNKNOWN_KEY, "The key message is encrypted for another key.");
  if (!is_long)
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_UNSUPPORTED, "The key message's envelope key is too short.");
  return ok ? TRUE : gst_tfrc_mikey_fail_crypto (error);
}

gboolean
gst_tfrc_mikey_open_envelope (EVP_PKEY *private_key, const GstTfrcMikeyMessage *message,
    const GstTfrcMikeySeed *seed, const gchar *id, GstTfrcCipher cipher,
    GstTfrcMikeyTransportKeys *transport, GstTfrcMikeyTgk *tgk, GError **error)
{
  return open_pke (private_key, message, seed, transport, error)
      && check_kemac (message, transport, error)
      && gst_tfrc_mikey_open_keys (message, transport, seed, id, cipher, tgk, error);
}

/* Sets a new context up for RSA-PSS. */
static gboolean
set_pss (EVP_PKEY_CTX *context)
{
  return EVP_PKEY_CTX_set_rsa_padding (context, RSA_PKCS1_PSS_PADDING) == 1
      && EVP_PKEY_CTX_set_rsa_mgf1_md (context, EVP_sha256 ()) == 1
      && EVP_PKEY_CTX_set_rsa_pss_saltlen (context, HASH_BYTES) == 1;
}

/* The signed bytes in one piece; to be unreferenced */
static GByteArray *
join (const guint8 *message, gsize size, GByteArray *behind)
{
  GByteArray *all = g_byte_array_new ();

  g_byte_array_append (all, message, (guint) size);
  if (behind != NULL)
    g_byte_array_append (all, behind->data, behind->len);
  return all;
}

GBytes *
gst_tfrc_mikey_sign (
    GstTfrcMikeyWriter *writer, EVP_PKEY *private_key, GByteArray *behind, GError **error)
{
  EVP_MD_CTX *context = EVP_MD_CTX_new ();
  EVP_PKEY_CTX *key_context;
  guint8 signature[MAX_RSA_BYTES];
  gsize size = sizeof signature;
  GByteArray *all;
  gboolean ok;

  gst_tfrc_mikey_write_signature (writer, (guint16) EVP_PKEY_get_size (private_key));
  all = join (writer->bytes->data, writer->bytes->len, behind);
  ok = context != NULL
      && EVP_DigestSignInit (context, &key_context, EVP_sha256 (), NULL, private_key) == 1
      && set_pss (key_context)
      && EVP_DigestSign (context, signature, &size, all->data, all->len) == 1;
  g_byte_array_unref (all);
  EVP_MD_CTX_free (context);
  if (ok && writer->bytes->len + size <= GST_TFRC_MIKEY_MAX_BYTES) {
    g_byte_array_append (writer->bytes, signature, (guint) size);
    return gst_tfrc_mikey_writer_finish (writer);
  }
  gst_tfrc_mikey_writer_drop (writer);
  if (ok)
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        "The certificate or the RSA keys are too long for a key message.");
  else
    gst_tfrc_mikey_fail_crypto (error);
  return NULL;
}

gboolean
gst_tfrc_mikey_check_signature (
    const GstTfrcMikeyMessage *message, EVP_PKEY *author, GByteArray *behind, GError **error)
{
  EVP_MD_CTX *context;
  EVP_PKEY_CTX *key_context;
  GByteArray *all;
  gboolean is_ready, is_right;

  if (message->signature_type != GST_TFRC_MIKEY_RSA_PSS)
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_UNSUPPORTED, "The key message's kind of signature is not supported.");
  context = EVP_MD_CTX_new ();
  all = join (message->covered.data, message->covered.size, behind);
  is_ready = context != NULL
      && EVP_DigestVerifyInit (context, &key_context, EVP_sha256 (), NULL, author) == 1
      && set_pss (key_context);
  is_right = is_ready
      && EVP_DigestVerify (
             context, message->signature.data, message->signature.size, all->data, all->len)
          == 1;
  g_byte_array_unref (all);
  EVP_MD_CTX_free (context);
  if (!is_ready)
    return gst_tfrc_mikey_fail_crypto (error);
  ERR_clear_error ();
  if (is_right)
    return TRUE;
  return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNKNOWN_KEY,
      "The key message's signature is not of the peer's known key.");
}
