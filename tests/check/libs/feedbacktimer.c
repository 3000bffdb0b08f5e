/* The receiver's feedback timer through the public interface (RFC 5348 sections 6.1 and 6.2). */
#include "receivertest.h"

GST_START_TEST (test_feedback_once_per_rtt)
{
  ReceiverTest t;
  guint64 began;
  guint i;

  receiver_test_init (&t, NULL);
  arrive (&t);
  take_feedback (&t);
  began = t.now;
  for (i = 1; i <= 20; i++) {
    arrive_many (&t, 10);
    fail_unless_equals_uint64 (feedback_at (&t), began + i * RTT);
    fail_unless (take_feedback (&t));
    fail_unless_equals_int (t.feedbacks, i + 1);
    fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  }
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_timer_follows_the_rtt_of_the_highest_packet)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive (&t);
  take_feedback (&t);
  t.data.seq++;
  t.data.rtt_us = 70000;
  arrive_many (&t, 2);
  /* an older packet with an older estimate of R comes late */
  t.data.seq = 1;
  t.data.rtt_us = 300000;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 70 * MS);
  wait_until (&t, feedback_at (&t));
  fail_unless_equals_int (t.feedbacks, 2);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 70 * MS);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_no_feedback_without_data)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 31);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  t.now = feedback_at (&t);
  fail_if (take_feedback (&t));
  fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);

  /* feedback about the next packet leaves at once: X_recv is one packet per round-trip time */
  t.now += 33 * SECOND;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 10000);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + RTT);
  arrive_many (&t, 10);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_requested_feedback_without_data_says_one_packet_per_rtt)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  tfrc_receiver_request_feedback (t.receiver, t.now);
  fail_if (take_feedback (&t));
  arrive_many (&t, 31);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  fail_unless_equals_int (t.feedback.number, 3);
  /* if only the next packet is missing, X_recv is as before */
  t.now += 5 * MS;
  tfrc_receiver_request_feedback (t.receiver, t.now);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  /* requests cause feedback at most once per round-trip time */
  t.now += RTT - MS;
  tfrc_receiver_request_feedback (t.receiver, t.now);
  fail_if (is_due (&t));
  t.now = feedback_at (&t);
  fail_if (take_feedback (&t));
  t.now += 3 * SECOND;
  fail_unless_equals_int (tfrc_receiver_request_feedback (t.receiver, t.now), TFRC_OK);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 10000);
  fail_unless_equals_int (t.feedback.number, 5);
  fail_unless_equals_int (t.feedback.delay_us, (3 * SECOND + RTT + 5 * MS) / 1000);
  t.now = feedback_at (&t);
  fail_if (take_feedback (&t));
  fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);
  fail_unless_equals_int (tfrc_receiver_request_feedback (NULL, t.now), TFRC_ERROR_ARGUMENT);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The sender knows of a change of the path, and has reset R. The receiver does not know. */
GST_START_TEST (test_timer_does_not_wait_for_an_rtt_that_was_reset)
{
  ReceiverTest t;
  guint64 armed;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 31);
  fail_unless (take_feedback (&t));
  armed = feedback_at (&t);
  t.now += MS;
  t.data.rtt_us = RTT / 2000;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), armed);
  t.data.rtt_us = RTT / 2000 - 1;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + RTT / 2 - 1000);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_floor_bounds_the_rate_of_feedback)
{
  TfrcReceiverConfig config;
  ReceiverTest t;
  guint feedbacks;

  receiver_test_init (&t, NULL);
  t.data.rtt_us = 100;
  arrive_many (&t, 1);
  take_feedback (&t);
  for (feedbacks = 2; feedbacks < 20; feedbacks++) {
    guint i;

    for (i = 0; i < 100; i++) {
      fail_if (is_due (&t));
      t.now += GAP / 100;
      arrive (&t);
    }
    fail_unless (take_feedback (&t));
    fail_unless_equals_int (t.feedbacks, feedbacks);
    fail_unless_equals_int (t.feedback.x_recv_Bps, 100000 / 0.01);
  }
  /* a loss gives feedback earlier */
  t.now += MS;
  t.data.seq++;
  arrive (&t);
  arrive (&t);
  arrive (&t);
  fail_unless (is_due (&t));
  receiver_test_clear (&t);

  tfrc_receiver_config_init (&config);
  config.feedback_floor_ns = 0;
  receiver_test_init (&t, &config);
  t.data.rtt_us = 100;
  arrive (&t);
  take_feedback (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 100000);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_time_that_runs_backwards_stands_still)
{
  ReceiverTest t;
  guint64 newest;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 1);
  take_feedback (&t);
  newest = t.now + 90 * MS;
  t.now = newest;
  arrive (&t);
  t.now = newest - 80 * MS;
  arrive (&t);
  t.now = 0;
  fail_if (tfrc_receiver_make_feedback (t.receiver, t.now, &t.feedback));
  t.now = newest + 10 * MS;
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.delay_us, 10000);
  fail_unless_equals_int (t.feedback.x_recv_Bps, 20000);
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
feedbacktimer_suite (void)
{
  Suite *s = suite_create ("feedbacktimer");
  TCase *tc = tcase_create ("timer");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_once_per_rtt);
  tcase_add_test (tc, test_timer_follows_the_rtt_of_the_highest_packet);
  tcase_add_test (tc, test_no_feedback_without_data);
  tcase_add_test (tc, test_requested_feedback_without_data_says_one_packet_per_rtt);
  tcase_add_test (tc, test_timer_does_not_wait_for_an_rtt_that_was_reset);
  tcase_add_test (tc, test_feedback_floor_bounds_the_rate_of_feedback);
  tcase_add_test (tc, test_time_that_runs_backwards_stands_still);
  return s;
}

GST_CHECK_MAIN (feedbacktimer);
