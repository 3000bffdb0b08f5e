/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process with streams forks: see gst/common/fork.h. */
#include <fcntl.h>

#include "forktest.h"
#include "gst/common/fork.h"
#include "gst/io/routes.h"
#include "streampair.h"
#include "teststream.h"

static void
use_own_loop (gpointer unused)
{
  TestStream *own;

  fail_if (gst_tfrc_io_loop_running ());
  fail_unless_equals_int (gst_tfrc_io_count_streams (), 0);
  own = test_stream_new ();
  test_stream_wait_for_deadline (own, 0);
  test_stream_free (own);
  fail_if (gst_tfrc_io_loop_running ());
}

GST_START_TEST (a_child_has_a_loop_of_its_own)
{
  TestStream *parents = test_stream_new ();

  if (can_fork ()) {
    test_stream_wait_for_deadline (parents, 0);
    run_in_child (use_own_loop, NULL, 0);
    test_stream_wait_for_deadline (parents, 0);
  }
  test_stream_free (parents);
}

GST_END_TEST;

static gint
count_descriptors (void)
{
  gint n = 0;

  for (gint fd = 0; fd < 1024; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

static gint descriptors_of_parent;

/* The child's own streams get loops of their own, however many the parent has.  The child has closed
 * the epoll instances and timers of the parent's two loops. */
static void
use_own_loops (gpointer unused)
{
  TestStream *own[3];

  test_assert_streams_of_loops ("");
  fail_unless_equals_int (descriptors_of_parent - count_descriptors (), 2 * 2);
  for (guint i = 0; i < 3; i++)
    own[i] = test_stream_new ();
  test_assert_streams_of_loops ("2 1");
  for (guint i = 0; i < 3; i++)
    test_stream_wait_for_deadline (own[i], 0);
  for (guint i = 0; i < 3; i++)
    test_stream_free (own[i]);
  fail_if (gst_tfrc_io_loop_running ());
}

GST_START_TEST (a_child_of_a_process_with_several_loops_has_loops_of_its_own)
{
  TestStream *parents[3];

  test_limit_loops (2, 1);
  for (guint i = 0; i < 3; i++)
    parents[i] = test_stream_new ();
  test_assert_streams_of_loops ("2 1");
  descriptors_of_parent = count_descriptors ();
  if (can_fork ())
    run_in_child (use_own_loops, NULL, 0);
  for (guint i = 0; i < 3; i++)
    test_stream_wait_for_deadline (parents[i], 0);
  test_assert_streams_of_loops ("2 1");
  for (guint i = 0; i < 3; i++)
    test_stream_free (parents[i]);
  test_limit_loops (0, 0);
}

GST_END_TEST;

/* Runs @func in a child of a process that sends and receives, and that goes on to do so. */
static void
fork_during_transfer (void (*func) (gpointer data))
{
  StreamPair pair;
  GstTfrcSrcStreamStats src;

  pair_init (&pair, FALSE);
  pair_transfer (&pair, 20);
  if (can_fork ()) {
    run_in_child (func, &pair, 0);
    pair_transfer (&pair, 20);
    gst_tfrc_src_stream_get_stats (pair.src, &src);
    fail_unless_equals_uint64 (src.flow.reception.receiver.packets_received, 40);
    fail_unless_equals_int (g_atomic_int_get (&pair.gone), 0);
  }
  pair_clear (&pair);
}

static void
close_sender (gpointer data)
{
  StreamPair *pair = data;
  gint before = count_descriptors ();

  gst_tfrc_sink_stream_close_inherited (pair->sink);
  fail_unless_equals_int (before - count_descriptors (), 1);
}

static void
close_receiver (gpointer data)
{
  StreamPair *pair = data;
  gint before = count_descriptors ();

  gst_tfrc_src_stream_close_inherited (pair->src);
  fail_unless_equals_int (before - count_descriptors (), 1);
}

static void
close_both (gpointer data)
{
  close_sender (data);
  close_receiver (data);
}

static void
close_receiver_with_two_sockets (gpointer data)
{
  StreamPair *pair = data;
  gint before = count_descriptors ();

  gst_tfrc_src_stream_close_inherited (pair->src);
  fail_unless_equals_int (before - count_descriptors (), 2);
}

GST_START_TEST (a_child_closes_the_socket_of_a_handover)
{
  StreamPair pair;
  GstTfrcSrcHandover handover = { .bandwidth_bps = 0 };

  pair_init (&pair, FALSE);
  pair_transfer (&pair, 20);
  handover.path.local = test_address ("127.0.0.2", 0);
  fail_unless (gst_tfrc_src_stream_start_handover (pair.src, &handover, NULL));
  if (can_fork ())
    run_in_child (close_receiver_with_two_sockets, &pair, 0);
  pair_transfer (&pair, 20);
  pair_clear (&pair);
}

GST_END_TEST;

GST_START_TEST (a_stream_that_a_child_closes_goes_on_in_the_parent)
{
  fork_during_transfer (close_sender);
  fork_during_transfer (close_receiver);
  fork_during_transfer (close_both);
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
close_and_transfer (gpointer data)
{
  close_both (data);
  transfer_in_child (data);
}

static void
transfer_in_grandchild (gpointer data)
{
  StreamPair own;

  pair_init (&own, FALSE);
  pair_transfer (&own, 20);
  run_in_child (close_both, &own, 0);
  run_in_child (transfer_in_child, &own, 0);
  pair_transfer (&own, 20);
  pair_clear (&own);
}

GST_START_TEST (a_child_can_have_streams_of_its_own)
{
  fork_during_transfer (transfer_in_child);
  fork_during_transfer (close_and_transfer);
  fork_during_transfer (transfer_in_grandchild);
}

GST_END_TEST;

/* The child has closed its descriptors of the parent's monitor. */
static void
watch_routes (gpointer unused)
{
  GstTfrcRouteWatch *own;

  fail_unless_equals_int (descriptors_of_parent - count_descriptors (), 2);
  own = gst_tfrc_routes_watch (ignore, NULL, NULL);
  fail_unless (own != NULL);
  gst_tfrc_routes_unwatch (own);
}

GST_START_TEST (a_child_watches_routes_by_itself)
{
  GstTfrcRouteWatch *watch = gst_tfrc_routes_watch (ignore, NULL, NULL);

  fail_unless (watch != NULL);
  descriptors_of_parent = count_descriptors ();
  if (can_fork ())
    run_in_child (watch_routes, NULL, 0);
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
  tcase_add_test (tc, a_stream_that_a_child_closes_goes_on_in_the_parent);
  tcase_add_test (tc, a_child_closes_the_socket_of_a_handover);
  tcase_add_test (tc, a_child_can_have_streams_of_its_own);
  tcase_add_test (tc, a_child_watches_routes_by_itself);
  return s;
}

GST_CHECK_MAIN (fork);
