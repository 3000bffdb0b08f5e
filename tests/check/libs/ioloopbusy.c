/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A loop whose thread works for most of the time, see gst/io/loop.h.  The test stops the monotonic
 * clock, and adds working time. */
#include <time.h>

#include "gst/io/looplimits.h"
#include "teststream.h"

static guint64 stopped_ns; /* atomic: the time at which the monotonic clock stands; 0: it runs */
static guint64 busy_ns;    /* atomic: added working time of threads */

#define GET(variable) __atomic_load_n (&(variable), __ATOMIC_SEQ_CST)
#define SET(variable, value) __atomic_store_n (&(variable), value, __ATOMIC_SEQ_CST)
#define ADD(variable, value) __atomic_add_fetch (&(variable), value, __ATOMIC_SEQ_CST)
#define SECOND_NS G_GUINT64_CONSTANT (1000000000)
#define HOUR_NS (3600 * SECOND_NS)

/* The linker's --wrap puts this function in place of clock_gettime(). */
gint __wrap_clock_gettime (clockid_t id, struct timespec *ts);
gint __real_clock_gettime (clockid_t id, struct timespec *ts);

gint
__wrap_clock_gettime (clockid_t id, struct timespec *ts)
{
  gint result = __real_clock_gettime (id, ts);
  guint64 stands_ns = GET (stopped_ns);

  /* the result is only compared with other results, and need not be normalized */
  if (id == CLOCK_THREAD_CPUTIME_ID)
    ts->tv_nsec += (glong) GET (busy_ns);
  if (id == CLOCK_MONOTONIC && stands_ns)
    *ts = (struct timespec){ .tv_sec = (time_t) (stands_ns / SECOND_NS),
      .tv_nsec = (glong) (stands_ns % SECOND_NS) };
  return result;
}

static void
send_and_wait (TestStream *s)
{
  guint n = s->packets + 1;

  test_send_bytes (s->fd, &s->address, s->packets, 1);
  g_mutex_lock (&s->lock);
  test_wait_until (s, s->packets == n);
  g_mutex_unlock (&s->lock);
}

/* Moves the clock to the end of a window, in which the loop of @s has worked for @work_ns.  The loop
 * looks at the time before it sleeps: it may have done so before the first packet. */
static void
pass_window (TestStream *s, guint64 work_ns)
{
  ADD (busy_ns, work_ns);
  ADD (stopped_ns, GST_TFRC_LOOP_WINDOW_NS);
  send_and_wait (s);
  send_and_wait (s);
}

static void
stop_clock (void)
{
  SET (stopped_ns, gst_tfrc_clock_now_ns ());
}

GST_START_TEST (a_busy_loop_gets_no_further_streams)
{
  TestStream *busy, *other, *third;

  test_limit_loops (2, 0);
  busy = test_stream_new ();
  send_and_wait (busy);
  stop_clock ();
  pass_window (busy, HOUR_NS);
  other = test_stream_new ();
  test_assert_streams_of_loops ("1 1");
  third = test_stream_new ();
  test_assert_streams_of_loops ("2 1");
  test_stream_free (busy);
  test_assert_streams_of_loops ("2");
  test_stream_free (other);
  test_stream_free (third);
  test_limit_loops (0, 0);
}

GST_END_TEST;

GST_START_TEST (a_loop_that_has_time_again_gets_streams_again)
{
  TestStream *busy, *other;

  test_limit_loops (2, 0);
  busy = test_stream_new ();
  send_and_wait (busy);
  stop_clock ();
  pass_window (busy, HOUR_NS);
  /* The real work of this test counts beside the time of a clock that stands. */
  ADD (stopped_ns, HOUR_NS);
  pass_window (busy, 0);
  other = test_stream_new ();
  test_assert_streams_of_loops ("2");
  test_stream_free (busy);
  test_stream_free (other);
  test_limit_loops (0, 0);
}

GST_END_TEST;

static void
let_the_clock_run (void)
{
  SET (stopped_ns, 0);
  SET (busy_ns, 0);
}

static Suite *
ioloopbusy_suite (void)
{
  Suite *s = suite_create ("ioloopbusy");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, let_the_clock_run, let_the_clock_run);
  tcase_add_test (tc, a_busy_loop_gets_no_further_streams);
  tcase_add_test (tc, a_loop_that_has_time_again_gets_streams_again);
  return s;
}

GST_CHECK_MAIN (ioloopbusy);
