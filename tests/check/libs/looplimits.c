/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of the I/O loops, see gst/io/looplimits.h. */
#define _GNU_SOURCE 1 /* sched_setaffinity */
#include <sched.h>
#include <gst/check/gstcheck.h>

#include "gst/io/looplimits.h"

static guint warnings;

static void
count_warning (const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer unused)
{
  fail_unless (strstr (message, "TFRC_THREADS") != NULL);
  warnings++;
}

static guint
loops_with (const gchar *threads)
{
  GstTfrcLoopLimits limits;

  if (threads)
    g_setenv ("TFRC_THREADS", threads, TRUE);
  else
    g_unsetenv ("TFRC_THREADS");
  gst_tfrc_loop_limits_get (&limits);
  g_unsetenv ("TFRC_THREADS");
  fail_unless_equals_int (limits.streams_per_loop, GST_TFRC_IO_STREAMS_PER_LOOP);
  return limits.loops;
}

GST_START_TEST (the_environment_says_how_many_loops_there_may_be)
{
  fail_unless_equals_int (loops_with ("1"), 1);
  fail_unless_equals_int (loops_with ("7"), 7);
  fail_unless_equals_int (loops_with ("64"), 64);
}

GST_END_TEST;

GST_START_TEST (without_it_there_is_a_loop_for_each_processor_of_the_thread)
{
  cpu_set_t before, one;
  gint cpu = 0;

  fail_unless_equals_int (sched_getaffinity (0, sizeof before, &before), 0);
  fail_unless_equals_int (loops_with (NULL), MIN (CPU_COUNT (&before), 64));
  while (!CPU_ISSET (cpu, &before))
    cpu++;
  CPU_ZERO (&one);
  CPU_SET (cpu, &one);
  fail_unless_equals_int (sched_setaffinity (0, sizeof one, &one), 0);
  fail_unless_equals_int (loops_with (NULL), 1);
  fail_unless_equals_int (sched_setaffinity (0, sizeof before, &before), 0);
}

GST_END_TEST;

GST_START_TEST (what_is_no_number_of_loops_is_as_none_and_warns_once)
{
  static const gchar *const wrong[] = { "", "0", "-1", "65", "99999999999999999999", "many", "2 ",
    "0x2", "1.5" };
  guint without = loops_with (NULL);
  guint handler = g_log_set_handler (NULL, G_LOG_LEVEL_WARNING, count_warning, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    fail_unless_equals_int (loops_with (wrong[i]), without);
    fail_unless_equals_int (warnings, 1);
  }
  g_log_remove_handler (NULL, handler);
}

GST_END_TEST;

static Suite *
looplimits_suite (void)
{
  Suite *s = suite_create ("looplimits");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_environment_says_how_many_loops_there_may_be);
  tcase_add_test (tc, without_it_there_is_a_loop_for_each_processor_of_the_thread);
  tcase_add_test (tc, what_is_no_number_of_loops_is_as_none_and_warns_once);
  return s;
}

GST_CHECK_MAIN (looplimits);
