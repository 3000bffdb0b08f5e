/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip times of enhanced TFRC (eq. 3 and 4) in a sender. */
#include "sendertest.h"

static void
init_method (SenderTest *t, TfrcRttMethod method)
{
  TfrcSenderConfig config = default_config ();

  config.rtt_method = method;
  config.rto_policy = TFRC_RTO_POLICY_ADAPTIVE;
  sender_test_init (t, &config);
}

/* Sends for this time, then gives feedback with this sample of R. */
static void
sample (SenderTest *t, guint64 rtt)
{
  send_for (t, rtt);
  give_feedback (t, rtt, 1000000);
}

GST_START_TEST (test_rising_samples_slow_the_sender_down)
{
  SenderTest t;

  init_method (&t, TFRC_RTT_METHOD_ADAPTIVE);
  start (&t, 100 * MS);
  lose (&t, 0.01);
  sample (&t, 110 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 111 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_average_ns, 101 * MS);
  fail_unless_equals_uint64 (stats_of (&t).equation_rto_ns, 444 * MS);
  assert_close (stats_of (&t).x_eq_Bps, tfrc_equation_rate_Bps (S, 0.111, 0.444, 0.01));
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_average_of_the_default_is_r)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, 100 * MS);
  sample (&t, 200 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 110 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_average_ns, 110 * MS);
  sender_test_clear (&t);
}

GST_END_TEST;

/* A sample above ten times R, and above 100 ms, is used if the next one is as long. */
GST_START_TEST (test_sample_far_above_r_needs_a_second_one)
{
  static const struct
  {
    guint64 rtt, longest_believed;
  } cases[] = {
    { 50 * MS, 500 * MS },
    { 11 * MS, 110 * MS },
    { 5 * MS, 100 * MS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint64 rtt = cases[i].rtt, longest = cases[i].longest_believed;

    for (guint above = 0; above < 2; above++) {
      SenderTest t;

      sender_test_init (&t, NULL);
      start (&t, rtt);
      run_rtts (&t, 1000 * MS / rtt, rtt, 100000);
      fail_unless_equals_uint64 (stats_of (&t).rtt_ns, rtt);
      send_for (&t, rtt);
      give_feedback (&t, longest + above * 1000, 100000);
      fail_unless_equals_uint64 (stats_of (&t).rtt_ns, above ? rtt : (9 * rtt + longest) / 10);
      send_for (&t, rtt);
      give_feedback (&t, longest + above * 1000, 100000);
      fail_unless (stats_of (&t).rtt_ns > rtt);
      sender_test_clear (&t);
    }
  }
}

GST_END_TEST;

/* The two have to come one after the other: a forged one now and then is never used. */
GST_START_TEST (test_long_samples_with_others_between_are_not_used)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, 50 * MS);
  run_rtts (&t, 20, 50 * MS, 100000);
  for (guint i = 0; i < 5; i++) {
    send_for (&t, 50 * MS);
    give_feedback (&t, 501 * MS, 100000);
    fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 50 * MS);
    run_rtts (&t, 1, 50 * MS, 100000);
    fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 50 * MS);
  }
  sender_test_clear (&t);
}

GST_END_TEST;

/* The second sample refutes a first sample that is more than ten times as long. */
GST_START_TEST (test_second_sample_far_below_the_first_replaces_it)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, 500 * MS);
  send_for (&t, 500 * MS);
  give_feedback (&t, 50 * MS, 100000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 455 * MS);
  sender_test_clear (&t);
  sender_test_init (&t, NULL);
  start (&t, 500 * MS);
  send_for (&t, 500 * MS);
  give_feedback (&t, 50 * MS - 1000, 100000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 50 * MS - 1000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_configured_number_of_samples_and_rise_are_used)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.rtt_method = TFRC_RTT_METHOD_ADAPTIVE;
  config.rtt_samples = 2;
  config.rtt_rise_ns = 20 * MS;
  sender_test_init (&t, &config);
  start (&t, 100 * MS);
  sample (&t, 120 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 102 * MS);
  /* 0.9 102 + 0.1 141 + (141 - 120) */
  sample (&t, 141 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 126900 * MS / 1000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_new_link_error_counts_as_a_rise)
{
  SenderTest t;

  init_method (&t, TFRC_RTT_METHOD_ADAPTIVE);
  start (&t, 100 * MS);
  t.next.classified = TRUE;
  sample (&t, 90 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 99 * MS);
  /* 0.9 99 + 0.1 90 + (100 - 90) */
  t.next.link_errors = 1;
  sample (&t, 90 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 108100 * MS / 1000);
  assert_close (stats_of (&t).equation_rto_ns, 432400 * MS / 1000);
  /* the same link error again: 0.9 108.1 + 0.1 90 */
  sample (&t, 90 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 106290 * MS / 1000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_link_errors_of_a_receiver_that_does_not_classify_do_not_count)
{
  SenderTest t;

  init_method (&t, TFRC_RTT_METHOD_ADAPTIVE);
  start (&t, 100 * MS);
  t.next.link_errors = 1;
  sample (&t, 90 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 99 * MS);
  /* the first feedback that classifies has counted from 0 */
  t.next.classified = TRUE;
  sample (&t, 90 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 108100 * MS / 1000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_another_path_forgets_the_samples)
{
  SenderTest t;

  init_method (&t, TFRC_RTT_METHOD_ADAPTIVE);
  start (&t, 20 * MS);
  sample (&t, 20 * MS);
  tfrc_sender_on_new_path (t.sender, 100 * MS, t.now);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 100 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_average_ns, 100 * MS);
  fail_unless_equals_uint64 (stats_of (&t).equation_rto_ns, 400 * MS);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_least_and_greatest_sample_are_those_of_the_path)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  fail_unless_equals_uint64 (stats_of (&t).rtt_min_ns, 0);
  fail_unless_equals_uint64 (stats_of (&t).rtt_max_ns, 0);
  start (&t, 100 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_min_ns, 100 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_max_ns, 100 * MS);
  sample (&t, 200 * MS);
  sample (&t, 60 * MS);
  sample (&t, 90 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_min_ns, 60 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_max_ns, 200 * MS);
  tfrc_sender_on_new_path (t.sender, 70 * MS, t.now);
  fail_unless_equals_uint64 (stats_of (&t).rtt_min_ns, 70 * MS);
  fail_unless_equals_uint64 (stats_of (&t).rtt_max_ns, 70 * MS);
  sender_test_clear (&t);
}

GST_END_TEST;

/* 100000.6 us */
GST_START_TEST (test_packets_carry_the_nearest_microsecond_of_r)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, 100 * MS);
  sample (&t, 100006000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 100000600);
  send_for (&t, 100 * MS);
  fail_unless_equals_int (t.data.rtt_us, 100001);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
senderrtt_suite (void)
{
  Suite *suite = suite_create ("senderrtt");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_rising_samples_slow_the_sender_down);
  tcase_add_test (tc, test_average_of_the_default_is_r);
  tcase_add_test (tc, test_packets_carry_the_nearest_microsecond_of_r);
  tcase_add_test (tc, test_sample_far_above_r_needs_a_second_one);
  tcase_add_test (tc, test_long_samples_with_others_between_are_not_used);
  tcase_add_test (tc, test_second_sample_far_below_the_first_replaces_it);
  tcase_add_test (tc, test_configured_number_of_samples_and_rise_are_used);
  tcase_add_test (tc, test_new_link_error_counts_as_a_rise);
  tcase_add_test (tc, test_link_errors_of_a_receiver_that_does_not_classify_do_not_count);
  tcase_add_test (tc, test_another_path_forgets_the_samples);
  tcase_add_test (tc, test_least_and_greatest_sample_are_those_of_the_path);
  return suite;
}

GST_CHECK_MAIN (senderrtt);
