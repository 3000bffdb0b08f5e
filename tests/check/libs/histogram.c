/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histogram of times, see gst/common/histogram.h. */
#include "gst/common/histogram.h"
#include <gst/check/gstcheck.h>
#include <math.h>
#include <stdlib.h>

#define US GST_USECOND
#define MS GST_MSECOND

/* The largest relative error of an estimate */
#define RELATIVE_ERROR 0.03125

static GstTfrcHistogram histogram;

static void
setup (void)
{
  gst_tfrc_histogram_init (&histogram);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

/* Compares with sorted data. The estimate is never below the true value. */
static void
assert_quantiles (guint64 *values, guint n)
{
  const gdouble fractions[] = { 0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };

  qsort (values, n, sizeof *values, compare);
  for (guint i = 0; i < G_N_ELEMENTS (fractions); i++) {
    guint rank = (guint) ceil (fractions[i] * n);
    guint64 exact = values[MAX (rank, 1) - 1];
    guint64 estimate = gst_tfrc_histogram_quantile_ns (&histogram, fractions[i]);

    fail_unless (estimate >= exact);
    fail_unless (estimate <= exact + exact * RELATIVE_ERROR + US);
  }
}

GST_START_TEST (nothing_counted_gives_zero)
{
  fail_unless_equals_uint64 (gst_tfrc_histogram_mean_ns (&histogram), 0);
  fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 0.5), 0);
  fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 1), 0);
  fail_unless_equals_uint64 (histogram.max_ns, 0);
}

GST_END_TEST;

GST_START_TEST (zeros_give_zero)
{
  for (guint i = 0; i < 10; i++)
    gst_tfrc_histogram_add (&histogram, 0);
  fail_unless_equals_uint64 (histogram.count, 10);
  fail_unless_equals_uint64 (gst_tfrc_histogram_mean_ns (&histogram), 0);
  fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 1), 0);
}

GST_END_TEST;

GST_START_TEST (mean_and_maximum_are_exact)
{
  const guint64 values[] = { 1500, 1700, 123456789, 1, 40 * GST_SECOND };
  guint64 sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    gst_tfrc_histogram_add (&histogram, values[i]);
    sum += values[i];
    fail_unless_equals_uint64 (gst_tfrc_histogram_mean_ns (&histogram), sum / (i + 1));
  }
  fail_unless_equals_uint64 (histogram.max_ns, 40 * GST_SECOND);
  fail_unless_equals_uint64 (histogram.count, G_N_ELEMENTS (values));
}

GST_END_TEST;

GST_START_TEST (one_value_is_every_quantile)
{
  for (guint shift = 0; shift < 38; shift++) {
    guint64 value = (G_GUINT64_CONSTANT (1) << shift) + shift;

    gst_tfrc_histogram_init (&histogram);
    gst_tfrc_histogram_add (&histogram, value);
    /* an estimate is never above the maximum, so it is exact here */
    fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 0), value);
    fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 0.5), value);
    fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 1), value);
  }
}

GST_END_TEST;

GST_START_TEST (quantiles_of_random_sets_are_close)
{
  GRand *rand = g_rand_new_with_seed (3);
  guint64 values[5000];

  for (guint round = 0; round < 60; round++) {
    guint n = g_rand_int_range (rand, 1, G_N_ELEMENTS (values) + 1);
    gdouble spread = 1 + round % 19;

    gst_tfrc_histogram_init (&histogram);
    for (guint i = 0; i < n; i++) {
      /* from nanoseconds to 178 s, on a logarithmic scale */
      values[i] = (guint64) exp (g_rand_double (rand) * spread * 1.363);
      gst_tfrc_histogram_add (&histogram, values[i]);
    }
    assert_quantiles (values, n);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (quantiles_at_the_edges_of_buckets_are_close)
{
  guint64 values[6];
  guint n = G_N_ELEMENTS (values);

  for (guint shift = 1; shift < 27; shift++) {
    gst_tfrc_histogram_init (&histogram);
    for (guint i = 0; i < n; i++) {
      values[i] = ((G_GUINT64_CONSTANT (1) << shift) + i - 3) * US;
      if ((gint64) values[i] < 0)
        values[i] = 0;
      gst_tfrc_histogram_add (&histogram, values[i]);
    }
    assert_quantiles (values, n);
  }
}

GST_END_TEST;

GST_START_TEST (a_rare_outlier_does_not_change_the_quantile)
{
  for (guint i = 0; i < 990; i++)
    gst_tfrc_histogram_add (&histogram, MS);
  for (guint i = 0; i < 10; i++)
    gst_tfrc_histogram_add (&histogram, GST_SECOND);
  fail_unless (gst_tfrc_histogram_quantile_ns (&histogram, 0.99) <= 1032 * US);
  fail_unless (gst_tfrc_histogram_quantile_ns (&histogram, 0.991) >= GST_SECOND);
}

GST_END_TEST;

GST_START_TEST (huge_values_count_as_the_longest_in_quantiles)
{
  const guint64 longest = (G_GUINT64_CONSTANT (1) << 28) * US;

  gst_tfrc_histogram_add (&histogram, G_MAXUINT64);
  gst_tfrc_histogram_add (&histogram, longest);
  fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 1), longest);
  fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 0), longest);
  fail_unless_equals_uint64 (histogram.max_ns, G_MAXUINT64);
}

GST_END_TEST;

GST_START_TEST (a_sum_beyond_all_bounds_stays_there)
{
  for (guint i = 0; i < 4; i++)
    gst_tfrc_histogram_add (&histogram, G_MAXUINT64 / 2);
  fail_unless (gst_tfrc_histogram_mean_ns (&histogram) >= G_MAXUINT64 / 4);
}

GST_END_TEST;

/* A stream of 20 Mbit/s that runs for a month has more values than 32 bits count, all about the same. */
GST_START_TEST (values_beyond_32_bits_still_count)
{
  gst_tfrc_histogram_add (&histogram, MS);
  for (guint i = 0; i < G_N_ELEMENTS (histogram.buckets); i++)
    if (histogram.buckets[i] > 0)
      histogram.buckets[i] = G_MAXUINT32;
  histogram.count = G_MAXUINT32;
  fail_unless (gst_tfrc_histogram_quantile_ns (&histogram, 0.99) >= MS);
  for (guint i = 0; i < 10; i++)
    gst_tfrc_histogram_add (&histogram, MS);
  fail_unless (gst_tfrc_histogram_quantile_ns (&histogram, 0.99) >= MS);
  fail_unless (gst_tfrc_histogram_quantile_ns (&histogram, 0.5) >= MS);
}

GST_END_TEST;

GST_START_TEST (fractions_out_of_range_are_the_nearest_in_it)
{
  gst_tfrc_histogram_add (&histogram, MS);
  gst_tfrc_histogram_add (&histogram, 2 * MS);
  fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, -1),
      gst_tfrc_histogram_quantile_ns (&histogram, 0));
  fail_unless_equals_uint64 (gst_tfrc_histogram_quantile_ns (&histogram, 7), 2 * MS);
}

GST_END_TEST;

static Suite *
histogram_suite (void)
{
  Suite *s = suite_create ("histogram");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, nothing_counted_gives_zero);
  tcase_add_test (tc, zeros_give_zero);
  tcase_add_test (tc, mean_and_maximum_are_exact);
  tcase_add_test (tc, one_value_is_every_quantile);
  tcase_add_test (tc, quantiles_of_random_sets_are_close);
  tcase_add_test (tc, quantiles_at_the_edges_of_buckets_are_close);
  tcase_add_test (tc, a_rare_outlier_does_not_change_the_quantile);
  tcase_add_test (tc, huge_values_count_as_the_longest_in_quantiles);
  tcase_add_test (tc, a_sum_beyond_all_bounds_stays_there);
  tcase_add_test (tc, values_beyond_32_bits_still_count);
  tcase_add_test (tc, fractions_out_of_range_are_the_nearest_in_it);
  return s;
}

GST_CHECK_MAIN (histogram);
