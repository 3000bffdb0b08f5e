/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reordering window: how long it is, and what the loss detection does within it. R is 100 ms. */
#include "losstest.h"

#define LOSS_EVENTS_TO_KEEP 16
#define R_NS (RTT_MS * MS)

static TfrcReorderWindow window;

static void
start_window (guint64 max_ns)
{
  tfrc_reorder_window_init (&window, max_ns);
}

static guint64
late (guint64 late_ns)
{
  tfrc_reorder_window_on_late (&window, late_ns, RTT_US);
  return tfrc_reorder_window_ns (&window, RTT_US);
}

/* Returns the window after so many loss events. */
static guint64
lose_events (guint n)
{
  while (n-- > 0)
    tfrc_reorder_window_on_loss_event (&window);
  return tfrc_reorder_window_ns (&window, RTT_US);
}

GST_START_TEST (test_window_is_the_next_quarter_of_r_above_the_lateness)
{
  static const struct
  {
    guint64 late_ns;
    guint quarters;
  } cases[] = { { 0, 1 }, { R_NS / 4 - 1, 1 }, { R_NS / 4, 2 }, { R_NS / 2 - 1, 2 },
    { R_NS / 2, 3 }, { R_NS * 3 / 4, 4 }, { R_NS - 1, 4 }, { R_NS, 0 }, { G_MAXUINT64, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    start_window (GST_SECOND);
    fail_unless_equals_uint64 (tfrc_reorder_window_ns (&window, RTT_US), 0);
    fail_unless_equals_uint64 (late (cases[i].late_ns), cases[i].quarters * R_NS / 4);
  }
  /* the window is that of the latest packet, and follows R */
  start_window (GST_SECOND);
  late (60 * MS);
  fail_unless_equals_uint64 (late (10 * MS), 75 * MS);
  fail_unless_equals_uint64 (tfrc_reorder_window_ns (&window, 2 * RTT_US), 150 * MS);
  fail_unless_equals_uint64 (tfrc_reorder_window_ns (&window, 0), 0);
}

GST_END_TEST;

GST_START_TEST (test_window_has_a_bound_beside_r)
{
  start_window (30 * MS);
  fail_unless_equals_uint64 (late (29 * MS), 30 * MS);
  start_window (30 * MS);
  fail_unless_equals_uint64 (late (30 * MS), 0);
  start_window (0);
  fail_unless_equals_uint64 (late (0), 0);
  /* R that is not known, and the longest R that a packet can claim */
  start_window (GST_SECOND);
  tfrc_reorder_window_on_late (&window, 0, 0);
  fail_unless_equals_uint64 (tfrc_reorder_window_ns (&window, RTT_US), 0);
  tfrc_reorder_window_on_late (&window, GST_SECOND - 1, 0xffffff);
  fail_unless_equals_uint64 (tfrc_reorder_window_ns (&window, 0xffffff), GST_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_window_shrinks_after_sixteen_loss_events)
{
  start_window (GST_SECOND);
  late (80 * MS);
  fail_unless_equals_uint64 (lose_events (LOSS_EVENTS_TO_KEEP - 1), R_NS);
  /* the review keeps what was needed since the last one */
  fail_unless_equals_uint64 (lose_events (1), R_NS);
  late (30 * MS);
  fail_unless_equals_uint64 (lose_events (LOSS_EVENTS_TO_KEEP - 1), R_NS);
  fail_unless_equals_uint64 (lose_events (1), R_NS / 2);
  fail_unless_equals_uint64 (lose_events (LOSS_EVENTS_TO_KEEP), 0);
  /* loss events before the reordering do not count */
  lose_events (LOSS_EVENTS_TO_KEEP - 1);
  late (80 * MS);
  fail_unless_equals_uint64 (lose_events (LOSS_EVENTS_TO_KEEP - 1), R_NS);
}

GST_END_TEST;

/* ---- the loss detection ------------------------------------------------- */

#define assert_expiry(ms) \
  fail_unless_equals_uint64 (tfrc_loss_detection_expiry_ns (&detection, RTT_US), (ms) *MS)
#define assert_nothing_awaited() \
  fail_unless_equals_uint64 (tfrc_loss_detection_expiry_ns (&detection, RTT_US), TFRC_TIME_NEVER)
#define assert_expires(ms, change) \
  fail_unless_equals_int (tfrc_loss_detection_expire (&detection, RTT_US, (ms) *MS), change)

/* 1001 is overtaken by four packets and comes 40 ms after the first of them. Then the window is 50 ms,
 * and 1005 is the highest number. */
static void
reorder (void)
{
  start (0);
  tfrc_reorder_window_init (&detection.window, GST_SECOND);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  arrive_in_order (1002, 1003, 20);
  assert_nothing_awaited ();
  assert_arrives (1004, 40, TFRC_LOSS_NEW_EVENT);
  assert_arrives (1005, 50, TFRC_LOSS_NOTHING);
  assert_arrives (1001, 60, TFRC_LOSS_EVENT_REMOVED);
  assert_state (0, 0, 0, 0);
  fail_unless_equals_uint64 (tfrc_reorder_window_ns (&detection.window, RTT_US), 50 * MS);
}

GST_START_TEST (test_packet_that_comes_within_the_window_is_no_loss)
{
  reorder ();
  arrive_in_order (1007, 1011, 80);
  assert_expiry (130);
  assert_arrives (1006, 129, TFRC_LOSS_NOTHING);
  assert_nothing_awaited ();
  assert_arrives (1012, 130, TFRC_LOSS_NOTHING);
  assert_state (0, 0, 0, 0);
  fail_unless_equals_int (first_intervals, 1); /* that of reorder() */
}

GST_END_TEST;

/* The time of the loss is that of section 5.2, as without a window. */
GST_START_TEST (test_loss_is_detected_at_the_end_of_the_window)
{
  for (guint with_packet = 0; with_packet < 2; with_packet++) {
    reorder ();
    arrive_in_order (1007, 1011, 80);
    assert_expires (129, TFRC_LOSS_NOTHING);
    if (with_packet) {
      assert_arrives (1012, 130, TFRC_LOSS_NEW_EVENT);
    } else {
      assert_expires (130, TFRC_LOSS_NEW_EVENT);
    }
    /* S_before is 1001, which came last, at 60 ms; S_after is 1007, at 80 ms */
    assert_state (1, 1, 1006, 60 * MS + 20 * MS * 5 / 6);
    assert_nothing_awaited ();
    /* the packet may still come */
    assert_arrives (1006, 190, TFRC_LOSS_EVENT_REMOVED);
  }
}

GST_END_TEST;

GST_START_TEST (test_window_waits_for_three_later_packets_as_well)
{
  reorder ();
  assert_arrives (1007, 80, TFRC_LOSS_NOTHING);
  assert_nothing_awaited ();
  assert_arrives (1008, 300, TFRC_LOSS_NOTHING);
  assert_arrives (1009, 310, TFRC_LOSS_NEW_EVENT);
}

GST_END_TEST;

GST_START_TEST (test_reordering_by_one_or_two_needs_no_window)
{
  start (0);
  tfrc_reorder_window_init (&detection.window, GST_SECOND);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  arrive_in_order (1002, 1003, 20);
  assert_arrives (1001, 50, TFRC_LOSS_NOTHING);
  fail_unless_equals_uint64 (tfrc_reorder_window_ns (&detection.window, RTT_US), 0);
}

GST_END_TEST;

GST_START_TEST (test_mark_is_not_delayed_by_the_window)
{
  reorder ();
  arrive_in_order (1007, 1010, 80);
  assert_arrives_marked (1011, 120, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1006, 60 * MS + 20 * MS * 5 / 6);
  /* a marked packet that comes within the window counts at once */
  reorder ();
  arrive_in_order (1007, 1010, 80);
  assert_arrives_marked (1006, 125, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 0, 1006, 125 * MS);
}

GST_END_TEST;

/* The packet fills a gap that counts already, and opens a window by that: the window is not its own. */
GST_START_TEST (test_late_mark_in_a_gap_that_counts_is_not_awaited)
{
  static const struct
  {
    guint64 first, last, marked; /* the packets that are missing, and the one that comes late */
  } cases[] = { { 1010, 1010, 1010 }, { 1010, 1012, 1012 }, { 1010, 1012, 1011 },
    { 1010, 1012, 1010 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint missing = cases[i].last - cases[i].first;

    start (0);
    tfrc_reorder_window_init (&detection.window, GST_SECOND);
    arrive_in_order (FIRST, cases[i].first - 1, 0);
    arrive_in_order (cases[i].last + 1, cases[i].last + 2, 130);
    assert_arrives (cases[i].last + 3, 150, TFRC_LOSS_NEW_EVENT);
    assert_arrives_marked (cases[i].marked, 155, TFRC_LOSS_NOTHING);
    fail_unless_equals_uint64 (tfrc_reorder_window_ns (&detection.window, RTT_US), 50 * MS);
    fail_unless_equals_uint64 (detection.all.current.events, 1);
    fail_unless_equals_uint64 (detection.lost, missing);
    assert_nothing_awaited ();
    /* nor are the packets above it counted before their time */
    assert_arrives (cases[i].last + 5, 160, TFRC_LOSS_NOTHING);
    assert_arrives (cases[i].last + 4, 161, TFRC_LOSS_NOTHING);
    fail_unless_equals_uint64 (detection.lost, missing);
  }
}

GST_END_TEST;

/* Packets above the mark that are awaited stay awaited. */
GST_START_TEST (test_late_mark_confirms_nothing_above_it)
{
  reorder ();
  arrive_in_order (1007, 1008, 80);
  assert_arrives (1009, 140, TFRC_LOSS_NEW_EVENT); /* 1006 is lost */
  arrive_in_order (1011, 1013, 150);
  assert_expiry (200);
  assert_arrives_marked (1006, 175, TFRC_LOSS_NOTHING);
  assert_state (1, 0, 1006, 175 * MS);
  /* 1006 came 95 ms after 1007, so that the window is R now */
  assert_expiry (250);
  assert_arrives (1010, 180, TFRC_LOSS_NOTHING);
  assert_state (1, 0, 1006, 175 * MS);
}

GST_END_TEST;

GST_START_TEST (test_window_ends_with_the_path)
{
  reorder ();
  tfrc_loss_detection_new_path (&detection);
  fail_unless_equals_uint64 (tfrc_reorder_window_ns (&detection.window, RTT_US), 0);
  arrive_in_order (1007, 1008, 80);
  assert_arrives (1009, 100, TFRC_LOSS_NEW_EVENT);
  /* packets of the old path that the new one has overtaken say nothing about the new one */
  start (0);
  tfrc_reorder_window_init (&detection.window, GST_SECOND);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1002, 20, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_new_path (&detection);
  arrive_in_order (1003, 1006, 30);
  assert_arrives (1001, 70, TFRC_LOSS_NOTHING);
  fail_unless_equals_uint64 (tfrc_reorder_window_ns (&detection.window, RTT_US), 0);
}

GST_END_TEST;

GST_START_TEST (test_restart_ends_the_wait)
{
  reorder ();
  arrive_in_order (1007, 1010, 80);
  tfrc_loss_detection_restart (&detection, 50000, RTT_US, 125 * MS);
  assert_nothing_awaited ();
  fail_unless_equals_uint64 (detection.all.current.events, 1);
  fail_unless_equals_uint64 (detection.lost, 1);
}

GST_END_TEST;

/* Every second packet is missing, 0.1 ms apart: more gaps than the window has room for. */
GST_START_TEST (test_awaited_gaps_leave_room_for_late_packets)
{
  guint64 seq;

  reorder ();
  for (seq = 1007; seq < 1007 + 2 * 100; seq += 2) {
    arrive_at_ns (seq, FALSE, 80 * MS + (seq - 1007) * 50000);
    fail_unless (detection.n_gaps - detection.n_confirmed <= TFRC_MAX_AWAITED_GAPS);
  }
  fail_unless_equals_int (detection.n_gaps, TFRC_MAX_GAPS);
  fail_unless_equals_uint64 (detection.lost, 100 - TFRC_MAX_AWAITED_GAPS);
  /* all but the last two are below three later packets */
  assert_expires (200, TFRC_LOSS_NOTHING);
  assert_state (1, 98, 1006, 60 * MS + 20 * MS * 5 / 6);
}

GST_END_TEST;

/* ---- a path that lies --------------------------------------------------- */

typedef struct
{
  guint64 seq, arrival_ns;
} Arrival;

static gint
compare_arrivals (gconstpointer a, gconstpointer b)
{
  const Arrival *arrival_a = a, *arrival_b = b;

  return arrival_a->arrival_ns < arrival_b->arrival_ns
      ? -1
      : arrival_a->arrival_ns > arrival_b->arrival_ns;
}

/* The path loses packets, and delays others by nearly R, so that the window is R. */
static GArray *
new_hostile_arrivals (guint32 seed)
{
  GArray *arrivals = g_array_new (FALSE, FALSE, sizeof (Arrival));
  GRand *rand = g_rand_new_with_seed (seed);

  for (guint i = 0; i < 5000; i++) {
    /* the ns tells packets apart that would come at the same time */
    Arrival arrival = { FIRST + i, i * 10 * MS + i };

    if (g_rand_int_range (rand, 0, 10) == 0)
      arrival.arrival_ns += g_rand_int_range (rand, 40, 99) * MS;
    if (i < 3 || g_rand_int_range (rand, 0, 10) != 0)
      g_array_append_val (arrivals, arrival);
  }
  g_array_sort (arrivals, compare_arrivals);
  g_rand_free (rand);
  return arrivals;
}

/* Runs the arrivals, and lets all windows expire. Losses are told R after the rule of section 5.1 at
 * the latest. */
static void
run_arrivals (const GArray *arrivals, guint64 max_ns)
{
  start (0);
  tfrc_reorder_window_init (&detection.window, max_ns);
  for (guint i = 0; i < arrivals->len; i++) {
    const Arrival *arrival = &g_array_index (arrivals, Arrival, i);
    guint64 awaited_before = tfrc_loss_detection_expiry_ns (&detection, RTT_US), awaited;

    if (awaited_before < arrival->arrival_ns)
      tfrc_loss_detection_expire (&detection, RTT_US, awaited_before);
    arrive_at_ns (arrival->seq, FALSE, arrival->arrival_ns);
    awaited = tfrc_loss_detection_expiry_ns (&detection, RTT_US);
    fail_unless (awaited == TFRC_TIME_NEVER || awaited > arrival->arrival_ns);
    /* the window began before the third packet above the gap */
    fail_unless (awaited == TFRC_TIME_NEVER || awaited <= arrival->arrival_ns + R_NS);
  }
  tfrc_loss_detection_expire (&detection, RTT_US, G_MAXUINT64);
}

GST_START_TEST (test_reordering_delays_losses_and_hides_none)
{
  for (guint32 seed = 0; seed < 20; seed++) {
    GArray *arrivals = new_hostile_arrivals (seed);
    TfrcLossIntervals without;
    guint64 lost;

    run_arrivals (arrivals, 0);
    without = detection.all.current;
    lost = detection.lost;
    run_arrivals (arrivals, GST_SECOND);
    fail_unless (tfrc_reorder_window_ns (&detection.window, RTT_US) >= 75 * MS);
    fail_unless (lost > 400);
    fail_unless_equals_uint64 (detection.lost, lost);
    fail_unless_equals_uint64 (detection.all.current.events, without.events);
    fail_unless_equals_uint64 (detection.all.current.start_seq, without.start_seq);
    fail_unless_equals_uint64 (detection.all.current.start_ns, without.start_ns);
    fail_unless (memcmp (detection.all.current.length, without.length, sizeof without.length) == 0);
    g_array_free (arrivals, TRUE);
  }
}

GST_END_TEST;

static Suite *
reorderwindow_suite (void)
{
  Suite *suite = suite_create ("reorderwindow");
  TCase *tc = tcase_create ("window");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_window_is_the_next_quarter_of_r_above_the_lateness);
  tcase_add_test (tc, test_window_has_a_bound_beside_r);
  tcase_add_test (tc, test_window_shrinks_after_sixteen_loss_events);
  tc = tcase_create ("detection");
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_packet_that_comes_within_the_window_is_no_loss);
  tcase_add_test (tc, test_loss_is_detected_at_the_end_of_the_window);
  tcase_add_test (tc, test_window_waits_for_three_later_packets_as_well);
  tcase_add_test (tc, test_reordering_by_one_or_two_needs_no_window);
  tcase_add_test (tc, test_mark_is_not_delayed_by_the_window);
  tcase_add_test (tc, test_late_mark_in_a_gap_that_counts_is_not_awaited);
  tcase_add_test (tc, test_late_mark_confirms_nothing_above_it);
  tcase_add_test (tc, test_window_ends_with_the_path);
  tcase_add_test (tc, test_restart_ends_the_wait);
  tcase_add_test (tc, test_awaited_gaps_leave_room_for_late_packets);
  tcase_add_test (tc, test_reordering_delays_losses_and_hides_none);
  return suite;
}

GST_CHECK_MAIN (reorderwindow);
