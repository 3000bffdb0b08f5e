/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receivers that lie to gain rate, with well-formed but false feedback. A sender that believes the
 * feedback harms the network. Each lie is told over a path that loses a tenth of all packets, where
 * an honest receiver gets the rate of the equation for p = 0.1. */
#include <math.h>

#include "closeto.h"
#include "simlink.h"

#define LONG (300 * SIM_SECOND)
#define SEEDS 10
#define PERIODS 12

typedef struct
{
  Sim *sim;
  SimFlow *flow;
  guint64 feedbacks;
  gboolean lies;
  gboolean (*lie) (TfrcFeedback *feedback, guint64 n);
} LiarTest;

/* The sender of these tests answers congestion only, if the receiver tells losses apart. */
static TfrcLossResponse response = TFRC_LOSS_RESPONSE_ALL;

/* The lie of this test. It begins some time after the start of the stream. */
static gboolean
tell_lie (TfrcFeedback *feedback, gpointer user)
{
  LiarTest *t = user;

  if (!t->lies)
    return FALSE;
  return t->lie (feedback, t->feedbacks++);
}

static void
liar_test_init (LiarTest *t, guint seed, gboolean (*lie) (TfrcFeedback *, guint64))
{
  SimLink link = { .rate_bps = 100e6, .queue_packets = 1000, .delay_ns = 20 * SIM_MS, .loss = 0.1 };

  TfrcSenderConfig config;

  memset (t, 0, sizeof *t);
  t->lie = lie;
  t->sim = sim_new (&link, seed);
  t->sim->loses_feedback = tell_lie;
  t->sim->user = t;
  tfrc_sender_config_init (&config);
  config.loss_response = response;
  t->flow = sim_add_flow (t->sim, &config, 0);
  sim_run_until (t->sim, 20 * SIM_SECOND);
}

static void
liar_test_clear (LiarTest *t)
{
  sim_free (t->sim);
}

/* Runs for this time. Returns the rate of the segments that are sent, in bit/s. */
static double
run_bps (LiarTest *t, guint64 duration_ns)
{
  guint64 before = t->flow->sent;

  sim_run_until (t->sim, t->sim->now + duration_ns);
  return (t->flow->sent - before) * 8e9 * SIM_SEGMENT_BYTES / duration_ns;
}

/* Returns the mean rate of five minutes with the lie, divided by that of five minutes without the
 * lie, over ten seeds. */
static double
gain_of (gboolean (*lie) (TfrcFeedback *, guint64))
{
  double honest_bps = 0, lied_bps = 0;

  for (guint seed = 1; seed <= SEEDS; seed++) {
    LiarTest t;

    liar_test_init (&t, seed, lie);
    honest_bps += run_bps (&t, LONG) / SEEDS;
    t.lies = TRUE;
    lied_bps += run_bps (&t, LONG) / SEEDS;
    liar_test_clear (&t);
  }
  GST_INFO ("%.0f -> %.0f bit/s", honest_bps, lied_bps);
  /* with segments of 1316 bytes, R = 40 ms and p = 0.1 the equation gives 0.46 Mbit/s */
  fail_unless (honest_bps > 400e3 && honest_bps < 600e3, "%f", honest_bps);
  return lied_bps / honest_bps;
}

/* ---- handover ------------------------------------------------------------ */

static gboolean
notify_for_ever (TfrcFeedback *feedback, guint64 n)
{
  feedback->handover = TRUE;
  return FALSE;
}

static gboolean
notify_with_bandwidth (TfrcFeedback *feedback, guint64 n)
{
  feedback->handover = feedback->bandwidth = TRUE;
  feedback->x_recv_Bps = G_MAXUINT32;
  return FALSE;
}

/* Every fourth feedback announces another handover with a number of its own. */
static gboolean
notify_again_and_again (TfrcFeedback *feedback, guint64 n)
{
  feedback->handover = n % 4 < 2;
  feedback->handover_number = n / 4 % TFRC_HANDOVER_NUMBERS;
  feedback->x_recv_Bps = G_MAXUINT32;
  return FALSE;
}

static gboolean
notify_each_second (TfrcFeedback *feedback, guint64 n)
{
  feedback->handover = n % 25 < 23;
  feedback->handover_number = n / 25 % TFRC_HANDOVER_NUMBERS;
  feedback->bandwidth = TRUE;
  feedback->x_recv_Bps = G_MAXUINT32;
  return FALSE;
}

GST_START_TEST (test_notification_that_never_ends_gains_nothing)
{
  double gain = gain_of (notify_for_ever);

  fail_unless (gain < 1.05, "%f", gain);
}

GST_END_TEST;

GST_START_TEST (test_notification_of_any_bandwidth_gains_nothing)
{
  double gain = gain_of (notify_with_bandwidth);

  fail_unless (gain < 1.05, "%f", gain);
}

GST_END_TEST;

GST_START_TEST (test_notifications_do_not_add_up)
{
  double gain = gain_of (notify_again_and_again);

  fail_unless (gain < 1.12, "%f", gain);
  gain = gain_of (notify_each_second);
  fail_unless (gain < 1.12, "%f", gain);
}

GST_END_TEST;

/* p = 0 belongs to the hold in paper mode, and is no p to come back to. */
static gboolean
notify_without_loss_once (TfrcFeedback *feedback, guint64 n)
{
  feedback->handover = n < 5;
  feedback->p = 0;
  return FALSE;
}

static gboolean
notify_without_loss_each_second (TfrcFeedback *feedback, guint64 n)
{
  feedback->p = 0;
  return notify_each_second (feedback, n);
}

GST_START_TEST (test_no_loss_in_a_handover_is_none_afterwards)
{
  static gboolean (*const lies[]) (
      TfrcFeedback *, guint64) = { notify_without_loss_once, notify_without_loss_each_second };

  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    double honest_bps, lied_bps;
    LiarTest t;

    liar_test_init (&t, 1, lies[i]);
    honest_bps = run_bps (&t, LONG);
    t.lies = TRUE;
    lied_bps = run_bps (&t, LONG / 10);
    liar_test_clear (&t);
    fail_unless (lied_bps < 2 * honest_bps, "%u: %f, %f", i, lied_bps, honest_bps);
  }
}

GST_END_TEST;

/* ---- X_recv and p -------------------------------------------------------- */

static gboolean
receive_more_than_was_sent (TfrcFeedback *feedback, guint64 n)
{
  feedback->x_recv_Bps = G_MAXUINT32;
  return FALSE;
}

static gboolean
report_no_loss_any_more (TfrcFeedback *feedback, guint64 n)
{
  feedback->p = 0;
  return FALSE;
}

static gboolean
report_hardly_any_loss (TfrcFeedback *feedback, guint64 n)
{
  feedback->p = 1e-9;
  feedback->x_recv_Bps = G_MAXUINT32;
  return FALSE;
}

GST_START_TEST (test_receive_rate_of_a_liar_gains_nothing)
{
  double gain = gain_of (receive_more_than_was_sent);

  fail_unless (gain > 0.9 && gain < 1.05, "%f", gain);
}

GST_END_TEST;

GST_START_TEST (test_counted_loss_events_contradict_a_p_of_zero)
{
  double gain = gain_of (report_no_loss_any_more);

  fail_unless (gain < 1.05, "%f", gain);
}

GST_END_TEST;

/* The rate that was sent limits the sender, measured over 40 ms. The test looks at the 40 ms after
 * each millisecond. */
GST_START_TEST (test_rate_is_at_most_twice_what_was_sent)
{
  for (guint seed = 1; seed <= SEEDS; seed++) {
    guint64 sent[41] = { 0 };
    double peak_bps = 0, x_bps;
    LiarTest t;

    liar_test_init (&t, seed, report_hardly_any_loss);
    for (guint ms = 0; ms < 1000; ms++) {
      sent[ms % 41] = t.flow->sent;
      if (ms >= 40)
        peak_bps = MAX (
            peak_bps, (t.flow->sent - sent[(ms + 1) % 41]) * 8.0 * SIM_SEGMENT_BYTES / 0.04);
      run_bps (&t, SIM_MS);
    }
    t.lies = TRUE;
    while (t.feedbacks == 0)
      run_bps (&t, SIM_MS);
    run_bps (&t, 20 * SIM_MS);
    x_bps = 8 * sim_sender_stats (t.flow).x_Bps;
    /* an eighth is added, and the packets at the edges of 40 ms; the equation gives 10 Gbit/s */
    fail_unless (x_bps <= 2 * (peak_bps * 1.125 + 2 * 263200), "%u: %f %f", seed, x_bps, peak_bps);
    liar_test_clear (&t);
  }
}

GST_END_TEST;

/* The first feedback with p > 0 comes while X_recv_set still has Infinity. */
GST_START_TEST (test_very_small_first_loss_rate_does_not_free_the_rate)
{
  SimLink link = { .rate_bps = 100e6, .queue_packets = 1000, .delay_ns = 20 * SIM_MS };
  LiarTest t = { .lies = TRUE, .lie = report_hardly_any_loss };

  t.sim = sim_new (&link, 1);
  t.sim->loses_feedback = tell_lie;
  t.sim->user = &t;
  t.flow = sim_add_flow (t.sim, NULL, 0);
  sim_run_until (t.sim, 110 * SIM_MS);
  fail_unless (sim_sender_stats (t.flow).feedbacks_received >= 2);
  /* the rate is doubled twice from W_init in 40 ms; the equation gives 1.3e9 */
  fail_unless (
      sim_sender_stats (t.flow).x_Bps <= 5 * 4380 / 0.04, "%f", sim_sender_stats (t.flow).x_Bps);
  liar_test_clear (&t);
}

GST_END_TEST;

/* ---- link errors --------------------------------------------------------- */

static gboolean
call_all_losses_link_errors (TfrcFeedback *feedback, guint64 n)
{
  feedback->classified = TRUE;
  feedback->congestion_p = 0;
  feedback->link_errors = feedback->loss_events;
  return FALSE;
}

static gboolean
report_hardly_any_congestion (TfrcFeedback *feedback, guint64 n)
{
  call_all_losses_link_errors (feedback, n);
  feedback->congestion_p = 1e-9;
  feedback->x_recv_Bps = G_MAXUINT32;
  return FALSE;
}

/* After the first loss event, of which the receiver makes hardly anything */
static gboolean
report_hardly_any_congestion_later (TfrcFeedback *feedback, guint64 n)
{
  call_all_losses_link_errors (feedback, n);
  if (feedback->p > 0) {
    feedback->congestion_p = 1e-9;
    feedback->x_recv_Bps = G_MAXUINT32;
  }
  return FALSE;
}

/* The same two lies without link errors: p = 0 from the first feedback on, and one loss event */
static gboolean
report_no_loss_at_all (TfrcFeedback *feedback, guint64 n)
{
  feedback->p = 0;
  feedback->loss_events = 0;
  return FALSE;
}

static gboolean
report_one_loss_event (TfrcFeedback *feedback, guint64 n)
{
  if (feedback->p > 0) {
    feedback->p = 1e-9;
    feedback->loss_events = 1;
    feedback->x_recv_Bps = G_MAXUINT32;
  }
  return FALSE;
}

GST_START_TEST (test_link_errors_gain_nothing_where_all_losses_count)
{
  double gain = gain_of (call_all_losses_link_errors);

  fail_unless (gain > 0.9 && gain < 1.05, "%f", gain);
  gain = gain_of (report_hardly_any_congestion);
  fail_unless (gain > 0.9 && gain < 1.05, "%f", gain);
}

GST_END_TEST;

/* All losses have counted as congestion before. */
GST_START_TEST (test_reported_congestion_contradicts_a_congestion_p_of_zero)
{
  double gain;

  response = TFRC_LOSS_RESPONSE_CONGESTION_ONLY;
  gain = gain_of (call_all_losses_link_errors);
  /* the p in use varies below the last p that counted, and not above */
  fail_unless (gain < 1.3, "%f", gain);
}

GST_END_TEST;

/* Returns X after each of PERIODS of 50 ms with a receiver that lies from the beginning. */
static void
rates_of (gboolean (*lie) (TfrcFeedback *, guint64), guint seed, double *x_Bps)
{
  SimLink link = { .rate_bps = 20e6, .queue_packets = 50, .delay_ns = 20 * SIM_MS, .loss = 0.1 };
  TfrcSenderConfig config;
  LiarTest t = { .lies = TRUE, .lie = lie };

  tfrc_sender_config_init (&config);
  config.loss_response = TFRC_LOSS_RESPONSE_CONGESTION_ONLY;
  config.link_error_gain = INFINITY; /* else the limit hides what congestion_p alone frees */
  t.sim = sim_new (&link, seed);
  t.sim->loses_feedback = tell_lie;
  t.sim->user = &t;
  t.flow = sim_add_flow (t.sim, &config, 0);
  for (guint i = 0; i < PERIODS; i++) {
    sim_run_until (t.sim, (i + 1) * 50 * SIM_MS);
    x_Bps[i] = sim_sender_stats (t.flow).x_Bps;
  }
  liar_test_clear (&t);
}

GST_START_TEST (test_congestion_p_frees_the_rate_no_more_than_p)
{
  for (guint seed = 1; seed <= SEEDS; seed++) {
    double with_link_errors[PERIODS], without[PERIODS];

    rates_of (call_all_losses_link_errors, seed, with_link_errors);
    rates_of (report_no_loss_at_all, seed, without);
    for (guint i = 0; i < PERIODS; i++)
      fail_unless (with_link_errors[i] == without[i], "%u: %f", i, with_link_errors[i]);
    rates_of (report_hardly_any_congestion_later, seed, with_link_errors);
    rates_of (report_one_loss_event, seed, without);
    for (guint i = 0; i < PERIODS; i++)
      fail_unless (with_link_errors[i] == without[i], "%u: %f", i, with_link_errors[i]);
  }
}

GST_END_TEST;

/* ---- a receiver that does not lie ---------------------------------------- */

typedef struct
{
  GArray *x_recv_Bps; /* guint32: of each feedback in turn */
} HonestTest;

static gboolean
note_x_recv (TfrcFeedback *feedback, gpointer user)
{
  HonestTest *t = user;

  g_array_append_val (t->x_recv_Bps, feedback->x_recv_Bps);
  return FALSE;
}

/* A movie of scenes and pauses over a path of constant delay. Each feedback counts as it is. */
GST_START_TEST (test_truth_about_a_bursty_movie_is_believed)
{
  static const guint64 delays_ns[] = { 50000, 10 * SIM_MS, 25 * SIM_MS, 50 * SIM_MS };
  static guint frames[3000];
  GRand *rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = i / 60 % 4 == 3 && i % 60 > 40
        ? 0
        : g_rand_int_range (rand, 1, 5) + (g_rand_int_range (rand, 0, 25) == 0 ? 16 : 0);
  g_rand_free (rand);
  for (guint i = 0; i < G_N_ELEMENTS (delays_ns); i++) {
    SimLink link = { .rate_bps = 1e13, .queue_packets = 1000, .delay_ns = delays_ns[i] };
    HonestTest t = { g_array_new (FALSE, FALSE, sizeof (guint32)) };
    Sim *sim = sim_new (&link, 1);
    SimFlow *flow = sim_add_flow (sim, NULL, 0);
    guint believed = 0;

    sim->loses_feedback = note_x_recv;
    sim->user = &t;
    flow->frames = frames;
    flow->n_frames = G_N_ELEMENTS (frames);
    flow->frame_ns = 40 * SIM_MS;
    while (sim->now < 120 * SIM_SECOND) {
      TfrcSenderStats stats;
      double reported_Bps;

      sim_run_until (sim, sim->now + SIM_MS);
      stats = sim_sender_stats (flow);
      fail_unless_equals_uint64 (stats.feedbacks_refused, 0);
      /* Feedback that came in the same millisecond as another one is not looked at. */
      if (stats.feedbacks_received == 0)
        continue;
      believed++;
      reported_Bps = g_array_index (t.x_recv_Bps, guint32, stats.feedbacks_received - 1);
      /* R of the receiver is in whole microseconds. */
      fail_unless (
          stats.x_recv_Bps >= 0.9999 * reported_Bps, "%f of %f", stats.x_recv_Bps, reported_Bps);
    }
    fail_unless (believed > 100000);
    sim_free (sim);
    g_array_unref (t.x_recv_Bps);
  }
}

GST_END_TEST;

static Suite *
lyingreceiver_suite (void)
{
  Suite *s = suite_create ("lyingreceiver");
  TCase *tc = tcase_create ("handover");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_notification_that_never_ends_gains_nothing);
  tcase_add_test (tc, test_notification_of_any_bandwidth_gains_nothing);
  tcase_add_test (tc, test_notifications_do_not_add_up);
  tcase_add_test (tc, test_no_loss_in_a_handover_is_none_afterwards);
  tc = tcase_create ("rates");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_receive_rate_of_a_liar_gains_nothing);
  tcase_add_test (tc, test_counted_loss_events_contradict_a_p_of_zero);
  tcase_add_test (tc, test_rate_is_at_most_twice_what_was_sent);
  tcase_add_test (tc, test_very_small_first_loss_rate_does_not_free_the_rate);
  tc = tcase_create ("link errors");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_link_errors_gain_nothing_where_all_losses_count);
  tcase_add_test (tc, test_reported_congestion_contradicts_a_congestion_p_of_zero);
  tcase_add_test (tc, test_congestion_p_frees_the_rate_no_more_than_p);
  tc = tcase_create ("truth");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_truth_about_a_bursty_movie_is_believed);
  return s;
}

GST_CHECK_MAIN (lyingreceiver);
