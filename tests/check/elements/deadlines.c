/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie above the rate, with a player that waits for the clock and with a recorder: what the deadline of
 * tfrcsink does (gst/queue/deadline.h), and what the application hears of it. */
#include <gst/app/gstappsrc.h>
#include "tfrctest.h"

#define LATENCY_MS 300
#define N_PACKETS 150

/* 1.6 Mbit/s, and half of that may leave. */
#define INTERVAL (PAYLOAD_BYTES * 8 * GST_SECOND / 1600000)
#define MAX_BITRATE 800000

typedef struct
{
  GstElement *receiver, *src, *sender, *in, *sink;
  TestLog *log; /* of the sender */
} Player;

static GstElement *
launch (gchar *line)
{
  GstElement *pipeline = gst_parse_launch (line, NULL);

  fail_unless (pipeline != NULL, "%s", line);
  g_free (line);
  return pipeline;
}

static Player
play (const gchar *sync, const gchar *properties)
{
  Player p;
  gint port;

  p.receiver = launch (g_strdup_printf ("tfrcsrc name=src address=127.0.0.1 port=0 latency=%d "
                                        "! fakesink async=false sync=%s",
      LATENCY_MS, sync));
  p.src = gst_bin_get_by_name (GST_BIN (p.receiver), "src");
  test_set_state (p.receiver, GST_STATE_PLAYING);
  g_object_get (p.src, "port", &port, NULL);
  p.sender = launch (g_strdup_printf ("appsrc name=in max-bytes=0 format=time "
                                      "caps=video/mpegts,systemstream=true,packetsize=188 "
                                      "! tfrcsink name=sink host=127.0.0.1 port=%d max-bitrate=%d "
                                      "stats-update-interval=20 %s",
      port, MAX_BITRATE, properties));
  p.in = gst_bin_get_by_name (GST_BIN (p.sender), "in");
  p.sink = gst_bin_get_by_name (GST_BIN (p.sender), "sink");
  p.log = test_log_new (p.sender);
  test_set_state (p.sender, GST_STATE_PLAYING);
  return p;
}

static void
push_movie (const Player *p)
{
  GBytes *movie = test_movie (N_PACKETS * 7, 1);

  for (guint i = 0; i < N_PACKETS; i++) {
    GBytes *bytes = g_bytes_new_from_bytes (movie, i * PAYLOAD_BYTES, PAYLOAD_BYTES);
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes (bytes);

    GST_BUFFER_PTS (buffer) = i * INTERVAL;
    fail_unless_equals_int (gst_app_src_push_buffer (GST_APP_SRC (p->in), buffer), GST_FLOW_OK);
    g_bytes_unref (bytes);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (p->in));
  gst_message_unref (test_log_wait (p->log, 1, GST_MESSAGE_EOS, NULL, NULL));
  g_bytes_unref (movie);
}

static void
stop (Player *p)
{
  test_set_state (p->sender, GST_STATE_NULL);
  test_set_state (p->receiver, GST_STATE_NULL);
  gst_object_unref (p->in);
  gst_object_unref (p->sink);
  gst_object_unref (p->src);
  gst_object_unref (p->sender);
  gst_object_unref (p->receiver);
  test_log_free (p->log);
}

/* What leaves leaves in time, from when on the player is known: 0.1 s is for the start of the stream. */
GST_START_TEST (test_a_player_gets_in_time_what_it_gets)
{
  Player p = play ("true", "");
  guint64 past;

  push_movie (&p);
  past = test_stat (p.sink, "packets-past-deadline");
  fail_unless (past >= N_PACKETS / 4, "%" G_GUINT64_FORMAT, past);
  fail_unless_equals_uint64 (test_stat (p.sink, "past-deadline-unknown"), past);
  fail_unless_equals_uint64 (test_stat (p.sink, "packets-sent") + past, N_PACKETS);
  fail_unless_equals_uint64 (test_stat (p.sink, "packets-dropped"), 0);
  fail_unless_equals_uint64 (test_stat (p.sink, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_stat (p.sink, "playout-delay-told"), LATENCY_MS * GST_MSECOND);
  fail_unless (test_stat (p.sink, "deadline-slack") <= LATENCY_MS * GST_MSECOND);
  fail_unless (test_stat (p.sink, "sender-delay-max") <= (LATENCY_MS + 100) * GST_MSECOND);
  fail_unless (test_log_count (p.log, GST_MESSAGE_ELEMENT, "tfrc-past-deadline", NULL) >= 1);
  stop (&p);
}

GST_END_TEST;

static void
assert_all_sent (const gchar *sync, const gchar *properties)
{
  Player p = play (sync, properties);

  push_movie (&p);
  fail_unless_equals_uint64 (test_stat (p.sink, "packets-sent"), N_PACKETS);
  fail_unless_equals_uint64 (test_stat (p.sink, "packets-past-deadline"), 0);
  fail_unless_equals_uint64 (test_stat (p.sink, "deadline-slack"), 0);
  stop (&p);
}

GST_START_TEST (test_a_recorder_gets_everything)
{
  assert_all_sent ("false", "");
}

GST_END_TEST;

GST_START_TEST (test_without_a_deadline_all_is_sent)
{
  assert_all_sent ("true", "deadline=false");
}

GST_END_TEST;

/* The buffers have times, which the sink does not wait for. */
GST_START_TEST (test_input_that_comes_as_fast_as_it_is_taken_has_no_deadline)
{
  assert_all_sent ("true", "sync=false");
}

GST_END_TEST;

GST_START_TEST (test_the_property_stands_in_for_what_a_receiver_does_not_tell)
{
  Player p = play ("false", "playout-delay=300");

  push_movie (&p);
  fail_unless (test_stat (p.sink, "packets-past-deadline") >= N_PACKETS / 4);
  fail_unless_equals_uint64 (test_stat (p.sink, "playout-delay-told"), 0);
  stop (&p);
}

GST_END_TEST;

static Suite *
deadlines_suite (void)
{
  Suite *s = suite_create ("deadlines");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_a_player_gets_in_time_what_it_gets);
  tcase_add_test (tc, test_a_recorder_gets_everything);
  tcase_add_test (tc, test_without_a_deadline_all_is_sent);
  tcase_add_test (tc, test_input_that_comes_as_fast_as_it_is_taken_has_no_deadline);
  tcase_add_test (tc, test_the_property_stands_in_for_what_a_receiver_does_not_tell);
  return s;
}

GST_CHECK_MAIN (deadlines);
