/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of the receiver's queue, several streams, and what is skipped, see
 * gst/queue/reorder.h. */
#include "reordertest.h"

/* ---- limits ------------------------------------------------------------- */

GST_START_TEST (overflow_in_time_drops_the_oldest)
{
  gst_tfrc_reorder_set_limits (queue, WINDOW, 100 * MS);
  for (guint i = 0; i <= 10; i++)
    push_at (i, i * 10 * MS);
  fail_unless_equals_uint64 (stats ().overflowed, 0);
  push_at (11, 110 * MS);
  push_at (12, 120 * MS);
  fail_unless_equals_uint64 (stats ().overflowed, 2);
  fail_unless_equals_int (freed, 2);
  assert_pop_at (120 * MS, 2, TRUE);
  assert_pop_at (120 * MS, 3, FALSE);
  /* the queue dropped the packets, so the network did not lose them */
  fail_unless_equals_uint64 (stats ().missing, 0);
}

GST_END_TEST;

/* A playout delay of 8 s, and 5 s for the pipeline: what waits for a repair does not wait for the pipeline. */
GST_START_TEST (the_wait_for_a_missing_packet_is_no_wait_for_the_pipeline)
{
  gst_tfrc_reorder_set_limits (queue, 8 * S, 5 * S);
  push (0);
  assert_pop (0, FALSE);
  for (guint i = 2; i < 80; i++)
    push_at (i, i * 100 * MS);
  fail_unless_equals_uint64 (stats ().overflowed, 0);
  push_at (1, 7950 * MS);
  push_at (80, 8 * S);
  fail_unless_equals_uint64 (stats ().overflowed, 0);
  for (guint i = 1; i <= 80; i++)
    assert_pop_at (8 * S, i, FALSE);
}

GST_END_TEST;

/* The pipeline could have had all of it since the repair came at 7.95 s, or since the gap was given up at 8.2 s. */
GST_START_TEST (the_wait_for_the_pipeline_begins_with_the_end_of_the_gap)
{
  for (guint is_repaired = 0; is_repaired < 2; is_repaired++) {
    setup ();
    gst_tfrc_reorder_set_limits (queue, 8 * S, 5 * S);
    push (0);
    assert_pop (0, FALSE);
    push_at (2, 200 * MS);
    push_at (3, 300 * MS);
    if (is_repaired)
      push_at (1, 7950 * MS);
    push_at (4, is_repaired ? 12950 * MS : 13200 * MS);
    fail_unless_equals_uint64 (stats ().overflowed, 0);
    push_at (5, is_repaired ? 12951 * MS : 13201 * MS);
    fail_unless_equals_uint64 (stats ().overflowed, is_repaired ? 3 : 2);
    assert_pop_at (13201 * MS, 4, TRUE);
  }
}

GST_END_TEST;

/* The packet behind the gap has left at 8.2 s, and the next one could have left with it. */
GST_START_TEST (behind_a_gap_that_was_given_up_all_packets_begin_to_wait_then)
{
  gst_tfrc_reorder_set_limits (queue, 8 * S, 5 * S);
  push (0);
  assert_pop (0, FALSE);
  push_at (2, 200 * MS);
  push_at (3, 300 * MS);
  assert_pop_at (8200 * MS, 2, TRUE);
  push_at (4, 13200 * MS);
  fail_unless_equals_uint64 (stats ().overflowed, 0);
  push_at (5, 13201 * MS);
  fail_unless_equals_uint64 (stats ().overflowed, 1);
  assert_pop_at (13201 * MS, 4, TRUE);
}

GST_END_TEST;

/* As many packets as a movie has that runs 10 s ahead with 20 Mbit/s, and then their gaps, the oldest first, as a sender
 * can send them whose packets nothing is missing of. */
GST_START_TEST (old_numbers_cost_little_however_many_packets_wait)
{
  const guint n = 16000;
  guint64 before;

  push_at (0, 0);
  for (guint i = 1; i <= n; i++)
    push_at (2 * i, 0);
  before = stats ().compared;
  for (guint i = 0; i < n; i++)
    push_at (2 * i + 1, 0);
  fail_unless (
      stats ().compared - before <= n * 64, "%" G_GUINT64_FORMAT, stats ().compared - before);
  for (guint i = 0; i <= 2 * n - 1; i++)
    assert_pop_at (0, i, FALSE);
}

GST_END_TEST;

GST_START_TEST (all_waiting_packets_may_be_too_old)
{
  gst_tfrc_reorder_set_limits (queue, WINDOW, 5 * S);
  push_at (1, 0);
  assert_pop_at (0, 1, FALSE);
  push_at (3, S);
  push_at (2, 6 * S + WINDOW + 1);
  fail_unless_equals_uint64 (stats ().overflowed, 2);
  fail_unless_equals_int (gst_tfrc_reorder_length (queue), 0);
  push_at (4, 6 * S + WINDOW + 2);
  assert_pop_at (6 * S + WINDOW + 2, 4, TRUE);
}

GST_END_TEST;

GST_START_TEST (a_late_packet_does_not_hide_how_old_the_queue_is)
{
  gst_tfrc_reorder_set_limits (queue, 10 * MS, 100 * MS);
  push (0);
  assert_pop (0, FALSE);
  push_at (2, 0);
  push_at (1, 90 * MS);
  fail_unless_equals_uint64 (stats ().overflowed, 0);
  push_at (3, 111 * MS);
  fail_unless (stats ().overflowed > 0);
  assert_pop_at (111 * MS, 3, TRUE);
}

GST_END_TEST;

GST_START_TEST (overflow_in_number_drops_the_oldest)
{
  for (guint i = 0; i < GST_TFRC_REORDER_MAX_PACKETS; i++)
    push (i);
  fail_unless_equals_uint64 (stats ().overflowed, 0);
  for (guint i = 0; i < 10; i++)
    push (GST_TFRC_REORDER_MAX_PACKETS + i);
  fail_unless_equals_uint64 (stats ().overflowed, 10);
  fail_unless_equals_int (gst_tfrc_reorder_length (queue), GST_TFRC_REORDER_MAX_PACKETS);
  assert_pop (10, TRUE);
}

GST_END_TEST;

GST_START_TEST (packets_missing_before_dropped_ones_are_counted_too)
{
  gst_tfrc_reorder_set_limits (queue, WINDOW, 100 * MS);
  push (0);
  assert_pop (0, FALSE);
  push_at (3, 0);
  push_at (4, WINDOW + 101 * MS);
  fail_unless_equals_uint64 (stats ().missing, 2);
  fail_unless_equals_uint64 (stats ().overflowed, 1);
  assert_pop_at (WINDOW + 101 * MS, 4, TRUE);
}

GST_END_TEST;

GST_START_TEST (clearing_frees_waiting_packets)
{
  push (0);
  push (2);
  gst_tfrc_reorder_clear (queue);
  fail_unless_equals_int (freed, 2);
  fail_unless_equals_int (gst_tfrc_reorder_length (queue), 0);
  fail_unless_equals_uint64 (gst_tfrc_reorder_ready_ns (queue), NEVER);
  push (50);
  assert_pop (50, TRUE);
  fail_unless_equals_uint64 (stats ().missing, 0);
}

GST_END_TEST;

/* ---- another stream ------------------------------------------------------ */

GST_START_TEST (a_new_stream_follows_the_queued_packets_of_the_old_stream)
{
  push (1000);
  push (1001);
  gst_tfrc_reorder_restart (queue);
  push (7);
  push (8);
  fail_unless_equals_int (freed, 0);
  assert_pop (1000, FALSE);
  assert_pop (1001, FALSE);
  assert_pop (7, TRUE);
  assert_pop (8, FALSE);
  fail_unless_equals_uint64 (stats ().missing, 0);
  fail_unless_equals_uint64 (stats ().too_late, 0);
}

GST_END_TEST;

GST_START_TEST (a_gap_at_the_end_of_an_old_stream_belongs_to_that_stream)
{
  push (1000);
  assert_pop (1000, FALSE);
  push (1002);
  gst_tfrc_reorder_restart (queue);
  push (5);
  assert_pop_at (WINDOW, 1002, TRUE);
  fail_unless_equals_uint64 (stats ().missing, 1);
  assert_pop_at (WINDOW, 5, TRUE);
  fail_unless_equals_uint64 (stats ().missing, 1);
}

GST_END_TEST;

GST_START_TEST (a_new_stream_is_put_in_order_behind_the_old)
{
  push (500);
  gst_tfrc_reorder_restart (queue);
  push (502);
  push (500);
  push (501);
  push (501);
  assert_pop (500, FALSE);
  assert_pop (500, TRUE);
  assert_pop (501, FALSE);
  assert_pop (502, FALSE);
  fail_unless_equals_uint64 (stats ().duplicates, 1);
  /* behind the old stream, the new stream follows the rules of any stream */
  push (504);
  assert_nothing_at (WINDOW - 1);
  push (501);
  fail_unless_equals_uint64 (stats ().too_late, 1);
  assert_pop_at (WINDOW, 504, TRUE);
  fail_unless_equals_uint64 (stats ().missing, 1);
}

GST_END_TEST;

GST_START_TEST (several_streams_may_wait)
{
  for (guint i = 0; i < 10; i++) {
    push (100 - i);
    gst_tfrc_reorder_restart (queue);
  }
  for (guint i = 0; i < 10; i++)
    assert_pop (100 - i, i > 0);
  assert_nothing_at (GST_SECOND);
  fail_unless_equals_uint64 (stats ().missing, 0);
}

GST_END_TEST;

/* ---- what is skipped ------------------------------------------------------ */

static void
assert_skipped (guint seq, guint64 at_ns, guint64 skipped)
{
  GstTfrcReorderItem item = pop_at (at_ns);

  fail_unless_equals_int (GPOINTER_TO_UINT (item.data), seq);
  fail_unless_equals_uint64 (item.skipped, skipped);
}

GST_START_TEST (a_packet_tells_how_many_are_missing_in_front_of_it)
{
  push (3);
  push (7);
  push (8);
  push (10);
  assert_skipped (3, 0, 0);
  assert_skipped (7, WINDOW, 3);
  assert_skipped (8, WINDOW, 0);
  assert_skipped (10, WINDOW, 1);
  /* Numbers of another stream begin anew. */
  gst_tfrc_reorder_restart (queue);
  push (20);
  assert_skipped (20, WINDOW, 0);
}

GST_END_TEST;

GST_START_TEST (dropped_packets_are_skipped_together_with_missing_ones)
{
  gst_tfrc_reorder_set_limits (queue, WINDOW, 100 * MS);
  push (0);
  assert_skipped (0, 0, 0);
  push_at (3, 0);
  push_at (5, WINDOW + 101 * MS);
  assert_skipped (5, 2 * WINDOW + 101 * MS, 4);
}

GST_END_TEST;

/* The player of a new stream waits for nothing of the old one. */
GST_START_TEST (what_was_dropped_at_the_end_of_a_stream_is_not_skipped_in_the_next)
{
  gst_tfrc_reorder_set_limits (queue, WINDOW, 100 * MS);
  push (0);
  assert_skipped (0, 0, 0);
  push_at (3, 0);
  gst_tfrc_reorder_restart (queue);
  push_at (7, WINDOW + 101 * MS);
  fail_unless_equals_uint64 (stats ().missing, 2);
  fail_unless_equals_uint64 (stats ().overflowed, 1);
  assert_skipped (7, WINDOW + 101 * MS, 0);
}

GST_END_TEST;

/* Both packets that were overtaken and packets in order; the window is 200 ms. */
GST_START_TEST (packets_past_the_window_are_counted_by_how_late_they_are)
{
  push_due (0, 0, 0);
  push_due (1, WINDOW, 0);
  fail_unless_equals_uint64 (stats ().lateness.count, 0);
  push_due (2, 230 * MS, 20 * MS);
  push_due (3, 750 * MS, 50 * MS);
  push_due (4, 751 * MS, 740 * MS);
  fail_unless_equals_uint64 (stats ().lateness.count, 2);
  fail_unless_equals_uint64 (stats ().lateness.sum_ns, 10 * MS + 500 * MS);
  fail_unless_equals_uint64 (stats ().lateness.max_ns, 500 * MS);
}

GST_END_TEST;

static Suite *
reorderlimits_suite (void)
{
  Suite *s = suite_create ("reorderlimits");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, overflow_in_time_drops_the_oldest);
  tcase_add_test (tc, the_wait_for_a_missing_packet_is_no_wait_for_the_pipeline);
  tcase_add_test (tc, the_wait_for_the_pipeline_begins_with_the_end_of_the_gap);
  tcase_add_test (tc, behind_a_gap_that_was_given_up_all_packets_begin_to_wait_then);
  tcase_add_test (tc, old_numbers_cost_little_however_many_packets_wait);
  tcase_add_test (tc, all_waiting_packets_may_be_too_old);
  tcase_add_test (tc, a_late_packet_does_not_hide_how_old_the_queue_is);
  tcase_add_test (tc, overflow_in_number_drops_the_oldest);
  tcase_add_test (tc, packets_missing_before_dropped_ones_are_counted_too);
  tcase_add_test (tc, clearing_frees_waiting_packets);
  tcase_add_test (tc, a_new_stream_follows_the_queued_packets_of_the_old_stream);
  tcase_add_test (tc, a_gap_at_the_end_of_an_old_stream_belongs_to_that_stream);
  tcase_add_test (tc, a_new_stream_is_put_in_order_behind_the_old);
  tcase_add_test (tc, several_streams_may_wait);
  tcase_add_test (tc, a_packet_tells_how_many_are_missing_in_front_of_it);
  tcase_add_test (tc, dropped_packets_are_skipped_together_with_missing_ones);
  tcase_add_test (tc, what_was_dropped_at_the_end_of_a_stream_is_not_skipped_in_the_next);
  tcase_add_test (tc, packets_past_the_window_are_counted_by_how_late_they_are);
  return s;
}

GST_CHECK_MAIN (reorderlimits);
