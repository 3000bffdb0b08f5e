/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost and marked packets, and the loss events that they start (RFC 5348 sections 5.1 and 5.2),
 * case by case */
#include "losstest.h"

GST_START_TEST (test_no_loss_in_order)
{
  start (0);
  arrive_in_order (FIRST, FIRST + 1000, 0);
  assert_state (0, 0, 0, 0);
  fail_unless_equals_int (detection.n_gaps, 0);
  fail_unless_equals_int (first_intervals, 0);
}

GST_END_TEST;

GST_START_TEST (test_loss_is_detected_by_the_third_later_packet)
{
  start (0);
  arrive_in_order (FIRST, FIRST + 9, 0);
  assert_arrives (1011, 110, TFRC_LOSS_NOTHING);
  assert_arrives (1012, 120, TFRC_LOSS_NOTHING);
  assert_state (0, 0, 0, 0);
  assert_arrives (1013, 130, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1010, 100 * MS);
  fail_unless_equals_int (detection.all.current.length[1], SEED);
  fail_unless_equals_int (first_intervals, 1);
  fail_if (last_was_null);
}

GST_END_TEST;

GST_START_TEST (test_reordering_by_one_or_two_is_no_loss)
{
  guint64 seq = FIRST + 1, ms = 100;

  start (0);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  for (guint i = 0; i < 100; i++, seq += 5, ms += 50) {
    const guint order[] = { 1, 0, 3, 4, 2 };

    for (guint k = 0; k < 5; k++)
      assert_arrives (seq + order[k], ms + 10 * k, TFRC_LOSS_NOTHING);
  }
  assert_state (0, 0, 0, 0);
  fail_unless_equals_int (detection.n_gaps, 0);
}

GST_END_TEST;

GST_START_TEST (test_duplicates_are_no_later_packets)
{
  start (0);
  arrive_in_order (FIRST, 1005, 0);
  assert_arrives (1007, 70, TFRC_LOSS_NOTHING);
  for (guint i = 0; i < 5; i++) {
    assert_duplicate (1007, FALSE, 80);
    assert_duplicate (1003, TRUE, 80);
  }
  assert_arrives (1008, 90, TFRC_LOSS_NOTHING);
  assert_state (0, 0, 0, 0);
  /* a duplicate is not the arrival before the loss either: that arrival is 1008 at 90 ms */
  assert_duplicate (1004, FALSE, 100);
  assert_arrives (1010, 110, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1006, 60 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[1], 1009), 100 * MS);
}

GST_END_TEST;

GST_START_TEST (test_mark_counts_at_once)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 0, 1010, 100 * MS);
  /* I_0 has only this packet */
  detection.all.current.length[1] = 1;
  fail_unless (tfrc_loss_intervals_mean (&detection.all.current, 1010) == 1);
  assert_duplicate (1010, TRUE, 110);
}

GST_END_TEST;

/* The example of section 5.1 */
GST_START_TEST (test_hole_before_a_mark_starts_the_event)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1011, 110, TFRC_LOSS_NOTHING);
  assert_arrives_marked (1012, 120, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1010, 100 * MS);
}

GST_END_TEST;

GST_START_TEST (test_arrival_times_are_interpolated)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  /* the arrivals are at 90 ms and 150 ms, so the lost packets are at 105, 120 and 135 ms */
  assert_arrives (1013, 150, TFRC_LOSS_NOTHING);
  assert_arrives (1014, 160, TFRC_LOSS_NOTHING);
  assert_arrives (1015, 170, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 3, 1010, 105 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[0], 1011), 120 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[0], 1012), 135 * MS);
}

GST_END_TEST;

/* S_before is the last packet that arrived, not the highest. */
GST_START_TEST (test_interpolation_starts_at_the_last_arrival)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1012, 120, TFRC_LOSS_NOTHING);
  assert_arrives (1011, 130, TFRC_LOSS_NOTHING);
  assert_arrives (1015, 170, TFRC_LOSS_NEW_EVENT);
  /* 1010: 3 steps from 90 to 120 ms; 1013 and 1014: 4 steps from 130 to 170 ms */
  assert_state (1, 1, 1010, 100 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[1], 1013), 150 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[1], 1014), 160 * MS);
}

GST_END_TEST;

GST_START_TEST (test_one_round_trip_time_after_is_the_same_event)
{
  guint64 t_old_ns = 100 * MS;

  start (0);
  arrive_in_order (FIRST, 1009, 0);
  arrive_at_ns (1010, TRUE, t_old_ns);
  fail_unless_equals_int (arrive_at_ns (1011, TRUE, t_old_ns + RTT_MS * MS), TFRC_LOSS_NOTHING);
  assert_state (1, 0, 1010, t_old_ns);
  fail_unless_equals_int (
      arrive_at_ns (1012, TRUE, t_old_ns + RTT_MS * MS + 1), TFRC_LOSS_NEW_EVENT);
  assert_state (2, 0, 1012, t_old_ns + RTT_MS * MS + 1);
  fail_unless_equals_int (detection.all.current.length[1], 2);
  fail_unless_equals_int (detection.all.current.length[2], SEED);
}

GST_END_TEST;

GST_START_TEST (test_interpolated_time_one_round_trip_time_after)
{
  for (guint late_ns = 0; late_ns < 2; late_ns++) {
    start (0);
    arrive_in_order (FIRST, 1009, 0);
    arrive_at_ns (1010, TRUE, 100 * MS);
    arrive_in_order (1011, 1018, 110);
    /* 1019 is missing: its time is half-way from 1018 at 180 ms to 1020 at 220 ms */
    fail_unless_equals_int (
        arrive_at_ns (1020, FALSE, 180 * MS + 2 * (20 * MS + late_ns)), TFRC_LOSS_NOTHING);
    assert_arrives (1021, 240, TFRC_LOSS_NOTHING);
    assert_arrives (1022, 250, late_ns ? TFRC_LOSS_NEW_EVENT : TFRC_LOSS_NOTHING);
    assert_state (1 + late_ns, 1, late_ns ? 1019 : 1010, (late_ns ? 200 : 100) * MS + late_ns);
  }
}

GST_END_TEST;

GST_START_TEST (test_round_trip_time_is_that_of_the_detection)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  tfrc_loss_detection_on_next (&detection, 1010, TRUE, RTT_US, 100 * MS);
  tfrc_loss_detection_on_next (&detection, 1011, TRUE, 50000, 151 * MS);
  assert_state (2, 0, 1011, 151 * MS);
  tfrc_loss_detection_on_next (&detection, 1012, TRUE, 500000, 600 * MS);
  assert_state (2, 0, 1011, 151 * MS);
}

GST_END_TEST;

GST_START_TEST (test_lost_first_packet_is_a_null_interval)
{
  start (0);
  assert_arrives (1001, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1002, 10, TFRC_LOSS_NOTHING);
  assert_arrives (1003, 20, TFRC_LOSS_NEW_EVENT);
  fail_unless (last_was_null);
  assert_state (1, 1, FIRST, 0);
  fail_unless_equals_int (detection.all.current.length[1], 5);

  start (0);
  assert_arrives_marked (FIRST, 0, TFRC_LOSS_NEW_EVENT);
  fail_unless (last_was_null);
}

GST_END_TEST;

GST_START_TEST (test_extreme_times_end_in_finite_steps)
{
  start (0);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_on_next (&detection, FIRST + 0x4000, TRUE, 0, G_MAXUINT64 - 5);
  tfrc_loss_detection_on_next (&detection, FIRST + 0x4001, TRUE, G_MAXUINT32, G_MAXUINT64 - 4);
  tfrc_loss_detection_on_next (&detection, FIRST + 0x8000, TRUE, G_MAXUINT32, G_MAXUINT64);
  fail_unless_equals_uint64 (detection.lost, 0x3fff + 0x3ffe);
  fail_unless (detection.all.current.start_seq <= FIRST + 0x4000);
}

GST_END_TEST;

static Suite *
lossdetection_suite (void)
{
  Suite *suite = suite_create ("lossdetection");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_no_loss_in_order);
  tcase_add_test (tc, test_loss_is_detected_by_the_third_later_packet);
  tcase_add_test (tc, test_reordering_by_one_or_two_is_no_loss);
  tcase_add_test (tc, test_duplicates_are_no_later_packets);
  tcase_add_test (tc, test_mark_counts_at_once);
  tcase_add_test (tc, test_hole_before_a_mark_starts_the_event);
  tcase_add_test (tc, test_arrival_times_are_interpolated);
  tcase_add_test (tc, test_interpolation_starts_at_the_last_arrival);
  tcase_add_test (tc, test_one_round_trip_time_after_is_the_same_event);
  tcase_add_test (tc, test_interpolated_time_one_round_trip_time_after);
  tcase_add_test (tc, test_round_trip_time_is_that_of_the_detection);
  tcase_add_test (tc, test_lost_first_packet_is_a_null_interval);
  tcase_add_test (tc, test_extreme_times_end_in_finite_steps);
  return suite;
}

GST_CHECK_MAIN (lossdetection);
