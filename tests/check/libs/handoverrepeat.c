/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback of a receiver that is told of a handover before any data comes over the new link. The
 * old link may be dead. */
#include "receivertest.h"

#define SEGMENT_BYTES 1000
#define RATE_BPS (SEGMENT_BYTES * (SECOND / GAP)) /* byte/s */
#define BYTES_PER_RTT_BPS (SEGMENT_BYTES * (SECOND / RTT))

static ReceiverTest t;

static void
setup (void)
{
  receiver_test_init (&t, NULL);
}

static void
teardown (void)
{
  receiver_test_clear (&t);
}

static void
hand_over (void)
{
  TfrcHandover handover = { .link = t.data.link + 1 };

  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, &handover, t.now), TFRC_OK);
}

/* Starts a stream. All feedback that is due has been sent. */
static void
run (void)
{
  arrive_many (&t, 200);
  take_feedback (&t);
}

GST_START_TEST (test_feedback_leaves_at_once)
{
  run ();
  t.now += MS;
  fail_if (is_due (&t));
  hand_over ();
  fail_unless (is_due (&t));
  fail_unless (take_feedback (&t));
  fail_unless (t.feedback.handover);
  fail_if (t.feedback.new_link);
  fail_unless_equals_int (t.feedback.x_recv_Bps, RATE_BPS / 2);
  fail_unless_equals_int (t.feedback.recv_data_us, t.data.send_time_us);
  fail_unless (t.feedback.delay_us >= 1000);
}

GST_END_TEST;

GST_START_TEST (test_feedback_is_repeated_until_data_comes_over_the_new_link)
{
  guint before;

  run ();
  hand_over ();
  before = t.feedbacks;
  wait_until (&t, t.now + 5 * RTT);
  fail_unless_equals_int (t.feedbacks - before, 6);
  fail_unless (t.feedback.handover);
  fail_unless_equals_int (t.feedback.x_recv_Bps, RATE_BPS / 2);
  t.data.link++;
  arrive (&t);
  fail_unless (is_due (&t));
  fail_unless (take_feedback (&t));
  fail_unless (t.feedback.new_link);
  before = t.feedbacks;
  wait_until (&t, t.now + 5 * RTT);
  fail_unless_equals_int (t.feedbacks, before);
}

GST_END_TEST;

/* The receiver reports the frozen rate for a second. Then the sender has to find out slowly what
 * the new link carries. */
GST_START_TEST (test_without_any_data_the_frozen_rate_ends_and_feedback_goes_on)
{
  guint before;

  run ();
  hand_over ();
  wait_until (&t, t.now + SECOND + 2 * RTT);
  fail_if (t.feedback.handover);
  fail_unless_equals_int (t.feedback.x_recv_Bps, BYTES_PER_RTT_BPS);
  fail_unless_equals_int (stats_of (&t).handovers_abandoned, 1);
  fail_unless_equals_int (stats_of (&t).handover_phase, TFRC_HANDOVER_NORMAL);
  wait_until (&t, t.now + SECOND);
  before = t.feedbacks;
  wait_until (&t, t.now + 10 * SECOND);
  fail_unless_equals_int (t.feedbacks - before, 10);

  /* data comes over the new link: plain TFRC from now on */
  t.data.link++;
  arrive (&t);
  fail_unless (is_due (&t));
  arrive_many (&t, 30);
  take_feedback (&t);
  fail_unless_equals_int (t.feedback.x_recv_Bps, RATE_BPS);
  before = t.feedbacks;
  wait_until (&t, t.now + 10 * SECOND);
  fail_unless (t.feedbacks - before <= 1);
}

GST_END_TEST;

GST_START_TEST (test_data_over_the_old_link_alone_ends_the_repetition)
{
  guint before;

  run ();
  hand_over ();
  arrive_many (&t, 150);
  take_feedback (&t);
  fail_unless_equals_int (stats_of (&t).handovers_abandoned, 1);
  fail_if (t.feedback.handover);
  fail_unless_equals_int (t.feedback.x_recv_Bps, RATE_BPS);
  before = t.feedbacks;
  wait_until (&t, t.now + 5 * SECOND);
  fail_unless (t.feedbacks - before <= 1);
}

GST_END_TEST;

/* There is no rate to freeze yet, but the sender has to learn the receiver's new address. */
GST_START_TEST (test_before_the_round_trip_time_is_known_feedback_is_repeated_too)
{
  guint before;

  t.data.rtt_us = 0;
  arrive (&t);
  take_feedback (&t);
  t.now += MS;
  hand_over ();
  before = t.feedbacks;
  fail_unless (take_feedback (&t));
  fail_if (t.feedback.handover);
  fail_unless_equals_int (t.feedback.x_recv_Bps, 0);
  wait_until (&t, t.now + 3 * SECOND);
  fail_unless_equals_int (t.feedbacks - before, 4);
  t.data.link++;
  arrive (&t);
  fail_unless (take_feedback (&t));
  before = t.feedbacks;
  wait_until (&t, t.now + 5 * SECOND);
  fail_unless_equals_int (t.feedbacks, before);
}

GST_END_TEST;

GST_START_TEST (test_before_any_data_no_feedback_is_due)
{
  hand_over ();
  fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);
  fail_if (tfrc_receiver_make_feedback (t.receiver, t.now, &t.feedback));
}

GST_END_TEST;

/* A repetition leaves between packets that come at the usual rate. */
GST_START_TEST (test_repeated_feedback_does_not_change_x_recv)
{
  run ();
  hand_over ();
  take_feedback (&t);
  fail_unless_equals_int (stats_of (&t).feedbacks_sent, t.feedbacks);
  arrive_many (&t, 120);
  take_feedback (&t);
  fail_if (t.feedback.handover);
  fail_unless_equals_int (t.feedback.x_recv_Bps, RATE_BPS);
}

GST_END_TEST;

static Suite *
handoverrepeat_suite (void)
{
  Suite *s = suite_create ("handoverrepeat");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_feedback_leaves_at_once);
  tcase_add_test (tc, test_feedback_is_repeated_until_data_comes_over_the_new_link);
  tcase_add_test (tc, test_without_any_data_the_frozen_rate_ends_and_feedback_goes_on);
  tcase_add_test (tc, test_data_over_the_old_link_alone_ends_the_repetition);
  tcase_add_test (tc, test_before_the_round_trip_time_is_known_feedback_is_repeated_too);
  tcase_add_test (tc, test_before_any_data_no_feedback_is_due);
  tcase_add_test (tc, test_repeated_feedback_does_not_change_x_recv);
  return s;
}

GST_CHECK_MAIN (handoverrepeat);
