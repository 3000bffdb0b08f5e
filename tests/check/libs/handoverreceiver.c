/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation through the receiver's public interface. */
#include <tfrc/receiver_state.h>

#include "receivertest.h"

static void
hand_over (ReceiverTest *t, guint8 link)
{
  TfrcHandover told = { .link = link };

  fail_unless_equals_int (tfrc_receiver_start_handover (t->receiver, &told, t->now), TFRC_OK);
  t->data.link = link;
}

GST_START_TEST (test_bad_handovers_are_refused)
{
  TfrcHandover told = { 0 };
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  fail_unless_equals_int (tfrc_receiver_start_handover (NULL, &told, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, NULL, 0), TFRC_ERROR_ARGUMENT);
  told.bandwidth_Bps = -1;
  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, &told, 0), TFRC_ERROR_ARGUMENT);
  told.bandwidth_Bps = NAN;
  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, &told, 0), TFRC_ERROR_ARGUMENT);
  told.bandwidth_Bps = INFINITY;
  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, &told, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_uint64 (stats_of (&t).handovers, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_handover_without_rate_and_rtt_is_ignored)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  hand_over (&t, 1);
  fail_unless_equals_uint64 (stats_of (&t).handovers, 0);
  t.data.rtt_us = 0;
  arrive (&t);
  hand_over (&t, 2);
  fail_unless_equals_uint64 (stats_of (&t).handovers, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* A packet of 1000 bytes comes every 10 ms. */
GST_START_TEST (test_every_packet_of_the_old_link_is_answered_at_once)
{
  ReceiverTest t;
  guint i;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  hand_over (&t, 1);
  t.data.link = 0;
  for (i = 0; i < 5; i++) {
    t.now += 2 * MS;
    arrive (&t);
    fail_unless (take_feedback (&t));
    fail_unless (t.feedback.handover);
    fail_unless_equals_int (t.feedback.x_recv_Bps, 50000);
    fail_unless_equals_int (t.feedback.recv_data_us, t.data.send_time_us);
  }
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The old link has been silent for half a second. */
GST_START_TEST (test_receive_rate_is_measured_over_the_time_in_which_packets_came)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  wait_until (&t, t.now + 500 * MS);
  hand_over (&t, 1);
  arrive (&t);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 50000);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_of_the_old_link_causes_no_feedback)
{
  ReceiverTest t;
  guint before;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  hand_over (&t, 1);
  t.data.seq += 3;
  t.now += MS;
  arrive (&t);
  fail_unless (take_feedback (&t));
  before = t.feedbacks;
  t.data.seq -= 4;
  t.data.link = 0;
  t.now += MS;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
  wait_until (&t, t.now + 2 * RTT);
  fail_unless_equals_int (t.feedbacks, before);
  /* the same packet over the new link causes feedback */
  t.data.link = 1;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.recv_data_us, t.data.send_time_us);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The sender's nofeedback timer uses the new round-trip time at once. */
GST_START_TEST (test_feedback_timer_follows_a_shorter_round_trip_time)
{
  ReceiverTest t;
  guint i;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  hand_over (&t, 1);
  for (i = 0; i < 3; i++) {
    t.now += MS;
    arrive (&t);
    fail_unless (take_feedback (&t));
  }
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 100 * MS);
  t.now += MS;
  /* the timer follows after two packets with the new R */
  t.data.rtt_us = 40000;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 99 * MS);
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 40 * MS);
  /* but another packet does not put the timer off */
  t.now += MS;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 39 * MS);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_rebuilt_history_fits_the_rate_and_the_round_trip_time)
{
  TfrcReceiverStats stats;
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  lose (&t, 1);
  arrive_many (&t, 50);
  fail_unless (stats_of (&t).p > 0);
  hand_over (&t, 1);
  t.now += 10 * MS;
  arrive (&t);
  take_feedback (&t);
  t.data.echo = t.data.direct = TRUE;
  t.data.handover_number = 1;
  t.data.rtt_us = 300000;
  t.now += 10 * MS;
  arrive (&t);
  /* One packet could have been forged. */
  fail_unless_equals_int (stats_of (&t).handover_phase, TFRC_HANDOVER_NEW_LINK);
  t.now += 10 * MS;
  arrive (&t);
  stats = stats_of (&t);
  fail_unless_equals_int (stats.handover_phase, TFRC_HANDOVER_ECHO);
  assert_within (
      tfrc_equation_rate_Bps (1000, 0.3, 1.2, stats.p), t.receiver->handover.rebuild_Bps, 1e-6);
  fail_unless_equals_uint64 (stats.loss_events, 1);
  fail_unless (take_feedback (&t));
  fail_if (t.feedback.handover);
  fail_unless (t.feedback.p == stats.p);
  t.data.echo = t.data.direct = FALSE;
  t.now += 10 * MS;
  arrive (&t);
  fail_unless_equals_uint64 (stats_of (&t).handovers_completed, 1);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The old link has carried 100 kB/s without a loss. The new one carries 20 kB/s, which is two packets in
 * R, and loses a packet. */
GST_START_TEST (test_first_interval_is_of_the_new_link)
{
  gdouble rate;
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  hand_over (&t, 1);
  t.data.echo = t.data.direct = TRUE;
  t.data.handover_number = 1;
  for (guint i = 0; i < 20; i++) {
    wait_until (&t, t.now + RTT / 2);
    arrive (&t);
    t.data.echo = t.data.direct = i < 5;
  }
  fail_unless_equals_uint64 (stats_of (&t).handovers_completed, 1);
  fail_unless (stats_of (&t).p == 0);
  t.data.seq++;
  for (guint i = 0; i < 3; i++) {
    wait_until (&t, t.now + RTT / 2);
    arrive (&t);
  }
  fail_unless_equals_uint64 (stats_of (&t).loss_events, 1);
  rate = tfrc_equation_rate_Bps (1000, 0.1, 0.4, stats_of (&t).p);
  /* X_recv has at most one packet more than that */
  fail_unless (rate >= 20000 && rate < 30000, "%f", rate);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* In the paper's mode the sample of a new link may be any. One of the handover before is of another link. */
GST_START_TEST (test_any_round_trip_time_is_taken_of_this_handover_alone)
{
  TfrcHandoverBefore before = { .x_recv_Bps = 100000, .x_eq_Bps = 100000, .rtt_us = 100000 };
  TfrcData data = { .link = 1, .echo = TRUE, .has_tfrc = TRUE };
  TfrcReceiverHandover handover;
  TfrcHandover told = { .link = 1 };

  tfrc_receiver_handover_init (&handover, TFRC_HANDOVER_MODE_PAPER);
  fail_if (tfrc_receiver_handover_takes_any_rtt (&handover, &data));
  for (guint8 number = 1; number < 4; number++) {
    tfrc_receiver_handover_start (&handover, &told, &before, SECOND);
    data.handover_number = number;
    fail_unless (tfrc_receiver_handover_takes_any_rtt (&handover, &data));
    data.handover_number = number - 1;
    fail_if (tfrc_receiver_handover_takes_any_rtt (&handover, &data));
  }
  data.handover_number = 3;
  data.echo = FALSE;
  fail_if (tfrc_receiver_handover_takes_any_rtt (&handover, &data));
}

GST_END_TEST;

static Suite *
handoverreceiver_suite (void)
{
  Suite *suite = suite_create ("handoverreceiver");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_bad_handovers_are_refused);
  tcase_add_test (tc, test_handover_without_rate_and_rtt_is_ignored);
  tcase_add_test (tc, test_any_round_trip_time_is_taken_of_this_handover_alone);
  tcase_add_test (tc, test_every_packet_of_the_old_link_is_answered_at_once);
  tcase_add_test (tc, test_receive_rate_is_measured_over_the_time_in_which_packets_came);
  tcase_add_test (tc, test_late_packet_of_the_old_link_causes_no_feedback);
  tcase_add_test (tc, test_feedback_timer_follows_a_shorter_round_trip_time);
  tcase_add_test (tc, test_rebuilt_history_fits_the_rate_and_the_round_trip_time);
  tcase_add_test (tc, test_first_interval_is_of_the_new_link);
  return suite;
}

GST_CHECK_MAIN (handoverreceiver);
