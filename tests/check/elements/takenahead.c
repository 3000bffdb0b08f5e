/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink takes packets before they are due.  With a test clock these tests see when the pipeline
 * waits, and for which time; duetime.c and libs/lookahead.c test the arithmetic. */
#include "tfrctest.h"

#include <gst/app/gstappsrc.h>
#include <gst/base/gstbasesink.h>
#include <gst/check/gsttestclock.h>

#define MS GST_MSECOND
#define S GST_SECOND
#define START (70 * S) /* base time on the test clock */
#define CAPS "video/mpegts,systemstream=(boolean)true,packetsize=188"

/* appsrc ! tfrcsink, playing by a test clock, and its receiver */
typedef struct
{
  TestPeer *peer;
  GstElement *pipeline;
  GstElement *appsrc;
  GstElement *sink;
  TestLog *log;
  GstTestClock *clock;
  GBytes *movie;
  GByteArray *arrived;
} Fixture;

static Fixture
fixture_new (const gchar *src_properties, const gchar *sink_properties)
{
  Fixture f = {
    .peer = test_peer_new (0), .movie = test_movie (7 * 20, 1), .arrived = g_byte_array_new ()
  };
  gchar *line = g_strdup_printf ("appsrc name=in format=time handle-segment-change=true caps=" CAPS
                                 " %s ! tfrcsink name=sink port=%d stats-update-interval=20 %s",
      src_properties, f.peer->port, sink_properties);

  f.pipeline = gst_parse_launch (line, NULL);
  f.log = test_log_new (f.pipeline);
  f.appsrc = gst_bin_get_by_name (GST_BIN (f.pipeline), "in");
  f.sink = gst_bin_get_by_name (GST_BIN (f.pipeline), "sink");
  f.clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_pipeline_use_clock (GST_PIPELINE (f.pipeline), GST_CLOCK (f.clock));
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
  gst_object_unref (f->clock);
  test_peer_free (f->peer);
  g_bytes_unref (f->movie);
  g_byte_array_unref (f->arrived);
}

/* Pushes packet number @n of the movie.  @segment: NULL, or that of the packet */
static void
push_in (Fixture *f, guint n, GstClockTime pts, const GstSegment *segment)
{
  GBytes *payload = g_bytes_new_from_bytes (f->movie, n * PAYLOAD_BYTES, PAYLOAD_BYTES);
  GstBuffer *buffer = gst_buffer_new_wrapped_bytes (payload);
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstSample *sample;

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 20 * MS;
  sample = gst_sample_new (buffer, caps, segment, NULL);
  fail_unless_equals_int (gst_app_src_push_sample (GST_APP_SRC (f->appsrc), sample), GST_FLOW_OK);
  gst_sample_unref (sample);
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  g_bytes_unref (payload);
}

static void
push (Fixture *f, guint n, GstClockTime pts)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  push_in (f, n, pts, &segment);
}

/* Two packets that are due at once.  The parser needs both to find sync. */
static void
push_first_two (Fixture *f)
{
  push (f, 0, 0);
  push (f, 1, 0);
}

/* Waits until the pipeline waits for the clock.  Returns the time that it waits for. */
static GstClockTime
waited_for (Fixture *f)
{
  GstClockID id;
  GstClockTime time;

  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  time = gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  return time - START;
}

/* Receives packets until @n have arrived in all, and compares them with the movie's first. */
static void
fail_unless_arrive (Fixture *f, guint n)
{
  TfrcWireData data;
  static guint32 number = 1;

  while (f->arrived->len < n * PAYLOAD_BYTES) {
    data = test_peer_receive_data (f->peer, f->arrived);
    test_peer_send_feedback (f->peer, (gint) test_stat (f->sink, "local-port"), &data, number++);
  }
  fail_unless_equals_int (f->arrived->len, n * PAYLOAD_BYTES);
  fail_unless (memcmp (f->arrived->data, g_bytes_get_data (f->movie, NULL), f->arrived->len) == 0);
}

/* ---- when the pipeline waits ------------------------------------------------ */

GST_START_TEST (the_pipeline_waits_until_half_the_lookahead_is_left)
{
  Fixture f = fixture_new ("", "lookahead=100");

  push_first_two (&f);
  push (&f, 2, 99 * MS);
  push (&f, 3, 1000 * MS);
  fail_unless_equals_uint64 (waited_for (&f), 950 * MS);
  gst_test_clock_crank (f.clock);
  push (&f, 4, 1050 * MS);
  push (&f, 5, 1051 * MS);
  fail_unless_equals_uint64 (waited_for (&f), 1001 * MS);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (without_lookahead_the_pipeline_waits_for_each_packet)
{
  Fixture f = fixture_new ("", "lookahead=0");

  push_first_two (&f);
  fail_unless_arrive (&f, 1);
  push (&f, 2, 1000 * MS);
  fail_unless_equals_uint64 (waited_for (&f), 1000 * MS);
  gst_test_clock_crank (f.clock);
  push (&f, 3, 1020 * MS);
  fail_unless_equals_uint64 (waited_for (&f), 1020 * MS);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (offset_delay_and_latency_move_the_wait)
{
  Fixture f = fixture_new ("", "lookahead=100 ts-offset=300000000 render-delay=20000000");

  gst_pipeline_set_latency (GST_PIPELINE (f.pipeline), 400 * MS);
  push (&f, 0, 1000 * MS);
  fail_unless_equals_uint64 (waited_for (&f), (1000 + 300 - 20 + 400 - 50) * MS);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (segments_move_the_wait)
{
  const struct
  {
    gdouble rate;
    GstClockTime start, pts, wait;
  } cases[] = {
    { 1, 100 * S, 101 * S, 1000 * MS },
    { 2, 0, 4 * S, 2000 * MS },
    { 0.5, 10 * S, 11 * S, 2000 * MS },
    /* reverse playback begins at the end of the segment, and of the buffer */
    { -1, 0, 7 * S - 20 * MS, 3000 * MS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Fixture f = fixture_new ("", "lookahead=100");
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.rate = cases[i].rate;
    segment.start = cases[i].start;
    segment.stop = cases[i].rate < 0 ? 10 * S : GST_CLOCK_TIME_NONE;
    push_in (&f, 0, cases[i].pts, &segment);
    fail_unless_equals_uint64 (waited_for (&f), cases[i].wait - 50 * MS);
    fixture_free (&f);
  }
}

GST_END_TEST;

/* GstBaseSink measures lateness and limits the rate while it waits until a buffer is due. */
GST_START_TEST (the_base_class_waits_if_the_application_asks_for_more)
{
  for (guint i = 0; i < 3; i++) {
    Fixture f = fixture_new ("", "");

    if (i == 0)
      gst_base_sink_set_qos_enabled (GST_BASE_SINK (f.sink), TRUE);
    if (i == 1)
      gst_base_sink_set_max_lateness (GST_BASE_SINK (f.sink), 0);
    if (i == 2)
      gst_base_sink_set_max_bitrate (GST_BASE_SINK (f.sink), 1000000000);
    push (&f, 0, 1000 * MS);
    fail_unless_equals_uint64 (waited_for (&f), 1000 * MS);
    fixture_free (&f);
  }
}

GST_END_TEST;

GST_START_TEST (buffers_outside_of_the_segment_are_dropped)
{
  Fixture f = fixture_new ("", "lookahead=100");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 10 * S;
  push_in (&f, 0, 10 * S, &segment);
  push_in (&f, 7, 9 * S, &segment);
  push_in (&f, 1, 10 * S, &segment);
  fail_unless_arrive (&f, 1);
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  fail_unless_arrive (&f, 2);
  fixture_free (&f);
}

GST_END_TEST;

/* Live input comes when it is captured, which is before it is due by the pipeline's latency. */
GST_START_TEST (live_input_does_not_wait)
{
  Fixture f = fixture_new ("is-live=true min-latency=2000000000", "lookahead=100");

  for (guint i = 0; i < 6; i++)
    push (&f, i, i * 20 * MS);
  test_log_wait_stat (f.log, "sink", "lookahead-packets", 6);
  fixture_free (&f);
}

GST_END_TEST;

/* ---- packets that are not due yet ------------------------------------------- */

/* A sink that has taken packets 2 to 6, which are due in half a minute */
static Fixture
with_five_ahead (void)
{
  Fixture f = fixture_new ("", "lookahead=60000");

  push_first_two (&f);
  fail_unless_arrive (&f, 2);
  for (guint i = 2; i < 7; i++)
    push (&f, i, 30 * S);
  test_log_wait_stat (f.log, "sink", "lookahead-packets", 5);
  return f;
}

GST_START_TEST (the_end_of_the_stream_waits_for_the_last_packet)
{
  Fixture f = with_five_ahead ();

  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  fail_unless_equals_uint64 (waited_for (&f), 30 * S + 20 * MS);
  fail_unless_equals_uint64 (test_stat (f.sink, "lookahead-packets"), 5);
  fixture_free (&f);
}

GST_END_TEST;

/* All may leave within lookahead, as far as the path takes them. */
GST_START_TEST (drain_timeout_bounds_the_wait_for_the_last_packet)
{
  Fixture f = with_five_ahead ();

  g_object_set (f.sink, "lookahead", 100, "drain-timeout", 200, NULL);
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  fail_unless_equals_uint64 (waited_for (&f), 300 * MS);
  gst_test_clock_crank (f.clock);
  gst_message_unref (test_log_wait (f.log, 1, GST_MESSAGE_EOS, NULL, NULL));
  fail_unless_equals_uint64 (test_stat (f.sink, "packets-dropped"), 5);
  fixture_free (&f);
}

GST_END_TEST;

/* Live input may be due seconds later, for which nobody who ends a stream waits. */
GST_START_TEST (drain_timeout_bounds_the_wait_for_the_latency)
{
  Fixture f = fixture_new (
      "is-live=true min-latency=2000000000", "lookahead=100 drain-timeout=200");

  for (guint i = 0; i < 6; i++)
    push (&f, i, i * 20 * MS);
  test_log_wait_stat (f.log, "sink", "lookahead-packets", 6);
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  fail_unless_equals_uint64 (waited_for (&f), 300 * MS);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (a_shorter_drain_timeout_ends_a_wait_that_has_begun)
{
  Fixture f = with_five_ahead ();

  g_object_set (f.sink, "lookahead", 100, NULL);
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  fail_unless_equals_uint64 (waited_for (&f), 10100 * MS);
  g_object_set (f.sink, "drain-timeout", 200, NULL);
  fail_unless_equals_uint64 (waited_for (&f), 300 * MS);
  gst_test_clock_set_time (f.clock, START + 50 * MS);
  g_object_set (f.sink, "drain-timeout", 0, NULL);
  fail_unless_equals_uint64 (waited_for (&f), 100 * MS);
  gst_test_clock_crank (f.clock);
  gst_message_unref (test_log_wait (f.log, 1, GST_MESSAGE_EOS, NULL, NULL));
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (a_pause_delays_the_wait_for_the_last_packet)
{
  Fixture f = with_five_ahead ();

  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  fail_unless_equals_uint64 (waited_for (&f), 30 * S + 20 * MS);
  test_set_state (f.pipeline, GST_STATE_PAUSED);
  gst_test_clock_set_time (f.clock, START + 10 * S);
  test_set_state (f.pipeline, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (waited_for (&f), 40 * S + 20 * MS);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (packets_follow_the_clock)
{
  Fixture f = with_five_ahead ();

  gst_test_clock_set_time (f.clock, START + 31 * S);
  push (&f, 7, 31 * S); /* the sink reads the clock with each buffer */
  fail_unless_arrive (&f, 8);
  fixture_free (&f);
}

GST_END_TEST;

/* The base time moves by the length of the pause.  Here the application sets another. */
GST_START_TEST (packets_move_with_the_base_time)
{
  Fixture f = with_five_ahead ();

  gst_element_set_state (f.pipeline, GST_STATE_PAUSED);
  gst_element_set_start_time (f.pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (f.pipeline, START - 31 * S);
  push (&f, 7, 31 * S);
  gst_element_set_state (f.pipeline, GST_STATE_PLAYING);
  fail_unless_arrive (&f, 8);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (a_pause_delays_the_wait)
{
  Fixture f = fixture_new ("", "lookahead=100");

  push_first_two (&f);
  push (&f, 2, 1000 * MS);
  fail_unless_equals_uint64 (waited_for (&f), 950 * MS);
  test_set_state (f.pipeline, GST_STATE_PAUSED);
  gst_test_clock_set_time (f.clock, START + 10 * S);
  test_set_state (f.pipeline, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (waited_for (&f), 10950 * MS);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (a_flush_drops_the_packets)
{
  Fixture f = with_five_ahead ();

  fail_unless (gst_element_send_event (f.appsrc, gst_event_new_flush_start ()));
  fail_unless (gst_element_send_event (f.appsrc, gst_event_new_flush_stop (TRUE)));
  fail_unless_equals_uint64 (test_stat (f.sink, "lookahead-packets"), 0);
  push (&f, 2, 0);
  push (&f, 3, 0);
  fail_unless_arrive (&f, 4);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (a_flushing_step_drops_the_packets)
{
  Fixture f = with_five_ahead ();

  fail_unless (
      gst_element_send_event (f.sink, gst_event_new_step (GST_FORMAT_BUFFERS, 1, 1, TRUE, FALSE)));
  fail_unless_equals_uint64 (test_stat (f.sink, "lookahead-packets"), 0);
  fixture_free (&f);
}

GST_END_TEST;

/* The number of packets is bounded whatever their times are. */
GST_START_TEST (packets_of_one_time_fill_the_queue_and_no_more)
{
  Fixture f = fixture_new ("", "lookahead=60000 max-queue-packets=5");

  push_first_two (&f);
  for (guint i = 2; i < 12; i++)
    push (&f, i, 30 * S);
  test_log_wait_stat (f.log, "sink", "lookahead-packets", 5);
  gst_test_clock_set_time (f.clock, START + 31 * S);
  g_object_set (f.sink, "max-queue-packets", 100, NULL);
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  fail_unless_arrive (&f, 12);
  fixture_free (&f);
}

GST_END_TEST;

static Suite *
takenahead_suite (void)
{
  Suite *suite = suite_create ("takenahead");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, the_pipeline_waits_until_half_the_lookahead_is_left);
  tcase_add_test (tcase, without_lookahead_the_pipeline_waits_for_each_packet);
  tcase_add_test (tcase, offset_delay_and_latency_move_the_wait);
  tcase_add_test (tcase, segments_move_the_wait);
  tcase_add_test (tcase, the_base_class_waits_if_the_application_asks_for_more);
  tcase_add_test (tcase, buffers_outside_of_the_segment_are_dropped);
  tcase_add_test (tcase, live_input_does_not_wait);
  tcase_add_test (tcase, the_end_of_the_stream_waits_for_the_last_packet);
  tcase_add_test (tcase, drain_timeout_bounds_the_wait_for_the_last_packet);
  tcase_add_test (tcase, drain_timeout_bounds_the_wait_for_the_latency);
  tcase_add_test (tcase, a_shorter_drain_timeout_ends_a_wait_that_has_begun);
  tcase_add_test (tcase, a_pause_delays_the_wait_for_the_last_packet);
  tcase_add_test (tcase, packets_follow_the_clock);
  tcase_add_test (tcase, packets_move_with_the_base_time);
  tcase_add_test (tcase, a_pause_delays_the_wait);
  tcase_add_test (tcase, a_flush_drops_the_packets);
  tcase_add_test (tcase, a_flushing_step_drops_the_packets);
  tcase_add_test (tcase, packets_of_one_time_fill_the_queue_and_no_more);
  return suite;
}

GST_CHECK_MAIN (takenahead);
