/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of a movie that is too large for its path (gst/flow/rtpclock.h): neither a queue that stays
 * full nor the wait in the sender is drift.  Both ends, in virtual time. */
#include "sessiontest.h"

#define RATE_BPS 900e3
#define MOVIE_BPS 1400e3
#define QUEUE_PACKETS 20
#define MAX_WAIT (500 * MS) /* in the sender: older packets are dropped there */
#define SERIALISATION ((guint64) ((SEGMENT + TFRC_WIRE_HEADER_BYTES + 28) * 8 * 1e9 / RATE_BPS))
#define PACKET_INTERVAL ((guint64) (SEGMENT * 8 * 1e9 / MOVIE_BPS))
#define LEAST_TRANSIT (DELAY + SERIALISATION)
#define PLAYOUT_DELAY (1000 * MS)
#define RUN (60 * S)
#define OVER (3600 * S) /* the delay of a packet that is lost: after the test */

/* What 60 s at 0.2 ms in a second allow, with a step and a tick of the time stamps */
#define DRIFT_NS (13 * (gint64) MS)

static SessionTest t;
static GQueue waiting; /* of the times at which packets were due that have not left */
static guint64 begin_ns;
static guint64 path_free_ns; /* when the path has sent all that it holds */
static gboolean is_forward;  /* what is sent goes to the receiver */
static guint reports_seen;
static gboolean loses_reports;
static guint32 first_timestamp;
static guint64 sent_ns[G_MAXUINT16 + 1];
static guint64 told_ns[G_MAXUINT16 + 1]; /* queueing, as the sender knew it when this number left */
static guint64 oldest_ns, n_judged, n_surprised;
static gint64 most_error_ns;

static void
setup (void)
{
  session_test_init (&t);
  set_rate_limits_Bps (t.sink, 0, MOVIE_BPS);
  begin_ns = t.now_ns;
  path_free_ns = oldest_ns = n_judged = n_surprised = 0;
  reports_seen = 0;
  is_forward = loses_reports = FALSE;
  most_error_ns = 0;
}

static void
teardown (void)
{
  g_queue_clear_full (&waiting, g_free);
  session_test_clear (&t);
}

static guint64
delay_of (const GstTfrcAddress *address)
{
  guint64 start_ns = MAX (path_free_ns, t.now_ns);
  gboolean is_report = t.srs != reports_seen;

  if (!is_forward)
    return DELAY;
  reports_seen = t.srs;
  if (start_ns - t.now_ns > QUEUE_PACKETS * SERIALISATION || (is_report && loses_reports))
    return OVER;
  path_free_ns = start_ns + SERIALISATION;
  return path_free_ns - t.now_ns + DELAY;
}

/* The first packet was due at the beginning. */
static void
judge (const InFlight *packet)
{
  TfrcWireData header;
  guint64 due_ns;
  gint64 error_ns;

  fail_unless_equals_int (tfrc_wire_parse_data (packet->data, packet->size, &header), TFRC_WIRE_OK);
  if (t.data_received == 1)
    first_timestamp = header.timestamp;
  due_ns = begin_ns + (guint64) (header.timestamp - first_timestamp) * 100000 / 9;
  error_ns = (gint64) (gst_tfrc_reception_get_due_ns (t.src) - due_ns - LEAST_TRANSIT);
  most_error_ns = MAX (most_error_ns, error_ns);
  oldest_ns = MAX (oldest_ns, t.now_ns - due_ns);
  if (t.now_ns < begin_ns + 5 * S)
    return;
  n_judged++;
  n_surprised += (gint64) (t.now_ns - sent_ns[header.seq] - LEAST_TRANSIT - told_ns[header.seq])
      > error_ns + (gint64) MS;
}

static void
arrive (InFlight *packet)
{
  GstTfrcReceivedPacket arrived = received_from (&t, &packet->address, packet->data, packet->size);
  guint64 before = t.data_received;

  if (!packet->to_src) {
    gst_tfrc_send_session_on_rtcp (t.sink, &arrived);
    return;
  }
  src_receives (&t, &arrived);
  gst_tfrc_reception_set_playout_delay (t.src, PLAYOUT_DELAY, TRUE);
  if (t.data_received > before)
    judge (packet);
}

/* Sends what may leave now of the movie, the oldest first. */
static void
send_movie (void)
{
  guint64 *due_ns, sent;

  while ((due_ns = g_queue_peek_head (&waiting)) && *due_ns + MAX_WAIT < t.now_ns)
    g_free (g_queue_pop_head (&waiting));
  while ((due_ns = g_queue_peek_head (&waiting))) {
    sent = t.data_sent;
    t.sender_delay_ns = t.now_ns - *due_ns;
    t.backlog = 1;
    serve_sink (&t);
    if (t.data_sent == sent)
      break;
    sent_ns[t.header.seq] = t.now_ns;
    told_ns[t.header.seq] = gst_tfrc_receiver_view_get_playout (receiver_of (t.sink)).queueing_ns;
    g_free (g_queue_pop_head (&waiting));
  }
  t.backlog = 0;
}

static void
step (void)
{
  InFlight *packet;

  while ((packet = g_queue_peek_head (&t.network)) && packet->arrival_ns <= t.now_ns) {
    arrive (g_queue_pop_head (&t.network));
    g_free (packet);
  }
  is_forward = TRUE;
  send_movie ();
  serve_sink (&t);
  is_forward = FALSE;
  serve_src (&t);
}

static void
play (void)
{
  guint64 due_ns = begin_ns;

  t.delay_of = delay_of;
  for (; t.now_ns < begin_ns + RUN; t.now_ns += MS) {
    for (; due_ns <= t.now_ns; due_ns += PACKET_INTERVAL)
      g_queue_push_tail (&waiting, g_memdup2 (&due_ns, sizeof due_ns));
    step ();
  }
}

/* All packets come in time, and the player is to have them in time. */
static void
assert_error_at_most (gint64 error_ns)
{
  fail_unless (oldest_ns > 700 * MS && oldest_ns < 800 * MS, "%" G_GUINT64_FORMAT, oldest_ns);
  fail_unless (most_error_ns <= error_ns + DRIFT_NS, "%" G_GINT64_FORMAT, most_error_ns);
  fail_unless_equals_uint64 (src_stats (&t).clock_restarts, 0);
}

/* The queue is never less than three quarters full after the first seconds. */
GST_START_TEST (a_queue_that_stays_full_is_no_drift)
{
  GstTfrcPlayout playout;

  play ();
  assert_error_at_most (0);
  playout = gst_tfrc_receiver_view_get_playout (receiver_of (t.sink));
  fail_unless_equals_uint64 (playout.delay_ns, PLAYOUT_DELAY);
  fail_unless (
      playout.queueing_ns > 180 * MS && playout.queueing_ns <= (QUEUE_PACKETS + 4) * SERIALISATION,
      "%" G_GUINT64_FORMAT, playout.queueing_ns);
  fail_unless (20 * n_surprised < n_judged, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
      n_surprised, n_judged);
}

GST_END_TEST;

/* Nothing tells the wait from the network's delay then: what is more than the slack counts as another
 * route. */
GST_START_TEST (a_wait_that_no_report_tells_leaves_half_of_the_playout_delay)
{
  loses_reports = TRUE;
  play ();
  assert_error_at_most ((gint64) (oldest_ns - LEAST_TRANSIT - PLAYOUT_DELAY / 2));
}

GST_END_TEST;

static Suite *
movieclock_suite (void)
{
  Suite *s = suite_create ("movieclock");
  TCase *tc = tcase_create ("session");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_queue_that_stays_full_is_no_drift);
  tcase_add_test (tc, a_wait_that_no_report_tells_leaves_half_of_the_playout_delay);
  return s;
}

GST_CHECK_MAIN (movieclock);
