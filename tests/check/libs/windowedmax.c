/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The greatest value of the last one to two periods */
#include <gst/check/gstcheck.h>
#include <tfrc/windowed_max.h>

#define PERIOD (10 * GST_SECOND)

static TfrcWindowedMax window;

static void
setup (void)
{
  tfrc_windowed_max_init (&window);
}

static gdouble
update (gdouble value, guint64 now_ns)
{
  return tfrc_windowed_max_update (&window, value, PERIOD, now_ns);
}

GST_START_TEST (test_value_counts_for_its_period_and_the_next)
{
  fail_unless (update (5, 0) == 5);
  fail_unless (update (1, PERIOD - 1) == 5);
  fail_unless (update (2, PERIOD) == 5);
  fail_unless (update (1, 2 * PERIOD - 1) == 5);
  fail_unless (update (1, 2 * PERIOD) == 2);
  fail_unless (update (3, 2 * PERIOD + 1) == 3);
  fail_unless (update (-1, 3 * PERIOD) == 3);
  fail_unless (update (-1, 4 * PERIOD) == -1);
}

GST_END_TEST;

GST_START_TEST (test_nothing_counts_from_before_two_periods_without_a_value)
{
  fail_unless (update (5, 0) == 5);
  fail_unless (update (1, 2 * PERIOD - 1) == 5);
  setup ();
  fail_unless (update (5, 0) == 5);
  fail_unless (update (1, 2 * PERIOD) == 1);
  setup ();
  fail_unless (update (5, 0) == 5);
  fail_unless (update (1, 3600 * GST_SECOND) == 1);
  /* the new period is as long as any */
  fail_unless (update (0, 3600 * GST_SECOND + 2 * PERIOD - 1) == 1);
  fail_unless (update (0, 3600 * GST_SECOND + 3 * PERIOD - 1) == 0);
}

GST_END_TEST;

static Suite *
windowedmax_suite (void)
{
  Suite *suite = suite_create ("windowedmax");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_value_counts_for_its_period_and_the_next);
  tcase_add_test (tc, test_nothing_counts_from_before_two_periods_without_a_value);
  return suite;
}

GST_CHECK_MAIN (windowedmax);
