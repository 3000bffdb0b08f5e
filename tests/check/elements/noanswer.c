/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sink that nobody answers */
#include "testpeer.h"
#include "tfrctest.h"

#define N_PACKETS 50

static void
push_movie (TestSender *sender)
{
  GBytes *movie = test_movie (N_PACKETS * 7, 1);

  test_sender_push_bytes (sender, movie, 0);
  g_bytes_unref (movie);
}

GST_START_TEST (test_closed_port_is_told)
{
  gint port = test_free_port ();
  TestSender *sender = test_sender_new (port, NULL);
  gchar *text = g_strdup_printf ("Nobody answers at tfrc://127.0.0.1:%d.", port);

  push_movie (sender);
  test_log_wait_warning (sender->log, GST_RESOURCE_ERROR_WRITE, text,
      "no program listens there (ICMP port unreachable)");
  test_sender_free (sender);
  g_free (text);
}

GST_END_TEST;

GST_START_TEST (test_mute_receiver_is_told)
{
  TestPeer *peer = test_peer_new (0);
  TestSender *sender = test_sender_new (peer->port, NULL);

  push_movie (sender);
  test_log_wait_warning (sender->log, GST_RESOURCE_ERROR_WRITE,
      "Nobody answers at tfrc://127.0.0.1:", "no feedback came");
  test_sender_free (sender);
  test_peer_free (peer);
}

GST_END_TEST;

/* As behind a tee, where other sinks have receivers */
GST_START_TEST (test_end_of_a_stream_that_nobody_got_is_a_warning)
{
  TestSender *sender = test_sender_new (test_free_port (), "drain-timeout=1 max-queue-time=0");

  push_movie (sender);
  test_sender_eos (sender);
  test_log_wait_warning (sender->log, GST_RESOURCE_ERROR_WRITE,
      "Nobody has answered at tfrc://127.0.0.1:", "no-receiver says");
  test_sender_wait_eos (sender);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  test_sender_free (sender);
}

GST_END_TEST;

GST_START_TEST (test_end_of_a_stream_that_nobody_got_is_an_error_if_asked)
{
  TestSender *sender = test_sender_new (
      test_free_port (), "drain-timeout=1 max-queue-time=0 no-receiver=error");

  push_movie (sender);
  test_sender_eos (sender);
  test_log_wait_error (sender->log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE);
  /* The sink drops the remaining packets: nothing may follow the BYE. */
  fail_unless_equals_uint64 (test_stat (sender->sink, "queue-packets"), 0);
  fail_unless_equals_uint64 (
      test_stat (sender->sink, "packets-sent") + test_stat (sender->sink, "packets-dropped"),
      N_PACKETS);
  test_sender_free (sender);
}

GST_END_TEST;

GST_START_TEST (test_mute_receiver_gets_the_movie_at_min_bitrate)
{
  TestPeer *peer = test_peer_new (0);
  TestSender *sender = test_sender_new (
      peer->port, "min-bitrate=20000000 unresponsive-receiver=true max-queue-time=0");
  guint8 packet[2048];

  push_movie (sender);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), N_PACKETS);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-dropped"), 0);
  for (guint i = 0; i < N_PACKETS; i++)
    test_peer_receive (peer, packet, sizeof packet);
  test_sender_free (sender);
  test_peer_free (peer);
}

GST_END_TEST;

static Suite *
noanswer_suite (void)
{
  Suite *suite = suite_create ("noanswer");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_closed_port_is_told);
  tcase_add_test (tcase, test_mute_receiver_is_told);
  tcase_add_test (tcase, test_end_of_a_stream_that_nobody_got_is_a_warning);
  tcase_add_test (tcase, test_end_of_a_stream_that_nobody_got_is_an_error_if_asked);
  tcase_add_test (tcase, test_mute_receiver_gets_the_movie_at_min_bitrate);
  return suite;
}

GST_CHECK_MAIN (noanswer);
