/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of the receiver's loss history: its length, and t_RTO of the first interval. And the
 * statistics of its intervals. */
#include "receivertest.h"

/* 1 / p for 0.5 packets per round-trip time (tests/vectors/README.md) */
#define NULL_INTERVAL 4.8442829988300051

static TfrcReceiverConfig
default_config (void)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  return config;
}

static TfrcLossStatistics
statistics_of (const ReceiverTest *t)
{
  TfrcLossStatistics statistics;

  tfrc_receiver_get_loss_statistics (t->receiver, &statistics);
  return statistics;
}

/* @n packets arrive, and the last packet is marked. The mark starts a loss event if @n packets take
 * more than a round-trip time. */
static void
arrive_marked_after (ReceiverTest *t, guint n)
{
  arrive_many (t, n - 1);
  t->data.ce = TRUE;
  arrive_many (t, 1);
  t->data.ce = FALSE;
}

/* Returns the rate that the equation gives with this t_RTO for the first interval, after 40 packets
 * of 1000 bytes per round-trip time. */
static gdouble
rate_of_first_interval (TfrcRtoPolicy policy, guint64 rtt, gdouble rto_s)
{
  TfrcReceiverConfig config = default_config ();
  ReceiverTest t;
  gdouble p;

  config.rto_policy = policy;
  receiver_test_init (&t, &config);
  t.data.rtt_us = rtt / 1000;
  for (guint i = 0; i < 200; i++) {
    wait_until (&t, t.now + rtt / 40);
    arrive (&t);
  }
  lose (&t, 1);
  arrive_many (&t, 3);
  p = stats_of (&t).p;
  receiver_test_clear (&t);
  return tfrc_equation_rate_Bps (1000, rtt * 1e-9, rto_s, p);
}

/* The first interval is the inverse of the sender's equation, with D = 0. */
GST_START_TEST (test_first_interval_depends_on_the_rto_policy)
{
  gdouble rate = rate_of_first_interval (TFRC_RTO_POLICY_4R, RTT, 0.4);

  assert_close (rate, 400000);
  assert_close (rate_of_first_interval (TFRC_RTO_POLICY_TCP, RTT, 1), rate);
  assert_close (rate_of_first_interval (TFRC_RTO_POLICY_LINUX, RTT, 0.3), rate);
  assert_close (rate_of_first_interval (TFRC_RTO_POLICY_BALANCED, RTT, 0.2), rate);
  assert_close (rate_of_first_interval (TFRC_RTO_POLICY_ADAPTIVE, RTT, 0.4), rate);

  rate = rate_of_first_interval (TFRC_RTO_POLICY_4R, 20 * RTT, 8);
  assert_within (rate, 20000, 0.05);
  assert_close (rate_of_first_interval (TFRC_RTO_POLICY_TCP, 20 * RTT, 2), rate);
  assert_close (rate_of_first_interval (TFRC_RTO_POLICY_LINUX, 20 * RTT, 2.2), rate);
}

GST_END_TEST;

GST_START_TEST (test_first_interval_without_rtt_is_that_of_4_rtts)
{
  const TfrcRtoPolicy policies[] = { TFRC_RTO_POLICY_4R, TFRC_RTO_POLICY_TCP, TFRC_RTO_POLICY_LINUX,
    TFRC_RTO_POLICY_BALANCED, TFRC_RTO_POLICY_ADAPTIVE };

  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    TfrcReceiverConfig config = default_config ();
    ReceiverTest t;

    config.rto_policy = policies[i];
    receiver_test_init (&t, &config);
    t.data.rtt_us = 0;
    arrive_marked_after (&t, 1);
    assert_close (stats_of (&t).mean_interval, NULL_INTERVAL);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

/* The first packet is marked, and these intervals follow. The last of them is I_1. No interval is
 * so long that it discounts earlier intervals. */
static const guint intervals[] = { 15, 25, 40, 50, 30, 40 };

#define N_INTERVALS G_N_ELEMENTS (intervals)

static void
mark_intervals (ReceiverTest *t)
{
  arrive_marked_after (t, 1);
  for (guint i = 0; i < N_INTERVALS; i++)
    arrive_marked_after (t, intervals[i]);
}

GST_START_TEST (test_average_covers_the_history_length)
{
  const struct
  {
    guint n;
    gdouble mean;
  } cases[] = {
    { 2, (40 + 0.5 * 30) / 1.5 },
    { 3, (40 + 30 + 0.4 * 50) / 2.4 },
    /* all weights are 1 except the last: there are fewer intervals than n / 2 */
    { 32, (40 + 30 + 50 + 40 + 25 + 15 + NULL_INTERVAL) / 7 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcReceiverConfig config = default_config ();
    ReceiverTest t;

    config.history_length = cases[i].n;
    config.history_discounting = FALSE;
    receiver_test_init (&t, &config);
    mark_intervals (&t);
    assert_close (stats_of (&t).mean_interval, cases[i].mean);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_longest_history_holds_32_intervals)
{
  TfrcReceiverConfig config = default_config ();
  ReceiverTest t;

  config.history_length = 32;
  receiver_test_init (&t, &config);
  arrive_marked_after (&t, 1);
  arrive_marked_after (&t, 20);
  for (guint i = 0; i < 31; i++)
    arrive_marked_after (&t, 30);
  /* the interval of 20 packets is the oldest: its weight is 2 / 34; the sum of weights is 16 + 8 */
  assert_close (stats_of (&t).mean_interval, 30 - 10 * (2 / 34.0) / 24);
  arrive_marked_after (&t, 30);
  assert_close (stats_of (&t).mean_interval, 30);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_statistics_are_of_the_intervals_that_have_ended)
{
  ReceiverTest t;
  TfrcLossStatistics statistics;

  receiver_test_init (&t, NULL);
  fail_unless_equals_uint64 (statistics_of (&t).intervals, 0);
  fail_unless (statistics_of (&t).f_mean_interval == 0);
  mark_intervals (&t);
  statistics = statistics_of (&t);
  fail_unless_equals_uint64 (statistics.intervals, N_INTERVALS);
  assert_close (statistics.mean_interval, 200 / 6.0);
  assert_close (statistics.var_interval, 7450 / 6.0 - 10000 / 9.0);
  assert_close (statistics.rto_rtts, 4);
  assert_close (statistics.f_mean_interval, 1 / tfrc_equation_f (6 / 200.0));
  /* the current interval does not count */
  arrive_many (&t, 1000);
  fail_unless_equals_uint64 (statistics_of (&t).intervals, N_INTERVALS);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_warm_up_can_be_cut_off_the_statistics)
{
  ReceiverTest t;
  TfrcLossStatistics statistics;

  receiver_test_init (&t, NULL);
  mark_intervals (&t);
  for (guint i = 0; i < 8; i++)
    arrive_marked_after (&t, 50);
  tfrc_receiver_reset_loss_statistics (t.receiver);
  fail_unless_equals_uint64 (statistics_of (&t).intervals, 0);
  fail_unless_equals_uint64 (stats_of (&t).loss_events, N_INTERVALS + 9);
  for (guint i = 0; i < 20; i++)
    arrive_marked_after (&t, 50);
  statistics = statistics_of (&t);
  fail_unless_equals_uint64 (statistics.intervals, 20);
  assert_close (statistics.mean_interval, 50);
  assert_close (statistics.mean_predictor, 50);
  assert_close (statistics.mean_inverse_predictor, 0.02);
  fail_unless (statistics.var_interval == 0);
  fail_unless (statistics.var_predictor < 1e-20);
  fail_unless (statistics.covariance == 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_f_depends_on_the_rto_policy)
{
  TfrcReceiverConfig config = default_config ();
  ReceiverTest t;
  TfrcLossStatistics statistics;

  config.rto_policy = TFRC_RTO_POLICY_TCP;
  receiver_test_init (&t, &config);
  mark_intervals (&t);
  statistics = statistics_of (&t);
  /* 1 s and 100 ms */
  assert_close (statistics.rto_rtts, 10);
  assert_close (statistics.f_mean_interval,
      0.1 * tfrc_equation_rate_Bps (1, 0.1, 1, 1 / statistics.mean_interval));
  assert_close (statistics.f_mean_inverse_predictor,
      0.1 * tfrc_equation_rate_Bps (1, 0.1, 1, statistics.mean_inverse_predictor));
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
receiverhistory_suite (void)
{
  Suite *suite = suite_create ("receiverhistory");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_first_interval_depends_on_the_rto_policy);
  tcase_add_test (tc, test_first_interval_without_rtt_is_that_of_4_rtts);
  tcase_add_test (tc, test_average_covers_the_history_length);
  tcase_add_test (tc, test_longest_history_holds_32_intervals);
  tcase_add_test (tc, test_statistics_are_of_the_intervals_that_have_ended);
  tcase_add_test (tc, test_warm_up_can_be_cut_off_the_statistics);
  tcase_add_test (tc, test_f_depends_on_the_rto_policy);
  return suite;
}

GST_CHECK_MAIN (receiverhistory);
