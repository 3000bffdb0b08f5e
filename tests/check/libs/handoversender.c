/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation at the sender: marks, the frozen rate, and the end of the frozen rate. */
#include "handoversendertest.h"

GST_START_TEST (test_sender_marks_what_follows_a_notification)
{
  TfrcFeedback new_link = old_link, suppressed = old_link;

  new_link.new_link = suppressed.new_link = TRUE;
  suppressed.suppress_echo = TRUE;
  init ();
  fail_if (feedback (&plain, 250000, 600000, FALSE));
  fail_if (sender.echo || sender.direct || sender.settling);
  fail_unless (feedback (&old_link, 250000, 600000, FALSE));
  fail_unless (sender.echo && !sender.direct);
  fail_unless_equals_int (sender.number, 3);
  assert_close (sender.hold_Bps, 500000);
  fail_unless (feedback (&new_link, 250000, 500000, FALSE));
  fail_unless (sender.echo && sender.direct);
  /* feedback about the old link again means another handover */
  fail_unless (feedback (&old_link, 250000, 500000, FALSE));
  fail_unless (sender.echo && !sender.direct);
  fail_unless (feedback (&suppressed, 250000, 500000, FALSE));
  fail_if (sender.echo || sender.direct);
  fail_unless_equals_int (sender.number, 0);
  fail_if (feedback (&plain, 250000, 500000, FALSE));
  fail_if (sender.echo || sender.direct);
  fail_unless_equals_uint64 (sender.handovers, 1);
}

GST_END_TEST;

GST_START_TEST (test_data_limited_sender_may_go_on_with_what_it_had)
{
  TfrcFeedback bandwidth = old_link;

  bandwidth.bandwidth = TRUE;
  init ();
  feedback (&old_link, 50000, 600000, TRUE);
  assert_close (sender.hold_Bps, 600000);
  /* the first feedback says what the rate was before the handover; later feedback does not */
  feedback (&old_link, 50000, 600001, TRUE);
  assert_close (sender.hold_Bps, 600000);
  feedback (&bandwidth, 50000, 600000, TRUE);
  assert_close (sender.hold_Bps, 100000);
  /* the bandwidth allows more than the sender had */
  feedback (&bandwidth, 400000, 600000, TRUE);
  assert_close (sender.hold_Bps, 800000);
}

GST_END_TEST;

static double
settle (double x_eq_Bps, double recv_limit_Bps, double x_Bps, guint64 now)
{
  return tfrc_sender_handover_settle_Bps (&sender, x_eq_Bps, recv_limit_Bps, x_Bps, 1000, 0.1, now);
}

static void
start_to_settle (void)
{
  init ();
  feedback (&old_link, 250000, 900000, FALSE);
  feedback (&plain, 500000, 500000, FALSE);
}

/* The rate grows by 1000 bytes per 100 ms in each 100 ms. */
GST_START_TEST (test_rate_grows_by_a_packet_per_rtt_until_it_meets_the_equation)
{
  start_to_settle ();
  assert_close (settle (900000, 1e6, 500000, T0 + 50 * MS), 505000);
  assert_close (settle (900000, 1e6, 505000, T0 + 150 * MS), 515000);
  /* late feedback allows no larger step */
  assert_close (settle (900000, 1e6, 515000, T0 + 650 * MS), 525000);
  fail_unless (sender.settling);
  assert_close (settle (530000, 1e6, 525000, T0 + 750 * MS), 530000);
  fail_if (sender.settling);
  assert_close (settle (900000, 1e6, 530000, T0 + 850 * MS), 900000);
}

GST_END_TEST;

GST_START_TEST (test_slow_growth_ends_at_a_lower_limit_than_the_equation)
{
  start_to_settle ();
  assert_close (settle (900000, 502000, 500000, T0 + 100 * MS), 502000);
  fail_if (sender.settling);
}

GST_END_TEST;

/* A loss cuts recv_limit. The cut says nothing about the rate of the equation. */
GST_START_TEST (test_cut_of_the_limit_does_not_end_slow_growth)
{
  start_to_settle ();
  assert_close (settle (900000, 1e6, 500000, T0 + 100 * MS), 510000);
  assert_close (settle (900000, 425000, 510000, T0 + 200 * MS), 425000);
  fail_unless (sender.settling);
  /* back to the frozen rate at once, then slow growth */
  assert_close (settle (900000, 1e6, 425000, T0 + 300 * MS), 500000);
  assert_close (settle (900000, 1e6, 500000, T0 + 400 * MS), 510000);
  fail_unless (sender.settling);
}

GST_END_TEST;

GST_START_TEST (test_equation_below_the_frozen_rate_applies_at_once)
{
  start_to_settle ();
  assert_close (settle (400000, 1e6, 500000, T0 + 100 * MS), 400000);
  fail_if (sender.settling);
}

GST_END_TEST;

/* ---- through the public interface -------------------------------------- */

/* Feedback about a packet that left @rtt ago */
static void
notify (SenderTest *t, guint64 rtt, double x_recv_Bps, gboolean new_link)
{
  t->next.handover = TRUE;
  t->next.handover_number = 1;
  t->next.new_link = new_link;
  give_feedback (t, rtt, x_recv_Bps);
  t->next.handover = t->next.new_link = FALSE;
}

GST_START_TEST (test_notification_resets_the_round_trip_time)
{
  SenderTest t;

  start_stream (&t);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 100 * MS);
  send_for (&t, 20 * MS);
  notify (&t, 70 * MS, 250000, FALSE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 70 * MS);
  fail_unless (stats_of (&t).holding);
  /* no oscillation reduction: R_sqmean is that of the sample */
  assert_close (stats_of (&t).x_Bps, 500000);
  assert_close (stats_of (&t).x_inst_Bps, 500000);
  send_for (&t, 20 * MS);
  fail_unless (t.data.echo && !t.data.direct);
  fail_unless_equals_int (t.data.rtt_us, 70000);
  notify (&t, 40 * MS, 250000, TRUE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 40 * MS);
  assert_close (stats_of (&t).x_inst_Bps, 500000);
  send_for (&t, 20 * MS);
  fail_unless (t.data.echo && t.data.direct);
  fail_unless_equals_int (t.data.handover_number, 1);
  give_feedback (&t, 50 * MS, 500000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 41 * MS);
  fail_if (stats_of (&t).holding);
  send_for (&t, 20 * MS);
  fail_if (t.data.echo || t.data.direct);
  fail_unless_equals_uint64 (stats_of (&t).handovers, 1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_old_notification_is_stale)
{
  TfrcFeedback old;
  SenderTest t;

  start_stream (&t);
  send_for (&t, 20 * MS);
  t.next.handover = TRUE;
  old = feedback_after (&t, 70 * MS, 250000);
  t.next.handover = FALSE;
  t.next.number++;
  give_feedback (&t, 50 * MS, 500000);
  fail_unless_equals_int (deliver (&t, &old), TFRC_ERROR_STALE);
  fail_if (stats_of (&t).holding);
  fail_unless_equals_uint64 (stats_of (&t).handovers, 0);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Feedback stops. The sender does not keep the frozen rate. */
GST_START_TEST (test_nofeedback_timer_runs_while_the_rate_is_frozen)
{
  SenderTest t;

  start_stream (&t);
  lose (&t, 0.001);
  send_for (&t, 20 * MS);
  notify (&t, 100 * MS, 250000, FALSE);
  assert_close (rate_of (&t), 500000);
  send_for (&t, 399 * MS);
  tfrc_sender_on_timeout (t.sender, t.now);
  assert_close (rate_of (&t), 500000);
  send_for (&t, MS);
  tfrc_sender_on_timeout (t.sender, t.now);
  fail_unless (rate_of (&t) <= 250000);
  sender_test_clear (&t);
}

GST_END_TEST;

/* The notification was a forged one: the rate before would come back, but no feedback has come for 4 R since. */
GST_START_TEST (test_a_hold_that_is_taken_back_does_not_undo_the_nofeedback_timer)
{
  SenderTest t;

  start_stream (&t);
  assert_close (rate_of (&t), 1000000);
  send_for (&t, 20 * MS);
  notify (&t, 100 * MS, 50000, FALSE);
  assert_close (rate_of (&t), 100000);
  send_for (&t, 400 * MS);
  tfrc_sender_on_timeout (t.sender, t.now);
  assert_close (rate_of (&t), 50000);
  send_for (&t, 100 * MS);
  give_feedback (&t, 100 * MS, 50000);
  fail_if (stats_of (&t).holding);
  assert_close (rate_of (&t), 100000);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Feedback of a handover may have p = 0. Afterwards the losses that it has reported before stand. */
GST_START_TEST (test_a_receiver_does_not_take_back_its_losses_in_a_handover)
{
  for (guint classified = 0; classified < 2; classified++) {
    TfrcSenderConfig config = default_config ();
    SenderTest t;

    config.loss_response = classified ? TFRC_LOSS_RESPONSE_CONGESTION_ONLY : TFRC_LOSS_RESPONSE_ALL;
    sender_test_init (&t, &config);
    start (&t, 100 * MS);
    t.next.classified = classified;
    lose (&t, 0.01);
    t.next.congestion_p = classified ? 0.01 : 0;
    run_rtts (&t, 4, 100 * MS, 500000);
    assert_close (rate_of (&t), equation_rate (&t, 0.01));
    t.next.p = t.next.congestion_p = 0;
    send_for (&t, 100 * MS);
    notify (&t, 100 * MS, 250000, TRUE);
    /* the receiver claims that nothing was lost ever */
    if (classified)
      t.next.p = 0.01;
    run_rtts (&t, 30, 100 * MS, 500000);
    fail_if (stats_of (&t).holding);
    assert_close (rate_of (&t), equation_rate (&t, 0.01));
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* ---- a notification that nothing follows ------------------------------------- */

/* Notifications have asked for this rate; the rate before was 1 MB/s. Then the receiver says no more. */
static gboolean
is_refuted (guint notifications, double x_recv_Bps, guint64 sample_ns)
{
  init ();
  while (notifications-- > 0)
    feedback (&old_link, x_recv_Bps, 1e6, FALSE);
  feedback (&plain, x_recv_Bps, 1e6, FALSE);
  return tfrc_sender_handover_is_refuted (&sender, 100 * MS, sample_ns);
}

/* The hold has cut X by more than half, or R is another. */
GST_START_TEST (test_single_notification_is_refuted_by_r_or_by_the_rate_before)
{
  fail_if (is_refuted (1, 250000, 100 * MS));
  fail_unless (is_refuted (1, 249999, 100 * MS));
  fail_if (is_refuted (1, 250000, 200 * MS));
  fail_unless (is_refuted (1, 250000, 200 * MS + 1));
  fail_if (is_refuted (1, 250000, 50 * MS));
  fail_unless (is_refuted (1, 250000, 50 * MS - 1));
}

GST_END_TEST;

GST_START_TEST (test_second_notification_confirms_the_first)
{
  fail_if (is_refuted (2, 1000, SECOND));
}

GST_END_TEST;

/* There was no hold. */
GST_START_TEST (test_after_a_hold_that_is_taken_back_x_follows_the_equation_at_once)
{
  fail_unless (is_refuted (1, 1000, 100 * MS));
  tfrc_sender_handover_take_back (&sender);
  fail_if (sender.settling);
  assert_close (settle (900000, 1e6, 2000, T0 + 100 * MS), 900000);
}

GST_END_TEST;

static Suite *
handoversender_suite (void)
{
  Suite *suite = suite_create ("handoversender");
  TCase *tc = tcase_create ("rules");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_sender_marks_what_follows_a_notification);
  tcase_add_test (tc, test_data_limited_sender_may_go_on_with_what_it_had);
  tcase_add_test (tc, test_rate_grows_by_a_packet_per_rtt_until_it_meets_the_equation);
  tcase_add_test (tc, test_slow_growth_ends_at_a_lower_limit_than_the_equation);
  tcase_add_test (tc, test_cut_of_the_limit_does_not_end_slow_growth);
  tcase_add_test (tc, test_equation_below_the_frozen_rate_applies_at_once);
  tcase_add_test (tc, test_single_notification_is_refuted_by_r_or_by_the_rate_before);
  tcase_add_test (tc, test_second_notification_confirms_the_first);
  tcase_add_test (tc, test_after_a_hold_that_is_taken_back_x_follows_the_equation_at_once);
  tc = tcase_create ("interface");
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_notification_resets_the_round_trip_time);
  tcase_add_test (tc, test_old_notification_is_stale);
  tcase_add_test (tc, test_nofeedback_timer_runs_while_the_rate_is_frozen);
  tcase_add_test (tc, test_a_hold_that_is_taken_back_does_not_undo_the_nofeedback_timer);
  tcase_add_test (tc, test_a_receiver_does_not_take_back_its_losses_in_a_handover);
  return suite;
}

GST_CHECK_MAIN (handoversender);
