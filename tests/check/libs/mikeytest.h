/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Credentials, streams and short forms for tests of the key messages (gst/security/mikey.h). */
#ifndef GST_TFRC_TESTS_MIKEYTEST_H
#define GST_TFRC_TESTS_MIKEYTEST_H

#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/security/credentials-private.h"
#include "gst/security/mikey.h"

#define WALL_NS (G_GUINT64_CONSTANT (1800000000) * GST_SECOND)
#define CACHE_ENTRIES 64

static const GstTfrcMikeyStream offered = { GST_TFRC_CIPHER_AES_128_GCM, 0, 0x11223344, 0x00010203,
  "", 0x00040506 };

static inline GstTfrcCredentials
psk_credentials (guint8 byte)
{
  static guint8 psks[G_MAXUINT8 + 1][GST_TFRC_PSK_BYTES];

  memset (psks[byte], byte, sizeof psks[byte]);
  return (GstTfrcCredentials){
    .references = 1, .key_exchange = GST_TFRC_KEY_EXCHANGE_PSK, .psk = psks[byte]
  };
}

static inline const guint8 *
data_of (GBytes *message)
{
  return g_bytes_get_data (message, NULL);
}

static inline void
assert_error (GError **error, GstTfrcMikeyError code)
{
  fail_unless (*error != NULL);
  fail_unless ((*error)->domain == GST_TFRC_MIKEY_ERROR);
  fail_unless_equals_int ((*error)->code, code);
  fail_unless (g_utf8_validate ((*error)->message, -1, NULL) && *(*error)->message != '\0');
  g_clear_error (error);
}

/* One side of an exchange, and what came out of it */
typedef struct
{
  const GstTfrcCredentials *credentials;
  GstTfrcMikeyReplayCache *cache;
  GstTfrcMikeyExchange *exchange;
  GstTfrcMikeyStream stream;
  GstTfrcStreamKeys provisional; /* of an offer */
  GstTfrcStreamKeys keys;        /* that have been agreed on */
  guint64 wall_ns;
} End;

static inline void
end_init (End *end, const GstTfrcCredentials *credentials)
{
  memset (end, 0, sizeof *end);
  end->credentials = credentials;
  end->cache = gst_tfrc_mikey_replay_cache_new (CACHE_ENTRIES);
  end->stream = offered;
  end->wall_ns = WALL_NS;
}

static inline void
end_clear (End *end)
{
  gst_tfrc_mikey_replay_cache_free (end->cache);
  gst_tfrc_mikey_exchange_free (end->exchange);
  gst_tfrc_stream_keys_wipe (&end->provisional);
  gst_tfrc_stream_keys_wipe (&end->keys);
}

static inline GBytes *
offer_from (End *sender)
{
  GError *error = NULL;
  GBytes *offer;

  gst_tfrc_mikey_exchange_free (g_steal_pointer (&sender->exchange));
  offer = gst_tfrc_mikey_offer (sender->credentials, &sender->stream, sender->wall_ns,
      &sender->provisional, &sender->exchange, &error);
  g_assert_no_error (error);
  fail_unless (offer != NULL && g_bytes_get_size (offer) <= GST_TFRC_MIKEY_MAX_BYTES);
  return offer;
}

static inline GBytes *
accept_bytes (End *receiver, const guint8 *bytes, gsize size, GError **error)
{
  GstTfrcOfferedKeys keys;
  GBytes *answer = gst_tfrc_mikey_accept (
      receiver->credentials, bytes, size, receiver->wall_ns, &receiver->stream, &keys, error);

  if (answer != NULL) {
    receiver->provisional = keys.provisional;
    receiver->keys = keys.agreed;
  }
  return answer;
}

static inline GBytes *
accept_by (End *receiver, GBytes *offer)
{
  GError *error = NULL;
  GBytes *answer = accept_bytes (receiver, data_of (offer), g_bytes_get_size (offer), &error);

  g_assert_no_error (error);
  fail_unless (answer != NULL);
  return answer;
}

/* The receiver refuses the message, and sets neither stream nor keys. */
static inline void
assert_refused (End *receiver, const guint8 *bytes, gsize size, GstTfrcMikeyError code)
{
  GstTfrcStreamKeys keys;
  GstTfrcMikeyStream stream = receiver->stream;
  GError *error = NULL;

  memcpy (&keys, &receiver->keys, sizeof keys);
  fail_unless (accept_bytes (receiver, bytes, size, &error) == NULL);
  assert_error (&error, code);
  fail_unless (memcmp (&keys, &receiver->keys, sizeof keys) == 0);
  fail_unless (memcmp (&stream, &receiver->stream, sizeof stream) == 0);
}

static inline gboolean
confirm_by (End *sender, GBytes *answer, GError **error)
{
  return gst_tfrc_mikey_confirm (
      sender->exchange, data_of (answer), g_bytes_get_size (answer), &sender->keys, error);
}

static inline void
assert_not_confirmed (End *sender, GBytes *answer, GstTfrcMikeyError code)
{
  GError *error = NULL;

  fail_if (confirm_by (sender, answer, &error));
  assert_error (&error, code);
}

static inline gboolean
is_zero (const guint8 *bytes, gsize size)
{
  for (gsize i = 0; i < size; i++) {
    if (bytes[i] != 0)
      return FALSE;
  }
  return TRUE;
}

static inline void
assert_same_keys (const End *a, const End *b)
{
  fail_unless_equals_int (a->keys.cipher, b->keys.cipher);
  fail_unless (memcmp (&a->keys.sender, &b->keys.sender, sizeof a->keys.sender) == 0);
  fail_unless (memcmp (&a->keys.receiver, &b->keys.receiver, sizeof a->keys.receiver) == 0);
  fail_unless_equals_int (a->stream.cipher, b->stream.cipher);
  fail_unless_equals_int (a->stream.csb_id, b->stream.csb_id);
  fail_unless_equals_int (a->stream.ssrc, b->stream.ssrc);
  fail_unless_equals_int (a->stream.roc, b->stream.roc);
  fail_unless_equals_int (a->stream.repair_roc, b->stream.repair_roc);
}

#endif
