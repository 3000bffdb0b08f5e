/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver through its public interface: when it sends feedback, and the fields of the feedback
 * (RFC 5348 sections 6.1 to 6.3) */
#include "receivertest.h"

GST_START_TEST (test_first_packet_gives_feedback_at_once)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  t.data.seq = 4711;
  fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);
  fail_if (tfrc_receiver_make_feedback (t.receiver, t.now, &t.feedback));
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
  fail_unless_equals_uint64 (feedback_at (&t), t.now);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.recv_data_us, t.data.send_time_us);
  fail_unless_equals_int (t.feedback.delay_us, 0);
  fail_unless_equals_int (t.feedback.x_recv_Bps, 0);
  fail_unless (t.feedback.p == 0);
  fail_unless (t.feedback.has_state);
  fail_unless_equals_int (t.feedback.number, 0);
  fail_unless_equals_int (t.feedback.loss_events, 0);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + RTT);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_every_packet_gives_feedback_until_the_rtt_is_known)
{
  ReceiverTest t;
  guint i;

  receiver_test_init (&t, NULL);
  t.data.rtt_us = 0;
  for (i = 0; i < 5; i++) {
    arrive (&t);
    fail_unless_equals_uint64 (feedback_at (&t), t.now);
    fail_unless (take_feedback (&t));
    fail_unless_equals_int (t.feedback.number, i);
    fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);
    t.now += GAP;
  }
  t.data.rtt_us = RTT / 1000;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now);
  fail_unless (take_feedback (&t));
  fail_unless_equals_uint64 (feedback_at (&t), t.now + RTT);
  t.now += GAP;
  arrive (&t);
  fail_if (is_due (&t));
  /* the sender may forget R again; two packets say so */
  t.data.rtt_us = 0;
  arrive (&t);
  fail_if (is_due (&t));
  arrive (&t);
  fail_unless (is_due (&t));
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_says_when_the_last_packet_arrived)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive (&t);
  take_feedback (&t);
  t.now += 20 * MS;
  t.data.seq++;
  arrive (&t);
  t.now += 10 * MS + 1999;
  t.data.seq = 1;
  arrive (&t); /* late, but the last to arrive */
  t.now += 70 * MS;
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.recv_data_us, t.data.send_time_us);
  fail_unless_equals_int (t.feedback.delay_us, 70000);
  /* the timer is served late: the delay lasts until now */
  t.now += 50 * MS;
  t.data.seq = 3;
  arrive (&t);
  t.now += 80 * MS + 500;
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.delay_us, 80000);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + RTT);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* A receiver that was stopped reads many packets, and feedback is due before it has read all.  With a
 * later arrival than the real one, the sender would take the time in the socket for a part of R. */
GST_START_TEST (test_packet_that_waited_in_the_socket_is_not_younger_after_feedback)
{
  ReceiverTest t;
  guint64 resumed;

  receiver_test_init (&t, NULL);
  arrive (&t);
  take_feedback (&t);
  resumed = t.now + 12000 * MS;
  t.now += 100 * MS;
  t.data.seq++;
  arrive (&t);
  t.now = resumed;
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.delay_us, 11900000);
  t.now = resumed - 11800 * MS;
  t.data.seq++;
  arrive (&t);
  t.now = resumed + RTT;
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.delay_us, 11800000 + RTT / 1000);
  /* No packet arrives before the one that was read before it. */
  t.now = resumed - 11900 * MS;
  t.data.seq++;
  arrive (&t);
  t.now = resumed + 2 * RTT;
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.delay_us, 11800000 + 2 * RTT / 1000);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_new_loss_event_gives_feedback_early)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 12);
  lose (&t, 1);
  arrive_many (&t, 2);
  fail_if (is_due (&t));
  arrive_many (&t, 1); /* NDUPACK */
  fail_unless_equals_uint64 (feedback_at (&t), t.now);
  fail_unless (take_feedback (&t));
  fail_unless (t.feedback.p > 0);
  fail_unless_equals_int (t.feedback.loss_events, 1);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + RTT);
  /* more losses of the same event change nothing */
  lose (&t, 1);
  arrive_many (&t, 4);
  fail_if (is_due (&t));
  fail_unless_equals_int (t.feedbacks, 3);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 2);
  fail_unless_equals_uint64 (stats_of (&t).loss_events, 1);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_loss_event_that_does_not_raise_p_waits_for_the_timer)
{
  ReceiverTest t;
  guint i, feedbacks;

  receiver_test_init (&t, NULL);
  for (i = 0; i < 10; i++) {
    arrive_many (&t, 20);
    lose (&t, 1);
  }
  /* I_0 is so long that it counts in the mean; I_0 grows further after feedback, so p falls */
  arrive_many (&t, 200);
  wait_until (&t, feedback_at (&t));
  feedbacks = t.feedbacks;
  arrive_many (&t, 4);
  lose (&t, 1);
  arrive_many (&t, 3);
  fail_unless_equals_uint64 (stats_of (&t).loss_events, 11);
  fail_unless (stats_of (&t).p <= t.feedback.p);
  fail_if (is_due (&t));
  fail_unless_equals_int (t.feedbacks, feedbacks);
  wait_until (&t, feedback_at (&t));
  fail_unless_equals_int (t.feedback.loss_events, 11);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* All intervals have 21 packets: a further event makes p neither higher nor lower. */
GST_START_TEST (test_loss_event_that_leaves_p_as_it_is_waits_for_the_timer)
{
  ReceiverTest t;
  guint feedbacks;

  receiver_test_init (&t, NULL);
  for (guint i = 0; i < 12; i++) {
    arrive_many (&t, 20);
    lose (&t, 1);
  }
  arrive_many (&t, 11);
  wait_until (&t, feedback_at (&t));
  assert_close (t.feedback.p, 1.0 / 21);
  arrive_many (&t, 20 - 11);
  lose (&t, 1);
  feedbacks = t.feedbacks;
  arrive_many (&t, 3);
  fail_unless_equals_uint64 (stats_of (&t).loss_events, 13);
  assert_close (stats_of (&t).p, 1.0 / 21);
  fail_if (is_due (&t));
  fail_unless_equals_int (t.feedbacks, feedbacks);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_receive_rate_reaches_back_one_earlier_rtt)
{
  TfrcReceiverConfig config;
  ReceiverTest t;
  guint64 early_ns;

  /* feedback does not wait for packets, so that R_m alone sets the timer */
  tfrc_receiver_config_init (&config);
  config.feedback_wait_ns = 0;
  receiver_test_init (&t, &config);
  arrive (&t);
  take_feedback (&t);
  arrive_many (&t, 10);
  take_feedback (&t);
  /* Feedback leaves early, after 40 ms. X_recv begins at the expiration 140 ms ago, as the newest
   * expiration is less than R_(m-1) ago. The new R_m makes no difference yet. */
  t.data.rtt_us = 20000;
  early_ns = t.now + 40 * MS;
  lose (&t, 1);
  arrive_many (&t, 3);
  fail_unless_equals_uint64 (t.now, early_ns);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, (int) (13000 / 0.140));
  /* X_recv covers the time since the last expiration, which was R_(m-1) ago */
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 20 * MS);
  t.data.rtt_us = 500000;
  arrive_many (&t, 2);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 2000 / 0.020);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_that_removes_a_loss_event_gives_feedback)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 12);
  lose (&t, 1);
  arrive_many (&t, 5);
  fail_unless (t.feedback.p > 0);
  t.data.seq = 12;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
  fail_unless_equals_uint64 (feedback_at (&t), t.now);
  fail_unless (take_feedback (&t));
  fail_unless (t.feedback.p == 0);
  fail_unless_equals_int (t.feedback.loss_events, 0);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_packets_are_numbered)
{
  ReceiverTest t;
  guint i;

  receiver_test_init (&t, NULL);
  for (i = 0; i < 100; i++) {
    arrive_many (&t, 10);
    fail_unless (take_feedback (&t) || t.feedbacks > 0);
    fail_unless_equals_int (t.feedback.number, t.feedbacks - 1);
  }
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_sent, t.feedbacks);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* Without CE the ECN field changes nothing else. Duplicates count in none of the four. */
GST_START_TEST (test_packets_are_counted_by_their_ecn_field)
{
  const guint packets[] = { 5, 2, 7, 1 };
  ReceiverTest t;
  TfrcReceiverStats stats;

  receiver_test_init (&t, NULL);
  for (guint field = 0; field < G_N_ELEMENTS (packets); field++) {
    t.data.ecn = (guint8) field;
    t.data.ce = field == TFRC_ECN_FIELD_CE;
    arrive_many (&t, packets[field]);
  }
  t.data.seq = (guint16) (t.data.seq - 1);
  arrive (&t);
  stats = stats_of (&t);
  fail_unless_equals_uint64 (stats.packets_duplicate, 1);
  fail_unless_equals_uint64 (stats.packets_not_ect, 5);
  fail_unless_equals_uint64 (stats.packets_ect1, 2);
  fail_unless_equals_uint64 (stats.packets_ect0, 7);
  fail_unless_equals_uint64 (stats.packets_ce, 1);
  fail_unless_equals_uint64 (stats.loss_events, 1);
  fail_unless_equals_uint64 (stats.packets_received, 15);
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
receiver_suite (void)
{
  Suite *s = suite_create ("receiver");
  TCase *tc = tcase_create ("feedback");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_first_packet_gives_feedback_at_once);
  tcase_add_test (tc, test_every_packet_gives_feedback_until_the_rtt_is_known);
  tcase_add_test (tc, test_feedback_says_when_the_last_packet_arrived);
  tcase_add_test (tc, test_packet_that_waited_in_the_socket_is_not_younger_after_feedback);
  tcase_add_test (tc, test_new_loss_event_gives_feedback_early);
  tcase_add_test (tc, test_loss_event_that_does_not_raise_p_waits_for_the_timer);
  tcase_add_test (tc, test_loss_event_that_leaves_p_as_it_is_waits_for_the_timer);
  tcase_add_test (tc, test_receive_rate_reaches_back_one_earlier_rtt);
  tcase_add_test (tc, test_late_packet_that_removes_a_loss_event_gives_feedback);
  tcase_add_test (tc, test_feedback_packets_are_numbered);
  tcase_add_test (tc, test_packets_are_counted_by_their_ecn_field);
  return s;
}

GST_CHECK_MAIN (receiver);
