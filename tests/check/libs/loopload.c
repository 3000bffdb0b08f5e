/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The load of an I/O loop's thread, see gst/io/looplimits.h. */
#include <gst/check/gstcheck.h>

#include "gst/io/looplimits.h"

#define WINDOW GST_TFRC_LOOP_WINDOW_NS
#define SHARE (WINDOW / 100 * GST_TFRC_LOOP_BUSY_PERCENT)

static GstTfrcLoopLoad load;
static guint64 now_ns, cpu_ns;

static void
setup (void)
{
  now_ns = 5000 * GST_SECOND;
  cpu_ns = 3 * GST_SECOND;
  gst_tfrc_loop_load_init (&load, now_ns, cpu_ns);
}

static void
pass_window (guint64 work_ns)
{
  now_ns += WINDOW;
  cpu_ns += work_ns;
  gst_tfrc_loop_load_on_window (&load, now_ns, cpu_ns);
}

GST_START_TEST (a_new_thread_is_not_busy)
{
  fail_if (gst_tfrc_loop_load_is_busy (&load, now_ns));
}

GST_END_TEST;

GST_START_TEST (a_window_is_over_after_its_length)
{
  fail_if (gst_tfrc_loop_load_is_due (&load, now_ns + WINDOW - 1));
  fail_unless (gst_tfrc_loop_load_is_due (&load, now_ns + WINDOW));
  pass_window (0);
  fail_if (gst_tfrc_loop_load_is_due (&load, now_ns + WINDOW - 1));
  fail_unless (gst_tfrc_loop_load_is_due (&load, now_ns + WINDOW));
}

GST_END_TEST;

GST_START_TEST (more_than_three_fifths_of_a_processor_are_busy)
{
  pass_window (SHARE);
  fail_if (gst_tfrc_loop_load_is_busy (&load, now_ns));
  pass_window (SHARE + 1);
  fail_unless (gst_tfrc_loop_load_is_busy (&load, now_ns));
  pass_window (SHARE);
  fail_if (gst_tfrc_loop_load_is_busy (&load, now_ns));
}

GST_END_TEST;

GST_START_TEST (a_long_window_counts_by_its_own_length)
{
  now_ns += 3 * WINDOW;
  pass_window (4 * SHARE);
  fail_if (gst_tfrc_loop_load_is_busy (&load, now_ns));
  now_ns += 3 * WINDOW;
  pass_window (4 * SHARE + 1);
  fail_unless (gst_tfrc_loop_load_is_busy (&load, now_ns));
}

GST_END_TEST;

GST_START_TEST (a_thread_that_says_nothing_is_not_busy_for_ever)
{
  pass_window (WINDOW);
  fail_unless (gst_tfrc_loop_load_is_busy (&load, now_ns + GST_TFRC_LOOP_BUSY_MEMORY_NS - 1));
  fail_if (gst_tfrc_loop_load_is_busy (&load, now_ns + GST_TFRC_LOOP_BUSY_MEMORY_NS));
}

GST_END_TEST;

static Suite *
loopload_suite (void)
{
  Suite *s = suite_create ("loopload");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, a_new_thread_is_not_busy);
  tcase_add_test (tc, a_window_is_over_after_its_length);
  tcase_add_test (tc, more_than_three_fifths_of_a_processor_are_busy);
  tcase_add_test (tc, a_long_window_counts_by_its_own_length);
  tcase_add_test (tc, a_thread_that_says_nothing_is_not_busy_for_ever);
  return s;
}

GST_CHECK_MAIN (loopload);
