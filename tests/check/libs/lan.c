/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream on a LAN, where the round-trip time is below the granularity of the sender's timer and
 * of the receiver's feedback (docs/decisions/rate.md) */
#include "closeto.h"
#include "simlink.h"

#define US (SIM_MS / 1000)
#define LAN_RTT (30 * US)

/* 10 Gbit/s, so that the sender is the limit */
static const SimLink lan = {
  .rate_bps = 10e9,
  .queue_packets = 10000,
  .delay_ns = LAN_RTT / 2,
};

/* Returns the rate in Mbit/s of a stream that is limited to 500 Mbit/s. */
static double
rate_of_coarse_sender (const TfrcSenderConfig *config, guint64 grid_ns)
{
  Sim *sim = sim_new (&lan, 1);
  TfrcSenderConfig limited = *config;
  SimFlow *flow;
  guint64 before;
  double rate;

  limited.max_rate_Bps = 500e6 / 8;
  flow = sim_add_flow (sim, &limited, SIM_SECOND);
  flow->grid_ns = grid_ns;
  sim_run_until (sim, 2 * SIM_SECOND);
  before = flow->received;
  sim_run_until (sim, 3 * SIM_SECOND);
  rate = (flow->received - before) * SIM_SEGMENT_BYTES * 8 / 1e6;
  fail_unless_equals_uint64 (flow->dropped, 0);
  sim_free (sim);
  return rate;
}

GST_START_TEST (test_coarse_timer_does_not_limit_the_rate_on_a_lan)
{
  static const guint64 grids_ns[] = { 50 * US, 200 * US, SIM_MS };
  TfrcSenderConfig config;

  tfrc_sender_config_init (&config);
  for (guint i = 0; i < G_N_ELEMENTS (grids_ns); i++)
    assert_within (rate_of_coarse_sender (&config, grids_ns[i]), 500, 0.001);
  /* without the floor of the credit, one packet leaves each time that the timer expires */
  config.credit_floor_ns = 0;
  assert_within (rate_of_coarse_sender (&config, SIM_MS), 10.528, 0.001);
}

GST_END_TEST;

GST_START_TEST (test_smaller_burst_limit_is_below_the_floor_of_the_credit)
{
  TfrcSenderConfig config;

  tfrc_sender_config_init (&config);
  config.burst_limit_ns = 500 * US;
  assert_within (rate_of_coarse_sender (&config, SIM_MS), 10.528, 0.001);
}

GST_END_TEST;

/* What a stream of one packet each gap_ns has done in 20 s */
typedef struct
{
  guint64 sent, feedbacks, expirations;
  double x_Bps;
} Result;

/* wait: feedback may wait for packets */
static Result
run_stream (guint64 rtt_ns, guint64 gap_ns, gboolean wait)
{
  static const guint one[] = { 1 };
  SimLink link = lan;
  TfrcReceiverConfig receiver;
  TfrcSenderConfig sender;
  TfrcSenderStats stats;
  SimFlow *flow;
  Result result;
  Sim *sim;

  link.delay_ns = rtt_ns / 2;
  tfrc_sender_config_init (&sender);
  tfrc_receiver_config_init (&receiver);
  if (!wait)
    sender.feedback_wait_ns = receiver.feedback_wait_ns = 0;
  sim = sim_new (&link, 1);
  flow = sim_add_flow_to (sim, &sender, &receiver, SIM_SECOND);
  flow->frames = one;
  flow->n_frames = 1;
  flow->frame_ns = gap_ns;
  sim_run_until (sim, 21 * SIM_SECOND);
  stats = sim_sender_stats (flow);
  result.sent = flow->sent;
  result.feedbacks = sim_receiver_stats (flow).feedbacks_sent;
  result.expirations = stats.nofeedback_expirations;
  result.x_Bps = stats.x_Bps;
  sim_free (sim);
  return result;
}

/* 640 kbit/s and 2 Mbit/s */
GST_START_TEST (test_slow_stream_on_a_lan_has_less_feedback)
{
  Result dense = run_stream (LAN_RTT, 16450 * US, FALSE);
  Result sparse = run_stream (LAN_RTT, 16450 * US, TRUE);

  assert_within ((double) dense.feedbacks / dense.sent, 1, 0.01);
  assert_within ((double) sparse.feedbacks / sparse.sent, 16.45 / 40, 0.01);
  fail_unless_equals_uint64 (sparse.expirations, 0);
  fail_unless_equals_uint64 (sparse.sent, dense.sent);

  sparse = run_stream (LAN_RTT, 5264 * US, TRUE);
  assert_within ((double) sparse.feedbacks / sparse.sent, 0.25, 0.01);
  fail_unless_equals_uint64 (sparse.expirations, 0);
}

GST_END_TEST;

GST_START_TEST (test_feedback_is_as_before_from_40_ms_on)
{
  static const guint64 rtts_ns[] = { 40 * SIM_MS, 60 * SIM_MS, 200 * SIM_MS };

  for (guint i = 0; i < G_N_ELEMENTS (rtts_ns); i++) {
    Result dense = run_stream (rtts_ns[i], 16450 * US, FALSE);
    Result sparse = run_stream (rtts_ns[i], 16450 * US, TRUE);

    fail_unless_equals_uint64 (sparse.sent, dense.sent);
    fail_unless_equals_uint64 (sparse.feedbacks, dense.feedbacks);
    fail_unless_equals_uint64 (sparse.expirations, dense.expirations);
    fail_unless_equals_float (sparse.x_Bps, dense.x_Bps);
  }
}

GST_END_TEST;

/* Returns the time from the first packet until X is this rate. */
static guint64
time_to_reach_ns (double rate_bps, gboolean wait)
{
  TfrcReceiverConfig receiver;
  TfrcSenderConfig sender;
  guint64 took_ns;
  SimFlow *flow;
  Sim *sim;

  tfrc_sender_config_init (&sender);
  tfrc_receiver_config_init (&receiver);
  if (!wait)
    sender.feedback_wait_ns = receiver.feedback_wait_ns = 0;
  sim = sim_new (&lan, 1);
  flow = sim_add_flow_to (sim, &sender, &receiver, SIM_SECOND);
  while (sim_sender_stats (flow).x_Bps * 8 < rate_bps && sim->now < 3 * SIM_SECOND)
    sim_run_until (sim, sim->now + SIM_MS / 10);
  took_ns = sim->now - SIM_SECOND;
  sim_free (sim);
  return took_ns;
}

GST_START_TEST (test_slow_start_on_a_lan_does_not_wait_for_packets)
{
  fail_unless_equals_uint64 (time_to_reach_ns (10e6, TRUE), time_to_reach_ns (10e6, FALSE));
  fail_unless_equals_uint64 (time_to_reach_ns (500e6, TRUE), time_to_reach_ns (500e6, FALSE));
  fail_unless (time_to_reach_ns (500e6, TRUE) <= 80 * SIM_MS);
}

GST_END_TEST;

static Suite *
lan_suite (void)
{
  Suite *suite = suite_create ("lan");
  TCase *tc = tcase_create ("lan");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_coarse_timer_does_not_limit_the_rate_on_a_lan);
  tcase_add_test (tc, test_smaller_burst_limit_is_below_the_floor_of_the_credit);
  tcase_add_test (tc, test_slow_stream_on_a_lan_has_less_feedback);
  tcase_add_test (tc, test_feedback_is_as_before_from_40_ms_on);
  tcase_add_test (tc, test_slow_start_on_a_lan_does_not_wait_for_packets);
  return suite;
}

GST_CHECK_MAIN (lan);
