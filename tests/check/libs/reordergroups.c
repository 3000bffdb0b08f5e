/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When packets leave the receiver's queue in groups, see gst/queue/reorder.h. */
#include "reordertest.h"

#define HOLD (50 * MS)

static inline void
assert_leaves_at (guint64 at_ns)
{
  fail_unless_equals_uint64 (gst_tfrc_reorder_leave_ns (queue), NOW + at_ns);
}

static inline void
assert_leaves_now (void)
{
  fail_unless_equals_uint64 (gst_tfrc_reorder_leave_ns (queue), 0);
}

/* The first packet has left already. */
static void
setup_running (void)
{
  setup ();
  gst_tfrc_reorder_set_hold_ns (queue, HOLD);
  push (0);
  assert_pop (0, FALSE);
}

GST_START_TEST (the_first_packet_leaves_at_once)
{
  teardown ();
  setup ();
  gst_tfrc_reorder_set_hold_ns (queue, HOLD);
  fail_unless_equals_uint64 (gst_tfrc_reorder_leave_ns (queue), NEVER);
  push (0);
  assert_leaves_now ();
  assert_pop (0, FALSE);
  fail_unless_equals_uint64 (gst_tfrc_reorder_leave_ns (queue), NEVER);
}

GST_END_TEST;

GST_START_TEST (later_packets_wait_for_others)
{
  push_at (1, 10 * MS);
  assert_leaves_at (60 * MS);
  push_at (2, 20 * MS);
  push_at (3, 30 * MS);
  assert_leaves_at (60 * MS);
  for (guint i = 1; i <= 3; i++)
    assert_pop_at (60 * MS, i, FALSE);
  push_at (4, 70 * MS);
  assert_leaves_at (120 * MS);
}

GST_END_TEST;

GST_START_TEST (half_of_the_window_remains_for_the_pipeline)
{
  gst_tfrc_reorder_set_limits (queue, 60 * MS, 0);
  push_at (1, 0);
  assert_leaves_at (30 * MS);
  assert_pop_at (30 * MS, 1, FALSE);
  push_due (2, 50 * MS, 40 * MS);
  assert_leaves_at (70 * MS);
}

GST_END_TEST;

/* The packets have waited in the sender. */
GST_START_TEST (a_packet_that_was_due_half_a_window_ago_does_not_wait)
{
  push_due (1, 80 * MS, 0);
  assert_leaves_at (WINDOW / 2);
  assert_pop_at (WINDOW / 2, 1, FALSE);
  push_due (2, 180 * MS, 10 * MS);
  fail_unless (gst_tfrc_reorder_leave_ns (queue) < NOW + 180 * MS);
}

GST_END_TEST;

GST_START_TEST (packets_do_not_wait_without_a_window)
{
  gst_tfrc_reorder_set_limits (queue, 0, 0);
  push_at (1, 10 * MS);
  assert_leaves_at (10 * MS);
}

GST_END_TEST;

/* Otherwise the packets that wait for each other would overflow the queue. */
GST_START_TEST (packets_wait_for_a_quarter_of_the_limit_of_the_queue_at_most)
{
  gst_tfrc_reorder_set_limits (queue, WINDOW, 40 * MS);
  push_at (1, 10 * MS);
  assert_leaves_at (20 * MS);
}

GST_END_TEST;

GST_START_TEST (packets_that_come_rarely_do_not_wait)
{
  for (guint i = 1; i <= 50; i++) {
    push_at (i, i * 25 * MS);
    assert_leaves_at (i * 25 * MS + HOLD);
    assert_pop_at (i * 25 * MS, i, FALSE);
  }
  for (guint i = 1; i <= 50; i++) {
    push_at (50 + i, 1250 * MS + i * 26 * MS);
    assert_pop_at (1250 * MS + i * 26 * MS, 50 + i, FALSE);
  }
  push_at (101, 2576 * MS);
  assert_leaves_at (2576 * MS);
}

GST_END_TEST;

/* After a pause packets do not leave alone for long. */
GST_START_TEST (a_pause_is_soon_forgotten)
{
  push_at (1, 10 * MS);
  assert_pop_at (10 * MS, 1, FALSE);
  for (guint i = 2; i <= 6; i++) {
    push_at (i, 3600 * S + i * 10 * MS);
    assert_pop_at (3600 * S + i * 10 * MS, i, FALSE);
  }
  push_at (7, 3600 * S + 70 * MS);
  assert_leaves_at (3600 * S + 70 * MS + HOLD);
}

GST_END_TEST;

GST_START_TEST (a_group_that_is_full_leaves_at_once)
{
  for (guint i = 1; i < GST_TFRC_REORDER_GROUP_PACKETS; i++)
    push (i);
  assert_leaves_at (HOLD);
  push (GST_TFRC_REORDER_GROUP_PACKETS);
  assert_leaves_now ();
}

GST_END_TEST;

GST_START_TEST (packets_behind_a_gap_leave_when_the_gap_is_given_up)
{
  push_at (2, 10 * MS);
  assert_leaves_at (10 * MS + WINDOW);
  push_at (1, 20 * MS);
  assert_leaves_at (10 * MS + HOLD);
}

GST_END_TEST;

/* The packets behind the gap have waited for longer than for others. */
GST_START_TEST (packets_behind_a_gap_that_is_filled_late_wait_no_longer)
{
  push_at (2, 10 * MS);
  push_at (1, 90 * MS);
  fail_unless (gst_tfrc_reorder_leave_ns (queue) < NOW + 90 * MS);
}

GST_END_TEST;

GST_START_TEST (the_first_packet_of_a_new_stream_leaves_at_once)
{
  push_at (1, 10 * MS);
  gst_tfrc_reorder_restart (queue);
  push_at (7, 20 * MS);
  push_at (8, 30 * MS);
  assert_leaves_at (10 * MS + HOLD);
  assert_pop_at (30 * MS, 1, FALSE);
  assert_leaves_now ();
  assert_pop_at (30 * MS, 7, TRUE);
  assert_leaves_at (30 * MS + HOLD);
}

GST_END_TEST;

/* A second counts as 200 ms, of which an eighth is a gap of 25 ms: two packets in 50 ms. */
GST_START_TEST (one_pause_does_not_end_the_groups_of_a_fast_stream)
{
  push_at (1, 1000 * MS);
  assert_leaves_at (1050 * MS);
  assert_pop_at (1050 * MS, 1, FALSE);
  push_at (2, 2000 * MS);
  assert_leaves_at (2000 * MS);
}

GST_END_TEST;

/* The hold is 30 ms there, in which one packet comes: it is not worth a wait. */
GST_START_TEST (a_short_window_holds_no_packet_for_one_other)
{
  gst_tfrc_reorder_set_limits (queue, 60 * MS, 0);
  for (guint i = 1; i <= 40; i++) {
    push_at (i, i * 20 * MS);
    if (i < 40)
      assert_pop_at (i * 20 * MS, i, FALSE);
  }
  assert_leaves_at (800 * MS);
}

GST_END_TEST;

static Suite *
reordergroups_suite (void)
{
  Suite *s = suite_create ("reordergroups");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup_running, teardown);
  tcase_add_test (tc, the_first_packet_leaves_at_once);
  tcase_add_test (tc, later_packets_wait_for_others);
  tcase_add_test (tc, half_of_the_window_remains_for_the_pipeline);
  tcase_add_test (tc, a_short_window_holds_no_packet_for_one_other);
  tcase_add_test (tc, a_packet_that_was_due_half_a_window_ago_does_not_wait);
  tcase_add_test (tc, packets_do_not_wait_without_a_window);
  tcase_add_test (tc, packets_wait_for_a_quarter_of_the_limit_of_the_queue_at_most);
  tcase_add_test (tc, packets_that_come_rarely_do_not_wait);
  tcase_add_test (tc, a_pause_is_soon_forgotten);
  tcase_add_test (tc, one_pause_does_not_end_the_groups_of_a_fast_stream);
  tcase_add_test (tc, a_group_that_is_full_leaves_at_once);
  tcase_add_test (tc, packets_behind_a_gap_leave_when_the_gap_is_given_up);
  tcase_add_test (tc, packets_behind_a_gap_that_is_filled_late_wait_no_longer);
  tcase_add_test (tc, the_first_packet_of_a_new_stream_leaves_at_once);
  return s;
}

GST_CHECK_MAIN (reordergroups);
