/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a viewer gets of a movie whose rate follows receiver reports: which packets come later than a
 * player waits. docs/decisions/reports.md has the numbers. */
#include <gst/check/gstcheck.h>

#include "reportfixture.h"

#define KBIT (1000 / 8.0)
#define MOVIE_S 36
#define LONGEST_WAIT (2 * SECOND) /* in the queue, as tfrcsink's max-queue-time */
#define PLAYER_WAITS SECOND
#define PHASES 9 /* runs, which differ in when the receiver reports */

/* 1.1 Mbit/s, and three scenes of 2 s each that have more than the link of 2 Mbit/s */
static double
movie_kbit_s (double at_s)
{
  return fmod (at_s, 12) >= 8 && fmod (at_s, 12) < 10 ? 2600 : 1100;
}

static GArray *
new_due_times (void)
{
  GArray *due = g_array_new (FALSE, FALSE, sizeof (guint64));
  double bytes = 0;

  for (guint ms = 0; ms < MOVIE_S * 1000; ms++) {
    bytes += movie_kbit_s (ms / 1e3) * KBIT / 1000;
    if (bytes >= S) {
      guint64 at = SECOND + ms * MS;

      bytes -= S;
      g_array_append_val (due, at);
    }
  }
  return due;
}

/* Sends packets when they are due and allowed, and drops those that have waited for too long.
 * on_time: packets that came in time so far */
static void
send_until (GArray *due, guint *next, guint64 until, guint *on_time)
{
  while (t.now < until) {
    guint64 then = MIN (tfrc_sender_next_timeout_ns (t.sender), t.next_sr_ns), at;

    while (*next < due->len && g_array_index (due, guint64, *next) + LONGEST_WAIT < t.now)
      ++*next;
    at = *next < due->len ? g_array_index (due, guint64, *next) : NEVER;
    then = MIN (then, MAX (at, tfrc_sender_next_send_ns (t.sender)));
    t.now = MIN (MAX (t.now, then), until);
    tfrc_sender_on_timeout (t.sender, t.now);
    if (at <= t.now && tfrc_sender_next_send_ns (t.sender) <= t.now) {
      report_test_send (&t);
      ++*next;
      at += t.delay + PLAYER_WAITS;
      then = g_array_index (t.fates, guint64, t.fates->len - 1);
      *on_time += then > 0 && then <= at;
    }
    if (t.now >= t.next_sr_ns)
      send_sender_report (&t);
  }
}

/* Returns the percentage of packets that come in time.
 * @share of the intervals of RFC 3550 */
static double
play (double start_kbit_s, double share, guint phase)
{
  GArray *due = new_due_times ();
  guint64 report_ns = (guint64) ((1000 + 230 * phase) * MS * share);
  guint next = 0, on_time = 0;
  TfrcSenderConfig config;
  double percent;

  report_test_clear (&t);
  report_test_init (&t);
  tfrc_sender_free (t.sender);
  tfrc_sender_config_init (&config);
  config.first_seq = FIRST_SEQ;
  config.initial_rate_Bps = start_kbit_s * KBIT;
  fail_unless_equals_int (tfrc_sender_new (&t.sender, &config), TFRC_OK);
  t.link_Bps = 2000 * KBIT;
  for (guint i = phase + 1; t.now < (MOVIE_S + 4) * SECOND; i++) {
    TfrcWireReport report;

    send_until (due, &next, t.now + report_ns, &on_time);
    report = true_report (&t);
    send_until (due, &next, t.now + t.delay, &on_time);
    deliver (&t, &report);
    report_ns = (guint64) (regular_interval (i) * share);
  }
  percent = 100.0 * on_time / due->len;
  g_array_unref (due);
  return percent;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  double difference = *(const double *) a - *(const double *) b;

  return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

/* Plays with each phase, and returns the median. */
static double
median (double start_kbit_s, double share, double *least, double *most)
{
  double percents[PHASES];

  for (guint i = 0; i < PHASES; i++)
    percents[i] = play (start_kbit_s, share, i);
  qsort (percents, PHASES, sizeof *percents, compare);
  *least = percents[0];
  *most = percents[PHASES - 1];
  g_print ("start %4.0f kbit/s, intervals x %g: %.0f %% (%.0f to %.0f) come within %g s\n",
      start_kbit_s, share, percents[PHASES / 2], *least, *most, PLAYER_WAITS / 1e9);
  return percents[PHASES / 2];
}

GST_START_TEST (a_start_bitrate_brings_more_in_time)
{
  double least, most;
  double without = median (0, 1, &least, &most), with = median (1000, 1, &least, &most);

  fail_unless (with > without + 20, "%g and %g", with, without);
}

GST_END_TEST;

GST_START_TEST (reports_that_come_more_often_bring_more_in_time)
{
  double least, most;
  double rare = median (0, 1, &least, &most), often = median (0, 0.25, &least, &most);

  fail_unless (often > rare + 20, "%g and %g", often, rare);
  fail_unless (median (1000, 0.25, &least, &most) > 90);
}

GST_END_TEST;

static Suite *
reportmovie_suite (void)
{
  Suite *suite = suite_create ("reportmovie");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_start_bitrate_brings_more_in_time);
  tcase_add_test (tcase, reports_that_come_more_often_bring_more_in_time);
  return suite;
}

GST_CHECK_MAIN (reportmovie);
