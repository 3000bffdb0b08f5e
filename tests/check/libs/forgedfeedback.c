/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One forged feedback packet while a sender plays a movie over a path that carries the movie. The
 * attacker is on the path and knows all that the packet has to contain. */
#include "closeto.h"
#include "simlink.h"

#define FRAME_NS (17 * SIM_MS)

typedef struct
{
  Sim *sim;
  SimFlow *flow;
  TfrcFeedback newest; /* the newest feedback of the receiver */
} ForgedTest;

static gboolean
overhear (TfrcFeedback *feedback, gpointer user)
{
  ForgedTest *t = user;

  t->newest = *feedback;
  return FALSE;
}

/* A movie of 59 packets a second has played for 20 s. */
static void
forged_test_init (ForgedTest *t, guint64 rtt_ns, double loss)
{
  static const guint frame = 1;
  SimLink link = { .rate_bps = 100e6, .queue_packets = 1000, .delay_ns = rtt_ns / 2, .loss = loss };

  memset (t, 0, sizeof *t);
  t->sim = sim_new (&link, 1);
  t->sim->loses_feedback = overhear;
  t->sim->user = t;
  t->flow = sim_add_flow (t->sim, NULL, 0);
  t->flow->frames = &frame;
  t->flow->n_frames = 1;
  t->flow->frame_ns = FRAME_NS;
  sim_run_until (t->sim, 20 * SIM_SECOND);
  fail_unless (t->flow->waiting < 2);
  t->flow->max_waiting = t->flow->max_wait_ns = 0;
}

static void
forged_test_clear (ForgedTest *t)
{
  sim_free (t->sim);
}

/* No more of the movie waits than one packet on the path may cost. */
static void
assert_movie_goes_on (ForgedTest *t)
{
  sim_run_until (t->sim, t->sim->now + 30 * SIM_SECOND);
  fail_unless (t->flow->max_waiting <= 100, "%u waited", (guint) t->flow->max_waiting);
  fail_unless (t->flow->waiting < 2);
}

static const guint64 rtts_ns[] = { 40 * SIM_MS, 150 * SIM_MS };
static const double losses[] = { 0, 0.002 };

#define for_all_paths(t) \
  for (guint i_ = 0; i_ < 4; i_++) \
    for (ForgedTest t, *once_ = (forged_test_init (&t, rtts_ns[i_ / 2], losses[i_ % 2]), &t); \
         once_; forged_test_clear (&t), once_ = NULL)

GST_START_TEST (test_age_of_a_packet_is_no_round_trip_time)
{
  for_all_paths (t)
  {
    guint64 rtt_ns = sim_sender_stats (t.flow).rtt_ns;
    TfrcFeedback forged = t.newest;

    forged.number++;
    forged.recv_data_us -= 18 * 1000 * 1000;
    forged.delay_us = 0;
    fail_unless_equals_int (tfrc_sender_on_feedback (t.flow->sender, &forged, t.sim->now), TFRC_OK);
    fail_unless_equals_uint64 (sim_sender_stats (t.flow).rtt_ns, rtt_ns);
    assert_movie_goes_on (&t);
  }
}

GST_END_TEST;

/* The receiver's own feedback has a lower number and reports older packets. */
GST_START_TEST (test_loss_of_everything_is_asked_for)
{
  for_all_paths (t)
  {
    TfrcFeedback forged = t.newest;

    forged.number += G_MAXINT32;
    forged.recv_data_us = t.sim->now / 1000;
    forged.delay_us = 0;
    while (tfrc_sender_check_feedback (t.flow->sender, &forged, t.sim->now) != TFRC_OK)
      forged.recv_data_us -= 1000;
    forged.p = 1;
    forged.x_recv_Bps = 0;
    fail_unless_equals_int (tfrc_sender_on_feedback (t.flow->sender, &forged, t.sim->now), TFRC_OK);
    fail_unless (sim_sender_stats (t.flow).x_Bps < 200);
    assert_movie_goes_on (&t);
  }
}

GST_END_TEST;

static gboolean
lose_feedback (TfrcFeedback *feedback, gpointer user)
{
  ForgedTest *t = user;

  t->newest = *feedback;
  return TRUE;
}

/* A sender has waited 20 s for its receiver. The first feedback is forged, and it is about the
 * first packet. */
GST_START_TEST (test_first_round_trip_time_of_16_s_is_forgotten)
{
  for_all_paths (t)
  {
    SimFlow *flow;
    TfrcFeedback forged;

    t.sim->loses_feedback = lose_feedback;
    flow = sim_add_flow (t.sim, NULL, t.sim->now);
    sim_run_until (t.sim, t.sim->now + 20 * SIM_SECOND);
    forged = t.newest;
    forged.has_state = FALSE;
    forged.recv_data_us = t.sim->now / 1000 - 17000000;
    forged.delay_us = 0;
    fail_unless_equals_int (tfrc_sender_on_feedback (flow->sender, &forged, t.sim->now), TFRC_OK);
    fail_unless (sim_sender_stats (flow).rtt_ns > 16 * SIM_SECOND);
    t.sim->loses_feedback = NULL;
    sim_run_until (t.sim, t.sim->now + 8 * SIM_SECOND);
    fail_unless (sim_sender_stats (flow).rtt_ns < 200 * SIM_MS, "%f s",
        sim_sender_stats (flow).rtt_ns / 1e9);
  }
}

GST_END_TEST;

/* ---- what is true ----------------------------------------------------------- */

GST_START_TEST (test_longer_path_is_believed_with_the_second_sample)
{
  SimLink longer = { .rate_bps = 100e6, .queue_packets = 1000, .delay_ns = 300 * SIM_MS };
  ForgedTest t;

  forged_test_init (&t, 40 * SIM_MS, 0);
  sim_switch_link (t.sim, &longer, 0);
  sim_run_until (t.sim, t.sim->now + 5 * SIM_SECOND);
  fail_unless (sim_sender_stats (t.flow).rtt_ns > 250 * SIM_MS);
  forged_test_clear (&t);
}

GST_END_TEST;

static gboolean
lose_everything (TfrcFeedback *feedback, gpointer user)
{
  feedback->p = 1;
  feedback->x_recv_Bps = 0;
  return FALSE;
}

/* X is one packet in 9.7 s. That is six packets a minute, and each halving of X releases another
 * packet. */
GST_START_TEST (test_loss_of_everything_is_not_asked_for_again_and_again)
{
  ForgedTest t;
  guint64 before;

  forged_test_init (&t, 40 * SIM_MS, 0.002);
  t.sim->loses_feedback = lose_everything;
  sim_run_until (t.sim, t.sim->now + 200 * SIM_MS);
  before = t.flow->sent;
  sim_run_until (t.sim, t.sim->now + 60 * SIM_SECOND);
  fail_unless (t.flow->sent - before <= 8, "%u", (guint) (t.flow->sent - before));
  forged_test_clear (&t);
}

GST_END_TEST;

/* ---- one packet ------------------------------------------------------------- */

/* Tries each field that one packet can forge. */
GST_START_TEST (test_no_forged_feedback_holds_the_movie_up)
{
  static const guint32 numbers[] = { 1, G_MAXINT32 };
  static const guint32 ages_us[] = { 0, 30000, 1000000, 18000000 };
  static const double ps[] = { 0, 1e-9, 1 };
  static const guint32 x_recvs_Bps[] = { 0, 1, G_MAXUINT32 };
  static const guint32 loss_events[] = { 0, 1 << 30, G_MAXUINT32 };
  guint worst = 0;

  for (guint i = 0; i < 2 * 4 * 3 * 3 * 3 * 4; i++) {
    guint n = i;
    ForgedTest t;
    TfrcFeedback forged;

    forged_test_init (&t, rtts_ns[i % 2], losses[i / 2 % 2]);
    forged = t.newest;
    forged.number += numbers[n % 2];
    n /= 2;
    forged.recv_data_us = t.sim->now / 1000 - ages_us[n % 4];
    forged.delay_us = 0;
    n /= 4;
    forged.p = ps[n % 3];
    n /= 3;
    forged.x_recv_Bps = x_recvs_Bps[n % 3];
    n /= 3;
    forged.loss_events = loss_events[n % 3];
    n /= 3;
    forged.handover = n % 2;
    forged.new_link = forged.bandwidth = n / 2;
    while (tfrc_sender_on_feedback (t.flow->sender, &forged, t.sim->now) == TFRC_ERROR_NOT_SENT)
      forged.recv_data_us -= 1000;
    sim_run_until (t.sim, t.sim->now + 10 * SIM_SECOND);
    worst = MAX (worst, t.flow->max_waiting);
    forged_test_clear (&t);
  }
  GST_INFO ("%u waited", worst);
  fail_unless (worst <= 100, "%u waited", worst);
}

GST_END_TEST;

static Suite *
forgedfeedback_suite (void)
{
  Suite *s = suite_create ("forgedfeedback");
  TCase *tc = tcase_create ("one packet");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_age_of_a_packet_is_no_round_trip_time);
  tcase_add_test (tc, test_loss_of_everything_is_asked_for);
  tcase_add_test (tc, test_no_forged_feedback_holds_the_movie_up);
  tcase_add_test (tc, test_first_round_trip_time_of_16_s_is_forgotten);
  tc = tcase_create ("what is true");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_longer_path_is_believed_with_the_second_sample);
  tcase_add_test (tc, test_loss_of_everything_is_not_asked_for_again_and_again);
  return s;
}

GST_CHECK_MAIN (forgedfeedback);
