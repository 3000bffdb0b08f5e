/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip time, t_RTO and R_sqmean (RFC 5348 sections 3.1, 4.3, 4.5). */
#include <gst/check/gstcheck.h>
#include <tfrc/rtt.h>
#include <tfrc/units.h>

#include "closeto.h"

static void
init_ewma (TfrcRtt *rtt, TfrcRtoPolicy policy)
{
  const TfrcRttConfig config = { TFRC_RTT_METHOD_EWMA, policy, 8, GST_MSECOND };

  tfrc_rtt_init (rtt, &config);
}

static void
init (TfrcRtt *rtt)
{
  init_ewma (rtt, TFRC_RTO_POLICY_4R);
}

GST_START_TEST (test_nothing_is_known_before_the_first_sample)
{
  TfrcRtt rtt;

  init (&rtt);
  fail_if (tfrc_rtt_is_known (&rtt));
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 0);
  fail_unless_equals_float (tfrc_rtt_rto_s (&rtt), 0);
  fail_unless_equals_float (tfrc_rtt_oscillation_factor (&rtt), 1);
}

GST_END_TEST;

GST_START_TEST (test_first_sample_is_the_round_trip_time)
{
  TfrcRtt rtt;

  init (&rtt);
  tfrc_rtt_on_sample (&rtt, 100 * GST_MSECOND, FALSE);
  fail_unless (tfrc_rtt_is_known (&rtt));
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 100 * GST_MSECOND);
  assert_within (rtt.r_sqmean, sqrt (0.1), 1e-14);
  fail_unless_equals_float (tfrc_rtt_oscillation_factor (&rtt), 1);
}

GST_END_TEST;

GST_START_TEST (test_round_trip_time_is_a_moving_average)
{
  TfrcRtt rtt;

  init (&rtt);
  tfrc_rtt_on_sample (&rtt, 100 * GST_MSECOND, FALSE);
  tfrc_rtt_on_sample (&rtt, 200 * GST_MSECOND, FALSE);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 110 * GST_MSECOND);
  tfrc_rtt_on_sample (&rtt, 10 * GST_MSECOND, FALSE);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 100 * GST_MSECOND);
  /* 0.9^n of the difference remains */
  for (guint i = 0; i < 20; i++)
    tfrc_rtt_on_sample (&rtt, 300 * GST_MSECOND, FALSE);
  assert_within (rtt.r_s, 0.3 - 0.2 * pow (0.9, 20), 1e-14);
}

GST_END_TEST;

GST_START_TEST (test_rto_is_four_round_trip_times)
{
  TfrcRtt rtt;

  init (&rtt);
  tfrc_rtt_on_sample (&rtt, 100 * GST_MSECOND, FALSE);
  tfrc_rtt_on_sample (&rtt, 200 * GST_MSECOND, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 0.44, 1e-14);
}

GST_END_TEST;

static void
init_policy (TfrcRtt *rtt, TfrcRtoPolicy policy)
{
  init_ewma (rtt, policy);
  fail_unless (tfrc_rtt_rto_s (rtt) == 0);
}

/* RFC 6298 section 2, with R as the SRTT */
GST_START_TEST (test_variation_is_a_moving_average_of_deviations)
{
  TfrcRtt rtt;

  init (&rtt);
  fail_unless (rtt.d_s == 0);
  tfrc_rtt_on_sample (&rtt, 100 * GST_MSECOND, FALSE);
  assert_within (rtt.d_s, 0.05, 1e-14);
  /* D is the deviation from the previous R: |100 - 200|, |110 - 10| */
  tfrc_rtt_on_sample (&rtt, 200 * GST_MSECOND, FALSE);
  assert_within (rtt.d_s, 0.75 * 0.05 + 0.25 * 0.1, 1e-14);
  tfrc_rtt_on_sample (&rtt, 10 * GST_MSECOND, FALSE);
  assert_within (rtt.d_s, 0.75 * 0.0625 + 0.25 * 0.1, 1e-14);
  /* R = 100 ms again: there is no deviation any more */
  for (guint i = 0; i < 10; i++)
    tfrc_rtt_on_sample (&rtt, 100 * GST_MSECOND, FALSE);
  assert_within (rtt.d_s, 0.071875 * pow (0.75, 10), 1e-12);
}

GST_END_TEST;

GST_START_TEST (test_rto_of_standard_tcp_is_a_second_at_least)
{
  TfrcRtt rtt;

  init_policy (&rtt, TFRC_RTO_POLICY_TCP);
  /* t_RTO is 3 R at first */
  tfrc_rtt_on_sample (&rtt, 400 * GST_MSECOND, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 1.2, 1e-14);
  /* R = 400 ms, D = 150 ms: exactly the minimum */
  tfrc_rtt_on_sample (&rtt, 400 * GST_MSECOND, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 1, 1e-14);
  tfrc_rtt_on_sample (&rtt, 400 * GST_MSECOND, FALSE);
  fail_unless (tfrc_rtt_rto_s (&rtt) == 1);
  /* R = 360 ms, D = 84.375 + 100 ms */
  tfrc_rtt_on_sample (&rtt, 0, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 0.36 + 4 * 0.184375, 1e-5);

  init_policy (&rtt, TFRC_RTO_POLICY_TCP);
  tfrc_rtt_on_sample (&rtt, 10 * GST_MSECOND, FALSE);
  fail_unless (tfrc_rtt_rto_s (&rtt) == 1);
}

GST_END_TEST;

/* The minimum applies to the variation. R is added. */
GST_START_TEST (test_rto_of_linux_is_200_ms_above_the_round_trip_time_at_least)
{
  TfrcRtt rtt;

  init_policy (&rtt, TFRC_RTO_POLICY_LINUX);
  tfrc_rtt_on_sample (&rtt, 10 * GST_MSECOND, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 0.21, 1e-14);
  /* R = 109 ms, D = 3.75 + 247.5 ms */
  tfrc_rtt_on_sample (&rtt, GST_SECOND, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 0.109 + 4 * 0.25125, 1e-14);

  init_policy (&rtt, TFRC_RTO_POLICY_LINUX);
  tfrc_rtt_on_sample (&rtt, 500 * GST_MSECOND, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 1.5, 1e-14);
  for (guint i = 0; i < 20; i++)
    tfrc_rtt_on_sample (&rtt, 500 * GST_MSECOND, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 0.7, 1e-14);
}

GST_END_TEST;

GST_START_TEST (test_balanced_rto_is_2_rtts_and_200_ms_at_least)
{
  TfrcRtt rtt;

  init_policy (&rtt, TFRC_RTO_POLICY_BALANCED);
  fail_unless (tfrc_rtt_rto_s (&rtt) == 0);
  tfrc_rtt_on_sample (&rtt, 10 * GST_MSECOND, FALSE);
  fail_unless (tfrc_rtt_rto_s (&rtt) == 0.2);
  /* R = 109 ms, D does not matter */
  tfrc_rtt_on_sample (&rtt, GST_SECOND, FALSE);
  assert_within (tfrc_rtt_rto_s (&rtt), 0.218, 1e-14);
}

GST_END_TEST;

GST_START_TEST (test_mean_of_square_roots)
{
  TfrcRtt rtt;

  init (&rtt);
  tfrc_rtt_on_sample (&rtt, 40 * GST_MSECOND, FALSE);
  tfrc_rtt_on_sample (&rtt, 160 * GST_MSECOND, FALSE);
  /* 0.9 * 0.2 + 0.1 * 0.4, and the newest sample's root is 0.4 */
  assert_within (rtt.r_sqmean, 0.22, 1e-14);
  assert_within (tfrc_rtt_oscillation_factor (&rtt), 0.55, 1e-14);
  tfrc_rtt_on_sample (&rtt, 10 * GST_MSECOND, FALSE);
  assert_within (rtt.r_sqmean, 0.9 * 0.22 + 0.1 * 0.1, 1e-14);
  assert_within (tfrc_rtt_oscillation_factor (&rtt), 2.08, 1e-14);
}

GST_END_TEST;

/* The example of section 4.5 */
GST_START_TEST (test_doubled_round_trip_time_reduces_the_rate_by_0_7)
{
  TfrcRtt rtt;

  init (&rtt);
  for (guint i = 0; i < 100; i++)
    tfrc_rtt_on_sample (&rtt, 100 * GST_MSECOND, FALSE);
  tfrc_rtt_on_sample (&rtt, 200 * GST_MSECOND, FALSE);
  assert_within (tfrc_rtt_oscillation_factor (&rtt), 0.9 / sqrt (2) + 0.1, 1e-14);
}

GST_END_TEST;

GST_START_TEST (test_samples_are_clamped_to_what_a_packet_can_say)
{
  TfrcRtt rtt;

  init (&rtt);
  tfrc_rtt_on_sample (&rtt, 0, FALSE);
  fail_unless (tfrc_rtt_is_known (&rtt));
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), TFRC_MIN_RTT_NS);

  init (&rtt);
  tfrc_rtt_on_sample (&rtt, G_MAXUINT64, FALSE);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), TFRC_MAX_RTT_NS);
  fail_unless_equals_uint64 (TFRC_MAX_RTT_NS, G_GUINT64_CONSTANT (16777215000));
}

GST_END_TEST;

GST_START_TEST (test_units_saturate_instead_of_wrapping)
{
  fail_unless_equals_uint64 (tfrc_add_ns (G_MAXUINT64 - 1, 1), G_MAXUINT64);
  fail_unless_equals_uint64 (tfrc_add_ns (G_MAXUINT64, 1), G_MAXUINT64);
  fail_unless_equals_uint64 (tfrc_sub_ns (5, 7), 0);
  fail_unless_equals_uint64 (tfrc_sub_ns (7, 5), 2);
  fail_unless_equals_uint64 (tfrc_s_to_ns (1.5, G_MAXUINT64), 1500000000);
  fail_unless_equals_uint64 (tfrc_s_to_ns (-1, G_MAXUINT64), 0);
  fail_unless_equals_uint64 (tfrc_s_to_ns (1e300, G_MAXUINT64), G_MAXUINT64);
  fail_unless_equals_uint64 (tfrc_s_to_ns (INFINITY, 77), 77);
  fail_unless_equals_uint64 (tfrc_s_to_ns (NAN, 77), 77);
}

GST_END_TEST;

static Suite *
rtt_suite (void)
{
  Suite *suite = suite_create ("rtt");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_nothing_is_known_before_the_first_sample);
  tcase_add_test (tc, test_first_sample_is_the_round_trip_time);
  tcase_add_test (tc, test_round_trip_time_is_a_moving_average);
  tcase_add_test (tc, test_rto_is_four_round_trip_times);
  tcase_add_test (tc, test_variation_is_a_moving_average_of_deviations);
  tcase_add_test (tc, test_rto_of_standard_tcp_is_a_second_at_least);
  tcase_add_test (tc, test_rto_of_linux_is_200_ms_above_the_round_trip_time_at_least);
  tcase_add_test (tc, test_balanced_rto_is_2_rtts_and_200_ms_at_least);
  tcase_add_test (tc, test_mean_of_square_roots);
  tcase_add_test (tc, test_doubled_round_trip_time_reduces_the_rate_by_0_7);
  tcase_add_test (tc, test_samples_are_clamped_to_what_a_packet_can_say);
  tcase_add_test (tc, test_units_saturate_instead_of_wrapping);
  return suite;
}

GST_CHECK_MAIN (rtt);
