/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How evenly a movie leaves tfrcsink, in virtual time: the packets that vod-replay makes of a trace go
 * through the send queue with its smoother and through a session with TFRC's pacer.  The allowed rate is
 * constant, and the loop serves the stream on the grid that it has with 100 streams.
 * docs/vod-benchmark.md has the table. */
#include "../libs/sessiontest.h"

#include <math.h>

#include "gst/queue/sendqueue.h"
#include "scale.h"
#include "spread.h"
#include "trace.h"

#define RATE_BPS 2e6 /* of the benchmark's Table 1 */
#define MEAN_RATE_BPS 640e3
#define CELL MS
#define SMOOTHING (1500 * MS)
#define INTERVAL (100 * MS)
#define INTERVALS_IN_WINDOW 15 /* as long as SMOOTHING */

typedef struct
{
  guint n;
  guint64 *times_ns; /* after the beginning of the movie, ascending */
  guint64 movie_ns;
} Times;

typedef struct
{
  gdouble cov, cov_1s;                    /* of the packets in each INTERVAL, and in each second */
  gdouble in_window, in_window_p99;       /* of those of each INTERVAL, within SMOOTHING */
  gdouble spacing_in_window, spacing_p99; /* of the times between packets, within SMOOTHING */
} Evenness;

static Times due, left;

static void
teardown (void)
{
  g_clear_pointer (&due.times_ns, g_free);
  g_clear_pointer (&left.times_ns, g_free);
}

/* ---- the movie ----------------------------------------------------------- */

/* As vod-replay spreads the packets, see spread.h. */
static void
spread (const Trace *trace, const guint *ts_packets)
{
  guint filled = 0;

  due.times_ns = g_new (guint64, trace_ts_packets (trace) / SPREAD_PACKETS);
  due.n = 0;
  for (guint frame = 0; frame < trace->n_frames; frame++) {
    guint64 start_ns = trace_interval_start_ns (trace, frame);
    guint64 interval_ns = trace_interval_start_ns (trace, frame + 1) - start_ns;

    for (guint i = 0; i < ts_packets[frame]; i++)
      if (++filled == SPREAD_PACKETS) {
        filled = 0;
        due.times_ns[due.n++] = start_ns + interval_ns * i / ts_packets[frame];
      }
  }
  due.movie_ns = trace_interval_start_ns (trace, trace->n_frames);
}

static void
load (const gchar *movie)
{
  gchar *name = g_strconcat (movie, "-like-600s.csv", NULL);
  gchar *path = g_build_filename (g_getenv ("TFRC_TRACES_DIR"), name, NULL);
  const TraceOptions options = { 0 };
  GError *error = NULL;
  Trace *trace = trace_load (path, &options, &error);
  guint *ts_packets;

  fail_if (trace == NULL, "%s", error ? error->message : "");
  ts_packets = trace_frame_ts_packets (trace);
  spread (trace, ts_packets);
  g_free (ts_packets);
  trace_free (trace);
  g_free (path);
  g_free (name);
}

/* ---- the sender ---------------------------------------------------------- */

static guint64
round_up (guint64 time_ns)
{
  return (time_ns + CELL - 1) / CELL * CELL;
}

/* Packets of the movie that are due join the queue. */
static void
offer (SessionTest *t, GstTfrcSendQueue *queue, guint64 begin_ns, guint *offered)
{
  for (; *offered < due.n && begin_ns + due.times_ns[*offered] <= t->now_ns; ++*offered) {
    GstTfrcOutgoing *outgoing = new_packet (t);

    gst_tfrc_outgoing_set_due_ns (outgoing, begin_ns + due.times_ns[*offered]);
    gst_tfrc_outgoing_set_queued_ns (outgoing, t->now_ns);
    gst_tfrc_send_queue_push (queue, outgoing);
  }
}

static guint64
next_send_ns (SessionTest *t, const GstTfrcSendQueue *queue)
{
  if (gst_tfrc_send_queue_length (queue) == 0)
    return NEVER;
  return MAX (gst_tfrc_send_queue_next_ns (queue),
      gst_tfrc_rate_control_next_send_ns (control_of (t->sink)));
}

static void
leave (SessionTest *t, GstTfrcSendQueue *queue, guint64 begin_ns)
{
  while (next_send_ns (t, queue) <= t->now_ns) {
    GstTfrcOutgoing *outgoing = gst_tfrc_send_queue_pop (queue);

    send_packet (t, outgoing);
    gst_tfrc_outgoing_free (outgoing);
    left.times_ns[left.n++] = t->now_ns - begin_ns;
  }
}

/* When the loop serves the stream next */
static guint64
next_turn_ns (SessionTest *t, const GstTfrcSendQueue *queue, guint64 begin_ns, guint offered)
{
  guint64 next_ns = next_send_ns (t, queue);

  if (offered < due.n)
    next_ns = MIN (next_ns, begin_ns + due.times_ns[offered]);
  return MAX (next_ns == NEVER ? NEVER : round_up (next_ns), t->now_ns);
}

/* Plays the movie at a constant allowed rate, in bytes per second. */
static void
play (gdouble rate_Bps, guint64 smoothing_ns)
{
  GstTfrcSendQueue queue;
  SessionTest t;
  guint offered = 0;
  guint64 begin_ns;

  session_test_init (&t);
  set_rate_limits_Bps (t.sink, rate_Bps, rate_Bps);
  session_test_connect (&t);
  gst_tfrc_send_queue_init (&queue);
  if (smoothing_ns > 0)
    fail_unless_equals_int (tfrc_smoother_new (&queue.smoother, smoothing_ns), TFRC_OK);
  /* The smoother's slots begin with the movie, whatever time the test's clock has begun with. */
  begin_ns = (t.now_ns / SMOOTHING + 1) * SMOOTHING;
  run (&t, begin_ns - t.now_ns);
  left = (Times){ 0, g_new (guint64, due.n), due.movie_ns };
  while (left.n < due.n) {
    guint64 turn_ns = next_turn_ns (&t, &queue, begin_ns, offered);

    while (next_event_ns (&t) < turn_ns) {
      t.now_ns = MAX (t.now_ns, next_event_ns (&t));
      serve_all (&t);
    }
    t.now_ns = turn_ns;
    offer (&t, &queue, begin_ns, &offered);
    leave (&t, &queue, begin_ns);
    fail_unless (sender_stats (&t).x_Bps == rate_Bps);
  }
  gst_tfrc_send_queue_clear (&queue);
  tfrc_smoother_free (queue.smoother);
  session_test_clear (&t);
}

/* ---- measures ------------------------------------------------------------ */

static gdouble
cov_of (const gdouble *values, guint n)
{
  gdouble sum = 0, squares = 0, mean;

  for (guint i = 0; i < n; i++)
    sum += values[i];
  mean = sum / n;
  for (guint i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean);
  return sqrt (squares / n) / mean;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return (first > second) - (first < second);
}

/* By the nearest rank; sorts the values. */
static gdouble
quantile (GArray *values, gdouble fraction)
{
  g_array_sort (values, compare);
  return g_array_index (values, gdouble, (guint) ceil (fraction * values->len) - 1);
}

static gdouble
cov_of_intervals (const Times *times, guint64 interval_ns)
{
  guint n = (guint) (times->movie_ns / interval_ns);
  gdouble *counts = g_new0 (gdouble, n), cov;

  for (guint i = 0; i < times->n && times->times_ns[i] / interval_ns < n; i++)
    counts[times->times_ns[i] / interval_ns]++;
  cov = cov_of (counts, n);
  g_free (counts);
  return cov;
}

/* Returns the number of packets from @first on that lie in the window. */
static guint
packets_in_window (const Times *times, guint first, guint64 begin_ns)
{
  guint n = 0;

  while (first + n < times->n && times->times_ns[first + n] < begin_ns + SMOOTHING)
    n++;
  return n;
}

/* Adds what the @n packets of a window say to @counts and @spacings. */
static void
measure_window (
    const guint64 *times_ns, guint n, guint64 begin_ns, GArray *counts, GArray *spacings)
{
  gdouble of_interval[INTERVALS_IN_WINDOW] = { 0 }, cov;
  gdouble *gaps = g_new (gdouble, n);

  fail_unless (n >= 3);
  for (guint i = 0; i < n; i++)
    of_interval[(times_ns[i] - begin_ns) / INTERVAL]++;
  cov = cov_of (of_interval, INTERVALS_IN_WINDOW);
  g_array_append_val (counts, cov);
  for (guint i = 1; i < n; i++)
    gaps[i - 1] = (gdouble) (times_ns[i] - times_ns[i - 1]);
  cov = cov_of (gaps, n - 1);
  g_array_append_val (spacings, cov);
  g_free (gaps);
}

static Evenness
measure (const Times *times)
{
  GArray *counts = g_array_new (FALSE, FALSE, sizeof (gdouble));
  GArray *spacings = g_array_new (FALSE, FALSE, sizeof (gdouble));
  Evenness evenness;
  guint first = 0, n;

  for (guint64 begin_ns = 0; begin_ns + SMOOTHING <= times->movie_ns; begin_ns += SMOOTHING) {
    n = packets_in_window (times, first, begin_ns);
    measure_window (times->times_ns + first, n, begin_ns, counts, spacings);
    first += n;
  }
  evenness = (Evenness){ cov_of_intervals (times, INTERVAL), cov_of_intervals (times, S),
    quantile (counts, 0.5), quantile (counts, 0.99), quantile (spacings, 0.5),
    quantile (spacings, 0.99) };
  g_array_unref (counts);
  g_array_unref (spacings);
  return evenness;
}

/* To the third decimal */
static void
assert_evenness (const Times *times, Evenness expected)
{
  Evenness is = measure (times);

  fail_unless (fabs (is.cov - expected.cov) < 0.001 && fabs (is.cov_1s - expected.cov_1s) < 0.001
          && fabs (is.in_window - expected.in_window) < 0.001
          && fabs (is.in_window_p99 - expected.in_window_p99) < 0.001
          && fabs (is.spacing_in_window - expected.spacing_in_window) < 0.001
          && fabs (is.spacing_p99 - expected.spacing_p99) < 0.001,
      "%.4f, %.4f, %.4f, %.4f, %.4f, %.4f", is.cov, is.cov_1s, is.in_window, is.in_window_p99,
      is.spacing_in_window, is.spacing_p99);
}

static guint64
longest_wait_ns (void)
{
  guint64 longest_ns = 0;

  for (guint i = 0; i < due.n; i++)
    longest_ns = MAX (longest_ns, left.times_ns[i] - due.times_ns[i]);
  return longest_ns;
}

/* ---- the tests ----------------------------------------------------------- */

GST_START_TEST (a_smoothed_movie_of_small_scenes_leaves_evenly)
{
  load ("cinderella-man");
  assert_evenness (&due, (Evenness){ 0.255, 0.173, 0.158, 0.266, 0.310, 0.383 });
  play (RATE_BPS / 8, SMOOTHING);
  assert_evenness (&left, (Evenness){ 0.1842, 0.1696, 0.0744, 0.1113, 0.0345, 0.0850 });
  fail_unless (longest_wait_ns () <= SMOOTHING + CELL);
}

GST_END_TEST;

/* Its scenes and bursts last longer than the smoother's window. */
GST_START_TEST (a_smoothed_movie_of_large_bursts_leaves_evenly_within_most_windows)
{
  load ("v-for-vendetta");
  assert_evenness (&due, (Evenness){ 1.030, 0.371, 0.866, 1.575, 1.037, 1.755 });
  play (RATE_BPS / 8, SMOOTHING);
  assert_evenness (&left, (Evenness){ 0.3344, 0.3106, 0.1010, 0.3816, 0.0686, 0.4357 });
  fail_unless (longest_wait_ns () <= SMOOTHING + CELL);
}

GST_END_TEST;

/* TFRC's pacer alone: most of the time packets wait for it. */
GST_START_TEST (a_movie_leaves_evenly_at_its_own_mean_rate)
{
  load ("cinderella-man");
  play (MEAN_RATE_BPS / 8, 0);
  assert_evenness (&left, (Evenness){ 0.121, 0.070, 0.041, 0.254, 0.030, 0.363 });
}

GST_END_TEST;

static Suite *
vodsmoothing_suite (void)
{
  Suite *s = suite_create ("vodsmoothing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, NULL, teardown);
  tcase_add_test (tc, a_smoothed_movie_of_small_scenes_leaves_evenly);
  tcase_add_test (tc, a_smoothed_movie_of_large_bursts_leaves_evenly_within_most_windows);
  tcase_add_test (tc, a_movie_leaves_evenly_at_its_own_mean_rate);
  return s;
}

GST_CHECK_MAIN (vodsmoothing);
