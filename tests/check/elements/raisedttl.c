/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both elements with protect=raised-ttl. */
#include "tfrctest.h"

#define PROPERTIES "passphrase=correct-horse protect=raised-ttl"

/* The offer of a re-keying must not make the receiver wait for protected packets. */
GST_START_TEST (test_stream_goes_on_after_a_rekeying_before_the_ttl_is_raised)
{
  TestReceiver *receiver = test_receiver_new (PROPERTIES);
  TestSender *sender = test_sender_new (receiver->port, PROPERTIES);
  GBytes *movie = test_movie (7 * 20, 5);
  const guint8 *bytes = g_bytes_get_data (movie, NULL);
  gsize half = g_bytes_get_size (movie) / 2;

  test_sender_push (sender, bytes, half);
  test_receiver_wait_bytes (receiver, half);
  gst_message_unref (test_log_wait (sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-security", NULL));
  g_signal_emit_by_name (sender->sink, "rekey");
  test_log_wait_stat (sender->log, "sink", "rekeyings", 1);
  test_sender_push (sender, bytes + half, g_bytes_get_size (movie) - half);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (receiver->src, "rekeyings"), 1);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-refused-plaintext"), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
raisedttl_suite (void)
{
  Suite *suite = suite_create ("raisedttl");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_stream_goes_on_after_a_rekeying_before_the_ttl_is_raised);
  return suite;
}

GST_CHECK_MAIN (raisedttl);
