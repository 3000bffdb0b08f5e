/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The smoother in virtual time, see tfrc/tfrc.h. */
#include <tfrc/tfrc.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SLOT (10 * MS)
#define WINDOW (32 * SLOT)
#define START (1000 * G_GUINT64_CONSTANT (1000000000)) /* a time at which a slot begins */
#define SIZE 1000

static TfrcSmoother *smoother;

static void
setup (void)
{
  fail_unless_equals_int (tfrc_smoother_new (&smoother, WINDOW), TFRC_OK);
}

static void
teardown (void)
{
  tfrc_smoother_free (smoother);
}

static void
offer (guint n, guint64 now_ns)
{
  while (n-- > 0)
    tfrc_smoother_offer (smoother, SIZE, now_ns);
}

/* Takes @n packets, each at the time when it may leave, but not before @now_ns. */
static guint64
take (guint n, guint64 now_ns)
{
  while (n-- > 0) {
    now_ns = MAX (now_ns, tfrc_smoother_next_ns (smoother));
    tfrc_smoother_take (smoother, SIZE);
  }
  return now_ns;
}

GST_START_TEST (a_packet_after_silence_leaves_at_once)
{
  offer (1, START);
  fail_unless_equals_uint64 (take (1, START), START);
  offer (1, START + WINDOW);
  fail_unless_equals_uint64 (take (1, START + WINDOW), START + WINDOW);
  offer (1, START + 1000 * WINDOW);
  fail_unless_equals_uint64 (take (1, START), START + 1000 * WINDOW);
}

GST_END_TEST;

GST_START_TEST (a_burst_is_spread_over_the_window)
{
  offer (32, START);
  for (guint i = 0; i < 32; i++)
    fail_unless_equals_uint64 (take (1, START), START + i * SLOT);
}

GST_END_TEST;

/* This takes 155 ms. The first packets leave while the rate still grows, at 1, 2, 3, ... packets in
 * a window. */
GST_START_TEST (a_constant_rate_stays_as_it_is_half_a_window_later)
{
  guint sent = 0;

  for (guint i = 0; i < 100000; i++) {
    guint64 now_ns = START + i * SLOT, next_ns;

    offer (1, now_ns);
    while (sent <= i && (next_ns = tfrc_smoother_next_ns (smoother)) < now_ns + SLOT) {
      take (1, now_ns);
      if (sent >= 32)
        fail_unless_equals_uint64 (next_ns, START + sent * SLOT + 155 * MS);
      sent++;
    }
  }
  fail_unless_equals_int (sent, 100000 - 15);
  assert_close (tfrc_smoother_get_rate_Bps (smoother, START), SIZE * 100.0);
}

GST_END_TEST;

/* Packets have any size and come at any time. The smoother adds no delay after the last packet: the
 * packets that wait then leave within a window. */
GST_START_TEST (no_packet_waits_longer_than_the_window)
{
  GRand *rand = g_rand_new_with_seed (1);
  GQueue waiting = G_QUEUE_INIT;
  guint64 now_ns = START, longest_ns = 0, last_ns = 0;

  for (guint i = 0; i < 100000 || waiting.length > 0; i++) {
    guint64 next_ns = tfrc_smoother_next_ns (smoother);
    guint gap_ns = i % 1000 < 500 ? 5 * MS : 50 * MS;
    guint64 offered_ns = now_ns + g_rand_int_range (rand, 0, gap_ns);

    for (; waiting.length > 0 && (next_ns <= offered_ns || i >= 100000);
         next_ns = tfrc_smoother_next_ns (smoother)) {
      guint64 *packet = g_queue_pop_head (&waiting);

      now_ns = MAX (now_ns, next_ns);
      longest_ns = MAX (longest_ns, now_ns - packet[0]);
      tfrc_smoother_take (smoother, (guint32) packet[1]);
      g_free (packet);
    }
    if (i < 100000) {
      guint64 *packet = g_new (guint64, 2);

      packet[0] = last_ns = now_ns = offered_ns;
      packet[1] = g_rand_int_range (rand, 1, 65536);
      tfrc_smoother_offer (smoother, (guint32) packet[1], now_ns);
      g_queue_push_tail (&waiting, packet);
    }
  }
  fail_unless (longest_ns <= WINDOW);
  fail_unless (longest_ns > WINDOW / 2);
  fail_unless (now_ns <= last_ns + WINDOW);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (the_rate_is_that_of_the_packets_offered_in_the_last_window)
{
  assert_close (tfrc_smoother_get_rate_Bps (smoother, START), 0);
  offer (32, START);
  assert_close (tfrc_smoother_get_rate_Bps (smoother, START), 32 * SIZE / 0.32);
  offer (16, START + SLOT);
  assert_close (tfrc_smoother_get_rate_Bps (smoother, START + SLOT), 48 * SIZE / 0.32);
  assert_close (tfrc_smoother_get_rate_Bps (smoother, START + WINDOW - 1), 48 * SIZE / 0.32);
  assert_close (tfrc_smoother_get_rate_Bps (smoother, START + WINDOW), 16 * SIZE / 0.32);
  assert_close (tfrc_smoother_get_rate_Bps (smoother, START + WINDOW + SLOT), 0);
}

GST_END_TEST;

GST_START_TEST (packets_that_were_held_back_may_leave_at_once)
{
  offer (32, START);
  fail_unless_equals_uint64 (take (17, START + 16 * SLOT), START + 16 * SLOT);
  fail_unless_equals_uint64 (take (1, START), START + 17 * SLOT);
  fail_unless_equals_uint64 (take (14, START + 9 * WINDOW), START + 9 * WINDOW);
}

GST_END_TEST;

GST_START_TEST (a_dropped_packet_leaves_the_others_their_time)
{
  offer (32, START);
  tfrc_smoother_take (smoother, SIZE);
  tfrc_smoother_take (smoother, SIZE);
  fail_unless_equals_uint64 (take (1, START), START + 2 * SLOT);
  fail_unless_equals_uint64 (take (1, START), START + 3 * SLOT);
}

GST_END_TEST;

GST_START_TEST (a_packet_taken_back_may_leave_again)
{
  offer (32, START);
  take (3, START);
  fail_unless_equals_uint64 (tfrc_smoother_next_ns (smoother), START + 3 * SLOT);
  tfrc_smoother_cancel (smoother, SIZE);
  fail_unless_equals_uint64 (tfrc_smoother_next_ns (smoother), START + 2 * SLOT);
  fail_unless_equals_uint64 (take (30, START), START + 31 * SLOT);
}

GST_END_TEST;

GST_START_TEST (a_packet_taken_back_late_waits_no_longer)
{
  offer (1, START);
  take (1, START);
  offer (1, START + 2 * WINDOW);
  tfrc_smoother_cancel (smoother, SIZE);
  fail_unless (tfrc_smoother_next_ns (smoother) <= START + 2 * WINDOW);
}

GST_END_TEST;

GST_START_TEST (a_reset_forgets_all_packets)
{
  offer (32, START);
  take (5, START);
  tfrc_smoother_reset (smoother);
  assert_close (tfrc_smoother_get_rate_Bps (smoother, START + 4 * SLOT), 0);
  offer (32, START + 4 * SLOT);
  fail_unless_equals_uint64 (take (1, START + 4 * SLOT), START + 4 * SLOT);
  fail_unless_equals_uint64 (take (1, START), START + 5 * SLOT);
}

GST_END_TEST;

/* The packet that was waiting when the smoother was reset leaves all the same. */
GST_START_TEST (a_packet_from_before_a_reset_delays_no_later_packet)
{
  offer (1, START);
  tfrc_smoother_reset (smoother);
  tfrc_smoother_take (smoother, SIZE);
  offer (2, START + WINDOW);
  fail_unless_equals_uint64 (take (1, START), START + WINDOW);
  fail_unless_equals_uint64 (take (1, START), START + WINDOW + WINDOW / 2);
}

GST_END_TEST;

GST_START_TEST (a_time_that_runs_backwards_counts_as_the_newest)
{
  offer (16, START + SLOT / 2);
  offer (16, START);
  take (1, START);
  fail_unless_equals_uint64 (take (1, 0), START + SLOT / 2 + (WINDOW - SLOT / 2) / 32);
}

GST_END_TEST;

/* The clock begins within the first window. */
GST_START_TEST (a_clock_may_begin_at_zero)
{
  offer (32, 0);
  fail_unless_equals_uint64 (take (32, 0), 31 * SLOT);
}

GST_END_TEST;

GST_START_TEST (windows_out_of_range_are_refused)
{
  const guint64 day_ns = 86400 * 1000 * MS;
  const guint64 refused[] = { 0, 999, day_ns + 1, G_MAXUINT64 };
  const guint64 accepted[] = { 1000, day_ns };
  TfrcSmoother *other;

  fail_unless_equals_int (tfrc_smoother_new (NULL, WINDOW), TFRC_ERROR_ARGUMENT);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    fail_unless_equals_int (tfrc_smoother_new (&other, refused[i]), TFRC_ERROR_ARGUMENT);
    fail_unless (other == NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (accepted); i++) {
    fail_unless_equals_int (tfrc_smoother_new (&other, accepted[i]), TFRC_OK);
    tfrc_smoother_offer (other, SIZE, START);
    fail_unless (tfrc_smoother_next_ns (other) <= START);
    tfrc_smoother_free (other);
  }
  tfrc_smoother_free (NULL);
}

GST_END_TEST;

/* The slot in which the reset comes had packets. */
GST_START_TEST (a_reset_within_a_slot_leaves_no_rate)
{
  offer (100, START);
  tfrc_smoother_reset (smoother);
  fail_unless (tfrc_smoother_get_rate_Bps (smoother, START) == 0);
  offer (2, START);
  take (1, START);
  fail_unless (tfrc_smoother_next_ns (smoother) >= START + WINDOW / 4);
}

GST_END_TEST;

static Suite *
smoother_suite (void)
{
  Suite *s = suite_create ("smoother");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_packet_after_silence_leaves_at_once);
  tcase_add_test (tc, a_burst_is_spread_over_the_window);
  tcase_add_test (tc, a_constant_rate_stays_as_it_is_half_a_window_later);
  tcase_add_test (tc, no_packet_waits_longer_than_the_window);
  tcase_add_test (tc, the_rate_is_that_of_the_packets_offered_in_the_last_window);
  tcase_add_test (tc, packets_that_were_held_back_may_leave_at_once);
  tcase_add_test (tc, a_dropped_packet_leaves_the_others_their_time);
  tcase_add_test (tc, a_packet_taken_back_may_leave_again);
  tcase_add_test (tc, a_packet_taken_back_late_waits_no_longer);
  tcase_add_test (tc, a_reset_forgets_all_packets);
  tcase_add_test (tc, a_packet_from_before_a_reset_delays_no_later_packet);
  tcase_add_test (tc, a_reset_within_a_slot_leaves_no_rate);
  tcase_add_test (tc, a_time_that_runs_backwards_counts_as_the_newest);
  tcase_add_test (tc, a_clock_may_begin_at_zero);
  tcase_add_test (tc, windows_out_of_range_are_refused);
  return s;
}

GST_CHECK_MAIN (smoother);
