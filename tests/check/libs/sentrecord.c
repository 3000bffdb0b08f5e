/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of the sent bytes, which limits X_recv */
#include <tfrc/sent_record.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)
#define INTERVAL (80 * MS) /* marks are 8 ms apart */

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
  /* 16 packets in 80 ms, the packet at the edge, and the second packet of the last mark */
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
  /* with the packet at the same time, and the two before */
  assert_close (peak_since (burst - INTERVAL), 23000 / 0.08);
  /* any 80 ms that end more than 80 ms after the burst have two or three packets */
  assert_close (peak_since (burst + INTERVAL + 41 * MS), 3000 / 0.08);
}

GST_END_TEST;

/* A pause after a burst: no mark stands at the end of the burst. */
GST_START_TEST (test_burst_before_a_pause_counts_with_what_left_before_it)
{
  setup ();
  send_for (80 * MS, 5 * MS);
  for (guint i = 0; i < 20; i++) {
    now += MS / 10;
    tfrc_sent_record_on_packet (&record, 1000, INTERVAL, now);
  }
  now += 60 * MS;
  tfrc_sent_record_on_packet (&record, 1000, INTERVAL, now);
  /* the burst, and the 16 packets of the 78 ms before it */
  assert_close (peak_since (0), 36000 / 0.08);
}

GST_END_TEST;

/* The packets of all_ns[] have 1000 bytes. Returns the most bytes that left in a time this long; both
 * ends belong to the time. */
static double
most_bytes_within (const GArray *all_ns, guint64 duration)
{
  guint first = 0, most = 0;

  for (guint last = 0; last < all_ns->len; last++) {
    while (
        g_array_index (all_ns, guint64, last) - g_array_index (all_ns, guint64, first) > duration)
      first++;
    most = MAX (most, last - first + 1);
  }
  return 1000.0 * most;
}

/* Packets leave at random, in bursts and with pauses. */
GST_START_TEST (test_peak_is_never_below_what_was_sent)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint run = 0; run < 300; run++) {
    GArray *all_ns = g_array_new (FALSE, FALSE, sizeof (guint64));
    double peak_bytes;

    setup ();
    for (guint i = 0; i < 200 && now < SECOND + 500 * MS; i++) {
      now += g_rand_double_range (rand, 0, g_rand_int_range (rand, 0, 10) == 0 ? 60e6 : 2e6);
      tfrc_sent_record_on_packet (&record, 1000, INTERVAL, now);
      g_array_append_val (all_ns, now);
    }
    peak_bytes = peak_since (0) * 0.08;
    fail_unless (peak_bytes + 1e-6 >= most_bytes_within (all_ns, INTERVAL), "%f", peak_bytes);
    fail_unless (
        peak_bytes - 1e-6 <= most_bytes_within (all_ns, INTERVAL * 6 / 5), "%f", peak_bytes);
    g_array_unref (all_ns);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* The record covers 80 marks 8 ms apart. */
GST_START_TEST (test_older_times_have_the_highest_rate_known)
{
  setup ();
  /* 40 packets, the packet at the edge, and the other three of the last mark */
  send_for (SECOND, 2 * MS);
  assert_close (peak_since (0), 44000 / 0.08);
  send_for (2 * SECOND, 20 * MS);
  assert_close (peak_since (now - 200 * MS), 5000 / 0.08);
  assert_close (peak_since (SECOND), 44000 / 0.08);
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
  send_for (40 * MS, 2 * MS); /* marks at 2, 10, ... 34 ms; 0, 4000, ... bytes before each mark */
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND), 0);
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND + 10 * MS), 4000);
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND + 12 * MS), 5000);
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND + 34 * MS), 16000);
  assert_close (tfrc_sent_record_bytes_before (&record, SECOND + 35 * MS), 20000);
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
  tcase_add_test (tc, test_burst_before_a_pause_counts_with_what_left_before_it);
  tcase_add_test (tc, test_peak_is_never_below_what_was_sent);
  tcase_add_test (tc, test_older_times_have_the_highest_rate_known);
  tcase_add_test (tc, test_interval_that_is_longer_than_the_record);
  tcase_add_test (tc, test_bytes_before_a_time_are_those_of_the_marks_around_it);
  tcase_add_test (tc, test_packet_that_did_not_leave_does_not_count);
  return s;
}

GST_CHECK_MAIN (sentrecord);
