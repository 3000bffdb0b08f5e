/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles: what they set, which choices are refused, and streams between elements with different
 * profiles. */
#include "tfrctest.h"

#include "gst/common/profile.h"

static const gchar *const names[] = { "rfc5348", "enhanced-paper", "enhanced" };

#define N_NAMES G_N_ELEMENTS (names)

/* ---- what a profile sets ----------------------------------------------- */

static gint
get (GstElement *element, const gchar *property)
{
  gint value;

  g_object_get (element, property, &value, NULL);
  return value;
}

/* Returns the nick of the property's value; the text belongs to the type. */
static const gchar *
nick_of (GstElement *element, const gchar *property)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), property);

  return g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class, get (element, property))
      ->value_nick;
}

static void
check_nicks (GstElement *element, const gchar *const *expected)
{
  for (; *expected; expected += 2)
    fail_unless_equals_string (nick_of (element, expected[0]), expected[1]);
}

static GstElement *
new_element (const gchar *factory, const gchar *profile)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  gst_util_set_object_arg (G_OBJECT (element), "profile", profile);
  return element;
}

static const struct
{
  const gchar *factory, *profile;
  const gchar *expected[12];
} settings[] = {
  { "tfrcsink", "rfc5348",
      { "profile", "rfc5348", "rtt-method", "ewma", "rto-policy", "4r", "loss-response", "all" } },
  { "tfrcsink", "enhanced-paper",
      { "profile", "enhanced-paper", "rtt-method", "adaptive", "rto-policy", "adaptive",
          "loss-response", "congestion-only" } },
  { "tfrcsrc", "rfc5348",
      { "profile", "rfc5348", "loss-interval-method", "weighted", "loss-classifier", "none",
          "rto-policy", "4r" } },
  { "tfrcsrc", "enhanced-paper",
      { "profile", "enhanced-paper", "loss-interval-method", "ci-replace", "loss-classifier",
          "trend", "rto-policy", "adaptive" } },
};

GST_START_TEST (test_profile_sets_the_choices)
{
  GstElement *element = new_element (settings[__i__].factory, settings[__i__].profile);

  check_nicks (element, settings[__i__].expected);
  gst_object_unref (element);
}

GST_END_TEST;

/* The values of "enhanced" are those of its row, whatever experiments put there. */
GST_START_TEST (test_every_profile_sets_the_values_of_its_row)
{
  for (guint i = 0; i < N_NAMES; i++) {
    const GstTfrcProfileValues *values = gst_tfrc_profile_get_values ((GstTfrcProfile) i);
    GstElement *sink = new_element ("tfrcsink", names[i]), *src = new_element ("tfrcsrc", names[i]);

    fail_unless_equals_int (get (sink, "rtt-method"), values->rtt_method);
    fail_unless_equals_int (get (sink, "rto-policy"), values->rto_policy);
    fail_unless_equals_int (get (sink, "loss-response"), values->loss_response);
    fail_unless_equals_int (get (src, "rto-policy"), values->rto_policy);
    fail_unless_equals_int (get (src, "loss-interval-method"), values->loss_interval_method);
    fail_unless_equals_int (get (src, "loss-classifier"), values->loss_classifier);
    gst_object_unref (sink);
    gst_object_unref (src);
  }
  fail_unless (gst_tfrc_profile_get_values ((GstTfrcProfile) N_NAMES) == NULL);
}

GST_END_TEST;

static const gchar *const factories[] = { "tfrcsink", "tfrcsrc" };

/* A profile that is set back leaves an element as new. */
GST_START_TEST (test_first_profile_is_the_default_of_every_property)
{
  GstElement *element = new_element (factories[__i__], "enhanced-paper");
  GParamSpec **specs;
  guint n;

  gst_util_set_object_arg (G_OBJECT (element), "profile", "rfc5348");
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (guint i = 0; i < n; i++) {
    if (G_IS_PARAM_SPEC_ENUM (specs[i]) && specs[i]->owner_type == G_OBJECT_TYPE (element))
      fail_unless_equals_int (
          get (element, specs[i]->name), G_PARAM_SPEC_ENUM (specs[i])->default_value);
  }
  g_free (specs);
  gst_object_unref (element);
}

GST_END_TEST;

static void
note_name (GObject *object, GParamSpec *spec, gpointer user)
{
  g_ptr_array_add (user, g_strdup (spec->name));
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const gchar *const *) a, *(const gchar *const *) b);
}

/* Nothing else changes: the queue guard, the burst limit and the length of the history stay. */
GST_START_TEST (test_profile_notifies_what_it_sets_and_nothing_else)
{
  const gchar *expected[] = { "loss-response profile rto-policy rtt-method",
    "loss-classifier loss-interval-method profile rto-policy" };
  GstElement *element = gst_element_factory_make (factories[__i__], NULL);
  GPtrArray *notified = g_ptr_array_new_with_free_func (g_free);
  gchar *all;

  g_signal_connect (element, "notify", G_CALLBACK (note_name), notified);
  gst_util_set_object_arg (G_OBJECT (element), "profile", "enhanced-paper");
  g_ptr_array_sort (notified, compare_names);
  g_ptr_array_add (notified, NULL);
  all = g_strjoinv (" ", (gchar **) notified->pdata);
  fail_unless_equals_string (all, expected[__i__]);
  g_free (all);
  g_ptr_array_unref (notified);
  gst_object_unref (element);
}

GST_END_TEST;

/* ---- what is set later wins -------------------------------------------- */

static const struct
{
  const gchar *launch;
  const gchar *expected[12];
} orders[] = {
  { "tfrcsink profile=enhanced-paper rtt-method=adaptive-bounded",
      { "profile", "enhanced-paper", "rtt-method", "adaptive-bounded", "rto-policy", "adaptive",
          "loss-response", "congestion-only" } },
  { "tfrcsink rtt-method=adaptive-bounded profile=enhanced-paper",
      { "profile", "enhanced-paper", "rtt-method", "adaptive" } },
  { "tfrcsink uri=tfrc://h?profile=enhanced-paper&loss-response=all",
      { "profile", "enhanced-paper", "rtt-method", "adaptive", "loss-response", "all" } },
  { "tfrcsink uri=tfrc://h?loss-response=all&profile=enhanced-paper",
      { "profile", "enhanced-paper", "loss-response", "congestion-only" } },
  { "tfrcsrc profile=enhanced-paper loss-classifier=zigzag",
      { "profile", "enhanced-paper", "loss-interval-method", "ci-replace", "loss-classifier",
          "zigzag", "rto-policy", "adaptive" } },
  { "tfrcsrc uri=tfrc://h?loss-interval-method=mean-include&profile=rfc5348",
      { "profile", "rfc5348", "loss-interval-method", "weighted" } },
  { "tfrcsrc uri=tfrc://h?profile=enhanced-paper&loss-interval-method=mean-include",
      { "loss-interval-method", "mean-include", "loss-classifier", "trend" } },
};

GST_START_TEST (test_property_that_is_set_last_wins)
{
  GError *error = NULL;
  GstElement *element = gst_parse_launch (orders[__i__].launch, &error);

  fail_unless (error == NULL, "%s", error ? error->message : "");
  check_nicks (element, orders[__i__].expected);
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
  gst_util_set_object_arg (G_OBJECT (sink), "rto-policy", "adaptive");
  g_object_set (sink, "bind-port", port, NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = test_log_wait (log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
  fail_unless (
      strstr (error->message, tfrc_sender_config_problem (&config)) != NULL, "%s", error->message);
  fail_unless_equals_int (test_log_count (log, GST_MESSAGE_ERROR, NULL, NULL), 1);
  peer = test_peer_new (port);
  test_peer_free (peer);

  gst_util_set_object_arg (G_OBJECT (sink), "rtt-method", "adaptive");
  fail_unless (gst_element_set_state (sink, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  g_error_free (error);
  gst_message_unref (message);
  gst_object_unref (sink);
  test_log_free (log);
}

GST_END_TEST;

/* ---- streams ----------------------------------------------------------- */

/* The statistics say what the property says. */
static void
assert_in_force (GstElement *element, const gchar *property)
{
  test_assert_stat (element, property, nick_of (element, property));
}

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
  TestReceiver *receiver = receiver_with (names[__i__ / N_NAMES]);
  TestSender *sender = sender_with (receiver->port, names[__i__ % N_NAMES]);
  GBytes *movie = test_movie (200 * 7, 1);
  gboolean classifies = !g_str_equal (nick_of (receiver->src, "loss-classifier"), "none");

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 2);
  assert_in_force (sender->sink, "profile");
  assert_in_force (sender->sink, "rtt-method");
  assert_in_force (sender->sink, "rto-policy");
  test_assert_stat (
      sender->sink, "loss-response", classifies ? nick_of (sender->sink, "loss-response") : "all");
  assert_in_force (receiver->src, "loss-interval-method");
  assert_in_force (receiver->src, "loss-classifier");
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
  tcase_add_loop_test (tcase, test_profile_sets_the_choices, 0, G_N_ELEMENTS (settings));
  tcase_add_test (tcase, test_every_profile_sets_the_values_of_its_row);
  tcase_add_loop_test (
      tcase, test_first_profile_is_the_default_of_every_property, 0, G_N_ELEMENTS (factories));
  tcase_add_loop_test (
      tcase, test_profile_notifies_what_it_sets_and_nothing_else, 0, G_N_ELEMENTS (factories));
  tcase_add_loop_test (tcase, test_property_that_is_set_last_wins, 0, G_N_ELEMENTS (orders));
  tcase_add_test (tcase, test_choices_that_do_not_go_together_are_an_error);
  tcase_add_loop_test (tcase, test_elements_with_any_two_profiles_stream, 0, N_NAMES * N_NAMES);
  return suite;
}

GST_CHECK_MAIN (profiles);
