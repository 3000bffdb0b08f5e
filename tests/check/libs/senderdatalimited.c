/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender through its public interface: data-limited intervals (RFC 5348 sections 4.3 and
 * 8.2.1) */
#include <tfrc/sender_reports.h>

#include "sendertest.h"

#define RTT (100 * MS)

/* X_recv = 100000 limits the sender when the sender becomes data-limited. From then on, the sender
 * sends one packet per round-trip time. */
static void
become_data_limited (SenderTest *t, double p, double x_recv)
{
  guint i;

  sender_test_init (t, NULL);
  start (t, RTT);
  lose (t, p);
  run_rtts (t, 4, RTT, x_recv);
  fail_if (stats_of (t).data_limited);
  for (i = 0; i < 4; i++) {
    t->now += RTT;
    send_one (t);
    if (i < 3)
      give_feedback (t, RTT, 13160);
  }
  fail_unless (stats_of (t).data_limited);
}

GST_START_TEST (test_data_limited_interval_keeps_the_receive_rate_before)
{
  SenderTest t;

  become_data_limited (&t, 0.001, 100000);
  give_feedback (&t, RTT, 13160);
  fail_unless (stats_of (&t).data_limited);
  assert_close (stats_of (&t).recv_limit_Bps, 200000);
  assert_close (rate_of (&t), 200000);
  /* if the intervals are not data-limited, the limit falls after two round-trip times */
  run_rtts (&t, 5, RTT, 60000);
  fail_if (stats_of (&t).data_limited);
  assert_close (rate_of (&t), 120000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_data_limited_interval_removes_infinity)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  /* until the first feedback X was a packet in a second: the lack of R, not of data */
  send_one (&t);
  t.now += RTT;
  give_feedback (&t, RTT, 13160);
  fail_if (stats_of (&t).data_limited);
  fail_unless (isinf (stats_of (&t).recv_limit_Bps));
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
  send_one (&t);
  t.now += RTT;
  give_feedback (&t, RTT, 13160);
  fail_unless (stats_of (&t).data_limited);
  assert_close (stats_of (&t).recv_limit_Bps, 2 * 13160);
  assert_close (rate_of (&t), W_INIT / 0.1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_loss_in_data_limited_interval_halves_the_limit)
{
  SenderTest t;

  /* the number of loss events counts: p need not rise */
  become_data_limited (&t, 0.001, 100000);
  lose (&t, 0.001);
  give_feedback (&t, RTT, 13160);
  assert_close (rate_of (&t), 50000);
  /* from then on the limit is twice the set again */
  t.now += RTT;
  send_one (&t);
  t.now += RTT;
  give_feedback (&t, RTT, 13160);
  assert_close (rate_of (&t), 100000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_rise_of_p_in_data_limited_interval_is_a_loss)
{
  SenderTest t;

  become_data_limited (&t, 0.001, 100000);
  t.next.has_state = FALSE;
  t.next.p = 0.0012;
  give_feedback (&t, RTT, 13160);
  assert_close (rate_of (&t), 50000);
  sender_test_clear (&t);
}

GST_END_TEST;

/* p is calculated anew for each feedback, so its last digits are not always the same. */
GST_START_TEST (test_rounding_of_p_is_no_loss)
{
  SenderTest t;

  become_data_limited (&t, 0.001, 100000);
  t.next.p = 0.001 * (1 + 1e-9);
  give_feedback (&t, RTT, 13160);
  assert_close (rate_of (&t), 200000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_loss_in_data_limited_interval_discounts_the_receive_rate)
{
  SenderTest t;

  become_data_limited (&t, 0.001, 100000);
  /* the sender sends 131600 bytes per second; 80000 are received */
  for (guint i = 0; i < 10; i++) {
    t.now += 10 * MS;
    send_one (&t);
  }
  t.now += RTT;
  lose (&t, 0.001);
  give_feedback (&t, RTT, 80000);
  assert_close (rate_of (&t), 0.85 * 80000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_without_receive_rate_is_not_data_limited)
{
  SenderTest t;

  become_data_limited (&t, 0.001, 100000);
  give_feedback (&t, RTT, 0);
  fail_if (stats_of (&t).data_limited);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_sending_in_pairs_is_not_data_limited)
{
  SenderTest t;
  guint i, second;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  lose (&t, 0.01);
  run_rtts (&t, 3, RTT, 1000000);
  for (i = 0; i < 10; i++) {
    guint64 feedback_at = t.now + RTT;

    /* waits for two packets, then sends both; only between two pairs the sender has sent less than
     * allowed */
    for (;;) {
      guint64 first_at = tfrc_sender_next_send_ns (t.sender);
      guint64 ipi = 1e9 * S / stats_of (&t).x_inst_Bps;

      if (first_at + ipi > feedback_at)
        break;
      t.now = MAX (t.now, first_at + ipi);
      for (second = 0; second < 2; second++)
        send_one (&t);
    }
    t.now = feedback_at;
    give_feedback (&t, RTT, 140000);
    fail_if (stats_of (&t).data_limited);
  }
  sender_test_clear (&t);
}

GST_END_TEST;

/* Send times travel in microseconds. The time at which the sender reached its limit is compared
 * with such a time. */
GST_START_TEST (test_time_below_a_microsecond_does_not_hide_the_limit)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  /* a packet every three round-trip times is all that is allowed */
  config.initial_rate_Bps = S / 0.3;
  config.max_rate_Bps = S / 0.3;
  sender_test_init (&t, &config);
  t.now += 999;
  start (&t, RTT);
  for (guint i = 0; i < 5; i++) {
    t.now = MAX (t.now, tfrc_sender_next_send_ns (t.sender)) / 1000 * 1000 + 1999;
    send_one (&t);
    t.now += RTT;
    give_feedback (&t, RTT, 13160);
    fail_if (stats_of (&t).data_limited);
  }
  sender_test_clear (&t);
}

GST_END_TEST;

/* A sender on a LAN with X = 10 MB/s, of which 2 ms are 15 packets */
static void
start_on_a_lan (SenderTest *t)
{
  TfrcSenderConfig config = default_config ();

  config.initial_rate_Bps = config.max_rate_Bps = 1e7;
  sender_test_init (t, &config);
  start (t, MS);
  for (guint i = 0; i < 4; i++) {
    send_for (t, 10 * MS);
    give_feedback (t, MS, 1e7);
    fail_if (stats_of (t).data_limited);
  }
}

/* Feedback that comes 40 ms after the last covers 40 ms, although R is 1 ms: the limit counts
 * that the sender reached in the first 5 ms. */
GST_START_TEST (test_limit_counts_in_all_of_what_late_feedback_covers)
{
  SenderTest t;

  start_on_a_lan (&t);
  send_for (&t, 5 * MS);
  t.now += 34 * MS;
  send_one (&t);
  t.now += MS;
  give_feedback (&t, MS, 1e6);
  fail_if (stats_of (&t).data_limited);
  /* the packets before it count for no other feedback */
  t.now += 39 * MS;
  send_one (&t);
  t.now += MS;
  give_feedback (&t, MS, 40000);
  fail_unless (stats_of (&t).data_limited);
  sender_test_clear (&t);
}

GST_END_TEST;

/* The rate of a burst at the beginning of those 40 ms can be true. */
GST_START_TEST (test_receive_rate_of_late_feedback_is_believed)
{
  SenderTest t;

  start_on_a_lan (&t);
  send_for (&t, 5 * MS);
  t.now += 34 * MS;
  send_one (&t);
  t.now += MS;
  give_feedback (&t, MS, 1250000);
  assert_close (stats_of (&t).x_recv_Bps, 1250000);
  sender_test_clear (&t);
}

GST_END_TEST;

/* The age of X_recv_set is two intervals of feedback. */
GST_START_TEST (test_receive_rate_before_late_feedback_still_counts)
{
  SenderTest t;

  start_on_a_lan (&t);
  send_for (&t, 40 * MS);
  give_feedback (&t, MS, 4e6);
  fail_if (stats_of (&t).data_limited);
  assert_close (stats_of (&t).recv_limit_Bps, 2e7);
  sender_test_clear (&t);
}

GST_END_TEST;

/* ---- what the queue guard is told ------------------------------------------ */

#define FAST 1e6

/* R has doubled in the sender's own queue, and the guard limits X. */
static void
fill_the_queue (SenderTest *t)
{
  TfrcSenderConfig config = default_config ();

  config.queue_guard = true;
  sender_test_init (t, &config);
  start (t, RTT);
  run_rtts (t, 5, RTT, FAST);
  run_rtts (t, 3, 2 * RTT, FAST);
  fail_if (isinf (stats_of (t).queue_guard_Bps));
}

static void
send_slowly (SenderTest *t)
{
  for (guint i = 0; i < 100; i++) {
    t->now += 2 * MS;
    send_one (t);
  }
}

/* What a sender without data sends is not what the path carries. */
GST_START_TEST (test_data_limited_sender_in_a_queue_keeps_the_limit_of_the_guard)
{
  double limit_Bps;
  SenderTest t;

  fill_the_queue (&t);
  send_slowly (&t);
  give_feedback (&t, 2 * RTT, FAST);
  limit_Bps = stats_of (&t).queue_guard_Bps;
  send_slowly (&t);
  give_feedback (&t, 2 * RTT, S / 0.002);
  fail_unless (stats_of (&t).data_limited);
  assert_close (stats_of (&t).queue_guard_Bps, limit_Bps);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Without a sample nothing is known of the queue at that time. */
GST_START_TEST (test_feedback_without_a_sample_tells_the_guard_nothing)
{
  TfrcFeedback feedback;
  double limit_Bps;
  SenderTest t;

  fill_the_queue (&t);
  limit_Bps = stats_of (&t).queue_guard_Bps;
  send_for (&t, 2 * RTT);
  feedback = feedback_after (&t, 2 * RTT, 0.6 * FAST);
  feedback.no_rtt_sample = true;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  assert_close (stats_of (&t).queue_guard_Bps, limit_Bps);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Nothing would raise the limit again.  R is more than the wait of feedback here. */
GST_START_TEST (test_the_guard_keeps_no_limit_where_feedback_is_rarer_than_4_r)
{
  for (guint i = 0; i < 2; i++) {
    TfrcFeedback feedback;
    SenderTest t;

    fill_the_queue (&t);
    tfrc_sender_follow_reports (t.sender, 4 * stats_of (&t).rtt_ns + i, FALSE);
    send_for (&t, 2 * RTT);
    feedback = feedback_after (&t, 2 * RTT, FAST);
    feedback.no_rtt_sample = true;
    fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
    fail_unless_equals_int (isinf (stats_of (&t).queue_guard_Bps) != 0, i);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

/* The samples of the old link are no base for those of the new one. */
GST_START_TEST (test_the_guard_compares_nothing_with_the_samples_of_a_hold)
{
  TfrcSenderConfig config = default_config ();
  TfrcFeedback notification;
  SenderTest t;

  config.queue_guard = true;
  sender_test_init (&t, &config);
  start (&t, RTT / 2);
  run_rtts (&t, 5, RTT / 2, FAST);
  send_for (&t, RTT / 2);
  notification = feedback_after (&t, RTT / 2, FAST / 2);
  notification.handover = TRUE;
  notification.handover_number = 1;
  fail_unless_equals_int (deliver (&t, &notification), TFRC_OK);
  t.next.number++;
  for (guint i = 0; i < 5; i++) {
    run_rtts (&t, 1, RTT, FAST / 2);
    fail_unless (isinf (stats_of (&t).queue_guard_Bps));
  }
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
senderdatalimited_suite (void)
{
  Suite *suite = suite_create ("senderdatalimited");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_data_limited_interval_keeps_the_receive_rate_before);
  tcase_add_test (tc, test_data_limited_interval_removes_infinity);
  tcase_add_test (tc, test_loss_in_data_limited_interval_halves_the_limit);
  tcase_add_test (tc, test_rise_of_p_in_data_limited_interval_is_a_loss);
  tcase_add_test (tc, test_rounding_of_p_is_no_loss);
  tcase_add_test (tc, test_loss_in_data_limited_interval_discounts_the_receive_rate);
  tcase_add_test (tc, test_feedback_without_receive_rate_is_not_data_limited);
  tcase_add_test (tc, test_sending_in_pairs_is_not_data_limited);
  tcase_add_test (tc, test_time_below_a_microsecond_does_not_hide_the_limit);
  tcase_add_test (tc, test_limit_counts_in_all_of_what_late_feedback_covers);
  tcase_add_test (tc, test_receive_rate_of_late_feedback_is_believed);
  tcase_add_test (tc, test_receive_rate_before_late_feedback_still_counts);
  tcase_add_test (tc, test_data_limited_sender_in_a_queue_keeps_the_limit_of_the_guard);
  tcase_add_test (tc, test_feedback_without_a_sample_tells_the_guard_nothing);
  tcase_add_test (tc, test_the_guard_keeps_no_limit_where_feedback_is_rarer_than_4_r);
  tcase_add_test (tc, test_the_guard_compares_nothing_with_the_samples_of_a_hold);
  return suite;
}

GST_CHECK_MAIN (senderdatalimited);
