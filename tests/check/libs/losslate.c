/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that come late and take losses back (RFC 5348 section 5.1). After a restart no packet can
 * take a loss back. */
#include "losstest.h"

GST_START_TEST (test_reordering_by_three_is_a_loss_until_the_packet_comes)
{
  start (0);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1002, 20, TFRC_LOSS_NOTHING);
  assert_arrives (1003, 30, TFRC_LOSS_NOTHING);
  assert_arrives (1004, 40, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1001, 10 * MS);
  assert_arrives (1001, 50, TFRC_LOSS_EVENT_REMOVED);
  assert_state (0, 0, 0, 0);
  fail_unless (tfrc_loss_intervals_mean (&detection.all.current, 1004) == 0);
  /* the next first loss has a first interval of its own */
  assert_arrives (1006, 60, TFRC_LOSS_NOTHING);
  assert_arrives (1007, 70, TFRC_LOSS_NOTHING);
  assert_arrives (1008, 80, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_int (first_intervals, 2);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_is_a_duplicate_the_second_time)
{
  start (0);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1003, 30, TFRC_LOSS_NOTHING);
  assert_arrives (1001, 40, TFRC_LOSS_NOTHING);
  assert_duplicate (1001, FALSE, 50);
  assert_arrives (1002, 60, TFRC_LOSS_NOTHING);
  assert_duplicate (1002, FALSE, 70);
  fail_unless_equals_int (detection.n_gaps, 0);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_moves_the_event_to_the_mark)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1011, 110, TFRC_LOSS_NOTHING);
  assert_arrives_marked (1012, 120, TFRC_LOSS_NEW_EVENT);
  assert_arrives (1010, 130, TFRC_LOSS_NOTHING);
  assert_state (1, 0, 1012, 120 * MS);
}

GST_END_TEST;

GST_START_TEST (test_late_marked_packet)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1011, 110, TFRC_LOSS_NOTHING);
  /* the late packet is marked within NDUPACK: its mark counts at the time of its arrival */
  assert_arrives_marked (1010, 120, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 0, 1010, 120 * MS);
  /* the late packet comes after it had been taken for lost */
  assert_arrives (1013, 230, TFRC_LOSS_NOTHING);
  assert_arrives (1014, 240, TFRC_LOSS_NOTHING);
  assert_arrives (1015, 250, TFRC_LOSS_NOTHING);
  assert_state (1, 1, 1010, 120 * MS);
  assert_arrives_marked (1012, 260, TFRC_LOSS_NEW_EVENT);
  assert_state (2, 0, 1012, 260 * MS);
}

GST_END_TEST;

/* 1010..1014 are lost, 15 ms apart, the first at 105 ms. */
static void
lose_five (void)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  arrive_in_order (1015, 1016, 180);
  assert_arrives (1017, 200, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 5, 1010, 105 * MS);
}

GST_START_TEST (test_late_packet_leaves_the_rest_of_the_gap_lost)
{
  lose_five ();
  assert_arrives (1014, 210, TFRC_LOSS_NOTHING);
  assert_state (1, 4, 1010, 105 * MS);
  assert_arrives (1012, 220, TFRC_LOSS_NOTHING);
  assert_state (1, 3, 1010, 105 * MS);
  /* the gap is split in two; the packets in both keep their times */
  fail_unless_equals_int (detection.n_gaps, 2);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[0], 1011), 120 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[1], 1013), 150 * MS);
  assert_duplicate (1012, FALSE, 230);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_moves_the_start_of_the_event)
{
  lose_five ();
  assert_arrives (1010, 210, TFRC_LOSS_NOTHING);
  assert_state (1, 4, 1011, 120 * MS);
  assert_arrives (1012, 220, TFRC_LOSS_NOTHING);
  assert_arrives (1011, 230, TFRC_LOSS_NOTHING);
  assert_state (1, 2, 1013, 150 * MS);
  assert_arrives (1014, 240, TFRC_LOSS_NOTHING);
  assert_arrives (1013, 250, TFRC_LOSS_EVENT_REMOVED);
  assert_state (0, 0, 0, 0);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_merges_two_intervals)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  arrive_in_order (1011, 1029, 110);
  arrive_in_order (1031, 1032, 310);
  assert_arrives (1033, 330, TFRC_LOSS_NEW_EVENT);
  assert_state (2, 1, 1030, 300 * MS);
  arrive_in_order (1034, 1049, 340);
  assert_arrives_marked (1050, 500, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_int (detection.all.current.length[1], 20);
  fail_unless_equals_int (detection.all.current.length[2], 20);

  assert_arrives (1030, 510, TFRC_LOSS_EVENT_REMOVED);
  assert_state (2, 0, 1050, 500 * MS);
  fail_unless_equals_int (detection.all.current.length[1], 40);
  fail_unless_equals_int (detection.all.current.length[2], SEED);
  fail_unless_equals_int (detection.all.current.closed, 2);
}

GST_END_TEST;

GST_START_TEST (test_late_first_packet_takes_the_null_interval_back)
{
  start (0);
  assert_arrives (1001, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1003, 20, TFRC_LOSS_NOTHING);
  arrive_at_ns (1004, FALSE, 30 * MS);
  arrive_at_ns (1005, FALSE, 40 * MS);
  assert_state (1, 2, FIRST, 0);
  fail_unless_equals_int (detection.all.current.length[1], 5);
  assert_arrives (FIRST, 50, TFRC_LOSS_NOTHING);
  assert_state (1, 1, 1002, 10 * MS);
  fail_unless_equals_int (detection.all.current.length[1], SEED);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_too_old_to_tell_changes_nothing)
{
  guint64 seq = FIRST, ms = 0;

  start (0);
  assert_arrives (seq++, ms, TFRC_LOSS_NOTHING);
  for (guint i = 0; i <= TFRC_MAX_GAPS; i++) {
    seq++; /* this packet is lost */
    for (guint k = 0; k < 3; k++)
      arrive_at_ns (seq++, FALSE, (ms += 100) * MS);
  }
  fail_unless_equals_int (detection.n_gaps, TFRC_MAX_GAPS);
  fail_unless_equals_uint64 (detection.all.current.events, TFRC_MAX_GAPS + 1);
  assert_duplicate (FIRST + 1, FALSE, ms);
  /* a late packet fills the oldest gap that is remembered */
  assert_arrives (FIRST + 5, ms, TFRC_LOSS_EVENT_REMOVED);
  fail_unless_equals_uint64 (detection.all.current.events, TFRC_MAX_GAPS);
  fail_unless_equals_uint64 (detection.lost, TFRC_MAX_GAPS);
}

GST_END_TEST;

GST_START_TEST (test_restart_is_no_loss)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  arrive_in_order (1011, 1019, 110);
  tfrc_loss_detection_restart (&detection, 50000, RTT_US, 500 * MS);
  arrive_in_order (50001, 50009, 510);
  fail_unless_equals_uint64 (detection.all.current.events, 1);
  fail_unless_equals_uint64 (detection.lost, 0);
  /* I_0 has 10 packets from before and 10 from after the restart */
  detection.all.current.length[1] = 1;
  fail_unless (tfrc_loss_intervals_mean (&detection.all.current, 50009) == 20);
  assert_duplicate (1015, FALSE, 700);
}

GST_END_TEST;

GST_START_TEST (test_loss_after_a_restart_is_detected)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  tfrc_loss_detection_restart (&detection, 50000, RTT_US, 500 * MS);
  assert_arrives (50002, 520, TFRC_LOSS_NOTHING);
  assert_arrives (50003, 530, TFRC_LOSS_NOTHING);
  assert_arrives (50004, 540, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 50001, 510 * MS);
}

GST_END_TEST;

/* Packets that were missing at the restart cannot come any more. */
GST_START_TEST (test_holes_before_a_restart_are_one_event_per_rtt)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1030, 190, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_restart (&detection, 50000, RTT_US, 500 * MS);
  fail_unless_equals_uint64 (detection.lost, 20);
  fail_unless_equals_uint64 (detection.all.current.events, 1);
  /* I_0 has 1010..1030, and 50000 */
  detection.all.current.length[1] = 1;
  fail_unless (tfrc_loss_intervals_mean (&detection.all.current, 50000) == 22);
}

GST_END_TEST;

static Suite *
losslate_suite (void)
{
  Suite *suite = suite_create ("losslate");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_reordering_by_three_is_a_loss_until_the_packet_comes);
  tcase_add_test (tc, test_late_packet_is_a_duplicate_the_second_time);
  tcase_add_test (tc, test_late_packet_moves_the_event_to_the_mark);
  tcase_add_test (tc, test_late_marked_packet);
  tcase_add_test (tc, test_late_packet_leaves_the_rest_of_the_gap_lost);
  tcase_add_test (tc, test_late_packet_moves_the_start_of_the_event);
  tcase_add_test (tc, test_late_packet_merges_two_intervals);
  tcase_add_test (tc, test_late_first_packet_takes_the_null_interval_back);
  tcase_add_test (tc, test_late_packet_too_old_to_tell_changes_nothing);
  tcase_add_test (tc, test_restart_is_no_loss);
  tcase_add_test (tc, test_loss_after_a_restart_is_detected);
  tcase_add_test (tc, test_holes_before_a_restart_are_one_event_per_rtt);
  return suite;
}

GST_CHECK_MAIN (losslate);
