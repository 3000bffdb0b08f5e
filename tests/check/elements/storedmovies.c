/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stored movie runs ahead of its time, from element to element; libs/runahead.c has the rules in virtual
 * time. */
#include "tfrctest.h"

#include <gst/app/gstappsrc.h>

#define MS GST_MSECOND
#define S GST_SECOND
#define CAPS "video/mpegts,systemstream=(boolean)true,packetsize=188"
#define INTERVAL (20 * MS)
#define PACKETS 200 /* 4 s */

/* appsrc ! tfrcsink in a pipeline, and the receiver, whose appsink does not wait for the clock */
typedef struct
{
  TestReceiver *receiver;
  GstElement *pipeline, *appsrc, *sink;
  TestLog *log;
} Fixture;

static Fixture
fixture_new (const gchar *appsrc, const gchar *sink)
{
  Fixture f = { .receiver = test_receiver_new ("latency=500 tell-latency=true") };
  gchar *line = g_strdup_printf ("appsrc name=in format=time max-bytes=0 caps=" CAPS
                                 " %s ! tfrcsink name=sink host=127.0.0.1 port=%d "
                                 "stats-update-interval=20 %s",
      appsrc, f.receiver->port, sink);

  f.pipeline = gst_parse_launch (line, NULL);
  f.log = test_log_new (f.pipeline);
  f.appsrc = gst_bin_get_by_name (GST_BIN (f.pipeline), "in");
  f.sink = gst_bin_get_by_name (GST_BIN (f.pipeline), "sink");
  gst_element_set_state (f.pipeline, GST_STATE_PLAYING);
  g_free (line);
  return f;
}

static void
fixture_free (Fixture *f)
{
  test_set_state (f->pipeline, GST_STATE_NULL);
  test_log_free (f->log);
  gst_object_unref (f->appsrc);
  gst_object_unref (f->sink);
  gst_object_unref (f->pipeline);
  test_receiver_free (f->receiver);
}

static void
push_movie (Fixture *f, GBytes *movie)
{
  for (guint i = 0; i < PACKETS; i++) {
    GBytes *payload = g_bytes_new_from_bytes (movie, i * PAYLOAD_BYTES, PAYLOAD_BYTES);
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes (payload);

    GST_BUFFER_PTS (buffer) = i * INTERVAL;
    GST_BUFFER_DURATION (buffer) = INTERVAL;
    fail_unless_equals_int (gst_app_src_push_buffer (GST_APP_SRC (f->appsrc), buffer), GST_FLOW_OK);
    g_bytes_unref (payload);
  }
}

GST_START_TEST (test_a_file_runs_ahead_and_is_handed_over_in_its_time)
{
  Fixture f = fixture_new ("", "");
  GBytes *movie = test_movie (7 * PACKETS, 1);
  GstClockTime first_pts, last_pts;

  push_movie (&f, movie);
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  test_log_wait_stat (f.log, "sink", "packets-sent", PACKETS);
  fail_unless (test_stat (f.sink, "ahead-time") > S);
  fail_unless_equals_uint64 (test_stat (f.sink, "ahead-time-told"), 10 * S);
  fail_unless (test_receiver_bytes (f.receiver) < PACKETS / 2 * PAYLOAD_BYTES);
  test_receiver_wait_eos (f.receiver);
  test_receiver_wait_movie (f.receiver, movie);
  first_pts = g_array_index (f.receiver->buffers, TestBuffer, 50).pts;
  last_pts = g_array_index (f.receiver->buffers, TestBuffer, PACKETS - 1).pts;
  fail_unless (ABS (GST_CLOCK_DIFF (first_pts, last_pts) - (PACKETS - 51) * (gint64) INTERVAL)
      < 20 * (gint64) MS);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "queue-too-early"), 0);
  fixture_free (&f);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* The stream keeps the profile that it was opened with. */
GST_START_TEST (test_a_profile_that_is_set_too_late_does_not_come_with_the_next_property)
{
  Fixture f = fixture_new ("", "");
  GBytes *movie = test_movie (7 * PACKETS, 1);

  gst_util_set_object_arg (G_OBJECT (f.receiver->src), "profile", "rfc5348-strict");
  g_object_set (f.receiver->src, "ahead-bytes", 1000000, NULL);
  gst_util_set_object_arg (G_OBJECT (f.sink), "profile", "rfc5348-strict");
  g_object_set (f.sink, "max-queue-time", 3000, NULL);
  push_movie (&f, movie);
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  test_log_wait_stat (f.log, "sink", "packets-sent", PACKETS);
  fail_unless_equals_uint64 (test_stat (f.sink, "ahead-time-told"), 10 * S);
  fail_unless (test_stat (f.sink, "ahead-time") > S);
  fixture_free (&f);
  g_bytes_unref (movie);
}

GST_END_TEST;

static void
assert_no_lead (const gchar *appsrc, const gchar *sink)
{
  Fixture f = fixture_new (appsrc, sink);
  GBytes *movie = test_movie (7 * PACKETS, 1);

  push_movie (&f, movie);
  test_log_wait_stat (f.log, "sink", "packets-sent", 50);
  fail_unless_equals_uint64 (test_stat (f.sink, "ahead-time"), 0);
  fixture_free (&f);
  g_bytes_unref (movie);
}

GST_START_TEST (test_what_does_not_run_ahead)
{
  assert_no_lead ("is-live=true", "");
  assert_no_lead ("", "sync=false");
  assert_no_lead ("", "ahead-time=0");
  assert_no_lead ("", "profile=rfc5348-strict");
}

GST_END_TEST;

/* Nothing of the old segment follows the first packet of the new one, which is played whole. */
GST_START_TEST (test_a_seek_empties_the_receiver)
{
  Fixture f = fixture_new ("", "");
  GBytes *old = test_movie (7 * PACKETS, 1), *new_one = test_movie (7 * PACKETS, 2), *rest;
  GstSegment segment;
  gsize at;

  push_movie (&f, old);
  test_log_wait_stat (f.log, "sink", "packets-sent", PACKETS);
  gst_element_send_event (f.appsrc, gst_event_new_flush_start ());
  gst_element_send_event (f.appsrc, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  push_movie (&f, new_one);
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  test_receiver_wait_eos (f.receiver);
  at = test_receiver_bytes (f.receiver) - g_bytes_get_size (new_one);
  fail_unless (at < g_bytes_get_size (old) * 3 / 4, "%" G_GSIZE_FORMAT, at);
  rest = g_bytes_new (f.receiver->bytes->data + at, g_bytes_get_size (new_one));
  test_fail_unless_equal_bytes (new_one, rest);
  fail_unless (test_stat (f.receiver->src, "queue-flushed") > 0);
  fail_unless_equals_uint64 (test_stat (f.receiver->src, "packets-missing"), 0);
  g_bytes_unref (rest);
  fixture_free (&f);
  g_bytes_unref (old);
  g_bytes_unref (new_one);
}

GST_END_TEST;

/* The receiver has seconds of the movie, and its viewer stops at once. */
GST_START_TEST (test_a_pause_of_the_receiver_stops_the_viewer)
{
  Fixture f = fixture_new ("", "");
  GBytes *movie = test_movie (7 * PACKETS, 1);
  gsize bytes;

  push_movie (&f, movie);
  test_log_wait_stat (f.log, "sink", "packets-sent", PACKETS);
  gst_element_set_state (f.receiver->pipeline, GST_STATE_PAUSED);
  gst_element_get_state (f.receiver->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  bytes = test_receiver_bytes (f.receiver);
  test_log_wait_stat (f.receiver->log, "src", "queue-packets", PACKETS / 4);
  g_usleep (200 * 1000);
  fail_unless (test_receiver_bytes (f.receiver) <= bytes + PAYLOAD_BYTES);
  fixture_free (&f);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
storedmovies_suite (void)
{
  Suite *s = suite_create ("storedmovies");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_a_file_runs_ahead_and_is_handed_over_in_its_time);
  tcase_add_test (tc, test_a_profile_that_is_set_too_late_does_not_come_with_the_next_property);
  tcase_add_test (tc, test_what_does_not_run_ahead);
  tcase_add_test (tc, test_a_seek_empties_the_receiver);
  tcase_add_test (tc, test_a_pause_of_the_receiver_stops_the_viewer);
  return s;
}

GST_CHECK_MAIN (storedmovies);
