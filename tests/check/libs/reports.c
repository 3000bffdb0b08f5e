/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that follows receiver reports (RFC 3550 section 6.4) */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "reportfixture.h"

#include <tfrc/report_losses.h>
#include <tfrc/report_record.h>
#include <tfrc/sender_reports.h>

/* 1/p at half a packet in R: the inverse of the equation with t_RTO = 4 R */
#define NULL_INTERVAL 4.8443

/* ---- true reports ---------------------------------------------------------- */

GST_START_TEST (the_first_report_gives_r_and_the_first_rate)
{
  assert_close (rate_of (&t), S);
  start ();
  /* DLSR has a resolution of 15 us. */
  fail_unless (stats_of (&t).rtt_ns / US >= 40000 && stats_of (&t).rtt_ns / US <= 40016);
  assert_close (rate_of (&t), 2 * FIRST_BASE);
  assert_close (stats_of (&t).p, 0);
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_received, 1);
}

GST_END_TEST;

GST_START_TEST (a_trial_lasts_04_s)
{
  start ();
  run_for (&t, 390 * MS);
  assert_close (rate_of (&t), 2 * FIRST_BASE);
  run_for (&t, 50 * MS);
  assert_close (rate_of (&t), FIRST_BASE);
}

GST_END_TEST;

/* In the trial packets have left at twice the base, of which 0.8 becomes the base. The next report has
 * no losses, so that the next trial begins. */
GST_START_TEST (a_report_without_losses_raises_the_rate)
{
  start ();
  fail_unless_equals_int (report_after (&t, 4 * SECOND), TFRC_OK);
  fail_unless (rate_of (&t) > 2.2 * FIRST_BASE && rate_of (&t) <= 4 * FIRST_BASE);
  assert_close (stats_of (&t).p, 0);
  run_for (&t, SECOND);
  fail_unless (rate_of (&t) > 0.95 * 1.6 * FIRST_BASE && rate_of (&t) <= 1.6 * FIRST_BASE);
}

GST_END_TEST;

/* What has waited for the first report leaves in the first trial. */
GST_START_TEST (a_sender_with_little_to_send_tries_no_more_than_that)
{
  t.demand_Bps = 20000;
  for (guint i = 0; i < 6; i++)
    report_after (&t, 4 * SECOND);
  run_for (&t, SECOND);
  fail_unless (rate_of (&t) <= 2 * FIRST_BASE);
}

GST_END_TEST;

/* Without reports the nofeedback timer expires after two of the longest intervals of RFC 3550, and
 * not after 4 R. */
GST_START_TEST (the_nofeedback_timer_waits_for_two_intervals)
{
  guint64 since;

  start ();
  since = t.now;
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), since + 2 * 6157 * MS);
  run_until (&t, since + 12300 * MS);
  assert_close (rate_of (&t), FIRST_BASE);
  run_until (&t, since + 12320 * MS);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 1);
}

GST_END_TEST;

GST_START_TEST (the_nofeedback_timer_follows_the_intervals_that_were_seen)
{
  start ();
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int (report_after (&t, 1980 * MS), TFRC_OK);
  /* 1980 ms and the way of the report */
  fail_unless_equals_uint64 (tfrc_reports_get_interval_ns (t.reports), 2 * SECOND);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), t.now + 4 * SECOND);
}

GST_END_TEST;

/* The link carries what the first trial sends, and loses in the second trial. */
GST_START_TEST (losses_of_a_trial_leave_the_base_as_it_is)
{
  double base;

  t.link_Bps = 2.05 * FIRST_BASE * PACKET_BYTES / S;
  t.queue_packets = 4;
  start ();
  report_after (&t, 4 * SECOND);
  fail_unless_equals_uint64 (t.lost, 0);
  base = tfrc_allowed_rate_report_limit_Bps (&t.sender->rate) / 2;
  report_after (&t, 2 * SECOND);
  fail_unless (t.lost > 0);
  assert_within (tfrc_allowed_rate_report_limit_Bps (&t.sender->rate), base, 0.03);
  fail_unless (stats_of (&t).p > 0);
}

GST_END_TEST;

/* The link becomes slower than the base. */
GST_START_TEST (many_losses_lower_the_rate_to_less_than_what_arrives)
{
  double arrived;

  start ();
  for (guint i = 0; i < 4; i++)
    report_after (&t, 4 * SECOND);
  t.link_Bps = 100000;
  report_after (&t, 4 * SECOND);
  arrived = stats_of (&t).x_recv_Bps;
  fail_unless (t.lost > 100);
  assert_within (tfrc_allowed_rate_report_limit_Bps (&t.sender->rate), 0.85 * arrived, 1e-4);
  report_after (&t, 4 * SECOND);
  fail_unless (rate_of (&t) <= 100000);
}

GST_END_TEST;

GST_START_TEST (a_minimum_rate_is_above_the_limit_of_reports)
{
  tfrc_sender_set_rate_limits (t.sender, 1e6, 0);
  start ();
  run_for (&t, SECOND);
  assert_close (rate_of (&t), 1e6);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_did_not_leave_is_not_expected)
{
  TfrcData data;
  guint64 highest;

  start ();
  highest = t.sent;
  run_until (&t, tfrc_sender_next_send_ns (t.sender));
  fail_unless_equals_int (tfrc_sender_prepare (t.sender, S, t.now + SECOND, &data), TFRC_OK);
  tfrc_reports_on_packet (t.reports, t.sender, data.seq, S, t.now + SECOND);
  tfrc_sender_cancel (t.sender, S);
  tfrc_reports_cancel (t.reports, S);
  t.now += SECOND;
  {
    TfrcWireReport report = true_report (&t);

    report.highest_seq = (guint32) (FIRST_SEQ + MAX (t.sent, highest));
    fail_unless_equals_int (deliver (&t, &report), TFRC_ERROR_NOT_SENT);
  }
}

GST_END_TEST;

/* ---- the next reporter, and better feedback --------------------------------- */

GST_START_TEST (another_reporter_begins_anew)
{
  TfrcWireReport report;

  start ();
  for (guint i = 0; i < 4; i++)
    report_after (&t, 4 * SECOND);
  report = next_report (&t);
  fail_unless_equals_int (
      tfrc_reports_on_report (t.reports, t.sender, REPORTER + 1, &report, t.now), TFRC_OK);
  run_for (&t, SECOND);
  fail_unless (rate_of (&t) <= 109500); /* W_init / 40 ms */
}

GST_END_TEST;

GST_START_TEST (feedback_of_tfrc_ends_the_limit_of_reports)
{
  TfrcFeedback feedback = { .x_recv_Bps = 40000, .has_state = TRUE };

  start ();
  report_after (&t, 4 * SECOND);
  run_for (&t, SECOND);
  tfrc_reports_end (t.reports, t.sender);
  feedback.recv_data_us = tfrc_sender_wire_time_us (t.sender, t.sender->last_send_ns);
  run_for (&t, 40 * MS);
  fail_unless_equals_int (tfrc_sender_on_feedback (t.sender, &feedback, t.now), TFRC_OK);
  fail_unless (isinf (tfrc_allowed_rate_report_limit_Bps (&t.sender->rate)));
  /* the timer of RFC 5348 */
  fail_unless (tfrc_sender_next_timeout_ns (t.sender) < t.now + SECOND);
}

GST_END_TEST;

/* A report was under way for a second longer than the next one. The packets between them left within
 * two seconds, and the reports came within one. */
GST_START_TEST (packets_arrive_no_faster_than_they_left)
{
  TfrcWireReport report;

  t.demand_Bps = 100000;
  start ();
  for (guint i = 0; i < 5; i++)
    report_after (&t, 4 * SECOND);
  report = next_report (&t);
  report.highest_seq -= 76; /* a second */
  fail_unless_equals_int (deliver (&t, &report), TFRC_OK);
  run_for (&t, SECOND);
  report = true_report (&t);
  fail_unless_equals_int (deliver (&t, &report), TFRC_OK);
  assert_within (stats_of (&t).x_recv_Bps, 100000, 0.02);
}

GST_END_TEST;

/* ---- pauses and outages ----------------------------------------------------- */

#define STEADY_BPS 40000.0

/* The sender sends at a steady rate, a packet in 50 is lost, and reports come every 4 s. */
static void
play_steadily (void)
{
  t.demand_Bps = STEADY_BPS;
  start ();
  report_after (&t, 3980 * MS);
  t.every = 50;
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int (report_after (&t, 3980 * MS), TFRC_OK);
  fail_unless (stats_of (&t).p > 0);
  assert_within (stats_of (&t).x_recv_Bps, STEADY_BPS, 0.05);
  fail_unless_equals_uint64 (tfrc_reports_get_interval_ns (t.reports), 4 * SECOND);
}

static void
stop_sending (void)
{
  t.backlog_bytes = 0;
  t.demand_Bps = 1e-3;
}

static void
send_again (void)
{
  t.backlog_bytes = 0;
  t.demand_ns = t.now;
  t.demand_Bps = STEADY_BPS;
}

/* The reports of a pause or an outage say what the last one has said. */
static void
report_without_arrivals (guint times)
{
  for (guint i = 0; i < times; i++)
    fail_unless_equals_int (report_after (&t, 3980 * MS), TFRC_ERROR_STALE);
}

GST_START_TEST (a_pause_with_reports_is_no_time_of_x_recv)
{
  play_steadily ();
  stop_sending ();
  fail_unless_equals_int (report_after (&t, 3980 * MS), TFRC_OK); /* what was under way */
  report_without_arrivals (15);
  send_again ();
  fail_unless_equals_int (report_after (&t, 3980 * MS), TFRC_OK);
  assert_within (stats_of (&t).x_recv_Bps, STEADY_BPS, 0.05);
}

GST_END_TEST;

/* RFC 3550 section 6.4: a receiver reports senders that it has heard lately.  A second of the pause counts, and what
 * was under way at its begin. */
GST_START_TEST (a_pause_without_reports_is_a_second_of_x_recv)
{
  play_steadily ();
  stop_sending ();
  run_for (&t, 60 * SECOND);
  send_again ();
  fail_unless_equals_int (report_after (&t, 3980 * MS), TFRC_OK);
  assert_within (stats_of (&t).x_recv_Bps, STEADY_BPS * 4 / 5, 0.05);
}

GST_END_TEST;

/* All packets are lost for a minute, and reports come. X_recv afterwards is what has come in the time of one report,
 * or of a packet in a second. */
GST_START_TEST (an_outage_with_reports_is_no_time_of_x_recv)
{
  guint64 delivered;

  play_steadily ();
  t.every = 1;
  report_after (&t, 3980 * MS); /* what was under way */
  report_without_arrivals (15);
  t.every = 0;
  delivered = t.delivered;
  fail_unless_equals_int (report_after (&t, 3980 * MS), TFRC_OK);
  delivered = t.delivered - delivered;
  fail_unless (delivered > 0);
  fail_unless (stats_of (&t).x_recv_Bps >= delivered * S / 4.0, "%g", stats_of (&t).x_recv_Bps);
  fail_unless (stats_of (&t).x_recv_Bps <= delivered * S);
}

GST_END_TEST;

/* T is the time between two reports, and no pause: after one the nofeedback timer and X_recv_set would live by T for
 * four reports. */
GST_START_TEST (a_pause_with_reports_is_no_interval_of_reports)
{
  play_steadily ();
  stop_sending ();
  report_after (&t, 3980 * MS);
  report_without_arrivals (15);
  send_again ();
  fail_unless_equals_int (report_after (&t, 3980 * MS), TFRC_OK);
  fail_unless_equals_uint64 (tfrc_reports_get_interval_ns (t.reports), 4 * SECOND);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), t.now + 8 * SECOND);
}

GST_END_TEST;

GST_START_TEST (a_pause_without_reports_is_no_interval_of_reports)
{
  play_steadily ();
  stop_sending ();
  run_for (&t, 60 * SECOND);
  send_again ();
  fail_unless_equals_int (report_after (&t, 3980 * MS), TFRC_OK);
  /* the longest of RFC 3550 */
  fail_unless_equals_uint64 (tfrc_reports_get_interval_ns (t.reports), 6157 * MS);
}

GST_END_TEST;

/* ---- single functions --------------------------------------------------------- */

/* Marks are 20 ms apart. */
GST_START_TEST (the_last_packet_before_a_pause_left_before_it)
{
  static const guint64 times_ms[] = { 1000, 1005, 1010, 61010, 61015 };
  TfrcReportRecord record = { 0 };
  TfrcReportMark mark;

  for (guint i = 0; i < G_N_ELEMENTS (times_ms); i++)
    tfrc_report_record_on_packet (&record, (guint16) i, S, times_ms[i] * MS);
  for (guint i = 0; i < G_N_ELEMENTS (times_ms); i++) {
    fail_unless_equals_int (tfrc_report_record_find (&record, (guint16) i, &mark), TFRC_OK);
    fail_unless_equals_uint64 (mark.packets, i + 1);
    fail_unless_equals_uint64 (mark.time_ns, times_ms[i] * MS);
    fail_unless_equals_uint64 (
        tfrc_report_mark_busy_ns (&mark), (times_ms[i] - (i > 2 ? 59000 : 0)) * MS);
  }
  fail_unless_equals_uint64 (
      tfrc_report_record_busy_ns (&record, 61 * SECOND + 515 * MS), 2 * SECOND + 515 * MS);
  fail_unless_equals_uint64 (
      tfrc_report_record_busy_ns (&record, 90 * SECOND), 3 * SECOND + 15 * MS);
}

GST_END_TEST;

/* The losses of one round-trip time are one event. */
GST_START_TEST (there_are_no_more_loss_events_than_losses_and_round_trips)
{
  static const struct
  {
    guint64 lost, elapsed, rtt, events;
  } cases[] = {
    { 10, 300 * MS, 100 * MS, 3 },
    { 10, 300 * MS - 1, 100 * MS, 3 },
    { 10, 300 * MS + 1, 100 * MS, 4 },
    { 10, 100 * MS, 100 * MS, 1 },
    { 3, 300 * MS, 100 * MS, 3 },
    { 2, 300 * MS, 100 * MS, 2 },
    { 4, 300 * MS, 100 * MS, 3 },
    { 0, 300 * MS, 100 * MS, 1 },
    { 10, 300 * MS, 0, 10 }, /* R is not known */
    { 0, 300 * MS, 0, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    fail_unless_equals_uint64 (
        tfrc_report_losses_events (cases[i].lost, cases[i].elapsed, cases[i].rtt), cases[i].events);
}

GST_END_TEST;

/* Section 6.3.1: X_target is at least 0.5 packets per R, for which the interval is 4.8443 packets. */
GST_START_TEST (the_first_interval_is_that_of_half_a_packet_in_r_or_longer)
{
  double least = NULL_INTERVAL, packet_in_r;

  start ();
  packet_in_r = S / (stats_of (&t).rtt_ns / 1e9);
  assert_within (tfrc_sender_first_interval (t.sender, 0), least, 1e-4);
  assert_within (tfrc_sender_first_interval (t.sender, 0.01 * packet_in_r), least, 1e-4);
  assert_within (tfrc_sender_first_interval (t.sender, 0.5 * packet_in_r), least, 1e-4);
  fail_unless (tfrc_sender_first_interval (t.sender, packet_in_r) > 1.2 * least);
}

GST_END_TEST;

/* A packet in 5 s: X_recv is far below half a packet in R when the first packet is lost. */
GST_START_TEST (a_lost_packet_of_a_sparse_stream_does_not_make_p_near_one)
{
  t.demand_Bps = S / 5.0;
  fail_unless_equals_int (report_after (&t, 6 * SECOND), TFRC_OK);
  t.every = 3;
  for (guint i = 0; stats_of (&t).p == 0 && i < 10; i++)
    report_after (&t, 10 * SECOND);
  assert_within (stats_of (&t).p, 1 / NULL_INTERVAL, 1e-4);
}

GST_END_TEST;

GST_START_TEST (null_is_refused)
{
  TfrcWireReport report = { 0 };

  fail_unless_equals_int (tfrc_reports_new (NULL), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_reports_on_report (NULL, t.sender, 1, &report, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_reports_on_report (t.reports, NULL, 1, &report, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_reports_on_report (t.reports, t.sender, 1, NULL, 0), TFRC_ERROR_ARGUMENT);
  tfrc_reports_on_packet (NULL, t.sender, 1, S, 0);
  tfrc_reports_on_packet (t.reports, NULL, 1, S, 0);
  tfrc_reports_cancel (NULL, S);
  tfrc_reports_on_sender_report (NULL, 1, 1);
  tfrc_reports_end (NULL, t.sender);
  tfrc_reports_end (t.reports, NULL);
  tfrc_reports_free (NULL);
  fail_unless_equals_uint64 (tfrc_reports_get_interval_ns (NULL), 0);
  fail_unless_equals_uint64 (tfrc_reports_get_rtt_sample_ns (NULL, &report, 0), 0);
}

GST_END_TEST;

/* ---- the numbers of series ---------------------------------------------------- */

/* The first feedback of TFRC has the number 0, as the first report had, and is about the packet of the last
 * report. */
GST_START_TEST (feedback_after_reports_is_not_compared_with_their_numbers)
{
  TfrcFeedback feedback = { .x_recv_Bps = 40000, .has_state = TRUE };

  start ();
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (report_after (&t, 4 * SECOND), TFRC_OK);
  feedback.recv_data_us = tfrc_sender_wire_time_us (t.sender, t.sender->feedback.t_new_ns);
  fail_unless_equals_int (
      tfrc_sender_check_feedback (t.sender, &feedback, t.now), TFRC_ERROR_STALE);
  tfrc_reports_end (t.reports, t.sender);
  fail_unless_equals_int (tfrc_sender_on_feedback (t.sender, &feedback, t.now), TFRC_OK);
}

GST_END_TEST;

GST_START_TEST (the_reports_of_another_are_not_compared_with_the_numbers_before)
{
  TfrcWireReport report;

  start ();
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (report_after (&t, 4 * SECOND), TFRC_OK);
  report = true_report (&t);
  fail_unless_equals_int (
      tfrc_reports_on_report (t.reports, t.sender, REPORTER + 1, &report, t.now), TFRC_OK);
}

GST_END_TEST;

/* The limit of reports answers the losses.  A limit of half of X_recv would hold until the next report. */
GST_START_TEST (losses_of_a_sender_with_little_data_do_not_cut_x_recv_set)
{
  TfrcSenderStats stats;

  t.demand_Bps = 20000;
  start ();
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (report_after (&t, 4 * SECOND), TFRC_OK);
  t.every = 10;
  fail_unless_equals_int (report_after (&t, 4 * SECOND), TFRC_OK);
  stats = stats_of (&t);
  fail_unless (stats.p > 0 && stats.data_limited);
  fail_unless (stats.recv_limit_Bps >= 2 * stats.x_recv_Bps, "%g, X_recv %g", stats.recv_limit_Bps,
      stats.x_recv_Bps);
}

GST_END_TEST;

static Suite *
reports_suite (void)
{
  Suite *suite = suite_create ("reports");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, the_first_report_gives_r_and_the_first_rate);
  tcase_add_test (tcase, a_trial_lasts_04_s);
  tcase_add_test (tcase, a_report_without_losses_raises_the_rate);
  tcase_add_test (tcase, a_sender_with_little_to_send_tries_no_more_than_that);
  tcase_add_test (tcase, the_nofeedback_timer_waits_for_two_intervals);
  tcase_add_test (tcase, the_nofeedback_timer_follows_the_intervals_that_were_seen);
  tcase_add_test (tcase, losses_of_a_trial_leave_the_base_as_it_is);
  tcase_add_test (tcase, many_losses_lower_the_rate_to_less_than_what_arrives);
  tcase_add_test (tcase, a_minimum_rate_is_above_the_limit_of_reports);
  tcase_add_test (tcase, a_packet_that_did_not_leave_is_not_expected);
  tcase_add_test (tcase, another_reporter_begins_anew);
  tcase_add_test (tcase, feedback_of_tfrc_ends_the_limit_of_reports);
  tcase_add_test (tcase, feedback_after_reports_is_not_compared_with_their_numbers);
  tcase_add_test (tcase, the_reports_of_another_are_not_compared_with_the_numbers_before);
  tcase_add_test (tcase, losses_of_a_sender_with_little_data_do_not_cut_x_recv_set);
  tcase_add_test (tcase, packets_arrive_no_faster_than_they_left);
  tcase_add_test (tcase, a_pause_with_reports_is_no_time_of_x_recv);
  tcase_add_test (tcase, a_pause_without_reports_is_a_second_of_x_recv);
  tcase_add_test (tcase, an_outage_with_reports_is_no_time_of_x_recv);
  tcase_add_test (tcase, a_pause_with_reports_is_no_interval_of_reports);
  tcase_add_test (tcase, a_pause_without_reports_is_no_interval_of_reports);
  tcase_add_test (tcase, the_last_packet_before_a_pause_left_before_it);
  tcase_add_test (tcase, there_are_no_more_loss_events_than_losses_and_round_trips);
  tcase_add_test (tcase, the_first_interval_is_that_of_half_a_packet_in_r_or_longer);
  tcase_add_test (tcase, a_lost_packet_of_a_sparse_stream_does_not_make_p_near_one);
  tcase_add_test (tcase, null_is_refused);
  return suite;
}

GST_CHECK_MAIN (reports);
