/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tags of GStreamer: the elements make and carry none, a transport stream has what its muxer wrote. */
#include "tfrctest.h"

#define PACKETS 70

/* The text of this tag in the messages so far; free with g_free() */
static gchar *
tag_in_log (TestLog *log, const gchar *tag)
{
  guint n = test_log_count (log, GST_MESSAGE_TAG, NULL, NULL);
  gchar *text = NULL;

  for (guint i = 1; i <= n && text == NULL; i++) {
    GstMessage *message = test_log_wait (log, i, GST_MESSAGE_TAG, NULL, NULL);
    GstTagList *tags;

    gst_message_parse_tag (message, &tags);
    gst_tag_list_get_string (tags, tag, &text);
    gst_tag_list_unref (tags);
    gst_message_unref (message);
  }
  return text;
}

static void
assert_tag (TestLog *log, const gchar *tag, const gchar *expected)
{
  gchar *text = tag_in_log (log, tag);

  fail_unless (g_strcmp0 (text, expected) == 0, "%s is %s", tag, GST_STR_NULL (text));
  g_free (text);
}

GST_START_TEST (tags_at_the_sink_become_a_message_and_do_not_travel)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (PACKETS, 1);
  GBytes *rest = test_bytes_from (movie, PACKETS / 2 * TS_BYTES);
  GstTagList *tags = gst_tag_list_new (GST_TAG_TITLE, "A film", NULL);

  test_sender_push (sender, g_bytes_get_data (movie, NULL), PACKETS / 2 * TS_BYTES);
  test_receiver_wait_bytes (receiver, PACKETS / 2 * TS_BYTES);
  fail_unless (gst_element_send_event (sender->appsrc, gst_event_new_tag (tags)));
  test_sender_push_bytes (sender, rest, 0);
  test_sender_eos (sender);
  test_receiver_wait_eos (receiver);
  test_receiver_wait_movie (receiver, movie);
  assert_tag (sender->log, GST_TAG_TITLE, "A film");
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_TAG, NULL, NULL), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (rest);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* The muxer writes the language into the table of the program, and has no place for the title. */
static void
send_a_sound_with_tags (void)
{
  TestReceiver *receiver = test_receiver_new ("! tsdemux");
  gchar *line = g_strdup_printf (
      "audiotestsrc num-buffers=50 ! avenc_aac ! taginject "
      "tags=\"title=film,language-code=de\" ! aacparse ! mpegtsmux alignment=7 "
      "! tfrcsink host=127.0.0.1 port=%d sync=false",
      receiver->port);
  GstElement *pipeline = gst_parse_launch (line, NULL);

  test_set_state (pipeline, GST_STATE_PLAYING);
  test_receiver_wait_eos (receiver);
  assert_tag (receiver->log, GST_TAG_LANGUAGE_CODE, "de");
  assert_tag (receiver->log, GST_TAG_TITLE, NULL);
  test_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
  test_receiver_free (receiver);
}

GST_START_TEST (the_receiver_has_the_tags_of_the_transport_stream)
{
  static const gchar *const names[] = { "audiotestsrc", "avenc_aac", "taginject", "aacparse",
    "mpegtsmux", "tsdemux", NULL };

  if (test_has_elements (names))
    send_a_sound_with_tags ();
}

GST_END_TEST;

static Suite *
tags_suite (void)
{
  Suite *suite = suite_create ("tags");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, tags_at_the_sink_become_a_message_and_do_not_travel);
  tcase_add_test (tcase, the_receiver_has_the_tags_of_the_transport_stream);
  return suite;
}

GST_CHECK_MAIN (tags);
