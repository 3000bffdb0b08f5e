/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's max-queue-time while the rate is far below the input: which packets are dropped,
 * and how the application learns of drops.  libs/queuewaits.c tests falling rates in virtual
 * time. */
#include <gst/app/gstappsrc.h>
#include "tfrctest.h"

/* So slow that only the first packet leaves during a test */
#define ALMOST_STOPPED "max-bitrate=200 max-queue-time=0 "
#define N_PACKETS 20

static TestPeer *peer;
static TestSender *sender;
static GBytes *movie;
static TfrcWireData answered;

/* Starts a sender, pushes one packet, and answers that packet with feedback, so that the sink does
 * not take its receiver for absent. */
static void
begin (TestSender *(*sender_new) (gint port, const gchar *properties), const gchar *properties)
{
  gchar *all = g_strconcat (ALMOST_STOPPED, properties, NULL);

  movie = test_movie (N_PACKETS * 7, 1);
  peer = test_peer_new (0);
  sender = sender_new (peer->port, all);
  test_sender_push (sender, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES);
  answered = test_peer_receive_data (peer, NULL);
  test_peer_send_feedback (peer, (gint) test_stat (sender->sink, "local-port"), &answered, 1);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  g_free (all);
}

/* The same, and pushes the rest of the movie. */
static void
start (TestSender *(*sender_new) (gint port, const gchar *properties), const gchar *properties)
{
  GBytes *rest;

  begin (sender_new, properties);
  rest = test_bytes_from (movie, PAYLOAD_BYTES);
  g_object_set (sender->sink, "max-queue-time", 50, NULL);
  test_sender_push_bytes (sender, rest, PAYLOAD_BYTES);
  g_bytes_unref (rest);
}

/* Lets the packets of the movie leave, and receives them.  The rate rises with the next feedback, which
 * is of a receiver that follows the first one: from the first one, feedback about a packet that it has
 * answered says nothing new. */
static void
receive_all (void)
{
  GByteArray *arrived = g_byte_array_new ();
  TfrcWireData last = answered;
  guint32 number = 2;

  peer->ssrc++;
  g_object_set (sender->sink, "max-bitrate", G_GUINT64_CONSTANT (0), NULL);
  while (arrived->len < (N_PACKETS - 1) * PAYLOAD_BYTES) {
    test_peer_send_feedback (peer, (gint) test_stat (sender->sink, "local-port"), &last, number++);
    last = test_peer_receive_data (peer, arrived);
  }
  g_byte_array_unref (arrived);
}

static void
finish (void)
{
  /* A receiver counts as lost after 10 s, and that would end every wait. */
  fail_unless_equals_int (
      test_log_count (sender->log, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "lost"), 0);
  test_sender_free (sender);
  test_peer_free (peer);
  g_bytes_unref (movie);
}

static void
fail_unless_all_others_dropped (void)
{
  test_log_wait_stat (sender->log, "sink", "packets-dropped", N_PACKETS - 1);
  fail_unless_equals_uint64 (test_stat (sender->sink, "queue-packets"), 0);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), 1);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-overdue"), 0);
}

/* The queue drops old packets even if no new packet comes. */
GST_START_TEST (test_leaky_queues_drop_packets_after_max_queue_time)
{
  static const gchar *const modes[] = { "leaky=upstream", "leaky=downstream" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    start (test_sender_new, modes[i]);
    fail_unless_all_others_dropped ();
    finish ();
  }
}

GST_END_TEST;

GST_START_TEST (test_live_input_is_dropped_rather_than_late)
{
  GstMessage *message;

  start (test_live_sender_new, "leaky=no");
  fail_unless_all_others_dropped ();
  message = test_log_wait (sender->log, 1, GST_MESSAGE_QOS, NULL, NULL);
  gst_message_unref (message);
  finish ();
}

GST_END_TEST;

/* Live input with time stamps, and a sink without "sync": the time for which the sink makes the
 * pipeline wait is part of the delay. All buffers are of running time 0, two of them wait in the
 * queue and in front of the queue, and the other ones behind these. */
GST_START_TEST (test_live_input_counts_the_wait_in_front_of_the_sink_without_sync)
{
  begin (test_live_sender_new, "leaky=no max-queue-packets=1");
  for (guint i = 1; i < N_PACKETS; i++) {
    GBytes *packet = g_bytes_new_from_bytes (movie, i * PAYLOAD_BYTES, PAYLOAD_BYTES);
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes (packet);

    GST_BUFFER_PTS (buffer) = 0;
    gst_app_src_push_buffer (GST_APP_SRC (sender->appsrc), buffer);
    g_bytes_unref (packet);
  }
  test_log_wait_stat (sender->log, "sink", "queue-time", 400 * GST_MSECOND);
  receive_all ();
  /* if the wait of two packets alone counted, less than 50 ms */
  fail_unless (test_stat (sender->sink, "sender-delay-mean") > 200 * GST_MSECOND);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_a_file_is_late_rather_than_dropped)
{
  start (test_sender_new, "leaky=no");
  test_log_wait_stat (sender->log, "sink", "queue-time", 51 * GST_MSECOND);
  receive_all ();
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-dropped"), 0);
  test_log_wait_stat (sender->log, "sink", "packets-overdue", 1);
  finish ();
}

GST_END_TEST;

static Suite *
queuetime_suite (void)
{
  Suite *s = suite_create ("queuetime");
  TCase *tcase = tcase_create ("elements");

  suite_add_tcase (s, tcase);
  tcase_add_test (tcase, test_leaky_queues_drop_packets_after_max_queue_time);
  tcase_add_test (tcase, test_live_input_is_dropped_rather_than_late);
  tcase_add_test (tcase, test_live_input_counts_the_wait_in_front_of_the_sink_without_sync);
  tcase_add_test (tcase, test_a_file_is_late_rather_than_dropped);
  return s;
}

GST_CHECK_MAIN (queuetime);
