/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of the sent bytes, which limits X_recv */
#include <tfrc/sent_record.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)
#define INTERVAL (80 * MS) /* marks are 10 ms apart */

static TfrcSentRecord record;
static guint64 now;

static void
setup (void)
{
  tfrc_sent_record_init (&record);
  now = SECOND;
}

/* Sends packets of 1000 bytes, @spacing apart. The last packet leaves after @duration. */
static void
send_for (guint64 duration, guint64 spacing)
{
  for (guint64 t = 0; t < duration; t += spacing) {
    now += spacing;
    tfrc_sent_record_on_packet (&record, 1000, INTERVAL, now);
  }
}

static double
peak_since (guint64 since)
{
  return tfrc_sent_record_peak_Bps (&record, INTERVAL, since, now);
}

GST_START_TEST (test_nothing_sent_is_no_rate)
{
  setup ();
  assert_close (peak_since (0), 0);
}

GST_END_TEST;

GST_START_TEST (test_constant_rate_is_the_peak)
{
  setup ();
  send_for (SECOND, 5 * MS);
  /* 16 packets in 80 ms, the packet at the edge, and the packet since the mark before */
  assert_close (peak_since (0), 18000 / 0.08);
  assert_close (peak_since (now - INTERVAL), 18000 / 0.08);
}

GST_END_TEST;

GST_START_TEST (test_young_stream_has_not_sent_before_it_began)
{
  setup ();
  send_for (10 * MS, 5 * MS);
  assert_close (peak_since (0), 2000 / 0.08);
}

GST_END_TEST;

/* 20 packets leave at once. Then there is silence. */
GST_START_TEST (test_peak_is_searched_in_the_given_time_only)
{
  guint64 burst;

  setup ();
  send_for (200 * MS, 40 * MS);
  burst = now;
  for (guint i = 0; i < 20; i++)
    tfrc_sent_record_on_packet (&record, 1000, INTERVAL, now);
  send_for (200 * MS, 40 * MS);
  /* with the packet at the same time, and the packet before */
  assert_close (peak_since (burst - INTERVAL), 22000 / 0.08);
  /* any 80 ms that end more than 80 ms after the burst have two or three packets */
  assert_close (peak_since (burst + INTERVAL + 41 * MS), 3000 / 0.08);
}

GST_END_TEST;

/* The record covers 64 marks 10 ms apart. */
GST_START_TEST (test_older_times_have_the_highest_rate_known)
{
  setup ();
  /* 40 packets, and the packets in the 10 ms until the mark before */
  send_for (SECOND, 2 * MS);
  assert_close (peak_since (0), 45000 / 0.08);
  send_for (2 * SECOND, 20 * MS);
  assert_close (peak_since (now - 200 * MS), 5000 / 0.08);
  assert_close (peak_since (SECOND), 45000 / 0.08);
}

GST_END_TEST;

/* R has risen to 2 s. The record knows 640 ms, with a packet in 5 ms. The rate of these 640 ms is
 * used. */
GST_START_TEST (test_interval_that_is_longer_than_the_record)
{
  double peak;

  setup ();
  send_for (5 * SECOND, 5 * MS);
  peak = tfrc_sent_record_peak_Bps (&record, 2 * SECOND, now - 4 * SECOND, now);
  fail_unless (peak >= 200000 && peak <= 18000 / 0.08, "%f", peak);
}

GST_END_TEST;

GST_START_TEST (test_bytes_before_a_time_are_those_of_the_marks_around_it)
{
  setup ();
  assert_close (tfrc_sent_record_bytes_before (&record, now), 0);
  send_for (100 * MS, 5 * MS); /* marks at 5, 15, ... 95 ms; 0, 2000, ... bytes before each mark */
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND), 0);
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND + 15 * MS), 2000);
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND + 20 * MS), 3000);
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND + 95 * MS), 18000);
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND + 96 * MS), 20000);
}

GST_END_TEST;

GST_START_TEST (test_packet_that_did_not_leave_does_not_count)
{
  setup ();
  send_for (40 * MS, 5 * MS);
  tfrc_sent_record_cancel (&record, 1000);
  assert_close (peak_since (0), 7000 / 0.08);
}

GST_END_TEST;

static Suite *
sentrecord_suite (void)
{
  Suite *s = suite_create ("sentrecord");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_nothing_sent_is_no_rate);
  tcase_add_test (tc, test_constant_rate_is_the_peak);
  tcase_add_test (tc, test_young_stream_has_not_sent_before_it_began);
  tcase_add_test (tc, test_peak_is_searched_in_the_given_time_only);
  tcase_add_test (tc, test_older_times_have_the_highest_rate_known);
  tcase_add_test (tc, test_interval_that_is_longer_than_the_record);
  tcase_add_test (tc, test_bytes_before_a_time_are_those_of_the_marks_around_it);
  tcase_add_test (tc, test_packet_that_did_not_leave_does_not_count);
  return s;
}

GST_CHECK_MAIN (sentrecord);
