/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsrc with packets that a test sends: order, gaps, its queue, feedback. */
#include "srcfixture.h"

GST_START_TEST (test_order_is_restored_within_latency)
{
  Fixture f = fixture_new (NEVER_IN_A_TEST);
  const gint order[] = { 0, 3, 1, 2, 4 }, out[] = { 0, 1, 2, 3, 4, -1 };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    send_payload (&f, order[i]);
  fail_unless_out (&f, out);
  for (guint i = 1; i < G_N_ELEMENTS (order); i++)
    fail_if (has_discont (&f, i));
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "packets-missing"), 0);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_gap_is_given_up_after_latency_with_discont)
{
  Fixture f = fixture_new ("latency=1");
  const gint order[] = { 0, 1, 3, 4, 5 }, out[] = { 0, 1, 3, 4, 5, -1 };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    send_payload (&f, order[i]);
  fail_unless_out (&f, out);
  for (guint i = 1; i < G_N_ELEMENTS (order); i++)
    fail_unless_equals_int (has_discont (&f, i), i == 2);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "packets-missing"), 1);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_duplicates_are_dropped)
{
  Fixture f = fixture_new (NEVER_IN_A_TEST);
  const gint order[] = { 0, 1, 1, 0, 2 }, out[] = { 0, 1, 2, -1 };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    send_payload (&f, order[i]);
  fail_unless_out (&f, out);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "packets-duplicate"), 2);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_packet_after_latency_is_too_late)
{
  Fixture f = fixture_new ("latency=0");
  const gint before[] = { 0, 2, -1 }, after[] = { 0, 2, 3, -1 };

  send_payload (&f, 0);
  send_payload (&f, 2);
  fail_unless_out (&f, before);
  send_payload (&f, 1);
  send_payload (&f, 3);
  fail_unless_out (&f, after);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "packets-too-late"), 1);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_shorter_latency_ends_a_wait)
{
  Fixture f = fixture_new (NEVER_IN_A_TEST);
  const gint out[] = { 0, 2, -1 };

  send_payload (&f, 0);
  send_payload (&f, 2);
  test_log_wait_stat (f.receiver->log, "src", "queue-packets", 1);
  g_object_set (f.receiver->src, "latency", 0, NULL);
  fail_unless_out (&f, out);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_bye_ends_the_wait_for_a_gap)
{
  Fixture f = fixture_new (NEVER_IN_A_TEST);
  const gint out[] = { 0, 2, -1 };

  send_payload (&f, 0);
  send_payload (&f, 2);
  test_peer_send_bye (f.peer, f.receiver->port);
  test_receiver_wait_eos (f.receiver);
  fail_unless_out (&f, out);
  fixture_free (&f);
}

GST_END_TEST;

/* The port of a caller would be the sender's. */
GST_START_TEST (test_a_mode_that_is_set_too_late_does_not_hide_the_port)
{
  TestReceiver *receiver = test_receiver_new ("");
  gint port;

  gst_util_set_object_arg (G_OBJECT (receiver->src), "mode", "caller");
  g_object_get (receiver->src, "port", &port, NULL);
  fail_unless_equals_int (port, receiver->port);
  test_receiver_free (receiver);
}

GST_END_TEST;

/* Both are in the answer to the latency query. */
GST_START_TEST (test_latency_and_max_size_time_have_the_pipeline_ask_for_the_latency)
{
  GstElement *src = gst_check_setup_element ("tfrcsrc");
  TestLog *log = test_log_new (src);

  g_object_set (src, "latency", 300, NULL);
  fail_unless_equals_int (test_log_count (log, GST_MESSAGE_LATENCY, NULL, NULL), 1);
  g_object_set (src, "max-size-time", G_GUINT64_CONSTANT (300000000), NULL);
  fail_unless_equals_int (test_log_count (log, GST_MESSAGE_LATENCY, NULL, NULL), 2);
  test_log_free (log);
  gst_object_unref (src);
}

GST_END_TEST;

GST_START_TEST (test_timeout_counts_for_a_silence_that_has_begun)
{
  TestReceiver *receiver = test_receiver_new ("timeout=3600000000000");
  GstMessage *message;
  guint64 timeout = 0;

  /* Time in which the wait may begin. It makes no difference to what must follow. */
  gst_message_unref (test_log_wait (receiver->log, 2, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  g_object_set (receiver->src, "timeout", G_GUINT64_CONSTANT (2000000), NULL);
  message = test_log_wait (receiver->log, 1, GST_MESSAGE_ELEMENT, "GstUDPSrcTimeout", NULL);
  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message), "timeout", &timeout));
  fail_unless_equals_uint64 (timeout, 2000000);
  gst_message_unref (message);
  test_receiver_free (receiver);
}

GST_END_TEST;

GST_START_TEST (test_silence_posts_the_message_of_udpsrc)
{
  TestReceiver *receiver = test_receiver_new ("timeout=1000000");
  GstMessage *message = test_log_wait (
      receiver->log, 2, GST_MESSAGE_ELEMENT, "GstUDPSrcTimeout", NULL);
  guint64 timeout = 0;

  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message), "timeout", &timeout));
  fail_unless_equals_uint64 (timeout, 1000000);
  gst_message_unref (message);
  test_receiver_free (receiver);
}

GST_END_TEST;

static gboolean
tells_of_all (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_feedback
      && (guint16) rtcp->state.highest_seq == (guint16) (65530 + N_PAYLOADS - 1);
}

GST_START_TEST (test_slow_pipeline_loses_at_its_own_queue_while_feedback_goes_on)
{
  Fixture f = fixture_new ("max-size-time=1");
  const gint out[] = { 0, N_PAYLOADS - 1, -1 };
  TfrcWireRtcp rtcp;

  test_receiver_hold (f.receiver, TRUE);
  send_payload (&f, 0);
  test_receiver_wait_bytes (f.receiver, PAYLOAD_BYTES);
  for (guint i = 1; i < N_PAYLOADS; i++)
    send_payload (&f, i);
  rtcp = test_peer_receive_rtcp (f.peer, tells_of_all);
  fail_unless_equals_int (rtcp.state.packets_lost, 0);
  fail_unless (rtcp.feedback.p == 0);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "queue-dropped"), N_PAYLOADS - 2);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "packets-lost"), 0);
  test_receiver_hold (f.receiver, FALSE);
  fail_unless_out (&f, out);
  fail_unless (has_discont (&f, 1));
  fixture_free (&f);
}

GST_END_TEST;

/* A live source outputs nothing in PAUSED. */
GST_START_TEST (test_feedback_goes_on_while_paused)
{
  Fixture f = fixture_new (NULL);

  test_set_state (f.receiver->pipeline, GST_STATE_PAUSED);
  for (guint i = 0; i < N_PAYLOADS; i++)
    send_payload (&f, i);
  test_peer_receive_rtcp (f.peer, tells_of_all);
  /* GStreamer 1.26 drops what a live source makes in PAUSED. */
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "queue-packets"), N_PAYLOADS);
  test_set_state (f.receiver->pipeline, GST_STATE_PLAYING);
  test_receiver_wait_movie (f.receiver, f.movie);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_restarted_sender_goes_on_with_discont)
{
  Fixture f = fixture_new ("keep-listening=true");
  const gint out[] = { 0, 1, 2, 3, -1 };

  test_receiver_hold (f.receiver, TRUE);
  send_payload (&f, 0);
  test_receiver_wait_bytes (f.receiver, PAYLOAD_BYTES);
  send_payload (&f, 1);
  test_peer_end_stream (f.peer, f.receiver->port);
  f.peer->ssrc++;
  f.peer->seq = 7;
  test_peer_send_data (f.peer, f.receiver->port, f.ts + 2 * PAYLOAD_BYTES, PAYLOAD_BYTES);
  test_peer_send_data (f.peer, f.receiver->port, f.ts + 3 * PAYLOAD_BYTES, PAYLOAD_BYTES);
  /* The queued packets of the first stream are not lost. */
  test_log_wait_stat (f.receiver->log, "src", "queue-packets", 3);
  test_receiver_hold (f.receiver, FALSE);
  fail_unless_out (&f, out);
  fail_if (has_discont (&f, 1));
  fail_unless (has_discont (&f, 2));
  fail_if (has_discont (&f, 3));
  fixture_free (&f);
}

GST_END_TEST;

/* Only keep-listening makes the source go on after a BYE.  That holds also while earlier packets
 * still wait. */
GST_START_TEST (test_stream_after_bye_does_not_prevent_eos)
{
  Fixture f = fixture_new (NULL);
  TestPeer *other = test_peer_new (0);
  const gint out[] = { 0, 1, -1 };

  other->ssrc = 0x22222222;
  other->unresponsive = TRUE;
  test_receiver_hold (f.receiver, TRUE);
  send_payload (&f, 0);
  test_receiver_wait_bytes (f.receiver, PAYLOAD_BYTES);
  send_payload (&f, 1);
  test_peer_send_bye (f.peer, f.receiver->port);
  test_peer_send_data (other, f.receiver->port, f.ts, PAYLOAD_BYTES);
  test_log_wait_stat (f.receiver->log, "src", "foreign-packets", 1);
  test_receiver_hold (f.receiver, FALSE);
  test_receiver_wait_eos (f.receiver);
  fail_unless_out (&f, out);
  test_peer_free (other);
  fixture_free (&f);
}

GST_END_TEST;

static gboolean
is_feedback (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_feedback;
}

/* Feedback is due 0.5 s after the second packet, even if a property is set meanwhile. */
GST_START_TEST (test_setting_a_property_does_not_delay_feedback)
{
  Fixture f = fixture_new ("stats-update-interval=0");
  const gint out[] = { 0, 1, -1 };
  TfrcWireRtcp first, second;

  f.peer->rtt_us = 500000;
  send_payload (&f, 0);
  first = test_peer_receive_rtcp (f.peer, is_feedback);
  send_payload (&f, 1);
  fail_unless_out (&f, out);
  g_object_set (f.receiver->src, "stats-update-interval", 3600000, NULL);
  second = test_peer_receive_rtcp (f.peer, is_feedback);
  fail_unless (second.state.feedback_number != first.state.feedback_number);
  fixture_free (&f);
}

GST_END_TEST;

/* As the documentation has it */
GST_START_TEST (test_blocksize_and_do_timestamp_have_no_effect)
{
  Fixture f = fixture_new (NEVER_IN_A_TEST "blocksize=188 do-timestamp=true");
  TestBuffer *out;

  for (guint i = 0; i < 3; i++)
    send_payload (&f, i);
  test_receiver_wait_bytes (f.receiver, 3 * PAYLOAD_BYTES);
  g_mutex_lock (&f.receiver->lock);
  out = (TestBuffer *) (gpointer) f.receiver->buffers->data;
  fail_unless_equals_int (f.receiver->buffers->len, 3);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (out[i].size, PAYLOAD_BYTES);
    fail_unless (GST_CLOCK_TIME_IS_VALID (out[i].pts));
  }
  g_mutex_unlock (&f.receiver->lock);
  fixture_free (&f);
}

GST_END_TEST;

/* Both outputs have the same playout delay. */
GST_START_TEST (test_latency_query_says_live_and_the_playout_delay)
{
  const gchar *const properties[] = { "latency=70", "latency=70 ! application/x-rtp" };

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    Fixture f = fixture_new (properties[i]);
    GstQuery *query = gst_query_new_latency ();
    GstClockTime min, max;
    gboolean live;

    send_payload (&f, 0);
    test_receiver_wait_bytes (f.receiver, 1); /* the caps are known */
    fail_unless (gst_element_query (f.receiver->src, query));
    gst_query_parse_latency (query, &live, &min, &max);
    fail_unless (live);
    fail_unless_equals_uint64 (min, 70 * GST_MSECOND);
    fail_unless (max >= min);
    gst_query_unref (query);
    fixture_free (&f);
  }
}

GST_END_TEST;

static Suite *
tfrcsrc_suite (void)
{
  Suite *suite = suite_create ("tfrcsrc");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_order_is_restored_within_latency);
  tcase_add_test (tcase, test_gap_is_given_up_after_latency_with_discont);
  tcase_add_test (tcase, test_duplicates_are_dropped);
  tcase_add_test (tcase, test_packet_after_latency_is_too_late);
  tcase_add_test (tcase, test_shorter_latency_ends_a_wait);
  tcase_add_test (tcase, test_bye_ends_the_wait_for_a_gap);
  tcase_add_test (tcase, test_a_mode_that_is_set_too_late_does_not_hide_the_port);
  tcase_add_test (tcase, test_latency_and_max_size_time_have_the_pipeline_ask_for_the_latency);
  tcase_add_test (tcase, test_timeout_counts_for_a_silence_that_has_begun);
  tcase_add_test (tcase, test_silence_posts_the_message_of_udpsrc);
  tcase_add_test (tcase, test_slow_pipeline_loses_at_its_own_queue_while_feedback_goes_on);
  tcase_add_test (tcase, test_feedback_goes_on_while_paused);
  tcase_add_test (tcase, test_restarted_sender_goes_on_with_discont);
  tcase_add_test (tcase, test_stream_after_bye_does_not_prevent_eos);
  tcase_add_test (tcase, test_setting_a_property_does_not_delay_feedback);
  tcase_add_test (tcase, test_blocksize_and_do_timestamp_have_no_effect);
  tcase_add_test (tcase, test_latency_query_says_live_and_the_playout_delay);
  return suite;
}

GST_CHECK_MAIN (tfrcsrc);
