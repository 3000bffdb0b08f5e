/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that come before they are due, see gst/queue/reorder.h. */
#include "reordertest.h"

#define LEAD (10 * S)

static gsize
one_byte (gconstpointer data)
{
  return 1;
}

/* Ten seconds of a packet in 100 ms, which come at once */
static void
push_lead (void)
{
  for (guint i = 0; i < 100; i++)
    push_due (i, 0, i * 100 * MS);
}

GST_START_TEST (an_early_packet_is_held_until_it_is_due)
{
  push_lead ();
  fail_unless_equals_int (pop_at (0).seq, FIRST);
  for (guint i = 1; i < 100; i++) {
    fail_unless_equals_uint64 (gst_tfrc_reorder_leave_ns (queue), NOW + i * 100 * MS);
    assert_nothing_at (i * 100 * MS - 1);
    fail_unless_equals_uint64 (pop_at (i * 100 * MS).due_ns, NOW + i * 100 * MS);
  }
  fail_unless_equals_int (freed, 0);
}

GST_END_TEST;

/* It is played in its time all the same. */
GST_START_TEST (a_gap_in_front_of_an_early_packet_is_waited_for_until_that_is_played)
{
  push_at (0, 0);
  pop_at (0);
  push_due (2, 0, LEAD);
  assert_nothing_at (LEAD + WINDOW - 1);
  push_due (1, LEAD, LEAD - MS);
  pop_at (LEAD);
  pop_at (LEAD);
}

GST_END_TEST;

GST_START_TEST (early_packets_leave_in_groups_too)
{
  gst_tfrc_reorder_set_hold_ns (queue, 50 * MS);
  for (guint i = 0; i < 100; i++)
    push_due (i, 0, i * MS);
  pop_at (0);
  fail_unless_equals_uint64 (gst_tfrc_reorder_leave_ns (queue), NOW + 51 * MS);
}

GST_END_TEST;

GST_START_TEST (a_pipeline_is_slow_only_once_packets_are_due)
{
  gst_tfrc_reorder_set_limits (queue, WINDOW, 5 * S);
  push_lead ();
  push_due (100, 5 * S, 10 * S);
  fail_unless_equals_uint64 (stats ().overflowed, 0);
  push_due (101, 5 * S + 1, 10 * S);
  fail_unless_equals_uint64 (stats ().overflowed, 1);
}

GST_END_TEST;

GST_START_TEST (what_runs_too_far_ahead_is_dropped_and_what_is_due_is_not)
{
  gst_tfrc_reorder_set_early_limit (queue, one_byte, 50);
  push_lead ();
  fail_unless_equals_uint64 (stats ().too_early, 49);
  fail_unless_equals_int (stats ().packets, 51);
  push_at (200, 0);
  fail_unless_equals_int (stats ().packets, 52);
  for (guint i = 0; i < 10; i++)
    pop_at (LEAD);
  for (guint i = 60; i < 80; i++)
    push_due (i, 0, i * 100 * MS);
  fail_unless_equals_int (stats ().packets, 51);
}

GST_END_TEST;

GST_START_TEST (a_flush_drops_what_is_not_due)
{
  GstTfrcReorderItem item;

  push_lead ();
  pop_at (0);
  gst_tfrc_reorder_flush (queue, NOW + 50 * MS);
  fail_unless_equals_int (freed, 99);
  push_due (100, 50 * MS, 60 * MS);
  item = pop_at (60 * MS);
  fail_unless_equals_uint64 (item.seq, FIRST + 100);
  fail_unless (item.discont);
  fail_unless_equals_uint64 (item.skipped, 0);
  fail_unless_equals_uint64 (stats ().missing, 0);
  fail_unless_equals_uint64 (stats ().flushed, 99);
  push_due (50, 60 * MS, 60 * MS);
  fail_unless_equals_uint64 (stats ().too_late, 1);
}

GST_END_TEST;

GST_START_TEST (a_flush_keeps_what_is_due)
{
  push_due (0, 0, 0);
  gst_tfrc_reorder_flush (queue, NOW);
  fail_unless_equals_uint64 (pop_at (0).seq, FIRST);
}

GST_END_TEST;

GST_START_TEST (a_new_stream_that_is_due_first_ends_the_old_one)
{
  push_lead ();
  pop_at (0);
  gst_tfrc_reorder_restart (queue);
  push_due (7, 20 * MS, 30 * MS);
  fail_unless_equals_int (freed, 99);
  fail_unless_equals_uint64 (pop_at (30 * MS).seq, FIRST + 7);
}

GST_END_TEST;

/* A sender can fill the queue with small packets of a far time, which nobody plays then. */
GST_START_TEST (early_packets_that_overflow_do_not_delay_the_next_stream)
{
  for (guint i = 0; i <= GST_TFRC_REORDER_MAX_PACKETS; i++)
    push_due (i, 0, LEAD);
  fail_unless_equals_uint64 (stats ().overflowed, 1);
  gst_tfrc_reorder_restart (queue);
  push_at (7, 20 * MS);
  fail_unless_equals_uint64 (pop_at (20 * MS).due_ns, NOW + 20 * MS);
}

GST_END_TEST;

/* As when the sender goes on under another address */
GST_START_TEST (a_new_stream_that_goes_on_keeps_the_old_one)
{
  push_lead ();
  gst_tfrc_reorder_restart (queue);
  push_due (7, 20 * MS, LEAD);
  for (guint i = 0; i < 100; i++)
    pop_at (i * 100 * MS);
  fail_unless_equals_uint64 (pop_at (LEAD).seq, FIRST + 7);
}

GST_END_TEST;

GST_START_TEST (at_the_end_packets_wait_for_their_time_and_for_no_gap)
{
  GstTfrcReorderItem item;

  push_at (0, 0);
  pop_at (0);
  push_due (2, 0, 100 * MS);
  fail_unless_equals_uint64 (gst_tfrc_reorder_end_ns (queue), NOW + 100 * MS);
  fail_if (gst_tfrc_reorder_pop_at_end (queue, NOW + 100 * MS - 1, &item));
  fail_unless (gst_tfrc_reorder_pop_at_end (queue, NOW + 100 * MS, &item));
  fail_unless_equals_uint64 (gst_tfrc_reorder_end_ns (queue), NEVER);
}

GST_END_TEST;

/* Its room is that of the packets that come after it. */
GST_START_TEST (a_flush_makes_room_for_early_packets)
{
  gst_tfrc_reorder_set_early_limit (queue, one_byte, 100);
  push_lead ();
  fail_unless_equals_uint64 (stats ().too_early, 0);
  gst_tfrc_reorder_flush (queue, NOW);
  for (guint i = 0; i < 100; i++)
    push_due (100 + i, 0, LEAD + i * 100 * MS);
  fail_unless_equals_uint64 (stats ().too_early, 0);
  fail_unless_equals_int (stats ().packets, 100);
  push_due (300, 0, 3 * LEAD);
  fail_unless_equals_uint64 (stats ().too_early, 1);
}

GST_END_TEST;

static Suite *
reorderearly_suite (void)
{
  Suite *s = suite_create ("reorderearly");
  TCase *tc = tcase_create ("queue");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, an_early_packet_is_held_until_it_is_due);
  tcase_add_test (tc, a_gap_in_front_of_an_early_packet_is_waited_for_until_that_is_played);
  tcase_add_test (tc, early_packets_leave_in_groups_too);
  tcase_add_test (tc, a_pipeline_is_slow_only_once_packets_are_due);
  tcase_add_test (tc, what_runs_too_far_ahead_is_dropped_and_what_is_due_is_not);
  tcase_add_test (tc, a_flush_drops_what_is_not_due);
  tcase_add_test (tc, a_flush_keeps_what_is_due);
  tcase_add_test (tc, a_flush_makes_room_for_early_packets);
  tcase_add_test (tc, a_new_stream_that_is_due_first_ends_the_old_one);
  tcase_add_test (tc, early_packets_that_overflow_do_not_delay_the_next_stream);
  tcase_add_test (tc, a_new_stream_that_goes_on_keeps_the_old_one);
  tcase_add_test (tc, at_the_end_packets_wait_for_their_time_and_for_no_gap);
  return s;
}

GST_CHECK_MAIN (reorderearly);
