/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation of a sender that has less data to send than it may send. See handovertest.h
 * for the setting. */
#include "handovertest.h"

#define DIRECT TFRC_HANDOVER_MODE_DIRECT

/* 640 kbit/s at 25 frames per second: groups of 12 pictures */
static const guint movie[] = { 14, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1 };

static void
play_movie (HandoverTest *t)
{
  t->flow->frames = movie;
  t->flow->n_frames = G_N_ELEMENTS (movie);
  t->flow->frame_ns = 40 * SIM_MS;
}

static void
check_movie (guint from_ms, guint to_ms, double rate_bps, guint seconds, guint phase)
{
  SimLink from = link_of (RATE_BPS, from_ms), to = link_of (rate_bps, to_ms);
  HandoverTest t;

  handover_test_init (&t, &from, DIRECT, phase);
  play_movie (&t);
  run_for (&t, seconds * 1000);
  t.flow->max_wait_ns = 0;
  hand_over (&t, &to);
  run_for (&t, 20000);
  GST_INFO ("%u -> %u ms, %.0f bit/s, phase %u: %u drops, waits %u ms", from_ms, to_ms, rate_bps,
      phase, drops (&t), (guint) (t.flow->max_wait_ns / SIM_MS));
  fail_unless_equals_int (drops (&t), 0);
  fail_unless (t.flow->max_wait_ns <= 500 * SIM_MS);
  fail_unless_equals_int (completed (&t), 1);
  handover_test_clear (&t);
}

GST_START_TEST (test_movie_is_neither_lost_nor_late)
{
  guint phase;

  for (phase = 0; phase < 12; phase++) {
    check_movie (LONG_MS, SHORT_MS, RATE_BPS, 30, phase);
    check_movie (SHORT_MS, LONG_MS, RATE_BPS, 30, phase);
    check_movie (SHORT_MS, LONG_MS, 2e6, 30, phase);
  }
}

GST_END_TEST;

/* The sender has seen losses before the handover, so the rate of the equation limits the sender. */
GST_START_TEST (test_movie_with_a_history_of_losses)
{
  guint phase;

  for (phase = 0; phase < 12; phase++) {
    SimLink from = link_of (RATE_BPS, SHORT_MS), to = from;
    HandoverTest t;

    from.loss = 0.03;
    to.delay_ns = LONG_MS * SIM_MS;
    handover_test_init (&t, &from, DIRECT, phase);
    play_movie (&t);
    run_for (&t, 60000);
    /* the rate is not much higher than that of the movie */
    fail_unless (
        sim_sender_stats (t.flow).x_eq_Bps < 250000, "%f", sim_sender_stats (t.flow).x_eq_Bps);
    t.flow->max_wait_ns = 0;
    hand_over (&t, &to);
    run_for (&t, 20000);
    GST_INFO ("phase %u: %u drops, waits %u ms", phase, drops (&t),
        (guint) (t.flow->max_wait_ns / SIM_MS));
    fail_unless_equals_int (drops (&t), 0);
    fail_unless (t.flow->max_wait_ns <= 500 * SIM_MS, "%u", phase);
    handover_test_clear (&t);
  }
}

GST_END_TEST;

/* A movie of one picture in ten seconds, and a handover between two pictures */
GST_START_TEST (test_idle_sender)
{
  static const guint still[] = { 20 };
  SimLink from = link_of (RATE_BPS, LONG_MS), to = link_of (RATE_BPS, SHORT_MS);
  guint after_ms;

  for (after_ms = 100; after_ms < 10000; after_ms += 900) {
    HandoverTest t;

    handover_test_init (&t, &from, DIRECT, 0);
    t.flow->frames = still;
    t.flow->n_frames = 1;
    t.flow->frame_ns = 10 * SIM_SECOND;
    run_for (&t, 30000 + after_ms);
    hand_over (&t, &to);
    run_for (&t, 60000);
    GST_INFO ("%u drops, waits %u ms", drops (&t), (guint) (t.flow->max_wait_ns / SIM_MS));
    fail_unless_equals_int (drops (&t), 0);
    fail_unless (t.flow->max_wait_ns <= 2 * SIM_SECOND);
    fail_unless_equals_int (sim_receiver_stats (t.flow).handover_phase, TFRC_HANDOVER_NORMAL);
    handover_test_clear (&t);
  }
}

GST_END_TEST;

/* The receiver announces less bandwidth than its sender may use. */
GST_START_TEST (test_known_bandwidth_limits_a_data_limited_sender)
{
  SimLink from = link_of (RATE_BPS, SHORT_MS), to = link_of (8e5, SHORT_MS);
  HandoverTest t;

  handover_test_init (&t, &from, DIRECT, 0);
  play_movie (&t);
  run_for (&t, 30000);
  change_link (&t, &to, 1);
  tell (&t, 8e5, FALSE);
  run_for (&t, 100);
  fail_unless (sim_sender_stats (t.flow).holding);
  assert_within (
      sim_sender_stats (t.flow).x_Bps * SIM_WIRE_BYTES * 8 / SIM_SEGMENT_BYTES, 8e5, 1e-4);
  handover_test_clear (&t);
}

GST_END_TEST;

static Suite *
handovermovie_suite (void)
{
  Suite *suite = suite_create ("handovermovie");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_movie_is_neither_lost_nor_late);
  tcase_add_test (tc, test_movie_with_a_history_of_losses);
  tcase_add_test (tc, test_idle_sender);
  tcase_add_test (tc, test_known_bandwidth_limits_a_data_limited_sender);
  return suite;
}

GST_CHECK_MAIN (handovermovie);
