/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's reaction to a receiver that has moved without announcing a handover (RFC 9000
 * section 9.4) */
#include <tfrc/new_path.h>

#include "sendertest.h"

#define OLD_RTT (100 * MS)
#define NEW_RTT (40 * MS)
#define FAST 1e6

static SenderTest t;

/* There is no loss so far, and the rate is far above the initial rate. */
static void
setup (void)
{
  sender_test_init (&t, NULL);
  start (&t, OLD_RTT);
  run_rtts (&t, 5, OLD_RTT, FAST);
  fail_unless (rate_of (&t) > 10 * W_INIT / 0.1);
}

static void
teardown (void)
{
  sender_test_clear (&t);
}

static void
change_path (guint64 rtt)
{
  tfrc_sender_on_new_path (t.sender, rtt, t.now);
}

/* Gives feedback about a packet that left @age ago; R is sampled as @rtt, which is shorter. */
static void
give_feedback_about (guint64 age, guint64 rtt, double x_recv)
{
  TfrcFeedback feedback = feedback_after (&t, age, x_recv);

  feedback.delay_us += (age - rtt) / 1000;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  t.next.number++;
}

GST_START_TEST (the_rate_on_another_path_begins_as_in_a_new_stream)
{
  change_path (NEW_RTT);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, NEW_RTT);
  assert_close (rate_of (&t), W_INIT / 0.04);
  assert_close (stats_of (&t).recv_limit_Bps, W_INIT / 0.04);
  /* the timer of the old path does not apply to the new path */
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), t.now + 4 * NEW_RTT);
}

GST_END_TEST;

GST_START_TEST (without_a_sample_the_round_trip_time_does_not_change)
{
  change_path (0);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, OLD_RTT);
  assert_close (rate_of (&t), W_INIT / 0.1);
}

GST_END_TEST;

GST_START_TEST (losses_on_the_old_path_hold_the_rate_down)
{
  double before;

  lose (&t, 0.1);
  run_rtts (&t, 1, OLD_RTT, FAST);
  before = rate_of (&t);
  change_path (NEW_RTT);
  assert_close (rate_of (&t), before);
  run_rtts (&t, 2, NEW_RTT, FAST);
  fail_unless (equation_rate (&t, 0.1) > before);
  fail_unless (equation_rate (&t, 0.1) < W_INIT / 0.04);
  assert_close (rate_of (&t), equation_rate (&t, 0.1));
}

GST_END_TEST;

/* The receiver may have moved back to an address from which nothing has come. */
GST_START_TEST (cuts_by_the_nofeedback_timer_are_not_undone)
{
  double before;

  for (guint i = 0; i < 12; i++) {
    t.now = tfrc_sender_next_timeout_ns (t.sender);
    tfrc_sender_on_timeout (t.sender, t.now);
    send_one (&t);
  }
  before = rate_of (&t);
  fail_unless (before < W_INIT / 0.1);
  change_path (OLD_RTT);
  assert_close (rate_of (&t), before);
}

GST_END_TEST;

GST_START_TEST (a_queue_on_the_old_path_does_not_count_on_the_new_path)
{
  TfrcSenderConfig config = default_config ();

  config.queue_guard = true;
  sender_test_clear (&t);
  sender_test_init (&t, &config);
  start (&t, OLD_RTT);
  run_rtts (&t, 5, OLD_RTT, FAST);
  run_rtts (&t, 3, 2 * OLD_RTT, FAST);
  fail_if (isinf (stats_of (&t).queue_guard_Bps));
  change_path (NEW_RTT);
  fail_unless (isinf (stats_of (&t).queue_guard_Bps));
  /* the delays of the old path are no base for comparison */
  t.now += MS;
  give_feedback_about (2 * MS, MS, FAST);
  run_rtts (&t, 8, NEW_RTT, FAST);
  fail_unless (isinf (stats_of (&t).queue_guard_Bps));
}

GST_END_TEST;

/* Data that was received until now came over the old path. */
GST_START_TEST (feedback_about_the_old_path_does_not_count)
{
  guint64 changed = t.now;

  change_path (NEW_RTT);
  t.now += 30 * MS;
  give_feedback_about (40 * MS, 35 * MS, FAST);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, NEW_RTT);
  assert_close (rate_of (&t), W_INIT / 0.04);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), t.now + 4 * NEW_RTT);
  /* X_recv may still be of the old path until packets are reported that left twice the longer R
   * after the change */
  send_until (&t, changed + 2 * OLD_RTT - MS);
  t.now += NEW_RTT;
  give_feedback (&t, NEW_RTT, FAST);
  assert_close (rate_of (&t), W_INIT / 0.04);
  send_until (&t, changed + 2 * OLD_RTT + NEW_RTT + MS);
  give_feedback (&t, NEW_RTT, FAST);
  for (guint i = 1; i <= 3; i++) {
    send_for (&t, NEW_RTT);
    give_feedback (&t, NEW_RTT, FAST);
    assert_close (rate_of (&t), (1 << i) * W_INIT / 0.04);
  }
}

GST_END_TEST;

/* The sender learns of the change 1 ms late, and has sent the packet meanwhile. */
GST_START_TEST (the_last_packet_of_the_old_path_is_no_sample_of_the_new)
{
  send_for (&t, NEW_RTT);
  tfrc_sender_on_new_path (t.sender, NEW_RTT, t.now - MS);
  t.now += 2 * NEW_RTT;
  give_feedback_about (2 * NEW_RTT, NEW_RTT / 2, FAST);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, NEW_RTT);
}

GST_END_TEST;

/* The sample of the challenge may have been too long. */
GST_START_TEST (the_first_sample_of_the_new_path_is_the_round_trip_time)
{
  change_path (20 * NEW_RTT);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 20 * NEW_RTT);
  t.now += 20 * NEW_RTT;
  send_one (&t);
  t.now += NEW_RTT;
  give_feedback (&t, NEW_RTT, 0);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, NEW_RTT);
  assert_close (rate_of (&t), W_INIT / 0.04);
}

GST_END_TEST;

GST_START_TEST (after_losses_the_rate_is_twice_x_recv_up_to_the_equation)
{
  lose (&t, 0.001);
  run_rtts (&t, 1, OLD_RTT, FAST);
  change_path (NEW_RTT);
  run_rtts (&t, 7, NEW_RTT, 80000);
  assert_close (rate_of (&t), 160000);
  run_rtts (&t, 4, NEW_RTT, FAST);
  assert_close (rate_of (&t), equation_rate (&t, 0.001));
}

GST_END_TEST;

GST_START_TEST (a_handover_that_is_announced_meanwhile_keeps_the_rate)
{
  TfrcFeedback feedback;

  change_path (NEW_RTT);
  send_for (&t, NEW_RTT);
  feedback = feedback_after (&t, NEW_RTT, 0.9 * FAST);
  feedback.handover = true;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  assert_close (rate_of (&t), 1.8 * FAST);
}

GST_END_TEST;

GST_START_TEST (without_a_round_trip_time_a_new_path_changes_nothing)
{
  sender_test_clear (&t);
  sender_test_init (&t, NULL);
  change_path (NEW_RTT);
  assert_close (rate_of (&t), S);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 0);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), TFRC_TIME_NEVER);
}

GST_END_TEST;

/* Its feedback is of the link that the receiver has told. */
GST_START_TEST (after_a_handover_that_is_announced_meanwhile_the_path_is_settled)
{
  TfrcFeedback feedback;

  change_path (NEW_RTT);
  send_for (&t, NEW_RTT);
  feedback = feedback_after (&t, NEW_RTT, 0.9 * FAST);
  feedback.handover = true;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  t.next.number++;
  send_for (&t, NEW_RTT);
  give_feedback (&t, NEW_RTT, 0.9 * FAST);
  assert_close (rate_of (&t), 1.8 * FAST);
}

GST_END_TEST;

/* Nobody answers for the old path any more. */
GST_START_TEST (a_hold_ends_where_another_path_begins)
{
  t.next.handover = TRUE;
  t.next.handover_number = 1;
  send_for (&t, OLD_RTT);
  give_feedback (&t, OLD_RTT, FAST / 2);
  fail_unless (stats_of (&t).holding);
  send_for (&t, 20 * MS);
  fail_unless (t.data.echo);
  fail_unless_equals_int (t.data.handover_number, 1);
  change_path (NEW_RTT);
  fail_if (stats_of (&t).holding);
  send_for (&t, NEW_RTT);
  fail_if (t.data.echo || t.data.direct);
  fail_unless_equals_int (t.data.handover_number, 0);
}

GST_END_TEST;

/* X_recv is of two intervals of before the change at most, of the longer R. */
GST_START_TEST (a_path_is_settled_two_intervals_after_its_first_packet)
{
  TfrcNewPath path;

  tfrc_new_path_init (&path);
  fail_unless_equals_int (
      tfrc_new_path_on_feedback (&path, SECOND, 50 * MS), TFRC_NEW_PATH_SETTLED);
  tfrc_new_path_begin (&path, OLD_RTT, SECOND);
  fail_unless_equals_int (
      tfrc_new_path_on_feedback (&path, SECOND - 1, NEW_RTT), TFRC_NEW_PATH_OLD);
  fail_unless_equals_int (tfrc_new_path_on_feedback (&path, SECOND, NEW_RTT), TFRC_NEW_PATH_FIRST);
  fail_unless_equals_int (
      tfrc_new_path_on_feedback (&path, SECOND + 2 * OLD_RTT - 1, NEW_RTT), TFRC_NEW_PATH_MIXED);
  fail_unless_equals_int (
      tfrc_new_path_on_feedback (&path, SECOND + 2 * OLD_RTT, NEW_RTT), TFRC_NEW_PATH_SETTLED);
  /* the first feedback about the path is a sample, however late it comes */
  tfrc_new_path_begin (&path, OLD_RTT, 2 * SECOND);
  fail_unless_equals_int (
      tfrc_new_path_on_feedback (&path, 9 * SECOND, NEW_RTT), TFRC_NEW_PATH_FIRST);
  fail_unless_equals_int (
      tfrc_new_path_on_feedback (&path, 9 * SECOND, NEW_RTT), TFRC_NEW_PATH_SETTLED);
}

GST_END_TEST;

static Suite *
senderpath_suite (void)
{
  Suite *s = suite_create ("senderpath");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, the_rate_on_another_path_begins_as_in_a_new_stream);
  tcase_add_test (tc, without_a_sample_the_round_trip_time_does_not_change);
  tcase_add_test (tc, losses_on_the_old_path_hold_the_rate_down);
  tcase_add_test (tc, cuts_by_the_nofeedback_timer_are_not_undone);
  tcase_add_test (tc, a_queue_on_the_old_path_does_not_count_on_the_new_path);
  tcase_add_test (tc, feedback_about_the_old_path_does_not_count);
  tcase_add_test (tc, the_last_packet_of_the_old_path_is_no_sample_of_the_new);
  tcase_add_test (tc, the_first_sample_of_the_new_path_is_the_round_trip_time);
  tcase_add_test (tc, after_losses_the_rate_is_twice_x_recv_up_to_the_equation);
  tcase_add_test (tc, a_handover_that_is_announced_meanwhile_keeps_the_rate);
  tcase_add_test (tc, after_a_handover_that_is_announced_meanwhile_the_path_is_settled);
  tcase_add_test (tc, a_hold_ends_where_another_path_begins);
  tcase_add_test (tc, without_a_round_trip_time_a_new_path_changes_nothing);
  tcase_add_test (tc, a_path_is_settled_two_intervals_after_its_first_packet);
  return s;
}

GST_CHECK_MAIN (senderpath);
