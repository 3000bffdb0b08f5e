/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender through its public interface: initial rate, segment size, round-trip time, and the
 * allowed rate after feedback (RFC 5348 sections 4.1 to 4.3) */
#include "sendertest.h"

#define RTT (100 * MS)

GST_START_TEST (test_rate_before_rtt_is_one_segment_per_second)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.segment_size_bytes = 1000;
  config.first_seq = 77;
  sender_test_init (&t, &config);
  assert_close (rate_of (&t), 1000);
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t.sender), 0);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), TFRC_TIME_NEVER);

  send_sized (&t, 1000);
  fail_unless_equals_int (t.data.seq, 77);
  fail_unless_equals_int (t.data.rtt_us, 0);
  fail_unless (t.data.has_tfrc);
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t.sender), 2 * SECOND);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), t.now + 2 * SECOND);

  t.now += SECOND - 1;
  fail_unless_equals_int (
      tfrc_sender_prepare (t.sender, 1000, t.now, &t.data), TFRC_ERROR_TOO_EARLY);
  t.now++;
  send_sized (&t, 1000);
  fail_unless_equals_int (t.data.seq, 78);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_first_feedback_sets_initial_rate)
{
  /* min (4 MSS, max (2 MSS, 4380)): one size on each side of both bends */
  static const struct
  {
    guint mss;
    double w_init;
  } cases[] = { { 1000, 4000 }, { 1316, 4380 }, { 2190, 4380 }, { 3000, 6000 } };
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.segment_size_bytes = cases[__i__].mss;
  sender_test_init (&t, &config);
  start (&t, RTT);
  assert_close (rate_of (&t), cases[__i__].w_init / 0.1);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  /* the previous packet counted s bytes per second; the next packet may leave at once */
  fail_unless (tfrc_sender_next_send_ns (t.sender) <= t.now);
  send_one (&t);
  fail_unless_equals_int (t.data.rtt_us, RTT / 1000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_the_wait_for_the_first_feedback_is_no_credit)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  fail_unless_equals_uint64 (tfrc_sender_get_used_until_ns (t.sender), t.now);
  sender_test_clear (&t);
}

GST_END_TEST;

/* min (n MSS, max (2 MSS, 1460 n)), of RFC 6928 with n = 10 */
GST_START_TEST (test_initial_window_can_be_configured)
{
  static const struct
  {
    guint n, mss;
    double w_init;
  } cases[] = { { 1, 1316, 1316 }, { 3, 1460, 4380 }, { 10, 1316, 13160 }, { 10, 1500, 14600 },
    { 10, 7300, 14600 }, { 10, 9000, 18000 } };
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.initial_window = cases[__i__].n;
  config.segment_size_bytes = cases[__i__].mss;
  sender_test_init (&t, &config);
  start (&t, RTT);
  assert_close (rate_of (&t), cases[__i__].w_init / 0.1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_initial_rate_can_be_configured)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.initial_rate_Bps = 250000;
  sender_test_init (&t, &config);
  assert_close (rate_of (&t), S);
  start (&t, RTT);
  assert_close (rate_of (&t), 250000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_rtt_is_averaged_with_nine_tenths)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  send_for (&t, 2 * RTT);
  give_feedback (&t, 2 * RTT, 50000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 110 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_sample_ns, 200 * MS);
  send_for (&t, RTT);
  fail_unless_equals_int (t.data.rtt_us, 110000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_receiver_delay_is_no_round_trip_time)
{
  SenderTest t;
  TfrcFeedback feedback = { .has_state = TRUE };

  sender_test_init (&t, NULL);
  send_one (&t);
  t.now += 170 * MS;
  feedback.recv_data_us = t.data.send_time_us;
  feedback.delay_us = 70000;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_slow_start_doubles_once_per_rtt)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  fail_unless (stats_of (&t).slow_start);
  send_for (&t, RTT / 2);
  give_feedback (&t, RTT, 1000000);
  assert_close (rate_of (&t), W_INIT / 0.1);
  send_for (&t, RTT / 2);
  give_feedback (&t, RTT, 1000000);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
  send_for (&t, RTT / 2);
  give_feedback (&t, RTT, 1000000);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
  send_for (&t, RTT / 2);
  give_feedback (&t, RTT, 1000000);
  assert_close (rate_of (&t), 4 * W_INIT / 0.1);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Feedback that is early by up to R / 4 doubles X, and the next doubling waits as much longer.  With
 * strict rules R is to the letter, but for the rounding of the receiver. */
GST_START_TEST (test_early_feedback_doubles_and_the_next_doubling_waits_longer)
{
  static const struct
  {
    gboolean strict;
    guint64 after;
    double doublings;
  } cases[] = { { FALSE, 3 * RTT / 4 - 10000, 0 }, { FALSE, 3 * RTT / 4, 1 },
    { FALSE, 3 * RTT / 2, 2 }, { TRUE, RTT - 10000, 0 }, { TRUE, RTT, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcSenderConfig config = default_config ();
    SenderTest t;

    if (cases[i].strict)
      tfrc_sender_config_init_strict (&config);
    sender_test_init (&t, &config);
    start (&t, RTT);
    if (cases[i].doublings == 2) {
      /* doubles at 3/4 R; not at 3/2 R, which is before 7/4 R, and at 7/4 R */
      send_for (&t, 3 * RTT / 4);
      give_feedback (&t, RTT, 1000000);
      send_for (&t, 3 * RTT / 4);
      give_feedback (&t, RTT, 1000000);
      assert_close (rate_of (&t), 2 * W_INIT / 0.1);
      send_for (&t, RTT / 4);
    } else {
      send_for (&t, cases[i].after);
    }
    give_feedback (&t, RTT, 1000000);
    assert_close (rate_of (&t), pow (2, cases[i].doublings) * W_INIT / 0.1);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* The receiver's feedback timer uses R in microseconds, as the sender writes it. */
GST_START_TEST (test_slow_start_doubles_although_the_receiver_rounds_the_rtt)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  send_for (&t, RTT);
  give_feedback (&t, RTT + 4000, 1000000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT + 400);
  fail_unless_equals_int (t.data.rtt_us, RTT / 1000);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
  send_for (&t, RTT);
  give_feedback (&t, RTT, 1000000);
  assert_close (rate_of (&t), 4 * W_INIT / 0.1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_receive_rate_does_not_limit_the_first_two_rtts)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  fail_unless (isinf (stats_of (&t).recv_limit_Bps));
  run_rtts (&t, 2, RTT, 30000);
  fail_unless (isinf (stats_of (&t).recv_limit_Bps));
  assert_close (rate_of (&t), 4 * W_INIT / 0.1);
  run_rtts (&t, 1, RTT, 30000);
  assert_close (stats_of (&t).recv_limit_Bps, 60000);
  assert_close (rate_of (&t), 60000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_slow_start_is_limited_by_twice_the_receive_rate)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  run_rtts (&t, 3, RTT, 100000);
  assert_close (rate_of (&t), 200000);
  /* the largest X_recv of the last two round-trip times counts */
  run_rtts (&t, 1, RTT, 70000);
  assert_close (rate_of (&t), 200000);
  run_rtts (&t, 1, RTT, 70000);
  assert_close (rate_of (&t), 200000);
  run_rtts (&t, 1, RTT, 70000);
  assert_close (rate_of (&t), 140000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_slow_start_never_falls_below_initial_rate)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  run_rtts (&t, 10, RTT, 100);
  assert_close (stats_of (&t).recv_limit_Bps, 200);
  assert_close (rate_of (&t), W_INIT / 0.1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_loss_event_rate_sets_the_rate_of_the_equation)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  lose (&t, 0.01);
  run_rtts (&t, 1, RTT, 1000000);
  /* the published value, see tests/vectors/README.md */
  assert_within (rate_of (&t), 147829.22, 1e-7);
  assert_close (rate_of (&t), equation_rate (&t, 0.01));
  assert_close (stats_of (&t).x_eq_Bps, rate_of (&t));
  fail_if (stats_of (&t).slow_start);
  /* the rate changes with each feedback, not once per round-trip time */
  t.next.p = 0.005;
  send_for (&t, RTT / 4);
  give_feedback (&t, RTT, 1000000);
  assert_close (rate_of (&t), equation_rate (&t, 0.005));
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_equation_rate_is_limited_by_twice_the_receive_rate)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  lose (&t, 0.001);
  run_rtts (&t, 3, RTT, 50000);
  assert_close (rate_of (&t), 100000);
  fail_unless (stats_of (&t).x_eq_Bps > 500000);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
sender_suite (void)
{
  Suite *s = suite_create ("sender");
  TCase *tc = tcase_create ("rate");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_rate_before_rtt_is_one_segment_per_second);
  tcase_add_loop_test (tc, test_first_feedback_sets_initial_rate, 0, 4);
  tcase_add_test (tc, test_the_wait_for_the_first_feedback_is_no_credit);
  tcase_add_loop_test (tc, test_initial_window_can_be_configured, 0, 6);
  tcase_add_test (tc, test_initial_rate_can_be_configured);
  tcase_add_test (tc, test_rtt_is_averaged_with_nine_tenths);
  tcase_add_test (tc, test_receiver_delay_is_no_round_trip_time);
  tcase_add_test (tc, test_slow_start_doubles_once_per_rtt);
  tcase_add_test (tc, test_early_feedback_doubles_and_the_next_doubling_waits_longer);
  tcase_add_test (tc, test_slow_start_doubles_although_the_receiver_rounds_the_rtt);
  tcase_add_test (tc, test_receive_rate_does_not_limit_the_first_two_rtts);
  tcase_add_test (tc, test_slow_start_is_limited_by_twice_the_receive_rate);
  tcase_add_test (tc, test_slow_start_never_falls_below_initial_rate);
  tcase_add_test (tc, test_loss_event_rate_sets_the_rate_of_the_equation);
  tcase_add_test (tc, test_equation_rate_is_limited_by_twice_the_receive_rate);
  return s;
}

GST_CHECK_MAIN (sender);
