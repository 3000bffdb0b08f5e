/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order and gaps in the receiver's queue, see gst/queue/reorder.h. */
#include "reordertest.h"

/* ---- order -------------------------------------------------------------- */

GST_START_TEST (packets_in_order_pass_at_once)
{
  assert_nothing_at (GST_SECOND);
  fail_unless_equals_uint64 (gst_tfrc_reorder_ready_ns (queue), NEVER);
  for (guint i = 0; i < 100; i++) {
    push (i);
    fail_unless_equals_uint64 (gst_tfrc_reorder_ready_ns (queue), 0);
    assert_pop (i, FALSE);
    assert_nothing_at (GST_SECOND);
  }
  fail_unless_equals_uint64 (stats ().missing, 0);
}

GST_END_TEST;

GST_START_TEST (packets_out_of_order_come_out_in_order)
{
  push (0);
  assert_pop (0, FALSE);
  push (3);
  push (2);
  assert_nothing_at (0);
  push (1);
  push (4);
  for (guint i = 1; i <= 4; i++)
    assert_pop (i, FALSE);
  fail_unless_equals_uint64 (stats ().missing, 0);
  fail_unless_equals_uint64 (stats ().too_late, 0);
}

GST_END_TEST;

GST_START_TEST (any_order_within_the_window_comes_out_in_order)
{
  GRand *rand = g_rand_new_with_seed (4);
  guint order[50];
  guint n = G_N_ELEMENTS (order);

  for (guint round = 0; round < 200; round++) {
    setup ();
    push (0);
    assert_pop (0, FALSE);
    for (guint i = 0; i < n; i++)
      order[i] = i + 1;
    for (guint i = n - 1; i > 0; i--) {
      guint j = g_rand_int_range (rand, 0, i + 1), swap = order[i];

      order[i] = order[j];
      order[j] = swap;
    }
    for (guint i = 0; i < n; i++)
      push_at (order[i], i * MS);
    fail_unless_equals_int (gst_tfrc_reorder_length (queue), n);
    for (guint i = 1; i <= n; i++)
      assert_pop_at (n * MS, i, FALSE);
    fail_unless_equals_int (gst_tfrc_reorder_length (queue), 0);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* ---- gaps --------------------------------------------------------------- */

GST_START_TEST (a_gap_is_given_up_exactly_after_the_window)
{
  push (0);
  assert_pop (0, FALSE);
  push_at (3, 50 * MS);
  push_at (4, 60 * MS);
  fail_unless_equals_uint64 (gst_tfrc_reorder_ready_ns (queue), NOW + 50 * MS + WINDOW);
  assert_nothing_at (50 * MS + WINDOW - 1);
  assert_pop_at (50 * MS + WINDOW, 3, TRUE);
  assert_pop_at (50 * MS + WINDOW, 4, FALSE);
  fail_unless_equals_uint64 (stats ().missing, 2);
}

GST_END_TEST;

GST_START_TEST (each_gap_has_its_own_window)
{
  push (0);
  assert_pop (0, FALSE);
  push_at (2, 0);
  push_at (4, 30 * MS);
  push_at (6, 30 * MS);
  assert_pop_at (WINDOW, 2, TRUE);
  assert_nothing_at (WINDOW + 30 * MS - 1);
  assert_pop_at (WINDOW + 30 * MS, 4, TRUE);
  assert_pop_at (WINDOW + 30 * MS, 6, TRUE);
  fail_unless_equals_uint64 (stats ().missing, 3);
}

GST_END_TEST;

/* No packet waits longer than the window, also if a late packet comes that belongs before it. */
GST_START_TEST (late_packets_do_not_extend_the_wait_of_others)
{
  push (1);
  assert_pop (1, FALSE);
  push_at (7, 0);
  push_at (3, 5 * MS);
  push_at (5, 10 * MS);
  push_at (2, 20 * MS);
  assert_pop_at (20 * MS, 2, FALSE);
  assert_pop_at (20 * MS, 3, FALSE);
  fail_unless_equals_uint64 (gst_tfrc_reorder_ready_ns (queue), NOW + WINDOW);
  assert_nothing_at (WINDOW - 1);
  assert_pop_at (WINDOW, 5, TRUE);
  assert_pop_at (WINDOW, 7, TRUE);
}

GST_END_TEST;

GST_START_TEST (a_late_packet_before_the_first_of_a_gap_keeps_its_window)
{
  push (0);
  assert_pop (0, FALSE);
  push_at (5, 0);
  push_at (3, 150 * MS);
  assert_nothing_at (WINDOW - 1);
  assert_pop_at (WINDOW, 3, TRUE);
  assert_pop_at (WINDOW, 5, TRUE);
  fail_unless_equals_uint64 (stats ().missing, 3);
}

GST_END_TEST;

/* The time stamp of a late packet lies between the times of its neighbours. */
GST_START_TEST (times_never_run_backwards)
{
  GRand *rand = g_rand_new_with_seed (5);
  guint64 last_ns = 0, last_due_ns = 0;
  guint pushed = 0, popped = 0;
  GstTfrcReorderItem item;

  for (guint64 at_ns = 0; at_ns < 20 * GST_SECOND; at_ns += MS) {
    push_due (pushed / 8 * 8 + g_rand_int_range (rand, 0, 24), at_ns,
        at_ns - MIN (at_ns, (guint64) g_rand_int_range (rand, 0, 300) * MS));
    pushed++;
    while (gst_tfrc_reorder_pop (queue, NOW + at_ns, &item)) {
      fail_unless (item.arrival_ns >= last_ns);
      fail_unless (item.due_ns >= last_due_ns);
      last_due_ns = item.due_ns;
      fail_unless (item.arrival_ns + WINDOW >= NOW + at_ns);
      last_ns = item.arrival_ns;
      popped++;
    }
  }
  fail_unless (popped > 10000);
  fail_unless (stats ().duplicates > 0 && stats ().missing > 0);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (without_a_window_no_packet_waits)
{
  gst_tfrc_reorder_set_limits (queue, 0, 0);
  push (0);
  push (2);
  assert_pop (0, FALSE);
  assert_pop (2, TRUE);
  push (1);
  assert_nothing_at (GST_SECOND);
  fail_unless_equals_uint64 (stats ().too_late, 1);
}

GST_END_TEST;

GST_START_TEST (at_the_end_all_gaps_are_given_up)
{
  push (0);
  push (2);
  push (9);
  fail_unless (gst_tfrc_reorder_pop (queue, NEVER, &(GstTfrcReorderItem){ 0 }));
  fail_unless (gst_tfrc_reorder_pop (queue, NEVER, &(GstTfrcReorderItem){ 0 }));
  fail_unless (gst_tfrc_reorder_pop (queue, NEVER, &(GstTfrcReorderItem){ 0 }));
  fail_if (gst_tfrc_reorder_pop (queue, NEVER, &(GstTfrcReorderItem){ 0 }));
  fail_unless_equals_uint64 (stats ().missing, 7);
}

GST_END_TEST;

/* ---- due times ----------------------------------------------------------- */

/* The sender has held packet 2 back for 150 ms. */
GST_START_TEST (a_gap_is_given_up_when_the_packet_behind_has_to_be_played)
{
  push (0);
  assert_pop (0, FALSE);
  push_due (2, 150 * MS, 0);
  fail_unless_equals_uint64 (gst_tfrc_reorder_ready_ns (queue), NOW + WINDOW);
  assert_nothing_at (WINDOW - 1);
  assert_pop_at (WINDOW, 2, TRUE);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_is_late_waits_a_little_for_those_that_it_has_overtaken)
{
  push (0);
  assert_pop (0, FALSE);
  push_due (2, 5 * S, 0);
  assert_nothing_at (5 * S + GST_TFRC_REORDER_LEAST_WAIT_NS - 1);
  push_due (1, 5 * S + 10 * MS, 0);
  assert_pop_at (5 * S + 10 * MS, 1, FALSE);
  assert_pop_at (5 * S + 10 * MS, 2, FALSE);
  push_due (4, 6 * S, 0);
  assert_pop_at (6 * S + GST_TFRC_REORDER_LEAST_WAIT_NS, 4, TRUE);
}

GST_END_TEST;

static void
assert_due (guint64 at_ns, guint64 due_ns)
{
  fail_unless_equals_uint64 (pop_at (at_ns).due_ns, NOW + due_ns);
}

/* Whatever the sender says */
GST_START_TEST (a_packet_is_due_at_most_the_window_before_it_comes)
{
  push_due (0, S, 990 * MS);
  assert_due (S, 990 * MS);
  push_due (1, 2 * S, 0);
  assert_due (2 * S, 2 * S - WINDOW);
  push_due (2, 3 * S, 3 * S);
  assert_due (3 * S, 3 * S);
  push_due (3, 3 * S + MS, 3 * S - 100 * MS); /* due times do not run backwards */
  assert_due (3 * S + MS, 3 * S);
}

GST_END_TEST;

GST_START_TEST (a_late_packet_is_due_before_those_behind_it)
{
  push (0);
  assert_pop (0, FALSE);
  push_due (2, 20 * MS, 10 * MS);
  push_due (1, 30 * MS, 25 * MS);
  assert_due (30 * MS, 10 * MS);
  assert_due (30 * MS, 10 * MS);
}

GST_END_TEST;

/* ---- packets that are not wanted ----------------------------------------- */

GST_START_TEST (duplicates_are_freed_and_counted)
{
  push (0);
  push (1);
  push (1);
  push (0);
  fail_unless_equals_int (freed, 2);
  fail_unless_equals_uint64 (stats ().duplicates, 2);
  assert_pop (0, FALSE);
  assert_pop (1, FALSE);
  assert_nothing_at (GST_SECOND);
}

GST_END_TEST;

GST_START_TEST (too_late_packets_are_freed_and_counted)
{
  push (0);
  assert_pop (0, FALSE);
  push (3);
  assert_pop_at (WINDOW, 3, TRUE);
  push_at (2, WINDOW);
  push_at (1, WINDOW);
  fail_unless_equals_int (freed, 2);
  fail_unless_equals_uint64 (stats ().too_late, 2);
  push_at (4, WINDOW);
  assert_pop_at (WINDOW, 4, FALSE);
}

GST_END_TEST;

/* ---- a packet without a number -------------------------------------------- */

GST_START_TEST (a_kept_packet_gets_its_place_later)
{
  push (0);
  gst_tfrc_reorder_hold (queue, GUINT_TO_POINTER (601));
  assert_pop (0, FALSE);
  push (1);
  assert_pop (1, FALSE);
  assert_nothing_at (GST_SECOND);
  gst_tfrc_reorder_push_held (queue, FIRST + 601, NOW, NOW);
  push (602);
  assert_pop_at (WINDOW, 601, TRUE);
  assert_pop_at (WINDOW, 602, FALSE);
  fail_unless_equals_uint64 (stats ().missing, 599);
  fail_unless_equals_int (freed, 0);
  /* the packet is not kept any more */
  gst_tfrc_reorder_push_held (queue, FIRST + 603, NOW, NOW);
  fail_unless_equals_int (gst_tfrc_reorder_length (queue), 0);
}

GST_END_TEST;

GST_START_TEST (one_packet_is_kept_at_a_time)
{
  for (guint i = 1; i <= 1000; i++) {
    gst_tfrc_reorder_hold (queue, GUINT_TO_POINTER (i));
    fail_unless_equals_int (freed, i - 1);
  }
  gst_tfrc_reorder_clear (queue);
  fail_unless_equals_int (freed, 1000);
  gst_tfrc_reorder_push_held (queue, FIRST, NOW, NOW);
  fail_unless_equals_int (gst_tfrc_reorder_length (queue), 0);
}

GST_END_TEST;

static Suite *
reorder_suite (void)
{
  Suite *s = suite_create ("reorder");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, packets_in_order_pass_at_once);
  tcase_add_test (tc, packets_out_of_order_come_out_in_order);
  tcase_add_test (tc, any_order_within_the_window_comes_out_in_order);
  tcase_add_test (tc, a_gap_is_given_up_exactly_after_the_window);
  tcase_add_test (tc, each_gap_has_its_own_window);
  tcase_add_test (tc, late_packets_do_not_extend_the_wait_of_others);
  tcase_add_test (tc, a_late_packet_before_the_first_of_a_gap_keeps_its_window);
  tcase_add_test (tc, times_never_run_backwards);
  tcase_add_test (tc, without_a_window_no_packet_waits);
  tcase_add_test (tc, at_the_end_all_gaps_are_given_up);
  tcase_add_test (tc, a_gap_is_given_up_when_the_packet_behind_has_to_be_played);
  tcase_add_test (tc, a_packet_that_is_late_waits_a_little_for_those_that_it_has_overtaken);
  tcase_add_test (tc, a_packet_is_due_at_most_the_window_before_it_comes);
  tcase_add_test (tc, a_late_packet_is_due_before_those_behind_it);
  tcase_add_test (tc, duplicates_are_freed_and_counted);
  tcase_add_test (tc, too_late_packets_are_freed_and_counted);
  tcase_add_test (tc, a_kept_packet_gets_its_place_later);
  tcase_add_test (tc, one_packet_is_kept_at_a_time);
  return s;
}

GST_CHECK_MAIN (reorder);
