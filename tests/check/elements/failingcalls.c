/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each system call of the elements fails once, at each place where a short stream makes the call.
 * Then the elements tell an error, or the stream goes on without a loss; nothing hangs, and nothing
 * stays open. */
#include "failcalls.h"
#include "tfrctest.h"

#include <gst/app/app.h>

/* 14 packets on the wire. A receiver whose first challenge cannot leave holds 16 packets until it has sent the next one,
 * and a sender that remembers the path may send the whole movie by then. */
#define MOVIE_PACKETS 98

/* A call that a stream makes many times fails at these times.  Later ones are like them. */
#define PLACES_TRIED 30

static guint
count_open_descriptors (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  fail_unless (dir != NULL);
  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

typedef struct
{
  GstElement *pipeline;
  GstElement *element;
  TestLog *log;
} End;

static void
end_open (End *end, const gchar *description)
{
  GError *error = NULL;

  end->pipeline = gst_parse_launch (description, &error);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  end->log = test_log_new (end->pipeline);
  end->element = gst_bin_get_by_name (GST_BIN (end->pipeline), "tfrc");
}

static void
end_close (End *end)
{
  test_set_state (end->pipeline, GST_STATE_NULL);
  gst_object_unref (end->element);
  gst_object_unref (end->pipeline);
  test_log_free (end->log);
}

/* Returns whether the end plays.  Otherwise it has told one error. */
static gboolean
end_plays (End *end, const gchar *what)
{
  gboolean plays = gst_element_set_state (end->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE;
  guint errors = test_log_count (end->log, GST_MESSAGE_ERROR, NULL, NULL);

  if (!plays)
    fail_unless (errors == 1, "%s: does not start, with %u errors", what, errors);
  return plays;
}

/* Waits for EOS or an error; returns whether it is EOS. */
static gboolean
end_has_eos (End *end)
{
  GstMessage *message = test_log_wait (
      end->log, 1, GST_MESSAGE_EOS | GST_MESSAGE_ERROR, NULL, NULL);
  gboolean eos = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;

  gst_message_unref (message);
  return eos;
}

static void
push_movie (End *sender, GBytes *movie)
{
  GstElement *in = gst_bin_get_by_name (GST_BIN (sender->pipeline), "in");

  gst_app_src_push_buffer (GST_APP_SRC (in), gst_buffer_new_wrapped_bytes (movie));
  gst_app_src_end_of_stream (GST_APP_SRC (in));
  gst_object_unref (in);
}

static void
check_stream (End *sender, End *receiver, GBytes *movie, const gchar *what)
{
  guint64 sent, received;

  push_movie (sender, movie);
  if (!end_has_eos (sender) || !end_has_eos (receiver))
    return;
  sent = g_bytes_get_size (movie) / PAYLOAD_BYTES;
  received = test_stat (receiver->element, "packets-received");
  fail_unless (received == sent, "%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " packets", what,
      received, sent);
}

static void
play (const gchar *what)
{
  GBytes *movie = test_movie (MOVIE_PACKETS, 1);
  End sender, receiver;
  gchar *description;
  gint port = 0;

  end_open (&receiver, "tfrcsrc name=tfrc address=127.0.0.1 port=0 auto-handover=true ! fakesink");
  if (end_plays (&receiver, what)) {
    g_object_get (receiver.element, "port", &port, NULL);
    description = g_strdup_printf (
        "appsrc name=in caps=video/mpegts,systemstream=true,packetsize=188 "
        "! tfrcsink name=tfrc sync=false port=%d",
        port);
    end_open (&sender, description);
    if (end_plays (&sender, what))
      check_stream (&sender, &receiver, movie, what);
    end_close (&sender);
    g_free (description);
  }
  end_close (&receiver);
  g_bytes_unref (movie);
}

/* What is made once in a process, and stays, is made by the first stream. */
static guint
descriptors_of_idle_process (void)
{
  fail_calls_arm (N_FAIL_CALLS, 0);
  play ("no call fails");
  return count_open_descriptors ();
}

GST_START_TEST (test_call_fails_at_each_place)
{
  FailCall call = (FailCall) __i__;
  guint idle = descriptors_of_idle_process (), places = fail_calls_count (call);

  for (guint nth = 1; nth <= MIN (places, PLACES_TRIED); nth++) {
    gchar *what = g_strdup_printf ("%s %u of %u", fail_call_name (call), nth, places);

    fail_calls_arm (call, nth);
    play (what);
    fail_unless_equals_int (count_open_descriptors (), idle);
    g_free (what);
  }
  fail_calls_arm (N_FAIL_CALLS, 0);
}

GST_END_TEST;

/* Without this test, a call of another name would look as if it never failed. */
GST_START_TEST (test_calls_of_the_plugin_are_seen)
{
  static const FailCall seen[] = { FAIL_BIND, FAIL_EPOLL_CTL, FAIL_EPOLL_WAIT, FAIL_GETRANDOM,
    FAIL_GETSOCKNAME, FAIL_RECVMMSG, FAIL_SENDMMSG, FAIL_SETSOCKOPT, FAIL_SOCKET };

  fail_calls_arm (N_FAIL_CALLS, 0);
  play ("no call fails");
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++)
    fail_unless (fail_calls_count (seen[i]) > 0, "%s is not seen", fail_call_name (seen[i]));
}

GST_END_TEST;

static Suite *
failingcalls_suite (void)
{
  Suite *suite = suite_create ("failingcalls");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_set_timeout (chain, 0);
  tcase_add_test (chain, test_calls_of_the_plugin_are_seen);
  tcase_add_loop_test (chain, test_call_fails_at_each_place, 0, N_FAIL_CALLS);
  return suite;
}

GST_CHECK_MAIN (failingcalls);
