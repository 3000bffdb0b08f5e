/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process forks while its elements run.  The elements need no thread of GStreamer in the
 * child.  Other parts of GStreamer may need one; that is not tested here. */
#include <gst/base/gstpushsrc.h>

#include "../libs/forktest.h"
#include "tfrctest.h"

/* An element that posts its statistics on request */
typedef struct
{
  GstElement *element;
  TestLog *log;
} Talker;

static void
wait_for_news (const Talker *talker)
{
  guint n = test_log_count (talker->log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);

  g_object_set (talker->element, "stats-update-interval", 1, NULL);
  gst_message_unref (test_log_wait (talker->log, n + 2, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
}

static void
talker_init (Talker *talker, gint port)
{
  talker->element = gst_element_factory_make ("tfrcsink", NULL);
  g_object_set (talker->element, "host", "127.0.0.1", "port", port, NULL);
  talker->log = test_log_new (talker->element);
  fail_unless (
      gst_element_set_state (talker->element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
}

static void
talker_clear (Talker *talker)
{
  gst_element_set_state (talker->element, GST_STATE_NULL);
  test_log_free (talker->log);
  gst_object_unref (talker->element);
}

static TestPeer *peer;

static void
set_flag (GstElement *element, gpointer flag)
{
  g_atomic_int_set ((gint *) flag, TRUE);
}

/* Starts a thread of GStreamer's thread pool for messages.  The thread is idle in the parent
 * afterwards.  No message may be posted while the process forks: posting takes locks of
 * GStreamer and of the test. */
static void
start_thread_pool (const Talker *talker)
{
  gint flag = FALSE;

  gst_element_call_async (talker->element, set_flag, &flag, NULL);
  while (!g_atomic_int_get (&flag))
    g_thread_yield ();
}

static void
run_own (gpointer unused)
{
  Talker own;

  talker_init (&own, peer->port);
  wait_for_news (&own);
  talker_clear (&own);
}

static void
stop_inherited (gpointer data)
{
  talker_clear (data);
}

static void
restart_inherited (gpointer data)
{
  Talker *talker = data;

  gst_element_set_state (talker->element, GST_STATE_READY);
  gst_element_set_state (talker->element, GST_STATE_PAUSED);
  wait_for_news (talker);
  talker_clear (talker);
}

static void
check_child (void (*func) (gpointer data), gint warnings)
{
  Talker talker;

  if (!can_fork ())
    return;
  peer = test_peer_new (0);
  talker_init (&talker, peer->port);
  start_thread_pool (&talker);
  run_in_child (func, &talker, warnings);
  wait_for_news (&talker);
  talker_clear (&talker);
  test_peer_free (peer);
}

GST_START_TEST (test_child_runs_elements_of_its_own)
{
  check_child (run_own, 0);
}

GST_END_TEST;

GST_START_TEST (test_child_that_stops_an_element_leaves_it_to_the_parent)
{
  check_child (stop_inherited, 1);
}

GST_END_TEST;

GST_START_TEST (test_child_can_start_an_inherited_element_anew)
{
  check_child (restart_inherited, 1);
}

GST_END_TEST;

/* ---- an element that plays --------------------------------------------------- */

static void
send_events (GstPad *pad)
{
  GstSegment segment;
  GstCaps *caps = gst_caps_from_string ("video/mpegts, systemstream=true, packetsize=188");

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_pad_send_event (pad, gst_event_new_stream_start ("movie")));
  fail_unless (gst_pad_send_event (pad, gst_event_new_caps (caps)));
  fail_unless (gst_pad_send_event (pad, gst_event_new_segment (&segment)));
  gst_caps_unref (caps);
}

/* This thread is the element's streaming thread. */
static GstFlowReturn
push_packet (GstElement *sink)
{
  GBytes *movie = test_movie (7, 1);
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  GstFlowReturn flow = gst_pad_chain (pad, gst_buffer_new_wrapped_bytes (movie));

  g_bytes_unref (movie);
  gst_object_unref (pad);
  return flow;
}

static void
use_inherited_sink (gpointer data)
{
  GstElement *sink = data;
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  guint64 bitrate;

  fail_unless_equals_int (push_packet (sink), GST_FLOW_FLUSHING);
  g_object_set (sink, "ttl", 5, "qos-dscp", 5, "max-queue-time", G_GUINT64_CONSTANT (1), NULL);
  g_signal_emit_by_name (sink, "rekey");
  g_object_get (sink, "estimated-bitrate", &bitrate, NULL);
  fail_unless_equals_uint64 (bitrate, 0);
  fail_unless_equals_uint64 (test_stat (sink, "packets-sent"), 0);
  gst_element_send_event (sink, gst_event_new_step (GST_FORMAT_BUFFERS, 1, 1.0, TRUE, FALSE));
  gst_pad_send_event (pad, gst_event_new_flush_start ());
  gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE));
  send_events (pad);
  fail_unless_equals_int (push_packet (sink), GST_FLOW_FLUSHING);
  gst_pad_send_event (pad, gst_event_new_eos ());
  gst_object_unref (pad);
  test_set_state (sink, GST_STATE_NULL);
  test_set_state (sink, GST_STATE_PLAYING);
  pad = gst_element_get_static_pad (sink, "sink");
  send_events (pad);
  fail_unless_equals_int (push_packet (sink), GST_FLOW_OK);
  gst_object_unref (pad);
  test_set_state (sink, GST_STATE_NULL);
}

GST_START_TEST (test_inherited_sink_does_nothing_until_it_starts_anew)
{
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  TestPeer *receiver = test_peer_new (0);

  g_object_set (
      sink, "host", "127.0.0.1", "port", receiver->port, "sync", FALSE, "async", FALSE, NULL);
  test_set_state (sink, GST_STATE_PLAYING);
  send_events (pad);
  fail_unless_equals_int (push_packet (sink), GST_FLOW_OK);
  if (can_fork ()) {
    run_in_child (use_inherited_sink, sink, 1);
    fail_unless_equals_int (push_packet (sink), GST_FLOW_OK);
  }
  gst_object_unref (pad);
  test_set_state (sink, GST_STATE_NULL);
  gst_object_unref (sink);
  test_peer_free (receiver);
}

GST_END_TEST;

/* GStreamer's own thread of the element is missing in the child, so that its state cannot change. */
static void
use_inherited_source (gpointer data)
{
  TestReceiver *receiver = data;
  GstStructure *options = gst_structure_new_empty ("handover");
  GstBuffer *buffer = NULL;
  gboolean done = TRUE;

  fail_unless_equals_int (
      GST_PUSH_SRC_GET_CLASS (receiver->src)->create (GST_PUSH_SRC (receiver->src), &buffer),
      GST_FLOW_FLUSHING);
  g_object_set (receiver->src, "timeout", G_GUINT64_CONSTANT (1), NULL);
  g_signal_emit_by_name (receiver->src, "handover", options, &done);
  fail_if (done);
  g_signal_emit_by_name (receiver->src, "rekey");
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-received"), 0);
  gst_structure_free (options);
}

GST_START_TEST (test_inherited_source_does_nothing)
{
  TestReceiver *receiver = test_receiver_new ("");
  TestSender *sender = test_sender_new (receiver->port, "");
  GBytes *movie = test_movie (70, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_bytes (receiver, g_bytes_get_size (movie));
  if (can_fork ())
    run_in_child (use_inherited_source, receiver, 1);
  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_bytes (receiver, 2 * g_bytes_get_size (movie));
  g_bytes_unref (movie);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
forks_suite (void)
{
  Suite *s = suite_create ("forks");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_child_runs_elements_of_its_own);
  tcase_add_test (tc, test_child_that_stops_an_element_leaves_it_to_the_parent);
  tcase_add_test (tc, test_child_can_start_an_inherited_element_anew);
  tcase_add_test (tc, test_inherited_sink_does_nothing_until_it_starts_anew);
  tcase_add_test (tc, test_inherited_source_does_nothing);
  return s;
}

GST_CHECK_MAIN (forks);
