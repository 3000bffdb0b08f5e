/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State changes in every order: without data, while data flows, and while a thread waits.  Also
 * flushes, segments and restarts. */
#include "tfrctest.h"

#include <gst/app/app.h>
#include <sys/mman.h>
#include <unistd.h>

static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED,
  GST_STATE_PLAYING };

/* Goes through every sequence of three of the four states.  Calls @between after each state
 * change. */
static void
walk (GstElement *element, void (*between) (gpointer user), gpointer user)
{
  for (guint i = 0; i < 4 * 4 * 4; i++) {
    for (guint divisor = 16; divisor > 0; divisor /= 4) {
      test_set_state (element, states[i / divisor % 4]);
      if (between)
        between (user);
    }
  }
  test_set_state (element, GST_STATE_NULL);
}

GST_START_TEST (test_source_without_data_changes_states_in_every_order)
{
  GstElement *pipeline = gst_parse_launch ("tfrcsrc address=127.0.0.1 port=0 "
                                           "timeout=1000 stats-update-interval=1 ! fakesink",
      NULL);

  walk (pipeline, NULL, NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_sink_without_data_changes_states_in_every_order)
{
  TestPeer *peer = test_peer_new (0);
  gchar *description = g_strdup_printf ("appsrc ! tfrcsink port=%d "
                                        "stats-update-interval=1",
      peer->port);
  GstElement *pipeline = gst_parse_launch (description, NULL);

  walk (pipeline, NULL, NULL);
  gst_object_unref (pipeline);
  g_free (description);
  test_peer_free (peer);
}

GST_END_TEST;

/* A file with a movie, which ends with the process */
static gint
movie_file (void)
{
  GBytes *movie = test_movie (7000, 1);
  gssize size = (gssize) g_bytes_get_size (movie);
  gint fd = memfd_create ("movie", MFD_CLOEXEC);

  fail_unless (fd >= 0);
  fail_unless (write (fd, g_bytes_get_data (movie, NULL), (gsize) size) == size);
  g_bytes_unref (movie);
  return fd;
}

static GstElement *
file_sender (gint file, gint port, const gchar *properties)
{
  gchar *description = g_strdup_printf (
      "filesrc location=/proc/self/fd/%d ! "
      "tfrcsink name=sink sync=false stats-update-interval=1 port=%d %s",
      file, port, properties);
  GstElement *pipeline = gst_parse_launch (description, NULL);

  g_free (description);
  return pipeline;
}

/* No receiver answers, and the sink blocks without limit. */
GST_START_TEST (test_blocked_sink_changes_states_in_every_order)
{
  TestPeer *peer = test_peer_new (0);
  gint file = movie_file ();
  GstElement *pipeline = file_sender (file, peer->port, "max-queue-time=0 max-queue-packets=3");

  walk (pipeline, NULL, NULL);
  gst_object_unref (pipeline);
  close (file);
  test_peer_free (peer);
}

GST_END_TEST;

GST_START_TEST (test_draining_sink_changes_states_in_every_order)
{
  TestPeer *peer = test_peer_new (0);
  gint file = movie_file ();
  GstElement *pipeline = file_sender (
      file, peer->port, "max-queue-time=0 max-queue-packets=10000 drain-timeout=3600000");

  walk (pipeline, NULL, NULL);
  gst_object_unref (pipeline);
  close (file);
  test_peer_free (peer);
}

GST_END_TEST;

/* First the receiver changes states while its sender runs, then the other way round. */
GST_START_TEST (test_running_pipelines_change_states_in_every_order)
{
  TestReceiver *receiver = test_receiver_new ("keep-listening=true");
  gint file = movie_file ();
  gchar *same_port;
  GstElement *pipeline = file_sender (
      file, receiver->port, "max-queue-packets=20 max-queue-time=20 drain-timeout=20");

  walk (pipeline, NULL, NULL);
  test_set_state (pipeline, GST_STATE_PLAYING);
  same_port = g_strdup_printf ("%d", receiver->port);
  gst_util_set_object_arg (G_OBJECT (receiver->src), "port", same_port);
  walk (receiver->pipeline, NULL, NULL);
  test_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  test_receiver_free (receiver);
  close (file);
  g_free (same_port);
}

GST_END_TEST;

static void
push_and_set (gpointer user)
{
  TestSender *sender = user;
  guint8 packet[TS_BYTES] = { 0x47, 1, 0, 0x10 };

  gst_app_src_push_buffer (
      GST_APP_SRC (sender->appsrc), gst_buffer_new_memdup (packet, sizeof packet));
  g_object_set (sender->sink, "ttl", 9, "qos-dscp", 10, "min-bitrate", G_GUINT64_CONSTANT (2000),
      "max-bitrate", G_GUINT64_CONSTANT (3000), "leaky", 1, "max-queue-packets", 7,
      "stats-update-interval", 2, NULL);
  test_stat (sender->sink, "packets-sent");
}

GST_START_TEST (test_properties_and_stats_work_in_every_state)
{
  TestPeer *peer = test_peer_new (0);
  TestSender *sender = test_sender_new (peer->port, NULL);

  walk (sender->pipeline, push_and_set, sender);
  test_sender_free (sender);
  test_peer_free (peer);
}

GST_END_TEST;

/* ---- restarts, flushes, segments --------------------------------------- */

static void
send_and_stop (TestReceiver *receiver, TestSender *sender, GBytes *movie)
{
  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  test_set_state (sender->pipeline, GST_STATE_NULL);
  test_receiver_wait_eos (receiver);
}

GST_START_TEST (test_both_ends_restart_on_the_same_ports_at_once)
{
  GBytes *movie = test_movie (70, 1);
  gint port = test_free_port (), bind_port = test_free_port ();
  gchar *src_properties = g_strdup_printf ("port=%d", port);
  gchar *sink_properties = g_strdup_printf ("bind-port=%d", bind_port);

  for (guint i = 0; i < 10; i++) {
    TestReceiver *receiver = test_receiver_new (src_properties);
    TestSender *sender = test_sender_new (receiver->port, sink_properties);

    send_and_stop (receiver, sender, movie);
    test_sender_free (sender);
    test_receiver_free (receiver);
  }
  g_free (src_properties);
  g_free (sink_properties);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* A restarted sink sends another stream, so with another SSRC. */
GST_START_TEST (test_restarted_sink_has_another_ssrc)
{
  TestReceiver *receiver = test_receiver_new ("keep-listening=true");
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (7, 1);
  guint64 ssrc;

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  ssrc = test_stat (sender->sink, "ssrc");
  test_set_state (sender->pipeline, GST_STATE_READY);
  test_set_state (sender->pipeline, GST_STATE_PLAYING);
  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_bytes (receiver, 2 * PAYLOAD_BYTES);
  fail_unless (test_stat (sender->sink, "ssrc") != ssrc);
  fail_unless (g_array_index (receiver->buffers, TestBuffer, 1).discont);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static void
flush (TestSender *sender)
{
  fail_unless (gst_element_send_event (sender->appsrc, gst_event_new_flush_start ()));
  fail_unless (gst_element_send_event (sender->appsrc, gst_event_new_flush_stop (TRUE)));
}

/* The events are those of a seek. */
GST_START_TEST (test_stream_goes_on_after_flush_with_a_new_segment)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (70, 1), *half, *rest;

  half = g_bytes_new_from_bytes (movie, 0, 35 * TS_BYTES);
  rest = test_bytes_from (movie, 35 * TS_BYTES);
  test_sender_push_bytes (sender, half, 0);
  test_receiver_wait_movie (receiver, half);
  /* part of a packet, which the flush discards */
  test_sender_push (sender, "\x47garbage", 8);
  flush (sender);
  test_sender_push_bytes (sender, rest, 0);
  test_receiver_wait_movie (receiver, movie);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (half);
  g_bytes_unref (rest);
  g_bytes_unref (movie);
}

GST_END_TEST;

static void
push_segment (GstPad *pad, const guint8 *data)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_pad_push_event (pad, gst_event_new_segment (&segment)));
  fail_unless_equals_int (
      gst_pad_push (pad, gst_buffer_new_memdup (data, 35 * TS_BYTES)), GST_FLOW_OK);
}

/* A seek from the end back to the beginning: the source has received a BYE. */
GST_START_TEST (test_stream_after_eos_and_flush_is_controlled_again)
{
  static GstStaticPadTemplate template = GST_STATIC_PAD_TEMPLATE (
      "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  TestReceiver *receiver = test_receiver_new ("keep-listening=true");
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  GstPad *pad = gst_check_setup_src_pad (sink, &template);
  TestLog *log = test_log_new (sink);
  GBytes *movie = test_movie (70, 1);
  const guint8 *data = g_bytes_get_data (movie, NULL);
  guint64 feedbacks;

  gst_object_set_name (GST_OBJECT (sink), "sink");
  g_object_set (sink, "sync", FALSE, "async", FALSE, "port", receiver->port,
      "stats-update-interval", 20, NULL);
  test_set_state (sink, GST_STATE_PLAYING);
  gst_pad_set_active (pad, TRUE);
  gst_pad_push_event (pad, gst_event_new_stream_start ("movie"));
  push_segment (pad, data);
  fail_unless (gst_pad_push_event (pad, gst_event_new_eos ()));
  fail_unless (gst_pad_push_event (pad, gst_event_new_flush_start ()));
  fail_unless (gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE)));
  feedbacks = test_stat (sink, "feedback-received");
  push_segment (pad, data + 35 * TS_BYTES);
  test_receiver_wait_movie (receiver, movie);
  test_log_wait_stat (log, "sink", "feedback-received", feedbacks + 1);
  test_set_state (sink, GST_STATE_NULL);
  gst_check_teardown_src_pad (sink);
  gst_object_unref (sink);
  test_log_free (log);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static gboolean
has_bye (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_bye;
}

static gpointer
push_eos (gpointer pad)
{
  return GINT_TO_POINTER (gst_pad_push_event (pad, gst_event_new_eos ()));
}

/* The viewer seeks back while the sink repeats its BYE, which this receiver does not answer. */
GST_START_TEST (test_flush_during_the_goodbye_takes_the_end_back)
{
  static GstStaticPadTemplate template = GST_STATIC_PAD_TEMPLATE (
      "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  TestPeer *peer = test_peer_new (0);
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  GstPad *pad = gst_check_setup_src_pad (sink, &template);
  TestLog *log = test_log_new (sink);
  GBytes *movie = test_movie (35, 1);
  TfrcWireData data;
  GThread *thread;

  g_object_set (sink, "sync", FALSE, "async", FALSE, "port", peer->port, NULL);
  test_set_state (sink, GST_STATE_PLAYING);
  gst_pad_set_active (pad, TRUE);
  gst_pad_push_event (pad, gst_event_new_stream_start ("movie"));
  push_segment (pad, g_bytes_get_data (movie, NULL));
  data = test_peer_receive_data (peer, NULL);
  /* R is so long that a second is between two BYEs. */
  test_log_wait_warning (log, GST_RESOURCE_ERROR_WRITE, "Nobody answers", "no feedback came");
  test_peer_send_feedback (peer, (gint) test_stat (sink, "local-port"), &data, 1);
  gst_message_unref (test_log_wait (log, 1, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "connected"));
  thread = g_thread_new ("streaming", push_eos, pad);
  test_peer_receive_rtcp (peer, has_bye);
  fail_unless (gst_pad_push_event (pad, gst_event_new_flush_start ()));
  fail_if (GPOINTER_TO_INT (g_thread_join (thread)));
  fail_unless_equals_int (test_log_count (log, GST_MESSAGE_EOS, NULL, NULL), 0);
  test_set_state (sink, GST_STATE_NULL);
  gst_check_teardown_src_pad (sink);
  gst_object_unref (sink);
  test_log_free (log);
  test_peer_free (peer);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* GStreamer 1.26 interrupts a live source that is paused, 1.22 does not. */
GST_START_TEST (test_source_that_plays_again_at_once_goes_on)
{
  const guint rounds = 20;
  TestReceiver *receiver = test_receiver_new ("");
  TestSender *sender = test_sender_new (receiver->port, "");
  GBytes *movie = test_movie (rounds * 7, 1);
  const guint8 *data = g_bytes_get_data (movie, NULL);

  for (guint i = 0; i < rounds; i++) {
    test_sender_push (sender, data + i * 7 * TS_BYTES, 7 * TS_BYTES);
    test_receiver_wait_bytes (receiver, (i + 1) * 7 * TS_BYTES);
    test_set_state (receiver->pipeline, GST_STATE_PAUSED);
    test_set_state (receiver->pipeline, GST_STATE_PLAYING);
  }
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
states_suite (void)
{
  Suite *suite = suite_create ("states");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_source_without_data_changes_states_in_every_order);
  tcase_add_test (tcase, test_sink_without_data_changes_states_in_every_order);
  tcase_add_test (tcase, test_blocked_sink_changes_states_in_every_order);
  tcase_add_test (tcase, test_draining_sink_changes_states_in_every_order);
  tcase_add_test (tcase, test_running_pipelines_change_states_in_every_order);
  tcase_add_test (tcase, test_properties_and_stats_work_in_every_state);
  tcase_add_test (tcase, test_both_ends_restart_on_the_same_ports_at_once);
  tcase_add_test (tcase, test_restarted_sink_has_another_ssrc);
  tcase_add_test (tcase, test_stream_goes_on_after_flush_with_a_new_segment);
  tcase_add_test (tcase, test_stream_after_eos_and_flush_is_controlled_again);
  tcase_add_test (tcase, test_flush_during_the_goodbye_takes_the_end_back);
  tcase_add_test (tcase, test_source_that_plays_again_at_once_goes_on);
  return suite;
}

GST_CHECK_MAIN (states);
