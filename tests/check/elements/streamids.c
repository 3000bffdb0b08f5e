/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tfrcsink that calls a tfrcsrc and names its stream. */
#include <string.h>

#include "gst/stream/door.h"
#include "tfrctest.h"

static TestSender *
sender_new (const TestReceiver *receiver, const gchar *stream_id, const gchar *properties)
{
  gchar *all = g_strdup_printf ("mode=caller streamid=\"%s\" %s", stream_id, properties);
  TestSender *sender = test_sender_new (receiver->port, all);

  g_free (all);
  return sender;
}

static void
check_movie (const gchar *properties)
{
  gchar *of_receiver = g_strdup_printf ("streamid=\"the film\" %s", properties);
  TestReceiver *receiver = test_receiver_new (of_receiver);
  TestSender *sender = sender_new (receiver, "the film", properties);
  GBytes *movie = test_movie (7 * 100, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  test_receiver_wait_eos (receiver);
  test_sender_wait_eos (sender);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_free (of_receiver);
}

GST_START_TEST (test_a_stream_with_the_id_that_is_taken_is_played_to_its_end)
{
  check_movie ("");
  check_movie ("passphrase=\"only the two ends know it\"");
}

GST_END_TEST;

GST_START_TEST (test_a_refusal_of_another_id_is_an_error_with_its_reason)
{
  TestReceiver *receiver = test_receiver_new ("streamid=film");
  TestSender *sender = sender_new (receiver, "another film", "");
  GBytes *movie = test_movie (70, 1);
  GstMessage *message;
  GError *error;

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  message = test_log_wait (sender->log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED));
  fail_unless (strstr (error->message, "another stream id") != NULL, "%s", error->message);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-received"), 0);
  g_error_free (error);
  gst_message_unref (message);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_sender_that_names_no_stream_is_foreign_to_a_receiver_that_takes_one)
{
  TestReceiver *receiver = test_receiver_new ("streamid=film stats-update-interval=20");
  TestSender *stranger = test_sender_new (receiver->port, ""), *sender;
  GBytes *strange = test_movie (7 * 10, 2), *movie = test_movie (7 * 10, 1);

  test_sender_push_bytes (stranger, strange, PAYLOAD_BYTES);
  test_log_wait_stat (receiver->log, "src", "foreign-packets", 3);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-received"), 0);
  sender = sender_new (receiver, "film", "");
  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_movie (receiver, movie);
  test_sender_free (sender);
  test_sender_free (stranger);
  test_receiver_free (receiver);
  g_bytes_unref (strange);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* Calls until the call is accepted. */
static void
call_from (TestPeer *peer, gint port, const gchar *stream_id)
{
  GstTfrcCallPacket call = { .ssrc = peer->ssrc, .number = 1 };
  GstTfrcAnswerPacket answer = { .kind = GST_TFRC_ANSWER_COOKIE };
  guint8 data[GST_TFRC_MAX_PACKET_BYTES];

  g_strlcpy (call.stream_id, stream_id, sizeof call.stream_id);
  while (answer.kind == GST_TFRC_ANSWER_COOKIE) {
    memcpy (call.cookie, answer.cookie, sizeof call.cookie);
    test_peer_send (peer, port, data, gst_tfrc_call_packet_write (data, &call));
    fail_unless (
        gst_tfrc_answer_packet_parse (data, test_peer_receive (peer, data, sizeof data), &answer));
  }
  fail_unless_equals_int (answer.kind, GST_TFRC_ANSWER_ACCEPTED);
}

GST_START_TEST (test_the_oldest_sender_makes_room_unless_it_is_played)
{
  TestReceiver *receiver = test_receiver_new ("streamid=film stats-update-interval=20");
  TestPeer *played = test_peer_new (0), *others[GST_TFRC_DOOR_SENDERS];
  GBytes *movie = test_movie (2 * 7, 1);
  const guint8 *ts = g_bytes_get_data (movie, NULL);

  call_from (played, receiver->port, "film");
  test_peer_send_data (played, receiver->port, ts, PAYLOAD_BYTES);
  test_receiver_wait_bytes (receiver, PAYLOAD_BYTES);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    others[i] = test_peer_new (0);
    call_from (others[i], receiver->port, "film");
  }
  fail_unless_equals_uint64 (test_stat (receiver->src, "foreign-packets"), 0);
  others[0]->unresponsive = TRUE;
  test_peer_send_data (others[0], receiver->port, ts, PAYLOAD_BYTES);
  test_log_wait_stat (receiver->log, "src", "foreign-packets", 1);
  test_peer_send_data (played, receiver->port, ts + PAYLOAD_BYTES, PAYLOAD_BYTES);
  test_receiver_wait_movie (receiver, movie);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    test_peer_free (others[i]);
  test_peer_free (played);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_that_nobody_takes_the_call_is_a_warning_and_the_stream_waits)
{
  TestReceiver *receiver = test_receiver_new (""); /* takes any sender, and no calls */
  TestSender *sender = sender_new (receiver, "film", "");
  GBytes *movie = test_movie (7, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_log_wait_warning (sender->log, GST_RESOURCE_ERROR_WRITE,
      "Nobody answers the call to tfrc://127.0.0.1:", "mode=listener and a streamid");
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), 0);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_text_that_is_no_stream_id_is_an_error)
{
  gchar *long_text = g_strnfill (10000, 'x');
  const gchar *texts[] = { long_text, "a\nb", "\xff\xfe" };
  const gchar *kinds[] = { "tfrcsink", "tfrcsrc" };

  for (guint i = 0; i < G_N_ELEMENTS (texts) * G_N_ELEMENTS (kinds); i++) {
    GstElement *element = gst_check_setup_element (kinds[i % G_N_ELEMENTS (kinds)]);
    TestLog *log = test_log_new (element);

    g_object_set (
        element, "streamid", texts[i / G_N_ELEMENTS (kinds)], "port", test_free_port (), NULL);
    fail_unless_equals_int (
        gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    test_log_wait_error (log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS);
    test_set_state (element, GST_STATE_NULL);
    gst_object_unref (element);
    test_log_free (log);
  }
  g_free (long_text);
}

GST_END_TEST;

GST_START_TEST (test_the_stream_id_is_a_key_of_the_uri)
{
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  gchar *text;

  fail_unless (gst_uri_handler_set_uri (
      GST_URI_HANDLER (sink), "tfrc://127.0.0.1:5004?mode=caller&streamid=a%20film", NULL));
  g_object_get (sink, "streamid", &text, NULL);
  fail_unless_equals_string (text, "a film");
  g_free (text);
  fail_unless (!gst_uri_handler_set_uri (
      GST_URI_HANDLER (sink), "tfrc://127.0.0.1:5004?streamid=a%0Ab", NULL));
  fail_unless (
      gst_uri_handler_set_uri (GST_URI_HANDLER (sink), "tfrc://127.0.0.1:5004/another", NULL));
  g_object_get (sink, "streamid", &text, NULL);
  fail_unless_equals_string (text, "another");
  g_free (text);
  fail_unless (!gst_uri_handler_set_uri (
      GST_URI_HANDLER (sink), "tfrc://127.0.0.1:5004/another?mode=listener", NULL));
  gst_object_unref (sink);
}

GST_END_TEST;

static Suite *
streamids_suite (void)
{
  Suite *suite = suite_create ("streamids");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_stream_with_the_id_that_is_taken_is_played_to_its_end);
  tcase_add_test (tcase, test_a_refusal_of_another_id_is_an_error_with_its_reason);
  tcase_add_test (
      tcase, test_a_sender_that_names_no_stream_is_foreign_to_a_receiver_that_takes_one);
  tcase_add_test (tcase, test_the_oldest_sender_makes_room_unless_it_is_played);
  tcase_add_test (tcase, test_that_nobody_takes_the_call_is_a_warning_and_the_stream_waits);
  tcase_add_test (tcase, test_a_text_that_is_no_stream_id_is_an_error);
  tcase_add_test (tcase, test_the_stream_id_is_a_key_of_the_uri);
  return suite;
}

GST_CHECK_MAIN (streamids);
