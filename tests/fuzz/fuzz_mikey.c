/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the key messages (gst/security/mikey.h).  The first byte says what the rest is: a message
 * as it is, or a message whose proofs are mended first, so that what is behind the proofs is read.
 * A message that is refused changes nothing; one that is accepted gives keys.
 * No message that is not mended is accepted. */
#include <openssl/rsa.h>
#include <string.h>

#include "events.h"
#include "initgst.h"
#include "gst/security/credentials-private.h"
#include "gst/security/mikeyexchange.h"

#define WALL_NS (G_GUINT64_CONSTANT (1800000000) * GST_SECOND)
#define RSA_BYTES 256

enum
{
  AS_IT_IS,
  MENDED,
  N_MODES
};

/* The ends, with RSA keys that each knows, and with a passphrase */
static GstTfrcCredentials psk_ends, rsa_sender, rsa_receiver;
static gchar *sender_id, *receiver_id;
static GstTfrcMikeyExchange *psk_exchange, *rsa_exchange, *request_exchange;

/* The envelope key of mended messages, and its envelopes for both ends */
static const guint8 envelope_key[GST_TFRC_MIKEY_KEY_BYTES] = { 1, 2, 3 };
static guint8 envelope_to_sender[RSA_BYTES], envelope_to_receiver[RSA_BYTES];

static void
make_envelope (EVP_PKEY *key, guint8 envelope[RSA_BYTES])
{
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey (NULL, key, NULL);
  gsize size = RSA_BYTES;

  CHECK (EVP_PKEY_encrypt_init (context) == 1);
  CHECK (EVP_PKEY_CTX_set_rsa_padding (context, RSA_PKCS1_OAEP_PADDING) == 1);
  CHECK (EVP_PKEY_CTX_set_rsa_oaep_md (context, EVP_sha256 ()) == 1);
  CHECK (EVP_PKEY_CTX_set_rsa_mgf1_md (context, EVP_sha256 ()) == 1);
  CHECK (EVP_PKEY_encrypt (context, envelope, &size, envelope_key, sizeof envelope_key) == 1);
  EVP_PKEY_CTX_free (context);
}

static void
init_rsa (GstTfrcCredentials *end, EVP_PKEY *own, EVP_PKEY *peer)
{
  end->references = 1;
  end->key_exchange = GST_TFRC_KEY_EXCHANGE_RSA;
  end->private_key = own;
  end->peer_key = peer;
}

static void
init (void)
{
  static gboolean done;
  static const guint8 psk[GST_TFRC_PSK_BYTES];
  GstTfrcMikeyStream stream = { GST_TFRC_CIPHER_AES_128_GCM, 0, 2, 2, "", 3 };
  GstTfrcStreamKeys keys;
  EVP_PKEY *sender_key, *receiver_key;

  if (done)
    return;
  done = TRUE;
  init_gstreamer ();
  sender_key = EVP_RSA_gen (8 * RSA_BYTES);
  receiver_key = EVP_RSA_gen (8 * RSA_BYTES);
  psk_ends.references = 1;
  psk_ends.key_exchange = GST_TFRC_KEY_EXCHANGE_PSK;
  psk_ends.psk = psk;
  init_rsa (&rsa_sender, sender_key, receiver_key);
  init_rsa (&rsa_receiver, receiver_key, sender_key);
  sender_id = gst_tfrc_mikey_get_id (sender_key, NULL);
  receiver_id = gst_tfrc_mikey_get_id (receiver_key, NULL);
  make_envelope (sender_key, envelope_to_sender);
  make_envelope (receiver_key, envelope_to_receiver);
  g_bytes_unref (gst_tfrc_mikey_offer (&psk_ends, &stream, WALL_NS, &keys, &psk_exchange, NULL));
  g_bytes_unref (gst_tfrc_mikey_offer (&rsa_sender, &stream, WALL_NS, &keys, &rsa_exchange, NULL));
  g_bytes_unref (gst_tfrc_mikey_request (&rsa_receiver, WALL_NS, &request_exchange, NULL));
}

/* ---- mending ------------------------------------------------------------ */

static void
put (GstTfrcMikeyBytes field, gconstpointer bytes, gsize size)
{
  if (field.data != NULL && field.size == size)
    memcpy ((guint8 *) field.data, bytes, size);
}

/* Puts the exchange's csb_id and time stamp into an answer, and the current time into the others. */
static void
mend_seed (guint8 *bytes, gsize size, const GstTfrcMikeyExchange *exchange)
{
  guint64 now = GUINT64_TO_BE (
      exchange != NULL ? exchange->seed.timestamp : gst_tfrc_mikey_timestamp (WALL_NS));
  gsize timestamp_at = 10 + 9 * (gsize) bytes[8] + 2;

  if (exchange != NULL) {
    guint32 csb_id = GUINT32_TO_BE (exchange->seed.csb_id);

    memcpy (bytes + 4, &csb_id, 4);
  }
  /* as a rule T is behind the header */
  if (bytes[2] == GST_TFRC_MIKEY_PAYLOAD_T && timestamp_at + 8 <= size)
    memcpy (bytes + timestamp_at, &now, 8);
}

static void
mend_kemac (const GstTfrcMikeyMessage *message, const GstTfrcMikeyTransportKeys *keys,
    const GstTfrcMikeySeed *seed, gboolean is_psk)
{
  GstTfrcMikeyBytes of = is_psk ? message->covered : message->kemac;
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];
  guint8 *copy;

  if (message->key_data.data != NULL)
    gst_tfrc_mikey_crypt (keys, seed, message->key_data.data, message->key_data.size,
        (guint8 *) message->key_data.data);
  copy = g_memdup2 (of.data, of.size);
  if (!is_psk)
    copy[0] = GST_TFRC_MIKEY_PAYLOAD_LAST;
  CHECK (gst_tfrc_mikey_mac (keys->authentication, copy, of.size, mac));
  put (message->mac, mac, sizeof mac);
  g_free (copy);
}

static void
mend_signature (const GstTfrcMikeyMessage *message, EVP_PKEY *key, GByteArray *behind)
{
  GByteArray *all = g_byte_array_new ();
  EVP_MD_CTX *context = EVP_MD_CTX_new ();
  EVP_PKEY_CTX *key_context;
  guint8 signature[RSA_BYTES];
  gsize size = sizeof signature;

  g_byte_array_append (all, message->covered.data, (guint) message->covered.size);
  g_byte_array_append (all, behind->data, behind->len);
  CHECK (EVP_DigestSignInit (context, &key_context, EVP_sha256 (), NULL, key) == 1);
  CHECK (EVP_PKEY_CTX_set_rsa_padding (key_context, RSA_PKCS1_PSS_PADDING) == 1);
  CHECK (EVP_PKEY_CTX_set_rsa_pss_saltlen (key_context, 32) == 1);
  CHECK (EVP_DigestSign (context, signature, &size, all->data, all->len) == 1);
  put (message->signature, signature, size);
  EVP_MD_CTX_free (context);
  g_byte_array_unref (all);
}

static void
mend_rsa (const GstTfrcMikeyMessage *message, const GstTfrcMikeySeed *seed)
{
  gboolean from_sender = message->header.data_type != GST_TFRC_MIKEY_TYPE_REQUEST;
  gboolean is_grant = message->header.data_type == GST_TFRC_MIKEY_TYPE_GRANT;
  const gchar *author = from_sender ? sender_id : receiver_id;
  const gchar *recipient = from_sender ? receiver_id : sender_id;
  GByteArray *behind = g_byte_array_new ();
  GstTfrcMikeyTransportKeys keys;

  put (message->ids[0], author, strlen (author));
  put (message->ids[1], recipient, strlen (recipient));
  put (message->envelope, from_sender ? envelope_to_receiver : envelope_to_sender, RSA_BYTES);
  /* the author of the keys, if the fuzzer has left room */
  if (message->key_data.size > 4 + strlen (author))
    memcpy ((guint8 *) message->key_data.data + 4, author, strlen (author));
  CHECK (gst_tfrc_mikey_derive_transport_keys (envelope_key, sizeof envelope_key, seed, &keys));
  if (message->kemac.data != NULL)
    mend_kemac (message, &keys, seed, FALSE);
  if (is_grant) {
    g_byte_array_unref (behind);
    behind = gst_tfrc_mikey_join_identities (receiver_id, sender_id, seed->timestamp);
  }
  if (message->signature.size == RSA_BYTES)
    mend_signature (
        message, from_sender ? rsa_sender.private_key : rsa_receiver.private_key, behind);
  g_byte_array_unref (behind);
}

static const GstTfrcMikeyExchange *
exchange_of (guint8 answer_type)
{
  switch (answer_type) {
    case GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION:
      return psk_exchange;
    case GST_TFRC_MIKEY_TYPE_RSA_VERIFICATION:
      return rsa_exchange;
    case GST_TFRC_MIKEY_TYPE_GRANT:
      return request_exchange;
    default:
      return NULL;
  }
}

/* Mends proofs and what they depend on, as far as the message can be read. */
static void
mend (guint8 *bytes, gsize size)
{
  const GstTfrcMikeyExchange *exchange = size >= 10 ? exchange_of (bytes[1]) : NULL;
  GstTfrcMikeyTransportKeys keys;
  GstTfrcMikeyMessage message;
  GstTfrcMikeySeed seed;

  if (size < 10)
    return;
  mend_seed (bytes, size, exchange);
  if (!gst_tfrc_mikey_parse (bytes, size, &message, NULL))
    return;
  gst_tfrc_mikey_seed_take (&seed, &message);
  if (message.header.data_type == GST_TFRC_MIKEY_TYPE_PSK) {
    CHECK (gst_tfrc_mikey_derive_transport_keys (psk_ends.psk, GST_TFRC_PSK_BYTES, &seed, &keys));
    if (message.kemac.data != NULL)
      mend_kemac (&message, &keys, &seed, TRUE);
    return;
  }
  mend_rsa (&message, exchange != NULL ? &exchange->seed : &seed);
}

/* ---- what must hold ------------------------------------------------------ */

typedef struct
{
  GstTfrcMikeyStream stream;
  GstTfrcStreamKeys keys;
} Result;

static gboolean
is_untouched (const Result *result)
{
  Result zero;

  memset (&zero, 0, sizeof zero);
  return memcmp (&result->stream, &zero.stream, sizeof zero.stream) == 0
      && memcmp (&result->keys, &zero.keys, sizeof zero.keys) == 0;
}

/* @return whether the message is accepted */
static gboolean
check (gboolean is_accepted, const Result *result, GError *error)
{
  CHECK (is_accepted == (error == NULL));
  if (error != NULL) {
    CHECK (error->domain == GST_TFRC_MIKEY_ERROR && error->code != GST_TFRC_MIKEY_FAILED);
    CHECK (is_untouched (result));
    g_error_free (error);
    return FALSE;
  }
  CHECK (result->stream.cipher <= GST_TFRC_CIPHER_AES_256_ICM);
  CHECK (result->stream.cipher == result->keys.cipher);
  CHECK (memcmp (result->keys.sender.key, result->keys.receiver.key, 16) != 0);
  return TRUE;
}

/* An offer may be accepted again, with other keys each time. */
static gboolean
check_offer (const GstTfrcCredentials *credentials, const guint8 *bytes, gsize size)
{
  GstTfrcOfferedKeys keys = { 0 }, again;
  GError *error = NULL;
  Result result;
  GBytes *answer;

  memset (&result, 0, sizeof result);
  answer = gst_tfrc_mikey_accept (credentials, bytes, size, WALL_NS, &result.stream, &keys, &error);
  result.keys = keys.agreed;
  if (!check (answer != NULL, &result, error))
    return FALSE;
  g_bytes_unref (answer);
  answer = gst_tfrc_mikey_accept (credentials, bytes, size, WALL_NS, &result.stream, &again, NULL);
  CHECK (answer != NULL);
  CHECK (memcmp (keys.provisional.sender.key, again.provisional.sender.key, 16) == 0);
  CHECK (memcmp (keys.agreed.sender.key, again.agreed.sender.key, 16) != 0);
  g_bytes_unref (answer);
  return TRUE;
}

static gboolean
check_request (const guint8 *bytes, gsize size)
{
  GstTfrcMikeyReplayCache *cache = gst_tfrc_mikey_replay_cache_new (2);
  GError *error = NULL;
  Result result;
  GBytes *grant;

  memset (&result, 0, sizeof result);
  grant = gst_tfrc_mikey_grant (
      &rsa_sender, cache, bytes, size, WALL_NS, &result.stream, &result.keys, &error);
  gst_tfrc_mikey_replay_cache_free (cache);
  if (grant != NULL)
    g_bytes_unref (grant);
  return check (grant != NULL, &result, error);
}

static gboolean
check_grant (const guint8 *bytes, gsize size)
{
  GError *error = NULL;
  Result result;
  gboolean is_taken;

  memset (&result, 0, sizeof result);
  is_taken = gst_tfrc_mikey_take_grant (
      &rsa_receiver, request_exchange, bytes, size, WALL_NS, &result.stream, &result.keys, &error);
  return check (is_taken, &result, error);
}

static void
check_unproven (const guint8 *bytes, gsize size)
{
  GstTfrcMikeyError reason;
  GstTfrcMikeyKind kind;
  guint32 csb_id, again;

  if (gst_tfrc_mikey_peek (bytes, size, &kind, &csb_id))
    CHECK (size >= 10 && kind <= GST_TFRC_MIKEY_REFUSAL);
  if (gst_tfrc_mikey_read_refusal (bytes, size, &csb_id, &reason)) {
    CHECK (gst_tfrc_mikey_peek (bytes, size, &kind, &again));
    CHECK (kind == GST_TFRC_MIKEY_REFUSAL && again == csb_id);
    CHECK (gst_tfrc_mikey_error_describe (reason) != NULL);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *input, size_t size)
{
  guint mode = size > 0 ? input[0] % N_MODES : AS_IT_IS;
  GstTfrcStreamKeys agreed;
  gboolean is_accepted;
  guint8 *bytes;

  if (size == 0 || size > GST_TFRC_MIKEY_MAX_BYTES + 2)
    return 0;
  init ();
  bytes = g_memdup2 (input + 1, --size);
  if (mode == MENDED)
    mend (bytes, size);
  check_unproven (bytes, size);
  is_accepted = check_offer (&psk_ends, bytes, size);
  is_accepted |= check_offer (&rsa_receiver, bytes, size);
  is_accepted |= check_request (bytes, size);
  is_accepted |= check_grant (bytes, size);
  is_accepted |= gst_tfrc_mikey_confirm (psk_exchange, bytes, size, &agreed, NULL);
  is_accepted |= gst_tfrc_mikey_confirm (rsa_exchange, bytes, size, &agreed, NULL);
  CHECK (!is_accepted || mode == MENDED);
  if (is_accepted && g_getenv ("FUZZ_MIKEY_VERBOSE") != NULL)
    g_printerr ("accepted: data type %d\n", bytes[1]);
  g_free (bytes);
  return 0;
}
