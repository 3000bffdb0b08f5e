/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstForceKeyUnit goes through a stream: from what is behind tfrcsrc to what is in front of tfrcsink. */
#include "tfrctest.h"

static gint key_units; /* that the pipeline in front of tfrcsink was asked for */

static GstPadProbeReturn
count_key_units (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  gboolean all_headers;

  if (gst_event_has_name (event, "GstForceKeyUnit")) {
    fail_unless (
        gst_structure_get_boolean (gst_event_get_structure (event), "all-headers", &all_headers));
    fail_unless (all_headers);
    g_atomic_int_inc (&key_units);
  }
  return GST_PAD_PROBE_OK;
}

static void
watch (TestSender *sender)
{
  GstPad *pad = gst_element_get_static_pad (sender->appsrc, "src");

  g_atomic_int_set (&key_units, 0);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_key_units, NULL, NULL);
  gst_object_unref (pad);
}

static void
wait_for_key_unit (void)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;

  while (g_atomic_int_get (&key_units) == 0) {
    fail_unless (g_get_monotonic_time () < end);
    g_thread_yield ();
  }
}

/* As a decoder does that has no picture to begin with */
static void
ask_behind (TestReceiver *receiver)
{
  GstPad *pad = gst_element_get_static_pad (receiver->src, "src");
  GstStructure *request = gst_structure_new ("GstForceKeyUnit", "running-time", G_TYPE_UINT64,
      GST_CLOCK_TIME_NONE, "all-headers", G_TYPE_BOOLEAN, TRUE, "count", G_TYPE_UINT, 1u, NULL);

  fail_unless (gst_pad_send_event (pad, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, request)));
  gst_object_unref (pad);
}

/* Ends once the receiver has what is pushed, and the sender its feedback. */
static void
play (TestSender *sender, TestReceiver *receiver)
{
  GBytes *movie = test_movie (7, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (receiver, 7 * TS_BYTES);
  g_bytes_unref (movie);
}

static void
check_request (TestSender *sender, TestReceiver *receiver)
{
  fail_unless_equals_int (g_atomic_int_get (&key_units), 0);
  ask_behind (receiver);
  wait_for_key_unit ();
  test_receiver_free (receiver);
  test_sender_free (sender);
}

GST_START_TEST (test_a_request_reaches_the_encoder)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);

  watch (sender);
  play (sender, receiver);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  check_request (sender, receiver);
}

GST_END_TEST;

GST_START_TEST (test_a_request_of_a_caller_reaches_the_encoder)
{
  gint port = test_free_port ();
  TestSender *sender = test_sender_new (port, "mode=listener bind-address=127.0.0.1");
  gchar *properties = g_strdup_printf ("mode=caller address=127.0.0.1 port=%d", port);
  TestReceiver *receiver = test_receiver_new (properties);

  watch (sender);
  gst_message_unref (test_log_wait (sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-caller", NULL));
  play (sender, receiver);
  test_log_wait_stat (receiver->log, "src", "feedback-sent", 1);
  check_request (sender, receiver);
  g_free (properties);
}

GST_END_TEST;

/* Without a stream there is nobody to ask, and nothing happens. */
GST_START_TEST (test_a_request_without_a_sender_waits_for_one)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender;

  ask_behind (receiver);
  sender = test_sender_new (receiver->port, NULL);
  watch (sender);
  play (sender, receiver);
  wait_for_key_unit ();
  test_receiver_free (receiver);
  test_sender_free (sender);
}

GST_END_TEST;

static Suite *
keypictures_suite (void)
{
  Suite *suite = suite_create ("keypictures");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_request_reaches_the_encoder);
  tcase_add_test (tcase, test_a_request_of_a_caller_reaches_the_encoder);
  tcase_add_test (tcase, test_a_request_without_a_sender_waits_for_one);
  return suite;
}

GST_CHECK_MAIN (keypictures);
