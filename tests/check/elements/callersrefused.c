/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Callers that a tfrcsink with mode=listener does not serve, and what each end is told. */
#include "listenerfixture.h"

GST_START_TEST (test_a_refusal_reaches_the_caller_as_an_error_with_its_reason)
{
  Listener *listener = listener_new ("");
  TestReceiver *receiver = call (listener, "none of these", "");
  gchar *reason;

  test_log_wait_error (receiver->log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED);
  wait_until (listener, &listener->rejected, 1);
  reason = dup_reason (listener);
  fail_unless_equals_string (reason, "there is no such film");
  fail_unless_equals_int (listener->added, 0);
  g_free (reason);
  test_receiver_free (receiver);
  listener_free (listener);
}

GST_END_TEST;

GST_START_TEST (test_no_more_callers_than_max_callers_are_there)
{
  Listener *listener = listener_new ("max-callers=1");
  TestReceiver *early = call (listener, "film", ""), *late;
  gchar *reason;

  wait_until (listener, &listener->added, 1);
  late = call (listener, "film", "");
  test_log_wait_error (late->log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED);
  wait_until (listener, &listener->rejected, 1);
  reason = dup_reason (listener);
  fail_unless_equals_string (reason, "there is no room");
  g_free (reason);
  test_receiver_free (late);
  g_object_set (listener->sender->sink, "max-callers", 2, NULL);
  late = call (listener, "film", "");
  wait_until (listener, &listener->added, 2);
  test_receiver_free (late);
  test_receiver_free (early);
  listener_free (listener);
}

GST_END_TEST;

/* An error that the caller gets, and a reason that the application gets */
GST_START_TEST (test_another_passphrase_than_that_of_the_stream_is_an_error_at_both_ends)
{
  Listener *listener = listener_new ("");
  TestReceiver *receiver = call (listener, "secret film", "passphrase=\"of another film\"");
  GBytes *movie = test_movie (7 * 20, 1);
  GError *error = NULL;
  GstMessage *message;
  gchar *reason;

  wait_until (listener, &listener->added, 1);
  test_sender_push_bytes (listener->sender, movie, PAYLOAD_BYTES);
  message = test_log_wait (receiver->log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "The passphrases of the two ends differ") != NULL, "%s",
      error->message);
  wait_until (listener, &listener->removed, 1);
  reason = dup_reason (listener);
  fail_unless_equals_string (reason, "no keys can be agreed on");
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  gst_message_unref (message);
  g_error_free (error);
  g_free (reason);
  test_receiver_free (receiver);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_passphrase_that_cannot_be_one_refuses_the_call)
{
  Listener *listener = listener_new ("");
  TestReceiver *receiver = call (listener, "short film", "");

  test_log_wait_error (receiver->log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED);
  gst_message_unref (test_log_wait (listener->sender->log, 1, GST_MESSAGE_WARNING, NULL, NULL));
  test_receiver_free (receiver);
  listener_free (listener);
}

GST_END_TEST;

/* Messages are logged, and shown to users. */
GST_START_TEST (test_the_warning_of_an_answer_that_is_wrong_has_no_passphrase)
{
  Listener *listener = listener_new ("");
  TestReceiver *receiver = call (listener, "number of a film", "");
  GstMessage *message;
  gchar *debug;

  message = test_log_wait (listener->sender->log, 1, GST_MESSAGE_WARNING, NULL, NULL);
  gst_message_parse_warning (message, NULL, &debug);
  fail_unless (strstr (debug, "of this film alone") == NULL, "%s", debug);
  fail_unless (strstr (debug, "accept") && strstr (debug, "gint"), "%s", debug);
  g_free (debug);
  gst_message_unref (message);
  test_receiver_free (receiver);
  listener_free (listener);
}

GST_END_TEST;

GST_START_TEST (test_a_port_in_use_is_an_error)
{
  Listener *listener = listener_new ("");
  GstElement *element = gst_check_setup_element ("tfrcsink");
  TestLog *log = test_log_new (element);

  gst_util_set_object_arg (G_OBJECT (element), "mode", "listener");
  g_object_set (element, "bind-address", "127.0.0.1", "port", listener->port, NULL);
  fail_unless_equals_int (
      gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  test_log_wait_error (log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE);
  test_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  test_log_free (log);
  listener_free (listener);
}

GST_END_TEST;

/* The stream id is the application's to judge, as the sink opens no file. */
GST_START_TEST (test_a_stream_id_that_looks_like_a_path_reaches_the_application_as_it_is)
{
  Listener *listener = listener_new ("");
  TestReceiver *receiver = call (listener, "none/../../etc/passwd", "");

  test_log_wait_error (receiver->log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED);
  g_mutex_lock (&listener->lock);
  fail_unless_equals_string (g_ptr_array_index (listener->calls, 0), "none/../../etc/passwd");
  g_mutex_unlock (&listener->lock);
  test_receiver_free (receiver);
  listener_free (listener);
}

GST_END_TEST;

/* Another program, which has the port now: the earlier one can get nothing any more. */
GST_START_TEST (test_a_second_caller_at_one_address_and_port_takes_the_place_of_the_first)
{
  Listener *listener = listener_new ("");
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (7, 1);
  gchar *reason;

  call_by_hand (listener, peer, movie);
  wait_until (listener, &listener->added, 1);
  peer->ssrc++;
  call_by_hand (listener, peer, movie);
  wait_until (listener, &listener->added, 2);
  wait_until (listener, &listener->removed, 1);
  reason = dup_reason (listener);
  fail_unless_equals_string (reason, "its port calls anew");
  fail_unless_equals_int (test_stat (listener->sender->sink, "callers-accepted"), 1);
  g_free (reason);
  test_peer_free (peer);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_that_nobody_listens_is_a_warning_and_the_calls_go_on)
{
  gint port = test_free_port ();
  gchar *properties = g_strdup_printf ("mode=caller address=127.0.0.1 port=%d", port);
  gchar *text = g_strdup_printf ("Nobody answers the call to tfrc://127.0.0.1:%d", port);
  TestReceiver *receiver = test_receiver_new (properties);

  test_log_wait_warning (receiver->log, GST_RESOURCE_ERROR_READ, text, "mode=listener");
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  test_receiver_free (receiver);
  g_free (text);
  g_free (properties);
}

GST_END_TEST;

static Suite *
callersrefused_suite (void)
{
  Suite *suite = suite_create ("callersrefused");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_refusal_reaches_the_caller_as_an_error_with_its_reason);
  tcase_add_test (tcase, test_no_more_callers_than_max_callers_are_there);
  tcase_add_test (tcase, test_another_passphrase_than_that_of_the_stream_is_an_error_at_both_ends);
  tcase_add_test (tcase, test_a_passphrase_that_cannot_be_one_refuses_the_call);
  tcase_add_test (tcase, test_the_warning_of_an_answer_that_is_wrong_has_no_passphrase);
  tcase_add_test (tcase, test_a_port_in_use_is_an_error);
  tcase_add_test (tcase, test_a_stream_id_that_looks_like_a_path_reaches_the_application_as_it_is);
  tcase_add_test (tcase, test_a_second_caller_at_one_address_and_port_takes_the_place_of_the_first);
  tcase_add_test (tcase, test_that_nobody_listens_is_a_warning_and_the_calls_go_on);
  return suite;
}

GST_CHECK_MAIN (callersrefused);
