/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles and experiments: what they choose, what is refused, and streams between elements with
 * different profiles. */
#include "tfrctest.h"

static const gchar *const names[] = { "rfc5348", "enhanced-paper", "enhanced", "rfc5348-strict" };

#define N_NAMES G_N_ELEMENTS (names)

/* ---- what profile and experiment choose -------------------------------- */

/* Names and texts of statistics in turn */
static void
check_stats (GstElement *element, const gchar *const *expected)
{
  for (; *expected; expected += 2)
    test_assert_stat (element, expected[0], expected[1]);
}

static const struct
{
  const gchar *launch;
  const gchar *expected[12];
} settings[] = {
  { "tfrcsink", { "profile", "rfc5348", "rtt-method", "ewma", "rto-policy", "4r" } },
  { "tfrcsink profile=enhanced-paper",
      { "profile", "enhanced-paper", "rtt-method", "adaptive", "rto-policy", "adaptive" } },
  { "tfrcsink profile=enhanced",
      { "profile", "enhanced", "rtt-method", "adaptive-bounded", "rto-policy", "4r" } },
  { "tfrcsink profile=rfc5348-strict",
      { "profile", "rfc5348-strict", "rtt-method", "ewma", "rto-policy", "4r" } },
  { "tfrcsrc", { "loss-interval-method", "weighted", "loss-classifier", "none" } },
  { "tfrcsrc profile=enhanced-paper",
      { "loss-interval-method", "ci-replace", "loss-classifier", "trend" } },
  { "tfrcsink profile=enhanced-paper experiment=rtt-method=adaptive-bounded",
      { "profile", "enhanced-paper", "rtt-method", "adaptive-bounded", "rto-policy", "adaptive" } },
  { "tfrcsink experiment=rtt-method=adaptive-bounded,rto-policy=tcp profile=enhanced-paper",
      { "profile", "enhanced-paper", "rtt-method", "adaptive-bounded", "rto-policy", "tcp" } },
  { "tfrcsink uri=tfrc://h?profile=enhanced-paper&experiment=rto-policy%3Dlinux",
      { "profile", "enhanced-paper", "rtt-method", "adaptive", "rto-policy", "linux" } },
  { "tfrcsrc profile=enhanced-paper experiment=\"loss-classifier=zigzag, history-length=4\"",
      { "loss-interval-method", "ci-replace", "loss-classifier", "zigzag" } },
  { "tfrcsrc uri=tfrc://h?experiment=loss-interval-method=mean-include,loss-classifier=spike",
      { "loss-interval-method", "mean-include", "loss-classifier", "spike" } },
};

GST_START_TEST (test_experiment_goes_before_the_profile_in_any_order)
{
  GError *error = NULL;
  GstElement *element = gst_parse_launch (settings[__i__].launch, &error);

  fail_unless (error == NULL, "%s", error ? error->message : "");
  check_stats (element, settings[__i__].expected);
  gst_object_unref (element);
}

GST_END_TEST;

/* ---- an experiment with a mistake -------------------------------------- */

static const gchar *const factories[] = { "tfrcsink", "tfrcsrc" };

static const struct
{
  const gchar *text, *problem;
} mistakes[] = {
  { "rate-scale=200",
      "Property experiment: '200' is not a value of 'rate-scale', which is a number from 0.01 to "
      "100" },
  { "handover-mode=jump",
      "Property experiment: 'jump' is not a value of 'handover-mode'; the values are direct and "
      "paper" },
};

/* The element holds no port, and starts once the text is right. */
GST_START_TEST (test_element_with_a_wrong_experiment_does_not_start)
{
  GstElement *element = gst_check_setup_element (factories[__i__]);
  TestLog *log = test_log_new (element);
  GstMessage *message;
  GError *error = NULL;
  TestPeer *peer;
  gint port = test_free_port ();

  g_object_set (
      element, __i__ == 0 ? "bind-port" : "port", port, "experiment", mistakes[__i__].text, NULL);
  fail_unless_equals_int (
      gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = test_log_wait (log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
  fail_unless_equals_string (error->message, mistakes[__i__].problem);
  fail_unless_equals_int (test_log_count (log, GST_MESSAGE_ERROR, NULL, NULL), 1);
  peer = test_peer_new (port);
  test_peer_free (peer);

  g_object_set (element, "experiment", "rto-policy=tcp", NULL);
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (
      gst_element_set_state (element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  g_error_free (error);
  gst_message_unref (message);
  gst_object_unref (element);
  test_log_free (log);
}

GST_END_TEST;

/* A URI with a mistake sets nothing. */
GST_START_TEST (test_uri_with_a_wrong_experiment_is_refused)
{
  GstElement *element = gst_element_factory_make (factories[__i__], NULL);
  gchar *uri = g_strdup_printf ("tfrc://h:7?experiment=%s", mistakes[__i__].text);
  GError *error = NULL;
  gchar *text;
  gint port;

  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (element), uri, &error));
  fail_unless (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE));
  fail_unless_equals_string (error->message, mistakes[__i__].problem);
  g_object_get (element, "experiment", &text, "port", &port, NULL);
  fail_unless (text == NULL);
  fail_unless_equals_int (port, 5004);
  g_error_free (error);
  g_free (uri);
  gst_object_unref (element);
}

GST_END_TEST;

/* ---- choices that do not go together ----------------------------------- */

/* The element says what the library says, holds no port, and starts once the choices are right. */
GST_START_TEST (test_choices_that_do_not_go_together_are_an_error)
{
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  TestLog *log = test_log_new (sink);
  TfrcSenderConfig config;
  GstMessage *message;
  GError *error = NULL;
  TestPeer *peer;
  gint port = test_free_port ();

  tfrc_sender_config_init (&config);
  config.rto_policy = TFRC_RTO_POLICY_ADAPTIVE;
  fail_unless (tfrc_sender_config_problem (&config) != NULL);
  g_object_set (sink, "experiment", "rto-policy=adaptive", "bind-port", port, NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = test_log_wait (log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
  fail_unless (
      strstr (error->message, tfrc_sender_config_problem (&config)) != NULL, "%s", error->message);
  fail_unless_equals_int (test_log_count (log, GST_MESSAGE_ERROR, NULL, NULL), 1);
  peer = test_peer_new (port);
  test_peer_free (peer);

  g_object_set (sink, "experiment", "rto-policy=adaptive,rtt-method=adaptive", NULL);
  fail_unless (gst_element_set_state (sink, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  g_error_free (error);
  gst_message_unref (message);
  gst_object_unref (sink);
  test_log_free (log);
}

GST_END_TEST;

/* ---- streams ----------------------------------------------------------- */

static TestReceiver *
receiver_with (const gchar *profile)
{
  gchar *properties = g_strdup_printf ("profile=%s", profile);
  TestReceiver *receiver = test_receiver_new (properties);

  g_free (properties);
  return receiver;
}

static TestSender *
sender_with (gint port, const gchar *profile)
{
  gchar *properties = g_strdup_printf ("profile=%s", profile);
  TestSender *sender = test_sender_new (port, properties);

  g_free (properties);
  return sender;
}

/* R is the average and what rtt-method adds.  Both are read at once: feedback that arrives between
 * two reads would change them. */
static void
assert_rtt_is_at_least_its_average (GstElement *sink)
{
  GstStructure *stats;
  guint64 rtt = 0, average = 0;

  g_object_get (sink, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "rtt", &rtt));
  fail_unless (gst_structure_get_uint64 (stats, "rtt-average", &average));
  fail_unless (average > 0);
  fail_unless (average <= rtt);
  gst_structure_free (stats);
}

/* A sender responds to congestion alone if it is told to and if the receiver tells losses apart. */
GST_START_TEST (test_elements_with_any_two_profiles_stream)
{
  const gchar *of_receiver = names[__i__ / N_NAMES], *of_sender = names[__i__ % N_NAMES];
  TestReceiver *receiver = receiver_with (of_receiver);
  TestSender *sender = sender_with (receiver->port, of_sender);
  GBytes *movie = test_movie (200 * 7, 1);
  gboolean tells = g_str_has_prefix (of_receiver, "enhanced");
  gboolean asks = g_str_has_prefix (of_sender, "enhanced");

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 2);
  test_assert_stat (sender->sink, "profile", of_sender);
  test_assert_stat (sender->sink, "loss-response", tells && asks ? "congestion-only" : "all");
  test_assert_stat (receiver->src, "loss-classifier",
      !tells                                            ? "none"
          : g_str_equal (of_receiver, "enhanced-paper") ? "trend"
                                                        : "empty-queue");
  assert_rtt_is_at_least_its_average (sender->sink);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
profiles_suite (void)
{
  Suite *suite = suite_create ("profiles");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_experiment_goes_before_the_profile_in_any_order, 0, G_N_ELEMENTS (settings));
  tcase_add_loop_test (
      tcase, test_element_with_a_wrong_experiment_does_not_start, 0, G_N_ELEMENTS (factories));
  tcase_add_loop_test (
      tcase, test_uri_with_a_wrong_experiment_is_refused, 0, G_N_ELEMENTS (factories));
  tcase_add_test (tcase, test_choices_that_do_not_go_together_are_an_error);
  tcase_add_loop_test (tcase, test_elements_with_any_two_profiles_stream, 0, N_NAMES * N_NAMES);
  return suite;
}

GST_CHECK_MAIN (profiles);
