/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several I/O loops in one process: which of them a stream joins, and that they run side by side,
 * see gst/io/loop.h. */
#include <sys/resource.h>
#include <unistd.h>

#include "streampair.h"
#include "teststream.h"

#define MAX_STREAMS 16

static TestStream *streams[MAX_STREAMS];
static guint n_streams;

static void
setup (void)
{
  n_streams = 0;
}

static void
teardown (void)
{
  while (n_streams > 0)
    test_stream_free (streams[--n_streams]);
  test_assert_loop_ended ();
  test_limit_loops (0, 0);
}

static TestStream *
add_stream (void)
{
  fail_unless (n_streams < MAX_STREAMS);
  return streams[n_streams++] = test_stream_new ();
}

static void
add_streams (guint n)
{
  for (guint i = 0; i < n; i++)
    add_stream ();
}

static void
remove_stream (guint i)
{
  test_stream_free (streams[i]);
  streams[i] = streams[--n_streams];
}

static GThread *
thread_of (TestStream *s)
{
  test_stream_wait_for_deadline (s, 0);
  return s->thread;
}

/* ---- the choice ---------------------------------------------------------- */

GST_START_TEST (a_further_loop_starts_when_all_others_are_full)
{
  test_limit_loops (3, 4);
  add_streams (4);
  test_assert_streams_of_loops ("4");
  add_streams (1);
  test_assert_streams_of_loops ("4 1");
  add_streams (3);
  test_assert_streams_of_loops ("4 4");
  test_wait_loop_threads (2);
  add_streams (1);
  test_assert_streams_of_loops ("4 4 1");
}

GST_END_TEST;

GST_START_TEST (full_loops_share_further_streams)
{
  test_limit_loops (3, 4);
  add_streams (12);
  test_assert_streams_of_loops ("4 4 4");
  add_streams (1);
  test_assert_streams_of_loops ("5 4 4");
  add_streams (2);
  test_assert_streams_of_loops ("5 5 5");
  test_wait_loop_threads (3);
}

GST_END_TEST;

GST_START_TEST (a_stream_joins_the_loop_with_the_fewest_streams)
{
  GThread *emptier;

  test_limit_loops (2, 3);
  add_streams (6);
  emptier = thread_of (streams[0]);
  remove_stream (1);
  remove_stream (0);
  test_assert_streams_of_loops ("3 1");
  for (guint i = 0; i < 2; i++)
    fail_unless (thread_of (add_stream ()) == emptier);
  test_assert_streams_of_loops ("3 3");
}

GST_END_TEST;

GST_START_TEST (one_thread_is_enough_if_the_environment_says_so)
{
  test_limit_loops (1, 1);
  add_streams (5);
  test_assert_streams_of_loops ("5");
  for (guint i = 1; i < 5; i++)
    fail_unless (thread_of (streams[i]) == thread_of (streams[0]));
  test_wait_loop_threads (1);
}

GST_END_TEST;

GST_START_TEST (the_sockets_of_a_stream_stay_together)
{
  TestStream *owner;

  test_limit_loops (4, 1);
  owner = add_stream ();
  add_streams (2);
  test_assert_streams_of_loops ("1 1 1");
  for (guint i = 0; i < 3; i++) {
    TestStream *further = streams[n_streams++] = test_stream_new_beside (owner);

    fail_unless (thread_of (further) == thread_of (owner));
    fail_if (thread_of (further) == thread_of (streams[1]));
  }
  test_assert_streams_of_loops ("4 1 1");
}

GST_END_TEST;

/* A handover opens a second socket, a third one replaces the second. */
GST_START_TEST (the_endpoints_of_a_source_stay_together)
{
  GstTfrcSrcHandover handover = { .bandwidth_bps = 0 };
  StreamPair pair;

  test_limit_loops (8, 1);
  pair_init (&pair, FALSE);
  pair_transfer (&pair, 20);
  test_assert_streams_of_loops ("1 1");
  handover.path.local = test_address ("127.0.0.2", 0);
  fail_unless (gst_tfrc_src_stream_start_handover (pair.src, &handover, NULL));
  test_assert_streams_of_loops ("2 1");
  pair_transfer (&pair, 20);
  handover.path.local = test_address ("127.0.0.3", 0);
  fail_unless (gst_tfrc_src_stream_start_handover (pair.src, &handover, NULL));
  test_assert_streams_of_loops ("2 1");
  pair_clear (&pair);
}

GST_END_TEST;

/* ---- the end of a loop ------------------------------------------------------ */

GST_START_TEST (a_loop_ends_with_its_last_stream)
{
  test_limit_loops (3, 2);
  add_streams (5);
  test_assert_streams_of_loops ("2 2 1");
  remove_stream (4);
  test_assert_streams_of_loops ("2 2");
  test_wait_loop_threads (2);
  remove_stream (0);
  test_assert_streams_of_loops ("2 1");
  test_wait_loop_threads (2);
  for (guint i = 0; i < n_streams; i++)
    thread_of (streams[i]);
}

GST_END_TEST;

GST_START_TEST (a_loop_that_has_ended_makes_room_for_another)
{
  test_limit_loops (2, 1);
  for (guint i = 0; i < 5; i++) {
    add_streams (2);
    test_assert_streams_of_loops ("1 1");
    remove_stream (i % 2);
    test_assert_streams_of_loops ("1");
    add_streams (1);
    test_assert_streams_of_loops ("1 1");
    remove_stream (1);
    remove_stream (0);
    test_assert_loop_ended ();
  }
}

GST_END_TEST;

/* A loop needs two descriptors, and there are none. */
GST_START_TEST (a_stream_shares_a_full_loop_if_no_other_can_start)
{
  struct rlimit before, tight;
  TestStream *owner;
  GError *error = NULL;
  gint fd = test_open_socket ("127.0.0.1", &(GstTfrcAddress){ .len = 0 });
  GstTfrcIo *io;

  test_limit_loops (2, 1);
  owner = add_stream ();
  getrlimit (RLIMIT_NOFILE, &before);
  tight = before;
  tight.rlim_cur = 3;
  setrlimit (RLIMIT_NOFILE, &tight);
  io = gst_tfrc_io_new (fd, NULL, &test_stream_callbacks, owner, &error);
  setrlimit (RLIMIT_NOFILE, &before);
  fail_unless (io != NULL && error == NULL);
  test_assert_streams_of_loops ("2");
  gst_tfrc_io_free (io);
  close (fd);
}

GST_END_TEST;

/* ---- side by side ----------------------------------------------------------- */

GST_START_TEST (a_callback_does_not_hold_up_another_loop)
{
  test_limit_loops (2, 1);
  add_streams (2);
  test_stream_block (streams[0]);
  for (guint i = 0; i < 10; i++)
    test_stream_wait_for_deadline (streams[1], gst_tfrc_clock_now_ns ());
  remove_stream (1);
  add_streams (1);
  test_stream_wait_for_deadline (streams[1], gst_tfrc_clock_now_ns ());
  test_stream_unblock (streams[0]);
}

GST_END_TEST;

GST_START_TEST (the_statistics_of_all_loops_are_added)
{
  GstTfrcIoLoopStats all, each[4];
  guint64 wakeups = 0;

  test_limit_loops (4, 1);
  add_streams (3);
  for (guint i = 0; i < 3; i++) {
    test_send_bytes (streams[0]->fd, &streams[i]->address, 0, 1);
    g_mutex_lock (&streams[i]->lock);
    test_wait_until (streams[i], streams[i]->packets == 1);
    g_mutex_unlock (&streams[i]->lock);
    /* The packet is counted when its callback has returned. */
    test_stream_wait_for_deadline (streams[i], 0);
  }
  fail_unless_equals_int (gst_tfrc_io_loop_get_each_stats (each, 4), 3);
  gst_tfrc_io_loop_get_stats (&all);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (each[i].loops, 1);
    fail_unless_equals_uint64 (each[i].packets, 1);
    wakeups += each[i].wakeups;
  }
  fail_unless_equals_int (all.loops, 3);
  fail_unless_equals_int (all.streams, 3);
  fail_unless_equals_int (gst_tfrc_io_count_streams (), 3);
  fail_unless_equals_uint64 (all.packets, 3);
  fail_unless (all.wakeups >= wakeups);
  fail_unless_equals_int (gst_tfrc_io_loop_get_each_stats (each, 2), 2);
}

GST_END_TEST;

#define N_PAIRS 4

static gpointer
transfer (gpointer data)
{
  pair_transfer (data, 300);
  return NULL;
}

/* With a thread for each sender and for each receiver, ThreadSanitizer finds what streams share. */
GST_START_TEST (streams_on_different_loops_send_at_the_same_time)
{
  StreamPair pairs[N_PAIRS];
  GThread *threads[N_PAIRS];

  test_limit_loops (2 * N_PAIRS, 1);
  for (guint i = 0; i < N_PAIRS; i++)
    pair_init (&pairs[i], FALSE);
  test_assert_streams_of_loops ("1 1 1 1 1 1 1 1");
  for (guint i = 0; i < N_PAIRS; i++)
    threads[i] = g_thread_new ("transfer", transfer, &pairs[i]);
  for (guint i = 0; i < N_PAIRS; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < N_PAIRS; i++)
    pair_clear (&pairs[i]);
}

GST_END_TEST;

static Suite *
ioloops_suite (void)
{
  Suite *s = suite_create ("ioloops");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_further_loop_starts_when_all_others_are_full);
  tcase_add_test (tc, full_loops_share_further_streams);
  tcase_add_test (tc, a_stream_joins_the_loop_with_the_fewest_streams);
  tcase_add_test (tc, one_thread_is_enough_if_the_environment_says_so);
  tcase_add_test (tc, the_sockets_of_a_stream_stay_together);
  tcase_add_test (tc, the_endpoints_of_a_source_stay_together);
  tcase_add_test (tc, a_loop_ends_with_its_last_stream);
  tcase_add_test (tc, a_loop_that_has_ended_makes_room_for_another);
  tcase_add_test (tc, a_stream_shares_a_full_loop_if_no_other_can_start);
  tcase_add_test (tc, a_callback_does_not_hold_up_another_loop);
  tcase_add_test (tc, the_statistics_of_all_loops_are_added);
  tcase_add_test (tc, streams_on_different_loops_send_at_the_same_time);
  return s;
}

GST_CHECK_MAIN (ioloops);
