/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender with RFC 5348 to the letter (TFRC_RULES_STRICT): each test has the rule of the RFC beside
 * the one that holds by default. */
#include "sendertest.h"

#define RTT (100 * MS)

static void
init (SenderTest *t, TfrcRules rules)
{
  TfrcSenderConfig config = default_config ();

  config.rules = rules;
  sender_test_init (t, &config);
}

#define FOR_BOTH_RULES(rules) \
  for (TfrcRules rules = TFRC_RULES_CAUTIOUS; rules <= TFRC_RULES_STRICT; rules++)

GST_START_TEST (test_strict_configuration_has_no_floors)
{
  TfrcSenderConfig strict, config = default_config ();

  fail_unless_equals_int (tfrc_sender_config_init_strict (&strict), TFRC_OK);
  fail_unless_equals_int (config.rules, TFRC_RULES_CAUTIOUS);
  fail_unless_equals_int (strict.rules, TFRC_RULES_STRICT);
  fail_unless_equals_uint64 (strict.feedback_floor_ns, 0);
  fail_unless_equals_uint64 (strict.feedback_wait_ns, 0);
  fail_unless_equals_uint64 (strict.credit_floor_ns, 0);
  /* all else is as by default */
  strict.rules = config.rules;
  strict.feedback_floor_ns = config.feedback_floor_ns;
  strict.feedback_wait_ns = config.feedback_wait_ns;
  strict.credit_floor_ns = config.credit_floor_ns;
  fail_unless (memcmp (&strict, &config, sizeof config) == 0);
  fail_unless_equals_int (tfrc_sender_config_init_strict (NULL), TFRC_ERROR_ARGUMENT);
}

GST_END_TEST;

GST_START_TEST (test_unknown_rules_and_models_are_refused)
{
  TfrcSenderConfig config = default_config ();
  TfrcSender *sender;

  config.rules = (TfrcRules) (TFRC_RULES_STRICT + 1);
  fail_unless_equals_int (tfrc_sender_new (&sender, &config), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_string (
      tfrc_sender_config_problem (&config), "rules has to be a value of TfrcRules");
  config = default_config ();
  config.model = (TfrcModel) (TFRC_MODEL_CUBIC + 1);
  fail_unless_equals_int (tfrc_sender_new (&sender, &config), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_string (
      tfrc_sender_config_problem (&config), "model has to be a value of TfrcModel");
}

GST_END_TEST;

GST_START_TEST (test_first_window_leaves_within_one_rtt)
{
  TfrcSenderConfig config;
  SenderTest t;

  tfrc_sender_config_init_strict (&config);
  sender_test_init (&t, &config);
  start (&t, 2 * MS);
  assert_close (rate_of (&t), W_INIT / 0.002);
  fail_unless_equals_uint64 (stats_of (&t).rto_ns, 8 * MS);
  sender_test_clear (&t);
}

GST_END_TEST;

/* The receiver says that it receives a hundred times as much as was sent. */
GST_START_TEST (test_receive_rate_is_used_as_it_is)
{
  FOR_BOTH_RULES (rules)
  {
    SenderTest t;

    init (&t, rules);
    start (&t, RTT);
    run_rtts (&t, 3, RTT, 20000000);
    if (rules == TFRC_RULES_STRICT) {
      assert_close (stats_of (&t).x_recv_Bps, 20000000);
    } else {
      fail_unless (stats_of (&t).x_recv_Bps < 1000000);
    }
    sender_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_p_of_zero_after_a_loss_event_is_used)
{
  FOR_BOTH_RULES (rules)
  {
    SenderTest t;

    init (&t, rules);
    start (&t, RTT);
    lose (&t, 0.01);
    run_rtts (&t, 1, RTT, 50000);
    t.next.p = 0;
    run_rtts (&t, 1, RTT, 50000);
    assert_close (stats_of (&t).p, rules == TFRC_RULES_STRICT ? 0 : 0.01);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* X_recv_set still has Infinity. */
GST_START_TEST (test_equation_alone_limits_the_first_round_trips)
{
  FOR_BOTH_RULES (rules)
  {
    SenderTest t;

    init (&t, rules);
    start (&t, RTT);
    lose (&t, 1e-8);
    run_rtts (&t, 1, RTT, 50000);
    if (rules == TFRC_RULES_STRICT) {
      assert_close (rate_of (&t), equation_rate (&t, 1e-8));
    } else {
      fail_unless (rate_of (&t) < 200000);
    }
    sender_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_every_sample_of_the_rtt_counts)
{
  FOR_BOTH_RULES (rules)
  {
    SenderTest t;

    init (&t, rules);
    start (&t, 10 * MS);
    run_rtts (&t, 100, 10 * MS, 100000);
    give_feedback (&t, 900 * MS, 100000);
    fail_unless_equals_uint64 (
        stats_of (&t).rtt_ns, rules == TFRC_RULES_STRICT ? 99 * MS : 10 * MS);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* The second sample is averaged with the first as any other. */
GST_START_TEST (test_first_sample_of_the_rtt_is_not_refuted)
{
  FOR_BOTH_RULES (rules)
  {
    SenderTest t;

    init (&t, rules);
    start (&t, 1000 * MS);
    send_for (&t, 1000 * MS);
    give_feedback (&t, 20 * MS, 100000);
    fail_unless_equals_uint64 (
        stats_of (&t).rtt_ns, rules == TFRC_RULES_STRICT ? 902 * MS : 20 * MS);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* Feedback cuts X to a packet in many seconds. */
GST_START_TEST (test_no_packet_checks_a_deep_cut)
{
  FOR_BOTH_RULES (rules)
  {
    guint64 wait;
    SenderTest t;

    init (&t, rules);
    start (&t, RTT);
    run_rtts (&t, 5, RTT, 100000);
    lose (&t, 1);
    run_rtts (&t, 1, RTT, 100000);
    wait = tfrc_sender_next_send_ns (t.sender) - t.now;
    if (rules == TFRC_RULES_STRICT) {
      fail_unless (wait > 10 * RTT);
    } else {
      fail_unless_equals_uint64 (wait, stats_of (&t).rtt_ns + 1000);
    }
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* Step 3 comes before step 4. */
GST_START_TEST (test_nofeedback_timer_is_that_of_the_rate_before)
{
  FOR_BOTH_RULES (rules)
  {
    guint64 timer;
    SenderTest t;

    init (&t, rules);
    start (&t, RTT);
    run_rtts (&t, 5, RTT, 100000);
    lose (&t, 1);
    run_rtts (&t, 1, RTT, 100000);
    timer = tfrc_sender_next_timeout_ns (t.sender) - t.now;
    if (rules == TFRC_RULES_STRICT) {
      fail_unless_equals_uint64 (timer, 4 * RTT);
    } else {
      assert_within (timer, 1e9 * 2 * S / rate_of (&t), 1e-6);
    }
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* A queue of 380 ms is suddenly empty. */
GST_START_TEST (test_instantaneous_rate_has_no_limit_of_its_own)
{
  SenderTest t;
  TfrcSenderStats stats;

  init (&t, TFRC_RULES_STRICT);
  start (&t, 4 * RTT);
  lose (&t, 0.01);
  run_rtts (&t, 5, 4 * RTT, 40000);
  send_for (&t, RTT / 5);
  give_feedback (&t, RTT / 5, 40000);
  stats = stats_of (&t);
  assert_close (
      stats.x_inst_Bps, stats.x_Bps * (0.9 * sqrt (0.4) + 0.1 * sqrt (0.02)) / sqrt (0.02));
  fail_unless (stats.x_inst_Bps > 2 * 40000);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
strictsender_suite (void)
{
  Suite *s = suite_create ("strictsender");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_strict_configuration_has_no_floors);
  tcase_add_test (tc, test_unknown_rules_and_models_are_refused);
  tcase_add_test (tc, test_first_window_leaves_within_one_rtt);
  tcase_add_test (tc, test_receive_rate_is_used_as_it_is);
  tcase_add_test (tc, test_p_of_zero_after_a_loss_event_is_used);
  tcase_add_test (tc, test_equation_alone_limits_the_first_round_trips);
  tcase_add_test (tc, test_every_sample_of_the_rtt_counts);
  tcase_add_test (tc, test_first_sample_of_the_rtt_is_not_refuted);
  tcase_add_test (tc, test_no_packet_checks_a_deep_cut);
  tcase_add_test (tc, test_nofeedback_timer_is_that_of_the_rate_before);
  tcase_add_test (tc, test_instantaneous_rate_has_no_limit_of_its_own);
  return s;
}

GST_CHECK_MAIN (strictsender);
