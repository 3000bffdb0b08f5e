/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver with RFC 5348 to the letter (TFRC_RULES_STRICT): each test has the rule of the RFC beside
 * the one that holds by default. */
#include "receivertest.h"

static void
init (ReceiverTest *t, TfrcRules rules)
{
  TfrcReceiverConfig config;

  if (rules == TFRC_RULES_STRICT)
    tfrc_receiver_config_init_strict (&config);
  else
    tfrc_receiver_config_init (&config);
  fail_unless_equals_int (config.rules, rules);
  receiver_test_init (t, &config);
}

#define FOR_BOTH_RULES(rules) \
  for (TfrcRules rules = TFRC_RULES_CAUTIOUS; rules <= TFRC_RULES_STRICT; rules++)

GST_START_TEST (test_strict_configuration_has_no_floors)
{
  TfrcReceiverConfig strict, config;

  tfrc_receiver_config_init (&config);
  fail_unless_equals_int (tfrc_receiver_config_init_strict (&strict), TFRC_OK);
  fail_unless_equals_int (strict.rules, TFRC_RULES_STRICT);
  fail_unless_equals_uint64 (strict.feedback_floor_ns, 0);
  fail_unless_equals_uint64 (strict.feedback_wait_ns, 0);
  fail_if (strict.outage_is_one_event);
  /* all else is as by default */
  strict.rules = config.rules;
  strict.feedback_floor_ns = config.feedback_floor_ns;
  strict.feedback_wait_ns = config.feedback_wait_ns;
  fail_unless (memcmp (&strict, &config, sizeof config) == 0);
  fail_unless_equals_int (tfrc_receiver_config_init_strict (NULL), TFRC_ERROR_ARGUMENT);
}

GST_END_TEST;

GST_START_TEST (test_unknown_rules_and_models_are_refused)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  config.rules = (TfrcRules) (TFRC_RULES_STRICT + 1);
  fail_unless_equals_string (
      tfrc_receiver_config_problem (&config), "rules has to be a value of TfrcRules");
  tfrc_receiver_config_init (&config);
  config.model = (TfrcModel) (TFRC_MODEL_CUBIC + 1);
  fail_unless_equals_string (
      tfrc_receiver_config_problem (&config), "model has to be a value of TfrcModel");
}

GST_END_TEST;

/* At R = 5 ms a packet comes in 10 ms. */
GST_START_TEST (test_feedback_comes_once_per_rtt_however_short)
{
  FOR_BOTH_RULES (rules)
  {
    ReceiverTest t;

    init (&t, rules);
    t.data.rtt_us = 5000;
    arrive_many (&t, 101);
    fail_unless_equals_int (t.feedbacks, rules == TFRC_RULES_STRICT ? 100 : 25);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_rtt_of_one_packet_is_used)
{
  FOR_BOTH_RULES (rules)
  {
    ReceiverTest t;

    init (&t, rules);
    arrive_many (&t, 30);
    t.data.rtt_us = 10 * RTT / 1000;
    arrive_many (&t, 1);
    fail_unless_equals_uint64 (stats_of (&t).rtt_ns, rules == TFRC_RULES_STRICT ? 10 * RTT : RTT);
    fail_unless_equals_int (t.arrival.believed, rules == TFRC_RULES_STRICT);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

/* R falls to a tenth right after feedback. */
GST_START_TEST (test_timer_keeps_the_rtt_with_which_it_was_set)
{
  FOR_BOTH_RULES (rules)
  {
    guint64 begun;
    ReceiverTest t;

    init (&t, rules);
    arrive_many (&t, 30);
    wait_until (&t, feedback_at (&t));
    begun = t.feedback_ns;
    t.data.rtt_us = RTT / 10 / 1000;
    t.now += MS;
    arrive (&t);
    t.now += MS;
    arrive (&t);
    if (rules == TFRC_RULES_STRICT) {
      fail_unless_equals_uint64 (feedback_at (&t), begun + RTT);
    } else {
      fail_unless (feedback_at (&t) < begun + RTT / 5);
    }
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

static Suite *
strictreceiver_suite (void)
{
  Suite *s = suite_create ("strictreceiver");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_strict_configuration_has_no_floors);
  tcase_add_test (tc, test_unknown_rules_and_models_are_refused);
  tcase_add_test (tc, test_feedback_comes_once_per_rtt_however_short);
  tcase_add_test (tc, test_rtt_of_one_packet_is_used);
  tcase_add_test (tc, test_timer_keeps_the_rtt_with_which_it_was_set);
  return s;
}

GST_CHECK_MAIN (strictreceiver);
