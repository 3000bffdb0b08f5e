/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The simulator: its TCP, and jitter that keeps the order of packets */
#include "closeto.h"
#include "simlink.h"

/* 5 Mbit/s, 50 ms, a queue of one bandwidth-delay product */
static const SimLink default_link = {
  .rate_bps = 5e6,
  .queue_packets = 23,
  .delay_ns = 25 * SIM_MS,
};

static double
mbps_of (const SimReno *reno, guint64 before, guint seconds)
{
  return (reno->delivered - before) * SIM_WIRE_BYTES * 8 / 1e6 / seconds;
}

GST_START_TEST (test_reno_with_a_queue_of_one_bdp_fills_the_link)
{
  Sim *sim = sim_new (&default_link, 1);
  SimReno *reno = sim_add_reno (sim, 0);
  guint64 before;

  sim_run_until (sim, 10 * SIM_SECOND);
  before = reno->delivered;
  sim_run_until (sim, 40 * SIM_SECOND);
  assert_within (mbps_of (reno, before, 30), 5, 0.02);
  sim_free (sim);
}

GST_END_TEST;

/* Altman, Avrachenkov and Barakat: sqrt (2 / p) packets in a round-trip time, if each packet is
 * ACKed and losses are independent */
GST_START_TEST (test_reno_under_random_loss_has_the_rate_of_the_square_root)
{
  const SimLink link = {
    .rate_bps = 1e9, .queue_packets = 10000, .delay_ns = 50 * SIM_MS, .loss = 0.002
  };
  Sim *sim = sim_new (&link, 1);
  SimReno *reno = sim_add_reno (sim, 0);
  double expected_mbps = sqrt (2 / link.loss) * SIM_WIRE_BYTES * 8 / 0.1 / 1e6;

  sim_run_until (sim, 200 * SIM_SECOND);
  assert_within (mbps_of (reno, 0, 200), expected_mbps, 0.1);
  sim_free (sim);
}

GST_END_TEST;

GST_START_TEST (test_reno_waits_for_its_timeout_while_the_link_is_down)
{
  SimLink link = default_link;
  Sim *sim;
  SimReno *reno;
  guint64 before;

  link.down_ns = 10 * SIM_SECOND;
  link.up_ns = 20 * SIM_SECOND;
  sim = sim_new (&link, 1);
  reno = sim_add_reno (sim, 0);
  sim_run_until (sim, 11 * SIM_SECOND);
  before = reno->sent;
  sim_run_until (sim, 20 * SIM_SECOND);
  fail_unless (reno->sent - before <= 10);
  before = reno->delivered;
  sim_run_until (sim, 50 * SIM_SECOND);
  fail_unless (mbps_of (reno, before, 30) >= 4);
  sim_free (sim);
}

GST_END_TEST;

/* A packet leaves the link each 2.2 ms. */
GST_START_TEST (test_jitter_keeps_the_order)
{
  SimLink link = default_link;
  TfrcReceiverStats stats;
  Sim *sim;
  SimFlow *flow;

  link.queue_packets = 10000;
  link.jitter_ns = link.feedback_jitter_ns = 50 * SIM_MS;
  sim = sim_new (&link, 1);
  flow = sim_add_flow (sim, NULL, 0);
  sim_run_until (sim, 5 * SIM_SECOND);
  stats = sim_receiver_stats (flow);
  fail_unless (flow->received > 500);
  fail_unless (stats.p == 0);
  fail_unless (stats.packets_lost == 0);
  sim_free (sim);
}

GST_END_TEST;

typedef struct
{
  guint left;
  guint64 longest_ns;
} Waits;

static void
count_wait (guint64 due_ns, guint64 now_ns, gpointer user)
{
  Waits *waits = user;

  waits->left++;
  waits->longest_ns = MAX (waits->longest_ns, now_ns - due_ns);
}

GST_START_TEST (test_schedule_is_played_once)
{
  static const guint64 schedule_ns[] = { 0, 0, 3 * SIM_SECOND, 5 * SIM_SECOND };
  Sim *sim = sim_new (&default_link, 1);
  SimFlow *flow = sim_add_flow (sim, NULL, SIM_SECOND);
  Waits waits = { 0, 0 };

  flow->schedule_ns = schedule_ns;
  flow->n_scheduled = G_N_ELEMENTS (schedule_ns);
  sim->leaves = count_wait;
  sim->user = &waits;
  sim_run_until (sim, 5 * SIM_SECOND);
  fail_unless_equals_int (flow->sent, 3);
  sim_run_until (sim, 60 * SIM_SECOND);
  fail_unless_equals_int (flow->sent, 4);
  fail_unless_equals_int (flow->received, 4);
  fail_unless_equals_int (waits.left, 4);
  fail_unless (waits.longest_ns == flow->max_wait_ns);
  /* the second packet waits for one round-trip time and feedback after the first */
  fail_unless (waits.longest_ns >= 50 * SIM_MS);
  fail_unless (waits.longest_ns <= 100 * SIM_MS);
  sim_free (sim);
}

GST_END_TEST;

static Suite *
simreno_suite (void)
{
  Suite *suite = suite_create ("simreno");
  TCase *tc = tcase_create ("simlink");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_reno_with_a_queue_of_one_bdp_fills_the_link);
  tcase_add_test (tc, test_reno_under_random_loss_has_the_rate_of_the_square_root);
  tcase_add_test (tc, test_reno_waits_for_its_timeout_while_the_link_is_down);
  tcase_add_test (tc, test_jitter_keeps_the_order);
  tcase_add_test (tc, test_schedule_is_played_once);
  return suite;
}

GST_CHECK_MAIN (simreno);
