/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nofeedback timer: each branch of RFC 5348 section 4.4 for a sender that is not idle, and the
 * floor of the feedback interval (docs/decisions/rate.md, "Feedback at most every 10 ms") */
#include "nofeedbacktest.h"

GST_START_TEST (test_rto_is_four_rtts_or_two_packets)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  fail_unless_equals_uint64 (stats_of (&t).rto_ns, 4 * RTT);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
  lose (&t, 0.5);
  run_rtts (&t, 1, RTT, 1000000);
  assert_within (until_timeout (&t), 2e9 * S / rate_of (&t), 1e-8);
  fail_unless (until_timeout (&t) > SECOND);
  fail_unless_equals_uint64 (until_timeout (&t), stats_of (&t).rto_ns);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_rto_policy_is_for_the_equation_not_for_the_timer)
{
  const struct
  {
    TfrcRtoPolicy policy;
    gdouble rto_s;
  } cases[] = { { TFRC_RTO_POLICY_4R, 0.4 }, { TFRC_RTO_POLICY_TCP, 1 },
    { TFRC_RTO_POLICY_LINUX, 0.3 }, { TFRC_RTO_POLICY_BALANCED, 0.2 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcSenderConfig config = default_config ();
    TfrcSenderStats stats;
    SenderTest t;

    config.rto_policy = cases[i].policy;
    sender_test_init (&t, &config);
    fail_unless_equals_uint64 (stats_of (&t).equation_rto_ns, 0);
    start (&t, RTT);
    lose (&t, 0.1);
    run_rtts (&t, 1, RTT, 1000000);
    stats = stats_of (&t);
    fail_unless_equals_uint64 (stats.rttvar_ns, 37500000);
    fail_unless_equals_uint64 (stats.equation_rto_ns, cases[i].rto_s * 1e9);
    fail_unless_equals_uint64 (stats.rto_ns, MAX (400 * MS, (guint64) (2 * S / stats.x_Bps * 1e9)));
    assert_close (stats.x_eq_Bps, tfrc_equation_rate_Bps (S, 0.1, cases[i].rto_s, 0.1));
    assert_close (stats.x_Bps, stats.x_eq_Bps);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_feedback_restarts_the_nofeedback_timer)
{
  SenderTest t;

  reach_steady_state (&t, 1000000);
  send_for (&t, RTT / 2);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT - RTT / 2);
  give_feedback (&t, RTT, 1000000);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_timeout_before_it_is_due_does_nothing)
{
  SenderTest t;
  guint64 due;

  reach_steady_state (&t, 1000000);
  due = tfrc_sender_next_timeout_ns (t.sender);
  send_until (&t, due - 1);
  tfrc_sender_on_timeout (t.sender, due - 1);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), due);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 0);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_without_rtt_halves_down_to_one_in_64_seconds)
{
  SenderTest t;
  guint i;

  sender_test_init (&t, NULL);
  send_one (&t);
  fail_unless_equals_uint64 (until_timeout (&t), 2 * SECOND);
  for (i = 1; i <= 6; i++) {
    expire_sending (&t);
    assert_close (rate_of (&t), S / (1 << i));
    fail_unless_equals_uint64 (until_timeout (&t), (2 << i) * SECOND);
  }
  expire_sending (&t);
  assert_close (rate_of (&t), S / 64);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 7);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_minimum_rate_does_not_shorten_the_timer_without_rtt)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;
  guint i;

  /* two packets at 10 Mbit/s take 2 ms */
  config.min_rate_Bps = 1250000;
  sender_test_init (&t, &config);
  send_one (&t);
  for (i = 0; i < 3; i++) {
    fail_unless_equals_uint64 (until_timeout (&t), 2 * SECOND);
    expire_sending (&t);
  }
  assert_close (rate_of (&t), 1250000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_in_slow_start_halves_the_rate)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  run_rtts (&t, 3, RTT, 100000);
  assert_close (rate_of (&t), 200000);
  expire_sending (&t);
  assert_close (rate_of (&t), 100000);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
  expire_sending (&t);
  assert_close (rate_of (&t), 50000);
  /* X_recv_set has not changed: slow start goes on from there */
  assert_close (stats_of (&t).recv_limit_Bps, 200000);
  send_for (&t, RTT);
  give_feedback (&t, RTT, 70000);
  assert_close (rate_of (&t), 100000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_in_slow_start_halves_below_the_initial_rate)
{
  SenderTest t;
  guint i;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  for (i = 1; i <= 20; i++) {
    expire_sending (&t);
    assert_close (rate_of (&t), MAX (INITIAL_RATE / (1 << i), S / 64));
  }
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_halves_a_rate_limited_by_the_receive_rate)
{
  SenderTest t;

  reach_steady_state (&t, 50000);
  assert_close (rate_of (&t), 100000);
  fail_unless (stats_of (&t).x_eq_Bps > 2 * 50000);
  expire_sending (&t);
  assert_close (rate_of (&t), 50000);
  assert_close (stats_of (&t).recv_limit_Bps, 50000);
  expire_sending (&t);
  assert_close (rate_of (&t), 25000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_halves_a_rate_limited_by_the_equation)
{
  SenderTest t;
  double x_eq;

  reach_steady_state (&t, 1000000);
  x_eq = stats_of (&t).x_eq_Bps;
  assert_close (rate_of (&t), x_eq);
  expire_sending (&t);
  assert_close (rate_of (&t), x_eq / 2);
  assert_close (stats_of (&t).recv_limit_Bps, x_eq / 2);
  /* now X_recv limits: the other branch halves the rate again */
  expire_sending (&t);
  assert_close (rate_of (&t), x_eq / 4);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_while_the_receive_rate_is_unknown)
{
  SenderTest t;
  double x_eq;

  /* X_recv_set still holds Infinity: the equation limits */
  sender_test_init (&t, NULL);
  start (&t, RTT);
  lose (&t, 0.01);
  run_rtts (&t, 1, RTT, 50000);
  fail_unless (isinf (stats_of (&t).recv_limit_Bps));
  x_eq = stats_of (&t).x_eq_Bps;
  expire_sending (&t);
  assert_close (rate_of (&t), x_eq / 2);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_halves_a_rate_limited_by_the_maximum)
{
  SenderTest t;

  /* neither X_Bps nor X_recv limited the rate, and half of each is above X */
  reach_steady_state (&t, 50000);
  fail_unless_equals_int (tfrc_sender_set_rate_limits (t.sender, 0, 45000), TFRC_OK);
  assert_close (rate_of (&t), 45000);
  expire_sending (&t);
  assert_close (rate_of (&t), 22500);
  expire_sending (&t);
  assert_close (rate_of (&t), 11250);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_never_goes_below_one_segment_in_64_seconds)
{
  SenderTest t;
  guint i;

  reach_steady_state (&t, 1000000);
  for (i = 0; i < 20; i++)
    expire_sending (&t);
  assert_close (rate_of (&t), S / 64);
  fail_unless_equals_uint64 (until_timeout (&t), 128 * SECOND);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_rate_recovers_by_doubling_when_feedback_resumes)
{
  SenderTest t;

  reach_steady_state (&t, 1000000);
  expire_sending (&t);
  expire_sending (&t);
  expire_sending (&t);
  assert_close (rate_of (&t), stats_of (&t).x_eq_Bps / 8);
  run_rtts (&t, 4, RTT, 18000);
  assert_close (rate_of (&t), 36000);
  run_rtts (&t, 1, RTT, 36000);
  assert_close (rate_of (&t), 72000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_timer_served_late_halves_once)
{
  SenderTest t;

  reach_steady_state (&t, 1000000);
  send_for (&t, 30 * SECOND);
  tfrc_sender_on_timeout (t.sender, t.now);
  assert_close (rate_of (&t), stats_of (&t).x_eq_Bps / 2);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_floor_stretches_what_feedback_covers)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;
  guint i;

  sender_test_init (&t, &config);
  start (&t, MS);
  assert_close (rate_of (&t), W_INIT / 0.010);
  fail_unless_equals_uint64 (until_timeout (&t), 160 * MS);
  /* feedback comes every 10 ms, which is 10 round-trip times: the timer does not expire, and slow
   * start doubles the rate at each feedback */
  for (i = 1; i <= 2; i++) {
    send_for (&t, 10 * MS);
    give_feedback (&t, MS, 100000000);
    fail_if (stats_of (&t).data_limited);
    fail_unless (isinf (stats_of (&t).recv_limit_Bps));
    assert_close (rate_of (&t), (1 << i) * W_INIT / 0.010);
  }
  sender_test_clear (&t);

  config.feedback_floor_ns = config.feedback_wait_ns = 0;
  sender_test_init (&t, &config);
  start (&t, MS);
  assert_close (rate_of (&t), W_INIT / 0.001);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * MS);
  sender_test_clear (&t);
}

GST_END_TEST;

/* The timer is for the longest time between two feedback packets. R >= 40 ms changes nothing. */
GST_START_TEST (test_timer_knows_that_feedback_waits_for_packets)
{
  static const struct
  {
    guint64 rtt, wait, rto;
  } cases[] = {
    { MS / 10, 40 * MS, 160 * MS },
    { MS / 10, 0, 40 * MS },
    { 20 * MS, 40 * MS, 160 * MS },
    { 20 * MS, 0, 80 * MS },
    { 40 * MS, 40 * MS, 160 * MS },
    { RTT, 40 * MS, 4 * RTT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcSenderConfig config = default_config ();
    SenderTest t;

    config.feedback_wait_ns = cases[i].wait;
    sender_test_init (&t, &config);
    start (&t, cases[i].rtt);
    fail_unless_equals_uint64 (until_timeout (&t), cases[i].rto);
    fail_unless_equals_uint64 (stats_of (&t).rto_ns, cases[i].rto);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* X_Bps is between X_recv and 2 X_recv: the equation limits. */
GST_START_TEST (test_nofeedback_halves_the_equation_up_to_twice_the_receive_rate)
{
  SenderTest t;
  double x_eq;

  reach_steady_state (&t, 1000000);
  x_eq = stats_of (&t).x_eq_Bps;
  run_rtts (&t, 5, RTT, 0.75 * x_eq);
  assert_close (stats_of (&t).x_eq_Bps, x_eq);
  assert_within (stats_of (&t).recv_limit_Bps, 1.5 * x_eq, 1e-4);
  expire_sending (&t);
  assert_close (rate_of (&t), x_eq / 2);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Section 4.4: Update_Limits() has s / t_mbi as its least limit, which X_recv_set then holds half of. */
GST_START_TEST (test_limit_of_the_timer_is_one_segment_in_64_seconds_at_least)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, 100 * MS);
  lose (&t, 0.01);
  run_rtts (&t, 4, 100 * MS, 0);
  for (guint i = 0; i < 20; i++) {
    t.now = tfrc_sender_next_timeout_ns (t.sender);
    tfrc_sender_on_timeout (t.sender, t.now);
    send_until (&t, t.now);
  }
  assert_close (stats_of (&t).recv_limit_Bps, S / 64);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
sendertimer_suite (void)
{
  Suite *suite = suite_create ("sendertimer");
  TCase *tc = tcase_create ("nofeedback");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_rto_is_four_rtts_or_two_packets);
  tcase_add_test (tc, test_rto_policy_is_for_the_equation_not_for_the_timer);
  tcase_add_test (tc, test_feedback_restarts_the_nofeedback_timer);
  tcase_add_test (tc, test_timeout_before_it_is_due_does_nothing);
  tcase_add_test (tc, test_nofeedback_without_rtt_halves_down_to_one_in_64_seconds);
  tcase_add_test (tc, test_minimum_rate_does_not_shorten_the_timer_without_rtt);
  tcase_add_test (tc, test_nofeedback_in_slow_start_halves_the_rate);
  tcase_add_test (tc, test_nofeedback_in_slow_start_halves_below_the_initial_rate);
  tcase_add_test (tc, test_nofeedback_halves_a_rate_limited_by_the_receive_rate);
  tcase_add_test (tc, test_nofeedback_halves_a_rate_limited_by_the_equation);
  tcase_add_test (tc, test_nofeedback_halves_a_rate_limited_by_the_maximum);
  tcase_add_test (tc, test_nofeedback_while_the_receive_rate_is_unknown);
  tcase_add_test (tc, test_nofeedback_never_goes_below_one_segment_in_64_seconds);
  tcase_add_test (tc, test_limit_of_the_timer_is_one_segment_in_64_seconds_at_least);
  tcase_add_test (tc, test_rate_recovers_by_doubling_when_feedback_resumes);
  tcase_add_test (tc, test_timer_served_late_halves_once);
  tcase_add_test (tc, test_feedback_floor_stretches_what_feedback_covers);
  tcase_add_test (tc, test_timer_knows_that_feedback_waits_for_packets);
  tcase_add_test (tc, test_nofeedback_halves_the_equation_up_to_twice_the_receive_rate);
  return suite;
}

GST_CHECK_MAIN (sendertimer);
