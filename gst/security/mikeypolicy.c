/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP policies, see mikeypolicy.h. */
#include "mikeypolicy.h"

#include <string.h>

#include "mikeyparse.h"

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
