/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the I/O loop wakes the thread that pulls, and how soon it serves streams, see
 * gst/session/srcstream-private.h.  Most tests hold the lock of a stream that gets no packets, and put
 * packets into its queue themselves. */
#include <gst/check/gstcheck.h>

#include "gst/session/srcstream-private.h"
#include "streampair.h"
#include "teststream.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define NEVER G_MAXUINT64
#define FIRST G_GUINT64_CONSTANT (65636)
#define MAX_STREAMS 120

static GstTfrcSrcStream *stream;
static guint64 now_ns; /* far in the future, so that the loop has nothing to do */

static GstTfrcSrcStream *
open_stream (const GstTfrcSrcStreamEvents *events, guint64 stats_interval_ns)
{
  const GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcSrcStreamConfig config = { .socket = socket, .limits.window_ns = 200 * MS };
  GstTfrcSrcStream *opened;
  GError *error = NULL;

  config.socket.bind_address = "127.0.0.1";
  config.limits.stats_interval_ns = stats_interval_ns;
  tfrc_receiver_config_init (&config.receiver);
  opened = gst_tfrc_src_stream_new (&config, events, NULL, &error);
  fail_if (error, "%s", error ? error->message : "");
  return opened;
}

/* ---- one stream ---------------------------------------------------------- */

static void
setup (void) GST_TFRC_ACQUIRE (gst_tfrc_src_stream_mutex)
{
  const GstTfrcSrcStreamEvents events = { 0 };

  stream = open_stream (&events, 0);
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  gst_tfrc_reorder_set_hold_ns (stream->queue, 50 * MS);
  now_ns = (guint64) g_get_monotonic_time () * 1000 + 3600 * S;
}

static void
teardown (void) GST_TFRC_RELEASE (gst_tfrc_src_stream_mutex)
{
  stream->pull_wait_ns = 0;
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  gst_tfrc_src_stream_free (stream);
}

static void
push (guint seq, guint64 at_ns)
{
  gst_tfrc_src_stream_mutex_assume (&stream->lock);
  gst_tfrc_reorder_push (
      stream->queue, FIRST + seq, now_ns + at_ns, now_ns + at_ns, gst_buffer_new ());
}

static void
pop (void)
{
  GstTfrcReorderItem item;

  gst_tfrc_src_stream_mutex_assume (&stream->lock);
  fail_unless (gst_tfrc_reorder_pop (stream->queue, now_ns, &item));
  gst_buffer_unref (item.data);
}

/* A thread that pulls waits until this time. */
static void
wait_until (guint64 until_ns)
{
  gst_tfrc_src_stream_mutex_assume (&stream->lock);
  stream->pull_wait_ns = until_ns;
}

static void
assert_deadline (guint64 deadline_ns)
{
  gst_tfrc_src_stream_mutex_assume (&stream->lock);
  fail_unless_equals_uint64 (gst_tfrc_src_stream_next_deadline (stream), deadline_ns);
}

GST_START_TEST (the_loop_wakes_the_thread_that_waits_when_a_group_is_to_leave)
{
  wait_until (NEVER);
  assert_deadline (NEVER);
  push (0, 0);
  assert_deadline (0);
  pop ();
  assert_deadline (NEVER);
  push (1, 10 * MS);
  push (2, 20 * MS);
  assert_deadline (now_ns + 60 * MS);
}

GST_END_TEST;

GST_START_TEST (the_loop_wakes_the_thread_that_waits_when_a_gap_is_given_up)
{
  wait_until (NEVER);
  push (0, 0);
  pop ();
  push (2, 10 * MS);
  assert_deadline (now_ns + 210 * MS);
}

GST_END_TEST;

GST_START_TEST (the_loop_wakes_no_thread_that_wakes_up_by_itself)
{
  push (0, 0);
  pop ();
  push (1, 10 * MS);
  wait_until (now_ns + 60 * MS);
  assert_deadline (NEVER);
  wait_until (now_ns + 60 * MS + 1);
  assert_deadline (now_ns + 60 * MS);
}

GST_END_TEST;

/* The pipeline is at work, and looks into the queue before it waits. */
GST_START_TEST (the_loop_wakes_no_thread_that_does_not_wait)
{
  push (0, 0);
  assert_deadline (NEVER);
}

GST_END_TEST;

/* ---- many streams -------------------------------------------------------- */

static GMutex served_mutex;
static GCond served;
static guint n_served; /* times that the loop has served the first stream */

static void
on_stats (gpointer user)
{
  g_mutex_lock (&served_mutex);
  n_served++;
  g_cond_signal (&served);
  g_mutex_unlock (&served_mutex);
}

/* Returns how long the packets of a stream wait for each other at most. */
static guint64
hold_of (GstTfrcSrcStream *of)
{
  guint64 hold_ns;
  guint end;

  g_mutex_lock (&served_mutex);
  end = n_served + 2;
  while (n_served < end)
    g_cond_wait (&served, &served_mutex);
  g_mutex_unlock (&served_mutex);
  gst_tfrc_src_stream_mutex_lock (&of->lock);
  hold_ns = gst_tfrc_reorder_get_hold_ns (of->queue);
  gst_tfrc_src_stream_mutex_unlock (&of->lock);
  return hold_ns;
}

GST_START_TEST (packets_wait_for_each_other_for_longer_the_more_streams_there_are)
{
  const GstTfrcSrcStreamEvents counted = { .stats = on_stats }, others = { 0 };
  GstTfrcSrcStream *streams[MAX_STREAMS];
  guint n = 0;

  streams[n++] = open_stream (&counted, MS);
  fail_unless_equals_uint64 (hold_of (streams[0]), 0);
  while (n < 3)
    streams[n++] = open_stream (&others, 0);
  fail_unless_equals_uint64 (hold_of (streams[0]), 10 * MS);
  while (n < 11)
    streams[n++] = open_stream (&others, 0);
  fail_unless_equals_uint64 (hold_of (streams[0]), 50 * MS);
  while (n < MAX_STREAMS)
    streams[n++] = open_stream (&others, 0);
  fail_unless_equals_uint64 (hold_of (streams[0]), 100 * MS);
  while (n > 1)
    gst_tfrc_src_stream_free (streams[--n]);
  fail_unless_equals_uint64 (hold_of (streams[0]), 0);
  gst_tfrc_src_stream_free (streams[0]);
}

GST_END_TEST;

/* Nothing follows the last packet of a round, which leaves all the same. */
GST_START_TEST (all_packets_of_groups_leave_in_order)
{
  const GstTfrcSrcStreamEvents events = { 0 };
  GstTfrcSrcStream *others[MAX_STREAMS];
  StreamPair pair;

  for (guint i = 0; i < MAX_STREAMS; i++)
    others[i] = open_stream (&events, 0);
  pair_init (&pair, FALSE);
  for (guint i = 1; i <= 8; i++)
    pair_transfer (&pair, i);
  pair_clear (&pair);
  for (guint i = 0; i < MAX_STREAMS; i++)
    gst_tfrc_src_stream_free (others[i]);
}

GST_END_TEST;

static void
set_window (GstTfrcSrcStream *of, guint64 window_ns)
{
  const GstTfrcSrcStreamLimits limits = { .window_ns = window_ns };

  gst_tfrc_src_stream_set_limits (of, &limits);
}

static void
assert_grid (guint64 cell_ns)
{
  GstTfrcIoLoopStats stats;

  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless_equals_uint64 (stats.slop_ns, cell_ns);
}

GST_START_TEST (the_grid_is_wider_if_all_streams_have_a_playout_delay)
{
  const GstTfrcSrcStreamEvents events = { 0 };
  GstTfrcSrcStream *streams[20];

  test_limit_loops (1, 0);
  for (guint i = 0; i < 20; i++)
    streams[i] = open_stream (&events, 0);
  assert_grid (4 * MS);
  set_window (streams[7], 40 * MS - 1);
  assert_grid (200000);
  set_window (streams[7], 40 * MS);
  assert_grid (4 * MS);
  for (guint i = 0; i < 20; i++)
    gst_tfrc_src_stream_free (streams[i]);
  test_limit_loops (0, 0);
}

GST_END_TEST;

static Suite *
srcgroups_suite (void)
{
  Suite *s = suite_create ("srcgroups");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, the_loop_wakes_the_thread_that_waits_when_a_group_is_to_leave);
  tcase_add_test (tc, the_loop_wakes_the_thread_that_waits_when_a_gap_is_given_up);
  tcase_add_test (tc, the_loop_wakes_no_thread_that_wakes_up_by_itself);
  tcase_add_test (tc, the_loop_wakes_no_thread_that_does_not_wait);

  tc = tcase_create ("many");
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, packets_wait_for_each_other_for_longer_the_more_streams_there_are);
  tcase_add_test (tc, all_packets_of_groups_leave_in_order);
  tcase_add_test (tc, the_grid_is_wider_if_all_streams_have_a_playout_delay);
  return s;
}

GST_CHECK_MAIN (srcgroups);
