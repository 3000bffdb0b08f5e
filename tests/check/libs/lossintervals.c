/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss intervals, their average and history discounting (RFC 5348 sections
 * 5.3 to 5.5). */
#include <tfrc/loss_intervals.h>

#include "closeto.h"
#include "vectors.h"

#define ROUNDING 1e-14

GST_START_TEST (test_weights_match_reference_values)
{
  Vectors v;

  vectors_open (&v, "weights.csv", "n,i,w");
  while (vectors_next (&v))
    vectors_assert (&v, 2,
        tfrc_loss_weight ((guint) vectors_number (&v, 1), (guint) vectors_number (&v, 0)),
        ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_weights_of_eight_intervals)
{
  const gdouble weights[] = { 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2 };

  for (guint i = 0; i < 8; i++)
    fail_unless_equals_float (tfrc_loss_weight (i, 8), weights[i]);
}

GST_END_TEST;

/* Replays one row of intervals.csv. *highest is that of the previous row. */
static void
replay (TfrcLossIntervals *li, const Vectors *v, guint64 *highest)
{
  const gchar *op = v->cells[3];
  gdouble arg = vectors_number (v, 4);
  guint64 seq;

  if (g_str_equal (op, "first")) {
    tfrc_loss_intervals_init (li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, (guint) vectors_number (v, 1),
        vectors_number (v, 2) != 0);
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

GST_START_TEST (test_average_matches_reference_values)
{
  Vectors v;
  TfrcLossIntervals li;
  guint64 highest = 0;

  vectors_open (&v, "intervals.csv", "case,n,discounting,op,arg,mean");
  while (vectors_next (&v)) {
    replay (&li, &v, &highest);
    vectors_assert (&v, 5, tfrc_loss_intervals_mean (&li, highest), 1e-12);
  }
}

GST_END_TEST;

GST_START_TEST (test_no_average_before_the_first_event)
{
  TfrcLossIntervals li;

  tfrc_loss_intervals_init (&li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 8, TRUE);
  fail_unless (tfrc_loss_intervals_mean (&li, 1000000) == 0);
}

GST_END_TEST;

GST_START_TEST (test_single_marked_packet_is_an_interval_of_one)
{
  TfrcLossIntervals li;

  tfrc_loss_intervals_init (&li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 8, TRUE);
  tfrc_loss_intervals_first_event (&li, 1, 100, 0);
  fail_unless (tfrc_loss_intervals_mean (&li, 100) == 1);
  fail_unless (tfrc_loss_intervals_mean (&li, 101) == 2);
}

GST_END_TEST;

GST_START_TEST (test_current_interval_counts_only_when_it_raises_the_average)
{
  TfrcLossIntervals li;

  tfrc_loss_intervals_init (&li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 8, FALSE);
  tfrc_loss_intervals_first_event (&li, 4, 100, 0);
  tfrc_loss_intervals_new_event (&li, 110, 0);
  /* with I_1 = 10 and I_2 = 4: (10 + 4) / 2; with I_0: (I_0 + 10) / 2 */
  fail_unless (tfrc_loss_intervals_mean (&li, 110) == 7);
  fail_unless (tfrc_loss_intervals_mean (&li, 113) == 7);
  fail_unless (tfrc_loss_intervals_mean (&li, 114) == 7.5);
  fail_unless (tfrc_loss_intervals_mean (&li, 139) == 20);
}

GST_END_TEST;

/* Starts with a history of equal intervals, then I_0 = 1. */
static void
init_equal (TfrcLossIntervals *li, guint n, gboolean discounting, guint64 length)
{
  tfrc_loss_intervals_init (li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, n, discounting);
  tfrc_loss_intervals_first_event (li, length, 1000, 0);
  for (guint i = 1; i < n; i++)
    tfrc_loss_intervals_new_event (li, li->start_seq + length, 0);
}

GST_START_TEST (test_long_current_interval_discounts_the_others)
{
  TfrcLossIntervals li;

  init_equal (&li, 8, TRUE, 100);
  /* DF = 1 up to twice the average */
  assert_within (
      tfrc_loss_intervals_mean (&li, li.start_seq + 199), (200 + 5 * 100) / 6.0, ROUNDING);
  /* I_0 = 400: DF = 0.5 */
  assert_within (tfrc_loss_intervals_mean (&li, li.start_seq + 399),
      (400 + 5 * 0.5 * 100) / (1 + 5 * 0.5), ROUNDING);
  /* I_0 = 4000: DF = THRESHOLD */
  assert_within (tfrc_loss_intervals_mean (&li, li.start_seq + 3999),
      (4000 + 5 * 0.25 * 100) / (1 + 5 * 0.25), ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_discounting_can_be_turned_off)
{
  TfrcLossIntervals li;

  init_equal (&li, 8, FALSE, 100);
  assert_within (
      tfrc_loss_intervals_mean (&li, li.start_seq + 399), (400 + 5 * 100) / 6.0, ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_discount_stays_with_the_older_intervals)
{
  TfrcLossIntervals li;

  init_equal (&li, 8, TRUE, 100);
  tfrc_loss_intervals_new_event (&li, li.start_seq + 400, 0);
  fail_unless_equals_float (li.length[1], 400);
  fail_unless_equals_float (li.discount[1], 1);
  for (guint i = 2; i <= 8; i++) {
    fail_unless_equals_float (li.length[i], 100);
    fail_unless_equals_float (li.discount[i], 0.5);
  }
  /* I_mean = (400 + 100 * 0.5 * 5) / 3.5 = 185.7: 1000 discounts once more */
  tfrc_loss_intervals_new_event (&li, li.start_seq + 1000, 0);
  fail_unless_equals_float (li.discount[1], 1);
  assert_within (li.discount[2], 2 * (650 / 3.5) / 1000, ROUNDING);
  assert_within (li.discount[3], (650 / 3.5) / 1000, ROUNDING);
}

GST_END_TEST;

GST_START_TEST (test_history_forgets_the_oldest_interval)
{
  TfrcLossIntervals li;

  tfrc_loss_intervals_init (&li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 4, FALSE);
  tfrc_loss_intervals_first_event (&li, 1e9, 1000, 0);
  for (guint i = 0; i < 4; i++) {
    fail_unless (tfrc_loss_intervals_mean (&li, li.start_seq) > 1e7);
    fail_unless_equals_int (li.closed, i + 1);
    tfrc_loss_intervals_new_event (&li, li.start_seq + 10, 0);
  }
  fail_unless_equals_int (li.closed, 4);
  fail_unless_equals_float (tfrc_loss_intervals_mean (&li, li.start_seq), 10);
  fail_unless_equals_uint64 (li.events, 5);
}

GST_END_TEST;

GST_START_TEST (test_each_method_has_a_function)
{
  fail_unless (tfrc_loss_average_find (TFRC_LOSS_INTERVAL_METHOD_WEIGHTED) != NULL);
  fail_unless (tfrc_loss_average_find ((TfrcLossIntervalMethod) 77) == NULL);
  fail_unless (tfrc_loss_average_find ((TfrcLossIntervalMethod) -1) == NULL);
}

GST_END_TEST;

/* The history gives a method the newest interval and the closed intervals, and returns the average
 * that the method computes. */
static TfrcLossAverageInput seen;
static gdouble seen_lengths[3];

static gdouble
average_of_the_test (const TfrcLossAverageInput *input)
{
  seen = *input;
  memcpy (seen_lengths, input->length + 1, sizeof seen_lengths);
  return 1234;
}

GST_START_TEST (test_method_gets_the_newest_and_the_closed_intervals)
{
  TfrcLossIntervals li;

  tfrc_loss_intervals_init (&li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 8, TRUE);
  li.average = average_of_the_test;
  tfrc_loss_intervals_first_event (&li, 10, 100, 0);
  tfrc_loss_intervals_new_event (&li, 120, 0);
  tfrc_loss_intervals_new_event (&li, 150, 0);
  fail_unless (tfrc_loss_intervals_mean (&li, 159) == 1234);
  fail_unless (seen.newest == 10);
  fail_unless (seen.newest_discount == 1);
  fail_unless_equals_int (seen.n, 8);
  fail_unless_equals_int (seen.closed, 3);
  fail_unless (seen_lengths[0] == 30 && seen_lengths[1] == 20 && seen_lengths[2] == 10);
  /* an interval of four times the average of 20 halves the others' weights */
  fail_unless (tfrc_loss_intervals_mean (&li, 150 + 79) == 1234);
  fail_unless (seen.newest == 80);
  fail_unless (seen.newest_discount == 0.5);
}

GST_END_TEST;

/* The interval that ends there is of the time after. */
GST_START_TEST (test_moments_count_from_their_sequence_number_on)
{
  for (guint before = 0; before < 2; before++) {
    TfrcLossIntervals li;

    tfrc_loss_intervals_init (&li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 8, TRUE);
    tfrc_loss_intervals_first_event (&li, 10, 100, 0);
    tfrc_loss_intervals_reset_moments (&li, 110);
    tfrc_loss_intervals_new_event (&li, 110 - before, 0);
    fail_unless_equals_uint64 (li.moments.intervals, 1 - before);
  }
}

GST_END_TEST;

static Suite *
lossintervals_suite (void)
{
  Suite *suite = suite_create ("lossintervals");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_weights_match_reference_values);
  tcase_add_test (tc, test_weights_of_eight_intervals);
  tcase_add_test (tc, test_average_matches_reference_values);
  tcase_add_test (tc, test_no_average_before_the_first_event);
  tcase_add_test (tc, test_single_marked_packet_is_an_interval_of_one);
  tcase_add_test (tc, test_current_interval_counts_only_when_it_raises_the_average);
  tcase_add_test (tc, test_long_current_interval_discounts_the_others);
  tcase_add_test (tc, test_discounting_can_be_turned_off);
  tcase_add_test (tc, test_each_method_has_a_function);
  tcase_add_test (tc, test_method_gets_the_newest_and_the_closed_intervals);
  tcase_add_test (tc, test_discount_stays_with_the_older_intervals);
  tcase_add_test (tc, test_history_forgets_the_oldest_interval);
  tcase_add_test (tc, test_moments_count_from_their_sequence_number_on);
  return suite;
}

GST_CHECK_MAIN (lossintervals);
