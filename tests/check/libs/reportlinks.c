/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receiver reports at the times of RFC 3550 make of a sender on a link */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "reportfixture.h"

#define KBIT (1000 / 8.0)

/* Plays for about a minute. */
static void
play (guint reports)
{
  for (guint i = 0; i < reports; i++)
    report_after (&t, regular_interval (i));
}

static double
loss_ratio (void)
{
  return (double) t.lost / t.sent;
}

/* Of payload */
static double
arrived_kbit_s (void)
{
  return t.delivered * S / KBIT / ((t.now - SECOND) / 1e9);
}

/* A queue of 20 packets, and 2 Mbit/s. A sender without control that wants to send as much loses a
 * quarter and more at 2.7 Mbit/s. */
static void
play_bottleneck (double demand_kbit_s, guint64 delay)
{
  report_test_clear (&t);
  report_test_init (&t);
  t.link_Bps = 2000 * KBIT;
  t.demand_Bps = demand_kbit_s * KBIT;
  t.delay = delay;
  play (16);
  fail_unless (
      loss_ratio () <= 0.02, "%g kbit/s, %g ms: %g", demand_kbit_s, delay / 1e6, loss_ratio ());
}

GST_START_TEST (a_movie_loses_little_on_a_slow_link)
{
  const double demands[] = { 500, 700, 1000, 1500, 1900, 4000 };
  const guint64 delays[] = { MS, 5 * MS, 20 * MS, 60 * MS };

  for (guint i = 0; i < G_N_ELEMENTS (demands); i++) {
    for (guint j = 0; j < G_N_ELEMENTS (delays); j++) {
      play_bottleneck (demands[i], delays[j]);
      /* what the link carries besides headers is 1924 kbit/s */
      fail_unless (arrived_kbit_s () > MIN (0.95 * demands[i], 1000), "%g", arrived_kbit_s ());
    }
  }
}

GST_END_TEST;

GST_START_TEST (a_link_that_is_full_for_long_is_used)
{
  t.link_Bps = 2000 * KBIT;
  play (80);
  fail_unless (loss_ratio () <= 0.02, "%g", loss_ratio ());
  fail_unless (arrived_kbit_s () > 0.85 * 1924, "%g", arrived_kbit_s ());
}

GST_END_TEST;

/* The link damages packets. The rate of the equation for 1 % and 100 ms is 1.2 Mbit/s. */
GST_START_TEST (losses_that_do_not_depend_on_the_rate_allow_the_rate_of_the_equation)
{
  t.link_Bps = 5000 * KBIT;
  t.delay = 50 * MS;
  t.every = 100;
  play (30);
  fail_unless (arrived_kbit_s () > 900 && arrived_kbit_s () < 1250, "%g", arrived_kbit_s ());
}

GST_END_TEST;

/* For two reports nothing comes. */
GST_START_TEST (the_rate_comes_back_after_an_outage)
{
  t.link_Bps = 2000 * KBIT;
  t.demand_Bps = 1000 * KBIT;
  play (10);
  t.link_Bps = 1; /* the queue is full for good */
  run_for (&t, 10 * SECOND);
  t.link_Bps = 2000 * KBIT;
  t.free_ns = t.now;
  play (10);
  fail_unless (t.backlog_bytes < 4 * t.demand_Bps, "%g s", t.backlog_bytes / t.demand_Bps);
}

GST_END_TEST;

GST_START_TEST (a_fast_link_is_used_in_time)
{
  t.demand_Bps = 4000 * KBIT;
  play (24);
  fail_unless (t.backlog_bytes < 2 * S, "%g s", t.backlog_bytes / t.demand_Bps);
  fail_unless_equals_uint64 (t.lost, 0);
}

GST_END_TEST;

/* Reports that come in each round-trip time, as feedback does */
GST_START_TEST (frequent_reports_are_as_good_as_feedback)
{
  t.link_Bps = 2000 * KBIT;
  for (guint i = 0; i < 600; i++)
    report_after (&t, 80 * MS);
  fail_unless (loss_ratio () <= 0.02, "%g", loss_ratio ());
  fail_unless (arrived_kbit_s () > 0.8 * 1924, "%g", arrived_kbit_s ());
}

GST_END_TEST;

static Suite *
reportlinks_suite (void)
{
  Suite *suite = suite_create ("reportlinks");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_movie_loses_little_on_a_slow_link);
  tcase_add_test (tcase, a_link_that_is_full_for_long_is_used);
  tcase_add_test (tcase, losses_that_do_not_depend_on_the_rate_allow_the_rate_of_the_equation);
  tcase_add_test (tcase, the_rate_comes_back_after_an_outage);
  tcase_add_test (tcase, a_fast_link_is_used_in_time);
  tcase_add_test (tcase, frequent_reports_are_as_good_as_feedback);
  return suite;
}

GST_CHECK_MAIN (reportlinks);
