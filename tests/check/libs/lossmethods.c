/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Averages of the loss intervals of enhanced TFRC (eq. 6 to 10). */
#include <tfrc/loss_intervals.h>

#include "closeto.h"
#include "vectors.h"

#define ROUNDING 1e-14

static const TfrcLossIntervalMethod methods[] = { TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE,
  TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE, TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE,
  TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE };

static TfrcLossIntervalMethod
method_of (const gchar *name)
{
  const gchar *names[] = { "ci-replace", "ci-include", "mean-replace", "mean-include" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      return methods[i];
  fail ("no method %s", name);
  return TFRC_LOSS_INTERVAL_METHOD_WEIGHTED;
}

/* Replays one row of loss_methods.csv.  *highest is that of the previous row. */
static void
replay (TfrcLossIntervals *li, const Vectors *v, guint64 *highest)
{
  const gchar *op = v->cells[4];
  gdouble arg = vectors_number (v, 5);
  guint64 seq;

  if (g_str_equal (op, "first")) {
    tfrc_loss_intervals_init (
        li, method_of (v->cells[1]), (guint) vectors_number (v, 2), vectors_number (v, 3) != 0);
    *highest = 65536;
    tfrc_loss_intervals_first_event (li, arg, *highest, 0);
  } else if (g_str_equal (op, "grow")) {
    *highest = li->start_seq + (guint64) arg - 1;
  } else {
    fail_unless_equals_string (op, "event");
    seq = li->start_seq + (guint64) arg;
    tfrc_loss_intervals_new_event (li, seq, 0);
    *highest = seq;
  }
}

GST_START_TEST (test_averages_match_reference_values)
{
  TfrcLossIntervals li;
  guint64 highest = 0;
  Vectors v;

  vectors_open (&v, "loss_methods.csv", "case,method,n,discounting,op,arg,mean");
  while (vectors_next (&v)) {
    replay (&li, &v, &highest);
    vectors_assert (&v, 6, tfrc_loss_intervals_mean (&li, highest), 1e-12);
  }
}

GST_END_TEST;

/* A history of at most n intervals; I_0 = 1.  lengths: the oldest first, 0 at the end. */
static gdouble
average_of (TfrcLossIntervalMethod method, guint n, const gdouble *lengths, guint64 newest)
{
  TfrcLossIntervals li;

  tfrc_loss_intervals_init (&li, method, n, FALSE);
  tfrc_loss_intervals_first_event (&li, *lengths++, 1000, 0);
  for (; *lengths > 0; lengths++)
    tfrc_loss_intervals_new_event (&li, li.start_seq + (guint64) *lengths, 0);
  return tfrc_loss_intervals_mean (&li, li.start_seq + newest - 1);
}

/* I_1 .. I_4 = 40, 10, 20, 30 have the weights 1, 1, 2/3, 1/3.  m = 25, sd = sqrt (125), and the
 * bounds are m -+ 1.96 sd / 2 = 14.04 and 35.96. */
GST_START_TEST (test_average_of_four_intervals)
{
  const gdouble lengths[] = { 30, 20, 10, 40, 0 };
  const gdouble rest = 20 * 2 / 3.0 + 30 / 3.0;

  assert_within (
      average_of (TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 4, lengths, 1), (50 + rest) / 3, ROUNDING);
  /* the bounds have the mean 25, as the shortest and the longest */
  assert_within (
      average_of (TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE, 4, lengths, 1), (50 + rest) / 3, ROUNDING);
  assert_within (
      average_of (TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE, 4, lengths, 1), (100 + rest) / 5, ROUNDING);
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE, 4, lengths, 1),
      (50 + rest) / 3, ROUNDING);
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE, 4, lengths, 1),
      (50 + rest + 25 * 3 / 4.0) / 3.75, ROUNDING);
}

GST_END_TEST;

/* The longest interval is I_3, with the weight 2/3, and the shortest is I_1. */
GST_START_TEST (test_bounds_have_the_weights_of_the_intervals_they_stand_for)
{
  const gdouble lengths[] = { 30, 40, 20, 10, 0 };
  const gdouble bound = 1.96 * sqrt (125) / 2, low = 25 - bound, high = 25 + bound;

  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE, 4, lengths, 1),
      (low + 20 + high * 2 / 3 + 30 / 3.0) / 3, ROUNDING);
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE, 4, lengths, 1),
      (10 + low + 20 + (40 + high) * 2 / 3 + 30 / 3.0) / (3 + 1 + 2 / 3.0), ROUNDING);
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE, 4, lengths, 1),
      (25 + 20 + 25 * 2 / 3.0 + 30 / 3.0) / 3, ROUNDING);
}

GST_END_TEST;

/* With the newest interval all weights move one place, and I_4 with what stands beside it counts no
 * more. */
GST_START_TEST (test_newest_interval_moves_the_weights)
{
  const gdouble lengths[] = { 40, 30, 20, 10, 0 };
  const gdouble bound = 1.96 * sqrt (125) / 2, low = 25 - bound;

  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE, 4, lengths, 100),
      (100 + low + 20 * 2 / 3.0 + 30 / 3.0) / 3, ROUNDING);
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE, 4, lengths, 100),
      (100 + 10 + low + 20 * 2 / 3.0 + 30 / 3.0) / 4, ROUNDING);
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE, 4, lengths, 100),
      (100 + 10 + 20 * 2 / 3.0 + 30 / 3.0 + 25 * 2 / 4.0) / 3.5, ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_newest_interval_has_no_part_in_mean_and_bounds)
{
  const gdouble lengths[] = { 30, 20, 10, 40, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    fail_unless (average_of (methods[i], 4, lengths, 1) == average_of (methods[i], 4, lengths, 15));
}

GST_END_TEST;

/* The newest of the equal intervals has the larger weight. */
GST_START_TEST (test_of_equal_intervals_the_newest_is_replaced)
{
  const gdouble lengths[] = { 10, 40, 40, 10, 0 };

  /* I_1 and I_2 */
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE, 4, lengths, 1),
      (25 + 25 + 40 * 2 / 3.0 + 10 / 3.0) / 3, ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_equal_intervals_change_nothing)
{
  const gdouble one[] = { 12.5, 0 }, equal[] = { 30, 30, 30, 30, 30, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    assert_within (average_of (methods[i], 8, one, 1), 12.5, ROUNDING);
    assert_within (average_of (methods[i], 8, one, 100), 100, ROUNDING);
    assert_within (average_of (methods[i], 8, equal, 1), 30, ROUNDING);
    /* I_0 has the weight 1, four of the closed intervals count */
    assert_within (average_of (methods[i], 8, equal, 60), (60 + 3.8 * 30) / 4.8, ROUNDING);
  }
}

GST_END_TEST;

/* With two intervals 1.96 / sqrt (2) is more than 1: the bounds lie outside. */
GST_START_TEST (test_bounds_of_two_intervals_are_wider_than_the_intervals)
{
  const gdouble lengths[] = { 20, 10, 0 };
  const gdouble bound = 1.96 * 5 / sqrt (2);

  fail_unless (bound > 5);
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE, 2, lengths, 1),
      (15 - bound + (15 + bound) / 2) / 1.5, ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_lower_bound_is_at_least_one_packet)
{
  const gdouble lengths[] = { 100, 1, 1, 1, 1, 1, 1, 1, 0 };
  /* m = 13.375, sd = 32.74: m - 1.96 sd / sqrt (8) = -9.3 */
  const gdouble high = 13.375 + 1.96 * sqrt ((86.625 * 86.625 + 7 * 12.375 * 12.375) / 8 / 8);

  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE, 8, lengths, 1),
      (5.8 + high * 0.2) / 6, ROUNDING);
  assert_within (average_of (TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE, 8, lengths, 1),
      (6.8 + (100 + high) * 0.2) / 7.2, ROUNDING);
}

GST_END_TEST;

/* DF is that of the plain average, whatever the method. */
GST_START_TEST (test_discount_factors_do_not_depend_on_the_method)
{
  TfrcLossIntervals plain, li;

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    tfrc_loss_intervals_init (&plain, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 8, TRUE);
    tfrc_loss_intervals_init (&li, methods[i], 8, TRUE);
    tfrc_loss_intervals_first_event (&plain, 10, 1000, 0);
    tfrc_loss_intervals_first_event (&li, 10, 1000, 0);
    for (guint length = 10; length < 10000; length *= 3) {
      tfrc_loss_intervals_new_event (&plain, plain.start_seq + length, 0);
      tfrc_loss_intervals_new_event (&li, li.start_seq + length, 0);
    }
    fail_unless (li.discount[3] < 1);
    fail_unless (memcmp (li.discount, plain.discount, sizeof li.discount) == 0);
  }
}

GST_END_TEST;

/* Returns a random number in (0, 1), the same in every run. */
static gdouble
draw (guint64 *state)
{
  *state = *state * G_GUINT64_CONSTANT (6364136223846793005)
      + G_GUINT64_CONSTANT (1442695040888963407);
  return ((*state >> 11) + 0.5) / G_GUINT64_CONSTANT (9007199254740992);
}

/* The mean of 100000 averages of eight closed intervals, which are random with an exponential
 * distribution, and their deviation in relation to the mean */
static void
average_random_intervals (TfrcLossIntervalMethod method, gdouble *mean, gdouble *deviation)
{
  const guint n = 100000;
  gdouble sum = 0, squares = 0;
  TfrcLossIntervals li;
  guint64 state = 1;

  tfrc_loss_intervals_init (&li, method, 8, FALSE);
  tfrc_loss_intervals_first_event (&li, 100, 1000, 0);
  for (guint i = 0; i < n + 8; i++) {
    gdouble average;

    tfrc_loss_intervals_new_event (
        &li, li.start_seq + (guint64) ceil (-100 * log (draw (&state))), 0);
    average = i < 8 ? 0 : tfrc_loss_intervals_mean (&li, li.start_seq);
    sum += average;
    squares += average * average;
  }
  *mean = sum / n;
  *deviation = sqrt (squares / n - *mean * *mean) / *mean;
}

/* docs/results.md, "Enhanced TFRC", has these numbers. */
GST_START_TEST (test_replacing_shortens_the_average_of_random_intervals)
{
  const struct
  {
    TfrcLossIntervalMethod method;
    gdouble mean, deviation;
  } expected[] = {
    { TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 100.343, 0.37896 },
    { TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE, 89.858, 0.38105 },
    { TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE, 100.167, 0.38189 },
    { TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE, 89.884, 0.37714 },
    { TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE, 100.343, 0.37357 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    gdouble mean, deviation;

    average_random_intervals (expected[i].method, &mean, &deviation);
    assert_within (mean, expected[i].mean, 1e-5);
    assert_within (deviation, expected[i].deviation, 2e-5);
  }
}

GST_END_TEST;

static Suite *
lossmethods_suite (void)
{
  Suite *suite = suite_create ("lossmethods");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_averages_match_reference_values);
  tcase_add_test (tc, test_average_of_four_intervals);
  tcase_add_test (tc, test_bounds_have_the_weights_of_the_intervals_they_stand_for);
  tcase_add_test (tc, test_newest_interval_moves_the_weights);
  tcase_add_test (tc, test_newest_interval_has_no_part_in_mean_and_bounds);
  tcase_add_test (tc, test_of_equal_intervals_the_newest_is_replaced);
  tcase_add_test (tc, test_equal_intervals_change_nothing);
  tcase_add_test (tc, test_bounds_of_two_intervals_are_wider_than_the_intervals);
  tcase_add_test (tc, test_lower_bound_is_at_least_one_packet);
  tcase_add_test (tc, test_discount_factors_do_not_depend_on_the_method);
  tcase_add_test (tc, test_replacing_shortens_the_average_of_random_intervals);
  return suite;
}

GST_CHECK_MAIN (lossmethods);
