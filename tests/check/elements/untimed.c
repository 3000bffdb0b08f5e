/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input without time stamps is sent in the time of its clock references. With a test clock these tests see
 * for which times the pipeline waits; libs/pcrpace.c tests the arithmetic. */
#include "tfrctest.h"

#include <gst/app/gstappsrc.h>
#include <gst/check/gsttestclock.h>

#include "tests/check/libs/pcrmovie.h"

#define MS GST_MSECOND
#define START (70 * GST_SECOND) /* base time on the test clock */
#define PAYLOADS 10
#define INTERVAL_MS 40 /* between two references, of 14 packets of the transport stream */
#define PID 0x100

/* appsrc ! tfrcsink, playing by a test clock; nobody receives */
typedef struct
{
  TestPeer *peer;
  GstElement *pipeline, *appsrc, *sink;
  TestLog *log;
  GstTestClock *clock;
  guint pushed; /* payloads */
} Fixture;

static Fixture
fixture_new (const gchar *src_properties, const gchar *sink_properties)
{
  Fixture f = { .peer = test_peer_new (0) };
  gchar *line = g_strdup_printf ("appsrc name=in caps=video/mpegts,systemstream=(boolean)true,"
                                 "packetsize=188 %s ! tfrcsink name=sink port=%d lookahead=0 "
                                 "stats-update-interval=20 %s",
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
}

/* Every other payload begins with a clock reference. */
static void
push_at (Fixture *f, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, PAYLOAD_BYTES, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < 7; i++)
    pcr_write_plain (map.data + i * PCR_TS_BYTES, PID, f->pushed * 7 + i);
  if (f->pushed % 2 == 0)
    pcr_write (
        map.data, f->pushed / 2 * INTERVAL_MS * PCR_PER_MS + G_GUINT64_CONSTANT (123456), FALSE);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = pts;
  fail_unless_equals_int (gst_app_src_push_buffer (GST_APP_SRC (f->appsrc), buffer), GST_FLOW_OK);
  f->pushed++;
}

static void
push (Fixture *f, guint payloads)
{
  while (payloads-- > 0)
    push_at (f, GST_CLOCK_TIME_NONE);
}

/* Waits until the pipeline waits for the clock.  Returns the time that it waits for, and moves the clock
 * there. */
static GstClockTime
crank (Fixture *f)
{
  GstClockID id;
  GstClockTime time;

  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  time = gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  gst_test_clock_crank (f->clock);
  return time - START;
}

static guint
warnings (Fixture *f)
{
  return test_log_count (f->log, GST_MESSAGE_WARNING, NULL, NULL);
}

GST_START_TEST (input_without_time_stamps_waits_for_its_clock_references)
{
  Fixture f = fixture_new ("", "");

  push (&f, PAYLOADS);
  /* of payloads, the last of whose packets are 6 and 13 packets behind a reference */
  for (guint i = 0; i < PAYLOADS / 2 - 1; i++) {
    fail_unless_equals_uint64 (crank (&f), i * INTERVAL_MS * MS + INTERVAL_MS * MS * 6 / 14);
    fail_unless_equals_uint64 (crank (&f), i * INTERVAL_MS * MS + INTERVAL_MS * MS * 13 / 14);
  }
  gst_message_unref (test_log_wait (f.log, 1, GST_MESSAGE_WARNING, NULL, NULL));
  gst_app_src_end_of_stream (GST_APP_SRC (f.appsrc));
  /* The rest goes as the interval before, and the end with it. */
  fail_unless_equals_uint64 (crank (&f), 4 * INTERVAL_MS * MS + INTERVAL_MS * MS * 6 / 14);
  fail_unless_equals_uint64 (crank (&f), 4 * INTERVAL_MS * MS + INTERVAL_MS * MS * 13 / 14);
  fail_unless_equals_int (warnings (&f), 1);
  fixture_free (&f);
}

GST_END_TEST;

/* As of a file, whose buffers are cut anywhere */
GST_START_TEST (the_first_reference_is_due_when_it_comes)
{
  Fixture f = fixture_new ("", "");

  gst_test_clock_set_time (f.clock, START + 5000 * MS);
  push (&f, 3);
  fail_unless_equals_uint64 (crank (&f), 5000 * MS + INTERVAL_MS * MS * 6 / 14);
  fixture_free (&f);
}

GST_END_TEST;

/* As of an application that plays the next file with the same pipeline. */
GST_START_TEST (after_a_restart_the_times_begin_anew)
{
  Fixture f = fixture_new ("", "");

  for (guint run = 1; run <= 2; run++) {
    f.pushed = 0;
    push (&f, 3);
    fail_unless_equals_uint64 (crank (&f), run * (INTERVAL_MS * MS * 6 / 14));
    test_set_state (f.pipeline, GST_STATE_READY);
    gst_element_set_state (f.pipeline, GST_STATE_PLAYING);
  }
  fixture_free (&f);
}

GST_END_TEST;

/* The running time goes on, and the reference behind the flush is due now. */
GST_START_TEST (after_a_flush_the_first_reference_is_due_when_it_comes)
{
  Fixture f = fixture_new ("", "");

  push (&f, 3);
  fail_unless_equals_uint64 (crank (&f), INTERVAL_MS * MS * 6 / 14);
  gst_test_clock_wait_for_next_pending_id (f.clock, NULL);
  fail_unless (gst_element_send_event (f.appsrc, gst_event_new_flush_start ()));
  gst_test_clock_set_time (f.clock, START + 5000 * MS);
  fail_unless (gst_element_send_event (f.appsrc, gst_event_new_flush_stop (FALSE)));
  f.pushed = 0;
  push (&f, 3);
  fail_unless_equals_uint64 (crank (&f), 5000 * MS + INTERVAL_MS * MS * 6 / 14);
  fixture_free (&f);
}

GST_END_TEST;

/* With a time stamp the buffer's own time counts, for which the pipeline waits first. */
GST_START_TEST (time_stamps_have_the_last_word)
{
  Fixture f = fixture_new ("format=time", "");

  push (&f, 3);
  fail_unless_equals_uint64 (crank (&f), INTERVAL_MS * MS * 6 / 14);
  fail_unless_equals_uint64 (crank (&f), INTERVAL_MS * MS * 13 / 14);
  push_at (&f, 3000 * MS);
  fail_unless_equals_uint64 (crank (&f), INTERVAL_MS * MS + INTERVAL_MS * MS * 6 / 14);
  fail_unless_equals_uint64 (crank (&f), 3000 * MS);
  push_at (&f, 3001 * MS);
  fail_unless_equals_uint64 (crank (&f), 3001 * MS);
  fail_unless_equals_int (warnings (&f), 1);
  fixture_free (&f);
}

GST_END_TEST;

/* As tsparse has it of the tables in front of the first clock reference */
GST_START_TEST (a_beginning_without_times_is_no_reason_to_warn)
{
  Fixture f = fixture_new ("format=time", "");

  f.pushed = 1; /* without a clock reference */
  push (&f, 1);
  push_at (&f, 20 * MS);
  push_at (&f, 40 * MS);
  fail_unless_equals_uint64 (crank (&f), 20 * MS);
  fail_unless_equals_uint64 (crank (&f), 40 * MS);
  fail_unless_equals_int (warnings (&f), 0);
  fixture_free (&f);
}

GST_END_TEST;

/* As of filesrc ! identity datarate=N: the source gives the first buffer the time 0, and identity one to each. */
GST_START_TEST (times_in_a_segment_of_bytes_are_time_stamps)
{
  Fixture f = fixture_new ("format=bytes", "");

  f.pushed = 1; /* without a clock reference */
  push_at (&f, 0);
  push_at (&f, 20 * MS);
  push_at (&f, 40 * MS);
  fail_unless_equals_uint64 (crank (&f), 20 * MS);
  fail_unless_equals_uint64 (crank (&f), 40 * MS);
  fail_unless_equals_int (warnings (&f), 0);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (without_references_the_user_is_warned_as_well)
{
  Fixture f = fixture_new ("", "max-queue-packets=200");

  for (guint i = 0; i < 110; i++) {
    f.pushed = 2 * i + 1;
    push (&f, 1);
  }
  gst_message_unref (test_log_wait (f.log, 1, GST_MESSAGE_WARNING, NULL, NULL));
  fail_unless_equals_int (gst_test_clock_peek_id_count (f.clock), 0);
  fixture_free (&f);
}

GST_END_TEST;

/* Three payloads leave, of which the receiver sees one, as long as it does not answer. */
static void
assert_at_once (const gchar *src_properties, const gchar *sink_properties, GstClockTime pts)
{
  Fixture f = fixture_new (src_properties, sink_properties);

  for (guint i = 0; i < 3; i++)
    push_at (&f, pts);
  test_log_wait_stat (f.log, "sink", "queue-packets", 1);
  fail_unless_equals_int (gst_test_clock_peek_id_count (f.clock), 0);
  fail_unless_equals_int (warnings (&f), 0);
  fixture_free (&f);
}

GST_START_TEST (live_input_and_input_with_times_of_its_own_do_not_wait)
{
  assert_at_once ("", "sync=false", GST_CLOCK_TIME_NONE);
  assert_at_once ("is-live=true format=time", "processing-deadline=0", GST_CLOCK_TIME_NONE);
  assert_at_once ("format=time", "", 0);
}

GST_END_TEST;

static Suite *
untimed_suite (void)
{
  Suite *suite = suite_create ("untimed");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, input_without_time_stamps_waits_for_its_clock_references);
  tcase_add_test (tcase, the_first_reference_is_due_when_it_comes);
  tcase_add_test (tcase, after_a_restart_the_times_begin_anew);
  tcase_add_test (tcase, after_a_flush_the_first_reference_is_due_when_it_comes);
  tcase_add_test (tcase, time_stamps_have_the_last_word);
  tcase_add_test (tcase, a_beginning_without_times_is_no_reason_to_warn);
  tcase_add_test (tcase, times_in_a_segment_of_bytes_are_time_stamps);
  tcase_add_test (tcase, without_references_the_user_is_warned_as_well);
  tcase_add_test (tcase, live_input_and_input_with_times_of_its_own_do_not_wait);
  return suite;
}

GST_CHECK_MAIN (untimed);
