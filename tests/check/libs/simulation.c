/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sender and receiver over a simulated link: the goals of RFC 5348 */
#include "closeto.h"
#include "simlink.h"

/* 5 Mbit/s, 50 ms */
static const SimLink default_link = {
  .rate_bps = 5e6,
  .queue_packets = 31,
  .delay_ns = 25 * SIM_MS,
};

GST_START_TEST (test_one_flow_fills_the_link)
{
  Sim *sim = sim_new (&default_link, 1);
  SimFlow *flow = sim_add_flow (sim, NULL, 0);
  double share;

  sim_run_until (sim, 60 * SIM_SECOND);
  sim_measure (sim, 60 * SIM_SECOND, &share);
  GST_INFO ("share %f, p %f", share, sim_receiver_stats (flow).p);
  fail_unless (share >= 0.9, "%f", share);
  sim_free (sim);
}

GST_END_TEST;

/* Returns the smaller share divided by the larger share in the third minute of two flows. The flows
 * start @between_starts apart. */
static double
fairness (guint64 between_starts)
{
  Sim *sim = sim_new (&default_link, 2);
  double shares[2];

  sim_add_flow (sim, NULL, 0);
  sim_add_flow (sim, NULL, between_starts);
  sim_run_until (sim, 120 * SIM_SECOND);
  sim_measure (sim, 60 * SIM_SECOND, shares);
  GST_INFO ("shares %f, %f", shares[0], shares[1]);
  fail_unless (shares[0] + shares[1] >= 0.9);
  sim_free (sim);
  return MIN (shares[0], shares[1]) / MAX (shares[0], shares[1]);
}

GST_START_TEST (test_two_flows_share_the_link)
{
  static const guint starts_ms[] = { 1000, 5010, 10020, 14030, 20040 };
  guint i, fair = 0;

  /* in most cases within 20 %, since a minute has few loss events */
  for (i = 0; i < G_N_ELEMENTS (starts_ms); i++) {
    double ratio = fairness (starts_ms[i] * SIM_MS);

    fail_unless (ratio >= 0.6, "%f", ratio);
    fair += ratio >= 0.8;
  }
  fail_unless (fair >= 3, "%u", fair);
}

GST_END_TEST;

GST_START_TEST (test_movie_that_fits_loses_nothing)
{
  /* 640 kbit/s at 25 frames per second: groups of 12 pictures */
  static const guint frames[] = { 14, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1 };
  SimLink link = default_link;
  SimFlow *flow;
  Sim *sim;

  link.rate_bps = 2e6;
  link.queue_packets = 21;
  sim = sim_new (&link, 3);
  flow = sim_add_flow (sim, NULL, 0);
  flow->frames = frames;
  flow->n_frames = G_N_ELEMENTS (frames);
  flow->frame_ns = 40 * SIM_MS;
  sim_run_until (sim, 10 * SIM_SECOND);
  /* the start, when the path is unknown, is over: the queue is not longer than a picture */
  flow->max_waiting = 0;
  sim_run_until (sim, 300 * SIM_SECOND);
  GST_INFO ("%" G_GUINT64_FORMAT " packets, %" G_GUINT64_FORMAT " waiting", flow->sent,
      flow->max_waiting);
  fail_unless_equals_uint64 (flow->dropped, 0);
  fail_unless (flow->sent > 17000);
  fail_unless (flow->max_waiting <= 14);
  sim_free (sim);
}

GST_END_TEST;

GST_START_TEST (test_flow_recovers_after_an_outage)
{
  SimLink link = default_link;
  SimFlow *flow;
  Sim *sim;
  double share;

  link.down_ns = 60 * SIM_SECOND;
  link.up_ns = 70 * SIM_SECOND;
  sim = sim_new (&link, 4);
  flow = sim_add_flow (sim, NULL, 0);
  sim_run_until (sim, 70 * SIM_SECOND);
  fail_unless (sim_sender_stats (flow).x_Bps < 2000);
  sim_run_until (sim, 90 * SIM_SECOND);
  sim_measure (sim, 60 * SIM_SECOND, &share);
  GST_INFO ("share %f", share);
  fail_unless (share >= 0.9, "%f", share);
  sim_free (sim);
}

GST_END_TEST;

GST_START_TEST (test_random_loss_gives_the_rate_of_the_equation)
{
  SimLink link = default_link;
  Sim *sim;
  double share, rate;

  link.rate_bps = 100e6;
  link.queue_packets = 1000;
  link.loss = 0.01;
  sim = sim_new (&link, 5);
  sim_add_flow (sim, NULL, 0);
  sim_run_until (sim, 60 * SIM_SECOND);
  sim_measure (sim, 600 * SIM_SECOND, &share);
  rate = share * link.rate_bps / 8 * SIM_SEGMENT_BYTES / SIM_WIRE_BYTES;
  GST_INFO ("%f byte/s", rate);
  assert_within (rate, tfrc_equation_rate_Bps (SIM_SEGMENT_BYTES, 0.05, 0.2, 0.01), 0.3);
  sim_free (sim);
}

GST_END_TEST;

/* Packets come every 2.7 ms. Some packets are overtaken by @overtaken packets. */
static double
share_with_reordering (guint overtaken, TfrcReceiverStats *stats)
{
  TfrcSenderConfig config;
  SimLink link = default_link;
  SimFlow *flow;
  Sim *sim;
  double share;

  tfrc_sender_config_init (&config);
  config.max_rate_Bps = 500000;
  link.reorder = 0.05;
  link.reorder_delay_ns = overtaken * 2.7 * SIM_MS;
  sim = sim_new (&link, 6);
  flow = sim_add_flow (sim, &config, 0);
  sim_run_until (sim, 5 * SIM_SECOND);
  sim_measure (sim, 60 * SIM_SECOND, &share);
  *stats = sim_receiver_stats (flow);
  fail_unless_equals_uint64 (flow->dropped, 0);
  sim_free (sim);
  return share;
}

GST_START_TEST (test_reordering_without_loss_costs_nothing)
{
  TfrcReceiverStats stats;
  double in_order = share_with_reordering (0, &stats);

  fail_unless_equals_uint64 (stats.packets_late, 0);
  fail_unless (in_order > 0.8);
  assert_within (share_with_reordering (2, &stats), in_order, 0.01);
  fail_unless (stats.packets_late > 1000);
  fail_unless_equals_uint64 (stats.loss_events, 0);
}

GST_END_TEST;

GST_START_TEST (test_late_packets_take_their_loss_back)
{
  TfrcReceiverStats stats;
  double share = share_with_reordering (5, &stats);

  GST_INFO ("share %f", share);
  fail_unless (stats.packets_late > 1000);
  fail_unless (stats.packets_lost <= 5);
  fail_unless (stats.loss_events <= 5);
  fail_unless (share >= 0.5);
}

GST_END_TEST;

static Suite *
simulation_suite (void)
{
  Suite *suite = suite_create ("simulation");
  TCase *tc = tcase_create ("link");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_one_flow_fills_the_link);
  tcase_add_test (tc, test_two_flows_share_the_link);
  tcase_add_test (tc, test_movie_that_fits_loses_nothing);
  tcase_add_test (tc, test_flow_recovers_after_an_outage);
  tcase_add_test (tc, test_random_loss_gives_the_rate_of_the_equation);
  tcase_add_test (tc, test_reordering_without_loss_costs_nothing);
  tcase_add_test (tc, test_late_packets_take_their_loss_back);
  return suite;
}

GST_CHECK_MAIN (simulation);
