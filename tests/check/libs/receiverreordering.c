/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver on a path that reorders packets: when it tells the sender of losses. R is ten packets
 * long. */
#include "receivertest.h"

/* The packet @behind numbers before the next one arrives now. */
static void
arrive_late (ReceiverTest *t, guint behind)
{
  t->data.seq -= behind;
  arrive (t);
  t->data.seq += behind - 1;
}

/* One packet comes 41 ms after the next one, so that the window is 50 ms. */
static void
start_reordering (ReceiverTest *t, guint64 window_ns)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  config.reorder_window_ns = window_ns;
  receiver_test_init (t, &config);
  arrive_many (t, 50);
  lose (t, 1);
  arrive_many (t, 5);
  wait_until (t, t->now + MS);
  arrive_late (t, 6);
  fail_unless_equals_int (t->arrival.kind, TFRC_ARRIVAL_LATE);
  arrive_many (t, 10);
  fail_unless_equals_uint64 (stats_of (t).loss_events, 0);
  fail_unless_equals_uint64 (stats_of (t).reorder_window_ns, window_ns != 0 ? RTT / 2 : 0);
}

GST_START_TEST (test_packet_within_the_window_costs_no_feedback)
{
  for (guint on = 0; on < 2; on++) {
    ReceiverTest t;
    guint before;

    start_reordering (&t, on * SECOND);
    before = t.feedbacks;
    for (guint i = 0; i < 10; i++) {
      lose (&t, 1);
      arrive_many (&t, 4);
      wait_until (&t, t.now + MS);
      arrive_late (&t, 5);
      arrive_many (&t, 5);
    }
    /* 10 R; without a window each reordering gives a loss and its end */
    if (on)
      fail_unless (t.feedbacks - before <= 11, "%u", t.feedbacks - before);
    else
      fail_unless (t.feedbacks - before > 20, "%u", t.feedbacks - before);
    fail_unless_equals_uint64 (stats_of (&t).packets_late, 11);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_loss_gives_feedback_when_the_window_ends)
{
  ReceiverTest t;
  guint64 lost_ns;

  start_reordering (&t, SECOND);
  wait_until (&t, feedback_at (&t));
  lost_ns = t.now;
  lose (&t, 1);
  arrive_many (&t, 3);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
  arrive_many (&t, 2);
  fail_if (is_due (&t));
  arrive_many (&t, 1);
  fail_unless (is_due (&t));
  fail_unless (take_feedback (&t));
  fail_unless (t.feedback.p > 0);
  fail_unless_equals_int (t.feedback.loss_events, 1);
  fail_unless (t.feedback_ns - lost_ns <= 20 * MS + RTT / 2);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The sender pauses within the window: no packet and no feedback timer would detect the loss. */
GST_START_TEST (test_loss_is_told_when_no_packet_comes)
{
  for (guint reported = 0; reported < 2; reported++) {
    ReceiverTest t;
    guint64 expiry;

    start_reordering (&t, SECOND);
    wait_until (&t, feedback_at (&t));
    arrive_many (&t, reported ? 5 : 1);
    lose (&t, 1);
    arrive_many (&t, 4);
    expiry = t.now - 3 * GAP + RTT / 2;
    if (reported) {
      /* all data has been reported, and none is new */
      tfrc_receiver_request_feedback (t.receiver, t.now);
      fail_unless (take_feedback (&t));
    }
    fail_unless_equals_uint64 (feedback_at (&t), expiry);
    fail_unless_equals_uint64 (stats_of (&t).loss_events, 0);
    wait_until (&t, expiry);
    fail_unless_equals_uint64 (t.feedback_ns, expiry);
    fail_unless_equals_int (t.feedback.loss_events, 1);
    fail_unless (t.feedback.p > 0);
    /* data that came before within R: the rate is the measured one */
    fail_unless (t.feedback.x_recv_Bps > 50000, "%f", t.feedback.x_recv_Bps);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_mark_gives_feedback_at_once)
{
  ReceiverTest t;

  start_reordering (&t, SECOND);
  wait_until (&t, feedback_at (&t));
  lose (&t, 1);
  arrive_many (&t, 4);
  t.data.ce = TRUE;
  arrive_many (&t, 1);
  fail_unless (is_due (&t));
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 1);
  fail_unless_equals_uint64 (stats_of (&t).loss_events, 1);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_window_is_off_by_default_and_at_most_a_second)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  fail_unless_equals_uint64 (config.reorder_window_ns, 0);
  tfrc_receiver_config_init_strict (&config);
  fail_unless_equals_uint64 (config.reorder_window_ns, 0);
  config.reorder_window_ns = SECOND;
  fail_unless (tfrc_receiver_config_problem (&config) == NULL);
  config.reorder_window_ns = SECOND + 1;
  fail_unless_equals_string (
      tfrc_receiver_config_problem (&config), "reorder_window_ns has to be at most 1 s");
}

GST_END_TEST;

/* It was needed within the first sixteen loss events, and not within the next sixteen. */
GST_START_TEST (test_window_that_nothing_needs_ends_after_loss_events)
{
  ReceiverTest t;

  start_reordering (&t, SECOND);
  for (guint i = 0; i < 32; i++) {
    fail_unless_equals_uint64 (stats_of (&t).reorder_window_ns, RTT / 2);
    lose (&t, 1);
    arrive_many (&t, 30);
    fail_unless_equals_uint64 (stats_of (&t).loss_events, i + 1);
  }
  fail_unless_equals_uint64 (stats_of (&t).reorder_window_ns, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
receiverreordering_suite (void)
{
  Suite *suite = suite_create ("receiverreordering");
  TCase *tc = tcase_create ("receiver");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_packet_within_the_window_costs_no_feedback);
  tcase_add_test (tc, test_loss_gives_feedback_when_the_window_ends);
  tcase_add_test (tc, test_loss_is_told_when_no_packet_comes);
  tcase_add_test (tc, test_mark_gives_feedback_at_once);
  tcase_add_test (tc, test_window_that_nothing_needs_ends_after_loss_events);
  tcase_add_test (tc, test_window_is_off_by_default_and_at_most_a_second);
  return suite;
}

GST_CHECK_MAIN (receiverreordering);
