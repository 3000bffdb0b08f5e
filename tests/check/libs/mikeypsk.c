/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key messages with a pre-shared key, see gst/security/mikey.h. */
#include "mikeytest.h"

static GstTfrcCredentials credentials, other_credentials;
static End sender, receiver;

static void
setup (void)
{
  credentials = psk_credentials (0x5a);
  other_credentials = psk_credentials (0x5b);
  end_init (&sender, &credentials);
  end_init (&receiver, &credentials);
  memset (&receiver.stream, 0, sizeof receiver.stream);
}

static void
teardown (void)
{
  end_clear (&sender);
  end_clear (&receiver);
}

GST_START_TEST (both_ends_get_the_same_keys)
{
  static const GstTfrcCipher ciphers[] = { GST_TFRC_CIPHER_AES_128_GCM, GST_TFRC_CIPHER_AES_256_GCM,
    GST_TFRC_CIPHER_AES_128_ICM, GST_TFRC_CIPHER_AES_256_ICM };

  for (guint i = 0; i < G_N_ELEMENTS (ciphers); i++) {
    const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (ciphers[i]);
    GBytes *offer, *answer;
    GError *error = NULL;

    sender.stream.cipher = ciphers[i];
    offer = offer_from (&sender);
    answer = accept_by (&receiver, offer);
    fail_unless (confirm_by (&sender, answer, &error));
    assert_same_keys (&sender, &receiver);
    fail_unless_equals_int (receiver.keys.cipher, ciphers[i]);
    fail_unless_equals_int (receiver.stream.ssrc, offered.ssrc);
    fail_unless_equals_int (receiver.stream.roc, offered.roc);
    fail_if (is_zero (receiver.keys.sender.key + sizes->key_bytes - 4, 4));
    fail_if (is_zero (receiver.keys.sender.salt + sizes->salt_bytes - 4, 4));
    fail_unless (is_zero (receiver.keys.sender.key + sizes->key_bytes,
        sizeof receiver.keys.sender.key - sizes->key_bytes));
    fail_unless (is_zero (receiver.keys.receiver.salt + sizes->salt_bytes,
        sizeof receiver.keys.receiver.salt - sizes->salt_bytes));
    g_bytes_unref (answer);
    g_bytes_unref (offer);
  }
}

GST_END_TEST;

GST_START_TEST (the_directions_have_different_keys)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer);
  const GstTfrcStreamKeys *both[] = { &receiver.provisional, &receiver.keys };

  for (guint i = 0; i < G_N_ELEMENTS (both); i++) {
    fail_if (memcmp (both[i]->sender.key, both[i]->receiver.key, 16) == 0);
    fail_if (memcmp (both[i]->sender.salt, both[i]->receiver.salt, 12) == 0);
    fail_if (memcmp (both[i]->sender.key, both[i]->sender.salt, 12) == 0);
  }
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

static gboolean
is_same_key (const GstTfrcMasterKey *a, const GstTfrcMasterKey *b)
{
  return memcmp (a->key, b->key, 16) == 0 || memcmp (a->salt, b->salt, 12) == 0;
}

/* The offer alone gives provisional keys; the keys that are agreed on have the receiver's part. */
GST_START_TEST (both_ends_have_a_part_in_the_keys)
{
  GBytes *offer = offer_from (&sender), *first = accept_by (&receiver, offer), *second;
  GstTfrcStreamKeys provisional = receiver.provisional, keys = receiver.keys;

  fail_unless (is_same_key (&provisional.sender, &sender.provisional.sender));
  fail_if (is_same_key (&provisional.sender, &keys.sender));
  fail_if (is_same_key (&provisional.receiver, &keys.receiver));
  end_clear (&receiver); /* and another one, which gets the same offer */
  end_init (&receiver, &credentials);
  second = accept_by (&receiver, offer);
  fail_unless (is_same_key (&provisional.sender, &receiver.provisional.sender));
  fail_if (is_same_key (&keys.sender, &receiver.keys.sender));
  fail_if (is_same_key (&keys.receiver, &receiver.keys.receiver));
  fail_unless (confirm_by (&sender, first, NULL));
  fail_unless (is_same_key (&keys.sender, &sender.keys.sender));
  g_bytes_unref (second);
  g_bytes_unref (first);
  g_bytes_unref (offer);
}

GST_END_TEST;

/* RAND of the answer is behind the header with its two sessions, and behind T. */
GST_START_TEST (an_answer_has_the_receivers_part)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer);

  fail_unless_equals_int (g_bytes_get_size (answer), 28 + 10 + 18 + 22);
  fail_unless_equals_int (data_of (answer)[28], 11);
  fail_unless_equals_int (data_of (answer)[39], 16);
  fail_if (memcmp (data_of (answer) + 40, data_of (offer) + 40, 16) == 0);
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (an_offer_says_what_it_is)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer);
  GstTfrcMikeyKind kind;
  guint32 csb_id;

  fail_unless (gst_tfrc_mikey_peek (data_of (offer), g_bytes_get_size (offer), &kind, &csb_id));
  fail_unless_equals_int (kind, GST_TFRC_MIKEY_OFFER);
  fail_unless_equals_int (csb_id, sender.stream.csb_id);
  fail_unless (gst_tfrc_mikey_peek (data_of (answer), g_bytes_get_size (answer), &kind, &csb_id));
  fail_unless_equals_int (kind, GST_TFRC_MIKEY_VERIFICATION);
  fail_unless_equals_int (csb_id, sender.stream.csb_id);
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (two_offers_share_nothing_secret)
{
  GBytes *one = offer_from (&sender), *other;
  GstTfrcStreamKeys keys = sender.provisional;
  guint32 csb_id = sender.stream.csb_id;

  other = offer_from (&sender);
  fail_if (csb_id == sender.stream.csb_id);
  fail_if (is_same_key (&keys.sender, &sender.provisional.sender));
  fail_if (is_same_key (&keys.receiver, &sender.provisional.receiver));
  /* RAND is behind the header with its two sessions, and behind T */
  fail_unless_equals_int (data_of (one)[28], 11);
  fail_unless_equals_int (data_of (one)[39], 16);
  fail_if (memcmp (data_of (one) + 40, data_of (other) + 40, 16) == 0);
  g_bytes_unref (one);
  g_bytes_unref (other);
}

GST_END_TEST;

GST_START_TEST (another_passphrase_is_named)
{
  GBytes *offer = offer_from (&sender), *answer;

  receiver.credentials = &other_credentials;
  assert_refused (
      &receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_WRONG_PASSPHRASE);
  /* nor does the message count as accepted */
  receiver.credentials = &credentials;
  answer = accept_by (&receiver, offer);
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (no_flipped_bit_is_accepted)
{
  GBytes *offer = offer_from (&sender), *answer;
  gsize size = g_bytes_get_size (offer);
  guint8 *bytes = g_memdup2 (data_of (offer), size);

  for (gsize bit = 0; bit < 8 * size; bit++) {
    GError *error = NULL;

    bytes[bit / 8] ^= (guint8) (1 << bit % 8);
    fail_unless (accept_bytes (&receiver, bytes, size, &error) == NULL);
    fail_unless (error->domain == GST_TFRC_MIKEY_ERROR);
    g_clear_error (&error);
    bytes[bit / 8] ^= (guint8) (1 << bit % 8);
  }
  fail_unless (is_zero ((const guint8 *) &receiver.keys, sizeof receiver.keys));
  answer = accept_by (&receiver, offer);
  g_bytes_unref (answer);
  g_free (bytes);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (a_message_of_another_length_is_malformed)
{
  GBytes *offer = offer_from (&sender);
  gsize size = g_bytes_get_size (offer);
  guint8 *longer = g_malloc0 (size + 1);

  memcpy (longer, data_of (offer), size);
  assert_refused (&receiver, longer, size + 1, GST_TFRC_MIKEY_MALFORMED);
  g_free (longer);
  for (gsize cut = 0; cut < size; cut++) {
    guint8 *bytes = g_memdup2 (data_of (offer), cut); /* so that ASan sees a read beyond */

    assert_refused (&receiver, bytes, cut, GST_TFRC_MIKEY_MALFORMED);
    g_free (bytes);
  }
  longer = g_malloc0 (GST_TFRC_MIKEY_MAX_BYTES + 1);
  assert_refused (&receiver, longer, GST_TFRC_MIKEY_MAX_BYTES + 1, GST_TFRC_MIKEY_MALFORMED);
  g_free (longer);
  g_bytes_unref (offer);
}

GST_END_TEST;

/* Each answer makes other keys, so that neither a clock nor a memory has to tell an offer's age. */
GST_START_TEST (an_offer_is_answered_at_any_time)
{
  static const gint64 clocks_s[] = { 0, 0, 301, -301, 86400 * 3650 };
  GBytes *offer = offer_from (&sender);
  GstTfrcStreamKeys keys = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (clocks_s); i++) {
    receiver.wall_ns = WALL_NS + (guint64) (clocks_s[i] * (gint64) GST_SECOND);
    g_bytes_unref (accept_by (&receiver, offer));
    fail_if (is_same_key (&keys.sender, &receiver.keys.sender));
    keys = receiver.keys;
  }
  g_bytes_unref (offer);
}

GST_END_TEST;

static Suite *
mikeypsk_suite (void)
{
  Suite *s = suite_create ("mikeypsk");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, both_ends_get_the_same_keys);
  tcase_add_test (tc, the_directions_have_different_keys);
  tcase_add_test (tc, both_ends_have_a_part_in_the_keys);
  tcase_add_test (tc, an_answer_has_the_receivers_part);
  tcase_add_test (tc, an_offer_says_what_it_is);
  tcase_add_test (tc, two_offers_share_nothing_secret);
  tcase_add_test (tc, another_passphrase_is_named);
  tcase_add_test (tc, no_flipped_bit_is_accepted);
  tcase_add_test (tc, a_message_of_another_length_is_malformed);
  tcase_add_test (tc, an_offer_is_answered_at_any_time);
  return s;
}

GST_CHECK_MAIN (mikeypsk);
