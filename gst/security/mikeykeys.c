/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys of key messages, see mikeykeys.h. */
#include "mikeykeys.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "../common/random.h"

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

/* The label is constant || cs_id || csb_id || RAND. */
static gboolean
derive (const guint8 *inkey, gsize inkey_size, guint32 constant, guint8 session,
    const GstTfrcMikeySeed *seed, guint8 *outkey, gsize outkey_size)
{
  guint8 label[GST_TFRC_MIKEY_MAX_LABEL_BYTES];

  put_number (label, constant, 4);
  label[4] = session;
  put_number (label + 5, seed->csb_id, 4);
  memcpy (label + 9, seed->rand, seed->rand_bytes);
  return gst_tfrc_mikey_prf (inkey, inkey_size, label, 9 + seed->rand_bytes, outkey, outkey_size);
}

gboolean
gst_tfrc_mikey_derive_transport_keys (const guint8 *inkey, gsize inkey_size,
    const GstTfrcMikeySeed *seed, GstTfrcMikeyTransportKeys *keys)
{
  return derive (inkey, inkey_size, CONSTANT_ENCRYPTION, NO_SESSION, seed, keys->encryption,
             sizeof keys->encryption)
      && derive (inkey, inkey_size, CONSTANT_AUTHENTICATION, NO_SESSION, seed, keys->authentication,
          sizeof keys->authentication)
      && derive (inkey, inkey_size, CONSTANT_SALT, NO_SESSION, seed, keys->salt, sizeof keys->salt);
}

static gboolean
derive_master_key (const guint8 *tgk, gsize tgk_size, guint8 session, const GstTfrcMikeySeed *seed,
    const GstTfrcCipherSizes *sizes, GstTfrcMasterKey *master)
{
  return derive (tgk, tgk_size, CONSTANT_TEK, session, seed, master->key, sizes->key_bytes)
      && derive (tgk, tgk_size, CONSTANT_TEK_SALT, session, seed, master->salt, sizes->salt_bytes);
}

gboolean
gst_tfrc_mikey_derive_stream_keys (const guint8 *tgk, gsize tgk_size, const GstTfrcMikeySeed *seed,
    GstTfrcCipher cipher, GstTfrcStreamKeys *keys)
{
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (cipher);

  memset (keys, 0, sizeof *keys);
  keys->cipher = cipher;
  if (derive_master_key (tgk, tgk_size, SESSION_FROM_SENDER, seed, sizes, &keys->sender)
      && derive_master_key (tgk, tgk_size, SESSION_FROM_RECEIVER, seed, sizes, &keys->receiver))
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
