/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receiver reports that cannot be true, or are not (docs/decisions/reports.md) */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "reportfixture.h"

static void
assert_refused (const TfrcWireReport *report, TfrcResult result)
{
  TfrcSenderStats before = stats_of (&t), after;

  fail_unless_equals_int (deliver (&t, report), result);
  after = stats_of (&t);
  fail_unless (memcmp (&before, &after, sizeof before) == 0);
}

GST_START_TEST (a_packet_that_was_not_sent_has_not_arrived)
{
  TfrcWireReport report;

  start ();
  report = next_report (&t);
  report.highest_seq = (guint32) (FIRST_SEQ + t.sent);
  assert_refused (&report, TFRC_ERROR_NOT_SENT);
  report.highest_seq += 1000;
  assert_refused (&report, TFRC_ERROR_NOT_SENT);
  report.highest_seq = (guint32) (FIRST_SEQ + t.sent - 1);
  fail_unless_equals_int (deliver (&t, &report), TFRC_OK);
}

GST_END_TEST;

GST_START_TEST (before_the_first_packet_nothing_has_arrived)
{
  TfrcWireReport report = { .lsr = 1 };

  assert_refused (&report, TFRC_ERROR_NOT_SENT);
}

GST_END_TEST;

/* The nofeedback timer runs on. */
GST_START_TEST (a_report_without_an_arrival_is_no_feedback)
{
  TfrcWireReport report;
  guint64 timeout;

  start ();
  report = true_report (&t);
  timeout = tfrc_sender_next_timeout_ns (t.sender);
  run_for (&t, 5 * SECOND);
  report.highest_seq = (guint32) (FIRST_SEQ + 1);
  assert_refused (&report, TFRC_ERROR_STALE);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), timeout);
}

GST_END_TEST;

GST_START_TEST (an_old_number_is_no_news)
{
  TfrcWireReport report;

  start ();
  report_after (&t, 4 * SECOND);
  report = next_report (&t);
  report.highest_seq -= 3000;
  fail_unless (deliver (&t, &report) != TFRC_OK);
}

GST_END_TEST;

GST_START_TEST (of_a_flood_of_reports_one_in_a_second_counts)
{
  guint used = 0;

  start ();
  for (guint i = 0; i < 9500; i++) {
    TfrcWireReport report;

    run_for (&t, MS);
    report = true_report (&t);
    used += deliver (&t, &report) == TFRC_OK;
  }
  fail_unless_equals_int (used, 9);
}

GST_END_TEST;

GST_START_TEST (r_comes_only_from_sender_reports_that_were_sent)
{
  TfrcWireReport report;

  run_for (&t, 1500 * MS);
  report = true_report (&t);
  report.lsr += 1; /* in the future */
  assert_refused (&report, TFRC_ERROR_TOO_EARLY);
  report.lsr = 0; /* the receiver has got none */
  assert_refused (&report, TFRC_ERROR_TOO_EARLY);
  report = true_report (&t);
  report.dlsr = 60 << 16; /* longer than the time since */
  assert_refused (&report, TFRC_ERROR_TOO_EARLY);
  report = true_report (&t);
  run_for (&t, 20 * MS);
  fail_unless_equals_int (deliver (&t, &report), TFRC_OK);
}

GST_END_TEST;

/* R stays as it was. */
GST_START_TEST (a_report_without_r_is_used)
{
  TfrcWireReport report;
  guint64 rtt;

  start ();
  rtt = stats_of (&t).rtt_ns;
  report = next_report (&t);
  report.lsr = 0;
  fail_unless_equals_int (deliver (&t, &report), TFRC_OK);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, rtt);
}

GST_END_TEST;

static double
p_after (gint32 packets_lost, guint8 fraction_lost)
{
  TfrcWireReport report;

  start ();
  report = next_report (&t);
  report.packets_lost = packets_lost;
  report.fraction_lost = fraction_lost;
  fail_unless_equals_int (deliver (&t, &report), TFRC_OK);
  return stats_of (&t).p;
}

GST_START_TEST (losses_count_though_the_fraction_is_zero)
{
  fail_unless (p_after (20, 0) > 0);
}

GST_END_TEST;

GST_START_TEST (a_fraction_counts_though_the_sum_stands_still)
{
  fail_unless (p_after (0, 20) > 0);
}

GST_END_TEST;

GST_START_TEST (a_receiver_with_duplicates_has_no_losses)
{
  assert_close (p_after (-5, 0), 0);
}

GST_END_TEST;

/* One false sum does not spoil the true ones that follow. */
GST_START_TEST (more_losses_than_packets_are_not_counted)
{
  assert_close (p_after (0x7fffff, 0), 0);
  fail_unless_equals_int (report_after (&t, 4 * SECOND), TFRC_OK);
  assert_close (stats_of (&t).p, 0);
  t.every = 20;
  fail_unless_equals_int (report_after (&t, 4 * SECOND), TFRC_OK);
  fail_unless (stats_of (&t).p > 0);
}

GST_END_TEST;

GST_START_TEST (no_report_raises_the_rate_above_twice_what_was_sent)
{
  double sent_Bps = 20000;

  t.demand_Bps = sent_Bps;
  start ();
  for (guint i = 0; i < 10; i++) {
    TfrcWireReport report = next_report (&t);

    fail_unless_equals_int (deliver (&t, &report), TFRC_OK);
    fail_unless (rate_of (&t) <= MAX (2.2 * sent_Bps, FIRST_BASE * 10));
  }
}

GST_END_TEST;

/* The sum leaves out what a duplicate has made up for, and the fraction what is of the last interval alone. */
GST_START_TEST (the_greater_of_the_sum_and_the_fraction_counts)
{
  double p = p_after (20, 0);

  teardown ();
  setup ();
  assert_close (p_after (20, 1), p);
  teardown ();
  setup ();
  fail_unless (p_after (1, 128) > p);
}

GST_END_TEST;

/* What has left since the last report is still under way. */
GST_START_TEST (a_report_within_r_is_too_early)
{
  t.delay = 750 * MS;
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (report_after (&t, 4 * SECOND), TFRC_OK);
  fail_unless (stats_of (&t).rtt_ns >= 1500 * MS);
  fail_unless_equals_int (report_after (&t, 650 * MS), TFRC_ERROR_TOO_EARLY);
  fail_unless_equals_int (report_after (&t, 650 * MS), TFRC_OK);
}

GST_END_TEST;

static Suite *
reportsfalse_suite (void)
{
  Suite *suite = suite_create ("reportsfalse");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_packet_that_was_not_sent_has_not_arrived);
  tcase_add_test (tcase, before_the_first_packet_nothing_has_arrived);
  tcase_add_test (tcase, a_report_without_an_arrival_is_no_feedback);
  tcase_add_test (tcase, an_old_number_is_no_news);
  tcase_add_test (tcase, of_a_flood_of_reports_one_in_a_second_counts);
  tcase_add_test (tcase, r_comes_only_from_sender_reports_that_were_sent);
  tcase_add_test (tcase, a_report_without_r_is_used);
  tcase_add_test (tcase, losses_count_though_the_fraction_is_zero);
  tcase_add_test (tcase, a_fraction_counts_though_the_sum_stands_still);
  tcase_add_test (tcase, a_receiver_with_duplicates_has_no_losses);
  tcase_add_test (tcase, the_greater_of_the_sum_and_the_fraction_counts);
  tcase_add_test (tcase, a_report_within_r_is_too_early);
  tcase_add_test (tcase, more_losses_than_packets_are_not_counted);
  tcase_add_test (tcase, no_report_raises_the_rate_above_twice_what_was_sent);
  return suite;
}

GST_CHECK_MAIN (reportsfalse);
