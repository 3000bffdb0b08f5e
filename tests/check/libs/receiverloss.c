/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver through its public interface: kinds of arrivals, loss events, and the synthetic
 * first loss interval (RFC 5348 sections 5 and 6.3.1) */
#include "receivertest.h"

/* 1 / p for 0.5 packets per round-trip time (tests/vectors/README.md) */
#define NULL_INTERVAL 4.8442829988300051

/* The throughput equation as section 3.1 has it, in packets per round-trip time */
static long double
packets_per_rtt (long double p)
{
  return 1 / (sqrtl (2 * p / 3) + 4 * (3 * sqrtl (3 * p / 8) * p * (1 + 32 * p * p)));
}

/* Returns the loss interval that gives the rate @target. */
static double
interval_for (double target)
{
  long double low = 0, high = 1;
  guint i;

  for (i = 0; i < 200; i++) {
    long double middle = (low + high) / 2;

    if (packets_per_rtt (middle) > target)
      low = middle;
    else
      high = middle;
  }
  return 1 / high;
}

GST_START_TEST (test_first_interval_stands_for_the_highest_receive_rate)
{
  ReceiverTest t;
  double x_recv, p;
  guint i;

  /* 40 packets per round-trip time, then 5 */
  receiver_test_init (&t, NULL);
  for (i = 0; i < 200; i++) {
    wait_until (&t, t.now + RTT / 40);
    arrive (&t);
  }
  wait_until (&t, feedback_at (&t));
  x_recv = t.feedback.x_recv_Bps;
  fail_unless (x_recv > 390000 && x_recv < 410000);
  for (i = 0; i < 20; i++) {
    wait_until (&t, t.now + RTT / 5);
    arrive (&t);
  }
  t.data.seq++;
  arrive_many (&t, 3);
  take_feedback (&t);
  p = t.feedback.p;
  assert_close (1 / p, interval_for (40));
  assert_within (tfrc_equation_rate_Bps (1000, 0.1, 0.4, p), 400000, 1e-9);
  /* X_recv is still the measured rate */
  fail_unless (t.feedback.x_recv_Bps < 100000);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* Packets are lost 150 ms apart.  Whether that is one loss event depends on the R of the third packet
 * after the second loss, and not on the R of those before it. */
GST_START_TEST (test_losses_are_mapped_with_the_rtt_of_the_detecting_packet)
{
  static const struct
  {
    guint32 before_us, detecting_us;
    guint events;
  } cases[] = { { 100000, 100000, 2 }, { 100000, 160000, 1 }, { 160000, 100000, 2 },
    { 160000, 160000, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    ReceiverTest t;

    receiver_test_init (&t, NULL);
    arrive_many (&t, 20);
    lose (&t, 1);
    arrive_many (&t, 14);
    lose (&t, 1);
    t.data.rtt_us = cases[i].before_us;
    arrive_many (&t, 2);
    fail_unless_equals_uint64 (stats_of (&t).loss_events, 1);
    t.data.rtt_us = cases[i].detecting_us;
    arrive_many (&t, 1);
    fail_unless_equals_uint64 (stats_of (&t).packets_lost, 2);
    fail_unless_equals_uint64 (stats_of (&t).loss_events, cases[i].events);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_first_interval_counts_the_rate_of_this_moment)
{
  ReceiverTest t;
  guint i;

  /* the loss comes before any feedback with a receive rate */
  receiver_test_init (&t, NULL);
  arrive (&t);
  take_feedback (&t);
  for (i = 0; i < 17; i++) {
    t.now += MS;
    t.data.seq += i == 14;
    arrive (&t);
  }
  /* 18 packets in a window of one round-trip time */
  assert_close (stats_of (&t).mean_interval, interval_for (18));
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_first_interval_is_at_least_half_a_packet_per_rtt)
{
  ReceiverTest t;
  guint i;

  /* the least receive rate is one packet per round-trip time */
  receiver_test_init (&t, NULL);
  for (i = 0; i < 10; i++) {
    wait_until (&t, t.now + 4 * RTT);
    t.data.seq += i == 7;
    arrive (&t);
  }
  assert_close (stats_of (&t).mean_interval, interval_for (1));
  receiver_test_clear (&t);

  /* without a round-trip time there is no receive rate */
  receiver_test_init (&t, NULL);
  t.data.rtt_us = 0;
  arrive_many (&t, 10);
  lose (&t, 1);
  arrive_many (&t, 3);
  assert_close (stats_of (&t).mean_interval, NULL_INTERVAL);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_lost_first_packet_gives_the_null_interval)
{
  TfrcReceiverConfig config;
  ReceiverTest t;

  tfrc_receiver_config_init (&config);
  config.has_first_seq = TRUE;
  config.first_seq = 65535;
  receiver_test_init (&t, &config);
  t.data.seq = 0;
  arrive_many (&t, 3);
  take_feedback (&t);
  fail_unless_equals_uint64 (stats_of (&t).packets_expected, 4);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 1);
  assert_close (1 / t.feedback.p, NULL_INTERVAL);
  receiver_test_clear (&t);

  /* a receiver that does not know the first number sees no loss */
  receiver_test_init (&t, NULL);
  arrive_many (&t, 3);
  fail_unless_equals_uint64 (stats_of (&t).packets_expected, 3);
  fail_unless (stats_of (&t).p == 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_marked_first_packet_gives_the_null_interval)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  t.data.ce = TRUE;
  arrive (&t);
  fail_unless (take_feedback (&t));
  assert_close (1 / t.feedback.p, NULL_INTERVAL);
  fail_unless_equals_int (t.feedback.loss_events, 1);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_null_interval_without_rtt)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  t.data.ce = TRUE;
  t.data.rtt_us = 0;
  arrive (&t);
  fail_unless (take_feedback (&t));
  assert_close (1 / t.feedback.p, NULL_INTERVAL);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_losses_within_one_rtt_are_one_event)
{
  ReceiverTest t;

  /* T_old + R >= T_new: after exactly one round-trip time it is the same event */
  receiver_test_init (&t, NULL);
  arrive_many (&t, 20);
  lose (&t, 1);
  arrive_many (&t, 9);
  lose (&t, __i__);
  arrive_many (&t, 3);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 1 + __i__);
  fail_unless_equals_uint64 (stats_of (&t).loss_events, __i__);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_mark_counts_at_once)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 12);
  t.data.ce = TRUE;
  arrive_many (&t, 1);
  fail_unless_equals_uint64 (feedback_at (&t), t.now);
  fail_unless (stats_of (&t).p > 0);
  fail_unless_equals_uint64 (stats_of (&t).packets_ce, 1);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_event_of_a_mark_begins_with_the_loss_before)
{
  ReceiverTest t;
  double packets;

  /* section 5.1: n - 1, n + 1, and n + 2 marked */
  receiver_test_init (&t, NULL);
  arrive_many (&t, 12);
  lose (&t, 1);
  arrive_many (&t, 1);
  fail_unless (stats_of (&t).p == 0);
  t.data.ce = TRUE;
  arrive_many (&t, 1);
  t.data.ce = FALSE;
  fail_unless_equals_uint64 (feedback_at (&t), t.now);
  fail_unless_equals_uint64 (stats_of (&t).loss_events, 1);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 1);
  /* I_0 begins with n, so the next interval shows where I_0 began */
  arrive_many (&t, 5000);
  packets = t.arrival.seq - (65536 + 12) + 1;
  assert_close (stats_of (&t).mean_interval, packets);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_plain_rtp_counts_losses_and_gets_no_feedback)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  t.data.has_tfrc = FALSE;
  arrive_many (&t, 20);
  lose (&t, 2);
  arrive_many (&t, 20);
  fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);
  fail_unless_equals_int (t.feedbacks, 0);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 2);
  fail_unless_equals_uint64 (stats_of (&t).packets_received, 40);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_statistics_count_every_arrival)
{
  ReceiverTest t;
  TfrcReceiverStats stats;

  receiver_test_init (&t, NULL);
  fail_unless_equals_uint64 (stats_of (&t).packets_expected, 0);
  arrive_many (&t, 10);
  lose (&t, 3);
  arrive_many (&t, 10);
  t.data.seq = 5;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_DUPLICATE);
  fail_unless_equals_uint64 (t.arrival.seq, 65536 + 5);
  t.data.seq = 11;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
  t.data.seq = 11;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_DUPLICATE);
  t.data.seq = 23;
  t.data.ce = TRUE;
  t.data.size_bytes = 77;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);

  stats = stats_of (&t);
  fail_unless_equals_uint64 (stats.packets_expected, 24);
  fail_unless_equals_uint64 (stats.packets_received, 22);
  fail_unless_equals_uint64 (stats.bytes_received, 21 * 1000 + 77);
  fail_unless_equals_uint64 (stats.packets_lost, 2);
  fail_unless_equals_uint64 (stats.packets_late, 1);
  fail_unless_equals_uint64 (stats.packets_duplicate, 2);
  fail_unless_equals_uint64 (stats.packets_ce, 1);
  fail_unless_equals_uint64 (stats.highest_seq, 65536 + 23);
  fail_unless_equals_uint64 (stats.rtt_ns, RTT);
  assert_close (stats.p, 1 / stats.mean_interval);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_sequence_number_wraps_without_loss)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  t.data.seq = 65000;
  arrive_many (&t, 140000);
  fail_unless_equals_uint64 (t.arrival.seq, 65536 + 65000 + 139999);
  fail_unless_equals_uint64 (stats_of (&t).packets_expected, 140000);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
  t.data.seq = 65534;
  arrive_many (&t, 1);
  t.data.seq = 0;
  arrive_many (&t, 3);
  receiver_test_clear (&t);

  /* a loss across the wrap */
  receiver_test_init (&t, NULL);
  t.data.seq = 65530;
  arrive_many (&t, 5);
  lose (&t, 2);
  fail_unless_equals_int (t.data.seq, 1);
  arrive_many (&t, 3);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 2);
  fail_unless_equals_uint64 (stats_of (&t).loss_events, 1);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_restarted_sender_is_no_loss)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 20);
  t.data.seq = 40000;
  arrive_many (&t, 1);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_SUSPECT);
  arrive_many (&t, 1);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_RESTART);
  arrive_many (&t, 20);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
  fail_unless_equals_uint64 (stats_of (&t).packets_expected, 42);
  fail_unless (stats_of (&t).p == 0);
  /* a stray packet alone is ignored */
  t.data.seq = 7;
  arrive_many (&t, 1);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_SUSPECT);
  t.data.seq = 40022;
  arrive_many (&t, 5);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_impossible_packets_are_refused)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  t.data.size_bytes = 65536;
  fail_unless_equals_int (
      tfrc_receiver_on_data (t.receiver, &t.data, t.now, NULL), TFRC_ERROR_RANGE);
  fail_unless_equals_int (
      tfrc_receiver_on_data (t.receiver, NULL, t.now, NULL), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);
  fail_unless_equals_uint64 (stats_of (&t).packets_received, 0);
  t.data.size_bytes = 65535;
  fail_unless_equals_int (tfrc_receiver_on_data (t.receiver, &t.data, t.now, NULL), TFRC_OK);
  fail_unless_equals_uint64 (stats_of (&t).packets_received, 1);
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
receiverloss_suite (void)
{
  Suite *suite = suite_create ("receiverloss");
  TCase *tc = tcase_create ("loss");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_first_interval_stands_for_the_highest_receive_rate);
  tcase_add_test (tc, test_losses_are_mapped_with_the_rtt_of_the_detecting_packet);
  tcase_add_test (tc, test_first_interval_counts_the_rate_of_this_moment);
  tcase_add_test (tc, test_first_interval_is_at_least_half_a_packet_per_rtt);
  tcase_add_test (tc, test_lost_first_packet_gives_the_null_interval);
  tcase_add_test (tc, test_marked_first_packet_gives_the_null_interval);
  tcase_add_test (tc, test_null_interval_without_rtt);
  tcase_add_loop_test (tc, test_losses_within_one_rtt_are_one_event, 1, 3);
  tcase_add_test (tc, test_mark_counts_at_once);
  tcase_add_test (tc, test_event_of_a_mark_begins_with_the_loss_before);
  tcase_add_test (tc, test_plain_rtp_counts_losses_and_gets_no_feedback);
  tcase_add_test (tc, test_statistics_count_every_arrival);
  tcase_add_test (tc, test_sequence_number_wraps_without_loss);
  tcase_add_test (tc, test_restarted_sender_is_no_loss);
  tcase_add_test (tc, test_impossible_packets_are_refused);
  return suite;
}

GST_CHECK_MAIN (receiverloss);
