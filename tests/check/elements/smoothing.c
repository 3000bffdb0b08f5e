/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's smoothing-time: packets are spread, also at the ends of a stream.  libs/smoother.c
 * tests the spreading in virtual time. */
#include "tfrctest.h"

#define N_PACKETS 20

/* So slow that only the first packet leaves during a test */
#define AN_HOUR "smoothing-time=3600000 max-queue-time=0 "

/* A sender whose first packet has arrived at @peer and has been answered, so that TFRC allows
 * the other packets */
typedef struct
{
  TestPeer *peer;
  TestSender *sender;
  GBytes *movie;
} Smoothed;

static Smoothed
smoothed_sender_new (const gchar *properties)
{
  gchar *all = g_strconcat (AN_HOUR, properties, NULL);
  Smoothed s = { test_peer_new (0), NULL, test_movie (N_PACKETS * 7, 1) };
  TfrcWireData first;

  s.sender = test_sender_new (s.peer->port, all);
  test_sender_push_bytes (s.sender, s.movie, 0);
  first = test_peer_receive_data (s.peer, NULL);
  test_log_wait_stat (s.sender->log, "sink", "queue-packets", N_PACKETS - 1);
  test_peer_send_feedback (s.peer, (gint) test_stat (s.sender->sink, "local-port"), &first, 1);
  test_log_wait_stat (s.sender->log, "sink", "feedback-received", 1);
  g_free (all);
  return s;
}

static void
smoothed_sender_free (Smoothed *s)
{
  test_sender_free (s->sender);
  test_peer_free (s->peer);
  g_bytes_unref (s->movie);
}

/* The smoother's rate is far below TFRC's, and the sink keeps to the smoother's. */
GST_START_TEST (test_smoothing_holds_back_packets_that_tfrc_allows)
{
  Smoothed s = smoothed_sender_new (NULL);
  gdouble rate = test_stat_double (s.sender->sink, "smoothing-rate");
  gdouble expected = N_PACKETS * PAYLOAD_BYTES * 8 / 3600.0;

  fail_unless (rate >= expected && rate < expected * 1.04);
  /* An initial window per round-trip time, which is long on a busy machine */
  fail_unless (test_stat_double (s.sender->sink, "allowed-rate") > 10 * rate);
  fail_unless_equals_uint64 (test_stat (s.sender->sink, "packets-sent"), 1);
  fail_unless_equals_uint64 (test_stat (s.sender->sink, "queue-packets"), N_PACKETS - 1);
  smoothed_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_state_change_ends_smoothing)
{
  Smoothed s = smoothed_sender_new (NULL);

  test_set_state (s.sender->pipeline, GST_STATE_NULL);
  fail_unless_equals_uint64 (test_stat (s.sender->sink, "queue-packets"), 0);
  smoothed_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_flush_drops_the_packets_to_be_smoothed)
{
  Smoothed s = smoothed_sender_new (NULL);
  GByteArray *payload = g_byte_array_new ();
  const guint8 *wanted = (const guint8 *) g_bytes_get_data (s.movie, NULL) + 10 * PAYLOAD_BYTES;

  fail_unless (gst_element_send_event (s.sender->appsrc, gst_event_new_flush_start ()));
  fail_unless (gst_element_send_event (s.sender->appsrc, gst_event_new_flush_stop (TRUE)));
  test_sender_push (s.sender, wanted, PAYLOAD_BYTES);
  test_peer_receive_data (s.peer, payload);
  fail_unless_equals_int (payload->len, PAYLOAD_BYTES);
  fail_unless (memcmp (payload->data, wanted, PAYLOAD_BYTES) == 0);
  g_byte_array_unref (payload);
  smoothed_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_drain_timeout_ends_smoothing)
{
  Smoothed s = smoothed_sender_new ("drain-timeout=1");

  test_sender_eos (s.sender);
  test_sender_wait_eos (s.sender);
  fail_unless_equals_uint64 (test_stat (s.sender->sink, "packets-dropped"), N_PACKETS - 1);
  smoothed_sender_free (&s);
}

GST_END_TEST;

/* The last packet leaves once the rate has covered all packets before it.  A packet's part of
 * the rate lasts for at least 31 of the window's 32 slots. */
GST_START_TEST (test_end_of_stream_is_smoothed_too)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, "smoothing-time=320");
  GBytes *movie = test_movie (N_PACKETS * 7, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_receiver_wait_eos (receiver);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), N_PACKETS);
  fail_unless (test_stat (sender->sink, "sender-delay-max")
      >= 310 * GST_MSECOND * (N_PACKETS - 1) / N_PACKETS);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static guint
warnings_of (const gchar *properties)
{
  TestSender *sender = test_sender_new (test_free_port (), properties);
  guint warnings = test_log_count (sender->log, GST_MESSAGE_WARNING, NULL, NULL);

  test_sender_free (sender);
  return warnings;
}

GST_START_TEST (test_smoothing_that_does_not_fit_into_the_queue_is_warned_of)
{
  fail_unless_equals_int (warnings_of ("max-queue-time=500"), 0);
  fail_unless_equals_int (warnings_of ("smoothing-time=499 max-queue-time=500"), 0);
  fail_unless_equals_int (warnings_of ("smoothing-time=500 max-queue-time=500"), 1);
  fail_unless_equals_int (warnings_of ("smoothing-time=500 max-queue-time=0"), 0);
}

GST_END_TEST;

static Suite *
smoothing_suite (void)
{
  Suite *s = suite_create ("smoothing");
  TCase *tcase = tcase_create ("elements");

  suite_add_tcase (s, tcase);
  tcase_add_test (tcase, test_smoothing_holds_back_packets_that_tfrc_allows);
  tcase_add_test (tcase, test_state_change_ends_smoothing);
  tcase_add_test (tcase, test_flush_drops_the_packets_to_be_smoothed);
  tcase_add_test (tcase, test_drain_timeout_ends_smoothing);
  tcase_add_test (tcase, test_end_of_stream_is_smoothed_too);
  tcase_add_test (tcase, test_smoothing_that_does_not_fit_into_the_queue_is_warned_of);
  return s;
}

GST_CHECK_MAIN (smoothing);
