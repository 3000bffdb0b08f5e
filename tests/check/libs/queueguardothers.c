/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue guard: delays that no queue of the sender causes. */
#include "queueguardtest.h"

GST_START_TEST (test_longer_path_is_no_queue_after_two_periods)
{
  GuardTest t;

  begin (&t);
  hear_often (&t, 110, 100000, 2 * RTT_S);
  assert_close (limit_of (&t), 100000 + S / (2 * RTT_S));
  hear_often (&t, 100, 100000, 2 * RTT_S);
  assert_close (limit_of (&t), 120000);
}

GST_END_TEST;

GST_START_TEST (test_longer_path_is_no_queue_after_a_quiet_time)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 100000, 2 * RTT_S);
  assert_close (limit_of (&t), 100000 + S / (2 * RTT_S));
  /* the fifth sample comes 400 ms after the first, which is four times the delay */
  hear_often (&t, 4, 49000, 2 * RTT_S);
  fail_if (isinf (limit_of (&t)));
  hear (&t, 49000, 2 * RTT_S);
  fail_unless (isinf (limit_of (&t)));
  hear (&t, 100000, 2 * RTT_S);
  fail_unless (isinf (limit_of (&t)));
}

GST_END_TEST;

GST_START_TEST (test_quiet_sample_in_a_queue_limits_nothing)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 49000, QUEUEING_S);
  fail_unless (isinf (limit_of (&t)));
  hear (&t, 50000, QUEUEING_S);
  assert_close (limit_of (&t), 50000 + ONE_PACKET);
}

GST_END_TEST;

GST_START_TEST (test_delay_that_falls_while_as_much_is_sent_was_jitter)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 100000, RTT_S + 0.050);
  assert_close (limit_of (&t), 100000 + S / 0.150);
  /* The queue may have shrunk by 20 ms of 100 ms. The margin is 12.5 ms. */
  hear (&t, 100000, RTT_S + 0.017);
  fail_unless (isinf (limit_of (&t)));
  hear (&t, 100000, RTT_S + 0.062);
  fail_unless (isinf (limit_of (&t)));
  hear (&t, 100000, RTT_S + 0.063);
  assert_close (limit_of (&t), 100000 + S / 0.163);
}

GST_END_TEST;

GST_START_TEST (test_path_has_the_rate_that_it_had_of_late)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 60000, RTT_S + 0.050);
  /* At 0.75 * 1.25 * 100000 bytes/s the queue may have shrunk by 36 ms of 100 ms. */
  hear (&t, 60000, RTT_S + 0.002);
  fail_if (isinf (limit_of (&t)));
  hear (&t, 60000, RTT_S + 0.050);
  hear (&t, 60000, RTT_S + 0.001);
  fail_unless (isinf (limit_of (&t)));
}

GST_END_TEST;

GST_START_TEST (test_delay_that_falls_a_little_was_a_queue)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 100000, RTT_S + 0.050);
  hear (&t, 100000, RTT_S + 0.018);
  assert_close (limit_of (&t), 100000 + S / 0.118);
}

GST_END_TEST;

GST_START_TEST (test_delay_that_falls_while_nothing_is_sent_was_a_queue)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 100000, RTT_S + 0.050);
  hear_sample (&t, 60000, RTT_S, 0, FALSE);
  assert_close (limit_of (&t), 100000 + S / 0.150);
}

GST_END_TEST;

GST_START_TEST (test_delay_that_falls_after_a_loss_event_says_nothing)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear_sample (&t, 100000, RTT_S + 0.050, 10000, TRUE);
  hear (&t, 100000, RTT_S);
  assert_close (limit_of (&t), 120000);
}

GST_END_TEST;

GST_START_TEST (test_jitter_shorter_than_the_queue_leaves_the_limit)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 100000, RTT_S + 0.100);
  hear (&t, 100000, RTT_S + 0.079); /* a queue can shrink as fast */
  hear (&t, 100000, RTT_S + 0.040); /* jitter of 79 ms, below 0.8 of 100 ms */
  fail_if (isinf (limit_of (&t)));
}

GST_END_TEST;

GST_START_TEST (test_jitter_of_four_fifths_of_the_queue_makes_the_limit_void)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 100000, RTT_S + 0.100);
  hear (&t, 100000, RTT_S + 0.0801); /* a queue can shrink as fast */
  fail_if (isinf (limit_of (&t)));
  hear (&t, 100000, RTT_S + 0.040); /* jitter of 80.1 ms */
  fail_unless (isinf (limit_of (&t)));
}

GST_END_TEST;

/* Feedback about the packet of the last feedback: the queue has had no time to empty. */
GST_START_TEST (test_shorter_sample_of_the_same_packet_says_nothing)
{
  TfrcQueueGuardSample sample = { .segment_bytes = S };
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 100000, RTT_S + 0.050);
  sample.x_recv_Bps = 100000;
  sample.r_sample_s = RTT_S;
  sample.sent_ns = t.guard.last.sent_ns;
  sample.sent_bytes = t.sent_bytes;
  sample.now_ns = t.now;
  tfrc_queue_guard_on_feedback (&t.guard, &sample);
  fail_if (isinf (limit_of (&t)));
}

GST_END_TEST;

/* A queue of 140 ms lasts until the guard sees that others fill the queue. */
static void
meet_others (GuardTest *t)
{
  hear (t, 100000, RTT_S);
  hear_often (t, 5, 79000, RTT_S + 0.040);
  fail_if (isinf (limit_of (t)));
  hear (t, 79000, RTT_S + 0.040);
  fail_unless (isinf (limit_of (t)));
}

GST_START_TEST (test_queue_of_others_limits_nothing_for_ten_seconds)
{
  GuardTest t;

  begin (&t);
  meet_others (&t);
  hear_often (&t, 99, 100000, RTT_S + 0.040);
  fail_unless (isinf (limit_of (&t)));
  hear (&t, 100000, RTT_S + 0.040);
  fail_if (isinf (limit_of (&t)));
}

GST_END_TEST;

GST_START_TEST (test_long_queue_of_others_takes_five_times_its_delay)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear_often (&t, 10, 79000, RTT_S + 0.200);
  fail_if (isinf (limit_of (&t)));
  hear (&t, 79000, RTT_S + 0.200);
  fail_unless (isinf (limit_of (&t)));
}

GST_END_TEST;

GST_START_TEST (test_queue_at_the_rate_of_the_path_is_the_senders)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear_often (&t, 50, 80000, RTT_S + 0.040);
  assert_close (limit_of (&t), 80000 + S / 0.140);
}

GST_END_TEST;

GST_START_TEST (test_falling_delay_is_a_queue_for_two_minutes_after_a_loss_event)
{
  GuardTest t;

  begin (&t);
  hear_sample (&t, 100000, RTT_S, 10000, TRUE);
  hear_often (&t, 1195, 100000, RTT_S);
  hear (&t, 100000, RTT_S + 0.050);
  hear (&t, 100000, RTT_S);
  /* 119.7 s after the loss event */
  assert_close (limit_of (&t), 120000);
  hear_often (&t, 3, 100000, RTT_S);
  hear (&t, 100000, RTT_S + 0.050);
  assert_close (limit_of (&t), 150000);
}

GST_END_TEST;

GST_START_TEST (test_quiet_sample_after_a_loss_event_limits)
{
  GuardTest t;

  begin (&t);
  hear_sample (&t, 100000, RTT_S, 10000, TRUE);
  hear (&t, 49000, QUEUEING_S);
  assert_close (limit_of (&t), 49000 + ONE_PACKET);
}

GST_END_TEST;

GST_START_TEST (test_queue_of_others_is_detected_after_a_loss_event_as_before)
{
  GuardTest t;

  begin (&t);
  hear_sample (&t, 100000, RTT_S, 10000, TRUE);
  meet_others (&t);
}

GST_END_TEST;

/* X grows at the start. A queue of the sender forms at the path's rate, and X_recv does not grow
 * beyond that rate. */
GST_START_TEST (test_known_queue_that_is_outgrown_at_the_start_was_jitter)
{
  GuardTest t;

  begin (&t);
  hear (&t, 20000, RTT_S);
  hear_often (&t, 3, 40000, QUEUEING_S);
  assert_close (limit_of (&t), 40000 + ONE_PACKET);
  hear (&t, 50000, QUEUEING_S);
  fail_unless (!isinf (limit_of (&t)));
  hear (&t, 62501, QUEUEING_S);
  fail_unless (isinf (limit_of (&t)));
}

GST_END_TEST;

/* The interval of one or two samples may contain the beginning of the queue. */
GST_START_TEST (test_first_samples_of_a_queue_are_outgrown_by_half)
{
  GuardTest t;

  begin (&t);
  hear (&t, 20000, RTT_S);
  hear (&t, 40000, QUEUEING_S);
  hear (&t, 60000, RTT_S + 0.012);
  assert_close (limit_of (&t), 72000);
  hear (&t, 60001, RTT_S + 0.012);
  fail_unless (isinf (limit_of (&t)));
}

GST_END_TEST;

GST_START_TEST (test_queue_that_is_outgrown_after_ten_seconds_was_a_queue)
{
  GuardTest t;

  begin (&t);
  hear_often (&t, 100, 20000, RTT_S);
  hear_often (&t, 3, 40000, QUEUEING_S);
  hear (&t, 80000, QUEUEING_S);
  fail_unless (!isinf (t.guard.limit_Bps));
}

GST_END_TEST;

GST_START_TEST (test_queue_that_is_outgrown_after_a_loss_event_was_a_queue)
{
  GuardTest t;

  begin (&t);
  hear_sample (&t, 20000, RTT_S, 2000, TRUE);
  hear_often (&t, 3, 40000, QUEUEING_S);
  hear (&t, 80000, QUEUEING_S);
  fail_unless (!isinf (limit_of (&t)));
}

GST_END_TEST;

static Suite *
queueguardothers_suite (void)
{
  Suite *suite = suite_create ("queueguardothers");
  TCase *tc = tcase_create ("jitter and queues of others");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_longer_path_is_no_queue_after_two_periods);
  tcase_add_test (tc, test_longer_path_is_no_queue_after_a_quiet_time);
  tcase_add_test (tc, test_quiet_sample_in_a_queue_limits_nothing);
  tcase_add_test (tc, test_delay_that_falls_while_as_much_is_sent_was_jitter);
  tcase_add_test (tc, test_path_has_the_rate_that_it_had_of_late);
  tcase_add_test (tc, test_delay_that_falls_a_little_was_a_queue);
  tcase_add_test (tc, test_delay_that_falls_while_nothing_is_sent_was_a_queue);
  tcase_add_test (tc, test_delay_that_falls_after_a_loss_event_says_nothing);
  tcase_add_test (tc, test_jitter_shorter_than_the_queue_leaves_the_limit);
  tcase_add_test (tc, test_jitter_of_four_fifths_of_the_queue_makes_the_limit_void);
  tcase_add_test (tc, test_shorter_sample_of_the_same_packet_says_nothing);
  tcase_add_test (tc, test_queue_of_others_limits_nothing_for_ten_seconds);
  tcase_add_test (tc, test_long_queue_of_others_takes_five_times_its_delay);
  tcase_add_test (tc, test_queue_at_the_rate_of_the_path_is_the_senders);
  tcase_add_test (tc, test_falling_delay_is_a_queue_for_two_minutes_after_a_loss_event);
  tcase_add_test (tc, test_quiet_sample_after_a_loss_event_limits);
  tcase_add_test (tc, test_queue_of_others_is_detected_after_a_loss_event_as_before);
  tcase_add_test (tc, test_known_queue_that_is_outgrown_at_the_start_was_jitter);
  tcase_add_test (tc, test_first_samples_of_a_queue_are_outgrown_by_half);
  tcase_add_test (tc, test_queue_that_is_outgrown_after_ten_seconds_was_a_queue);
  tcase_add_test (tc, test_queue_that_is_outgrown_after_a_loss_event_was_a_queue);
  return suite;
}

GST_CHECK_MAIN (queueguardothers);
