/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Defaults and validation of configurations, names of results, and the size
 * of the state. */
#include <math.h>
#include <string.h>

#include <gst/check/gstcheck.h>
#include <tfrc/config.h>
#include <tfrc/receiver_state.h>
#include <tfrc/sender_state.h>

GST_START_TEST (test_sender_defaults_are_those_of_rfc_5348)
{
  TfrcSenderConfig config;

  memset (&config, 0xff, sizeof config);
  tfrc_sender_config_init (&config);
  fail_unless_equals_int (config.segment_size_bytes, 1316);
  fail_unless_equals_int (config.first_seq, 0);
  fail_unless_equals_int (config.clock_offset_us, 0);
  fail_unless (config.initial_rate_Bps == 0);
  fail_unless (config.min_rate_Bps == 0);
  fail_unless (config.max_rate_Bps == 0);
  fail_unless (config.rate_scale == 1);
  fail_unless_equals_int (config.rtt_method, TFRC_RTT_METHOD_EWMA);
  fail_unless_equals_int (config.rto_policy, TFRC_RTO_POLICY_4R);
  fail_unless (config.oscillation_reduction);
  fail_unless_equals_uint64 (config.burst_limit_ns, TFRC_TIME_NEVER);
  fail_unless_equals_uint64 (config.timer_granularity_ns, GST_MSECOND);
  fail_unless_equals_uint64 (config.feedback_floor_ns, 10 * GST_MSECOND);
  fail_unless_equals_uint64 (config.credit_floor_ns, 2 * GST_MSECOND);
  fail_unless_equals_uint64 (config.feedback_wait_ns, 40 * GST_MSECOND);
  fail_unless_equals_uint64 (config.initial_rtt_ns, 0);
  fail_unless_equals_uint64 (config.initial_window, 0);
  fail_unless (config.remembered_rate_Bps == 0);
  fail_unless_equals_uint64 (config.remembered_rtt_ns, 0);
  fail_unless_equals_int (config.loss_response, TFRC_LOSS_RESPONSE_ALL);
  fail_unless (config.link_error_gain == 2);
  fail_unless_equals_int (config.rtt_samples, 8);
  fail_unless_equals_uint64 (config.rtt_rise_ns, GST_MSECOND);
  fail_unless_equals_int (config.model, TFRC_MODEL_RENO);
  fail_unless_equals_int (config.rules, TFRC_RULES_CAUTIOUS);
  fail_unless (tfrc_sender_config_is_valid (&config));
}

GST_END_TEST;

GST_START_TEST (test_receiver_defaults_are_those_of_rfc_5348)
{
  TfrcReceiverConfig config;

  memset (&config, 0xff, sizeof config);
  tfrc_receiver_config_init (&config);
  fail_unless_equals_int (config.history_length, 8);
  fail_unless_equals_int (config.loss_interval_method, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED);
  fail_unless (config.history_discounting);
  fail_unless_equals_int (config.rto_policy, TFRC_RTO_POLICY_4R);
  fail_if (config.has_first_seq);
  fail_unless_equals_uint64 (config.feedback_floor_ns, 10 * GST_MSECOND);
  fail_unless_equals_uint64 (config.feedback_wait_ns, 40 * GST_MSECOND);
  fail_unless_equals_int (config.loss_classifier, TFRC_LOSS_CLASSIFIER_NONE);
  fail_unless (config.loss_allowance == 0.02);
  fail_unless_equals_uint64 (config.reorder_window_ns, 0);
  fail_unless_equals_int (config.model, TFRC_MODEL_RENO);
  fail_unless_equals_int (config.rules, TFRC_RULES_CAUTIOUS);
  fail_unless (tfrc_receiver_config_is_valid (&config));
}

GST_END_TEST;

/* The problem of a configuration names this field, or there is no problem. */
static void
assert_problem (const gchar *problem, const gchar *field, gboolean valid)
{
  gboolean named = problem != NULL && strstr (problem, field) != NULL;

  fail_unless (valid ? problem == NULL : named, "%s: %s", field, problem);
}

/* Sets one field of the defaults and asserts whether the result is valid.  The problem names the
 * field. */
#define assert_field(kind, field, value, valid) \
  G_STMT_START \
  { \
    tfrc_##kind##_config_init (&config); \
    config.field = value; \
    fail_unless_equals_int (tfrc_##kind##_config_is_valid (&config), valid); \
    assert_problem (tfrc_##kind##_config_problem (&config), #field, valid); \
  } \
  G_STMT_END

GST_START_TEST (test_sender_configuration_is_validated)
{
  TfrcSenderConfig config;

  assert_field (sender, segment_size_bytes, 0, FALSE);
  assert_field (sender, segment_size_bytes, 1, TRUE);
  assert_field (sender, segment_size_bytes, 65535, TRUE);
  assert_field (sender, segment_size_bytes, 65536, FALSE);
  assert_field (sender, first_seq, 65535, TRUE);
  assert_field (sender, clock_offset_us, G_MAXUINT32, TRUE);

  assert_field (sender, initial_rate_Bps, 1e5, TRUE);
  assert_field (sender, initial_rate_Bps, -1, FALSE);
  assert_field (sender, initial_rate_Bps, NAN, FALSE);
  assert_field (sender, initial_rate_Bps, INFINITY, FALSE);
  assert_field (sender, initial_rate_Bps, TFRC_RATE_CEILING_BPS, TRUE);
  assert_field (sender, initial_rate_Bps, 126e9, FALSE);

  assert_field (sender, rate_scale, 0, FALSE);
  assert_field (sender, rate_scale, 0.0099, FALSE);
  assert_field (sender, rate_scale, 0.01, TRUE);
  assert_field (sender, rate_scale, 100, TRUE);
  assert_field (sender, rate_scale, 100.1, FALSE);
  assert_field (sender, rate_scale, NAN, FALSE);

  assert_field (sender, rtt_method, TFRC_RTT_METHOD_ADAPTIVE, TRUE);
  assert_field (sender, rtt_method, TFRC_RTT_METHOD_ADAPTIVE_BOUNDED, TRUE);
  assert_field (sender, rtt_method, (TfrcRttMethod) 77, FALSE);
  assert_field (sender, rtt_method, (TfrcRttMethod) -1, FALSE);
  assert_field (sender, rtt_samples, 1, FALSE);
  assert_field (sender, rtt_samples, 2, TRUE);
  assert_field (sender, rtt_samples, TFRC_MAX_RTT_SAMPLES, TRUE);
  assert_field (sender, rtt_samples, TFRC_MAX_RTT_SAMPLES + 1, FALSE);
  assert_field (sender, rtt_rise_ns, 0, TRUE);
  assert_field (sender, rtt_rise_ns, GST_SECOND, TRUE);
  assert_field (sender, rtt_rise_ns, GST_SECOND + 1, FALSE);
  assert_field (sender, rto_policy, TFRC_RTO_POLICY_TCP, TRUE);
  assert_field (sender, rto_policy, TFRC_RTO_POLICY_LINUX, TRUE);
  assert_field (sender, rto_policy, TFRC_RTO_POLICY_BALANCED, TRUE);
  assert_field (sender, rto_policy, (TfrcRtoPolicy) 77, FALSE);
  assert_field (sender, burst_limit_ns, 0, TRUE);
  assert_field (sender, timer_granularity_ns, 0, TRUE);
  assert_field (sender, timer_granularity_ns, GST_SECOND, TRUE);
  assert_field (sender, timer_granularity_ns, GST_SECOND + 1, FALSE);
  assert_field (sender, feedback_wait_ns, 0, TRUE);
  assert_field (sender, feedback_wait_ns, GST_SECOND, TRUE);
  assert_field (sender, feedback_wait_ns, GST_SECOND + 1, FALSE);
  assert_field (sender, initial_rtt_ns, 1, TRUE);
  assert_field (sender, initial_rtt_ns, G_GUINT64_CONSTANT (16777215000), TRUE);
  assert_field (sender, initial_rtt_ns, G_GUINT64_CONSTANT (16777215001), FALSE);
  assert_field (sender, initial_window, 1, TRUE);
  assert_field (sender, initial_window, 10, TRUE);
  assert_field (sender, initial_window, 11, FALSE);
  assert_field (sender, remembered_rate_Bps, 126e9, FALSE);
  assert_field (sender, remembered_rtt_ns, 1, FALSE);
  tfrc_sender_config_init (&config);
  config.remembered_rate_Bps = 1;
  fail_if (tfrc_sender_config_is_valid (&config));
  config.remembered_rtt_ns = TFRC_MAX_RTT_NS;
  fail_unless (tfrc_sender_config_is_valid (&config));
  config.remembered_rtt_ns++;
  fail_if (tfrc_sender_config_is_valid (&config));
  assert_field (sender, credit_floor_ns, 0, TRUE);
  assert_field (sender, credit_floor_ns, GST_SECOND, TRUE);
  assert_field (sender, credit_floor_ns, GST_SECOND + 1, FALSE);
  assert_field (sender, feedback_floor_ns, 0, TRUE);
  assert_field (sender, feedback_floor_ns, GST_SECOND, TRUE);
  assert_field (sender, feedback_floor_ns, GST_SECOND + 1, FALSE);
}

GST_END_TEST;

GST_START_TEST (test_receiver_configuration_is_validated)
{
  TfrcReceiverConfig config;

  assert_field (receiver, history_length, 1, FALSE);
  assert_field (receiver, history_length, 2, TRUE);
  assert_field (receiver, history_length, TFRC_MAX_HISTORY_LENGTH, TRUE);
  assert_field (receiver, history_length, TFRC_MAX_HISTORY_LENGTH + 1, FALSE);
  for (gint i = TFRC_LOSS_INTERVAL_METHOD_WEIGHTED; i <= TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE;
       i++)
    assert_field (receiver, loss_interval_method, (TfrcLossIntervalMethod) i, TRUE);
  assert_field (receiver, loss_interval_method, (TfrcLossIntervalMethod) 77, FALSE);
  assert_field (receiver, handover_mode, TFRC_HANDOVER_MODE_PAPER, TRUE);
  assert_field (receiver, handover_mode, (TfrcHandoverMode) 77, FALSE);
  assert_field (receiver, rto_policy, TFRC_RTO_POLICY_TCP, TRUE);
  assert_field (receiver, rto_policy, TFRC_RTO_POLICY_LINUX, TRUE);
  assert_field (receiver, rto_policy, TFRC_RTO_POLICY_BALANCED, TRUE);
  assert_field (receiver, rto_policy, TFRC_RTO_POLICY_ADAPTIVE, TRUE);
  assert_field (receiver, rto_policy, (TfrcRtoPolicy) 77, FALSE);
  assert_field (receiver, feedback_wait_ns, GST_SECOND, TRUE);
  assert_field (receiver, feedback_wait_ns, GST_SECOND + 1, FALSE);
  assert_field (receiver, feedback_floor_ns, GST_SECOND, TRUE);
  assert_field (receiver, feedback_floor_ns, GST_SECOND + 1, FALSE);
}

GST_END_TEST;

GST_START_TEST (test_rate_limits_are_validated)
{
  fail_unless (tfrc_rate_limits_are_valid (0, 0, 1316));
  fail_unless (tfrc_rate_limits_are_valid (1000, 0, 1316));
  fail_unless (tfrc_rate_limits_are_valid (1000, 1000, 1316));
  fail_if (tfrc_rate_limits_are_valid (1001, 1000, 1316));
  /* a maximum below one segment in 64 s */
  fail_if (tfrc_rate_limits_are_valid (0, 20, 1316));
  fail_unless (tfrc_rate_limits_are_valid (0, 1316 / 64.0, 1316));
  fail_if (tfrc_rate_limits_are_valid (-1, 0, 1316));
  fail_if (tfrc_rate_limits_are_valid (0, -1, 1316));
  fail_if (tfrc_rate_limits_are_valid (NAN, 0, 1316));
  fail_if (tfrc_rate_limits_are_valid (0, NAN, 1316));
  fail_if (tfrc_rate_limits_are_valid (INFINITY, 0, 1316));
  fail_if (tfrc_rate_limits_are_valid (0, INFINITY, 1316));
}

GST_END_TEST;

GST_START_TEST (test_sender_with_contradictory_limits_is_refused)
{
  TfrcSenderConfig config;

  tfrc_sender_config_init (&config);
  config.min_rate_Bps = 2000;
  config.max_rate_Bps = 1000;
  fail_if (tfrc_sender_config_is_valid (&config));
  assert_problem (tfrc_sender_config_problem (&config), "at least min_rate_Bps", FALSE);
  config.max_rate_Bps = 2000;
  fail_unless (tfrc_sender_config_is_valid (&config));
}

GST_END_TEST;

/* Eq. 4 scales t_RTO by the R of eq. 3. */
GST_START_TEST (test_adaptive_rto_needs_an_adaptive_round_trip_time)
{
  TfrcSenderConfig config;
  TfrcSender *sender;

  assert_field (sender, rto_policy, TFRC_RTO_POLICY_ADAPTIVE, FALSE);
  assert_problem (tfrc_sender_config_problem (&config), "rtt_method", FALSE);
  fail_unless_equals_int (tfrc_sender_new (&sender, &config), TFRC_ERROR_ARGUMENT);
  config.rtt_method = TFRC_RTT_METHOD_ADAPTIVE;
  assert_problem (tfrc_sender_config_problem (&config), NULL, TRUE);
  config.rtt_method = TFRC_RTT_METHOD_ADAPTIVE_BOUNDED;
  assert_problem (tfrc_sender_config_problem (&config), NULL, TRUE);
  fail_unless_equals_int (tfrc_sender_new (&sender, &config), TFRC_OK);
  tfrc_sender_free (sender);
}

GST_END_TEST;

GST_START_TEST (test_problem_of_a_configuration_of_a_wrong_size_is_the_size)
{
  TfrcSenderConfig sender;
  TfrcReceiverConfig receiver;

  tfrc_sender_config_init (&sender);
  tfrc_receiver_config_init (&receiver);
  assert_problem (tfrc_sender_config_problem_sized (&sender, 3), "size", FALSE);
  assert_problem (tfrc_receiver_config_problem_sized (&receiver, 3), "size", FALSE);
  assert_problem (
      tfrc_sender_config_problem_sized (&sender, TFRC_MAX_STRUCT_BYTES + 1), "size", FALSE);
  assert_problem (
      tfrc_receiver_config_problem_sized (&receiver, TFRC_MAX_STRUCT_BYTES + 1), "size", FALSE);
  assert_problem (tfrc_sender_config_problem (NULL), NULL, TRUE);
  assert_problem (tfrc_receiver_config_problem (NULL), NULL, TRUE);
}

GST_END_TEST;

GST_START_TEST (test_every_result_has_a_description)
{
  const TfrcResult last = TFRC_ERROR_RANGE;

  for (gint i = TFRC_OK; i <= (gint) last; i++) {
    for (gint j = TFRC_OK; j < i; j++)
      fail_if (g_str_equal (
          tfrc_result_to_string ((TfrcResult) i), tfrc_result_to_string ((TfrcResult) j)));
  }
  fail_unless_equals_string (tfrc_result_to_string (TFRC_OK), "ok");
  fail_unless_equals_string (tfrc_result_to_string ((TfrcResult) 1000), "unknown result");
}

GST_END_TEST;

/* Half of a sender is the record of what was sent (sent_record.h), its configuration a 24th. */
GST_START_TEST (test_state_of_a_stream_is_at_most_4_kilobytes_and_a_quarter)
{
  fail_unless (sizeof (struct TfrcSender) <= 4352);
  fail_unless (sizeof (struct TfrcReceiver) <= 4096);
}

GST_END_TEST;

static Suite *
config_suite (void)
{
  Suite *suite = suite_create ("config");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_sender_defaults_are_those_of_rfc_5348);
  tcase_add_test (tc, test_receiver_defaults_are_those_of_rfc_5348);
  tcase_add_test (tc, test_sender_configuration_is_validated);
  tcase_add_test (tc, test_receiver_configuration_is_validated);
  tcase_add_test (tc, test_rate_limits_are_validated);
  tcase_add_test (tc, test_sender_with_contradictory_limits_is_refused);
  tcase_add_test (tc, test_adaptive_rto_needs_an_adaptive_round_trip_time);
  tcase_add_test (tc, test_problem_of_a_configuration_of_a_wrong_size_is_the_size);
  tcase_add_test (tc, test_every_result_has_a_description);
  tcase_add_test (tc, test_state_of_a_stream_is_at_most_4_kilobytes_and_a_quarter);
  return suite;
}

GST_CHECK_MAIN (config);
