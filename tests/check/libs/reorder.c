/* The receiver's queue, see gst/tfrcsrc/tfrcreorder.h. */
#include <gst/check/gstcheck.h>
#include <tfrcsrc/tfrcreorder.h>

#define MS GST_MSECOND
#define WINDOW (200 * MS)
#define NOW (1000 * GST_SECOND)
#define FIRST G_GUINT64_CONSTANT (65536 + 100)
#define NEVER G_MAXUINT64

static TfrcReorder queue;
static guint freed;

static void
count_freed (gpointer data)
{
  freed++;
}

static void
setup (void)
{
  freed = 0;
  tfrc_reorder_init (&queue, WINDOW, 0, count_freed);
}

static void
teardown (void)
{
  tfrc_reorder_clear (&queue);
}

static void
push_at (guint seq, guint64 at_ns)
{
  tfrc_reorder_push (&queue, FIRST + seq, NOW + at_ns, GUINT_TO_POINTER (seq));
}

static void
push (guint seq)
{
  push_at (seq, 0);
}

static void
assert_nothing_at (guint64 at_ns)
{
  TfrcReorderItem item;

  fail_if (tfrc_reorder_pop (&queue, NOW + at_ns, &item));
}

static TfrcReorderItem
pop_at (guint64 at_ns)
{
  TfrcReorderItem item;

  fail_unless (tfrc_reorder_pop (&queue, NOW + at_ns, &item));
  return item;
}

static void
assert_pop_at (guint64 at_ns, guint seq, gboolean discont)
{
  TfrcReorderItem item = pop_at (at_ns);

  fail_unless_equals_int (GPOINTER_TO_UINT (item.data), seq);
  fail_unless_equals_uint64 (item.seq, FIRST + seq);
  fail_unless (item.discont == discont);
}

static void
assert_pop (guint seq, gboolean discont)
{
  assert_pop_at (0, seq, discont);
}

/* ---- order -------------------------------------------------------------- */

GST_START_TEST (packets_in_order_pass_at_once)
{
  assert_nothing_at (GST_SECOND);
  fail_unless_equals_uint64 (tfrc_reorder_ready_ns (&queue), NEVER);
  for (guint i = 0; i < 100; i++) {
    push (i);
    fail_unless_equals_uint64 (tfrc_reorder_ready_ns (&queue), 0);
    assert_pop (i, FALSE);
    assert_nothing_at (GST_SECOND);
  }
  fail_unless_equals_uint64 (queue.missing, 0);
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
  fail_unless_equals_uint64 (queue.missing, 0);
  fail_unless_equals_uint64 (queue.too_late, 0);
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
    fail_unless_equals_int (tfrc_reorder_length (&queue), n);
    for (guint i = 1; i <= n; i++)
      assert_pop_at (n * MS, i, FALSE);
    fail_unless_equals_int (tfrc_reorder_length (&queue), 0);
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
  fail_unless_equals_uint64 (tfrc_reorder_ready_ns (&queue),
      NOW + 50 * MS + WINDOW);
  assert_nothing_at (50 * MS + WINDOW - 1);
  assert_pop_at (50 * MS + WINDOW, 3, TRUE);
  assert_pop_at (50 * MS + WINDOW, 4, FALSE);
  fail_unless_equals_uint64 (queue.missing, 2);
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
  fail_unless_equals_uint64 (queue.missing, 3);
}

GST_END_TEST;

/* No packet waits longer than the window, whatever comes before it late. */
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
  fail_unless_equals_uint64 (tfrc_reorder_ready_ns (&queue), NOW + WINDOW);
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
  fail_unless_equals_uint64 (queue.missing, 3);
}

GST_END_TEST;

/* What a late packet is stamped with lies between its neighbours' times. */
GST_START_TEST (times_never_run_backwards)
{
  GRand *rand = g_rand_new_with_seed (5);
  guint64 last_ns = 0;
  guint pushed = 0, popped = 0;
  TfrcReorderItem item;

  for (guint64 at_ns = 0; at_ns < 20 * GST_SECOND; at_ns += MS) {
    push_at (pushed / 8 * 8 + g_rand_int_range (rand, 0, 24), at_ns);
    pushed++;
    while (tfrc_reorder_pop (&queue, NOW + at_ns, &item)) {
      fail_unless (item.arrival_ns >= last_ns);
      fail_unless (item.arrival_ns + WINDOW >= NOW + at_ns);
      last_ns = item.arrival_ns;
      popped++;
    }
  }
  fail_unless (popped > 10000);
  fail_unless (queue.duplicates > 0 && queue.missing > 0);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (no_window_means_no_waiting)
{
  queue.window_ns = 0;
  push (0);
  push (2);
  assert_pop (0, FALSE);
  assert_pop (2, TRUE);
  push (1);
  assert_nothing_at (GST_SECOND);
  fail_unless_equals_uint64 (queue.too_late, 1);
}

GST_END_TEST;

GST_START_TEST (at_the_end_all_gaps_are_given_up)
{
  push (0);
  push (2);
  push (9);
  fail_unless (tfrc_reorder_pop (&queue, NEVER, &(TfrcReorderItem) {
          0}
      ));
  fail_unless (tfrc_reorder_pop (&queue, NEVER, &(TfrcReorderItem) {
          0}
      ));
  fail_unless (tfrc_reorder_pop (&queue, NEVER, &(TfrcReorderItem) {
          0}
      ));
  fail_if (tfrc_reorder_pop (&queue, NEVER, &(TfrcReorderItem) {
          0}
      ));
  fail_unless_equals_uint64 (queue.missing, 7);
}

GST_END_TEST;

/* ---- what is not wanted -------------------------------------------------- */

GST_START_TEST (duplicates_are_freed_and_counted)
{
  push (0);
  push (1);
  push (1);
  push (0);
  fail_unless_equals_int (freed, 2);
  fail_unless_equals_uint64 (queue.duplicates, 2);
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
  fail_unless_equals_uint64 (queue.too_late, 2);
  push_at (4, WINDOW);
  assert_pop_at (WINDOW, 4, FALSE);
}

GST_END_TEST;

/* ---- limits ------------------------------------------------------------- */

GST_START_TEST (overflow_in_time_drops_the_oldest)
{
  queue.max_time_ns = 100 * MS;
  for (guint i = 0; i <= 10; i++)
    push_at (i, i * 10 * MS);
  fail_unless_equals_uint64 (queue.overflowed, 0);
  push_at (11, 110 * MS);
  push_at (12, 120 * MS);
  fail_unless_equals_uint64 (queue.overflowed, 2);
  fail_unless_equals_int (freed, 2);
  assert_pop_at (120 * MS, 2, TRUE);
  assert_pop_at (120 * MS, 3, FALSE);
  /* dropped here, not missing from the network */
  fail_unless_equals_uint64 (queue.missing, 0);
}

GST_END_TEST;

GST_START_TEST (a_late_packet_does_not_hide_how_old_the_queue_is)
{
  queue.max_time_ns = 100 * MS;
  push (0);
  assert_pop (0, FALSE);
  push_at (2, 0);
  push_at (1, 90 * MS);
  fail_unless_equals_uint64 (queue.overflowed, 0);
  push_at (3, 101 * MS);
  fail_unless (queue.overflowed > 0);
  assert_pop_at (101 * MS, 3, TRUE);
}

GST_END_TEST;

GST_START_TEST (overflow_in_number_drops_the_oldest)
{
  for (guint i = 0; i < TFRC_REORDER_MAX_PACKETS; i++)
    push (i);
  fail_unless_equals_uint64 (queue.overflowed, 0);
  for (guint i = 0; i < 10; i++)
    push (TFRC_REORDER_MAX_PACKETS + i);
  fail_unless_equals_uint64 (queue.overflowed, 10);
  fail_unless_equals_int (tfrc_reorder_length (&queue),
      TFRC_REORDER_MAX_PACKETS);
  assert_pop (10, TRUE);
}

GST_END_TEST;

GST_START_TEST (packets_missing_before_dropped_ones_are_counted_too)
{
  queue.max_time_ns = 100 * MS;
  push (0);
  assert_pop (0, FALSE);
  push_at (3, 0);
  push_at (4, 101 * MS);
  fail_unless_equals_uint64 (queue.missing, 2);
  fail_unless_equals_uint64 (queue.overflowed, 1);
  assert_pop_at (101 * MS, 4, TRUE);
}

GST_END_TEST;

GST_START_TEST (clearing_frees_what_waits)
{
  push (0);
  push (2);
  tfrc_reorder_clear (&queue);
  fail_unless_equals_int (freed, 2);
  fail_unless_equals_int (tfrc_reorder_length (&queue), 0);
  fail_unless_equals_uint64 (tfrc_reorder_ready_ns (&queue), NEVER);
  push (50);
  assert_pop (50, TRUE);
  fail_unless_equals_uint64 (queue.missing, 0);
}

GST_END_TEST;

/* ---- another stream ------------------------------------------------------ */

GST_START_TEST (a_new_stream_follows_what_is_queued_of_the_old)
{
  push (1000);
  push (1001);
  tfrc_reorder_restart (&queue);
  push (7);
  push (8);
  fail_unless_equals_int (freed, 0);
  assert_pop (1000, FALSE);
  assert_pop (1001, FALSE);
  assert_pop (7, TRUE);
  assert_pop (8, FALSE);
  fail_unless_equals_uint64 (queue.missing, 0);
  fail_unless_equals_uint64 (queue.too_late, 0);
}

GST_END_TEST;

GST_START_TEST (a_gap_at_the_end_of_an_old_stream_is_its_own)
{
  push (1000);
  assert_pop (1000, FALSE);
  push (1002);
  tfrc_reorder_restart (&queue);
  push (5);
  assert_pop_at (WINDOW, 1002, TRUE);
  fail_unless_equals_uint64 (queue.missing, 1);
  assert_pop_at (WINDOW, 5, TRUE);
  fail_unless_equals_uint64 (queue.missing, 1);
}

GST_END_TEST;

GST_START_TEST (a_new_stream_is_put_in_order_behind_the_old)
{
  push (500);
  tfrc_reorder_restart (&queue);
  push (502);
  push (500);
  push (501);
  push (501);
  assert_pop (500, FALSE);
  assert_pop (500, TRUE);
  assert_pop (501, FALSE);
  assert_pop (502, FALSE);
  fail_unless_equals_uint64 (queue.duplicates, 1);
  /* and behind it come the rules of any stream */
  push (504);
  assert_nothing_at (WINDOW - 1);
  push (501);
  fail_unless_equals_uint64 (queue.too_late, 1);
  assert_pop_at (WINDOW, 504, TRUE);
  fail_unless_equals_uint64 (queue.missing, 1);
}

GST_END_TEST;

GST_START_TEST (several_streams_may_wait)
{
  for (guint i = 0; i < 10; i++) {
    push (100 - i);
    tfrc_reorder_restart (&queue);
  }
  for (guint i = 0; i < 10; i++)
    assert_pop (100 - i, i > 0);
  assert_nothing_at (GST_SECOND);
  fail_unless_equals_uint64 (queue.missing, 0);
}

GST_END_TEST;

/* ---- order of arrival ---------------------------------------------------- */

GST_START_TEST (in_arrival_order_packets_pass_as_they_come)
{
  queue.arrival_order = TRUE;
  push (0);
  push (5);
  push (3);
  push (3);
  assert_pop (0, FALSE);
  assert_pop (5, FALSE);
  assert_pop (3, FALSE);
  assert_pop (3, FALSE);
  fail_unless_equals_uint64 (queue.missing, 0);
  fail_unless_equals_int (freed, 0);
}

GST_END_TEST;

GST_START_TEST (in_arrival_order_overflow_still_drops_the_oldest)
{
  queue.arrival_order = TRUE;
  queue.max_time_ns = 100 * MS;
  push_at (9, 0);
  push_at (2, 50 * MS);
  push_at (5, 101 * MS);
  fail_unless_equals_uint64 (queue.overflowed, 1);
  assert_pop_at (101 * MS, 2, TRUE);
  assert_pop_at (101 * MS, 5, FALSE);
}

GST_END_TEST;

GST_START_TEST (changing_the_order_makes_no_packet_missing)
{
  queue.arrival_order = TRUE;
  push (9);
  push (2);
  push (5);
  assert_pop (9, FALSE);
  queue.arrival_order = FALSE;
  push (10);
  while (tfrc_reorder_length (&queue) > 0)
    pop_at (GST_SECOND);
  fail_unless (queue.missing < 10);
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
  tcase_add_test (tc, no_window_means_no_waiting);
  tcase_add_test (tc, at_the_end_all_gaps_are_given_up);
  tcase_add_test (tc, duplicates_are_freed_and_counted);
  tcase_add_test (tc, too_late_packets_are_freed_and_counted);
  tcase_add_test (tc, overflow_in_time_drops_the_oldest);
  tcase_add_test (tc, a_late_packet_does_not_hide_how_old_the_queue_is);
  tcase_add_test (tc, overflow_in_number_drops_the_oldest);
  tcase_add_test (tc, packets_missing_before_dropped_ones_are_counted_too);
  tcase_add_test (tc, clearing_frees_what_waits);
  tcase_add_test (tc, a_new_stream_follows_what_is_queued_of_the_old);
  tcase_add_test (tc, a_gap_at_the_end_of_an_old_stream_is_its_own);
  tcase_add_test (tc, a_new_stream_is_put_in_order_behind_the_old);
  tcase_add_test (tc, several_streams_may_wait);
  tcase_add_test (tc, in_arrival_order_packets_pass_as_they_come);
  tcase_add_test (tc, in_arrival_order_overflow_still_drops_the_oldest);
  tcase_add_test (tc, changing_the_order_makes_no_packet_missing);
  return s;
}

GST_CHECK_MAIN (reorder);
