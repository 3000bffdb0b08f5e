/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys and the ciphers of key messages, see mikeykeys.h. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "mikeykeys.h"
#include "../common/random.h"

/* ---- keys -------------------------------------------------------------------- */

#define PRF_BLOCK_BYTES 32 /* of the input key (section 4.1.2) */

/* Sections 4.1.3 and 4.1.4 */
#define CONSTANT_TEK 0x2AD01C64
#define CONSTANT_TEK_SALT 0x39A2C14B
#define CONSTANT_ENCRYPTION 0x150533E1
#define CONSTANT_AUTHENTICATION 0x2D22AC75
#define CONSTANT_SALT 0x29B88916

/* In place of a crypto session, for keys that protect a message */
#define NO_SESSION 0xff
#define SESSION_FROM_SENDER 1
#define SESSION_FROM_RECEIVER 2

#define NTP_SECONDS_OF_1970 G_GUINT64_CONSTANT (2208988800)
#define NS_PER_SECOND G_GUINT64_CONSTANT (1000000000)
#define MAX_SKEW ((gint64) (GST_TFRC_MIKEY_MAX_SKEW_NS / NS_PER_SECOND) << 32)

static void
put_number (guint8 *at, guint64 number, guint size)
{
  for (guint i = 0; i < size; i++)
    at[i] = (guint8) (number >> 8 * (size - 1 - i));
}

gboolean
gst_tfrc_mikey_seed_make (GstTfrcMikeySeed *self, guint64 wall_ns)
{
  memset (self, 0, sizeof *self);
  self->timestamp = gst_tfrc_mikey_timestamp (wall_ns);
  self->rand_bytes = GST_TFRC_MIKEY_RAND_BYTES;
  return gst_tfrc_random_fill (&self->csb_id, sizeof self->csb_id)
      && gst_tfrc_random_fill (self->rand, self->rand_bytes);
}

void
gst_tfrc_mikey_seed_take (GstTfrcMikeySeed *self, const GstTfrcMikeyMessage *message)
{
  self->csb_id = message->header.csb_id;
  self->timestamp = message->timestamp;
  self->rand_bytes = MIN (message->rand.size, sizeof self->rand);
  if (self->rand_bytes > 0)
    memcpy (self->rand, message->rand.data, self->rand_bytes);
}

static gboolean
hmac_sha1 (const guint8 *key, gsize key_size, const guint8 *bytes, gsize size,
    guint8 mac[GST_TFRC_MIKEY_MAC_BYTES])
{
  gsize written;

  return EVP_Q_mac (NULL, "HMAC", NULL, "SHA1", NULL, key, key_size, bytes, size, mac,
             GST_TFRC_MIKEY_MAC_BYTES, &written)
      != NULL;
}

/* XORs P (s, label, m) into the output key. */
static gboolean
add_p (const guint8 *s, gsize s_size, const guint8 *label, gsize label_size, guint8 *outkey,
    gsize outkey_size)
{
  guint8 block[GST_TFRC_MIKEY_MAC_BYTES]; /* A_i || label */
  guint8 chained[GST_TFRC_MIKEY_MAC_BYTES + GST_TFRC_MIKEY_MAX_LABEL_BYTES];
  gboolean ok = hmac_sha1 (s, s_size, label, label_size, chained);

  memcpy (chained + sizeof block, label, label_size);
  for (gsize done = 0; ok && done < outkey_size; done += sizeof block) {
    ok = hmac_sha1 (s, s_size, chained, sizeof block + label_size, block);
    for (gsize i = 0; ok && i < MIN (sizeof block, outkey_size - done); i++)
      outkey[done + i] ^= block[i];
    ok = ok && hmac_sha1 (s, s_size, chained, sizeof block, block);
    memcpy (chained, block, sizeof block);
  }
  OPENSSL_cleanse (block, sizeof block);
  OPENSSL_cleanse (chained, sizeof chained);
  return ok;
}

gboolean
gst_tfrc_mikey_prf (const guint8 *inkey, gsize inkey_size, const guint8 *label, gsize label_size,
    guint8 *outkey, gsize outkey_size)
{
  g_return_val_if_fail (label_size <= GST_TFRC_MIKEY_MAX_LABEL_BYTES, FALSE);

  memset (outkey, 0, outkey_size);
  for (gsize done = 0; done < inkey_size; done += PRF_BLOCK_BYTES) {
    gsize s_size = MIN (PRF_BLOCK_BYTES, inkey_size - done);

    if (!add_p (inkey + done, s_size, label, label_size, outkey, outkey_size))
      return FALSE;
  }
  return TRUE;
}

/* Appends bytes to a label; with their number in front, if two of that kind follow each other. */
static gsize
append (guint8 *label, gsize at, const guint8 *bytes, gsize size, gboolean with_size)
{
  if (with_size)
    label[at++] = (guint8) size;
  memcpy (label + at, bytes, size);
  return at + size;
}

/* The label is constant || cs_id || csb_id || RAND, see gst_tfrc_mikey_derive_stream_keys(). */
static gboolean
derive (const guint8 *inkey, gsize inkey_size, guint32 constant, guint8 session,
    const GstTfrcMikeySeed *seed, const guint8 *answer_rand, guint8 *outkey, gsize outkey_size)
{
  guint8 label[GST_TFRC_MIKEY_MAX_LABEL_BYTES];
  gsize size;

  put_number (label, constant, 4);
  label[4] = session;
  put_number (label + 5, seed->csb_id, 4);
  size = append (label, 9, seed->rand, seed->rand_bytes, answer_rand != NULL);
  if (answer_rand != NULL)
    size = append (label, size, answer_rand, GST_TFRC_MIKEY_RAND_BYTES, TRUE);
  return gst_tfrc_mikey_prf (inkey, inkey_size, label, size, outkey, outkey_size);
}

gboolean
gst_tfrc_mikey_derive_transport_keys (const guint8 *inkey, gsize inkey_size,
    const GstTfrcMikeySeed *seed, GstTfrcMikeyTransportKeys *keys)
{
  return derive (inkey, inkey_size, CONSTANT_ENCRYPTION, NO_SESSION, seed, NULL, keys->encryption,
             sizeof keys->encryption)
      && derive (inkey, inkey_size, CONSTANT_AUTHENTICATION, NO_SESSION, seed, NULL,
          keys->authentication, sizeof keys->authentication)
      && derive (
          inkey, inkey_size, CONSTANT_SALT, NO_SESSION, seed, NULL, keys->salt, sizeof keys->salt);
}

static gboolean
derive_master_key (const GstTfrcMikeyTgk *tgk, guint8 session, const GstTfrcMikeySeed *seed,
    const guint8 *answer_rand, const GstTfrcCipherSizes *sizes, GstTfrcMasterKey *master)
{
  return derive (tgk->bytes, tgk->size, CONSTANT_TEK, session, seed, answer_rand, master->key,
             sizes->key_bytes)
      && derive (tgk->bytes, tgk->size, CONSTANT_TEK_SALT, session, seed, answer_rand, master->salt,
          sizes->salt_bytes);
}

gboolean
gst_tfrc_mikey_derive_stream_keys (const GstTfrcMikeyTgk *tgk, const GstTfrcMikeySeed *seed,
    const guint8 *answer_rand, GstTfrcCipher cipher, GstTfrcStreamKeys *keys)
{
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (cipher);

  memset (keys, 0, sizeof *keys);
  keys->cipher = cipher;
  if (derive_master_key (tgk, SESSION_FROM_SENDER, seed, answer_rand, sizes, &keys->sender)
      && derive_master_key (tgk, SESSION_FROM_RECEIVER, seed, answer_rand, sizes, &keys->receiver))
    return TRUE;
  gst_tfrc_stream_keys_wipe (keys);
  return FALSE;
}

/* IV = (S XOR (0x0000 || CSB ID || T)) || 0x0000 */
static void
get_iv (const GstTfrcMikeyTransportKeys *keys, const GstTfrcMikeySeed *seed, guint8 iv[16])
{
  memset (iv, 0, 16);
  put_number (iv + 2, seed->csb_id, 4);
  put_number (iv + 6, seed->timestamp, 8);
  for (guint i = 0; i < sizeof keys->salt; i++)
    iv[i] ^= keys->salt[i];
}

gboolean
gst_tfrc_mikey_crypt (const GstTfrcMikeyTransportKeys *keys, const GstTfrcMikeySeed *seed,
    const guint8 *in, gsize size, guint8 *out)
{
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new ();
  guint8 iv[16];
  gint written;
  gboolean ok;

  get_iv (keys, seed, iv);
  ok = context != NULL && size <= GST_TFRC_MIKEY_MAX_BYTES
      && EVP_EncryptInit_ex2 (context, EVP_aes_128_ctr (), keys->encryption, iv, NULL) == 1
      && EVP_EncryptUpdate (context, out, &written, in, (gint) size) == 1
      && (gsize) written == size;
  EVP_CIPHER_CTX_free (context);
  OPENSSL_cleanse (iv, sizeof iv);
  return ok;
}

gboolean
gst_tfrc_mikey_mac (const guint8 key[GST_TFRC_MIKEY_MAC_BYTES], const guint8 *bytes, gsize size,
    guint8 mac[GST_TFRC_MIKEY_MAC_BYTES])
{
  return hmac_sha1 (key, GST_TFRC_MIKEY_MAC_BYTES, bytes, size, mac);
}

guint64
gst_tfrc_mikey_timestamp (guint64 wall_ns)
{
  guint64 seconds = wall_ns / NS_PER_SECOND + NTP_SECONDS_OF_1970;
  guint64 fraction = (wall_ns % NS_PER_SECOND << 32) / NS_PER_SECOND;

  return seconds << 32 | fraction;
}

/* Modulo 2^64, so the overflow in 2036 makes no difference. */
static gint64
get_age (guint64 timestamp, guint64 wall_ns)
{
  return (gint64) (gst_tfrc_mikey_timestamp (wall_ns) - timestamp);
}

gboolean
gst_tfrc_mikey_is_outdated (guint64 timestamp, guint64 wall_ns)
{
  return get_age (timestamp, wall_ns) > MAX_SKEW;
}

gboolean
gst_tfrc_mikey_is_current (guint64 timestamp, guint64 wall_ns)
{
  gint64 age = get_age (timestamp, wall_ns);

  return age >= -MAX_SKEW && age <= MAX_SKEW;
}

/* ---- policies ---------------------------------------------------------------- */

/* Types of parameters (table 6.10.1.a; the last one: RFC 7714 section 14.3) */
enum
{
  ENCRYPTION = 0,
  ENCRYPTION_KEY_BYTES = 1,
  AUTHENTICATION = 2,
  AUTHENTICATION_KEY_BYTES = 3,
  SALT_BYTES = 4,
  PRF = 5,
  KEY_DERIVATION_RATE = 6,
  SRTP_ENCRYPTED = 7,
  SRTCP_ENCRYPTED = 8,
  FEC_ORDER = 9,
  SRTP_AUTHENTICATED = 10,
  TAG_BYTES = 11,
  PREFIX_BYTES = 12,
  AEAD_TAG_BYTES = 20,
  N_TYPES
};

#define NOT_THERE (-1)

/* Tables 6.10.1.b and c; RFC 7714 section 14.3 */
#define ENCRYPTION_AES_CM 1
#define ENCRYPTION_AES_GCM 6
#define AUTHENTICATION_NULL 0
#define AUTHENTICATION_HMAC_SHA_1 1
#define HMAC_SHA_1_KEY_BYTES 20

static const GstTfrcCipher ciphers[] = { GST_TFRC_CIPHER_AES_128_GCM, GST_TFRC_CIPHER_AES_256_GCM,
  GST_TFRC_CIPHER_AES_128_ICM, GST_TFRC_CIPHER_AES_256_ICM };

static void
clear (gint64 values[N_TYPES])
{
  for (guint type = 0; type < N_TYPES; type++)
    values[type] = NOT_THERE;
}

static void
get_values (GstTfrcCipher cipher, gint64 values[N_TYPES])
{
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (cipher);
  gboolean is_gcm = cipher == GST_TFRC_CIPHER_AES_128_GCM || cipher == GST_TFRC_CIPHER_AES_256_GCM;

  clear (values);
  values[ENCRYPTION] = is_gcm ? ENCRYPTION_AES_GCM : ENCRYPTION_AES_CM;
  values[ENCRYPTION_KEY_BYTES] = (gint64) sizes->key_bytes;
  values[AUTHENTICATION] = is_gcm ? AUTHENTICATION_NULL : AUTHENTICATION_HMAC_SHA_1;
  values[SALT_BYTES] = (gint64) sizes->salt_bytes;
  values[PRF] = 0; /* AES-CM */
  values[SRTP_ENCRYPTED] = values[SRTCP_ENCRYPTED] = 1;
  if (is_gcm) {
    values[AEAD_TAG_BYTES] = (gint64) sizes->tag_bytes;
  } else {
    values[AUTHENTICATION_KEY_BYTES] = HMAC_SHA_1_KEY_BYTES;
    values[SRTP_AUTHENTICATED] = 1;
    values[TAG_BYTES] = (gint64) sizes->tag_bytes;
  }
}

gsize
gst_tfrc_mikey_policy_write (
    GstTfrcCipher cipher, guint8 parameters[GST_TFRC_MIKEY_POLICY_MAX_BYTES])
{
  gint64 values[N_TYPES];
  gsize size = 0;

  G_STATIC_ASSERT (3 * N_TYPES <= GST_TFRC_MIKEY_POLICY_MAX_BYTES);
  get_values (cipher, values);
  for (guint type = 0; type < N_TYPES; type++) {
    if (values[type] == NOT_THERE)
      continue;
    parameters[size++] = (guint8) type;
    parameters[size++] = 1;
    parameters[size++] = (guint8) values[type];
  }
  return size;
}

/* A parameter that the cipher's policy does not name must not change anything. */
static gboolean
is_same (GstTfrcCipher cipher, const gint64 values[N_TYPES])
{
  gint64 wanted[N_TYPES];

  get_values (cipher, wanted);
  for (guint type = 0; type < N_TYPES; type++) {
    if (values[type] != NOT_THERE && values[type] != MAX (wanted[type], 0))
      return FALSE;
  }
  return TRUE;
}

/* The types between are those of other RFCs. */
static gboolean
is_known_type (guint8 type)
{
  return type <= PREFIX_BYTES || type == AEAD_TAG_BYTES;
}

/* Reads the values, of at most 4 bytes each. */
static gboolean
read_values (const guint8 *parameters, gsize size, gint64 values[N_TYPES], gboolean *are_known)
{
  *are_known = TRUE;
  clear (values);
  while (size >= 2) {
    guint8 type = parameters[0], length = parameters[1];
    gint64 value = 0;

    if (length == 0 || length > size - 2)
      return FALSE;
    for (guint i = 0; i < MIN (length, 4); i++)
      value = value << 8 | parameters[2 + i];
    if (!is_known_type (type) || length > 4)
      *are_known = FALSE;
    else
      values[type] = value;
    parameters += 2 + length;
    size -= 2 + (gsize) length;
  }
  return size == 0;
}

gboolean
gst_tfrc_mikey_policy_read (
    const guint8 *parameters, gsize size, GstTfrcCipher *cipher, GError **error)
{
  gint64 values[N_TYPES];
  gboolean are_known;

  if (!read_values (parameters, size, values, &are_known))
    return gst_tfrc_mikey_fail (
        error, GST_TFRC_MIKEY_MALFORMED, "The key message's policy is malformed.");
  if (values[ENCRYPTION] == NOT_THERE)
    values[ENCRYPTION] = ENCRYPTION_AES_CM;
  if (values[ENCRYPTION_KEY_BYTES] == NOT_THERE)
    values[ENCRYPTION_KEY_BYTES] = 16;
  for (guint i = 0; are_known && i < G_N_ELEMENTS (ciphers); i++) {
    if (is_same (ciphers[i], values)) {
      *cipher = ciphers[i];
      return TRUE;
    }
  }
  return gst_tfrc_mikey_fail (
      error, GST_TFRC_MIKEY_UNSUPPORTED, "The key message's cipher is not supported.");
}
