/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that come often share wake-ups of the I/O loop, see gst/io/looppace.h.  The loop's thread
 * sleeps to the end of the cell meanwhile; here this sleep lasts until the test ends it. */
#include <time.h>
#include <unistd.h>

#include "teststream.h"

#define N_STREAMS 20

static GMutex lock;
static GCond changed;
static gboolean naps_wait; /* for the test */
static gboolean napping;
static guint naps;
static guint64 nap_until_ns;

/* The linker's --wrap puts this function in place of clock_nanosleep(). */
gint __wrap_clock_nanosleep (
    clockid_t id, gint flags, const struct timespec *until, struct timespec *rest);

gint
__wrap_clock_nanosleep (
    clockid_t id, gint flags, const struct timespec *until, struct timespec *rest)
{
  g_mutex_lock (&lock);
  fail_unless_equals_int (id, CLOCK_MONOTONIC);
  fail_unless_equals_int (flags, TIMER_ABSTIME);
  nap_until_ns = (guint64) until->tv_sec * G_GUINT64_CONSTANT (1000000000)
      + (guint64) until->tv_nsec;
  napping = TRUE;
  naps++;
  g_cond_broadcast (&changed);
  while (naps_wait)
    g_cond_wait (&changed, &lock);
  napping = FALSE;
  g_mutex_unlock (&lock);
  return 0;
}

static void
let_naps_wait (gboolean wait)
{
  g_mutex_lock (&lock);
  naps_wait = wait;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static gboolean
is_napping (void)
{
  gboolean result;

  g_mutex_lock (&lock);
  result = napping;
  g_mutex_unlock (&lock);
  return result;
}

/* Sends more packets than the loop reads at a time, until the loop naps after them.  A thread that
 * was interrupted between two readings does not nap.
 * @return packets sent */
static guint
make_loop_nap (TestStream *s)
{
  gint64 give_up_us = g_get_monotonic_time () + TEST_TIMEOUT_US;
  guint sent = 0;

  while (!is_napping ()) {
    fail_unless (g_get_monotonic_time () < give_up_us);
    /* The loop may nap late, after it has served the deadline below. */
    let_naps_wait (FALSE);
    test_stream_block (s);
    let_naps_wait (TRUE);
    test_send_bytes (s->fd, &s->address, sent, 2 * GST_TFRC_BATCH_PACKETS - 4);
    sent += 2 * GST_TFRC_BATCH_PACKETS - 4;
    test_stream_unblock (s);
    g_mutex_lock (&s->lock);
    test_wait_until (s, s->packets == sent);
    /* The loop serves this deadline unless it naps. */
    s->due_ns = 0;
    gst_tfrc_io_set_deadline (s->io, 0);
    while (s->due_ns == 0 && !is_napping ())
      g_cond_wait_until (&s->changed, &s->lock, g_get_monotonic_time () + 1000);
    g_mutex_unlock (&s->lock);
  }
  return sent;
}

GST_START_TEST (packets_that_come_during_a_nap_share_a_wake_up)
{
  TestStream *streams[N_STREAMS];
  TestStream *busy = test_stream_new ();
  GstTfrcIoLoopStats stats;
  guint64 wakeups;

  for (guint i = 0; i < N_STREAMS; i++)
    streams[i] = test_stream_new ();
  make_loop_nap (busy);
  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless_equals_uint64 (nap_until_ns % stats.slop_ns, 0);
  wakeups = stats.wakeups;
  for (guint i = 0; i < N_STREAMS; i++) {
    test_send_bytes (busy->fd, &streams[i]->address, 0, 1);
    fail_unless_equals_int (streams[i]->packets, 0);
  }
  let_naps_wait (FALSE);
  for (guint i = 0; i < N_STREAMS; i++) {
    g_mutex_lock (&streams[i]->lock);
    test_wait_until (streams[i], streams[i]->packets == 1);
    g_mutex_unlock (&streams[i]->lock);
    test_stream_free (streams[i]);
  }
  /* If the test's thread was slow, the loop has slept once more since. */
  fail_unless (test_count_wakeups () - wakeups <= 2);
  test_stream_free (busy);
}

GST_END_TEST;

GST_START_TEST (a_deadline_that_is_set_during_a_nap_is_served_after_it)
{
  TestStream *busy = test_stream_new (), *s = test_stream_new ();

  make_loop_nap (busy);
  test_stream_lock_and_set (s, 0);
  fail_unless_equals_int (s->deadlines, 0);
  let_naps_wait (FALSE);
  test_wait_until (s, s->due_ns == GST_TFRC_IO_NEVER);
  g_mutex_unlock (&s->lock);
  test_stream_free (s);
  test_stream_free (busy);
}

GST_END_TEST;

static gpointer
free_stream (gpointer data)
{
  test_stream_free (data);
  return NULL;
}

GST_START_TEST (the_loop_ends_after_a_nap)
{
  TestStream *busy = test_stream_new ();
  GThread *thread;

  make_loop_nap (busy);
  thread = g_thread_new ("free", free_stream, busy);
  let_naps_wait (FALSE);
  g_thread_join (thread);
  test_assert_loop_ended ();
}

GST_END_TEST;

GST_START_TEST (single_packets_are_read_at_once)
{
  TestStream *s = test_stream_new ();
  guint naps_before = naps;

  for (guint i = 0; i < 20; i++) {
    test_send_bytes (s->fd, &s->address, i, 1);
    g_mutex_lock (&s->lock);
    test_wait_until (s, s->packets == i + 1);
    g_mutex_unlock (&s->lock);
  }
  fail_unless_equals_int (naps, naps_before);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
ioloopnaps_suite (void)
{
  Suite *s = suite_create ("ioloopnaps");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, packets_that_come_during_a_nap_share_a_wake_up);
  tcase_add_test (tc, a_deadline_that_is_set_during_a_nap_is_served_after_it);
  tcase_add_test (tc, the_loop_ends_after_a_nap);
  tcase_add_test (tc, single_packets_are_read_at_once);
  return s;
}

GST_CHECK_MAIN (ioloopnaps);
