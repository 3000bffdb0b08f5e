/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the statistics say of profiles and of losses that the receiver tells apart. */
#include "tfrctest.h"

static GstElement *
new_with_profile (const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  gst_util_set_object_arg (G_OBJECT (element), "profile", "enhanced-paper");
  return element;
}

/* Without a stream the statistics say what the next stream will do. */
GST_START_TEST (test_stats_name_the_choices_without_a_stream)
{
  GstElement *sink = new_with_profile ("tfrcsink");
  GstElement *src = new_with_profile ("tfrcsrc");

  test_assert_stat (sink, "profile", "enhanced-paper");
  test_assert_stat (sink, "rtt-method", "adaptive");
  test_assert_stat (sink, "rto-policy", "adaptive");
  test_assert_stat (sink, "loss-response", "all");
  test_assert_stat (src, "loss-interval-method", "ci-replace");
  test_assert_stat (src, "loss-classifier", "trend");
  gst_object_unref (sink);
  gst_object_unref (src);
}

GST_END_TEST;

/* Sends feedback about this packet: of two lost packets, one is a link error. */
static void
send_classified_feedback (TestPeer *peer, gint port, const TfrcWireData *data)
{
  TfrcFeedback feedback = { 0 };
  TfrcWireState state = { 0 };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  feedback.recv_data_us = data->send_time_us;
  feedback.x_recv_Bps = 100000000;
  feedback.p = 0.5;
  feedback.classified = TRUE;
  feedback.link_errors = 1;
  feedback.congestion_p = 0.25;
  state.highest_seq = data->seq;
  state.packets_lost = 2;
  state.loss_events = 2;
  state.feedback_number = 2;
  test_peer_send (peer, port, packet,
      tfrc_wire_write_feedback (packet, peer->ssrc, data->ssrc, &feedback, &state));
}

static const gchar *const responses[] = { "all", "congestion-only" };

GST_START_TEST (test_stats_tell_link_errors_from_congestion)
{
  gchar *properties = g_strdup_printf ("experiment=loss-response=%s", responses[__i__]);
  TestPeer *peer = test_peer_new (0);
  TestSender *sender = test_sender_new (peer->port, properties);
  GBytes *movie = test_movie (40 * 7, 1);
  gint port = (gint) test_stat (sender->sink, "local-port");
  TfrcWireData data;

  test_sender_push_bytes (sender, movie, 0);
  data = test_peer_receive_data (peer, NULL);
  test_peer_send_feedback (peer, port, &data, 1);
  for (guint i = 0; i < 3; i++)
    data = test_peer_receive_data (peer, NULL);
  test_assert_stat (sender->sink, "loss-response", "all");
  send_classified_feedback (peer, port, &data);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 2);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-lost"), 2);
  fail_unless_equals_uint64 (test_stat (sender->sink, "link-errors"), 1);
  fail_unless_equals_float (test_stat_double (sender->sink, "link-error-ratio"), 0.5);
  fail_unless_equals_float (test_stat_double (sender->sink, "loss-event-rate"), 0.5);
  fail_unless_equals_float (test_stat_double (sender->sink, "congestion-loss-event-rate"), 0.25);
  test_assert_stat (sender->sink, "loss-response", responses[__i__]);
  test_sender_free (sender);
  test_peer_free (peer);
  g_bytes_unref (movie);
  g_free (properties);
}

GST_END_TEST;

/* Choices that change while a stream runs are for the next stream. */
GST_START_TEST (test_stats_name_the_choices_of_the_stream_that_runs)
{
  TestReceiver *receiver = test_receiver_new ("profile=enhanced-paper");
  TestSender *sender = test_sender_new (receiver->port, "profile=enhanced-paper");

  gst_util_set_object_arg (G_OBJECT (sender->sink), "profile", "rfc5348");
  gst_util_set_object_arg (G_OBJECT (receiver->src), "profile", "rfc5348");
  test_assert_stat (sender->sink, "profile", "enhanced-paper");
  test_assert_stat (sender->sink, "rtt-method", "adaptive");
  test_assert_stat (sender->sink, "rto-policy", "adaptive");
  test_assert_stat (receiver->src, "loss-interval-method", "ci-replace");
  test_assert_stat (receiver->src, "loss-classifier", "trend");
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
profilestats_suite (void)
{
  Suite *suite = suite_create ("profilestats");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_stats_name_the_choices_without_a_stream);
  tcase_add_loop_test (
      tcase, test_stats_tell_link_errors_from_congestion, 0, G_N_ELEMENTS (responses));
  tcase_add_test (tcase, test_stats_name_the_choices_of_the_stream_that_runs);
  return suite;
}

GST_CHECK_MAIN (profilestats);
