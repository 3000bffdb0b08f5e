/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limit of X while receiver reports control it: its rules and its numbers, see lib/tfrc/report_limit.h. */
#include <tfrc/report_limit.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)
#define BASE 100000.0
#define R (50 * MS)
#define BYTES 1000

static TfrcReportLimit limit;
static guint64 now;

static void
setup (void)
{
  now = 10 * SECOND;
  tfrc_report_limit_init (&limit, BASE, R, now);
}

static double
limit_in (guint64 after_ns)
{
  return tfrc_report_limit_Bps (&limit, now + after_ns);
}

/* So many bytes leave, evenly, in the first part of the trial or all of it. */
static void
try_bytes (guint64 bytes)
{
  for (guint64 sent = 0; sent < bytes; sent += BYTES)
    tfrc_report_limit_on_packet (&limit, BYTES, now + sent * 399 * MS / bytes);
}

/* A report about 1000 packets comes 4 s later. */
static void
report (guint lost, double x_recv_Bps, double equation_Bps)
{
  TfrcReportInterval interval = { .packets = 1000,
    .lost = lost,
    .bytes = 1000 * BYTES,
    .x_recv_Bps = x_recv_Bps,
    .equation_Bps = equation_Bps,
    .elapsed_ns = 4 * SECOND,
    .measured_ns = 4 * SECOND,
    .rtt_ns = R };

  now += 4 * SECOND;
  interval.now_ns = now;
  tfrc_report_limit_on_report (&limit, &interval);
}

/* ---- trials ---------------------------------------------------------------------- */

GST_START_TEST (test_a_trial_is_twice_the_base_for_400_ms_or_4_r)
{
  assert_close (limit_in (0), 2 * BASE);
  assert_close (limit_in (400 * MS - 1), 2 * BASE);
  assert_close (limit_in (400 * MS), BASE);
  tfrc_report_limit_init (&limit, BASE, 150 * MS, now);
  assert_close (limit_in (600 * MS - 1), 2 * BASE);
  assert_close (limit_in (600 * MS), BASE);
}

GST_END_TEST;

/* 0.8 of what has left in the trial, and of twice the base at most: a burst before it counts with it. */
GST_START_TEST (test_a_trial_that_has_passed_gives_four_fifths_of_its_rate)
{
  try_bytes (60000); /* 150000 byte/s */
  report (0, 1000, 0);
  assert_close (limit.base_Bps, 0.8 * 150000);
  assert_close (limit_in (0), 2 * 0.8 * 150000);
  setup ();
  try_bytes (200000);
  report (0, 1000, 0);
  assert_close (limit.base_Bps, 0.8 * 2 * BASE);
}

GST_END_TEST;

/* Of 1000 packets 8 are usual, and 12 are half as many again. */
GST_START_TEST (test_a_trial_fails_with_more_than_half_as_many_losses_again)
{
  static const struct
  {
    guint lost;
    double base_Bps;
  } cases[] = { { 12, 0.8 * 2 * BASE }, { 13, BASE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    setup ();
    report (8, 1000, 1000); /* this trial fails: none is usual yet */
    assert_close (limit_in (0), BASE);
    report (8, 1000, 1000);
    assert_close (limit_in (0), 2 * BASE);
    try_bytes (80000);
    report (cases[i].lost, 1000, 1000);
    assert_close (limit.base_Bps, cases[i].base_Bps);
  }
}

GST_END_TEST;

/* ---- without trials ----------------------------------------------------------------- */

GST_START_TEST (test_the_base_grows_to_three_percent_above_what_arrives)
{
  report (0, BASE, 0);
  assert_close (limit.base_Bps, 1.03 * BASE);
  report (0, 0.9 * BASE, 0);
  assert_close (limit.base_Bps, 1.03 * BASE);
}

GST_END_TEST;

/* ---- losses -------------------------------------------------------------------------- */

/* X is far above the first rate. */
static void
set_base (double base_Bps)
{
  setup ();
  report (0, base_Bps / 1.03, 0);
  assert_close (limit.base_Bps, base_Bps);
  limit.end_ns = limit.begin_ns = limit.trial_bytes = 0; /* that trial is over */
}

GST_START_TEST (test_more_than_two_losses_in_a_hundred_end_the_trials)
{
  set_base (10 * BASE);
  report (20, 5 * BASE, BASE);
  assert_close (limit_in (0), 2 * 10 * BASE);
  set_base (10 * BASE);
  report (21, 5 * BASE, BASE);
  assert_close (limit_in (0), 0.85 * 5 * BASE);
}

GST_END_TEST;

/* The equation's rate, but 0.85 of what arrives at least, and not more than what arrives or the base. */
GST_START_TEST (test_many_losses_lower_the_base)
{
  static const struct
  {
    double x_recv, equation, base; /* in BASE */
  } cases[] = { { 5, 2, 0.85 * 5 }, { 5, 4.5, 4.5 }, { 5, 7, 5 }, { 20, 15, 10 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    set_base (10 * BASE);
    report (100, cases[i].x_recv * BASE, cases[i].equation * BASE);
    assert_close (limit.base_Bps, cases[i].base * BASE);
    assert_close (limit_in (0), cases[i].base * BASE);
  }
}

GST_END_TEST;

/* Those of a link do not depend on the rate. */
GST_START_TEST (test_the_first_rate_stays_as_far_as_the_equation_allows)
{
  report (100, BASE / 4, BASE / 2);
  assert_close (limit.base_Bps, BASE / 2);
  setup ();
  report (100, BASE / 4, 2 * BASE);
  assert_close (limit.base_Bps, BASE);
}

GST_END_TEST;

/* 400 ms at 200000 byte/s are 40000 bytes more than at the base: 40 packets. */
GST_START_TEST (test_losses_that_the_trial_can_have_caused_leave_the_base)
{
  for (guint i = 0; i < 2; i++) {
    set_base (10 * BASE);
    tfrc_report_limit_init (&limit, BASE, R, now);
    limit.first_Bps = 0;
    try_bytes (80000);
    report (40 + i, BASE / 2, 0);
    assert_close (limit.base_Bps, i == 0 ? BASE : 0.85 * BASE / 2);
  }
}

GST_END_TEST;

/* Half of it before the report: 20 packets */
GST_START_TEST (test_a_trial_counts_as_far_as_it_went)
{
  for (guint i = 0; i < 2; i++) {
    TfrcReportInterval interval = { .packets = 900, .bytes = 900 * BYTES, .rtt_ns = R };

    setup ();
    limit.first_Bps = 0;
    for (guint k = 0; k < 40; k++)
      tfrc_report_limit_on_packet (&limit, BYTES, now + k * 5 * MS);
    interval.lost = 20 + i;
    interval.x_recv_Bps = BASE / 2;
    interval.now_ns = now + 200 * MS;
    tfrc_report_limit_on_report (&limit, &interval);
    assert_close (limit.base_Bps, i == 0 ? BASE : 0.85 * BASE / 2);
  }
}

GST_END_TEST;

GST_START_TEST (test_an_outage_halves_the_base_unless_more_has_arrived)
{
  set_base (10 * BASE);
  report (501, 4 * BASE, BASE);
  assert_close (limit.base_Bps, 5 * BASE);
  set_base (10 * BASE);
  report (501, 8 * BASE, BASE);
  assert_close (limit.base_Bps, 0.85 * 8 * BASE);
  /* half is no outage */
  set_base (10 * BASE);
  report (500, 4 * BASE, BASE);
  assert_close (limit.base_Bps, 0.85 * 4 * BASE);
}

GST_END_TEST;

/* After losses that showed the path's rate, a quarter above it; after an outage, at once */
GST_START_TEST (test_trials_begin_again_a_quarter_above_the_ceiling)
{
  static const double growth[] = { 1.24, 1.25 };

  for (guint i = 0; i < G_N_ELEMENTS (growth); i++) {
    set_base (10 * BASE);
    report (100, 5 * BASE, 5 * BASE);
    report (0, growth[i] * 5 * BASE / 1.03, 0);
    assert_close (limit.base_Bps, growth[i] * 5 * BASE);
    assert_close (limit_in (0), (i + 1) * growth[i] * 5 * BASE);
  }
  set_base (10 * BASE);
  report (501, 4 * BASE, BASE);
  report (0, BASE, 0);
  assert_close (limit_in (0), 2 * 5 * BASE);
}

GST_END_TEST;

static Suite *
reportlimit_suite (void)
{
  Suite *suite = suite_create ("reportlimit");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, test_a_trial_is_twice_the_base_for_400_ms_or_4_r);
  tcase_add_test (tcase, test_a_trial_that_has_passed_gives_four_fifths_of_its_rate);
  tcase_add_test (tcase, test_a_trial_fails_with_more_than_half_as_many_losses_again);
  tcase_add_test (tcase, test_the_base_grows_to_three_percent_above_what_arrives);
  tcase_add_test (tcase, test_more_than_two_losses_in_a_hundred_end_the_trials);
  tcase_add_test (tcase, test_many_losses_lower_the_base);
  tcase_add_test (tcase, test_the_first_rate_stays_as_far_as_the_equation_allows);
  tcase_add_test (tcase, test_losses_that_the_trial_can_have_caused_leave_the_base);
  tcase_add_test (tcase, test_a_trial_counts_as_far_as_it_went);
  tcase_add_test (tcase, test_an_outage_halves_the_base_unless_more_has_arrived);
  tcase_add_test (tcase, test_trials_begin_again_a_quarter_above_the_ceiling);
  return suite;
}

GST_CHECK_MAIN (reportlimit);
