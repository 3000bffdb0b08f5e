/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receiver reports and jitter, see gst/flow/reception.h. */
#include "srcsessiontest.h"

/* ---- receiver reports ---------------------------------------------------- */

GST_START_TEST (a_sender_report_is_answered_at_once)
{
  t.backlog = 100000;
  run (&t, S);
  fail_unless_equals_int (t.srs, 1);
  fail_unless_equals_int (t.rrs, 1);
  fail_unless_equals_uint64 (t.rr_ns, t.sr_ns + DELAY);
  fail_unless_equals_int (t.rr.report.lsr, (guint32) (t.sr.sr_ntp >> 16));
  fail_unless_equals_int (t.rr.report.dlsr, 0);
  run (&t, 3 * S);
  fail_unless_equals_int (t.srs, 2);
  fail_unless_equals_int (t.rrs, 2);
  fail_unless_equals_uint64 (t.rr_ns, t.sr_ns + DELAY);
  fail_unless_equals_int (t.rr.report.lsr, (guint32) (t.sr.sr_ntp >> 16));
}

GST_END_TEST;

GST_START_TEST (sender_reports_are_answered_once_a_second)
{
  guint64 first_ns;

  start_alone ();
  sender_report (0);
  serve_src (&t);
  fail_unless_equals_int (t.rrs, 1);
  first_ns = t.now_ns;
  for (guint i = 0; i < 1000; i++) {
    t.now_ns += 10 * MS;
    sender_report (0);
    serve_src (&t);
  }
  fail_unless_equals_int (t.rrs, 11);
  fail_unless_equals_uint64 (t.rr_ns, first_ns + 10 * S);
}

GST_END_TEST;

GST_START_TEST (the_time_since_the_sender_report_is_told)
{
  guint64 sr_ns;

  start_alone ();
  sender_report (G_GUINT64_CONSTANT (0x123456789abcdef0));
  serve_src (&t);
  fail_unless_equals_int (t.rr.report.lsr, 0x56789abc);
  fail_unless_equals_int (t.rr.report.dlsr, 0);
  sr_ns = t.now_ns;
  run (&t, 4 * S);
  fail_unless_equals_int (t.rrs, 2);
  fail_unless_equals_uint64 (t.rr_ns, sr_ns + 3900 * MS);
  fail_unless_equals_int (t.rr.report.lsr, 0x56789abc);
  fail_unless_equals_int (t.rr.report.dlsr, 39 * 65536 / 10);
}

GST_END_TEST;

GST_START_TEST (without_a_sender_report_its_fields_are_zero)
{
  start_alone ();
  data (1, 0);
  run (&t, 600 * MS);
  fail_unless_equals_int (t.rrs, 1);
  fail_unless_equals_int (t.rr.report.lsr, 0);
  fail_unless_equals_int (t.rr.report.dlsr, 0);
}

GST_END_TEST;

GST_START_TEST (reports_are_at_most_4_s_apart)
{
  session_test_connect (&t);
  t.backlog = 200;
  run (&t, 60 * S);
  fail_unless (t.rrs >= 15);
  fail_unless (t.longest_rr_ns <= 4 * S);
  /* the same holds if the sender's reports are lost */
  teardown ();
  setup ();
  start_alone ();
  for (guint16 i = 0; i < 100; i++) {
    data (i, 0);
    run (&t, 333 * MS);
  }
  fail_unless (t.rrs >= 8);
  fail_unless (t.longest_rr_ns <= 4 * S);
}

GST_END_TEST;

/* The sender may have lowered its rate to a packet in seconds. */
GST_START_TEST (reports_come_more_often_while_no_data_comes)
{
  guint64 data_ns;

  start_alone ();
  data (1, 0);
  data_ns = t.now_ns;
  for (guint i = 1; i <= 10; i++) {
    run (&t, 500 * MS);
    fail_unless_equals_int (t.rrs, i);
    fail_unless_equals_uint64 (t.rr_ns, data_ns + i * 500 * MS);
  }
  /* a tenth of the silence is longer from 5 s on */
  run (&t, 5 * S);
  for (guint i = 0; i < 5; i++) {
    guint64 before_ns = t.rr_ns - data_ns;

    run (&t, before_ns / 10);
    fail_unless_equals_uint64 (t.rr_ns - data_ns, before_ns + before_ns / 10);
  }
  /* and 3.9 s is the most */
  t.longest_rr_ns = 0;
  run (&t, 600 * S);
  fail_unless_equals_uint64 (t.longest_rr_ns, 3900 * MS);
  data (2, 0);
  data_ns = t.now_ns;
  run (&t, 499 * MS);
  fail_unless (t.rr_ns < data_ns);
  run (&t, MS);
  fail_unless_equals_uint64 (t.rr_ns, data_ns + 500 * MS);
}

GST_END_TEST;

/* Feedback while no data comes neither slows an idle sender down nor floods it. */
GST_START_TEST (an_idle_sender_keeps_its_rate_and_gets_little_feedback)
{
  gdouble x_Bps;
  guint before;

  session_test_connect (&t);
  t.backlog = 1000;
  while (t.backlog > 0)
    run (&t, MS);
  run (&t, 400 * MS);
  x_Bps = sender_stats (&t).x_Bps;
  before = t.feedbacks;
  run (&t, 5 * S);
  fail_unless (sender_stats (&t).x_Bps >= x_Bps);
  /* two a second, then every tenth of the silence, and answers to reports of the sender */
  fail_unless (t.feedbacks - before >= 10 && t.feedbacks - before <= 12);
  run (&t, 55 * S);
  fail_unless (t.feedbacks - before >= 42 && t.feedbacks - before <= 50);
}

GST_END_TEST;

GST_START_TEST (a_report_counts_losses_since_the_last_report)
{
  TfrcWireReport r;
  guint16 i;

  start_alone ();
  for (i = 0; i < 100; i++)
    data (i, 0);
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 0);
  fail_unless_equals_int (r.packets_lost, 0);
  fail_unless_equals_int (r.highest_seq, 99);

  /* 100 to 199: every fourth number is lost; the last ones are not */
  for (; i < 200; i++) {
    if (i % 4 != 0)
      data (i, 0);
  }
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 64);
  fail_unless_equals_int (r.packets_lost, 25);
  fail_unless_equals_int (r.highest_seq, 199);

  for (; i < 300; i++)
    data (i, 0);
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 0);
  fail_unless_equals_int (r.packets_lost, 25);

  /* a late packet was not lost, and the loss of an interval is at least 0 */
  header.send_time_us -= 1000;
  data (100, 0);
  header.send_time_us += 1000;
  for (; i < 400; i++)
    data (i, 0);
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 0);
  fail_unless_equals_int (r.packets_lost, 24);

  /* no packet came */
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 0);
}

GST_END_TEST;

GST_START_TEST (the_highest_number_is_extended_by_wraps)
{
  start_alone ();
  data (65535, 0);
  fail_unless_equals_int (report ().highest_seq, 65535);
  data (0, 0);
  data (1, 0);
  fail_unless_equals_int (report ().highest_seq, 65537);
}

GST_END_TEST;

/* ---- jitter (RFC 3550 appendix A.8) --------------------------------------- */

/* A packet arrives @ms after the last packet. Its time stamp is @units higher. */
static void
data_after (guint ms, gint units)
{
  t.now_ns += ms * MS;
  header.timestamp += (guint32) units;
  data ((guint16) (header.seq + 1), 0);
}

GST_START_TEST (jitter_is_that_of_rfc_3550)
{
  start_alone ();
  t.now_ns = 1000 * S;
  data_after (0, 0);
  fail_unless_equals_float (src_jitter (&t), 0);
  data_after (10, 900); /* arrives as expected */
  fail_unless_equals_float (src_jitter (&t), 0);
  data_after (11, 900); /* D = 90 */
  fail_unless_equals_float (src_jitter (&t), 5.625);
  data_after (10, 945); /* D = -45 */
  fail_unless_equals_float (src_jitter (&t), 8.0859375);
  data_after (0, 0); /* D = 0: jitter falls */
  fail_unless_equals_float (src_jitter (&t), 7.58056640625);
  fail_unless_equals_int (report ().jitter, 7);
}

GST_END_TEST;

GST_START_TEST (jitter_survives_wraps_of_both_clocks)
{
  const guint64 wrap_ns = (G_GUINT64_CONSTANT (1) << 32) * 100000 / 9;

  start_alone ();
  t.now_ns = wrap_ns / MS * MS - 500 * MS;
  header.timestamp = G_MAXUINT32 - 90 * 250;
  for (guint i = 0; i < 100; i++)
    data_after (10, 900);
  fail_unless (t.now_ns > wrap_ns && header.timestamp < 90 * 1000);
  /* arrivals are not at whole units */
  fail_unless (src_jitter (&t) <= 1);
}

GST_END_TEST;

GST_START_TEST (packets_that_leave_late_arrive_with_jitter)
{
  start_alone ();
  t.now_ns = 1000 * S;
  for (guint i = 0; i < 500; i++)
    data_after (i % 2 ? 20 : 0, 900); /* |D| = 900 for each packet */
  fail_unless (src_jitter (&t) > 899 && src_jitter (&t) <= 900);
}

GST_END_TEST;

static Suite *
srcreports_suite (void)
{
  Suite *s = suite_create ("srcreports");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_sender_report_is_answered_at_once);
  tcase_add_test (tc, sender_reports_are_answered_once_a_second);
  tcase_add_test (tc, the_time_since_the_sender_report_is_told);
  tcase_add_test (tc, without_a_sender_report_its_fields_are_zero);
  tcase_add_test (tc, reports_are_at_most_4_s_apart);
  tcase_add_test (tc, reports_come_more_often_while_no_data_comes);
  tcase_add_test (tc, an_idle_sender_keeps_its_rate_and_gets_little_feedback);
  tcase_add_test (tc, a_report_counts_losses_since_the_last_report);
  tcase_add_test (tc, the_highest_number_is_extended_by_wraps);
  tcase_add_test (tc, jitter_is_that_of_rfc_3550);
  tcase_add_test (tc, jitter_survives_wraps_of_both_clocks);
  tcase_add_test (tc, packets_that_leave_late_arrive_with_jitter);
  return s;
}

GST_CHECK_MAIN (srcreports);
