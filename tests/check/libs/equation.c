/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equation and its inverse (RFC 5348 sections 3.1 and 8.1). */
#include <float.h>

#include <tfrc/tfrc.h>

#include "closeto.h"
#include "vectors.h"

/* The tolerance is a few roundings of doubles. For the inverse, the last Newton step is added. */
#define ROUNDING 4e-15
#define INVERSE_ROUNDING 1e-13

GST_START_TEST (test_f_matches_reference_values)
{
  Vectors v;

  vectors_open (&v, "equation.csv", "p,f");
  while (vectors_next (&v))
    vectors_assert (&v, 1, tfrc_equation_f (vectors_number (&v, 0)), ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_f_clamps_p)
{
  gdouble f1 = sqrt (2.0 / 3) + 12 * sqrt (3.0 / 8) * 33;

  assert_within (tfrc_equation_f (1), f1, ROUNDING);
  fail_unless_equals_float (tfrc_equation_f (0), 0);
  fail_unless_equals_float (tfrc_equation_f (-0.5), 0);
  fail_unless_equals_float (tfrc_equation_f (-INFINITY), 0);
  fail_unless_equals_float (tfrc_equation_f (NAN), 0);
  fail_unless_equals_float (tfrc_equation_f (1.5), tfrc_equation_f (1));
  fail_unless_equals_float (tfrc_equation_f (INFINITY), tfrc_equation_f (1));
}

GST_END_TEST;

GST_START_TEST (test_rate_matches_reference_values)
{
  Vectors v;

  vectors_open (&v, "rate.csv", "s,R,rto,p,X_Bps");
  while (vectors_next (&v))
    vectors_assert (&v, 4,
        tfrc_equation_rate_Bps (vectors_number (&v, 0), vectors_number (&v, 1),
            vectors_number (&v, 2), vectors_number (&v, 3)),
        ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_rate_is_infinite_without_loss)
{
  fail_unless (tfrc_equation_rate_Bps (1316, 0.1, 0.4, 0) == INFINITY);
  fail_unless (tfrc_equation_rate_Bps (1316, 0.1, 0, 0) == INFINITY);
  fail_unless (tfrc_equation_rate_Bps (1, 16.7, DBL_MAX, 0) == INFINITY);
}

GST_END_TEST;

GST_START_TEST (test_rate_is_zero_for_arguments_out_of_range)
{
  const gdouble bad[] = { 0, -1, NAN, INFINITY, -INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    fail_unless (tfrc_equation_rate_Bps (bad[i], 0.1, 0.4, 0.01) == 0);
    fail_unless (tfrc_equation_rate_Bps (1316, bad[i], 0.4, 0.01) == 0);
    if (bad[i] != 0) {
      fail_unless (tfrc_equation_rate_Bps (1316, 0.1, bad[i], 0.01) == 0);
      fail_unless (tfrc_equation_rate_Bps (1316, 0.1, 0.4, bad[i]) == 0);
    }
  }
  fail_unless (tfrc_equation_rate_Bps (1316, 0.1, 0.4, nextafter (1, 2)) == 0);
  fail_unless (tfrc_equation_rate_Bps (1316, 0.1, 0.4, 1) > 0);
}

GST_END_TEST;

GST_START_TEST (test_inverse_matches_reference_values)
{
  Vectors v;

  vectors_open (&v, "inverse.csv", "s,R,rto,X_Bps,p");
  while (vectors_next (&v))
    vectors_assert (&v, 4,
        tfrc_equation_p (vectors_number (&v, 0), vectors_number (&v, 1), vectors_number (&v, 2),
            vectors_number (&v, 3)),
        INVERSE_ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_inverse_gives_back_every_p)
{
  const gdouble rto_s[] = { 0, 0.05, 0.2, 1, 60 };

  for (guint i = 0; i < G_N_ELEMENTS (rto_s); i++) {
    for (gdouble p = 1; p > 1e-30; p *= 0.97) {
      gdouble rate_Bps = tfrc_equation_rate_Bps (1316, 0.05, rto_s[i], p);

      assert_within (tfrc_equation_p (1316, 0.05, rto_s[i], rate_Bps), p, INVERSE_ROUNDING);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_inverse_at_the_ends_of_its_range)
{
  gdouble lowest_Bps = tfrc_equation_rate_Bps (1316, 0.1, 0.4, 1);

  fail_unless (tfrc_equation_p (1316, 0.1, 0.4, INFINITY) == 0);
  assert_within (tfrc_equation_p (1316, 0.1, 0.4, lowest_Bps), 1, ROUNDING);
  fail_unless (tfrc_equation_p (1316, 0.1, 0.4, 0.999 * lowest_Bps) == 1);
  fail_unless (tfrc_equation_p (1316, 0.1, 0.4, 1316 / 64.0) == 1);
  fail_unless (tfrc_equation_p (1316, 0.1, 0.4, nextafter (0, 1)) == 1);
  fail_unless (tfrc_equation_p (1316, 0.1, 0.4, 1.001 * lowest_Bps) < 1);
}

GST_END_TEST;

GST_START_TEST (test_inverse_is_one_for_arguments_out_of_range)
{
  const gdouble bad[] = { 0, -1, NAN, INFINITY, -INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    fail_unless (tfrc_equation_p (bad[i], 0.1, 0.4, 1e6) == 1);
    fail_unless (tfrc_equation_p (1316, bad[i], 0.4, 1e6) == 1);
    if (bad[i] != 0)
      fail_unless (tfrc_equation_p (1316, 0.1, bad[i], 1e6) == 1);
    if (bad[i] != INFINITY)
      fail_unless (tfrc_equation_p (1316, 0.1, 0.4, bad[i]) == 1);
  }
}

GST_END_TEST;

/* The inverse is iterative. If this test ends, the inverse ends for each of these arguments. */
GST_START_TEST (test_no_argument_makes_a_loop_or_a_nan)
{
  gdouble values[28];
  guint n = 0;

  for (gint exponent = -320; exponent <= 300; exponent += 31)
    values[n++] = pow (10, exponent);
  values[n++] = 0;
  values[n++] = -1;
  values[n++] = NAN;
  values[n++] = INFINITY;
  values[n++] = -INFINITY;
  values[n++] = DBL_MAX;
  values[n++] = nextafter (0, 1);
  g_assert (n == G_N_ELEMENTS (values));

  for (guint i = 0; i < n * n * n * n; i++) {
    gdouble s = values[i % n], rtt_s = values[i / n % n];
    gdouble rto_s = values[i / n / n % n], last = values[i / n / n / n];
    gdouble p = tfrc_equation_p (s, rtt_s, rto_s, last);
    gdouble rate_Bps = tfrc_equation_rate_Bps (s, rtt_s, rto_s, last);

    if (!(p >= 0 && p <= 1) || !(rate_Bps >= 0))
      fail ("s %g R %g t_RTO %g last %g: p %g, X %g", s, rtt_s, rto_s, last, p, rate_Bps);
  }
}

GST_END_TEST;

GST_START_TEST (test_rate_never_grows_with_p)
{
  gdouble last_Bps = INFINITY;

  for (gdouble p = 1e-12; p < 1; p *= 1.01) {
    gdouble rate_Bps = tfrc_equation_rate_Bps (1316, 0.1, 0.4, p);

    fail_unless (rate_Bps < last_Bps);
    last_Bps = rate_Bps;
  }
}

GST_END_TEST;

/* Section 6.3.1: the first loss interval is 1/p for the target rate. */
GST_START_TEST (test_first_interval_matches_reference_values)
{
  Vectors v;

  vectors_open (&v, "first_interval.csv", "s,R,rto,x_target_Bps,interval");
  while (vectors_next (&v))
    vectors_assert (&v, 4,
        1
            / tfrc_equation_p (vectors_number (&v, 0), vectors_number (&v, 1),
                vectors_number (&v, 2), vectors_number (&v, 3)),
        INVERSE_ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_null_interval_is_five_packets)
{
  assert_within (1 / tfrc_equation_p (1, 1, 4, 0.5), 4.8442829988300051, INVERSE_ROUNDING);
}

GST_END_TEST;

static Suite *
equation_suite (void)
{
  Suite *suite = suite_create ("equation");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_f_matches_reference_values);
  tcase_add_test (tc, test_f_clamps_p);
  tcase_add_test (tc, test_rate_matches_reference_values);
  tcase_add_test (tc, test_rate_is_infinite_without_loss);
  tcase_add_test (tc, test_rate_is_zero_for_arguments_out_of_range);
  tcase_add_test (tc, test_inverse_matches_reference_values);
  tcase_add_test (tc, test_inverse_gives_back_every_p);
  tcase_add_test (tc, test_inverse_at_the_ends_of_its_range);
  tcase_add_test (tc, test_inverse_is_one_for_arguments_out_of_range);
  tcase_add_test (tc, test_no_argument_makes_a_loop_or_a_nan);
  tcase_add_test (tc, test_rate_never_grows_with_p);
  tcase_add_test (tc, test_first_interval_matches_reference_values);
  tcase_add_test (tc, test_null_interval_is_five_packets);
  return suite;
}

GST_CHECK_MAIN (equation);
