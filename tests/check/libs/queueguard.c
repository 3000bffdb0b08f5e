/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue guard: a table of what a path shows and of the limit that follows, a sender that has the
 * guard, and a movie. */
#include <tfrc/queue_guard.h>
#include <tfrc/sender_reports.h>

#include "sendertest.h"
#include "simlink.h"

#define RATE 100000.0 /* byte/s; the table has rates as multiples of it */

/* ---- the table ------------------------------------------------------------- */

/* Feedback packets that say the same, 100 ms apart */
typedef struct
{
  guint n;
  double x_recv;   /* of RATE */
  double delay_ms; /* of R_sample above that of the empty path */
  enum
  {
    USUAL,
    LOSS,         /* the first of the packets reports a loss event */
    NOTHING_SENT, /* nothing was sent since the packet before */
    DATA_LIMITED, /* the sender had no more to send */
    ALL_ARRIVES   /* as much was sent as arrives, whatever the delay */
  } special;
} Step;

#define NONE 0.0 /* no limit */

typedef struct
{
  const gchar *behaviour;
  Step steps[6];
  double least, most; /* the limit afterwards, of RATE; NONE */
  double rtt_ms;      /* of the empty path; 0: 100 */
} Scene;

/* Feedback packets of the usual kind */
#define F(n, x_recv, delay_ms) \
  { \
    n, x_recv, delay_ms, USUAL \
  }

/* Rows leave out the zeros at their end. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const Scene scenes[] = {

  /* a queue */
  { "no limit before a queue is seen", .steps = { F (1, 2, 0), F (1, 1, 8) }, .least = NONE,
      .most = NONE },
  { "a young stream may double its rate", .steps = { F (90, 0.8, 0) }, .least = NONE,
      .most = NONE },
  { "an older stream starts a scene with half more than it had", .steps = { F (130, 1, 0) },
      .least = 1.35, .most = 1.65 },
  { "and what it had may grow", .steps = { F (130, 1, 0), F (1, 1.5, 0) }, .least = 2.0,
      .most = 2.5 },
  { "a few ms on a short path are no queue", .steps = { F (1, 1, 0), F (1, 1, 3) }, .least = NONE,
      .most = NONE, .rtt_ms = 1 },
  { "but some more are", .steps = { F (1, 1, 0), F (1, 1, 8) }, .least = 1, .most = 3,
      .rtt_ms = 1 },
  { "a queue limits to what arrives", .steps = { F (1, 1, 0), F (1, 2, 25) }, .least = 2,
      .most = 2.3 },
  { "the second sample does not lower the limit",
      .steps = { F (1, 1, 0), F (1, 2, 25), F (1, 1.5, 25) }, .least = 2, .most = 2.3 },
  { "the third makes it the mean", .steps = { F (1, 2, 25), F (2, 1.4, 25) }, .least = 1.55,
      .most = 1.85 },
  { "of the last samples of a long queue", .steps = { F (1, 1.1, 25), F (12, 1, 25) }, .least = 1,
      .most = 1.2 },
  { "two samples do not forget a known path",
      .steps = { F (3, 1.5, 25), F (1, 1.5, 0), F (2, 1, 25) }, .least = 1.5, .most = 1.75 },
  { "but a third does", .steps = { F (3, 1.5, 25), F (1, 1.5, 0), F (3, 1, 25) }, .least = 1,
      .most = 1.2 },
  { "without a queue the limit does not fall", .steps = { F (1, 1, 25), F (1, 0.8, 0) }, .least = 1,
      .most = 1.2 },
  { "and rises a fifth above what arrives", .steps = { F (1, 1, 14), F (1, 1.2, 0) }, .least = 1.35,
      .most = 1.55 },

  /* a queue that does not grow, and a sender that has no more to send */
  { "where all arrives that is sent, there is no limit",
      .steps = { F (1, 1, 0), { 4, 0.6, 40, ALL_ARRIVES } }, .least = NONE, .most = NONE },
  { "where less arrives, there is one, also for a sender that has no more to send",
      .steps = { F (1, 1, 0), { 1, 0.6, 40, DATA_LIMITED } }, .least = 0.6, .most = 0.8 },
  { "which changes while the sender uses it",
      .steps = { F (1, 1, 0), F (3, 1, 40), { 8, 0.85, 40, ALL_ARRIVES } }, .least = 0.85,
      .most = 1 },
  { "but not while the sender has no more to send",
      .steps = { F (1, 1, 0), F (3, 1, 40), { 8, 0.85, 40, DATA_LIMITED } }, .least = 1,
      .most = 1.2 },

  /* a longer path */
  { "a path that becomes longer is a queue at first", .steps = { F (80, 1, 100) }, .least = 1,
      .most = 1.2 },
  { "and none in the long run", .steps = { F (250, 1, 100) }, .least = 1.1, .most = 1.3 },
  { "or after a quiet time",
      .steps = { F (1, 1, 0), F (1, 1, 100), F (5, 0.4, 100), F (1, 1, 100) }, .least = NONE,
      .most = NONE },
  { "that is long enough", .steps = { F (1, 1, 0), F (1, 1, 100), F (4, 0.4, 100) }, .least = 1,
      .most = 1.2 },
  { "a quiet sample limits nothing", .steps = { F (1, 1, 0), F (1, 0.4, 25) }, .least = NONE,
      .most = NONE },
  { "but one that is not so quiet does", .steps = { F (1, 1, 0), F (1, 0.6, 25) }, .least = 0.6,
      .most = 0.8 },

  /* jitter */
  { "a delay that falls while as much is sent was jitter",
      .steps = { F (1, 1, 0), F (1, 1, 50), F (1, 1, 10) }, .least = NONE, .most = NONE },
  { "and as much is no queue afterwards",
      .steps = { F (1, 1, 0), F (1, 1, 50), F (1, 1, 10), F (1, 1, 50) }, .least = NONE,
      .most = NONE },
  { "but much more is", .steps = { F (1, 1, 0), F (1, 1, 50), F (1, 1, 10), F (1, 1, 80) },
      .least = 1, .most = 1.2 },
  { "a delay that falls a little was a queue", .steps = { F (1, 1, 0), F (1, 1, 50), F (1, 1, 30) },
      .least = 1, .most = 1.2 },
  { "or while nothing is sent", .steps = { F (1, 1, 0), F (1, 1, 50), { 1, 0.6, 0, NOTHING_SENT } },
      .least = 1, .most = 1.2 },
  { "or by what the path delivered before",
      .steps = { F (1, 1, 0), F (1, 0.6, 50), F (1, 0.6, 15) }, .least = 0.6, .most = 0.8 },
  { "or after a loss event", .steps = { F (1, 1, 0), { 1, 1, 50, LOSS }, F (1, 1, 0) },
      .least = 1.1, .most = 1.3 },
  { "jitter that is shorter than the queue leaves the limit",
      .steps = { F (1, 1, 0), F (1, 1, 100), F (1, 1, 75), F (1, 1, 30) }, .least = 1,
      .most = 1.2 },

  /* queues of others */
  { "others fill a queue that stays while less arrives", .steps = { F (1, 1, 0), F (15, 0.7, 40) },
      .least = NONE, .most = NONE },
  { "if it stays for some time", .steps = { F (1, 1, 0), F (3, 0.7, 40) }, .least = 0.7,
      .most = 0.9 },
  { "and for longer if it is long", .steps = { F (1, 1, 0), F (7, 0.7, 200) }, .least = 0.7,
      .most = 0.8 },
  { "which ends as well", .steps = { F (1, 1, 0), F (15, 0.7, 200) }, .least = NONE, .most = NONE },
  { "then nothing limits for seconds", .steps = { F (1, 1, 0), F (15, 0.7, 40), F (60, 1, 40) },
      .least = NONE, .most = NONE },
  { "for longer than that as long as the queue lasts",
      .steps = { F (1, 1, 0), F (15, 0.7, 40), F (130, 1, 40) }, .least = NONE, .most = NONE },
  { "and after it a queue does again",
      .steps = { F (1, 1, 0), F (15, 0.7, 40), { 1, 0.7, 0, NOTHING_SENT }, F (130, 1, 0),
          F (3, 1, 40) },
      .least = 1, .most = 1.2 },
  { "a queue at the rate of the path is the sender's", .steps = { F (1, 1, 0), F (50, 0.9, 40) },
      .least = 0.9, .most = 1.1 },

  /* after a loss event, queues overflow: a delay is a queue */
  { "a falling delay is a queue a minute after a loss event",
      .steps = { { 1, 1, 0, LOSS }, F (900, 1, 0), F (1, 1, 50), F (1, 1, 0) }, .least = 1.1,
      .most = 1.3 },
  { "and jitter again after two minutes",
      .steps = { { 1, 1, 0, LOSS }, F (1300, 1, 0), F (1, 1, 50), F (1, 1, 0) }, .least = 1.35,
      .most = 1.65 },
  { "a quiet sample after a loss event limits", .steps = { { 1, 1, 0, LOSS }, F (1, 0.4, 25) },
      .least = 0.4, .most = 0.6 },
  { "queues of others are seen as before", .steps = { { 1, 1, 0, LOSS }, F (15, 0.7, 40) },
      .least = NONE, .most = NONE },

  /* the start, while X grows */
  { "a queue that is outgrown a little was a queue",
      .steps = { F (1, 0.2, 0), F (3, 0.4, 25), F (1, 0.45, 25) }, .least = 0.4, .most = 0.6 },
  { "a queue that is outgrown was jitter",
      .steps = { F (1, 0.2, 0), F (3, 0.4, 25), F (1, 0.6, 25) }, .least = NONE, .most = NONE },
  { "the first samples may grow more", .steps = { F (1, 0.2, 0), F (1, 0.4, 14), F (1, 0.55, 8) },
      .least = 0.6, .most = 0.75 },
  { "but not much more", .steps = { F (1, 0.2, 0), F (1, 0.4, 14), F (1, 0.8, 8) }, .least = NONE,
      .most = NONE },
  { "later a path may become faster", .steps = { F (130, 0.2, 0), F (3, 0.4, 25), F (1, 0.8, 25) },
      .least = 0.5, .most = 0.75 },
  { "and after a loss event", .steps = { { 1, 0.2, 0, LOSS }, F (3, 0.4, 25), F (1, 0.8, 25) },
      .least = 0.5, .most = 0.75 },
};

typedef struct
{
  TfrcQueueGuard guard;
  guint64 now;
  double sent_bytes, rtt_s, delay_s;
} GuardTest;

static TfrcQueueGuardSample
sample_of (const GuardTest *t, double x_recv_Bps, double delay_ms)
{
  TfrcQueueGuardSample sample = { .x_recv_Bps = x_recv_Bps,
    .r_sample_s = t->rtt_s + delay_ms / 1000,
    .sent_ns = t->now - 100 * MS,
    .sent_bytes = t->sent_bytes,
    .segment_bytes = S,
    .now_ns = t->now };

  return sample;
}

/* While the delay grows, less arrives than is sent. */
static void
hear (GuardTest *t, const Step *step, gboolean loss)
{
  TfrcQueueGuardSample sample;

  double longer_s = fmax (0, step->delay_ms / 1000 - t->delay_s);
  double sent = step->special == NOTHING_SENT ? 0 : step->x_recv;

  if (step->special == ALL_ARRIVES)
    longer_s = 0;
  t->delay_s = step->delay_ms / 1000;
  t->sent_bytes += sent * RATE * (0.1 + longer_s);
  sample = sample_of (t, step->x_recv * RATE, step->delay_ms);
  sample.new_loss_event = loss;
  sample.data_limited = step->special == DATA_LIMITED;
  tfrc_queue_guard_on_feedback (&t->guard, &sample);
  t->now += 100 * MS;
}

/* The first feedback reports X_recv = 0. */
static void
begin (GuardTest *t, double rtt_ms)
{
  const Step first = { 1, 0, 0, USUAL };

  memset (t, 0, sizeof *t);
  t->now = SECOND;
  t->rtt_s = (rtt_ms > 0 ? rtt_ms : 100) / 1000;
  tfrc_queue_guard_init (&t->guard);
  hear (t, &first, FALSE);
}

static double
play (const Step *steps, guint n_steps, double rtt_ms)
{
  GuardTest t;

  begin (&t, rtt_ms);
  for (guint i = 0; i < n_steps; i++) {
    for (guint k = 0; k < steps[i].n; k++)
      hear (&t, &steps[i], k == 0 && steps[i].special == LOSS);
  }
  return tfrc_queue_guard_limit_Bps (&t.guard);
}

GST_START_TEST (test_guard_limits_its_own_queue_and_nothing_else)
{
  guint wrong = 0;

  for (guint i = 0; i < G_N_ELEMENTS (scenes); i++) {
    const Scene *scene = &scenes[i];
    double limit = play (scene->steps, G_N_ELEMENTS (scene->steps), scene->rtt_ms) / RATE;
    gboolean right = scene->least == NONE ? isinf (limit)
                                          : limit >= scene->least && limit <= scene->most;

    if (right)
      continue;
    wrong++;
    g_printerr ("%s: the limit is %g\n", scene->behaviour, limit);
  }
  fail_unless_equals_int (wrong, 0);
}

GST_END_TEST;

/* ---- borders ---------------------------------------------------------------- */

/* Jitter of four fifths of the queue makes the limit void. */
GST_START_TEST (test_jitter_of_four_fifths_of_the_queue_makes_the_limit_void)
{
  const Step below[] = { F (1, 1, 0), F (1, 1, 100), F (1, 1, 79.9), F (1, 1, 40) };
  const Step above[] = { F (1, 1, 0), F (1, 1, 100), F (1, 1, 80.1), F (1, 1, 40) };

  fail_if (isinf (play (below, G_N_ELEMENTS (below), 0)));
  fail_unless (isinf (play (above, G_N_ELEMENTS (above), 0)));
}

GST_END_TEST;

/* Feedback about the packet of the last feedback: the queue has had no time to empty. */
GST_START_TEST (test_shorter_sample_of_the_same_packet_says_nothing)
{
  const Step queue[] = { F (1, 1, 0), F (1, 1, 50) };
  TfrcQueueGuardSample sample;
  GuardTest t;

  begin (&t, 0);
  for (guint i = 0; i < G_N_ELEMENTS (queue); i++)
    hear (&t, &queue[i], FALSE);
  sample = sample_of (&t, RATE, 0);
  sample.sent_ns -= 100 * MS;
  tfrc_queue_guard_on_feedback (&t.guard, &sample);
  fail_if (isinf (tfrc_queue_guard_limit_Bps (&t.guard)));
}

GST_END_TEST;

/* The path has become longer in an hour's pause, and its delay varies a little.  With the least R of
 * before the pause, the difference would be a queue.  The guard begins anew. */
GST_START_TEST (test_least_r_of_before_a_pause_does_not_count)
{
  const Step before = F (1, 1, 0), after[] = { F (1, 1, 50), F (1, 1, 56) };
  GuardTest t;

  begin (&t, 0);
  for (guint i = 0; i < 130; i++)
    hear (&t, &before, FALSE);
  t.now += 3600 * SECOND;
  for (guint i = 0; i < 90; i++) {
    hear (&t, &after[i % 2], FALSE);
    fail_unless (isinf (tfrc_queue_guard_limit_Bps (&t.guard)));
  }
}

GST_END_TEST;

/* ---- a sender ---------------------------------------------------------------- */

/* There are four round-trip times without a queue, and one with a queue. */
static TfrcSenderStats
stats_after_a_queue (gboolean queue_guard)
{
  TfrcSenderConfig config = default_config ();
  TfrcSenderStats stats;
  SenderTest t;

  config.queue_guard = queue_guard;
  config.oscillation_reduction = FALSE;
  sender_test_init (&t, &config);
  start (&t, 100 * MS);
  run_rtts (&t, 4, 100 * MS, 100000);
  run_rtts (&t, 1, 200 * MS, 100000);
  stats = stats_of (&t);
  fail_unless (tfrc_sender_get_inst_rate_Bps (t.sender) == stats.x_inst_Bps);
  sender_test_clear (&t);
  return stats;
}

GST_START_TEST (test_guarded_sender_is_slowed_down_by_a_queue)
{
  TfrcSenderStats stats = stats_after_a_queue (TRUE);

  assert_close (stats.x_Bps, 200000);
  assert_within (stats.x_inst_Bps, 100000 + S / 0.2, 1e-3);
}

GST_END_TEST;

GST_START_TEST (test_sender_without_guard_is_not)
{
  TfrcSenderStats stats = stats_after_a_queue (FALSE);

  assert_close (stats.x_Bps, 200000);
  assert_close (stats.x_inst_Bps, 200000);
}

GST_END_TEST;

/* A movie of ten minutes: 8 s of 0.5 Mbit/s and 0.4 s of 3.4 Mbit/s in turn. The path has 2 Mbit/s
 * and a queue of 20 packets. Returns the number of lost packets after the first fast scene. The
 * sender does not know the path before that scene. */
static guint64
lost_after_first_scene (gboolean queue_guard)
{
  static guint frames[210];
  const SimLink link = { .rate_bps = 2e6, .queue_packets = 21, .delay_ns = 60 * SIM_MS };
  TfrcSenderConfig config = default_config ();
  Sim *sim = sim_new (&link, 7);
  SimFlow *flow;
  guint64 lost;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = i < 200 ? 2 : 13;
  config.queue_guard = queue_guard;
  config.burst_limit_ns = 10 * SIM_MS;
  flow = sim_add_flow (sim, &config, 0);
  flow->frames = frames;
  flow->n_frames = G_N_ELEMENTS (frames);
  flow->frame_ns = 40 * SIM_MS;
  sim_run_until (sim, 12 * SIM_SECOND);
  lost = flow->dropped;
  sim_run_until (sim, 600 * SIM_SECOND);
  fail_unless (flow->sent > 35000);
  fail_unless (flow->max_waiting < 130); /* packets of one fast scene */
  lost = flow->dropped - lost;
  sim_free (sim);
  return lost;
}

GST_START_TEST (test_known_path_loses_no_packet_of_fast_scenes)
{
  guint64 without = lost_after_first_scene (FALSE);
  guint64 with = lost_after_first_scene (TRUE);

  GST_INFO ("lost %" G_GUINT64_FORMAT ", without guard %" G_GUINT64_FORMAT, with, without);
  fail_unless_equals_uint64 (with, 0);
  fail_unless (without >= 50, "%" G_GUINT64_FORMAT, without);
}

GST_END_TEST;

static void
count_late (guint64 due_ns, guint64 now_ns, gpointer late)
{
  if (now_ns > due_ns + 500 * SIM_MS)
    (*(guint *) late)++;
}

/* A movie of ten minutes in the queue of a Reno flow that has filled it before: 4 s of 0.5 Mbit/s
 * and 2 s of 2.1 Mbit/s in turn, on 10 Mbit/s with a queue of one bandwidth-delay product.  Returns
 * the number of packets that wait for more than half a second in the sender. */
static guint
late_in_the_queue_of_reno (gboolean queue_guard)
{
  static guint frames[150];
  const SimLink link = { .rate_bps = 10e6, .queue_packets = 183, .delay_ns = 100 * SIM_MS };
  TfrcSenderConfig config = default_config ();
  Sim *sim = sim_new (&link, 7);
  SimFlow *flow;
  guint late = 0;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = i < 100 ? 2 : 8;
  config.queue_guard = queue_guard;
  sim_add_reno (sim, 0);
  flow = sim_add_flow (sim, &config, 20 * SIM_SECOND);
  flow->frames = frames;
  flow->n_frames = G_N_ELEMENTS (frames);
  flow->frame_ns = 40 * SIM_MS;
  sim->leaves = count_late;
  sim->user = &late;
  sim_run_until (sim, 620 * SIM_SECOND);
  sim_free (sim);
  return late;
}

GST_START_TEST (test_movie_is_not_stopped_in_the_queue_of_another_flow)
{
  guint without = late_in_the_queue_of_reno (FALSE);
  guint with = late_in_the_queue_of_reno (TRUE);

  GST_INFO ("%u packets wait long, without guard %u", with, without);
  fail_unless (with <= without, "%u packets wait long, without guard %u", with, without);
}

GST_END_TEST;

/* The receiver of transport-wide feedback has left, and the next one sends reports alone. */
GST_START_TEST (test_guard_limits_nothing_where_feedback_is_rare)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.queue_guard = TRUE;
  sender_test_init (&t, &config);
  start (&t, 100 * MS);
  run_rtts (&t, 130, 100 * MS, 100000);
  assert_close (stats_of (&t).queue_guard_Bps, 150000);
  tfrc_sender_follow_reports (t.sender, 5 * SECOND, FALSE);
  run_rtts (&t, 1, 100 * MS, 100000);
  fail_unless (isinf (stats_of (&t).queue_guard_Bps), "%g", stats_of (&t).queue_guard_Bps);
  assert_close (stats_of (&t).x_inst_Bps, 200000);
  /* and begins anew */
  tfrc_sender_follow_reports (t.sender, 100 * MS, FALSE);
  run_rtts (&t, 100, 100 * MS, 100000);
  fail_unless (isinf (stats_of (&t).queue_guard_Bps));
  run_rtts (&t, 1, 100 * MS, 100000);
  assert_close (stats_of (&t).queue_guard_Bps, 150000);
  sender_test_clear (&t);
}

GST_END_TEST;

/* An idle sender has an initial window in R after its pause (section 4.4), of which one packet has come when it hears
 * of it. */
GST_START_TEST (test_guard_leaves_the_initial_window_after_a_pause)
{
  TfrcSenderConfig config = default_config ();
  guint64 end;
  SenderTest t;

  config.queue_guard = TRUE;
  sender_test_init (&t, &config);
  start (&t, 100 * MS);
  run_rtts (&t, 130, 100 * MS, 100000);
  assert_close (stats_of (&t).queue_guard_Bps, 150000);
  for (end = t.now + 60 * SECOND; tfrc_sender_next_timeout_ns (t.sender) < end;) {
    t.now = tfrc_sender_next_timeout_ns (t.sender);
    tfrc_sender_on_timeout (t.sender, t.now);
  }
  t.now = end;
  run_rtts (&t, 1, 100 * MS, S / 0.1);
  fail_unless (stats_of (&t).x_inst_Bps >= W_INIT / 0.1, "%g", stats_of (&t).x_inst_Bps);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
queueguard_suite (void)
{
  Suite *suite = suite_create ("queueguard");
  TCase *tc = tcase_create ("limit");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_guard_limits_its_own_queue_and_nothing_else);
  tcase_add_test (tc, test_jitter_of_four_fifths_of_the_queue_makes_the_limit_void);
  tcase_add_test (tc, test_shorter_sample_of_the_same_packet_says_nothing);
  tcase_add_test (tc, test_least_r_of_before_a_pause_does_not_count);
  tcase_add_test (tc, test_guarded_sender_is_slowed_down_by_a_queue);
  tcase_add_test (tc, test_sender_without_guard_is_not);
  tcase_add_test (tc, test_guard_limits_nothing_where_feedback_is_rare);
  tcase_add_test (tc, test_guard_leaves_the_initial_window_after_a_pause);
  tcase_add_test (tc, test_movie_is_not_stopped_in_the_queue_of_another_flow);
  tcase_add_test (tc, test_known_path_loses_no_packet_of_fast_scenes);
  return suite;
}

GST_CHECK_MAIN (queueguard);
