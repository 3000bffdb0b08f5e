/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `profile' and `experiment' choose together, see gst/common/experiment.h */
#include "gst/common/experiment.h"
#include <gst/check/gstcheck.h>

#define N_PROFILES (GST_TFRC_PROFILE_ENHANCED + 1)

static GstTfrcChoices choices;

static void
read_choices (GstTfrcEnd end, GstTfrcProfile profile, const gchar *experiment)
{
  GError *error = NULL;

  gst_tfrc_choices_read (&choices, end, profile, experiment, &error);
  fail_unless (error == NULL, "%s", error ? error->message : "");
}

static void
assert_profile (GstTfrcProfile profile)
{
  const GstTfrcProfileValues *values = gst_tfrc_profile_get_values (profile);

  fail_unless_equals_int (memcmp (&choices.profile, values, sizeof *values), 0);
}

GST_START_TEST (without_an_experiment_the_choices_are_the_profiles)
{
  const gchar *nothing[] = { NULL, "" };

  for (gint i = 0; i < N_PROFILES * 2; i++) {
    read_choices (GST_TFRC_END_SENDER, (GstTfrcProfile) (i / 2), nothing[i % 2]);
    assert_profile ((GstTfrcProfile) (i / 2));
    fail_unless (choices.rate_scale == 1);
    fail_unless_equals_int (choices.history_length, 8);
    fail_unless_equals_int (choices.handover_mode, TFRC_HANDOVER_MODE_DIRECT);
  }
}

GST_END_TEST;

GST_START_TEST (only_the_strict_profile_has_strict_rules)
{
  for (gint i = 0; i <= GST_TFRC_PROFILE_RFC5348_STRICT; i++)
    fail_unless_equals_int (gst_tfrc_profile_get_values ((GstTfrcProfile) i)->rules,
        i == GST_TFRC_PROFILE_RFC5348_STRICT ? TFRC_RULES_STRICT : TFRC_RULES_CAUTIOUS);
}

GST_END_TEST;

GST_START_TEST (keys_of_a_sender_go_before_its_profile)
{
  read_choices (GST_TFRC_END_SENDER, GST_TFRC_PROFILE_ENHANCED_PAPER,
      "rtt-method=adaptive-bounded,rto-policy=linux, rate-scale = 0.25");
  fail_unless_equals_int (choices.profile.rtt_method, TFRC_RTT_METHOD_ADAPTIVE_BOUNDED);
  fail_unless_equals_int (choices.profile.rto_policy, TFRC_RTO_POLICY_LINUX);
  fail_unless_equals_int (choices.profile.loss_response, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  fail_unless (choices.rate_scale == 0.25);
  read_choices (GST_TFRC_END_SENDER, GST_TFRC_PROFILE_ENHANCED_PAPER, "loss-response=all");
  fail_unless_equals_int (choices.profile.rtt_method, TFRC_RTT_METHOD_ADAPTIVE);
  fail_unless_equals_int (choices.profile.loss_response, TFRC_LOSS_RESPONSE_ALL);
  read_choices (GST_TFRC_END_SENDER, GST_TFRC_PROFILE_ENHANCED, "link-error-gain=3");
  fail_unless (choices.profile.link_error_gain == 3);
}

GST_END_TEST;

GST_START_TEST (keys_of_a_receiver_go_before_its_profile)
{
  read_choices (GST_TFRC_END_RECEIVER, GST_TFRC_PROFILE_ENHANCED,
      "loss-interval-method=mean-include,loss-classifier=zigzag,rto-policy=tcp,history-length=32,"
      "handover-mode=paper");
  fail_unless_equals_int (
      choices.profile.loss_interval_method, TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE);
  fail_unless_equals_int (choices.profile.loss_classifier, TFRC_LOSS_CLASSIFIER_ZIGZAG);
  fail_unless_equals_int (choices.profile.rto_policy, TFRC_RTO_POLICY_TCP);
  fail_unless_equals_int (choices.history_length, TFRC_MAX_HISTORY_LENGTH);
  fail_unless_equals_int (choices.handover_mode, TFRC_HANDOVER_MODE_PAPER);
  read_choices (GST_TFRC_END_RECEIVER, GST_TFRC_PROFILE_ENHANCED,
      "loss-classifier=empty-queue,loss-allowance=0.05");
  fail_unless_equals_int (choices.profile.loss_classifier, TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE);
  fail_unless (choices.profile.loss_allowance == 0.05);
}

GST_END_TEST;

static const struct
{
  const gchar *text;
  gdouble scale;
  guint length;
} limits[] = { { "rate-scale=0.01", 0.01, 8 }, { "rate-scale=100", 100, 8 },
  { "rate-scale=1e1", 10, 8 }, { "history-length=2", 1, 2 }, { "history-length=32", 1, 32 } };

GST_START_TEST (limits_of_numbers_are_accepted)
{
  read_choices (limits[__i__].length == 8 ? GST_TFRC_END_SENDER : GST_TFRC_END_RECEIVER,
      GST_TFRC_PROFILE_RFC5348, limits[__i__].text);
  fail_unless (choices.rate_scale == limits[__i__].scale);
  fail_unless_equals_int (choices.history_length, limits[__i__].length);
}

GST_END_TEST;

/* ---- what is refused ----------------------------------------------------- */

#define SENDER_KEYS \
  "; the keys are rtt-method, rto-policy, loss-response, link-error-gain " \
  "and rate-scale"
#define RECEIVER_KEYS \
  "; the keys are rto-policy, loss-interval-method, loss-classifier, loss-allowance, " \
  "history-length and " \
  "handover-mode"
#define SCALE "is not a value of 'rate-scale', which is a number from 0.01 to 100"
#define LENGTH "is not a value of 'history-length', which is a whole number from 2 to 32"

static const struct
{
  GstTfrcEnd end;
  const gchar *text;
  const gchar *problem; /* behind "Property experiment: " */
} mistakes[] = {
  { GST_TFRC_END_SENDER, "rto-polcy=tcp", "unknown key 'rto-polcy'" SENDER_KEYS },
  { GST_TFRC_END_SENDER, "history-length=4", "unknown key 'history-length'" SENDER_KEYS },
  { GST_TFRC_END_RECEIVER, "rate-scale=1", "unknown key 'rate-scale'" RECEIVER_KEYS },
  { GST_TFRC_END_SENDER, "rto-policy=tcp,", "unknown key ''" SENDER_KEYS },
  { GST_TFRC_END_SENDER, "RTO-policy=tcp", "unknown key 'RTO-policy'" SENDER_KEYS },
  { GST_TFRC_END_SENDER, "rto-policy=5r",
      "'5r' is not a value of 'rto-policy'; the values are 4r, tcp, linux, balanced and adaptive" },
  { GST_TFRC_END_SENDER, "loss-response",
      "'' is not a value of 'loss-response'; the values are all and congestion-only" },
  { GST_TFRC_END_RECEIVER,
      "handover-mode=", "'' is not a value of 'handover-mode'; the values are direct and paper" },
  { GST_TFRC_END_SENDER, "rate-scale=0.009", "'0.009' " SCALE },
  { GST_TFRC_END_SENDER, "rate-scale=100.1", "'100.1' " SCALE },
  { GST_TFRC_END_SENDER, "rate-scale=nan", "'nan' " SCALE },
  { GST_TFRC_END_SENDER, "rate-scale=", "'' " SCALE },
  { GST_TFRC_END_SENDER, "rate-scale=2x", "'2x' " SCALE },
  { GST_TFRC_END_SENDER, "link-error-gain=0.99",
      "'0.99' is not a value of 'link-error-gain', which is a number from 1 to 3" },
  { GST_TFRC_END_RECEIVER, "loss-allowance=1.01",
      "'1.01' is not a value of 'loss-allowance', which is a number from 0 to 1" },
  { GST_TFRC_END_RECEIVER, "history-length=1", "'1' " LENGTH },
  { GST_TFRC_END_RECEIVER, "history-length=33", "'33' " LENGTH },
  { GST_TFRC_END_RECEIVER, "history-length=8.5", "'8.5' " LENGTH },
  { GST_TFRC_END_SENDER, "rto-policy=tcp,rate-scale=2,rto-policy=tcp",
      "the key 'rto-policy' is given twice" },
};

/* A mistake changes nothing, also not by the keys in front of it. */
GST_START_TEST (a_mistake_is_named_with_what_is_allowed)
{
  gchar *message = g_strdup_printf ("Property experiment: %s", mistakes[__i__].problem);
  GError *error = NULL;

  fail_if (gst_tfrc_choices_read (
      &choices, mistakes[__i__].end, GST_TFRC_PROFILE_ENHANCED, mistakes[__i__].text, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
  fail_unless_equals_string (error->message, message);
  assert_profile (GST_TFRC_PROFILE_ENHANCED);
  fail_unless (choices.rate_scale == 1);
  g_clear_error (&error);

  fail_if (mistakes[__i__].end == GST_TFRC_END_SENDER
          ? gst_tfrc_experiment_check_sender (mistakes[__i__].text, &error)
          : gst_tfrc_experiment_check_receiver (mistakes[__i__].text, &error));
  fail_unless_equals_string (error->message, message);
  g_error_free (error);
  g_free (message);
}

GST_END_TEST;

static Suite *
experiment_suite (void)
{
  Suite *s = suite_create ("experiment");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, without_an_experiment_the_choices_are_the_profiles);
  tcase_add_test (tc, only_the_strict_profile_has_strict_rules);
  tcase_add_test (tc, keys_of_a_sender_go_before_its_profile);
  tcase_add_test (tc, keys_of_a_receiver_go_before_its_profile);
  tcase_add_loop_test (tc, limits_of_numbers_are_accepted, 0, G_N_ELEMENTS (limits));
  tcase_add_loop_test (tc, a_mistake_is_named_with_what_is_allowed, 0, G_N_ELEMENTS (mistakes));
  return s;
}

GST_CHECK_MAIN (experiment);
