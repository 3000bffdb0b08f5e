/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The adaptive TTL of tfrcsink: properties, errors, and statistics of both elements. */
#include "../libs/testnet.h"
#include "tfrctest.h"

/* Returns the text of the error with which the element refuses to start. */
static gchar *
refusal (const gchar *properties)
{
  gchar *line = g_strdup_printf ("tfrcsink name=sink async=false %s", properties);
  GstElement *sink = gst_parse_launch (line, NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;
  gchar *text;

  gst_element_set_bus (sink, bus);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
  g_free (line);
  return text;
}

GST_START_TEST (test_limits_in_the_wrong_order_are_refused_by_both_names)
{
  gchar *text = refusal ("adaptive-ttl=true ttl-min=20 ttl-max=19");

  fail_unless (strstr (text, "ttl-min 20 is more than ttl-max 19") != NULL, "%s", text);
  g_free (text);
}

GST_END_TEST;

GST_START_TEST (test_ttl_0_is_refused)
{
  gchar *text = refusal ("ttl=0");

  fail_unless (strstr (text, "no packet could leave this host") != NULL, "%s", text);
  g_free (text);
}

GST_END_TEST;

static void
check_alpha (GstElement *sink, const gchar *uri, gboolean accepted)
{
  GError *error = NULL;

  fail_unless (
      gst_uri_handler_set_uri (GST_URI_HANDLER (sink), uri, &error) == accepted, "%s", uri);
  fail_unless ((error == NULL) == accepted);
  g_clear_error (&error);
}

GST_START_TEST (test_a_uri_sets_the_properties_in_their_ranges)
{
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  gboolean adaptive;
  guint least, most;
  gdouble alpha;

  check_alpha (sink, "tfrc://127.0.0.1:5004?ttl-alpha=1", FALSE);
  check_alpha (sink, "tfrc://127.0.0.1:5004?ttl-alpha=0.49", FALSE);
  check_alpha (sink, "tfrc://127.0.0.1:5004?ttl-max=256", FALSE);
  check_alpha (sink, "tfrc://127.0.0.1:5004?ttl-min=0", FALSE);
  check_alpha (
      sink, "tfrc://127.0.0.1:5004?adaptive-ttl=true&ttl-min=3&ttl-max=9&ttl-alpha=0.999", TRUE);
  g_object_get (sink, "adaptive-ttl", &adaptive, "ttl-min", &least, "ttl-max", &most, "ttl-alpha",
      &alpha, NULL);
  fail_unless (adaptive && least == 3 && most == 9 && alpha == 0.999);
  gst_object_unref (sink);
}

GST_END_TEST;

/* Sends a movie, and checks the statistics that come from its TTL. */
static void
check_stats (const gchar *properties, guint sink_ttl, guint seen_at_first, guint seen_at_last)
{
  TestReceiver *receiver = test_receiver_new ("address=::");
  TestSender *sender = test_sender_new (receiver->port, properties);
  GBytes *movie = test_movie (70, 1), *rest = test_bytes_from (movie, PAYLOAD_BYTES);

  test_sender_push (sender, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  fail_unless_equals_uint64 (test_stat (receiver->src, "ttl"), seen_at_first);
  test_sender_push_bytes (sender, rest, 0);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (sender->sink, "ttl"), sink_ttl);
  fail_unless_equals_uint64 (test_stat (sender->sink, "hops"), 1);
  fail_unless_equals_uint64 (test_stat (receiver->src, "ttl"), seen_at_last);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (rest);
  g_bytes_unref (movie);
}

GST_START_TEST (test_the_ttl_and_the_hops_are_told_without_adaptation)
{
  check_stats ("ttl=9", 9, 9, 9);
  if (test_host_has_ipv6 ())
    check_stats ("ttl=9 host=::1", 9, 9, 9);
}

GST_END_TEST;

/* The host itself is one hop away. */
GST_START_TEST (test_the_ttl_falls_to_its_minimum)
{
  check_stats ("ttl=9 adaptive-ttl=true ttl-min=3", 3, 9, 3);
  if (test_host_has_ipv6 ())
    check_stats ("ttl=9 host=::1 adaptive-ttl=true ttl-min=3", 3, 9, 3);
}

GST_END_TEST;

static Suite *
ttl_suite (void)
{
  Suite *suite = suite_create ("ttl");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_limits_in_the_wrong_order_are_refused_by_both_names);
  tcase_add_test (tcase, test_ttl_0_is_refused);
  tcase_add_test (tcase, test_a_uri_sets_the_properties_in_their_ranges);
  tcase_add_test (tcase, test_the_ttl_and_the_hops_are_told_without_adaptation);
  tcase_add_test (tcase, test_the_ttl_falls_to_its_minimum);
  return suite;
}

GST_CHECK_MAIN (ttl);
