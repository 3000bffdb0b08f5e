/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sender and receiver over a simulated path that delays 1 % of the packets by ten packet spacings */
#include "closeto.h"
#include "simlink.h"

#define SEED 21
#define OVERTAKEN 10
#define SPACING_BITS (1316 * 8.0)
#define WARM_UP_S 20
#define MEASURED_S 600
#define SAMPLE_NS (5 * SIM_MS)

typedef struct
{
  double rate_bps;
  guint rtt_ms;
} Path;

typedef struct
{
  TfrcReceiverStats stats; /* at the end */
  double share;            /* of the rate that the sender may have at most */
  double time_with_loss;   /* part of the time in which the sender's p was above 0 */
  double p;                /* mean of the receiver's */
} Outcome;

/* Each packet is lost with this probability by its number, so that all paths lose the same ones. */
static gboolean
loses (TfrcData *data, gpointer user)
{
  const double *loss = user;
  guint32 hash = data->seq * 2654435761u;

  return (hash ^ hash >> 15) % 10007 < *loss * 10007;
}

static guint64
spacing_ns (const Path *path)
{
  return SPACING_BITS / path->rate_bps * SIM_SECOND;
}

static Outcome
run (const Path *path, double reorder, double loss, guint64 window_ns)
{
  SimLink link = { .rate_bps = 10 * path->rate_bps, .queue_packets = 1000 };
  TfrcReceiverConfig receiver;
  TfrcSenderConfig sender;
  Outcome outcome = { 0 };
  guint64 received;
  SimFlow *flow;
  Sim *sim;

  tfrc_sender_config_init (&sender);
  sender.max_rate_Bps = path->rate_bps / 8;
  tfrc_receiver_config_init (&receiver);
  receiver.reorder_window_ns = window_ns;
  link.delay_ns = path->rtt_ms * SIM_MS / 2;
  link.reorder = reorder;
  link.reorder_delay_ns = OVERTAKEN * spacing_ns (path);
  sim = sim_new (&link, SEED);
  sim->loses_data = loses;
  sim->user = &loss;
  flow = sim_add_flow_to (sim, &sender, &receiver, 0);
  sim_run_until (sim, WARM_UP_S * SIM_SECOND);
  received = flow->received;
  for (guint i = 0; i < MEASURED_S * SIM_SECOND / SAMPLE_NS; i++) {
    sim_run_until (sim, sim->now + SAMPLE_NS);
    outcome.time_with_loss += sim_sender_stats (flow).p > 0;
    outcome.p += sim_receiver_stats (flow).p;
  }
  outcome.time_with_loss *= (double) SAMPLE_NS / (MEASURED_S * SIM_SECOND);
  outcome.p *= (double) SAMPLE_NS / (MEASURED_S * SIM_SECOND);
  outcome.share = (flow->received - received) * SPACING_BITS / (MEASURED_S * path->rate_bps);
  sim_run_until (sim, sim->now + 2 * SIM_SECOND);
  outcome.stats = sim_receiver_stats (flow);
  sim_free (sim);
  return outcome;
}

/* Ten spacings are 164 ms and 21 ms. */
static const Path paths[] = { { 640e3, 200 }, { 5e6, 50 }, { 5e6, 200 } };
static const Path slow_path = { 640e3, 50 };

/* The first late packet opens the window: it is a loss until it comes, and the next ones are none. */
GST_START_TEST (test_late_packets_within_r_are_no_loss)
{
  const Path *path = &paths[__i__];
  Outcome outcome = run (path, 0.01, 0, GST_SECOND);

  fail_unless (outcome.stats.packets_late > 350);
  fail_unless (outcome.time_with_loss == 0);
  fail_unless (outcome.p == 0);
  fail_unless (outcome.stats.p == 0);
  fail_unless (outcome.share > 0.9999, "%f", outcome.share);
  /* ten spacings, from the packet behind it on */
  fail_unless (
      outcome.stats.reorder_window_ns >= (OVERTAKEN - 1) * spacing_ns (path) - SIM_MS / 10);
}

GST_END_TEST;

/* Ten spacings are 3.3 R. No window may be as long. So the packets are losses until they come, and X
 * is that of the equation meanwhile; it is not below the rate that the stream has. */
GST_START_TEST (test_packets_later_than_r_take_their_loss_back)
{
  Outcome without = run (&slow_path, 0.01, 0, 0), outcome = run (&slow_path, 0.01, 0, GST_SECOND);

  fail_unless (outcome.stats.packets_late > 350);
  fail_unless_equals_uint64 (outcome.stats.reorder_window_ns, 0);
  fail_unless (outcome.stats.p == 0);
  fail_unless (outcome.time_with_loss < 0.08, "%f", outcome.time_with_loss);
  fail_unless (outcome.share > 0.9999, "%f", outcome.share);
  fail_unless (outcome.p == without.p && outcome.share == without.share);
}

GST_END_TEST;

GST_START_TEST (test_loss_counts_beside_reordering)
{
  const Path *path = &paths[__i__];
  Outcome in_order = run (path, 0, 0.01, GST_SECOND), outcome = run (path, 0.01, 0.01, GST_SECOND);

  fail_unless (outcome.stats.packets_late > 300);
  assert_within (outcome.p, in_order.p, 0.05);
  assert_within (outcome.share, in_order.share, 0.05);
  fail_unless (outcome.stats.packets_lost >= 0.95 * in_order.stats.packets_lost);
}

GST_END_TEST;

GST_START_TEST (test_without_reordering_the_window_changes_nothing)
{
  Outcome off = run (&paths[__i__], 0, 0.01, 0), on = run (&paths[__i__], 0, 0.01, GST_SECOND);

  fail_unless (off.stats.loss_events > 300);
  fail_unless (memcmp (&off, &on, sizeof on) == 0);
}

GST_END_TEST;

static Suite *
simreordering_suite (void)
{
  Suite *suite = suite_create ("simreordering");
  TCase *tc = tcase_create ("path");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_late_packets_within_r_are_no_loss, 0, G_N_ELEMENTS (paths));
  tcase_add_test (tc, test_packets_later_than_r_take_their_loss_back);
  tcase_add_loop_test (tc, test_loss_counts_beside_reordering, 0, G_N_ELEMENTS (paths));
  tcase_add_loop_test (
      tc, test_without_reordering_the_window_changes_nothing, 0, G_N_ELEMENTS (paths));
  return suite;
}

GST_CHECK_MAIN (simreordering);
