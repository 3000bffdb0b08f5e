/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key messages with RSA in reverse mode, see gst/security/mikey.h. */
#include "mikeyrsatest.h"

#include "gst/security/mikeyexchange.h"

static GstTfrcCredentials sender_credentials, receiver_credentials;
static End sender, receiver;

/* Each end has a certificate and knows the CA alone. */
static void
setup (void)
{
  sender_credentials = rsa_credentials (sender_key, sender_certificate, NULL);
  receiver_credentials = rsa_credentials (receiver_key, receiver_certificate, NULL);
  end_init (&sender, &sender_credentials);
  end_init (&receiver, &receiver_credentials);
  memset (&receiver.stream, 0, sizeof receiver.stream);
}

static void
teardown (void)
{
  end_clear (&sender);
  end_clear (&receiver);
}

static GBytes *
request (void)
{
  GError *error = NULL;
  GBytes *message;

  gst_tfrc_mikey_exchange_free (g_steal_pointer (&receiver.exchange));
  message = gst_tfrc_mikey_request (
      &receiver_credentials, receiver.wall_ns, &receiver.exchange, &error);
  g_assert_no_error (error);
  fail_unless (message != NULL);
  return message;
}

static GBytes *
grant_bytes (const guint8 *bytes, gsize size, GError **error)
{
  return gst_tfrc_mikey_grant (&sender_credentials, sender.cache, bytes, size, sender.wall_ns,
      &sender.stream, &sender.keys, error);
}

static GBytes *
grant (GBytes *message)
{
  GError *error = NULL;
  GBytes *answer = grant_bytes (data_of (message), g_bytes_get_size (message), &error);

  g_assert_no_error (error);
  fail_unless (answer != NULL);
  return answer;
}

static void
assert_not_granted (GBytes *message, GstTfrcMikeyError code)
{
  GError *error = NULL;

  fail_unless (grant_bytes (data_of (message), g_bytes_get_size (message), &error) == NULL);
  assert_error (&error, code);
  fail_unless (is_zero ((const guint8 *) &sender.keys, sizeof sender.keys));
}

static gboolean
take_bytes (const guint8 *bytes, gsize size, GError **error)
{
  return gst_tfrc_mikey_take_grant (&receiver_credentials, receiver.exchange, bytes, size,
      receiver.wall_ns, &receiver.stream, &receiver.keys, error);
}

static void
assert_not_taken (GBytes *message, GstTfrcMikeyError code)
{
  GError *error = NULL;

  fail_if (take_bytes (data_of (message), g_bytes_get_size (message), &error));
  assert_error (&error, code);
  fail_unless (is_zero ((const guint8 *) &receiver.keys, sizeof receiver.keys));
  fail_unless_equals_int (receiver.stream.ssrc, 0);
}

static void
assert_exchange_works (void)
{
  GBytes *asked = request (), *granted = grant (asked);
  GstTfrcMikeyKind kind;
  guint32 asked_id, granted_id;
  GError *error = NULL;

  fail_unless (take_bytes (data_of (granted), g_bytes_get_size (granted), &error));
  assert_same_keys (&sender, &receiver);
  fail_if (memcmp (sender.keys.sender.key, sender.keys.receiver.key, 16) == 0);
  fail_unless_equals_int (receiver.stream.ssrc, offered.ssrc);
  fail_unless_equals_int (receiver.stream.roc, offered.roc);
  fail_unless (gst_tfrc_mikey_peek (data_of (asked), g_bytes_get_size (asked), &kind, &asked_id));
  fail_unless_equals_int (kind, GST_TFRC_MIKEY_REQUEST);
  fail_unless (
      gst_tfrc_mikey_peek (data_of (granted), g_bytes_get_size (granted), &kind, &granted_id));
  fail_unless_equals_int (kind, GST_TFRC_MIKEY_GRANT);
  fail_unless_equals_int (asked_id, granted_id);
  fail_unless_equals_int (asked_id, sender.stream.csb_id);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
}

GST_START_TEST (both_ends_get_the_same_keys)
{
  assert_exchange_works ();
  sender.stream.cipher = GST_TFRC_CIPHER_AES_256_GCM;
  assert_exchange_works ();
  fail_unless_equals_int (receiver.keys.cipher, GST_TFRC_CIPHER_AES_256_GCM);
}

GST_END_TEST;

GST_START_TEST (ends_that_know_their_keys_need_no_certificate)
{
  sender_credentials = rsa_credentials (sender_key, NULL, receiver_key);
  receiver_credentials = rsa_credentials (receiver_key, NULL, sender_key);
  assert_exchange_works ();
}

GST_END_TEST;

/* A receiver signs its request, and its keys come in an envelope. */
GST_START_TEST (a_receiver_needs_a_certificate_for_signatures_and_keys)
{
  static const gchar *const wrong[] = { "digitalSignature", "keyEncipherment" };
  X509 *certificate = make_certificate_for (
      "digitalSignature,keyEncipherment", "receiver", receiver_key);

  receiver_credentials.certificate = certificate;
  assert_exchange_works ();
  X509_free (certificate);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    GBytes *asked;

    certificate = make_certificate_for (wrong[i], "receiver", receiver_key);
    receiver_credentials.certificate = certificate;
    asked = request ();
    memset (&sender.keys, 0, sizeof sender.keys);
    assert_not_granted (asked, GST_TFRC_MIKEY_BAD_CERTIFICATE);
    g_bytes_unref (asked);
    X509_free (certificate);
  }
}

GST_END_TEST;

GST_START_TEST (a_granting_sender_needs_a_certificate_for_signatures)
{
  X509 *certificate = make_certificate_for ("digitalSignature", "sender", sender_key);
  GBytes *asked, *granted;

  sender_credentials.certificate = certificate;
  assert_exchange_works ();
  X509_free (certificate);
  sender_credentials.certificate = certificate = make_certificate_for (
      "keyEncipherment", "sender", sender_key);
  memset (&receiver.keys, 0, sizeof receiver.keys);
  memset (&receiver.stream, 0, sizeof receiver.stream);
  asked = request ();
  granted = grant (asked);
  assert_not_taken (granted, GST_TFRC_MIKEY_BAD_CERTIFICATE);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
  X509_free (certificate);
}

GST_END_TEST;

GST_START_TEST (ends_of_other_names_are_refused)
{
  GBytes *asked = request (), *granted = grant (asked);

  receiver_credentials.peer_name = (gchar *) "sender"; /* its CN, which is no name */
  assert_not_taken (granted, GST_TFRC_MIKEY_WRONG_NAME);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
  memset (&sender.keys, 0, sizeof sender.keys);
  sender_credentials.peer_name = (gchar *) "receiver";
  asked = request ();
  assert_not_granted (asked, GST_TFRC_MIKEY_WRONG_NAME);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (two_requests_get_different_keys)
{
  GstTfrcStreamKeys keys;

  assert_exchange_works ();
  keys = receiver.keys;
  assert_exchange_works ();
  fail_if (memcmp (keys.sender.key, receiver.keys.sender.key, 16) == 0);
}

GST_END_TEST;

GST_START_TEST (a_stranger_is_not_granted_keys)
{
  GBytes *asked;

  receiver_credentials = rsa_credentials (stranger_key, stranger_certificate, sender_key);
  asked = request ();
  assert_not_granted (asked, GST_TFRC_MIKEY_BAD_CERTIFICATE);
  g_bytes_unref (asked);
  receiver_credentials.certificate = NULL;
  asked = request ();
  assert_not_granted (asked, GST_TFRC_MIKEY_BAD_CERTIFICATE);
  g_bytes_unref (asked);
  /* nor with a certificate of another's key */
  receiver_credentials.certificate = receiver_certificate;
  asked = request ();
  assert_not_granted (asked, GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (a_request_to_another_sender_is_refused)
{
  GBytes *asked;

  receiver_credentials = rsa_credentials (receiver_key, receiver_certificate, stranger_key);
  asked = request ();
  assert_not_granted (asked, GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (a_request_is_granted_once)
{
  GBytes *asked = request (), *granted = grant (asked);

  gst_tfrc_stream_keys_wipe (&sender.keys);
  assert_not_granted (asked, GST_TFRC_MIKEY_REPLAYED);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (a_wrong_clock_is_named)
{
  GBytes *asked = request ();

  sender.wall_ns = WALL_NS + 3600 * GST_SECOND;
  assert_not_granted (asked, GST_TFRC_MIKEY_CLOCK);
  sender.wall_ns = WALL_NS - 3600 * GST_SECOND;
  assert_not_granted (asked, GST_TFRC_MIKEY_CLOCK);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (a_message_at_the_edge_of_the_window_is_accepted)
{
  static const gint64 edges_ns[] = { (gint64) GST_TFRC_MIKEY_MAX_SKEW_NS,
    -(gint64) GST_TFRC_MIKEY_MAX_SKEW_NS };
  GBytes *asked;

  for (guint i = 0; i < G_N_ELEMENTS (edges_ns); i++) {
    asked = request ();
    sender.wall_ns = WALL_NS + (guint64) (edges_ns[i] + (i == 0 ? 1000 : -1000));
    assert_not_granted (asked, GST_TFRC_MIKEY_CLOCK);
    sender.wall_ns = WALL_NS + (guint64) edges_ns[i];
    g_bytes_unref (grant (asked));
    gst_tfrc_stream_keys_wipe (&sender.keys);
    g_bytes_unref (asked);
  }
}

GST_END_TEST;

/* NTP's seconds overflow on 7 February 2036, 06:28:16 UTC. */
GST_START_TEST (the_overflow_of_the_timestamp_changes_nothing)
{
  static const guint64 overflow_ns = (G_GUINT64_CONSTANT (4294967296) - 2208988800) * GST_SECOND;
  GstTfrcMikeySeed before, after;

  fail_unless (gst_tfrc_mikey_seed_make (&before, overflow_ns - 10 * GST_SECOND));
  fail_unless (gst_tfrc_mikey_seed_make (&after, overflow_ns + 10 * GST_SECOND));
  fail_unless (gst_tfrc_mikey_is_current (before.timestamp, overflow_ns + 10 * GST_SECOND));
  fail_unless (gst_tfrc_mikey_is_current (after.timestamp, overflow_ns - 10 * GST_SECOND));
  fail_if (gst_tfrc_mikey_is_outdated (before.timestamp, overflow_ns + 10 * GST_SECOND));
}

GST_END_TEST;

/* ---- replay cache ------------------------------------------------------------ */

static void
use_cache_of (guint max_entries)
{
  gst_tfrc_mikey_replay_cache_free (sender.cache);
  sender.cache = gst_tfrc_mikey_replay_cache_new (max_entries);
}

static void
is_granted (GBytes *asked)
{
  g_bytes_unref (grant (asked));
  gst_tfrc_stream_keys_wipe (&sender.keys);
}

GST_START_TEST (a_full_cache_refuses_new_messages)
{
  GBytes *asked[3];

  use_cache_of (2);
  for (guint i = 0; i < 2; i++)
    is_granted (asked[i] = request ());
  asked[2] = request ();
  assert_not_granted (asked[2], GST_TFRC_MIKEY_REPLAYED);
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    g_bytes_unref (asked[i]);

  /* until the old ones could not be accepted any more */
  sender.wall_ns = receiver.wall_ns = WALL_NS + GST_TFRC_MIKEY_MAX_SKEW_NS;
  asked[0] = request ();
  assert_not_granted (asked[0], GST_TFRC_MIKEY_REPLAYED);
  sender.wall_ns += GST_SECOND;
  is_granted (asked[0]);
  g_bytes_unref (asked[0]);
}

GST_END_TEST;

/* The first request is outdated in between, but the cache has room for both. */
GST_START_TEST (a_request_is_granted_once_even_if_the_clock_is_set_back)
{
  GBytes *asked = request (), *other;

  is_granted (asked);
  sender.wall_ns = receiver.wall_ns = WALL_NS + 2 * GST_TFRC_MIKEY_MAX_SKEW_NS;
  is_granted (other = request ());
  sender.wall_ns = WALL_NS;
  assert_not_granted (asked, GST_TFRC_MIKEY_REPLAYED);
  g_bytes_unref (other);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (a_message_from_the_future_stays_until_it_is_outdated)
{
  GBytes *ahead, *other;

  use_cache_of (1);
  receiver.wall_ns = WALL_NS + GST_TFRC_MIKEY_MAX_SKEW_NS;
  is_granted (ahead = request ());
  sender.wall_ns = receiver.wall_ns = WALL_NS + 2 * GST_TFRC_MIKEY_MAX_SKEW_NS;
  other = request ();
  assert_not_granted (other, GST_TFRC_MIKEY_REPLAYED);
  assert_not_granted (ahead, GST_TFRC_MIKEY_REPLAYED);
  sender.wall_ns += GST_SECOND;
  is_granted (other);
  g_bytes_unref (other);
  g_bytes_unref (ahead);
}

GST_END_TEST;

GST_START_TEST (messages_without_proof_do_not_fill_the_cache)
{
  GBytes *asked;

  use_cache_of (1);
  receiver_credentials.private_key = stranger_key; /* of another certificate */
  for (guint i = 0; i < 10; i++) {
    asked = request ();
    assert_not_granted (asked, GST_TFRC_MIKEY_UNKNOWN_KEY);
    g_bytes_unref (asked);
  }
  receiver_credentials.private_key = receiver_key;
  is_granted (asked = request ());
  g_bytes_unref (asked);
}

GST_END_TEST;

/* The hash is of what the signature covers: another signature makes no new message. */
GST_START_TEST (a_replay_with_another_signature_is_a_replay)
{
  GBytes *asked = request (), *again;
  gsize size = g_bytes_get_size (asked);
  guint8 *bytes = g_memdup2 (data_of (asked), size);

  is_granted (asked);
  bytes[size - 1] ^= 1;
  again = g_bytes_new_take (bytes, size);
  assert_not_granted (again, GST_TFRC_MIKEY_REPLAYED);
  g_bytes_unref (again);
  g_bytes_unref (asked);
}

GST_END_TEST;

/* ---- grants ------------------------------------------------------------------ */

GST_START_TEST (a_recorded_grant_is_refused)
{
  GBytes *asked = request (), *granted = grant (asked), *again = request ();

  assert_not_taken (granted, GST_TFRC_MIKEY_OTHER_EXCHANGE);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
  g_bytes_unref (again);
}

GST_END_TEST;

/* Even if the csb_id and the time stamp happen to be the same: the RAND is not. */
GST_START_TEST (a_grant_of_a_request_with_another_rand_is_refused)
{
  GBytes *asked = request (), *granted = grant (asked);

  receiver.exchange->seed.rand[0] ^= 1;
  assert_not_taken (granted, GST_TFRC_MIKEY_OTHER_EXCHANGE);
  receiver.exchange->seed.rand[0] ^= 1;
  receiver.exchange->initiator[20] ^= 1;
  assert_not_taken (granted, GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (a_grant_of_a_stranger_is_refused)
{
  GBytes *asked = request (), *granted;

  sender_credentials = rsa_credentials (stranger_key, stranger_certificate, NULL);
  granted = grant (asked);
  assert_not_taken (granted, GST_TFRC_MIKEY_BAD_CERTIFICATE);
  g_bytes_unref (granted);
  sender_credentials.certificate = sender_certificate;
  gst_tfrc_mikey_replay_cache_free (sender.cache);
  sender.cache = gst_tfrc_mikey_replay_cache_new (1);
  granted = grant (asked);
  assert_not_taken (granted, GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (no_changed_byte_is_accepted)
{
  GBytes *asked = request (), *granted;
  gsize size = g_bytes_get_size (asked);
  guint8 *bytes = g_memdup2 (data_of (asked), size);

  for (gsize i = 0; i < size; i++) {
    bytes[i] ^= (guint8) (1 << i % 8);
    fail_unless (grant_bytes (bytes, size, NULL) == NULL);
    bytes[i] ^= (guint8) (1 << i % 8);
  }
  g_free (bytes);
  granted = grant (asked);
  size = g_bytes_get_size (granted);
  bytes = g_memdup2 (data_of (granted), size);
  for (gsize i = 0; i < size; i++) {
    bytes[i] ^= (guint8) (1 << i % 8);
    fail_if (take_bytes (bytes, size, NULL));
    bytes[i] ^= (guint8) (1 << i % 8);
  }
  fail_unless (take_bytes (bytes, size, NULL));
  g_free (bytes);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (shorter_messages_are_malformed)
{
  GBytes *asked = request (), *granted = grant (asked);
  GError *error = NULL;

  gst_tfrc_mikey_replay_cache_free (sender.cache);
  sender.cache = gst_tfrc_mikey_replay_cache_new (1);
  for (gsize cut = 0; cut < g_bytes_get_size (asked); cut++) {
    guint8 *bytes = g_memdup2 (data_of (asked), cut);

    fail_unless (grant_bytes (bytes, cut, &error) == NULL);
    assert_error (&error, GST_TFRC_MIKEY_MALFORMED);
    g_free (bytes);
  }
  for (gsize cut = 0; cut < g_bytes_get_size (granted); cut++) {
    guint8 *bytes = g_memdup2 (data_of (granted), cut);

    fail_if (take_bytes (bytes, cut, &error));
    assert_error (&error, GST_TFRC_MIKEY_MALFORMED);
    g_free (bytes);
  }
  g_bytes_unref (granted);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (an_end_with_a_passphrase_takes_no_part)
{
  GstTfrcCredentials psk = psk_credentials (1);
  GBytes *asked = request (), *granted = grant (asked);
  GError *error = NULL;

  fail_unless (gst_tfrc_mikey_request (&psk, WALL_NS, &receiver.exchange, &error) == NULL);
  assert_error (&error, GST_TFRC_MIKEY_UNSUPPORTED);
  sender_credentials = psk;
  memset (&sender.keys, 0, sizeof sender.keys);
  assert_not_granted (asked, GST_TFRC_MIKEY_UNSUPPORTED);
  receiver_credentials = psk;
  assert_not_taken (granted, GST_TFRC_MIKEY_UNSUPPORTED);
  g_bytes_unref (granted);
  g_bytes_unref (asked);
}

GST_END_TEST;

GST_START_TEST (a_reflected_request_is_refused)
{
  GBytes *asked = request ();

  assert_not_taken (asked, GST_TFRC_MIKEY_OTHER_EXCHANGE);
  sender_credentials = rsa_credentials (sender_key, sender_certificate, receiver_key);
  sender_credentials.private_key = receiver_key;
  receiver_credentials.peer_key = sender_key;
  g_bytes_unref (asked);
  asked = request ();
  assert_not_granted (asked, GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (asked);
}

GST_END_TEST;

static Suite *
mikeyreverse_suite (void)
{
  Suite *s = suite_create ("mikeyreverse");
  TCase *tc = tcase_create ("general");

  make_rsa_keys ();
  atexit (free_rsa_keys);
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 240);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, both_ends_get_the_same_keys);
  tcase_add_test (tc, ends_that_know_their_keys_need_no_certificate);
  tcase_add_test (tc, a_receiver_needs_a_certificate_for_signatures_and_keys);
  tcase_add_test (tc, a_granting_sender_needs_a_certificate_for_signatures);
  tcase_add_test (tc, ends_of_other_names_are_refused);
  tcase_add_test (tc, two_requests_get_different_keys);
  tcase_add_test (tc, a_stranger_is_not_granted_keys);
  tcase_add_test (tc, a_request_to_another_sender_is_refused);
  tcase_add_test (tc, a_request_is_granted_once);
  tcase_add_test (tc, a_request_is_granted_once_even_if_the_clock_is_set_back);
  tcase_add_test (tc, a_wrong_clock_is_named);
  tcase_add_test (tc, a_message_at_the_edge_of_the_window_is_accepted);
  tcase_add_test (tc, the_overflow_of_the_timestamp_changes_nothing);
  tcase_add_test (tc, a_full_cache_refuses_new_messages);
  tcase_add_test (tc, a_message_from_the_future_stays_until_it_is_outdated);
  tcase_add_test (tc, messages_without_proof_do_not_fill_the_cache);
  tcase_add_test (tc, a_replay_with_another_signature_is_a_replay);
  tcase_add_test (tc, a_recorded_grant_is_refused);
  tcase_add_test (tc, a_grant_of_a_request_with_another_rand_is_refused);
  tcase_add_test (tc, a_grant_of_a_stranger_is_refused);
  tcase_add_test (tc, no_changed_byte_is_accepted);
  tcase_add_test (tc, shorter_messages_are_malformed);
  tcase_add_test (tc, an_end_with_a_passphrase_takes_no_part);
  tcase_add_test (tc, a_reflected_request_is_refused);
  return s;
}

GST_CHECK_MAIN (mikeyreverse);
