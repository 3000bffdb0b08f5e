/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When tfrcsrc tells its sender the playout delay, see gst/tfrcsrc/gsttfrcsrcsync.h. */
#include <string.h>

#include "tfrctest.h"

#define LATENCY_MS 1000
#define TOLD (LATENCY_MS * GST_MSECOND)

/* Plays a pipeline that begins with tfrcsrc, which is called src, as "src" leads to these elements. */
static GstElement *
play (const gchar *downstream)
{
  gchar *line = g_strdup_printf ("tfrcsrc name=src port=0 latency=%d %s", LATENCY_MS, downstream);
  GstElement *pipeline = gst_parse_launch (line, NULL);

  fail_unless (pipeline != NULL, "%s", line);
  test_set_state (pipeline, GST_STATE_PLAYING);
  g_free (line);
  return pipeline;
}

static guint64
told_by (GstElement *pipeline)
{
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  guint64 told = test_stat (src, "playout-delay-told");

  gst_object_unref (src);
  return told;
}

static void
set_of (GstElement *pipeline, const gchar *element, const gchar *property, const gchar *value)
{
  GstElement *of = gst_bin_get_by_name (GST_BIN (pipeline), element);

  gst_util_set_object_arg (G_OBJECT (of), property, value);
  gst_object_unref (of);
}

static void
stop (GstElement *pipeline)
{
  test_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static void
assert_told (const gchar *downstream, guint64 told)
{
  GstElement *pipeline = play (downstream);
  guint64 is_told = told_by (pipeline);

  fail_unless (is_told == told, "%s: %" G_GUINT64_FORMAT, downstream, is_told);
  stop (pipeline);
}

GST_START_TEST (test_a_sink_that_waits_for_the_clock_is_found)
{
  assert_told ("! fakesink async=false sync=true", TOLD);
  assert_told ("! queue ! identity ! fakesink async=false sync=true", TOLD);
  assert_told ("! appsink async=false", TOLD);
  assert_told ("! bin.( queue ! identity ! bin.( fakesink async=false sync=true ) )", TOLD);
}

GST_END_TEST;

GST_START_TEST (test_a_recorder_is_told_nothing)
{
  assert_told ("! fakesink async=false sync=false", 0);
  assert_told ("! filesink async=false location=/dev/null", 0);
  assert_told ("! fdsink async=false fd=1 sync=false", 0);
  assert_told ("! appsink async=false sync=false", 0);
  assert_told ("! bin.( queue ! bin.( fakesink async=false sync=false ) )", 0);
}

GST_END_TEST;

GST_START_TEST (test_one_branch_that_plays_is_enough)
{
  assert_told ("! tee name=t ! queue ! fakesink async=false sync=false "
               "t. ! queue ! fakesink async=false sync=true",
      TOLD);
  assert_told ("! tee name=t ! queue ! fakesink async=false sync=false "
               "t. ! queue ! fakesink async=false sync=false",
      0);
}

GST_END_TEST;

GST_START_TEST (test_the_property_goes_before_what_is_found)
{
  GstElement *pipeline = play ("tell-latency=true ! fakesink async=false sync=false");

  fail_unless_equals_uint64 (told_by (pipeline), TOLD);
  set_of (pipeline, "src", "latency", "300");
  fail_unless_equals_uint64 (told_by (pipeline), 300 * GST_MSECOND);
  set_of (pipeline, "src", "tell-latency", "auto");
  fail_unless_equals_uint64 (told_by (pipeline), 0);
  stop (pipeline);
  assert_told ("tell-latency=false ! fakesink async=false sync=true", 0);
}

GST_END_TEST;

GST_START_TEST (test_a_sink_that_changes_is_noticed_with_the_next_latency)
{
  GstElement *pipeline = play ("! fakesink name=sink async=false sync=true");

  set_of (pipeline, "sink", "sync", "false");
  fail_unless (gst_bin_recalculate_latency (GST_BIN (pipeline)));
  fail_unless_equals_uint64 (told_by (pipeline), 0);
  set_of (pipeline, "sink", "sync", "true");
  fail_unless (gst_bin_recalculate_latency (GST_BIN (pipeline)));
  fail_unless_equals_uint64 (told_by (pipeline), TOLD);
  stop (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_a_player_that_joins_a_recorder_is_noticed)
{
  GstElement *pipeline = play (
      "! tee name=t allow-not-linked=true ! queue ! fakesink async=false sync=false");
  GstElement *tee = gst_bin_get_by_name (GST_BIN (pipeline), "t");
  GstElement *player = gst_parse_bin_from_description (
      "queue ! fakesink async=false sync=true", TRUE, NULL);

  fail_unless_equals_uint64 (told_by (pipeline), 0);
  gst_bin_add (GST_BIN (pipeline), player);
  fail_unless (gst_element_link (tee, player));
  fail_unless_equals_uint64 (told_by (pipeline), TOLD);
  gst_object_unref (tee);
  stop (pipeline);
}

GST_END_TEST;

/* The receiver's appsink does not wait for the clock. */
GST_START_TEST (test_the_sender_hears_it_with_the_feedback)
{
  TestReceiver *receiver = test_receiver_new ("latency=1000");
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (700, 1);

  test_sender_push (sender, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  fail_unless_equals_uint64 (test_stat (sender->sink, "playout-delay-told"), 0);
  gst_util_set_object_arg (G_OBJECT (receiver->src), "tell-latency", "true");
  for (guint i = 1; test_stat (sender->sink, "playout-delay-told") == 0; i++) {
    fail_unless (i < 100, "the sender hears nothing");
    test_sender_push (
        sender, (const guint8 *) g_bytes_get_data (movie, NULL) + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
    test_log_wait_stat (sender->log, "sink", "feedback-received", i + 1);
  }
  fail_unless_equals_uint64 (test_stat (sender->sink, "playout-delay-told"), GST_SECOND);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
telllatency_suite (void)
{
  Suite *s = suite_create ("telllatency");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_a_sink_that_waits_for_the_clock_is_found);
  tcase_add_test (tc, test_a_recorder_is_told_nothing);
  tcase_add_test (tc, test_one_branch_that_plays_is_enough);
  tcase_add_test (tc, test_the_property_goes_before_what_is_found);
  tcase_add_test (tc, test_a_sink_that_changes_is_noticed_with_the_next_latency);
  tcase_add_test (tc, test_a_player_that_joins_a_recorder_is_noticed);
  tcase_add_test (tc, test_the_sender_hears_it_with_the_feedback);
  return s;
}

GST_CHECK_MAIN (telllatency);
