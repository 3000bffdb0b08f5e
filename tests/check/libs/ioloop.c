/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Life of the I/O loop's thread, packets and errors, see
 * gst/io/loop.h. */
#define _GNU_SOURCE 1 /* SCHED_FIFO, pthread_sigmask */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "teststream.h"

/* ---- life of the thread ------------------------------------------------ */

GST_START_TEST (the_thread_lives_from_the_first_stream_to_the_last)
{
  GstTfrcIoLoopStats stats;

  for (guint i = 0; i < 3; i++) {
    TestStream *a, *b;

    test_assert_loop_ended ();
    a = test_stream_new ();
    b = test_stream_new ();
    fail_unless (gst_tfrc_io_loop_running ());
    test_stream_wait_for_deadline (a, 0);
    fail_unless_equals_int (test_count_loop_threads (), 1);
    gst_tfrc_io_loop_get_stats (&stats);
    fail_unless_equals_int (stats.streams, 2);
    fail_unless (stats.deadlines >= 1);
    test_stream_free (a);
    fail_unless (gst_tfrc_io_loop_running ());
    test_stream_wait_for_deadline (b, 0);
    test_stream_free (b);
    test_assert_loop_ended ();
  }
  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless_equals_int (stats.streams, 0);
  fail_unless_equals_uint64 (stats.wakeups, 0);
  gst_tfrc_io_free (NULL);
}

GST_END_TEST;

GST_START_TEST (the_thread_runs_in_real_time_where_the_system_allows_it)
{
  GstTfrcIoLoopStats stats;
  TestStream *s;

  g_unsetenv ("TFRC_REALTIME");
  s = test_stream_new ();
  test_stream_wait_for_deadline (s, 0);
  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless_equals_int (s->policy, stats.realtime ? SCHED_FIFO : SCHED_OTHER);
  /* Real-time threads have no slack at all. */
  fail_unless (s->timer_slack <= 1 || stats.realtime);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (the_environment_switches_real_time_off)
{
  GstTfrcIoLoopStats stats;
  TestStream *s;

  g_setenv ("TFRC_REALTIME", "0", TRUE);
  s = test_stream_new ();
  test_stream_wait_for_deadline (s, 0);
  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless_equals_int (stats.realtime, FALSE);
  fail_unless_equals_int (s->policy, SCHED_OTHER);
  fail_unless_equals_int (s->timer_slack, 1);
  test_stream_free (s);
  g_unsetenv ("TFRC_REALTIME");
}

GST_END_TEST;

static guint64
look_at_signals (gpointer user_data, guint64 now_ns)
{
  TestStream *s = user_data;
  sigset_t mask;

  pthread_sigmask (SIG_SETMASK, NULL, &mask);
  g_mutex_lock (&s->lock);
  s->signals_blocked = sigismember (&mask, SIGTERM) == 1 && sigismember (&mask, SIGINT) == 1
      && sigismember (&mask, SIGCHLD) == 1;
  s->due_ns = GST_TFRC_IO_NEVER;
  g_cond_broadcast (&s->changed);
  g_mutex_unlock (&s->lock);
  return GST_TFRC_IO_NEVER;
}

GST_START_TEST (signals_stay_with_the_application)
{
  static const GstTfrcIoCallbacks looking = { NULL, look_at_signals, NULL };
  TestStream *s = test_stream_new ();
  sigset_t mask;

  gst_tfrc_io_free (s->io);
  s->io = gst_tfrc_io_new (s->fd, NULL, &looking, s, NULL);
  test_stream_wait_for_deadline (s, 0);
  fail_unless (s->signals_blocked);
  pthread_sigmask (SIG_SETMASK, NULL, &mask);
  fail_unless_equals_int (sigismember (&mask, SIGTERM), 0);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (other_descriptors_than_udp_sockets_are_refused)
{
  gint pipe_fds[2], stream_fd = socket (AF_INET, SOCK_STREAM, 0);
  GError *error = NULL;
  TestStream *s;

  fail_unless_equals_int (pipe (pipe_fds), 0);
  fail_unless (gst_tfrc_io_new (-1, NULL, &test_stream_callbacks, NULL, &error) == NULL);
  fail_unless (error != NULL && error->domain == G_IO_ERROR);
  g_clear_error (&error);
  fail_unless (gst_tfrc_io_new (pipe_fds[0], NULL, &test_stream_callbacks, NULL, &error) == NULL);
  g_clear_error (&error);
  fail_unless (gst_tfrc_io_new (stream_fd, NULL, &test_stream_callbacks, NULL, &error) == NULL);
  g_clear_error (&error);
  test_assert_loop_ended ();

  s = test_stream_new ();
  fail_unless (gst_tfrc_io_new (s->fd, NULL, &test_stream_callbacks, NULL, &error) == NULL);
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS));
  g_clear_error (&error);
  test_stream_wait_for_deadline (s, 0);
  test_stream_free (s);
  close (pipe_fds[0]);
  close (pipe_fds[1]);
  close (stream_fd);
}

GST_END_TEST;

/* Leaves @spare free descriptors, and returns the limit from before. */
static struct rlimit
leave_descriptors (gint highest_fd, guint spare)
{
  struct rlimit before, tight;

  getrlimit (RLIMIT_NOFILE, &before);
  tight = before;
  tight.rlim_cur = (rlim_t) highest_fd + 1 + spare;
  setrlimit (RLIMIT_NOFILE, &tight);
  return before;
}

GST_START_TEST (too_many_open_files_is_an_error_that_says_so)
{
  for (guint spare = 0; spare < 2; spare++) {
    GstTfrcAddress local;
    gint fd = test_open_socket ("127.0.0.1", &local);
    struct rlimit before = leave_descriptors (fd, spare);
    GError *error = NULL;

    fail_unless (gst_tfrc_io_new (fd, NULL, &test_stream_callbacks, NULL, &error) == NULL);
    setrlimit (RLIMIT_NOFILE, &before);
    fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TOO_MANY_OPEN_FILES));
    g_clear_error (&error);
    close (fd);
  }
  test_assert_loop_ended ();
}

GST_END_TEST;

/* ---- packets and errors ------------------------------------------------ */

GST_START_TEST (packets_arrive_with_their_source)
{
  TestStream *s = test_stream_new ();
  GstTfrcAddress from;
  gint fd = test_open_socket ("127.0.0.1", &from);

  for (guint sent = 0; sent < 1000; sent += 40) {
    test_send_bytes (fd, &s->address, sent, 40);
    g_mutex_lock (&s->lock);
    test_wait_until (s, s->packets == sent + 40);
    fail_unless (gst_tfrc_address_equal (&s->last_from, &from));
    g_mutex_unlock (&s->lock);
  }
  close (fd);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (port_unreachable_is_an_event_and_the_stream_goes_on)
{
  TestStream *s = test_stream_new ();
  GstTfrcAddress closed;
  guint64 wakeups;
  gint deaf = test_open_deaf_socket ("127.0.0.1", &closed);

  for (guint i = 1; i <= 10; i++) {
    test_send_bytes (s->fd, &closed, 0, 1);
    g_mutex_lock (&s->lock);
    test_wait_until (s, s->errors == i);
    fail_unless_equals_int (s->last_error, ECONNREFUSED);
    fail_unless (gst_tfrc_address_equal (&s->last_destination, &closed));
    g_mutex_unlock (&s->lock);
    test_send_bytes (s->fd, &s->address, i - 1, 1);
    g_mutex_lock (&s->lock);
    test_wait_until (s, s->packets == i);
    g_mutex_unlock (&s->lock);
  }
  /* The error does not keep the thread busy. */
  wakeups = test_count_wakeups ();
  test_stream_wait_for_deadline (s, gst_tfrc_clock_now_ns () + 20 * MILLISECOND_NS);
  fail_unless (test_count_wakeups () - wakeups < 10);
  close (deaf);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (a_socket_that_is_shut_down_does_not_make_the_loop_spin)
{
  static const gint ways[] = { SHUT_RD, SHUT_RDWR };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    TestStream *s = test_stream_new ();
    guint64 wakeups;

    shutdown (s->fd, ways[i]);
    g_mutex_lock (&s->lock);
    test_wait_until (s, s->errors == 1);
    fail_unless_equals_int (s->last_error, ESHUTDOWN);
    g_mutex_unlock (&s->lock);
    wakeups = test_count_wakeups ();
    test_stream_wait_for_deadline (s, gst_tfrc_clock_now_ns () + 20 * MILLISECOND_NS);
    fail_unless (test_count_wakeups () - wakeups < 10);
    test_stream_free (s);
  }
}

GST_END_TEST;

static Suite *
ioloop_suite (void)
{
  Suite *s = suite_create ("ioloop");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, the_thread_lives_from_the_first_stream_to_the_last);
  tcase_add_test (tc, the_thread_runs_in_real_time_where_the_system_allows_it);
  tcase_add_test (tc, the_environment_switches_real_time_off);
  tcase_add_test (tc, signals_stay_with_the_application);
  tcase_add_test (tc, other_descriptors_than_udp_sockets_are_refused);
  tcase_add_test (tc, too_many_open_files_is_an_error_that_says_so);
  tcase_add_test (tc, packets_arrive_with_their_source);
  tcase_add_test (tc, port_unreachable_is_an_event_and_the_stream_goes_on);
  tcase_add_test (tc, a_socket_that_is_shut_down_does_not_make_the_loop_spin);
  return s;
}

GST_CHECK_MAIN (ioloop);
