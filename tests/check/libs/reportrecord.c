/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receiver reports are compared with: lib/tfrc/report_record.h, report_losses.h and report_pace.h */
#include <tfrc/report_losses.h>
#include <tfrc/report_pace.h>
#include <tfrc/report_record.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)
#define BYTES 1000

static TfrcReportRecord record;
static guint16 next_seq;
static guint64 now;

static void
setup (void)
{
  memset (&record, 0, sizeof record);
  next_seq = 0;
  now = 10 * SECOND;
}

static void
send_packets (guint n, guint64 gap_ns)
{
  while (n-- > 0) {
    now += gap_ns;
    tfrc_report_record_on_packet (&record, next_seq++, BYTES, now);
  }
}

/* ---- packets -------------------------------------------------------------------- */

/* A number ahead of the newest packet is that of an older packet as well: 65536 before. */
GST_START_TEST (test_a_number_stands_for_the_last_32768_packets)
{
  TfrcReportMark mark;

  send_packets (70000, 10000);
  fail_unless_equals_int (tfrc_report_record_find (&record, next_seq, &mark), TFRC_ERROR_NOT_SENT);
  fail_unless_equals_int (
      tfrc_report_record_find (&record, (guint16) (next_seq + 32767), &mark), TFRC_ERROR_NOT_SENT);
  fail_unless_equals_int (
      tfrc_report_record_find (&record, (guint16) (next_seq - 32768), &mark), TFRC_OK);
  fail_unless_equals_uint64 (mark.packets, 70000 - 32767);
}

GST_END_TEST;

/* 128 marks of 20 ms */
GST_START_TEST (test_a_packet_older_than_the_record_is_stale)
{
  TfrcReportMark mark;

  send_packets (200, 20 * MS);
  fail_unless_equals_int (tfrc_report_record_find (&record, 200 - 128, &mark), TFRC_OK);
  fail_unless_equals_int (tfrc_report_record_find (&record, 71, &mark), TFRC_ERROR_STALE);
}

GST_END_TEST;

/* What is longer than a second between two packets is a pause. */
GST_START_TEST (test_a_pause_is_no_busy_time)
{
  guint64 begin_ns;

  send_packets (1, 0);
  begin_ns = tfrc_report_record_busy_ns (&record, now);
  fail_unless_equals_uint64 (tfrc_report_record_busy_ns (&record, now + SECOND), begin_ns + SECOND);
  fail_unless_equals_uint64 (
      tfrc_report_record_busy_ns (&record, now + 9 * SECOND), begin_ns + SECOND);
  send_packets (1, 10 * SECOND);
  fail_unless_equals_uint64 (tfrc_report_record_busy_ns (&record, now), begin_ns + SECOND);
}

GST_END_TEST;

GST_START_TEST (test_a_packet_that_is_taken_back_has_not_left)
{
  TfrcReportMark mark;

  send_packets (10, 20 * MS);
  tfrc_report_record_cancel (&record, BYTES);
  next_seq--;
  fail_unless_equals_int (tfrc_report_record_find (&record, next_seq, &mark), TFRC_ERROR_NOT_SENT);
  fail_unless_equals_int (
      tfrc_report_record_find (&record, (guint16) (next_seq - 1), &mark), TFRC_OK);
  fail_unless_equals_uint64 (mark.packets, 9);
  fail_unless_equals_uint64 (mark.bytes, 9 * BYTES);
  send_packets (1, 20 * MS);
  fail_unless_equals_int (
      tfrc_report_record_find (&record, (guint16) (next_seq - 1), &mark), TFRC_OK);
  fail_unless_equals_uint64 (mark.packets, 10);
}

GST_END_TEST;

/* ---- R ------------------------------------------------------------------------------ */

/* A receiver that has got no sender report says LSR = 0 (RFC 3550 section 6.4.1). */
GST_START_TEST (test_r_is_the_time_since_a_sender_report_less_dlsr)
{
  fail_unless_equals_uint64 (tfrc_report_record_rtt_ns (&record, 0, 0, now), 0);
  tfrc_report_record_on_sender_report (&record, (guint64) 7 << 16, now);
  fail_unless_equals_uint64 (
      tfrc_report_record_rtt_ns (&record, 7, 32768, now + SECOND), SECOND / 2);
  fail_unless_equals_uint64 (tfrc_report_record_rtt_ns (&record, 8, 0, now + SECOND), 0);
  fail_unless_equals_uint64 (tfrc_report_record_rtt_ns (&record, 7, 2 * 65536, now + SECOND), 0);
  tfrc_report_record_on_sender_report (&record, 1, now);
  fail_unless_equals_uint64 (tfrc_report_record_rtt_ns (&record, 0, 0, now + SECOND), 0);
}

GST_END_TEST;

/* ---- losses and the pace -------------------------------------------------------------- */

/* Section 5.4: n = 8. The first interval of 10 packets is the last of them: its weight of 0.2 is discounted to a quarter,
 * as the next one was ten times as long (section 5.5). */
GST_START_TEST (test_p_is_that_of_the_last_eight_intervals)
{
  TfrcReportLosses losses;

  tfrc_report_losses_init (&losses);
  assert_close (tfrc_report_losses_p (&losses), 0);
  tfrc_report_losses_on_report (&losses, 10, 1, 10);
  assert_close (tfrc_report_losses_p (&losses), 0.1);
  for (guint i = 0; i < 7; i++)
    tfrc_report_losses_on_report (&losses, 100, 1, 10);
  assert_close (tfrc_report_losses_p (&losses), 5.85 / 580.5);
  tfrc_report_losses_on_report (&losses, 100, 1, 10);
  assert_close (tfrc_report_losses_p (&losses), 1 / 100.0);
}

GST_END_TEST;

GST_START_TEST (test_the_pace_is_the_longest_of_four_and_30_s_at_most)
{
  TfrcReportPace pace;

  tfrc_report_pace_init (&pace, 6 * SECOND);
  for (guint i = 0; i < 3; i++)
    tfrc_report_pace_on_report (&pace, SECOND);
  fail_unless_equals_uint64 (tfrc_report_pace_longest_ns (&pace), 6 * SECOND);
  tfrc_report_pace_on_report (&pace, 2 * SECOND);
  fail_unless_equals_uint64 (tfrc_report_pace_longest_ns (&pace), 2 * SECOND);
  tfrc_report_pace_on_report (&pace, 31 * SECOND);
  fail_unless_equals_uint64 (tfrc_report_pace_longest_ns (&pace), 30 * SECOND);
}

GST_END_TEST;

static Suite *
reportrecord_suite (void)
{
  Suite *suite = suite_create ("reportrecord");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, test_a_number_stands_for_the_last_32768_packets);
  tcase_add_test (tcase, test_a_packet_older_than_the_record_is_stale);
  tcase_add_test (tcase, test_a_pause_is_no_busy_time);
  tcase_add_test (tcase, test_a_packet_that_is_taken_back_has_not_left);
  tcase_add_test (tcase, test_r_is_the_time_since_a_sender_report_less_dlsr);
  tcase_add_test (tcase, test_p_is_that_of_the_last_eight_intervals);
  tcase_add_test (tcase, test_the_pace_is_the_longest_of_four_and_30_s_at_most);
  return suite;
}

GST_CHECK_MAIN (reportrecord);
