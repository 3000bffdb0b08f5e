/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the I/O loop wakes the thread that pulls, see gst/session/srcstream-private.h.  The tests hold
 * the lock of a stream that gets no packets, and put packets into its queue themselves. */
#include <gst/check/gstcheck.h>

#include "gst/session/srcstream-private.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define NEVER G_MAXUINT64
#define FIRST G_GUINT64_CONSTANT (65636)

static GstTfrcSrcStream *stream;
static guint64 now_ns; /* far in the future, so that the loop has nothing to do */

static void
free_nothing (gpointer data)
{
}

static void
setup (void) GST_TFRC_ACQUIRE (gst_tfrc_src_stream_mutex)
{
  const GstTfrcSrcStreamEvents events = { NULL };
  const GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcSrcStreamConfig config = { .socket = socket, .limits.window_ns = 200 * MS };
  GError *error = NULL;

  config.socket.bind_address = "127.0.0.1";
  tfrc_receiver_config_init (&config.receiver);
  stream = gst_tfrc_src_stream_new (&config, &events, NULL, &error);
  fail_if (error, "%s", error ? error->message : "");
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  stream->queue.free_data = free_nothing;
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
  gst_tfrc_reorder_push (&stream->queue, FIRST + seq, now_ns + at_ns, now_ns + at_ns, stream);
}

static void
pop (void)
{
  GstTfrcReorderItem item;

  gst_tfrc_src_stream_mutex_assume (&stream->lock);
  fail_unless (gst_tfrc_reorder_pop (&stream->queue, now_ns, &item));
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
  return s;
}

GST_CHECK_MAIN (srcgroups);
