/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that wait in a socket while the process is stopped, a wall clock that is set meanwhile,
 * and a loop with too much work. The test moves the system's clocks forward. The kernel's time
 * stamps do not move. */
#include <sched.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "teststream.h"

#define SECOND_NS G_GUINT64_CONSTANT (1000000000)

static gint stopped_s; /* seconds by which both clocks were moved */
static gint busy_ms;   /* added working time of threads */
static gint set_s;     /* seconds by which the wall clock was moved */

/* The linker's --wrap puts this function in place of clock_gettime(). */
gint __wrap_clock_gettime (clockid_t id, struct timespec *ts);
gint __real_clock_gettime (clockid_t id, struct timespec *ts);

gint
__wrap_clock_gettime (clockid_t id, struct timespec *ts)
{
  gint result = __real_clock_gettime (id, ts);

  if (id == CLOCK_THREAD_CPUTIME_ID) {
    /* the result is only compared with other results, and need not be normalized */
    ts->tv_nsec += g_atomic_int_get (&busy_ms) * (glong) MILLISECOND_NS;
    return result;
  }
  ts->tv_sec += g_atomic_int_get (&stopped_s);
  if (id == CLOCK_REALTIME)
    ts->tv_sec += g_atomic_int_get (&set_s);
  return result;
}

/* An absolute time of the moved clock is an earlier time of the kernel's clock. */
gint __wrap_timerfd_settime (
    gint fd, gint flags, const struct itimerspec *alarm, struct itimerspec *before);
gint __real_timerfd_settime (
    gint fd, gint flags, const struct itimerspec *alarm, struct itimerspec *before);
gint __wrap_clock_nanosleep (
    clockid_t id, gint flags, const struct timespec *until, struct timespec *rest);
gint __real_clock_nanosleep (
    clockid_t id, gint flags, const struct timespec *until, struct timespec *rest);

gint
__wrap_timerfd_settime (
    gint fd, gint flags, const struct itimerspec *alarm, struct itimerspec *before)
{
  struct itimerspec moved = *alarm;

  moved.it_value.tv_sec = MAX (moved.it_value.tv_sec - g_atomic_int_get (&stopped_s), 0);
  return __real_timerfd_settime (fd, flags, &moved, before);
}

gint
__wrap_clock_nanosleep (
    clockid_t id, gint flags, const struct timespec *until, struct timespec *rest)
{
  struct timespec moved = *until;

  moved.tv_sec = MAX (moved.tv_sec - g_atomic_int_get (&stopped_s), 0);
  return __real_clock_nanosleep (id, flags, &moved, rest);
}

#define MAX_PACKETS (2 * GST_TFRC_BATCH_PACKETS + 1)

/* A stream that notes the arrival times of its packets */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint n;
  guint64 last_stamp_ns; /* by the wall clock */
  guint64 arrival_ns[MAX_PACKETS], slack_ns[MAX_PACKETS], read_ns[MAX_PACKETS];
} Arrivals;

static guint64
note_packets (gpointer user_data, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  Arrivals *arrivals = user_data;

  g_mutex_lock (&arrivals->lock);
  arrivals->last_stamp_ns = packets[n - 1].arrival_wall_ns;
  for (guint i = 0; i < n; i++, arrivals->n++) {
    arrivals->arrival_ns[arrivals->n] = packets[i].arrival_ns;
    arrivals->slack_ns[arrivals->n] = packets[i].arrival_slack_ns;
    arrivals->read_ns[arrivals->n] = now_ns;
  }
  g_cond_broadcast (&arrivals->changed);
  g_mutex_unlock (&arrivals->lock);
  return GST_TFRC_IO_NEVER;
}

static guint64
no_deadline (gpointer user_data, guint64 now_ns)
{
  return GST_TFRC_IO_NEVER;
}

static void
no_error (gpointer user_data, gint error, const GstTfrcAddress *destination)
{
}

static const GstTfrcIoCallbacks callbacks = { note_packets, no_deadline, no_error };

static Arrivals arrivals;
static GstTfrcIo *io;
static GstTfrcAddress address;
static gint fd;
static TestStream *stopper;
static guint64 sent_ns, stopped_ns; /* when the packets were sent, and when the process stopped */

/* The loop has looked at its sockets and found nothing. Then the loop is stopped. Packets arrive,
 * the last of them before stopped_ns. */
static void
stop_with_packets (guint n)
{
  g_atomic_int_set (&stopped_s, 0);
  g_atomic_int_set (&set_s, 0);
  arrivals.n = 0;
  fd = test_open_socket ("127.0.0.1", &address);
  io = gst_tfrc_io_new (fd, NULL, &callbacks, &arrivals, NULL);
  fail_unless (io != NULL);
  stopper = test_stream_new ();
  for (guint i = 0; i < 3; i++)
    test_stream_wait_for_deadline (stopper, gst_tfrc_clock_now_ns ());
  test_stream_block (stopper);
  sent_ns = gst_tfrc_clock_now_ns ();
  for (guint i = 0; i < n; i++)
    test_send_bytes (fd, &address, i, 1);
  stopped_ns = gst_tfrc_clock_now_ns ();
}

static void
go_on (guint n)
{
  test_stream_unblock (stopper);
  g_mutex_lock (&arrivals.lock);
  test_wait_until (&arrivals, arrivals.n == n);
  g_mutex_unlock (&arrivals.lock);
  gst_tfrc_io_free (io);
  test_stream_free (stopper);
  close (fd);
}

/* The kernel begins to stamp packets some time after the first socket has asked for time stamps.
 * Until then, it stamps a packet when the packet is read. */
static void
wait_for_stamps (void)
{
  gint64 end_us = g_get_monotonic_time () + TEST_TIMEOUT_US;
  guint64 sent_wall_ns;

  do {
    fail_unless (g_get_monotonic_time () < end_us);
    stop_with_packets (1);
    sent_wall_ns = gst_tfrc_clock_wall_ns ();
    go_on (1);
  } while (arrivals.last_stamp_ns > sent_wall_ns);
}

GST_START_TEST (packets_keep_their_age_when_the_process_was_stopped)
{
  wait_for_stamps ();
  stop_with_packets (MAX_PACKETS);
  g_atomic_int_set (&stopped_s, 20);
  go_on (MAX_PACKETS);
  for (guint i = 0; i < MAX_PACKETS; i++) {
    fail_unless_equals_uint64 (arrivals.slack_ns[i], 0);
    /* within the time between readings of two clocks */
    fail_unless (arrivals.arrival_ns[i] + MILLISECOND_NS >= sent_ns);
    fail_unless (arrivals.arrival_ns[i] <= stopped_ns + MILLISECOND_NS);
    fail_unless (arrivals.read_ns[i] >= stopped_ns + 20 * SECOND_NS);
  }
}

GST_END_TEST;

GST_START_TEST (a_wall_clock_that_was_set_gives_now_with_slack)
{
  static const gint steps_s[] = { 1800, -1800 };

  wait_for_stamps ();
  for (guint i = 0; i < G_N_ELEMENTS (steps_s); i++) {
    stop_with_packets (1);
    g_atomic_int_set (&set_s, steps_s[i]);
    go_on (1);
    fail_unless_equals_uint64 (arrivals.arrival_ns[0], arrivals.read_ns[0]);
    fail_unless (arrivals.slack_ns[0] >= GST_TFRC_CLOCK_STAMP_TOLERANCE_NS);
    fail_unless (arrivals.slack_ns[0] < 1800 * SECOND_NS);
  }
}

GST_END_TEST;

GST_START_TEST (a_loop_that_is_too_busy_becomes_an_ordinary_thread)
{
  GstTfrcIoLoopStats stats;
  TestStream *s = test_stream_new ();

  test_stream_wait_for_deadline (s, gst_tfrc_clock_now_ns ());
  gst_tfrc_io_loop_get_stats (&stats);
  if (!stats.realtime) {
    g_print ("skipped: no permission for real-time priority\n");
    test_stream_free (s);
    return;
  }
  fail_unless_equals_int (s->policy, SCHED_FIFO);
  g_atomic_int_set (&stopped_s, 3600);
  test_stream_wait_for_deadline (s, gst_tfrc_clock_now_ns ());
  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless (stats.realtime && !stats.realtime_given_up);
  g_atomic_int_set (&busy_ms, 1000);
  /* The loop does not look at its work again within 5 ms: the second deadline is an hour after the last look. */
  g_atomic_int_set (&stopped_s, 7200);
  test_stream_wait_for_deadline (s, gst_tfrc_clock_now_ns ());
  test_stream_wait_for_deadline (s, gst_tfrc_clock_now_ns ());
  gst_tfrc_io_loop_get_stats (&stats);
  fail_if (stats.realtime || !stats.realtime_given_up);
  fail_unless_equals_int (s->policy, SCHED_OTHER);
  test_stream_free (s);
  /* The next thread starts in real time like the first thread. */
  s = test_stream_new ();
  test_stream_wait_for_deadline (s, gst_tfrc_clock_now_ns ());
  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless (stats.realtime && !stats.realtime_given_up);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
stall_suite (void)
{
  Suite *s = suite_create ("stall");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, packets_keep_their_age_when_the_process_was_stopped);
  tcase_add_test (tc, a_wall_clock_that_was_set_gives_now_with_slack);
  tcase_add_test (tc, a_loop_that_is_too_busy_becomes_an_ordinary_thread);
  return s;
}

GST_CHECK_MAIN (stall);
