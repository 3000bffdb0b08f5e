/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver can make a sender do by false notifications of handovers. The same notifications
 * can be forged. */
#include "handoversendertest.h"

/* Feedback comes @after T0. The sender has sent at @sent_Bps until then, and the equation gives
 * x_eq_Bps with this feedback. */
static gboolean
feedback_at (guint64 after, const TfrcFeedback *what, double sent_Bps, double x_eq_Bps)
{
  gboolean holding;

  context.bytes_sent += sent_Bps * (T0 + after - context.now_ns) * 1e-9;
  context.now_ns = T0 + after;
  holding = feedback (what, 250000, 500000, FALSE);
  tfrc_sender_handover_judge (&sender, x_eq_Bps, context.now_ns);
  return holding;
}

GST_START_TEST (test_hold_ends_after_a_second)
{
  init ();
  fail_unless (feedback_at (0, &old_link, 0, 15000));
  fail_unless (feedback_at (999 * MS, &old_link, 500000, 15000));
  fail_unless (sender.echo);
  fail_if (feedback_at (1000 * MS, &old_link, 500000, 15000));
  fail_if (sender.echo || sender.holding);
  fail_if (feedback_at (1100 * MS, &old_link, 15000, 15000));
  fail_unless_equals_uint64 (sender.handovers, 1);
}

GST_END_TEST;

GST_START_TEST (test_hold_ends_after_four_long_round_trip_times)
{
  init ();
  context.rtt_ns = 400 * MS;
  fail_unless (feedback_at (0, &old_link, 0, 15000));
  /* R as it was before the handover */
  context.rtt_ns = 4 * SECOND;
  fail_unless (feedback_at (1599 * MS, &old_link, 500000, 15000));
  fail_if (feedback_at (1600 * MS, &old_link, 500000, 15000));
}

GST_END_TEST;

GST_START_TEST (test_held_rate_is_at_most_twice_what_was_sent)
{
  TfrcFeedback bandwidth = old_link;

  bandwidth.bandwidth = TRUE;
  init ();
  feedback (&bandwidth, 100e6, 500000, FALSE);
  assert_close (sender.hold_Bps, 2e6);
  /* the rate during the hold does not count as sent before */
  context.most_Bps = 4e6;
  feedback (&bandwidth, 100e6, 500000, FALSE);
  assert_close (sender.hold_Bps, 2e6);
}

GST_END_TEST;

/* The sender sends 500 kB/s for half a second, where the equation then gives 15 kB/s. The debt is
 * 242.5 kB. Each second pays 750 bytes of the debt. */
GST_START_TEST (test_hold_that_was_not_justified_leaves_a_debt)
{
  init ();
  fail_unless (feedback_at (0, &old_link, 0, 15000));
  fail_if (feedback_at (500 * MS, &plain, 500000, 15000));
  assert_close (sender.debt_bytes, 242500);
  fail_if (feedback_at (1500 * MS, &old_link, 15000, 15000));
  assert_close (sender.debt_bytes, 241750);
  fail_if (feedback_at (323700 * MS, &old_link, 15000, 15000));
  fail_if (feedback_at (323900 * MS, &plain, 15000, 15000));
  assert_close (sender.debt_bytes, 0);
  fail_unless (feedback_at (324000 * MS, &old_link, 15000, 15000));
}

GST_END_TEST;

GST_START_TEST (test_justified_hold_leaves_no_debt)
{
  init ();
  for (guint i = 0; i < 20; i++) {
    fail_unless (feedback_at (i * 2 * SECOND, &old_link, 500000, 15000));
    fail_if (feedback_at (i * 2 * SECOND + 300 * MS, &plain, 500000, 500000));
    assert_close (sender.debt_bytes, 0);
  }
  fail_unless_equals_uint64 (sender.handovers, 20);
}

GST_END_TEST;

/* As in slow start: the rate of the equation is unknown until p is known. */
GST_START_TEST (test_holds_without_a_loss_event_rate_are_judged_with_the_first)
{
  init ();
  fail_unless (feedback_at (0, &old_link, 0, 0));
  fail_if (feedback_at (500 * MS, &plain, 500000, 0));
  fail_unless (feedback_at (SECOND, &old_link, 500000, 0));
  fail_if (feedback_at (1500 * MS, &plain, 500000, 15000));
  assert_close (sender.debt_bytes, 485000);
  fail_if (feedback_at (2000 * MS, &old_link, 15000, 15000));
}

GST_END_TEST;

GST_START_TEST (test_unannounced_move_ends_a_hold_and_keeps_the_debt)
{
  init ();
  fail_unless (feedback_at (0, &old_link, 0, 15000));
  tfrc_sender_handover_cancel (&sender, context.bytes_sent + 250000, T0 + 500 * MS);
  fail_if (sender.holding || sender.settling || sender.echo);
  tfrc_sender_handover_judge (&sender, 15000, T0 + 500 * MS);
  assert_close (sender.debt_bytes, 242500);
}

GST_END_TEST;

/* ---- through the public interface --------------------------------------- */

/* Somebody who has seen the stream says that hardly anything is received, and that R is 16 s. */
GST_START_TEST (test_single_notification_does_no_harm)
{
  TfrcFeedback forged;
  SenderTest t;

  start_stream (&t);
  lose (&t, 0.0001);
  run_rtts (&t, 3, 100 * MS, 500000);
  send_for (&t, 20 * MS);
  forged = feedback_after (&t, 2900 * MS, 1);
  forged.handover = forged.new_link = TRUE;
  forged.number += 1000;
  fail_unless_equals_int (deliver (&t, &forged), TFRC_OK);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 2900 * MS);
  /* one packet per previous R */
  assert_close (rate_of (&t), S / 0.1);
  /* The receiver's next feedback has a lower number than the forged feedback. The sender accepts it
   * as the receiver's if it is about newer data. */
  send_for (&t, 200 * MS);
  give_feedback (&t, 50 * MS, 500000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 95 * MS);
  fail_unless (rate_of (&t) >= 900000, "%f", rate_of (&t));
  fail_unless_equals_uint64 (t.data.rtt_us, 2900000);
  sender_test_clear (&t);
}

GST_END_TEST;

/* In slow start no equation brings X back. */
GST_START_TEST (test_single_notification_does_no_harm_in_slow_start)
{
  TfrcFeedback forged;
  SenderTest t;

  start_stream (&t);
  assert_close (rate_of (&t), 1000000);
  send_for (&t, 20 * MS);
  forged = feedback_after (&t, 100 * MS, 1);
  forged.handover = TRUE;
  forged.number += 1000;
  fail_unless_equals_int (deliver (&t, &forged), TFRC_OK);
  assert_close (rate_of (&t), S / 0.1);
  send_for (&t, 200 * MS);
  give_feedback (&t, 100 * MS, 500000);
  fail_unless (rate_of (&t) >= 900000, "%f", rate_of (&t));
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
handoverbounds_suite (void)
{
  Suite *suite = suite_create ("handoverbounds");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_hold_ends_after_a_second);
  tcase_add_test (tc, test_hold_ends_after_four_long_round_trip_times);
  tcase_add_test (tc, test_held_rate_is_at_most_twice_what_was_sent);
  tcase_add_test (tc, test_hold_that_was_not_justified_leaves_a_debt);
  tcase_add_test (tc, test_justified_hold_leaves_no_debt);
  tcase_add_test (tc, test_holds_without_a_loss_event_rate_are_judged_with_the_first);
  tcase_add_test (tc, test_unannounced_move_ends_a_hold_and_keeps_the_debt);
  tcase_add_test (tc, test_single_notification_does_no_harm);
  tcase_add_test (tc, test_single_notification_does_no_harm_in_slow_start);
  return suite;
}

GST_CHECK_MAIN (handoverbounds);
