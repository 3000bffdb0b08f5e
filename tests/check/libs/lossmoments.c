/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moments of loss event intervals and of their predictors */
#include <string.h>

#include <tfrc/loss_intervals.h>

#include "closeto.h"

#define N_INTERVALS 500

/* The reference computes the moments as they are defined, in two passes over all intervals.
 * interval[0] is the synthetic interval. */
typedef struct
{
  guint n;     /* history length */
  guint count; /* number of intervals, with the synthetic interval */
  gdouble interval[N_INTERVALS + 1];
} Reference;

/* f is that of Reno's equation, with t_RTO = rto_rtts R. */
static void
get_moments (const TfrcLossMoments *moments, double rto_rtts, TfrcLossStatistics *statistics)
{
  TfrcModelInput input = { 1, 1, rto_rtts, 0 };

  tfrc_loss_moments_get (moments, tfrc_model_find (TFRC_MODEL_RENO), &input, statistics);
}

/* RFC 5348 section 5.4 */
static gdouble
weight (guint i, guint n)
{
  return 2 * i < n ? 1.0 : 2.0 * (n - i) / (n + 2.0);
}

/* The weighted average of the intervals before the interval @index */
static long double
predictor (const Reference *reference, guint index)
{
  long double sum = 0, weights = 0;

  for (guint i = 0; i < MIN (reference->n, index); i++) {
    sum += weight (i, reference->n) * reference->interval[index - 1 - i];
    weights += weight (i, reference->n);
  }
  return sum / weights;
}

static void
assert_moments (const TfrcLossMoments *moments, const Reference *reference)
{
  TfrcLossStatistics got;
  guint count = reference->count - 1;
  long double theta = 0, predicted = 0, inverse = 0;
  long double var_theta = 0, var_predicted = 0, covariance = 0;

  for (guint i = 1; i <= count; i++) {
    theta += reference->interval[i] / count;
    predicted += predictor (reference, i) / count;
    inverse += 1 / predictor (reference, i) / count;
  }
  for (guint i = 1; i <= count; i++) {
    long double d_theta = reference->interval[i] - theta;
    long double d_predicted = predictor (reference, i) - predicted;

    var_theta += d_theta * d_theta / count;
    var_predicted += d_predicted * d_predicted / count;
    covariance += d_theta * d_predicted / count;
  }
  get_moments (moments, 4, &got);
  fail_unless_equals_uint64 (got.intervals, count);
  assert_within (got.mean_interval, theta, 1e-13);
  assert_within (got.mean_predictor, predicted, 1e-13);
  assert_within (got.mean_inverse_predictor, inverse, 1e-13);
  assert_within (got.var_interval, var_theta, 1e-11);
  assert_within (got.var_predictor, var_predicted, 1e-11);
  assert_within (got.covariance, covariance, 1e-9);
  assert_within (got.predicted_gap, var_predicted / (predicted * predicted * predicted), 1e-11);
}

static void
begin (TfrcLossIntervals *li, Reference *reference, guint n, gdouble seed)
{
  tfrc_loss_intervals_init (li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, n, FALSE);
  tfrc_loss_intervals_first_event (li, seed, 1000, 0);
  reference->n = n;
  reference->count = 1;
  reference->interval[0] = seed;
}

static void
add (TfrcLossIntervals *li, Reference *reference, guint64 length)
{
  tfrc_loss_intervals_new_event (li, li->start_seq + length, 0);
  reference->interval[reference->count++] = (gdouble) length;
}

static const guint history_lengths[] = { 2, 3, 8, 16, 32 };

GST_START_TEST (test_moments_are_those_of_two_passes)
{
  TfrcLossIntervals li;
  Reference reference;
  GRand *random = g_rand_new_with_seed (77);

  begin (&li, &reference, history_lengths[__i__], 50);
  for (guint i = 0; i < N_INTERVALS; i++) {
    add (&li, &reference, g_rand_int_range (random, 1, i % 7 ? 100 : 10000));
    assert_moments (&li.moments, &reference);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* With sums of squares, the variance would be lost in rounding. */
GST_START_TEST (test_small_variance_of_long_intervals_is_exact)
{
  const guint64 length = 1000000000;
  TfrcLossIntervals li;
  Reference reference;

  begin (&li, &reference, 8, length);
  for (guint i = 0; i < N_INTERVALS; i++)
    add (&li, &reference, length + i % 2);
  assert_within (li.moments.squares_interval, N_INTERVALS * 0.25, 1e-6);
  assert_within (li.moments.mean_interval, length + 0.5, 1e-15);
}

GST_END_TEST;

GST_START_TEST (test_statistics_of_three_intervals)
{
  TfrcLossIntervals li;
  Reference reference;
  TfrcLossStatistics got;

  /* weights 1 and 1/2; predictors 4, 8 and 50/3 */
  begin (&li, &reference, 2, 4);
  add (&li, &reference, 10);
  add (&li, &reference, 20);
  add (&li, &reference, 30);
  get_moments (&li.moments, 4, &got);
  fail_unless_equals_uint64 (got.intervals, 3);
  assert_close (got.mean_interval, 20);
  assert_close (got.var_interval, 200 / 3.0);
  assert_close (got.mean_predictor, 86 / 9.0);
  assert_close (got.var_predictor, (16 + 64 + 2500 / 9.0) / 3 - 7396 / 81.0);
  assert_close (got.covariance, (40 + 160 + 500) / 3.0 - 20 * 86 / 9.0);
  assert_close (got.mean_inverse_predictor, 0.145);
  assert_close (got.predicted_gap, got.var_predictor / pow (got.mean_predictor, 3));
  /* section 8.1 writes 1 / f for what the literature on throughput calls f */
  assert_close (got.f_mean_inverse_predictor, 1 / tfrc_equation_f (0.145));
  assert_close (got.f_mean_interval, 1 / tfrc_equation_f (0.05));
  assert_close (got.rto_rtts, 4);

  /* with another t_RTO */
  get_moments (&li.moments, 10, &got);
  assert_close (got.f_mean_interval, tfrc_equation_rate_Bps (1, 1, 10, 0.05));
  assert_close (got.f_mean_inverse_predictor, tfrc_equation_rate_Bps (1, 1, 10, 0.145));
}

GST_END_TEST;

/* An average of 1 is the lowest possible average, and a valid one. */
GST_START_TEST (test_intervals_of_one_packet)
{
  TfrcLossIntervals li;
  Reference reference;
  TfrcLossStatistics got;

  begin (&li, &reference, 8, 1);
  for (guint i = 0; i < 100; i++)
    add (&li, &reference, 1);
  get_moments (&li.moments, 4, &got);
  fail_unless (got.var_interval == 0 && got.var_predictor == 0);
  assert_close (got.f_mean_interval, 1 / tfrc_equation_f (1));
  assert_close (got.f_mean_inverse_predictor, 1 / tfrc_equation_f (1));
}

GST_END_TEST;

GST_START_TEST (test_synthetic_first_interval_is_no_interval)
{
  const TfrcLossStatistics none = { 0 };
  TfrcLossIntervals li;
  Reference reference;
  TfrcLossStatistics got;

  begin (&li, &reference, 8, 50);
  memset (&got, 0xff, sizeof got);
  get_moments (&li.moments, 4, &got);
  fail_unless (memcmp (&got, &none, sizeof got) == 0);
  /* but the synthetic interval is the first predictor */
  add (&li, &reference, 20);
  get_moments (&li.moments, 4, &got);
  fail_unless_equals_uint64 (got.intervals, 1);
  fail_unless (got.mean_interval == 20);
  fail_unless (got.mean_predictor == 50);
}

GST_END_TEST;

/* The predictor is the average from which the rate is computed. */
GST_START_TEST (test_predictor_is_the_discounted_average)
{
  TfrcLossIntervals li;

  tfrc_loss_intervals_init (&li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 2, TRUE);
  tfrc_loss_intervals_first_event (&li, 100, 1000, 0);
  /* 400 > 2 * 100: the weight of the older interval is halved from here on */
  tfrc_loss_intervals_new_event (&li, li.start_seq + 400, 0);
  fail_unless (li.moments.mean_predictor == 100);
  tfrc_loss_intervals_new_event (&li, li.start_seq + 300, 0);
  assert_close (2 * li.moments.mean_predictor, 100 + (400 + 0.5 * 0.5 * 100) / (1 + 0.5 * 0.5));
}

GST_END_TEST;

static Suite *
lossmoments_suite (void)
{
  Suite *suite = suite_create ("lossmoments");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_moments_are_those_of_two_passes, 0, G_N_ELEMENTS (history_lengths));
  tcase_add_test (tc, test_small_variance_of_long_intervals_is_exact);
  tcase_add_test (tc, test_statistics_of_three_intervals);
  tcase_add_test (tc, test_intervals_of_one_packet);
  tcase_add_test (tc, test_synthetic_first_interval_is_no_interval);
  tcase_add_test (tc, test_predictor_is_the_discounted_average);
  return suite;
}

GST_CHECK_MAIN (lossmoments);
