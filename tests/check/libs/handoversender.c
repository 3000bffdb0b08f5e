/* Fast link adaptation at the sender: marks, the frozen rate, and how it is
 * left. */
#include <tfrc/sender_handover.h>

#include "closeto.h"
#include "sendertest.h"

#define T0 (100 * SECOND)

static TfrcSenderHandover sender;
static TfrcSenderHandoverContext context;

/* Feedback that says this of X_recv; X was x_Bps before.  Is the rate frozen? */
static gboolean
feedback (const TfrcFeedback * what, double x_recv_Bps, double x_Bps,
    gboolean data_limited)
{
  TfrcFeedback feedback = *what;

  feedback.x_recv_Bps = x_recv_Bps;
  context.x_Bps = x_Bps;
  context.data_limited = data_limited;
  return tfrc_sender_handover_on_feedback (&sender, &feedback, &context);
}

/* At T0, with R = 100 ms, after a rate of 1 MB/s */
static void
init (void)
{
  static const TfrcSenderHandoverContext at_t0 = {.rtt_ns = 100 * MS,
    .most_Bps = 2e6,.now_ns = T0
  };

  tfrc_sender_handover_init (&sender);
  context = at_t0;
}

static const TfrcFeedback plain;
static const TfrcFeedback old_link = {.handover = TRUE,.handover_number = 3 };

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
  /* another handover, as the answers from the old link tell */
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
  /* the first answer says what was before, not the later ones */
  feedback (&old_link, 50000, 600001, TRUE);
  assert_close (sender.hold_Bps, 600000);
  feedback (&bandwidth, 50000, 600000, TRUE);
  assert_close (sender.hold_Bps, 100000);
  /* more than it had */
  feedback (&bandwidth, 400000, 600000, TRUE);
  assert_close (sender.hold_Bps, 800000);
}

GST_END_TEST;

static double
settle (double x_eq_Bps, double recv_limit_Bps, double x_Bps, guint64 now)
{
  return tfrc_sender_handover_settle_Bps (&sender, x_eq_Bps, recv_limit_Bps,
      x_Bps, 1000, 0.1, now);
}

static void
start_to_settle (void)
{
  init ();
  feedback (&old_link, 250000, 900000, FALSE);
  feedback (&plain, 500000, 500000, FALSE);
}

/* 1000 bytes per 100 ms and 100 ms */
GST_START_TEST (test_rate_grows_by_a_packet_per_rtt_until_it_meets_the_equation)
{
  start_to_settle ();
  assert_close (settle (900000, 1e6, 500000, T0 + 50 * MS), 505000);
  assert_close (settle (900000, 1e6, 505000, T0 + 150 * MS), 515000);
  /* no more for feedback that was long in coming */
  assert_close (settle (900000, 1e6, 515000, T0 + 650 * MS), 525000);
  fail_unless (sender.settling);
  assert_close (settle (530000, 1e6, 525000, T0 + 750 * MS), 530000);
  fail_if (sender.settling);
  assert_close (settle (900000, 1e6, 530000, T0 + 850 * MS), 900000);
}

GST_END_TEST;

GST_START_TEST (test_less_than_the_equation_ends_it_where_x_has_grown_to_it)
{
  start_to_settle ();
  assert_close (settle (900000, 502000, 500000, T0 + 100 * MS), 502000);
  fail_if (sender.settling);
}

GST_END_TEST;

/* A loss cuts recv_limit: that says nothing about the equation's rate. */
GST_START_TEST (test_cut_does_not_end_it)
{
  start_to_settle ();
  assert_close (settle (900000, 1e6, 500000, T0 + 100 * MS), 510000);
  assert_close (settle (900000, 425000, 510000, T0 + 200 * MS), 425000);
  fail_unless (sender.settling);
  /* back to the frozen rate at once, from there on slowly */
  assert_close (settle (900000, 1e6, 425000, T0 + 300 * MS), 500000);
  assert_close (settle (900000, 1e6, 500000, T0 + 400 * MS), 510000);
  fail_unless (sender.settling);
}

GST_END_TEST;

GST_START_TEST (test_rate_below_the_frozen_one_is_free)
{
  start_to_settle ();
  assert_close (settle (400000, 1e6, 500000, T0 + 100 * MS), 400000);
  fail_if (sender.settling);
}

GST_END_TEST;

/* ---- bounds of what a receiver can ask for -------------------------------- */

/* Sends at that rate until the time after T0, when this feedback comes, with which the equation gives x_eq_Bps. */
static gboolean
feedback_at (guint64 after, const TfrcFeedback * what, double sent_Bps,
    double x_eq_Bps)
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
  /* R as it was before */
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
  /* what is sent during the hold does not count */
  context.most_Bps = 4e6;
  feedback (&bandwidth, 100e6, 500000, FALSE);
  assert_close (sender.hold_Bps, 2e6);
}

GST_END_TEST;

/* 500 kB/s for half a second, where the equation then gives 15 kB/s: a debt of 242.5 kB, of which 750 bytes are paid in each
 * second */
GST_START_TEST (test_hold_that_was_not_justified_is_paid_for)
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

/* As in slow start: nothing is known of the equation until p is. */
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

GST_START_TEST (test_move_without_a_word_ends_a_hold_and_keeps_the_debt)
{
  init ();
  fail_unless (feedback_at (0, &old_link, 0, 15000));
  tfrc_sender_handover_cancel (&sender, context.bytes_sent + 250000,
      T0 + 500 * MS);
  fail_if (sender.holding || sender.settling || sender.echo);
  tfrc_sender_handover_judge (&sender, 15000, T0 + 500 * MS);
  assert_close (sender.debt_bytes, 242500);
}

GST_END_TEST;

/* ---- through the public interface -------------------------------------- */

/* Feedback about a packet that left rtt ago */
static void
notify (SenderTest * t, guint64 rtt, double x_recv_Bps, gboolean new_link)
{
  t->next.handover = TRUE;
  t->next.handover_number = 1;
  t->next.new_link = new_link;
  give_feedback (t, rtt, x_recv_Bps);
  t->next.handover = t->next.new_link = FALSE;
}

static void
start_stream (SenderTest * t)
{
  guint i;

  sender_test_init (t, NULL);
  for (i = 0; i < 30; i++) {
    send_for (t, 100 * MS);
    give_feedback (t, 100 * MS, 500000);
  }
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

/* Somebody who has seen the stream says that hardly anything is received, and
 * that R is 16 s. */
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
  /* a packet per R as it was */
  assert_close (rate_of (&t), S / 0.1);
  /* The receiver's next feedback has a lower number: it is the receiver's own
   * when it is about newer data. */
  send_for (&t, 200 * MS);
  give_feedback (&t, 50 * MS, 500000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 95 * MS);
  fail_unless (rate_of (&t) >= 900000, "%f", rate_of (&t));
  fail_unless_equals_uint64 (t.data.rtt_us, 2900000);
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

/* Nothing is heard any more: the frozen rate is not kept. */
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

static Suite *
handoversender_suite (void)
{
  Suite *suite = suite_create ("handoversender");
  TCase *tc = tcase_create ("rules");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_sender_marks_what_follows_a_notification);
  tcase_add_test (tc, test_data_limited_sender_may_go_on_with_what_it_had);
  tcase_add_test (tc,
      test_rate_grows_by_a_packet_per_rtt_until_it_meets_the_equation);
  tcase_add_test (tc,
      test_less_than_the_equation_ends_it_where_x_has_grown_to_it);
  tcase_add_test (tc, test_cut_does_not_end_it);
  tcase_add_test (tc, test_rate_below_the_frozen_one_is_free);
  tc = tcase_create ("bounds");
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_hold_ends_after_a_second);
  tcase_add_test (tc, test_hold_ends_after_four_long_round_trip_times);
  tcase_add_test (tc, test_held_rate_is_at_most_twice_what_was_sent);
  tcase_add_test (tc, test_hold_that_was_not_justified_is_paid_for);
  tcase_add_test (tc, test_justified_hold_leaves_no_debt);
  tcase_add_test (tc,
      test_holds_without_a_loss_event_rate_are_judged_with_the_first);
  tcase_add_test (tc, test_move_without_a_word_ends_a_hold_and_keeps_the_debt);
  tc = tcase_create ("interface");
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_notification_resets_the_round_trip_time);
  tcase_add_test (tc, test_single_notification_does_no_harm);
  tcase_add_test (tc, test_old_notification_is_stale);
  tcase_add_test (tc, test_nofeedback_timer_runs_while_the_rate_is_frozen);
  return suite;
}

GST_CHECK_MAIN (handoversender);
