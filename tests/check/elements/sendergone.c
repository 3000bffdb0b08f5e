/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsrc tells of a sender that stops, of several senders, and of a start that fails. */
#include "srcfixture.h"

static void
wait_sender (Fixture *f, guint n, const gchar *state)
{
  gst_message_unref (
      test_log_wait (f->receiver->log, n, GST_MESSAGE_ELEMENT, "tfrc-sender", state));
}

static guint
count_timeouts (Fixture *f)
{
  return test_log_count (f->receiver->log, GST_MESSAGE_ELEMENT, "GstUDPSrcTimeout", NULL);
}

GST_START_TEST (test_a_sender_that_stops_is_lost_and_back)
{
  Fixture f = fixture_new ("timeout=100000000");

  send_payload (&f, 0);
  wait_sender (&f, 1, "connected");
  wait_sender (&f, 1, "lost");
  test_assert_stat (f.receiver->src, "sender-state", "lost");
  send_payload (&f, 1);
  wait_sender (&f, 2, "connected");
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_a_timeout_that_is_set_later_counts)
{
  Fixture f = fixture_new ("timeout=0");

  send_payload (&f, 0);
  wait_sender (&f, 1, "connected");
  test_assert_stat (f.receiver->src, "sender-state", "connected");
  g_object_set (f.receiver->src, "timeout", (guint64) 1, NULL);
  wait_sender (&f, 1, "lost");
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_silence_is_told_after_5_s_by_default)
{
  GstElement *src = gst_element_factory_make ("tfrcsrc", NULL);
  guint64 timeout;

  g_object_get (src, "timeout", &timeout, NULL);
  fail_unless_equals_uint64 (timeout, 5 * GST_SECOND);
  gst_object_unref (src);
}

GST_END_TEST;

/* One message may already be on its way when the packet comes. */
GST_START_TEST (test_a_wait_for_a_missing_packet_is_not_silence)
{
  Fixture f = fixture_new (NEVER_IN_A_TEST "timeout=1000000");
  guint timeouts, n;

  send_payload (&f, 0);
  send_payload (&f, 2);
  test_log_wait_stat (f.receiver->log, "src", "queue-packets", 1);
  timeouts = count_timeouts (&f);
  n = test_log_count (f.receiver->log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);
  gst_message_unref (
      test_log_wait (f.receiver->log, n + 10, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  fail_unless (count_timeouts (&f) <= timeouts + 1);
  fixture_free (&f);
}

GST_END_TEST;

/* Each sender loses the packet behind its first, and three packets later the loss counts. */
static void
send_with_a_loss (Fixture *f, guint32 ssrc)
{
  f->peer->ssrc = ssrc;
  send_payload (f, 0);
  for (guint i = 2; i < 5; i++)
    send_payload (f, i);
}

GST_START_TEST (test_totals_survive_a_change_of_the_sender)
{
  Fixture f = fixture_new ("latency=1 keep-listening=true");

  send_with_a_loss (&f, 1);
  test_receiver_wait_bytes (f.receiver, 4 * PAYLOAD_BYTES);
  test_peer_end_stream (f.peer, f.receiver->port);
  test_assert_stat (f.receiver->src, "sender-state", "gone");
  send_with_a_loss (&f, 2);
  test_receiver_wait_bytes (f.receiver, 8 * PAYLOAD_BYTES);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "ssrc"), 2);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "packets-received"), 8);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "bytes-received"), 8 * PAYLOAD_BYTES);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "packets-lost"), 2);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "loss-events"), 2);
  fail_unless (test_stat_double (f.receiver->src, "loss-ratio") == 2 / 10.0);
  fixture_free (&f);
}

GST_END_TEST;

/* The host does not have this address (RFC 5737). */
GST_START_TEST (test_a_start_that_fails_is_told_once)
{
  GstElement *src = gst_element_factory_make ("tfrcsrc", NULL);
  TestLog *log = test_log_new (src);

  g_object_set (src, "address", "203.0.113.1", NULL);
  for (guint i = 1; i <= 2; i++) {
    fail_unless_equals_int (
        gst_element_set_state (src, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    test_log_wait_error (log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ);
    fail_unless_equals_int (test_log_count (log, GST_MESSAGE_ERROR, NULL, NULL), i);
    test_set_state (src, GST_STATE_READY);
  }
  test_set_state (src, GST_STATE_NULL);
  gst_object_unref (src);
  test_log_free (log);
}

GST_END_TEST;

static Suite *
sendergone_suite (void)
{
  Suite *suite = suite_create ("sendergone");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_sender_that_stops_is_lost_and_back);
  tcase_add_test (tcase, test_a_timeout_that_is_set_later_counts);
  tcase_add_test (tcase, test_silence_is_told_after_5_s_by_default);
  tcase_add_test (tcase, test_a_wait_for_a_missing_packet_is_not_silence);
  tcase_add_test (tcase, test_totals_survive_a_change_of_the_sender);
  tcase_add_test (tcase, test_a_start_that_fails_is_told_once);
  return suite;
}

GST_CHECK_MAIN (sendergone);
