/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process with streams forks: see gst/common/fork.h. */
#include <fcntl.h>

#include "forktest.h"
#include "gst/common/fork.h"
#include "gst/io/routes.h"
#include "streampair.h"
#include "teststream.h"

static void
use_own_loop (gpointer data)
{
  TestStream *parents = data, *own;

  fail_if (gst_tfrc_io_loop_running ());
  gst_tfrc_io_set_deadline (parents->io, 0);
  own = test_stream_new ();
  test_stream_wait_for_deadline (own, 0);
  test_stream_free (parents);
  test_stream_wait_for_deadline (own, 0);
  test_stream_free (own);
  fail_if (gst_tfrc_io_loop_running ());
}

GST_START_TEST (a_child_has_a_loop_of_its_own)
{
  TestStream *parents = test_stream_new ();

  if (can_fork ()) {
    test_stream_wait_for_deadline (parents, 0);
    run_in_child (use_own_loop, parents, 1);
    test_stream_wait_for_deadline (parents, 0);
  }
  test_stream_free (parents);
}

GST_END_TEST;

typedef struct
{
  TestStream *streams[3]; /* on two loops */
} TwoLoops;

static gint
count_descriptors (void)
{
  gint n = 0;

  for (gint fd = 0; fd < 1024; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

/* The child's own streams get loops of their own, however many the parent has.  The descriptors are
 * three sockets, and the epoll instances and timers of two loops. */
static void
use_own_loops (gpointer data)
{
  TwoLoops *parents = data;
  TestStream *own[3];
  gint before = count_descriptors ();

  test_assert_streams_of_loops ("");
  for (guint i = 0; i < 3; i++)
    own[i] = test_stream_new ();
  test_assert_streams_of_loops ("2 1");
  for (guint i = 0; i < 3; i++) {
    test_stream_free (parents->streams[i]);
    test_stream_wait_for_deadline (own[i], 0);
  }
  for (guint i = 0; i < 3; i++)
    test_stream_free (own[i]);
  fail_if (gst_tfrc_io_loop_running ());
  fail_unless_equals_int (before - count_descriptors (), 3 + 2 * 2);
}

GST_START_TEST (a_child_of_a_process_with_several_loops_has_loops_of_its_own)
{
  TwoLoops parents;

  test_limit_loops (2, 1);
  for (guint i = 0; i < 3; i++)
    parents.streams[i] = test_stream_new ();
  test_assert_streams_of_loops ("2 1");
  if (can_fork ())
    run_in_child (use_own_loops, &parents, 1);
  for (guint i = 0; i < 3; i++)
    test_stream_wait_for_deadline (parents.streams[i], 0);
  test_assert_streams_of_loops ("2 1");
  for (guint i = 0; i < 3; i++)
    test_stream_free (parents.streams[i]);
  test_limit_loops (0, 0);
}

GST_END_TEST;

/* Runs @func in a child of a process that sends and receives, and that goes on to do so. */
static void
fork_during_transfer (void (*func) (gpointer data), gint warnings)
{
  StreamPair pair;
  GstTfrcSrcStreamStats src;

  pair_init (&pair, FALSE);
  pair_transfer (&pair, 20);
  if (can_fork ()) {
    run_in_child (func, &pair, warnings);
    pair_transfer (&pair, 20);
    gst_tfrc_src_stream_get_stats (pair.src, &src);
    fail_unless_equals_uint64 (src.flow.reception.receiver.packets_received, 40);
    fail_unless_equals_int (g_atomic_int_get (&pair.gone), 0);
  }
  pair_clear (&pair);
}

static void
free_sender (gpointer data)
{
  StreamPair *pair = data;

  gst_tfrc_sink_stream_free (pair->sink);
}

static void
free_receiver (gpointer data)
{
  StreamPair *pair = data;

  gst_tfrc_src_stream_free (pair->src);
}

/* The child frees both elements. The descriptors are two sockets, the loop's epoll instance and its
 * timer. */
static void
free_both (gpointer data)
{
  gint before = count_descriptors ();

  free_sender (data);
  free_receiver (data);
  fail_unless_equals_int (before - count_descriptors (), 4);
}

/* A handover has opened another socket beside the first. */
static void
free_both_with_three_sockets (gpointer data)
{
  gint before = count_descriptors ();

  free_sender (data);
  free_receiver (data);
  fail_unless_equals_int (before - count_descriptors (), 5);
}

GST_START_TEST (a_child_that_frees_a_stream_closes_the_socket_of_a_handover)
{
  StreamPair pair;
  GstTfrcSrcHandover handover = { .bandwidth_bps = 0 };

  pair_init (&pair, FALSE);
  pair_transfer (&pair, 20);
  handover.path.local = test_address ("127.0.0.2", 0);
  fail_unless (gst_tfrc_src_stream_start_handover (pair.src, &handover, NULL));
  if (can_fork ())
    run_in_child (free_both_with_three_sockets, &pair, 1);
  pair_transfer (&pair, 20);
  pair_clear (&pair);
}

GST_END_TEST;

GST_START_TEST (a_stream_that_a_child_frees_goes_on_in_the_parent)
{
  fork_during_transfer (free_sender, 1);
  fork_during_transfer (free_receiver, 1);
  fork_during_transfer (free_both, 1);
}

GST_END_TEST;

static void
use_inherited_sender (gpointer data)
{
  StreamPair *pair = data;
  GstTfrcSinkLimits limits = { 0 };
  GstTfrcSinkStreamStats stats;
  guint dropped;

  for (guint i = 0; i < 2000; i++)
    fail_unless_equals_int (pair_push (pair), GST_TFRC_PUSH_FLUSHING);
  fail_if (gst_tfrc_sink_stream_drain (pair->sink, PAIR_TIMEOUT_NS, &dropped));
  fail_if (gst_tfrc_sink_stream_set_ttl (pair->sink, 5));
  fail_if (gst_tfrc_sink_stream_set_dscp (pair->sink, 5));
  gst_tfrc_sink_stream_set_limits (pair->sink, &limits);
  gst_tfrc_sink_stream_set_flushing (pair->sink, TRUE);
  gst_tfrc_sink_stream_clear (pair->sink);
  gst_tfrc_sink_stream_get_stats (pair->sink, &stats);
  fail_unless_equals_uint64 (stats.session.sender.packets_sent, 0);
  fail_unless_equals_uint64 (gst_tfrc_sink_stream_get_bitrate (pair->sink), 0);
  fail_unless (gst_tfrc_sink_stream_take_handover_event (pair->sink) == NULL);
}

static void
use_inherited_receiver (gpointer data)
{
  StreamPair *pair = data;
  GstTfrcSrcHandover handover = { .bandwidth_bps = 0 };
  const GstTfrcSrcStreamLimits src_limits = { .stats_interval_ns = 1 };
  GstTfrcSrcStreamStats stats;
  GstTfrcSrcEvent event;
  GstTfrcPulled pulled;
  guint n;
  GError *error = NULL;

  fail_unless_equals_int (
      gst_tfrc_src_stream_pull (pair->src, 0, &pulled, 1, &n), GST_TFRC_PULL_FLUSHING);
  fail_if (gst_tfrc_src_stream_start_handover (pair->src, &handover, &error));
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CLOSED));
  g_clear_error (&error);
  gst_tfrc_src_stream_follow_route (pair->src);
  gst_tfrc_src_stream_close_old_endpoint (pair->src);
  gst_tfrc_src_stream_set_limits (pair->src, &src_limits);
  gst_tfrc_src_stream_set_flushing (pair->src, TRUE);
  gst_tfrc_src_stream_get_stats (pair->src, &stats);
  fail_if (stats.flow.has_sender);
  fail_if (gst_tfrc_src_stream_take_event (pair->src, &event));
}

GST_START_TEST (an_inherited_stream_does_nothing)
{
  fork_during_transfer (use_inherited_sender, 1);
  fork_during_transfer (use_inherited_receiver, 1);
}

GST_END_TEST;

static void
transfer_in_child (gpointer data)
{
  StreamPair own;

  pair_init (&own, FALSE);
  pair_transfer (&own, 100);
  pair_clear (&own);
  test_assert_loop_ended ();
}

static void
free_and_transfer (gpointer data)
{
  free_both (data);
  transfer_in_child (data);
}

static void
transfer_in_grandchild (gpointer data)
{
  StreamPair own;

  pair_init (&own, FALSE);
  pair_transfer (&own, 20);
  run_in_child (free_both, &own, 1);
  run_in_child (transfer_in_child, &own, 0);
  pair_transfer (&own, 20);
  pair_clear (&own);
}

GST_START_TEST (a_child_can_have_streams_of_its_own)
{
  fork_during_transfer (transfer_in_child, 0);
  fork_during_transfer (free_and_transfer, 1);
  fork_during_transfer (transfer_in_grandchild, 0);
}

GST_END_TEST;

static void
watch_routes (gpointer data)
{
  GstTfrcRouteWatch *parents = data, *own;

  own = gst_tfrc_routes_watch (ignore, NULL, NULL);
  fail_unless (own != NULL);
  gst_tfrc_routes_unwatch (parents);
  gst_tfrc_routes_unwatch (own);
}

GST_START_TEST (a_child_watches_routes_by_itself)
{
  GstTfrcRouteWatch *watch = gst_tfrc_routes_watch (ignore, NULL, NULL);

  fail_unless (watch != NULL);
  if (can_fork ())
    run_in_child (watch_routes, watch, 1);
  gst_tfrc_routes_unwatch (watch);
}

GST_END_TEST;

static Suite *
fork_suite (void)
{
  Suite *s = suite_create ("fork");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, a_child_has_a_loop_of_its_own);
  tcase_add_test (tc, a_child_of_a_process_with_several_loops_has_loops_of_its_own);
  tcase_add_test (tc, a_stream_that_a_child_frees_goes_on_in_the_parent);
  tcase_add_test (tc, a_child_that_frees_a_stream_closes_the_socket_of_a_handover);
  tcase_add_test (tc, an_inherited_stream_does_nothing);
  tcase_add_test (tc, a_child_can_have_streams_of_its_own);
  tcase_add_test (tc, a_child_watches_routes_by_itself);
  return s;
}

GST_CHECK_MAIN (fork);
