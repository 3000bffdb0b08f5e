/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of loss event intervals while packets arrive: late packets that take intervals back,
 * and new starts of the statistics. */
#include <string.h>

#include "closeto.h"
#include "losstest.h"

/* Packets up to @to arrive in order. The next packet is marked and starts a loss event. */
static guint64
mark_after (guint64 from, guint64 to, guint64 ms)
{
  ms = arrive_in_order (from, to, ms);
  assert_arrives_marked (to + 1, ms, TFRC_LOSS_NEW_EVENT);
  return ms + 10;
}

/* Loss events at 1010, 1030 and 1060 */
static guint64
three_events (void)
{
  guint64 ms;

  start (0);
  ms = mark_after (FIRST, 1009, 0);
  ms = mark_after (1011, 1029, ms);
  return mark_after (1031, 1059, ms);
}

GST_START_TEST (test_late_packet_restores_the_statistics)
{
  TfrcLossMoments before;
  guint64 ms = three_events ();

  before = detection.all.current.moments;
  fail_unless_equals_uint64 (before.intervals, 2);
  fail_unless (before.mean_interval == 25);
  ms = arrive_in_order (1061, 1079, ms);
  ms = arrive_in_order (1081, 1082, ms + 10);
  assert_arrives (1083, ms, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_uint64 (detection.all.current.moments.intervals, 3);
  assert_arrives (1080, ms + 10, TFRC_LOSS_EVENT_REMOVED);
  fail_unless (memcmp (&detection.all.current.moments, &before, sizeof before) == 0);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_merges_two_intervals_in_the_statistics)
{
  const TfrcLossMoments *moments = &detection.all.current.moments;
  guint64 ms;

  start (0);
  ms = mark_after (FIRST, 1009, 0);
  ms = arrive_in_order (1011, 1029, ms);
  ms = arrive_in_order (1031, 1032, ms + 10);
  assert_arrives (1033, ms, TFRC_LOSS_NEW_EVENT);
  ms = mark_after (1034, 1049, ms + 10);
  fail_unless_equals_uint64 (moments->intervals, 2);
  fail_unless (moments->mean_interval == 20);
  assert_arrives (1030, ms, TFRC_LOSS_EVENT_REMOVED);
  fail_unless_equals_uint64 (moments->intervals, 1);
  fail_unless (moments->mean_interval == 40);
  fail_unless (moments->mean_predictor == SEED);
}

GST_END_TEST;

GST_START_TEST (test_long_gap_has_an_interval_each_round_trip_time)
{
  const TfrcLossMoments *moments = &detection.all.current.moments;
  guint64 ms;

  start (0);
  ms = arrive_in_order (FIRST, 1009, 0);
  /* packets are 10 ms apart, so an event starts at each 11th packet, more than 100 ms later */
  ms += 110000 * 10;
  assert_arrives (1010 + 110000, ms, TFRC_LOSS_NOTHING);
  assert_arrives (1011 + 110000, ms + 10, TFRC_LOSS_NOTHING);
  assert_arrives (1012 + 110000, ms + 20, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_uint64 (detection.all.current.events, 10000);
  fail_unless_equals_uint64 (moments->intervals, 9999);
  assert_close (moments->mean_interval, 11);
  fail_unless (moments->squares_interval == 0);
  /* the first predictor is 50; the ninth predictor is the last that 50 is part of */
  fail_unless (moments->mean_predictor > 11);
  fail_unless (moments->mean_predictor < 11 + 8 * 39 / 9999.0);
}

GST_END_TEST;

GST_START_TEST (test_statistics_start_anew)
{
  const TfrcLossMoments *moments = &detection.all.current.moments;
  guint64 ms = three_events ();

  tfrc_loss_detection_reset_moments (&detection);
  fail_unless_equals_uint64 (moments->intervals, 0);
  fail_unless_equals_uint64 (detection.all.current.events, 3);
  /* the average has I_1 = 30, I_2 = 20, and the seed */
  ms = mark_after (1061, 1099, ms);
  fail_unless_equals_uint64 (moments->intervals, 1);
  fail_unless (moments->mean_interval == 40);
  assert_close (moments->mean_predictor, (30 + 20 + SEED) / 3);

  /* when all gaps are folded again, the statistics from before do not come back */
  ms = arrive_in_order (1101, 1119, ms);
  ms = arrive_in_order (1121, 1122, ms + 10);
  assert_arrives (1123, ms, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_uint64 (moments->intervals, 2);
  assert_arrives (1120, ms + 10, TFRC_LOSS_EVENT_REMOVED);
  fail_unless_equals_uint64 (moments->intervals, 1);
  fail_unless (moments->mean_interval == 40);
}

GST_END_TEST;

GST_START_TEST (test_packets_missing_before_the_new_start_do_not_count)
{
  const TfrcLossMoments *moments = &detection.all.current.moments;
  guint64 ms = three_events ();

  ms = arrive_in_order (1061, 1079, ms);
  assert_arrives (1081, ms + 10, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_reset_moments (&detection);
  assert_arrives (1082, ms + 20, TFRC_LOSS_NOTHING);
  assert_arrives (1083, ms + 30, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_uint64 (moments->intervals, 0);
  mark_after (1084, 1099, ms + 40);
  fail_unless_equals_uint64 (moments->intervals, 1);
  fail_unless (moments->mean_interval == 20);
}

GST_END_TEST;

/* Gaps that are too old for late packets are folded for good, one after the other. */
GST_START_TEST (test_old_gaps_do_not_come_back_after_a_new_start)
{
  const TfrcLossMoments *moments = &detection.all.current.moments;
  guint64 seq = FIRST, ms = 0;

  start (0);
  for (guint i = 0; i < 3 * TFRC_MAX_GAPS; i++, seq += 20) {
    if (i == TFRC_MAX_GAPS)
      tfrc_loss_detection_reset_moments (&detection);
    ms = mark_after (seq, seq + 18, ms);
  }
  fail_unless_equals_uint64 (detection.all.current.events, 3 * TFRC_MAX_GAPS);
  fail_unless_equals_uint64 (moments->intervals, 2 * TFRC_MAX_GAPS);
  /* when an event is taken back, the fold is made again */
  ms = arrive_in_order (seq, seq + 19, ms);
  ms = arrive_in_order (seq + 21, seq + 22, ms + 10);
  assert_arrives (seq + 23, ms, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_uint64 (moments->intervals, 2 * TFRC_MAX_GAPS + 1);
  assert_arrives (seq + 20, ms + 10, TFRC_LOSS_EVENT_REMOVED);
  fail_unless_equals_uint64 (moments->intervals, 2 * TFRC_MAX_GAPS);
  fail_unless (moments->mean_interval == 20);
}

GST_END_TEST;

GST_START_TEST (test_statistics_outlive_a_change_of_the_path)
{
  const TfrcLossMoments *moments = &detection.all.current.moments;
  TfrcLossMoments before;
  guint64 ms = three_events ();

  before = *moments;
  assert_arrives (1061, ms, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_new_path (&detection);
  tfrc_loss_detection_rebuild (&detection, 15);
  fail_unless (memcmp (moments, &before, sizeof before) == 0);
  /* the interval is measured from the first packet on the new path; its predictor is the artificial
   * history */
  mark_after (1062, 1080, ms + 10);
  fail_unless_equals_uint64 (moments->intervals, 3);
  assert_close (moments->mean_interval, (20 + 30 + 20) / 3.0);
  assert_close (3 * moments->mean_predictor, 2 * before.mean_predictor + 15);
}

GST_END_TEST;

static Suite *
lossstatistics_suite (void)
{
  Suite *suite = suite_create ("lossstatistics");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_late_packet_restores_the_statistics);
  tcase_add_test (tc, test_late_packet_merges_two_intervals_in_the_statistics);
  tcase_add_test (tc, test_long_gap_has_an_interval_each_round_trip_time);
  tcase_add_test (tc, test_statistics_start_anew);
  tcase_add_test (tc, test_packets_missing_before_the_new_start_do_not_count);
  tcase_add_test (tc, test_old_gaps_do_not_come_back_after_a_new_start);
  tcase_add_test (tc, test_statistics_outlive_a_change_of_the_path);
  return suite;
}

GST_CHECK_MAIN (lossstatistics);
