/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss detection is compared with the naive reference. Arrivals are random, with loss, reordering,
 * duplicates and congestion marks; or there are long gaps. */
#include <gst/check/gstcheck.h>
#include <stdlib.h>
#include <tfrc/loss_detection.h>
#include <tfrc/seqnum.h>

#include "closeto.h"
#include "lossreference.h"

#define NULL_INTERVAL 5.0
#define FIRST_INTERVAL 50.0

/* ---- the comparison ---------------------------------------------------- */

static TfrcLossDetection detection;

static gdouble
first_interval (void *user, bool null_interval)
{
  return null_interval ? NULL_INTERVAL : FIRST_INTERVAL;
}

static void
start (guint n, gboolean discounting, guint64 first, guint64 now_ns)
{
  tfrc_loss_detection_init (
      &detection, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, n, discounting, first_interval, NULL);
  tfrc_loss_detection_start (&detection, first, now_ns);
  reference_start (first, now_ns);
}

/* In a long gap, the code does not go through each event. Then the moments differ by rounding. */
static void
assert_same_moments (const TfrcLossMoments *actual, const TfrcLossMoments *expected)
{
  fail_unless_equals_uint64 (actual->intervals, expected->intervals);
  assert_within (actual->mean_interval, expected->mean_interval, 1e-12);
  assert_within (actual->mean_predictor, expected->mean_predictor, 1e-12);
  assert_within (actual->mean_inverse, expected->mean_inverse, 1e-12);
  assert_within (actual->squares_interval, expected->squares_interval, 1e-9);
  assert_within (actual->squares_predictor, expected->squares_predictor, 1e-9);
  assert_within (actual->products, expected->products, 1e-9);
}

/* Compares the intervals of section 5.3 and their average, event by event. */
static void
assert_same_intervals (void)
{
  const TfrcLossIntervals *current = &detection.all.current;
  TfrcLossIntervals li;
  gdouble seed = reference.starts[0] == reference.first ? NULL_INTERVAL : FIRST_INTERVAL;

  tfrc_loss_intervals_init (
      &li, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, current->n, current->discounting);
  tfrc_loss_intervals_first_event (&li, seed, reference.starts[0], 0);
  for (guint i = 1; i < reference.n_events; i++)
    tfrc_loss_intervals_new_event (&li, reference.starts[i], 0);
  if (current->closed != li.closed)
    fail ("%u intervals, not %u", current->closed, li.closed);
  for (guint i = 1; i <= li.closed; i++) {
    if (current->length[i] != li.length[i])
      fail ("I_%u is %g, not %g", i, current->length[i], li.length[i]);
  }
  assert_same_moments (&current->moments, &li.moments);
  if (tfrc_loss_intervals_mean (current, reference.highest)
      != tfrc_loss_intervals_mean (&li, reference.highest))
    fail ("I_mean is %.17g, not %.17g", tfrc_loss_intervals_mean (current, reference.highest),
        tfrc_loss_intervals_mean (&li, reference.highest));
}

static void
assert_same (void)
{
  const TfrcLossIntervals *current = &detection.all.current;

  find_events ();
  if (current->events != reference.n_events)
    fail ("%u loss events, not %u", (guint) current->events, reference.n_events);
  if (detection.lost != reference.lost)
    fail ("%u lost, not %u", (guint) detection.lost, reference.lost);
  if (reference.n_events == 0)
    return;
  if (current->start_seq != reference.starts[reference.n_events - 1])
    fail ("I_0 starts at %u, not %u", (guint) current->start_seq,
        (guint) reference.starts[reference.n_events - 1]);
  if (current->start_ns != reference.last_start_ns)
    fail ("I_0 starts at another time");
  assert_same_intervals ();
}

/* A packet arrives at both. */
static void
arrive (guint64 seq, gboolean ce, guint32 rtt_us, guint64 now_ns)
{
  guint64 events = detection.all.current.events;
  bool duplicate = FALSE;
  TfrcLossChange change, expected = TFRC_LOSS_NOTHING;

  if (seq > reference.highest)
    change = tfrc_loss_detection_on_next (&detection, seq, ce, rtt_us, now_ns);
  else
    change = tfrc_loss_detection_on_behind (&detection, seq, ce, rtt_us, now_ns, &duplicate);
  if (reference_arrive (seq, ce, rtt_us * GST_USECOND, now_ns) == duplicate)
    fail ("packet is%s a duplicate", duplicate ? " not" : "");
  if (detection.all.current.events > events)
    expected = TFRC_LOSS_NEW_EVENT;
  else if (detection.all.current.events < events)
    expected = TFRC_LOSS_EVENT_REMOVED;
  fail_unless (change == expected);
}

/* ---- random arrivals --------------------------------------------------- */

typedef struct
{
  guint64 arrival_ns;
  guint index;
  gboolean ce;
} Sent;

static gint
compare_arrivals (gconstpointer a, gconstpointer b)
{
  const Sent *sent_a = a, *sent_b = b;

  if (sent_a->arrival_ns != sent_b->arrival_ns)
    return sent_a->arrival_ns < sent_b->arrival_ns ? -1 : 1;
  return sent_a->index < sent_b->index ? -1 : sent_a->index > sent_b->index;
}

typedef struct
{
  gdouble loss, outage, reordering, duplication, marking; /* probabilities */
  guint max_delay;                                        /* delay of a late packet, in packets */
  guint packets;
} Path;

static void
add_sent (
    GArray *sent, GRand *rand, const Path *path, guint index, guint64 sent_ns, guint64 spacing_ns)
{
  Sent packet = { sent_ns, index, g_rand_double (rand) < path->marking };

  if (g_rand_double (rand) < path->reordering)
    packet.arrival_ns += g_rand_int_range (rand, 0, path->max_delay * spacing_ns);
  g_array_append_val (sent, packet);
}

static GArray *
send_over (const Path *path, GRand *rand)
{
  GArray *sent = g_array_new (FALSE, FALSE, sizeof (Sent));
  guint64 now_ns = GST_SECOND, spacing_ns = g_rand_int_range (rand, 1, 1000000);
  guint outage = 0;

  for (guint i = 0; i < path->packets; i++) {
    now_ns += g_rand_int_range (rand, 0, 2 * spacing_ns);
    if (g_rand_double (rand) < path->outage)
      outage = g_rand_int_range (rand, 1, 20);
    if (outage > 0)
      outage--;
    else if (g_rand_double (rand) >= path->loss)
      add_sent (sent, rand, path, i, now_ns, spacing_ns);
    if (g_rand_double (rand) < path->duplication)
      add_sent (sent, rand, path, i, now_ns, spacing_ns);
  }
  /* qsort() refuses NULL. */
  if (sent->len > 0)
    qsort (sent->data, sent->len, sizeof (Sent), compare_arrivals);
  return sent;
}

/* Runs one stream over the path, across the wrap of the 16-bit numbers. When more gaps have been
 * seen than are remembered, `forgets' tells whether to go on. Returns how often both agreed. */
static guint
run_stream (GRand *rand, const Path *path, guint every, gboolean forgets)
{
  GArray *sent = send_over (path, rand);
  TfrcSeqTracker tracker;
  guint16 first = (guint16) (65536 - g_rand_int_range (rand, 0, path->packets));
  guint32 rtt_us = g_rand_int_range (rand, 1, 10000);
  guint agreed = 0;

  tfrc_seq_init (&tracker);
  tfrc_seq_start (&tracker, first);
  start (g_rand_int_range (rand, 2, TFRC_MAX_HISTORY_LENGTH + 1), g_rand_boolean (rand),
      tracker.highest + 1, GST_SECOND);
  for (guint i = 0; i < sent->len; i++) {
    const Sent *packet = &g_array_index (sent, Sent, i);
    guint64 seq;

    if (g_rand_int_range (rand, 0, 20) == 0)
      rtt_us = g_rand_int_range (rand, 1, 10000);
    seq = tfrc_seq_accept (&tracker, (guint16) (first + packet->index));
    arrive (seq, packet->ce, rtt_us, packet->arrival_ns);
    if (detection.n_gaps == TFRC_MAX_GAPS && !forgets)
      break;
    if (i % every == 0 || i + 1 == sent->len) {
      assert_same ();
      agreed++;
    }
  }
  g_array_unref (sent);
  return agreed;
}

GST_START_TEST (test_random_arrivals_give_the_events_of_the_reference)
{
  GRand *rand = g_rand_new_with_seed (3);
  guint agreed = 0;

  for (guint i = 0; i < 4000; i++) {
    Path path = {
      .loss = g_rand_double (rand) * 0.3,
      .outage = g_rand_double (rand) * 0.05,
      .reordering = g_rand_double (rand) * 0.4,
      .duplication = g_rand_double (rand) * 0.1,
      .marking = g_rand_double (rand) * 0.2,
      .max_delay = g_rand_int_range (rand, 1, 20),
      .packets = g_rand_int_range (rand, 4, 80),
    };

    agreed += run_stream (rand, &path, 2, FALSE);
  }
  fail_unless (agreed > 4000 * 10);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_gaps_too_old_to_be_remembered_still_count)
{
  GRand *rand = g_rand_new_with_seed (4);

  for (guint i = 0; i < 20; i++) {
    const Path path = {
      .loss = 0.2, .reordering = 0.1, .marking = 0.05, .max_delay = 8, .packets = 1000
    };

    run_stream (rand, &path, 100, TRUE);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* Short intervals, then `missing' lost packets during `duration_ns' */
static void
lose_many (guint n, gboolean discounting, guint history, guint missing, guint64 duration_ns,
    guint32 rtt_us)
{
  guint64 seq = 100, now_ns = GST_SECOND;

  start (n, discounting, seq, now_ns);
  for (guint i = 0; i < history; i++, now_ns += 2 * rtt_us * GST_USECOND)
    arrive (seq++, TRUE, rtt_us, now_ns);
  arrive (seq, FALSE, rtt_us, now_ns);
  seq += missing + 1;
  now_ns += duration_ns;
  for (guint i = 0; i < 3; i++)
    arrive (seq++, FALSE, rtt_us, now_ns + i * GST_MSECOND);
  assert_same ();
  /* with a longer I_0 the discount factors have an effect */
  for (guint i = 3; i < 400; i++)
    arrive (seq++, FALSE, rtt_us, now_ns + i * GST_MSECOND);
  assert_same ();
}

GST_START_TEST (test_one_long_gap_is_many_loss_events)
{
  const guint lengths[] = { 2, 8, 16, 32 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    for (guint discounting = 0; discounting < 2; discounting++) {
      guint n = lengths[i];

      for (guint history = 0; history <= 2 * n; history += n) {
        lose_many (n, discounting, history, 10000, 10 * GST_SECOND, 100000);
        lose_many (n, discounting, history, 10001, 20 * GST_SECOND, 33000);
        lose_many (n, discounting, history, 16383, GST_SECOND, 1000);
        lose_many (n, discounting, history, 100, 3600 * GST_SECOND, 100000);
        lose_many (n, discounting, history, 5000, GST_SECOND, 999000);
      }
    }
  }
}

GST_END_TEST;

static Suite *
lossreference_suite (void)
{
  Suite *suite = suite_create ("lossreference");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_random_arrivals_give_the_events_of_the_reference);
  tcase_add_test (tc, test_gaps_too_old_to_be_remembered_still_count);
  tcase_add_test (tc, test_one_long_gap_is_many_loss_events);
  return suite;
}

GST_CHECK_MAIN (lossreference);
