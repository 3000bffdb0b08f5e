/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deadlines in the I/O loop, see gst/io/loop.h. */
#include <unistd.h>

#include "teststream.h"

GST_START_TEST (a_deadline_is_never_served_early)
{
  GRand *rand = g_rand_new_with_seed (1);
  TestStream *s = test_stream_new ();

  for (guint i = 0; i < 300; i++)
    test_stream_wait_for_deadline (
        s, gst_tfrc_clock_now_ns () + (guint64) g_rand_int_range (rand, 0, 3 * MILLISECOND_NS));
  fail_unless (s->deadlines >= 300);
  test_stream_free (s);
  g_rand_free (rand);
}

GST_END_TEST;

/* A thread that sets a deadline does not wake the loop's thread for it: the loop wakes up when the
 * deadline has come, and only then. */
GST_START_TEST (a_deadline_costs_one_wake_up)
{
  TestStream *s = test_stream_new ();

  test_stream_wait_for_deadline (s, 0);
  for (guint i = 0; i < 100; i++) {
    guint64 wakeups = test_count_wakeups ();

    test_stream_wait_for_deadline (s, gst_tfrc_clock_now_ns () + MILLISECOND_NS / 2);
    fail_unless_equals_uint64 (test_count_wakeups () - wakeups, 1);
  }
  test_stream_free (s);
}

GST_END_TEST;

/* Each stream's deadline is earlier than those before, so that each one moves the alarm. */
GST_START_TEST (deadlines_that_come_ever_earlier_are_all_served)
{
  enum
  {
    N = 20
  };
  TestStream *streams[N];

  for (guint i = 0; i < N; i++)
    streams[i] = test_stream_new ();
  for (guint round = 0; round < 20; round++) {
    guint64 start_ns = gst_tfrc_clock_now_ns ();

    for (guint i = 0; i < N; i++) {
      test_stream_lock_and_set (streams[i], start_ns + (N - i) * MILLISECOND_NS / 4);
      g_mutex_unlock (&streams[i]->lock);
    }
    for (guint i = 0; i < N; i++) {
      g_mutex_lock (&streams[i]->lock);
      test_wait_until (streams[i], streams[i]->due_ns == GST_TFRC_IO_NEVER);
      g_mutex_unlock (&streams[i]->lock);
    }
  }
  for (guint i = 0; i < N; i++)
    test_stream_free (streams[i]);
}

GST_END_TEST;

GST_START_TEST (a_later_deadline_replaces_an_earlier_one)
{
  TestStream *blocker = test_stream_new (), *s = test_stream_new ();
  guint64 now_ns;

  test_stream_block (blocker);
  now_ns = gst_tfrc_clock_now_ns ();
  gst_tfrc_io_set_deadline (s->io, now_ns);
  gst_tfrc_io_set_deadline (s->io, GST_TFRC_IO_NEVER);
  gst_tfrc_io_set_deadline (s->io, now_ns + 1);
  test_stream_lock_and_set (s, now_ns + 20 * MILLISECOND_NS);
  g_mutex_unlock (&s->lock);
  test_stream_unblock (blocker);
  g_mutex_lock (&s->lock);
  test_wait_until (s, s->due_ns == GST_TFRC_IO_NEVER);
  fail_unless_equals_int (s->deadlines, 1);
  g_mutex_unlock (&s->lock);
  test_stream_free (s);
  test_stream_free (blocker);
}

GST_END_TEST;

GST_START_TEST (of_the_deadlines_around_a_callback_the_earliest_wins)
{
  TestStream *s = test_stream_new ();

  /* The test sets the deadline during the callback. The callback returns no deadline. */
  test_stream_block (s);
  gst_tfrc_io_set_deadline (s->io, 0);
  test_stream_unblock (s);
  g_mutex_lock (&s->lock);
  test_wait_until (s, s->deadlines == 2);
  g_mutex_unlock (&s->lock);

  /* The callback returns a deadline that is earlier than the deadline of the test. */
  test_stream_block (s);
  gst_tfrc_io_set_deadline (s->io, GST_TFRC_IO_NEVER);
  g_mutex_lock (&s->lock);
  s->due_ns = gst_tfrc_clock_now_ns ();
  g_mutex_unlock (&s->lock);
  test_stream_unblock (s);
  g_mutex_lock (&s->lock);
  test_wait_until (s, s->due_ns == GST_TFRC_IO_NEVER);

  /* The callback itself sets the deadline. */
  s->deadlines = 0;
  s->set_inside_ns = 1;
  gst_tfrc_io_set_deadline (s->io, 0);
  test_wait_until (s, s->deadlines == 2);
  g_mutex_unlock (&s->lock);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (deadlines_at_about_the_same_time_share_a_wake_up)
{
  enum
  {
    N = 20
  };
  TestStream *blocker = test_stream_new (), *streams[N];
  GstTfrcIoLoopStats stats;
  guint64 wakeups, ready_ns;

  for (guint i = 0; i < N; i++)
    streams[i] = test_stream_new ();
  gst_tfrc_io_loop_get_stats (&stats);
  test_stream_block (blocker);
  for (guint i = 0; i < N; i++) {
    test_stream_lock_and_set (streams[i], gst_tfrc_clock_now_ns ());
    g_mutex_unlock (&streams[i]->lock);
  }
  ready_ns = gst_tfrc_clock_now_ns () + 2 * stats.slop_ns;
  while (gst_tfrc_clock_now_ns () < ready_ns)
    g_thread_yield ();
  wakeups = test_count_wakeups ();
  test_stream_unblock (blocker);
  for (guint i = 0; i < N; i++) {
    g_mutex_lock (&streams[i]->lock);
    test_wait_until (streams[i], streams[i]->due_ns == GST_TFRC_IO_NEVER);
    g_mutex_unlock (&streams[i]->lock);
  }
  fail_unless (test_count_wakeups () - wakeups <= 2);
  for (guint i = 0; i < N; i++)
    test_stream_free (streams[i]);
  test_stream_free (blocker);
}

GST_END_TEST;

GST_START_TEST (a_greedy_stream_does_not_starve_others)
{
  TestStream *greedy = test_stream_new (), *modest = test_stream_new ();
  GstTfrcAddress from;
  gint fd = test_open_socket ("127.0.0.1", &from);
  GstTfrcIoLoopStats stats;

  test_stream_lock_and_set (greedy, 0);
  greedy->greedy = TRUE;
  g_mutex_unlock (&greedy->lock);
  for (guint i = 0; i < 100; i++) {
    test_stream_wait_for_deadline (modest, gst_tfrc_clock_now_ns ());
    test_send_bytes (fd, &modest->address, i, 1);
    g_mutex_lock (&modest->lock);
    test_wait_until (modest, modest->packets == i + 1);
    g_mutex_unlock (&modest->lock);
  }
  g_mutex_lock (&greedy->lock);
  fail_unless (greedy->deadlines > 1);
  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless (greedy->deadlines <= stats.wakeups);
  greedy->greedy = FALSE;
  g_mutex_unlock (&greedy->lock);
  close (fd);
  test_stream_free (greedy);
  test_stream_free (modest);
}

GST_END_TEST;

/* More sockets have packets than one look at them finds. */
GST_START_TEST (a_late_loop_reads_all_packets_before_it_serves_deadlines)
{
  enum
  {
    N = 150
  };
  TestStream *blocker = test_stream_new (), *streams[N];
  GstTfrcAddress from;
  gint fd = test_open_socket ("127.0.0.1", &from);

  for (guint i = 0; i < N; i++)
    streams[i] = test_stream_new_beside (blocker);
  test_stream_block (blocker);
  for (guint i = 0; i < N; i++) {
    test_stream_lock_and_set (streams[i], gst_tfrc_clock_now_ns ());
    g_mutex_unlock (&streams[i]->lock);
    test_send_bytes (fd, &streams[i]->address, 0, 1);
  }
  test_stream_unblock (blocker);
  for (guint i = 0; i < N; i++) {
    g_mutex_lock (&streams[i]->lock);
    test_wait_until (streams[i], streams[i]->due_ns == GST_TFRC_IO_NEVER);
    fail_unless_equals_int (streams[i]->packets_at_deadline, 1);
    g_mutex_unlock (&streams[i]->lock);
  }
  close (fd);
  for (guint i = 0; i < N; i++)
    test_stream_free (streams[i]);
  test_stream_free (blocker);
}

GST_END_TEST;

static Suite *
ioloopdeadlines_suite (void)
{
  Suite *s = suite_create ("ioloopdeadlines");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, a_deadline_is_never_served_early);
  tcase_add_test (tc, a_deadline_costs_one_wake_up);
  tcase_add_test (tc, deadlines_that_come_ever_earlier_are_all_served);
  tcase_add_test (tc, a_later_deadline_replaces_an_earlier_one);
  tcase_add_test (tc, of_the_deadlines_around_a_callback_the_earliest_wins);
  tcase_add_test (tc, deadlines_at_about_the_same_time_share_a_wake_up);
  tcase_add_test (tc, a_greedy_stream_does_not_starve_others);
  tcase_add_test (tc, a_late_loop_reads_all_packets_before_it_serves_deadlines);
  return s;
}

GST_CHECK_MAIN (ioloopdeadlines);
