/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real-time threads that work too much, see gst/io/looppace.h. */
#include <gst/check/gstcheck.h>

#include "gst/io/looppace.h"

#define US GST_USECOND
#define MS GST_MSECOND
#define LIMIT GST_TFRC_BUSY_LIMIT_NS

static GstTfrcBusyGuard guard;
static guint64 now_ns, cpu_ns;

static void
setup (void)
{
  now_ns = 5000 * GST_SECOND;
  cpu_ns = 3 * GST_SECOND;
  gst_tfrc_busy_guard_init (&guard, now_ns, cpu_ns);
}

static gboolean
work_and_rest (guint64 work_ns, guint64 rest_ns)
{
  cpu_ns += work_ns;
  now_ns += work_ns + rest_ns;
  return gst_tfrc_busy_guard_on_wakeup (&guard, now_ns, cpu_ns);
}

GST_START_TEST (work_without_rest_is_allowed_up_to_the_limit)
{
  for (guint64 done_ns = 0; done_ns < LIMIT; done_ns += 10 * US)
    fail_if (work_and_rest (10 * US, 0));
  fail_unless (work_and_rest (1, 0));
}

GST_END_TEST;

GST_START_TEST (four_fifths_of_a_processor_are_allowed_for_ever)
{
  for (guint i = 0; i < 100000; i++)
    fail_if (work_and_rest (4 * MS, 1 * MS));
}

GST_END_TEST;

/* Each round adds 4.1 ms - 4 * 1 ms. The last round reaches the limit before its rest. */
GST_START_TEST (more_than_four_fifths_of_a_processor_are_too_much_in_the_end)
{
  guint rounds = 1;

  while (!work_and_rest (4100 * US, 1 * MS))
    fail_unless (++rounds < 10000);
  fail_unless_equals_int (rounds, LIMIT / (100 * US) + 1);
}

GST_END_TEST;

GST_START_TEST (a_thread_that_is_stopped_or_preempted_does_not_work)
{
  fail_if (work_and_rest (10 * US, 20 * GST_SECOND));
  fail_if (work_and_rest (LIMIT, 0));
  fail_if (work_and_rest (0, LIMIT / GST_TFRC_BUSY_PER_REST));
  fail_if (work_and_rest (LIMIT, 0));
  fail_unless (work_and_rest (1, 0));
}

GST_END_TEST;

GST_START_TEST (clocks_that_disagree_a_little_do_no_harm)
{
  cpu_ns += 2 * US;
  now_ns += 1 * US;
  fail_if (gst_tfrc_busy_guard_on_wakeup (&guard, now_ns, cpu_ns));
  fail_unless_equals_uint64 (guard.debt_ns, 2 * US);
}

GST_END_TEST;

static Suite *
busyguard_suite (void)
{
  Suite *s = suite_create ("busyguard");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, work_without_rest_is_allowed_up_to_the_limit);
  tcase_add_test (tc, four_fifths_of_a_processor_are_allowed_for_ever);
  tcase_add_test (tc, more_than_four_fifths_of_a_processor_are_too_much_in_the_end);
  tcase_add_test (tc, a_thread_that_is_stopped_or_preempted_does_not_work);
  tcase_add_test (tc, clocks_that_disagree_a_little_do_no_harm);
  return s;
}

GST_CHECK_MAIN (busyguard);
