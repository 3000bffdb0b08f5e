/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stored movie runs ahead of its time, see gst/queue/ahead.h: both flows, as the elements have them, and a
 * path between them, in virtual time. */
#include "flowpair.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define LATENCY (1000 * MS)
#define WINDOW (10 * S)
#define WINDOW_BYTES (16 << 20)
#define LOOKAHEAD (250 * MS)
#define DELAY (50 * MS) /* one way */
#define RTT (2 * DELAY)
#define LINK_BPS 2e6
#define LINK_QUEUE (200 * MS)
#define MAX_BPS 1600000 /* no probing of the path beyond it, and so no loss */
#define SERIALISATION ((guint64) ((PAYLOAD + 60) * 8 * 1e9 / LINK_BPS))
#define INTERVAL ((guint64) (PAYLOAD * 8 * 1e9 / 640e3)) /* of the movie's packets */
#define TOLERANCE (2 * MS)                               /* two steps */
#define MAX_PACKETS 20000
#define SETTLED \
  200 /* packets: the first ones wait for the proof of an address and for slow start */

static GstTfrcOutbox *outbox;
static GstTfrcIntake *intake;
static guint64 path_free_ns; /* when the path has sent all that it holds */
static guint64 stalls_until_ns;
static guint64 queue_ns = LINK_QUEUE;
static guint64 delay_ns = DELAY; /* from now on */
static GstTfrcSinkLimits limits;
static GstTfrcReceiveFlowLimits src_limits;

/* the movie */
static guint n_pushed, n_movie;
static guint64 next_due_ns;
static guint64 (*interval_of) (guint n);
static gboolean is_paused;
static guint64 due_of[MAX_PACKETS];
static guint64 left_at[MAX_PACKETS];   /* 0: has not */
static guint64 played_at[MAX_PACKETS]; /* when the pipeline got the packet; 0: has not */
static guint n_left, n_played, most_at_once;
static guint64 held_bytes, most_held_bytes;
static guint first_held;

static guint64
even (guint n)
{
  return INTERVAL;
}

static void
setup (void)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcSendFlowConfig config = { .session.media.rate.burst_limit_ns = 10 * MS };
  GstTfrcReceiveFlowConfig receiver = {
    .ssrc = 0xfeedbac4, .cname = "test", .secret = secret, .wall_ns = wall_ns
  };

  begin_time ();
  config.session.peer = src_address;
  limits = (GstTfrcSinkLimits){ .max_bitrate = MAX_BPS,
    .max_queue_packets = 4096,
    .max_queue_time_ns = 2 * S,
    .deadline = TRUE,
    .ahead_ns = WINDOW };
  config.limits = limits;
  sink = gst_tfrc_send_flow_new (&config, now);
  outbox = gst_tfrc_send_flow_get_outbox (sink);
  gst_tfrc_outbox_set_timeline (outbox, (gint64) start);
  tfrc_receiver_config_init (&receiver.receiver);
  src_limits = (GstTfrcReceiveFlowLimits){ .window_ns = LATENCY,
    .max_time_ns = 5 * S,
    .tells_window = TRUE,
    .ahead_ns = WINDOW,
    .ahead_bytes = WINDOW_BYTES };
  receiver.limits = src_limits;
  src = gst_tfrc_receive_flow_new (&receiver, now);
  intake = gst_tfrc_receive_flow_get_intake (src);
  pool = gst_tfrc_packet_pool_new ();
  interval_of = even;
  next_due_ns = start;
  n_movie = MAX_PACKETS;
  path_free_ns = stalls_until_ns = held_bytes = most_held_bytes = 0;
  queue_ns = LINK_QUEUE;
  delay_ns = DELAY;
  n_pushed = n_left = n_played = most_at_once = first_held = 0;
  is_paused = FALSE;
  memset (due_of, 0, sizeof due_of);
  memset (left_at, 0, sizeof left_at);
  memset (played_at, 0, sizeof played_at);
}

/* ---- the path ----------------------------------------------------------------- */

static void
note_left (const GstTfrcDatagram *datagram)
{
  guint32 number = number_of (datagram->payload);

  left_at[number] = now;
  n_left++;
  if (due_of[number] > now)
    held_bytes += datagram->payload_bytes;
  for (; first_held < n_pushed && due_of[first_held] <= now; first_held++)
    if (left_at[first_held] > 0 && due_of[first_held] > left_at[first_held])
      held_bytes -= PAYLOAD;
  most_held_bytes = MAX (most_held_bytes, held_bytes);
}

static void
transmit (const GstTfrcDatagram *datagram, gboolean to_src)
{
  guint64 begin_ns = MAX (MAX (path_free_ns, now), to_src ? stalls_until_ns : 0);
  InFlight *packet;

  if (datagram->payload)
    note_left (datagram);
  if (to_src && begin_ns > now + queue_ns)
    return;
  packet = new_in_flight (datagram, to_src);
  packet->arrival_ns = (to_src ? begin_ns + SERIALISATION : now) + delay_ns;
  if (to_src)
    path_free_ns = begin_ns + SERIALISATION;
  g_queue_push_tail (&network, packet);
}

/* ---- the pipelines ------------------------------------------------------------ */

/* As the streaming thread of tfrcsink */
static void
feed (void)
{
  while (!is_paused && n_pushed < n_movie
      && next_due_ns <= now + LOOKAHEAD + gst_tfrc_outbox_get_ahead_ns (outbox)
      && gst_tfrc_outbox_admit (outbox, next_due_ns, now) == GST_TFRC_ADMIT) {
    due_of[n_pushed] = next_due_ns;
    gst_tfrc_outbox_push (outbox, new_packet (n_pushed), GST_TFRC_RTP_MEDIA, next_due_ns, now);
    next_due_ns += interval_of (n_pushed++);
  }
}

static void
play (void)
{
  GstTfrcReorderItem item;

  while (gst_tfrc_intake_pop (intake, now, &item, 1) > 0) {
    guint8 header[PAYLOAD];
    guint32 number;

    gst_buffer_extract (item.data, GST_BUFFER_OFFSET (item.data), header, sizeof header);
    number = number_of (header);
    played_at[number] = now;
    n_played++;
    gst_buffer_unref (item.data);
  }
}

static void
run (guint64 duration_ns)
{
  for (guint64 end_ns = now + duration_ns; now < end_ns; now += STEP) {
    deliver_due ();
    feed ();
    most_at_once = MAX (most_at_once, pump (gst_tfrc_send_flow_get_base (sink), TRUE));
    pump (gst_tfrc_receive_flow_base (src), FALSE);
    play ();
  }
}

static guint64
lead_ns (void)
{
  GstTfrcOutboxStats stats;

  gst_tfrc_outbox_get_stats (outbox, now, &stats);
  return stats.ahead_ns;
}

static GstTfrcReceiveFlowStats
src_stats (void)
{
  GstTfrcReceiveFlowStats stats;

  gst_tfrc_receive_flow_get_stats (src, &stats);
  return stats;
}

/* All packets that were due have been handed over when due, after the least transit, none before. */
static void
assert_played_on_time (guint from, guint to)
{
  guint64 transit_ns = DELAY + SERIALISATION;

  for (guint i = from; i < to; i++) {
    gint64 late_ns = (gint64) (played_at[i] - due_of[i] - transit_ns);

    fail_unless (played_at[i] > 0, "packet %u was not played", i);
    fail_unless (
        ABS (late_ns) <= (gint64) TOLERANCE, "packet %u: %" G_GINT64_FORMAT " ns", i, late_ns);
  }
}

static guint
n_due (void)
{
  guint n = 0;

  while (n < n_pushed && due_of[n] + RTT < now)
    n++;
  return n;
}

/* ---- tests ---------------------------------------------------------------------- */

/* The first packets wait for the receiver's proof of its address. */
GST_START_TEST (a_movie_runs_ahead_up_to_the_window_and_is_played_on_time)
{
  run (30 * S);
  fail_unless (lead_ns () <= WINDOW && lead_ns () >= WINDOW - INTERVAL - STEP, "%" G_GUINT64_FORMAT,
      lead_ns ());
  for (guint i = 0; i < n_left; i++)
    fail_unless (left_at[i] + WINDOW >= due_of[i]);
  assert_played_on_time (SETTLED, n_due ());
  fail_unless_equals_uint64 (src_stats ().queue.missing, 0);
  fail_unless_equals_uint64 (src_stats ().queue.too_early, 0);
  fail_unless_equals_uint64 (src_stats ().reception.clock_restarts, 0);
}

GST_END_TEST;

GST_START_TEST (what_the_receiver_holds_is_bounded_in_bytes)
{
  src_limits.ahead_bytes = 100000;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  run (30 * S);
  fail_unless (most_held_bytes <= 100000, "%" G_GUINT64_FORMAT, most_held_bytes);
  fail_unless (most_held_bytes > 100000 - 2 * PAYLOAD, "%" G_GUINT64_FORMAT, most_held_bytes);
  assert_played_on_time (SETTLED, n_due ());
  fail_unless_equals_uint64 (src_stats ().queue.too_early, 0);
}

GST_END_TEST;

static void
assert_nothing_leaves_early (void)
{
  run (10 * S);
  fail_unless (n_left > 400);
  for (guint i = 0; i < n_left; i++)
    fail_unless (left_at[i] >= due_of[i]);
}

GST_START_TEST (a_recorder_gets_nothing_early)
{
  src_limits.tells_window = FALSE;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  assert_nothing_leaves_early ();
}

GST_END_TEST;

GST_START_TEST (a_live_source_does_not_run_ahead)
{
  gst_tfrc_outbox_set_live (outbox, TRUE);
  assert_nothing_leaves_early ();
}

GST_END_TEST;

GST_START_TEST (a_sender_with_ahead_time_0_does_not_run_ahead)
{
  limits.ahead_ns = 0;
  gst_tfrc_send_flow_set_limits (sink, &limits, now);
  assert_nothing_leaves_early ();
}

GST_END_TEST;

/* 4 s at 3 Mbit/s on a link of 2 Mbit/s */
static guint64
busy_scene (guint n)
{
  return n > 1200 && n < 1200 + 1140 ? INTERVAL * 64 / 300 : INTERVAL;
}

GST_START_TEST (a_scene_above_the_rate_is_ridden_out)
{
  interval_of = busy_scene;
  run (40 * S);
  assert_played_on_time (SETTLED, n_due ());
  fail_unless_equals_uint64 (src_stats ().queue.missing, 0);
}

GST_END_TEST;

/* Nothing is lost on the path, as in a radio link that repeats. */
GST_START_TEST (a_path_that_stalls_for_5_s_stops_no_movie)
{
  run (20 * S);
  stalls_until_ns = now + 5 * S;
  queue_ns = 10 * S;
  run (20 * S);
  assert_played_on_time (SETTLED, n_due ());
  fail_unless_equals_uint64 (src_stats ().queue.missing, 0);
}

GST_END_TEST;

/* The movie keeps its time, as its buffer has room for the longer path. */
GST_START_TEST (a_path_that_becomes_longer_or_shorter_does_not_show)
{
  run (20 * S);
  delay_ns = 4 * DELAY;
  run (8 * S);
  delay_ns = DELAY / 2;
  run (8 * S);
  for (guint i = SETTLED; i < n_due (); i++)
    fail_unless (played_at[i] > 0 && played_at[i] <= due_of[i] + RTT, "packet %u", i);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 0);
  fail_unless_equals_uint64 (src_stats ().reception.clock_restarts, 0);
}

GST_END_TEST;

/* What is paused is due later by as long as the pause. */
GST_START_TEST (a_pause_of_the_sender_stops_what_leaves_and_not_what_has_left)
{
  guint64 paused_ns;
  guint left;

  run (20 * S);
  gst_tfrc_outbox_set_paused (outbox, is_paused = TRUE);
  paused_ns = now;
  run (RTT);
  left = n_left;
  run (5 * S);
  fail_unless_equals_int (n_left, left);
  for (guint i = left; i < n_pushed; i++)
    due_of[i] += now - paused_ns;
  next_due_ns += now - paused_ns;
  gst_tfrc_outbox_set_timeline (outbox, (gint64) (start + now - paused_ns));
  gst_tfrc_outbox_set_paused (outbox, is_paused = FALSE);
  run (20 * S);
  fail_unless (lead_ns () >= WINDOW - INTERVAL - STEP);
  assert_played_on_time (SETTLED, n_due ());
}

GST_END_TEST;

/* RFC 5348 4.6 and 8.2.1: what was not sent is not made up for. */
GST_START_TEST (a_window_that_opens_again_makes_no_burst)
{
  TfrcSenderStats stats;
  gdouble allowed;

  run (20 * S);
  src_limits.ahead_ns = 0;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  run (9 * S);
  fail_unless (lead_ns () < WINDOW);
  src_limits.ahead_ns = WINDOW;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  most_at_once = 0;
  run (S);
  gst_tfrc_rate_control_get_stats (
      gst_tfrc_send_media_get_control (
          gst_tfrc_send_session_get_media (gst_tfrc_send_flow_get_session (sink))),
      &stats);
  allowed = stats.x_Bps * (10 * MS + STEP) / S / PAYLOAD + 1;
  fail_unless (most_at_once <= allowed, "%u at once, %.1f allowed", most_at_once, allowed);
  run (10 * S);
  fail_unless (lead_ns () > WINDOW / 2, "%" G_GUINT64_FORMAT, lead_ns ());
}

GST_END_TEST;

/* A flush, and the new segment begins at once. */
GST_START_TEST (after_a_seek_nothing_of_the_old_segment_is_played)
{
  guint new_one;
  guint64 seek_ns;

  run (20 * S);
  gst_tfrc_outbox_flush (outbox);
  new_one = n_pushed;
  next_due_ns = seek_ns = now;
  run (10 * S);
  fail_unless (played_at[new_one] > 0 && played_at[new_one] <= seek_ns + RTT, "%" G_GINT64_FORMAT,
      (gint64) (played_at[new_one] - seek_ns));
  for (guint i = 0; i < new_one; i++)
    fail_unless (played_at[i] <= played_at[new_one]);
  for (guint i = 0; i < new_one; i++)
    fail_unless (played_at[i] <= seek_ns + RTT / 2 + LINK_QUEUE);
  assert_played_on_time (new_one, new_one + 300);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 0);
  fail_unless (src_stats ().queue.flushed > 500);
  fail_unless_equals_uint64 (src_stats ().reception.clock_restarts, 0);
}

GST_END_TEST;

/* A step of a paused pipeline flushes and goes on: the receiver has no reason to drop what it holds. */
GST_START_TEST (a_flush_that_does_not_go_back_keeps_to_the_bytes)
{
  src_limits.ahead_bytes = 100000;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  for (guint i = 0; i < 20; i++) {
    run (S);
    gst_tfrc_outbox_flush (outbox);
  }
  fail_unless (most_held_bytes <= 100000, "%" G_GUINT64_FORMAT, most_held_bytes);
  fail_unless_equals_uint64 (src_stats ().queue.too_early, 0);
  fail_unless_equals_uint64 (src_stats ().queue.flushed, 0);
}

GST_END_TEST;

GST_START_TEST (the_end_comes_after_all_has_been_played)
{
  n_movie = 1500; /* of 16.45 ms: 24.7 s */
  run (20 * S);
  fail_unless (gst_tfrc_outbox_is_empty (outbox));
  gst_tfrc_send_flow_say_bye (sink);
  run (S);
  fail_unless (src_stats ().sender_has_ended);
  fail_if (gst_tfrc_receive_flow_is_at_end (src));
  run (3 * S);
  fail_if (gst_tfrc_receive_flow_is_at_end (src));
  run (2 * S);
  fail_unless (gst_tfrc_receive_flow_is_at_end (src));
  assert_played_on_time (SETTLED, n_movie);
}

GST_END_TEST;

/* It spoils nothing but what the receiver holds. */
GST_START_TEST (a_window_that_lies_stops_no_stream_and_grows_no_queue)
{
  static const guint64 lies_ns[] = { 0, G_MAXUINT32 * MS, MS, 10 * S, 3600 * S };
  static const guint64 lies_bytes[] = { 0, G_MAXUINT32, 1, 1316, 1 << 20 };
  GstTfrcOutboxStats stats;

  for (guint i = 0; i < 20000; i++) {
    src_limits.ahead_ns = lies_ns[i % G_N_ELEMENTS (lies_ns)];
    src_limits.ahead_bytes = lies_bytes[i / 7 % G_N_ELEMENTS (lies_bytes)];
    gst_tfrc_receive_flow_set_limits (src, &src_limits);
    run (STEP);
    fail_unless (lead_ns () <= WINDOW);
  }
  gst_tfrc_outbox_get_stats (outbox, now, &stats);
  fail_unless (stats.lookahead_packets + stats.queue_packets <= 4096);
  fail_unless (n_left >= n_due () - 10);
}

GST_END_TEST;

static Suite *
runahead_suite (void)
{
  Suite *s = suite_create ("runahead");
  TCase *tc = tcase_create ("flows");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_checked_fixture (tc, setup, free_pair);
  tcase_add_test (tc, a_movie_runs_ahead_up_to_the_window_and_is_played_on_time);
  tcase_add_test (tc, what_the_receiver_holds_is_bounded_in_bytes);
  tcase_add_test (tc, a_recorder_gets_nothing_early);
  tcase_add_test (tc, a_live_source_does_not_run_ahead);
  tcase_add_test (tc, a_sender_with_ahead_time_0_does_not_run_ahead);
  tcase_add_test (tc, a_scene_above_the_rate_is_ridden_out);
  tcase_add_test (tc, a_path_that_stalls_for_5_s_stops_no_movie);
  tcase_add_test (tc, a_path_that_becomes_longer_or_shorter_does_not_show);
  tcase_add_test (tc, a_pause_of_the_sender_stops_what_leaves_and_not_what_has_left);
  tcase_add_test (tc, a_window_that_opens_again_makes_no_burst);
  tcase_add_test (tc, after_a_seek_nothing_of_the_old_segment_is_played);
  tcase_add_test (tc, a_flush_that_does_not_go_back_keeps_to_the_bytes);
  tcase_add_test (tc, the_end_comes_after_all_has_been_played);
  tcase_add_test (tc, a_window_that_lies_stops_no_stream_and_grows_no_queue);
  return s;
}

GST_CHECK_MAIN (runahead);
