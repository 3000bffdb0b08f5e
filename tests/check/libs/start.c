/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The start of a stream in virtual time: how long a movie of 4 Mbit/s is late, because X begins with
 * W_init / R (RFC 5348 section 4.2) and doubles at most once in an R (docs/decisions/rate.md, "The
 * start of a stream") */
#include "simlink.h"

#include <gst/check/gstcheck.h>

/* A packet that waits in the sender for longer than this is late. */
#define PLAYOUT_NS (200 * SIM_MS)

#define BITRATE 4e6
#define PACKETS 1500

typedef struct
{
  guint64
      late_ms; /* when the last packet left that had waited too long, after the start; 0: none */
  guint64 empty_ms; /* when the last packet left that had waited at all */
  guint64 lost;
} Start;

static guint64 schedule[PACKETS];

static void
setup (void)
{
  for (guint i = 0; i < PACKETS; i++)
    schedule[i] = (guint64) (i * SIM_SEGMENT_BYTES * 8 / BITRATE * 1e9);
}

/* The timer's steps and the rounding of rates are no wait. */
static void
leaves (guint64 due_ns, guint64 now_ns, gpointer user)
{
  Start *start = user;
  guint64 since_ms = (now_ns - SIM_SECOND) / SIM_MS;

  if (now_ns - due_ns > PLAYOUT_NS)
    start->late_ms = since_ms;
  if (now_ns - due_ns > 2 * SIM_MS)
    start->empty_ms = since_ms;
}

static Start
run (const SimLink *link, const TfrcSenderConfig *config)
{
  Sim *sim = sim_new (link, 1);
  SimFlow *flow = sim_add_flow (sim, config, SIM_SECOND);
  Start start = { 0 };

  flow->schedule_ns = schedule;
  flow->n_scheduled = PACKETS;
  sim->leaves = leaves;
  sim->user = &start;
  sim_run_until (sim, 8 * SIM_SECOND);
  fail_unless_equals_uint64 (flow->sent, PACKETS);
  start.lost = flow->dropped;
  sim_free (sim);
  return start;
}

/* As tfrcsink has it */
static TfrcSenderConfig
sink_config (guint initial_window, guint64 initial_rtt_ns)
{
  TfrcSenderConfig config;

  tfrc_sender_config_init (&config);
  config.queue_guard = TRUE;
  config.burst_limit_ns = 10 * SIM_MS;
  config.initial_window = initial_window;
  config.initial_rtt_ns = initial_rtt_ns;
  return config;
}

static SimLink
wide_link (guint64 rtt_ms)
{
  return (SimLink){ .rate_bps = 100e6, .queue_packets = 10000, .delay_ns = rtt_ms * SIM_MS / 2 };
}

static void
assert_start (const Start *start, guint64 late_ms, guint64 empty_ms, const gchar *what)
{
  fail_unless (start->late_ms == late_ms && start->empty_ms == empty_ms && start->lost == 0,
      "%s: late until %" G_GUINT64_FORMAT " ms, a queue until %" G_GUINT64_FORMAT
      " ms, %" G_GUINT64_FORMAT " packets lost",
      what, start->late_ms, start->empty_ms, start->lost);
}

GST_START_TEST (test_a_larger_initial_window_makes_a_movie_late_for_less_long)
{
  static const struct
  {
    guint64 rtt_ms;
    guint window;
    gboolean knows_rtt;
    guint64 late_ms, empty_ms;
  } rows[] = {
    { 50, 0, FALSE, 0, 400 },
    { 50, 0, TRUE, 0, 325 },
    { 50, 10, FALSE, 0, 202 },
    { 50, 10, TRUE, 0, 115 },
    { 200, 0, FALSE, 2620, 2664 },
    { 200, 0, TRUE, 2348, 2420 },
    { 200, 10, FALSE, 1814, 1876 },
    { 200, 10, TRUE, 1461, 1613 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    SimLink link = wide_link (rows[i].rtt_ms);
    TfrcSenderConfig config = sink_config (
        rows[i].window, rows[i].knows_rtt ? rows[i].rtt_ms * SIM_MS : 0);
    Start start = run (&link, &config);
    gchar *what = g_strdup_printf ("R = %" G_GUINT64_FORMAT " ms, window %u, R %s", rows[i].rtt_ms,
        rows[i].window, rows[i].knows_rtt ? "known" : "unknown");

    assert_start (&start, rows[i].late_ms, rows[i].empty_ms, what);
    g_free (what);
  }
}

GST_END_TEST;

/* A path that a stream has ended on: the rate that has arrived at most, and the movie's own rate.  A path of
 * 5 Mbit/s with a queue of one bandwidth-delay product loses nothing. */
GST_START_TEST (test_a_remembered_rate_makes_a_movie_start_in_time)
{
  static const struct
  {
    guint64 rtt_ms;
    double rate_Bps;
    gboolean is_narrow;
    guint64 late_ms, empty_ms;
  } rows[] = {
    { 50, 1.1e6, FALSE, 0, 157 },
    { 200, 1.1e6, FALSE, 0, 710 },
    { 50, 0.5e6, FALSE, 0, 115 },
    { 200, 0.5e6, FALSE, 1172, 1371 },
    { 200, 1.1e6, TRUE, 0, 718 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    SimLink link = wide_link (rows[i].rtt_ms);
    TfrcSenderConfig config = sink_config (10, rows[i].rtt_ms * SIM_MS);
    gchar *what = g_strdup_printf (
        "R = %" G_GUINT64_FORMAT " ms, %.0f byte/s", rows[i].rtt_ms, rows[i].rate_Bps);
    Start start;

    if (rows[i].is_narrow) {
      link.rate_bps = 5e6;
      link.queue_packets = 91;
    }
    config.remembered_rate_Bps = rows[i].rate_Bps;
    config.remembered_rtt_ns = rows[i].rtt_ms * SIM_MS;
    start = run (&link, &config);
    assert_start (&start, rows[i].late_ms, rows[i].empty_ms, what);
    g_free (what);
  }
}

GST_END_TEST;

/* Packets that are lost in the first 5 s on a narrow path with a drop-tail queue of a half or one
 * bandwidth-delay product, beside those of TCP Reno, which has no movie and always has data */
GST_START_TEST (test_a_movie_at_its_start_loses_what_reno_loses)
{
  static const struct
  {
    double rate_bps;
    guint64 rtt_ms;
    guint queue_packets, rfc3390, rfc6928, reno;
  } rows[] = {
    { 2e6, 50, 4, 11, 35, 14 },
    { 2e6, 50, 9, 5, 36, 25 },
    { 2e6, 200, 18, 20, 53, 52 },
    { 2e6, 200, 36, 3, 40, 74 },
    { 5e6, 50, 11, 1, 12, 26 },
    { 5e6, 50, 22, 0, 1, 48 },
    { 5e6, 200, 45, 79, 92, 91 },
    { 5e6, 200, 91, 33, 46, 184 },
    { 10e6, 200, 91, 60, 0, 183 },
    { 10e6, 200, 182, 0, 0, 366 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const SimLink link = { .rate_bps = rows[i].rate_bps,
      .queue_packets = rows[i].queue_packets,
      .delay_ns = rows[i].rtt_ms * SIM_MS / 2 };
    guint lost[3];

    for (guint k = 0; k < 3; k++) {
      TfrcSenderConfig config = sink_config (k == 0 ? 0 : 10, 0);
      Sim *sim = sim_new (&link, 1);
      SimReno *reno = k == 2 ? sim_add_reno (sim, SIM_SECOND) : NULL;
      SimFlow *flow = k == 2 ? NULL : sim_add_flow (sim, &config, SIM_SECOND);

      if (flow) {
        flow->schedule_ns = schedule;
        flow->n_scheduled = PACKETS;
      }
      sim_run_until (sim, 6 * SIM_SECOND);
      lost[k] = flow ? flow->dropped : reno->acked - reno->delivered;
      sim_free (sim);
    }
    fail_unless (
        lost[0] == rows[i].rfc3390 && lost[1] == rows[i].rfc6928 && lost[2] == rows[i].reno,
        "row %u: %u, %u, Reno %u", i, lost[0], lost[1], lost[2]);
  }
}

GST_END_TEST;

/* RFC 5348 to the letter: feedback that is early by a fraction of R costs a whole R. */
GST_START_TEST (test_the_strict_start_is_slower)
{
  static const guint64 rtts_ms[] = { 50, 200 }, late_ms[] = { 0, 2675 }, empty_ms[] = { 423, 2727 };

  for (guint i = 0; i < G_N_ELEMENTS (rtts_ms); i++) {
    SimLink link = wide_link (rtts_ms[i]);
    TfrcSenderConfig config;
    Start start;

    tfrc_sender_config_init_strict (&config);
    start = run (&link, &config);
    assert_start (&start, late_ms[i], empty_ms[i], "strict");
  }
}

GST_END_TEST;

static Suite *
start_suite (void)
{
  Suite *s = suite_create ("start");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_a_larger_initial_window_makes_a_movie_late_for_less_long);
  tcase_add_test (tc, test_a_remembered_rate_makes_a_movie_start_in_time);
  tcase_add_test (tc, test_a_movie_at_its_start_loses_what_reno_loses);
  tcase_add_test (tc, test_the_strict_start_is_slower);
  return s;
}

GST_CHECK_MAIN (start);
