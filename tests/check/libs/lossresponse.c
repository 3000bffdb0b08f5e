/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The losses that make a sender slower, and what it believes of a receiver that tells link errors
 * from congestion */
#include <math.h>

#include <tfrc/feedback_record.h>

#include "sendertest.h"

#define RTT (100 * MS)
#define X_RECV 1e6

static void
init_with_gain (SenderTest *t, TfrcLossResponse response, double gain)
{
  TfrcSenderConfig config = default_config ();

  config.loss_response = response;
  config.link_error_gain = gain;
  sender_test_init (t, &config);
  start (t, RTT);
}

/* Without a limit of what link errors make faster */
static void
init_with (SenderTest *t, TfrcLossResponse response)
{
  init_with_gain (t, response, INFINITY);
}

/* From now on feedback says this. */
static void
say (SenderTest *t, double p, guint32 loss_events, double congestion_p, guint32 link_errors)
{
  t->next.p = p;
  t->next.loss_events = loss_events;
  t->next.classified = TRUE;
  t->next.congestion_p = congestion_p;
  t->next.link_errors = link_errors;
}

/* Gives feedback that says this. X is that of the equation for @used; 0: the sender is in slow
 * start. */
static void
assert_uses (SenderTest *t, double used)
{
  TfrcSenderStats stats;

  run_rtts (t, 1, RTT, X_RECV);
  stats = stats_of (t);
  fail_unless_equals_int (stats.slow_start, used == 0);
  assert_close (stats.x_eq_Bps, used == 0 ? 0 : equation_rate (t, used));
}

/* ---- the choice ---------------------------------------------------------- */

GST_START_TEST (test_all_losses_count_by_default)
{
  SenderTest t;

  init_with (&t, TFRC_LOSS_RESPONSE_ALL);
  say (&t, 0.04, 3, 0.01, 2);
  assert_uses (&t, 0.04);
  fail_unless (stats_of (&t).p == 0.04);
  fail_unless (stats_of (&t).congestion_p == 0.01);
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 2);
  fail_unless_equals_int (stats_of (&t).loss_response, TFRC_LOSS_RESPONSE_ALL);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_link_errors_do_not_count_for_congestion_only)
{
  SenderTest t;

  init_with (&t, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  fail_unless_equals_int (stats_of (&t).loss_response, TFRC_LOSS_RESPONSE_ALL);
  say (&t, 0.04, 3, 0.01, 2);
  assert_uses (&t, 0.01);
  fail_unless (stats_of (&t).p == 0.04);
  fail_unless (tfrc_sender_get_loss_event_rate (t.sender) == 0.04);
  fail_unless (stats_of (&t).congestion_p == 0.01);
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 2);
  fail_unless_equals_int (stats_of (&t).loss_response, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_all_losses_count_if_the_receiver_does_not_tell)
{
  SenderTest t;

  init_with (&t, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  say (&t, 0.04, 3, 0.01, 2);
  t.next.classified = FALSE;
  assert_uses (&t, 0.04);
  fail_unless (stats_of (&t).congestion_p == 0.04);
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 0);
  fail_unless_equals_int (stats_of (&t).loss_response, TFRC_LOSS_RESPONSE_ALL);
  t.next.classified = TRUE;
  assert_uses (&t, 0.01);
  t.next.classified = FALSE;
  assert_uses (&t, 0.04);
  fail_unless_equals_int (stats_of (&t).loss_response, TFRC_LOSS_RESPONSE_ALL);
  sender_test_clear (&t);
}

GST_END_TEST;

/* ---- the limit ----------------------------------------------------------- */

static const double gains[] = { 1, 2, 3 };

GST_START_TEST (test_link_errors_make_x_at_most_gain_times_that_of_all_losses)
{
  SenderTest t;
  double gain = gains[__i__];

  init_with_gain (&t, TFRC_LOSS_RESPONSE_CONGESTION_ONLY, gain);
  say (&t, 0.04, 3, 0, 3);
  run_rtts (&t, 1, RTT, X_RECV);
  assert_close (stats_of (&t).x_eq_Bps, gain * equation_rate (&t, 0.04));
  fail_if (stats_of (&t).slow_start);
  /* Congestion that is enough for less */
  say (&t, 0.04, 4, 0.039, 3);
  run_rtts (&t, 1, RTT, X_RECV);
  assert_close (
      stats_of (&t).x_eq_Bps, fmin (gain * equation_rate (&t, 0.04), equation_rate (&t, 0.039)));
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_the_default_limit_is_twice)
{
  TfrcSenderConfig config = default_config ();

  fail_unless (config.link_error_gain == 2);
  config.link_error_gain = 0.99;
  fail_unless (tfrc_sender_config_problem (&config) != NULL);
  config.link_error_gain = 3.01;
  fail_unless (tfrc_sender_config_problem (&config) != NULL);
  config.link_error_gain = NAN;
  fail_unless (tfrc_sender_config_problem (&config) != NULL);
  config.link_error_gain = INFINITY;
  fail_unless (tfrc_sender_config_problem (&config) == NULL);
}

GST_END_TEST;

/* The averages of the two histories may be in any order. */
GST_START_TEST (test_p_in_use_is_never_above_that_of_all_losses)
{
  SenderTest t;

  init_with (&t, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  say (&t, 0.01, 3, 0.02, 2);
  assert_uses (&t, 0.01);
  fail_unless (stats_of (&t).congestion_p == 0.02);
  sender_test_clear (&t);
}

GST_END_TEST;

/* ---- p = 0 --------------------------------------------------------------- */

GST_START_TEST (test_slow_start_goes_on_over_link_errors)
{
  SenderTest t;
  double x_Bps;

  init_with (&t, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  say (&t, 0.04, 3, 0, 5);
  x_Bps = rate_of (&t);
  assert_uses (&t, 0);
  assert_close (rate_of (&t), 2 * x_Bps);
  assert_uses (&t, 0);
  assert_close (rate_of (&t), 4 * x_Bps);
  say (&t, 0.04, 4, 0.02, 5);
  assert_uses (&t, 0.02);
  sender_test_clear (&t);
}

GST_END_TEST;

/* The p in use stays, but is never above p of all losses. */
GST_START_TEST (test_congestion_that_was_reported_does_not_come_back_to_0)
{
  SenderTest t;

  init_with (&t, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  say (&t, 0.04, 4, 0.02, 5);
  assert_uses (&t, 0.02);
  say (&t, 0.04, 4, 0, 6);
  assert_uses (&t, 0.02);
  say (&t, 0.05, 5, 0, 7);
  assert_uses (&t, 0.02);
  say (&t, 0.01, 5, 0, 7);
  assert_uses (&t, 0.01);
  say (&t, 0.04, 6, 0, 8);
  assert_uses (&t, 0.02);
  say (&t, 0.04, 6, 1e-6, 8);
  assert_uses (&t, 1e-6);
  /* a late packet has taken the only loss event back */
  say (&t, 0, 0, 0, 0);
  assert_uses (&t, 0);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_losses_that_were_not_told_apart_do_not_come_back_to_0)
{
  SenderTest t;

  init_with (&t, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  say (&t, 0.04, 4, 0, 5);
  t.next.classified = FALSE;
  assert_uses (&t, 0.04);
  t.next.classified = TRUE;
  assert_uses (&t, 0.04);
  t.next.p = 0;
  assert_uses (&t, 0.04);
  sender_test_clear (&t);
}

GST_END_TEST;

/* ---- a data-limited sender ----------------------------------------------- */

/* Sends one packet in each round-trip time, with feedback about each. */
static void
be_data_limited (SenderTest *t, guint n)
{
  while (n-- > 0) {
    t->now += RTT;
    send_one (t);
    give_feedback (t, RTT, 13160);
  }
  fail_unless (stats_of (t).data_limited);
}

GST_START_TEST (test_only_congestion_cuts_the_limit_of_a_data_limited_sender)
{
  static const struct
  {
    TfrcLossResponse response;
    double congestion_p;
    guint32 link_errors;
    gboolean cuts;
  } cases[] = {
    { TFRC_LOSS_RESPONSE_ALL, 0.001, 3, TRUE },
    { TFRC_LOSS_RESPONSE_CONGESTION_ONLY, 0.001, 3, FALSE },
    { TFRC_LOSS_RESPONSE_CONGESTION_ONLY, 0.001, 2, TRUE },    /* a loss event, no link error */
    { TFRC_LOSS_RESPONSE_CONGESTION_ONLY, 0.001001, 3, TRUE }, /* both, perhaps */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    SenderTest t;
    double limit_Bps;

    init_with (&t, cases[i].response);
    say (&t, 0.001, 4, 0.001, 2);
    run_rtts (&t, 4, RTT, 100000);
    be_data_limited (&t, 3);
    limit_Bps = stats_of (&t).recv_limit_Bps;
    say (&t, 0.001, 5, cases[i].congestion_p, cases[i].link_errors);
    t.now += RTT;
    give_feedback (&t, RTT, 13160);
    if ((stats_of (&t).recv_limit_Bps < limit_Bps) != cases[i].cuts)
      fail ("case %u", i);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* ---- what is refused, and what is new ------------------------------------ */

GST_START_TEST (test_impossible_congestion_p_is_refused)
{
  static const double impossible[] = { NAN, -1e-9, 1.000001, INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (impossible); i++) {
    for (guint response = 0; response < 2; response++) {
      TfrcFeedback feedback = { .classified = TRUE, .congestion_p = impossible[i] };
      SenderTest t;

      sender_test_init (&t, NULL);
      fail_unless_equals_int (deliver (&t, &feedback), TFRC_ERROR_RANGE);
      sender_test_clear (&t);

      init_with (&t, response);
      send_for (&t, RTT);
      feedback = feedback_after (&t, RTT, X_RECV);
      feedback.number = 5;
      feedback.classified = TRUE;
      feedback.congestion_p = impossible[i];
      fail_unless_equals_int (deliver (&t, &feedback), TFRC_ERROR_RANGE);
      /* the field means nothing in other feedback */
      feedback.classified = FALSE;
      fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
      sender_test_clear (&t);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_unknown_loss_response_is_refused)
{
  TfrcSenderConfig config = default_config ();
  TfrcSender *sender;

  config.loss_response = TFRC_LOSS_RESPONSE_CONGESTION_ONLY + 1;
  fail_unless_equals_int (tfrc_sender_new (&sender, &config), TFRC_ERROR_ARGUMENT);
  config.loss_response = (TfrcLossResponse) -1;
  fail_unless_equals_int (tfrc_sender_new (&sender, &config), TFRC_ERROR_ARGUMENT);
}

GST_END_TEST;

GST_START_TEST (test_link_errors_are_new_if_their_count_has_grown)
{
  static const struct
  {
    gboolean before_tells, tells;
    guint32 before, now;
    gboolean is_new;
  } cases[] = {
    { TRUE, TRUE, 5, 6, TRUE },
    { TRUE, TRUE, 5, 5, FALSE },
    { TRUE, TRUE, 5, 4, FALSE }, /* a packet came late */
    { TRUE, TRUE, G_MAXUINT32, 1, TRUE },
    { TRUE, TRUE, 1, G_MAXUINT32, FALSE },
    { FALSE, TRUE, 5, 1, TRUE },
    { FALSE, TRUE, 5, 0, FALSE },
    { TRUE, FALSE, 5, 6, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcFeedback before = { .classified = cases[i].before_tells, .link_errors = cases[i].before };
    TfrcFeedback now = { .classified = cases[i].tells, .link_errors = cases[i].now };
    TfrcFeedbackRecord record;

    tfrc_feedback_record_init (&record);
    tfrc_feedback_record_keep (&record, &before, 1);
    if (tfrc_feedback_record_is_new_link_error (&record, &now) != cases[i].is_new)
      fail ("case %u", i);
  }
}

GST_END_TEST;

static Suite *
lossresponse_suite (void)
{
  Suite *s = suite_create ("lossresponse");
  TCase *tc = tcase_create ("choice");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (
      tc, test_link_errors_make_x_at_most_gain_times_that_of_all_losses, 0, G_N_ELEMENTS (gains));
  tcase_add_test (tc, test_the_default_limit_is_twice);
  tcase_add_test (tc, test_all_losses_count_by_default);
  tcase_add_test (tc, test_link_errors_do_not_count_for_congestion_only);
  tcase_add_test (tc, test_all_losses_count_if_the_receiver_does_not_tell);
  tcase_add_test (tc, test_p_in_use_is_never_above_that_of_all_losses);
  tcase_add_test (tc, test_slow_start_goes_on_over_link_errors);
  tcase_add_test (tc, test_congestion_that_was_reported_does_not_come_back_to_0);
  tcase_add_test (tc, test_losses_that_were_not_told_apart_do_not_come_back_to_0);
  tcase_add_test (tc, test_only_congestion_cuts_the_limit_of_a_data_limited_sender);
  tc = tcase_create ("feedback");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_impossible_congestion_p_is_refused);
  tcase_add_test (tc, test_unknown_loss_response_is_refused);
  tcase_add_test (tc, test_link_errors_are_new_if_their_count_has_grown);
  return s;
}

GST_CHECK_MAIN (lossresponse);
