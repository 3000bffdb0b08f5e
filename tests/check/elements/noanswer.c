/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sink that nobody answers */
#include "../libs/testnet.h"
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

/* A name may have an IPv6 address first, or no other. */
GST_START_TEST (test_ipv6_address_of_a_receiver_of_ipv4_alone_is_told)
{
  TestReceiver *receiver = test_receiver_new ("address=0.0.0.0");
  TestSender *sender;
  gchar *text = g_strdup_printf ("Nobody answers at tfrc://[::1]:%d.", receiver->port);

  if (test_host_has_ipv6 ()) {
    sender = test_sender_new (receiver->port, "host=::1");
    push_movie (sender);
    test_log_wait_warning (sender->log, GST_RESOURCE_ERROR_WRITE, text,
        "no program listens there (ICMP port unreachable)");
    test_sender_free (sender);
  }
  test_receiver_free (receiver);
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

/* ---- behind a tee, where other sinks have receivers -------------------------------------------- */

/* A receiver may be slow. */
#define BRANCH " t. ! queue ! tfrcsink sync=false drain-timeout=60000 port=%d "

typedef struct
{
  TestReceiver *receivers[2];
  TestSender *sender; /* its sink is the one without a receiver */
} Tee;

/* Sends a movie to its end. @properties: of the sink without a receiver */
static Tee
tee_play (GBytes *movie, const gchar *properties)
{
  Tee tee = { .receivers = { test_receiver_new (NULL), test_receiver_new (NULL) } };
  gchar *description = g_strdup_printf ("appsrc name=in max-bytes=0 "
                                        "caps=video/mpegts,systemstream=true,packetsize=188 "
                                        "! tee name=t" BRANCH BRANCH BRANCH "name=sink %s",
      tee.receivers[0]->port, tee.receivers[1]->port, test_free_port (), properties);

  tee.sender = test_sender_launch (description);
  test_sender_push_bytes (tee.sender, movie, PAYLOAD_BYTES);
  test_sender_eos (tee.sender);
  g_free (description);
  return tee;
}

static void
tee_free (Tee *tee)
{
  test_sender_free (tee->sender);
  for (guint i = 0; i < G_N_ELEMENTS (tee->receivers); i++)
    test_receiver_free (tee->receivers[i]);
}

/* The first of these messages is that of the sink without a receiver. */
static void
check_absent_sink_told (Tee *tee, GstMessageType type)
{
  GstMessage *message = test_log_wait (tee->sender->log, 1, type, NULL, NULL);

  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (tee->sender->sink));
  gst_message_unref (message);
}

GST_START_TEST (test_streams_beside_one_that_nobody_got_end_as_ever)
{
  GBytes *movie = test_movie (N_PACKETS * 7, 1);
  Tee tee = tee_play (movie, "drain-timeout=1 max-queue-time=0");

  for (guint i = 0; i < G_N_ELEMENTS (tee.receivers); i++) {
    test_receiver_wait_eos (tee.receivers[i]);
    test_receiver_wait_movie (tee.receivers[i], movie);
  }
  test_sender_wait_eos (tee.sender);
  check_absent_sink_told (&tee, GST_MESSAGE_WARNING);
  fail_unless_equals_int (test_log_count (tee.sender->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  tee_free (&tee);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* The pipeline has no EOS then: an application ends with the first error. */
GST_START_TEST (test_pipeline_ends_with_an_error_of_the_sink_that_was_asked_for_one)
{
  GBytes *movie = test_movie (N_PACKETS * 7, 1);
  Tee tee = tee_play (movie, "drain-timeout=1 max-queue-time=0 no-receiver=error");

  check_absent_sink_told (&tee, GST_MESSAGE_ERROR);
  for (guint i = 0; i < G_N_ELEMENTS (tee.receivers); i++) {
    test_receiver_wait_eos (tee.receivers[i]);
    test_receiver_wait_movie (tee.receivers[i], movie);
  }
  fail_unless_equals_int (test_log_count (tee.sender->log, GST_MESSAGE_EOS, NULL, NULL), 0);
  tee_free (&tee);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
noanswer_suite (void)
{
  Suite *suite = suite_create ("noanswer");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_closed_port_is_told);
  tcase_add_test (tcase, test_ipv6_address_of_a_receiver_of_ipv4_alone_is_told);
  tcase_add_test (tcase, test_mute_receiver_is_told);
  tcase_add_test (tcase, test_end_of_a_stream_that_nobody_got_is_a_warning);
  tcase_add_test (tcase, test_end_of_a_stream_that_nobody_got_is_an_error_if_asked);
  tcase_add_test (tcase, test_mute_receiver_gets_the_movie_at_min_bitrate);
  tcase_add_test (tcase, test_streams_beside_one_that_nobody_got_end_as_ever);
  tcase_add_test (tcase, test_pipeline_ends_with_an_error_of_the_sink_that_was_asked_for_one);
  return suite;
}

GST_CHECK_MAIN (noanswer);
