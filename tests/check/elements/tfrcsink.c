/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's queue: which packets wait, which are dropped, and what unblocks the pipeline.  Also
 * the states of its receiver, which may be absent. */
#include "tfrctest.h"

#include <gst/app/app.h>

/* So slow that only the first packet leaves during a test */
#define ALMOST_STOPPED "max-bitrate=200 "
#define QUEUE_OF_FIVE "max-queue-packets=5 max-queue-time=0 "
#define N_PACKETS 20

/* A sender whose first packet has arrived at @peer.  The second to sixth packet wait in the
 * queue.  The rest has been pushed too. */
typedef struct
{
  TestPeer *peer;
  TestSender *sender;
  GBytes *movie;
  TfrcWireData first;
  GByteArray *arrived;
} Stopped;

static Stopped
stopped_sender_new (const gchar *properties)
{
  gchar *all = g_strconcat (ALMOST_STOPPED QUEUE_OF_FIVE, properties, NULL);
  Stopped s;
  GBytes *rest;

  s.peer = test_peer_new (0);
  s.sender = test_sender_new (s.peer->port, all);
  s.movie = test_movie (N_PACKETS * 7, 1);
  s.arrived = g_byte_array_new ();
  test_sender_push (s.sender, g_bytes_get_data (s.movie, NULL), PAYLOAD_BYTES);
  /* the parser needs more data to find sync */
  rest = test_bytes_from (s.movie, PAYLOAD_BYTES);
  s.first = test_peer_receive_data (s.peer, s.arrived);
  test_sender_push_bytes (s.sender, rest, PAYLOAD_BYTES);
  test_log_wait_stat (s.sender->log, "sink", "queue-packets", 5);
  g_bytes_unref (rest);
  g_free (all);
  return s;
}

static void
stopped_sender_free (Stopped *s)
{
  test_sender_free (s->sender);
  test_peer_free (s->peer);
  g_bytes_unref (s->movie);
  g_byte_array_unref (s->arrived);
}

static gint
sender_port (TestSender *sender)
{
  return (gint) test_stat (sender->sink, "local-port");
}

/* Lets the sender go on, and receives packets until @n have arrived in total. */
static void
go_on (Stopped *s, guint n)
{
  TfrcWireData last = s->first;
  guint32 number = 1;

  g_object_set (s->sender->sink, "max-bitrate", G_GUINT64_CONSTANT (0), NULL);
  while (s->arrived->len < n * PAYLOAD_BYTES) {
    test_peer_send_feedback (s->peer, sender_port (s->sender), &last, number++);
    last = test_peer_receive_data (s->peer, s->arrived);
  }
}

/* The first packet and @n packets from number @from on have arrived, and no others. */
static void
fail_unless_arrived (Stopped *s, guint from, guint n)
{
  const guint8 *movie = g_bytes_get_data (s->movie, NULL);
  GByteArray *expected = g_byte_array_new ();
  GBytes *wanted, *arrived;

  g_byte_array_append (expected, movie, PAYLOAD_BYTES);
  g_byte_array_append (expected, movie + from * PAYLOAD_BYTES, n * PAYLOAD_BYTES);
  wanted = g_byte_array_free_to_bytes (expected);
  arrived = g_bytes_new (s->arrived->data, s->arrived->len);
  test_fail_unless_equal_bytes (wanted, arrived);
  g_bytes_unref (wanted);
  g_bytes_unref (arrived);
}

GST_START_TEST (test_leaky_upstream_drops_new_packets)
{
  Stopped s = stopped_sender_new ("leaky=upstream");

  test_log_wait_stat (s.sender->log, "sink", "packets-dropped", 14);
  go_on (&s, 6);
  fail_unless_arrived (&s, 1, 5);
  fail_unless_equals_uint64 (test_stat (s.sender->sink, "packets-dropped"), 14);
  fail_unless_equals_int (test_log_count (s.sender->log, GST_MESSAGE_QOS, NULL, NULL), 14);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_leaky_downstream_drops_old_packets)
{
  Stopped s = stopped_sender_new ("leaky=downstream");

  test_log_wait_stat (s.sender->log, "sink", "packets-dropped", 14);
  go_on (&s, 6);
  fail_unless_arrived (&s, 15, 5);
  fail_unless_equals_uint64 (test_stat (s.sender->sink, "packets-dropped"), 14);
  fail_unless_equals_int (test_log_count (s.sender->log, GST_MESSAGE_QOS, NULL, NULL), 14);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_without_leaky_the_pipeline_waits)
{
  Stopped s = stopped_sender_new ("leaky=no");

  fail_unless_equals_uint64 (test_stat (s.sender->sink, "queue-packets"), 5);
  test_sender_eos (s.sender);
  go_on (&s, N_PACKETS);
  fail_unless_arrived (&s, 1, N_PACKETS - 1);
  test_sender_wait_eos (s.sender);
  fail_unless_equals_uint64 (test_stat (s.sender->sink, "packets-dropped"), 0);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_longer_queue_frees_the_pipeline)
{
  Stopped s = stopped_sender_new ("leaky=no");

  g_object_set (s.sender->sink, "max-queue-packets", 100, NULL);
  test_log_wait_stat (s.sender->log, "sink", "queue-packets", N_PACKETS - 1);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_state_change_frees_the_pipeline)
{
  Stopped s = stopped_sender_new ("leaky=no");

  test_set_state (s.sender->pipeline, GST_STATE_NULL);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_pause_while_waiting_loses_nothing)
{
  Stopped s = stopped_sender_new ("leaky=no");

  test_set_state (s.sender->pipeline, GST_STATE_PAUSED);
  test_set_state (s.sender->pipeline, GST_STATE_PLAYING);
  go_on (&s, N_PACKETS);
  fail_unless_arrived (&s, 1, N_PACKETS - 1);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_pause_while_draining_loses_nothing)
{
  TestPeer *peer = test_peer_new (0);
  Stopped s = { peer, test_sender_new (peer->port, ALMOST_STOPPED "max-queue-time=0"),
    test_movie (N_PACKETS * 7, 1), { 0 }, g_byte_array_new () };

  test_sender_push_bytes (s.sender, s.movie, 0);
  test_sender_eos (s.sender);
  s.first = test_peer_receive_data (peer, s.arrived);
  test_log_wait_stat (s.sender->log, "sink", "queue-packets", N_PACKETS - 1);
  test_set_state (s.sender->pipeline, GST_STATE_PAUSED);
  test_set_state (s.sender->pipeline, GST_STATE_PLAYING);
  go_on (&s, N_PACKETS);
  fail_unless_arrived (&s, 1, N_PACKETS - 1);
  test_sender_wait_eos (s.sender);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_flush_frees_the_pipeline_and_drops_the_queue)
{
  Stopped s = stopped_sender_new ("leaky=no");
  const guint8 *movie = g_bytes_get_data (s.movie, NULL);

  fail_unless (gst_element_send_event (s.sender->appsrc, gst_event_new_flush_start ()));
  fail_unless (gst_element_send_event (s.sender->appsrc, gst_event_new_flush_stop (TRUE)));
  test_sender_push (s.sender, movie + 10 * PAYLOAD_BYTES, PAYLOAD_BYTES);
  go_on (&s, 2);
  fail_unless_arrived (&s, 10, 1);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_absent_peer_stops_neither_preroll_nor_the_end)
{
  TestPeer *silent = test_peer_new (0);
  TestSender *sender = test_sender_new (
      silent->port, "max-queue-packets=10 max-queue-time=20 drain-timeout=20");
  GBytes *movie = test_movie (N_PACKETS * 7, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  gst_message_unref (test_log_wait (sender->log, 1, GST_MESSAGE_ASYNC_DONE, NULL, NULL));
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  fail_unless (test_stat (sender->sink, "packets-dropped") > 0);
  gst_message_unref (test_log_wait (sender->log, 1, GST_MESSAGE_QOS, NULL, NULL));
  test_sender_free (sender);
  test_peer_free (silent);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* A program ends a stream that is at its end by itself. */
GST_START_TEST (test_shorter_drain_timeout_ends_a_drain_that_has_begun)
{
  Stopped s = stopped_sender_new ("max-queue-packets=100 drain-timeout=3600000");
  TestLog *log = s.sender->log;

  test_sender_eos (s.sender);
  /* Time in which the drain may begin. It makes no difference to what must follow. */
  gst_message_unref (
      test_log_wait (log, test_log_count (log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL) + 3,
          GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  g_object_set (s.sender->sink, "drain-timeout", 1, NULL);
  test_sender_wait_eos (s.sender);
  fail_unless_equals_uint64 (test_stat (s.sender->sink, "packets-dropped"), N_PACKETS - 1);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_closed_port_is_counted_and_no_error)
{
  TestSender *sender = test_sender_new (test_free_port (), NULL);
  GBytes *movie = test_movie (N_PACKETS * 7, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_log_wait_stat (sender->log, "sink", "icmp-errors", 1);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  test_sender_free (sender);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* The receiver leaves: the packets in the queue wait no longer than max-queue-time. */
GST_START_TEST (test_peer_that_leaves_frees_the_pipeline)
{
  Stopped s = stopped_sender_new ("leaky=no max-queue-time=50 drain-timeout=1");

  test_peer_send_feedback (s.peer, sender_port (s.sender), &s.first, 1);
  gst_message_unref (
      test_log_wait (s.sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "connected"));
  test_peer_send_bye (s.peer, sender_port (s.sender));
  gst_message_unref (
      test_log_wait (s.sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "gone"));
  test_sender_eos (s.sender);
  test_sender_wait_eos (s.sender);
  fail_unless (test_stat (s.sender->sink, "packets-dropped") > 0);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_peer_that_returns_gets_the_stream_again)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  gchar *same_port = g_strdup_printf ("port=%d", receiver->port);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (7, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  gst_message_unref (
      test_log_wait (sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "connected"));
  test_receiver_free (receiver);
  gst_message_unref (
      test_log_wait (sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "gone"));
  test_sender_push_bytes (sender, movie, 0);
  test_log_wait_stat (sender->log, "sink", "icmp-errors", 1);

  receiver = test_receiver_new (same_port);
  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  gst_message_unref (
      test_log_wait (sender->log, 2, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "connected"));
  fail_unless_equals_int (
      test_log_count (sender->log, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "gone"), 1);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_free (same_port);
}

GST_END_TEST;

/* The receiver sends nothing, not even a BYE.  It counts as lost after 10 s. */
GST_START_TEST (test_peer_that_falls_silent_is_lost_once)
{
  Stopped s = stopped_sender_new ("leaky=no max-queue-time=50 drain-timeout=1");

  test_peer_send_feedback (s.peer, sender_port (s.sender), &s.first, 1);
  gst_message_unref (
      test_log_wait (s.sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "lost"));
  test_sender_eos (s.sender);
  test_sender_wait_eos (s.sender);
  fail_unless_equals_int (
      test_log_count_warnings (s.sender->log, "The receiver does not answer any more."), 1);
  stopped_sender_free (&s);
}

GST_END_TEST;

GST_START_TEST (test_max_bitrate_limits_a_playing_stream)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (350, 1);
  guint64 bitrate;

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  fail_unless (test_stat_double (sender->sink, "allowed-rate") > 500000);
  g_object_set (sender->sink, "max-bitrate", G_GUINT64_CONSTANT (500000), NULL);
  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_bytes (receiver, 2 * g_bytes_get_size (movie));
  fail_unless (test_stat_double (sender->sink, "allowed-rate") <= 500000);
  fail_unless (test_stat_double (sender->sink, "send-rate") <= 500000);
  g_object_get (sender->sink, "estimated-bitrate", &bitrate, NULL);
  fail_unless (bitrate <= 500000);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* Every second packet is a null packet. */
GST_START_TEST (test_null_packets_are_left_out_on_demand)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, "drop-null-ts-packets=true");
  GBytes *movie = test_movie (70, 1);
  const guint8 *data = g_bytes_get_data (movie, NULL);
  GByteArray *mixed = g_byte_array_new ();
  const guint8 null_packet[TS_BYTES] = { 0x47, 0x1f, 0xff, 0x10 };

  for (guint i = 0; i < 70; i++) {
    g_byte_array_append (mixed, data + i * TS_BYTES, TS_BYTES);
    g_byte_array_append (mixed, null_packet, TS_BYTES);
  }
  test_sender_push (sender, mixed->data, mixed->len);
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  test_sender_wait_eos (sender);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_byte_array_unref (mixed);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_min_bitrate_above_max_bitrate_is_refused)
{
  GstElement *sink = gst_parse_launch ("tfrcsink min-bitrate=2000 max-bitrate=1000", NULL);
  TestLog *log = test_log_new (sink);

  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  test_log_wait_error (log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_object_unref (sink);
  test_log_free (log);
}

GST_END_TEST;

/* As udpsink takes them: the buffers of a list in their order, and one empty buffer among them */
GST_START_TEST (test_buffers_of_a_list_are_sent_in_their_order)
{
  TestPeer *peer = test_peer_new (0);
  TestSender *sender = test_sender_new (peer->port, NULL);
  GBytes *movie = test_movie (21, 1), *whole;
  GstBufferList *list = gst_buffer_list_new ();
  GByteArray *arrived = g_byte_array_new ();
  gsize size;
  const guint8 *data = g_bytes_get_data (movie, &size);
  TfrcWireData header;

  for (gsize at = 0; at < size; at += PAYLOAD_BYTES)
    gst_buffer_list_add (list, gst_buffer_new_memdup (data + at, PAYLOAD_BYTES));
  gst_buffer_list_insert (list, 1, gst_buffer_new ());
  fail_unless_equals_int (
      gst_app_src_push_buffer_list (GST_APP_SRC (sender->appsrc), list), GST_FLOW_OK);
  do {
    header = test_peer_receive_data (peer, arrived);
    test_peer_send_feedback (peer, sender_port (sender), &header, 1 + arrived->len / PAYLOAD_BYTES);
  } while (arrived->len < size);
  whole = g_byte_array_free_to_bytes (arrived);
  test_fail_unless_equal_bytes (movie, whole);
  test_sender_free (sender);
  test_peer_free (peer);
  g_bytes_unref (whole);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
tfrcsink_suite (void)
{
  Suite *suite = suite_create ("tfrcsink");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_leaky_upstream_drops_new_packets);
  tcase_add_test (tcase, test_leaky_downstream_drops_old_packets);
  tcase_add_test (tcase, test_without_leaky_the_pipeline_waits);
  tcase_add_test (tcase, test_longer_queue_frees_the_pipeline);
  tcase_add_test (tcase, test_state_change_frees_the_pipeline);
  tcase_add_test (tcase, test_pause_while_waiting_loses_nothing);
  tcase_add_test (tcase, test_pause_while_draining_loses_nothing);
  tcase_add_test (tcase, test_flush_frees_the_pipeline_and_drops_the_queue);
  tcase_add_test (tcase, test_absent_peer_stops_neither_preroll_nor_the_end);
  tcase_add_test (tcase, test_shorter_drain_timeout_ends_a_drain_that_has_begun);
  tcase_add_test (tcase, test_closed_port_is_counted_and_no_error);
  tcase_add_test (tcase, test_peer_that_leaves_frees_the_pipeline);
  tcase_add_test (tcase, test_peer_that_returns_gets_the_stream_again);
  tcase_add_test (tcase, test_peer_that_falls_silent_is_lost_once);
  tcase_add_test (tcase, test_max_bitrate_limits_a_playing_stream);
  tcase_add_test (tcase, test_null_packets_are_left_out_on_demand);
  tcase_add_test (tcase, test_buffers_of_a_list_are_sent_in_their_order);
  tcase_add_test (tcase, test_min_bitrate_above_max_bitrate_is_refused);
  return suite;
}

GST_CHECK_MAIN (tfrcsink);
