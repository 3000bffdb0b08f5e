/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream on the I/O loop, see teststream.h. */
#define _GNU_SOURCE 1 /* SCHED_RESET_ON_FORK */
#include "teststream.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static guint64
on_packets (gpointer user_data, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  TestStream *s = user_data;
  guint64 next_ns;

  g_mutex_lock (&s->lock);
  for (guint i = 0; i < n; i++) {
    if (packets[i].size != 1 || packets[i].data[0] != (s->packets & 255))
      s->out_of_order++;
    if (packets[i].arrival_ns > now_ns)
      s->too_early++;
    s->last_from = *packets[i].from;
    s->packets++;
  }
  if (now_ns > gst_tfrc_clock_now_ns ())
    s->too_early++;
  next_ns = s->due_ns;
  g_cond_broadcast (&s->changed);
  g_mutex_unlock (&s->lock);
  return next_ns;
}

static guint64
on_deadline (gpointer user_data, guint64 now_ns)
{
  TestStream *s = user_data;
  guint64 next_ns;

  g_mutex_lock (&s->lock);
  if (now_ns < s->never_before_ns)
    s->too_early++;
  s->deadlines++;
  s->packets_at_deadline = s->packets;
  s->thread = g_thread_self ();
  s->policy = sched_getscheduler (0) & ~SCHED_RESET_ON_FORK;
  s->timer_slack = prctl (PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
  if (now_ns >= s->due_ns)
    s->due_ns = GST_TFRC_IO_NEVER;
  if (s->set_inside_ns) {
    gst_tfrc_io_set_deadline (s->io, s->set_inside_ns);
    s->set_inside_ns = 0;
  }
  g_cond_broadcast (&s->changed);
  while (s->block) {
    s->blocked = TRUE;
    g_cond_wait (&s->changed, &s->lock);
  }
  next_ns = s->greedy ? 0 : s->due_ns;
  g_mutex_unlock (&s->lock);
  return next_ns;
}

static void
on_error (gpointer user_data, gint error, const GstTfrcAddress *destination)
{
  TestStream *s = user_data;

  g_mutex_lock (&s->lock);
  s->errors++;
  s->last_error = error;
  s->last_destination = *destination;
  g_cond_broadcast (&s->changed);
  g_mutex_unlock (&s->lock);
}

const GstTfrcIoCallbacks test_stream_callbacks = { on_packets, on_deadline, on_error };

TestStream *
test_stream_new_beside (const TestStream *beside)
{
  TestStream *s = g_new0 (TestStream, 1);
  GError *error = NULL;

  g_mutex_init (&s->lock);
  g_cond_init (&s->changed);
  s->due_ns = GST_TFRC_IO_NEVER;
  s->fd = test_open_socket ("127.0.0.1", &s->address);
  g_mutex_lock (&s->lock);
  s->io = gst_tfrc_io_new (s->fd, beside ? beside->io : NULL, &test_stream_callbacks, s, &error);
  g_mutex_unlock (&s->lock);
  fail_unless (s->io != NULL, "%s", error ? error->message : "no error");
  return s;
}

TestStream *
test_stream_new (void)
{
  return test_stream_new_beside (NULL);
}

void
test_stream_free (TestStream *s)
{
  gst_tfrc_io_free (s->io);
  fail_unless_equals_int (s->too_early, 0);
  fail_unless_equals_int (s->out_of_order, 0);
  close (s->fd);
  g_mutex_clear (&s->lock);
  g_cond_clear (&s->changed);
  g_free (s);
}

void
test_stream_lock_and_set (TestStream *s, guint64 deadline_ns)
{
  g_mutex_lock (&s->lock);
  s->due_ns = s->never_before_ns = deadline_ns;
  gst_tfrc_io_set_deadline (s->io, deadline_ns);
}

void
test_stream_wait_for_deadline (TestStream *s, guint64 deadline_ns)
{
  test_stream_lock_and_set (s, deadline_ns);
  test_wait_until (s, s->due_ns == GST_TFRC_IO_NEVER);
  g_mutex_unlock (&s->lock);
}

void
test_send_bytes (gint fd, const GstTfrcAddress *to, guint value, guint n)
{
  for (guint i = 0; i < n; i++) {
    guint8 byte = (guint8) (value + i);
    GstTfrcSendItem item = { .data = &byte, .size = 1 };
    gint error;

    fail_unless_equals_int (gst_tfrc_socket_send (fd, to, NULL, &item, 1, &error), 1);
  }
}

void
test_stream_block (TestStream *s)
{
  g_mutex_lock (&s->lock);
  s->block = TRUE;
  s->due_ns = 0;
  gst_tfrc_io_set_deadline (s->io, 0);
  test_wait_until (s, s->blocked);
  g_mutex_unlock (&s->lock);
}

void
test_stream_unblock (TestStream *s)
{
  g_mutex_lock (&s->lock);
  s->block = s->blocked = FALSE;
  g_cond_broadcast (&s->changed);
  g_mutex_unlock (&s->lock);
}

static void
set_number (const gchar *variable, guint number)
{
  gchar *text = g_strdup_printf ("%u", number);

  if (number > 0)
    g_setenv (variable, text, TRUE);
  else
    g_unsetenv (variable);
  g_free (text);
}

void
test_limit_loops (guint threads, guint streams)
{
  set_number ("TFRC_THREADS", threads);
  set_number ("TFRC_TEST_STREAMS_PER_LOOP", streams);
}

static gint
more_streams_first (gconstpointer a, gconstpointer b)
{
  return (gint) ((const GstTfrcIoLoopStats *) b)->streams
      - (gint) ((const GstTfrcIoLoopStats *) a)->streams;
}

gchar *
test_streams_of_loops (void)
{
  GstTfrcIoLoopStats stats[64];
  guint n = gst_tfrc_io_loop_get_each_stats (stats, G_N_ELEMENTS (stats));
  GString *text = g_string_new (NULL);

  qsort (stats, n, sizeof stats[0], more_streams_first);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, i ? " %u" : "%u", stats[i].streams);
  return g_string_free (text, FALSE);
}

guint64
test_count_wakeups (void)
{
  GstTfrcIoLoopStats stats;

  gst_tfrc_io_loop_get_stats (&stats);
  return stats.wakeups;
}

guint
test_count_loop_threads (void)
{
  GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *tid;
  guint n = 0;

  while ((tid = g_dir_read_name (tasks)) != NULL) {
    gchar *path = g_strdup_printf ("/proc/self/task/%s/comm", tid);
    gchar *name = NULL;

    if (g_file_get_contents (path, &name, NULL, NULL))
      n += g_str_equal (name, "tfrc-io\n");
    g_free (name);
    g_free (path);
  }
  g_dir_close (tasks);
  return n;
}

/* A thread that has been joined may remain in /proc for a moment. */
void
test_wait_loop_threads (guint n)
{
  gint64 end_us = g_get_monotonic_time () + TEST_TIMEOUT_US;

  while (test_count_loop_threads () != n) {
    fail_unless (g_get_monotonic_time () < end_us);
    g_thread_yield ();
  }
}

void
test_assert_loop_ended (void)
{
  fail_if (gst_tfrc_io_loop_running ());
  test_wait_loop_threads (0);
}
