/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends whose keys do not fit: both say why, and soon. */
#include "securitytest.h"

#include <stdlib.h>

/* The cause has to be told within this time, which CI stretches for slow tools. */
#define SOON_S 5

#define MOVIE_TS_PACKETS (7 * 20)

static GBytes *movie;

static void
make_movie (void)
{
  movie = test_movie (MOVIE_TS_PACKETS, 1);
}

static void
free_movie (void)
{
  g_bytes_unref (movie);
}

static gint64
soon (void)
{
  const gchar *multiplier = g_getenv ("CK_TIMEOUT_MULTIPLIER");

  return g_get_monotonic_time ()
      + SOON_S * G_TIME_SPAN_SECOND * (multiplier ? MAX (atoi (multiplier), 1) : 1);
}

static const struct
{
  const gchar *sink, *source, *told_by_sink, *told_by_source;
} misfits[] = {
  { PSK, "passphrase=\"another passphrase\"", "passphrases of the two ends differ",
      "passphrases of the two ends differ" },
  /* the source expects another sender */
  { SINK_RSA, "private-key-file=@source.key peer-public-key-file=@source.pub", "another RSA key",
      "another RSA key" },
  /* the sink expects another receiver */
  { "private-key-file=@sink.key peer-public-key-file=@sink.pub", SOURCE_RSA, "another RSA key",
      "another RSA key" },
  { PSK, SOURCE_RSA, "Give both ends a passphrase, or both ends RSA keys",
      "Give both ends a passphrase, or both ends RSA keys" },
  { SINK_RSA, PSK, "Give both ends a passphrase, or both ends RSA keys",
      "Give both ends a passphrase, or both ends RSA keys" },
  /* a certificate that no authority has signed */
  { "private-key-file=@sink.key certificate-file=@self.crt peer-public-key-file=@source.pub",
      SOURCE_RSA_CA, "not signed by the known CA", "not signed by the known CA" },
  /* certificates of the CA with another name */
  { SINK_RSA_CA, SOURCE_RSA_CA " peer-name=other.example.org", "Check the certificates",
      "does not have the name of peer-name" },
};

GST_START_TEST (test_both_ends_say_why_keys_do_not_fit)
{
  TestReceiver *receiver = test_protected_receiver_new (misfits[__i__].source);
  TestSender *sender = test_protected_sender_new (receiver->port, misfits[__i__].sink);
  gint64 end = soon ();

  test_sender_push_bytes (sender, movie, 0);
  test_wait_problem (receiver->log, GST_MESSAGE_ERROR, misfits[__i__].told_by_source);
  test_wait_problem (sender->log, GST_MESSAGE_ERROR, misfits[__i__].told_by_sink);
  fail_unless (g_get_monotonic_time () < end);
  test_wait_security (receiver->log, 1, "failed");
  test_wait_security (sender->log, 1, "failed");
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_ERROR, NULL, NULL), 1);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_ERROR, NULL, NULL), 1);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

/* In reverse mode a message that is refused has no answer. */
GST_START_TEST (test_source_that_asks_says_that_the_sink_has_another_name)
{
  TestReceiver *receiver = test_protected_receiver_new (
      SOURCE_RSA_R " peer-name=other.example.org");
  TestSender *sender = test_protected_sender_new (receiver->port, SINK_RSA_R);

  test_sender_push_bytes (sender, movie, 0);
  test_wait_problem (receiver->log, GST_MESSAGE_ERROR, "does not have the name of peer-name");
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

GST_START_TEST (test_sink_that_is_asked_says_that_the_source_has_another_name)
{
  TestReceiver *receiver = test_protected_receiver_new (SOURCE_RSA_R);
  TestSender *sender = test_protected_sender_new (
      receiver->port, SINK_RSA_R " peer-name=other.example.org");

  test_sender_push_bytes (sender, movie, 0);
  test_wait_problem (sender->log, GST_MESSAGE_ERROR, "does not have the name of peer-name");
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

/* A sender of the true stream follows the wrong one. */
GST_START_TEST (test_listening_source_warns_and_plays_the_good_sender)
{
  TestReceiver *receiver = test_protected_receiver_new (PSK " keep-listening=true");
  TestSender *wrong = test_sender_new (receiver->port, "passphrase=\"another passphrase\"");
  TestSender *right;

  test_sender_push_bytes (wrong, movie, 0);
  test_wait_problem (receiver->log, GST_MESSAGE_WARNING, "The passphrases of the two ends differ");
  test_wait_problem (wrong->log, GST_MESSAGE_ERROR, "The passphrases of the two ends differ");
  test_sender_free (wrong);
  right = test_sender_new (receiver->port, PSK);
  test_sender_push_bytes (right, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  test_wait_security (receiver->log, 1, "established");
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_WARNING, NULL, NULL), 1);
  test_sender_free (right);
  test_receiver_free (receiver);
}

GST_END_TEST;

/* The wrong sender goes on meanwhile. */
GST_START_TEST (test_wrong_sender_does_not_disturb_the_good_one)
{
  TestReceiver *receiver = test_protected_receiver_new (PSK " keep-listening=true");
  TestSender *wrong = test_sender_new (receiver->port, "passphrase=\"another passphrase\"");
  TestSender *right = test_sender_new (receiver->port, PSK);

  test_sender_push_bytes (wrong, movie, 0);
  test_sender_push_bytes (right, movie, 0);
  test_wait_problem (wrong->log, GST_MESSAGE_ERROR, "The passphrases of the two ends differ");
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  test_sender_free (wrong);
  test_sender_free (right);
  test_receiver_free (receiver);
}

GST_END_TEST;

GST_START_TEST (test_source_with_keys_refuses_an_unprotected_stream)
{
  TestReceiver *receiver = test_protected_receiver_new (PSK);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  gint64 end = soon ();

  test_sender_push_bytes (sender, movie, 0);
  test_wait_problem (receiver->log, GST_MESSAGE_ERROR, "The sender's stream is not protected");
  fail_unless (g_get_monotonic_time () < end);
  fail_unless (test_stat (receiver->src, "packets-refused-plaintext") > 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-refused-authentication"), 0);
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

GST_START_TEST (test_source_without_keys_says_that_the_stream_is_protected)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, PSK);
  gint64 end = soon ();

  test_sender_push_bytes (sender, movie, 0);
  test_wait_problem (receiver->log, GST_MESSAGE_WARNING, "The sender's stream is protected");
  fail_unless (g_get_monotonic_time () < end);
  test_wait_security (receiver->log, 1, "no-keys");
  fail_unless (test_stat (receiver->src, "peer-protected"));
  fail_if (test_stat (receiver->src, "protected"));
  /* The offer comes again, the warning does not. */
  test_log_wait_stat (receiver->log, "src", "packets-received", 0);
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_WARNING, NULL, NULL), 1);
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
securityrefused_suite (void)
{
  Suite *suite = suite_create ("securityrefused");
  TCase *tcase = tcase_create ("general");

  test_use_keys (tcase);
  tcase_add_checked_fixture (tcase, make_movie, free_movie);
  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_both_ends_say_why_keys_do_not_fit, 0, (gint) G_N_ELEMENTS (misfits));
  tcase_add_test (tcase, test_source_that_asks_says_that_the_sink_has_another_name);
  tcase_add_test (tcase, test_sink_that_is_asked_says_that_the_source_has_another_name);
  tcase_add_test (tcase, test_listening_source_warns_and_plays_the_good_sender);
  tcase_add_test (tcase, test_wrong_sender_does_not_disturb_the_good_one);
  tcase_add_test (tcase, test_source_with_keys_refuses_an_unprotected_stream);
  tcase_add_test (tcase, test_source_without_keys_says_that_the_stream_is_protected);
  return suite;
}

GST_CHECK_MAIN (securityrefused);
