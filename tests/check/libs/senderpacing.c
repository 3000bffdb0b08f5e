/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender through its public interface: oscillation reduction and the scheduling of packets
 * (RFC 5348 sections 4.5, 4.6 and 8.3) */
#include "sendertest.h"

#define RTT (100 * MS)

GST_START_TEST (test_longer_rtt_lowers_the_instantaneous_rate)
{
  TfrcSenderConfig config = default_config ();
  double r_sqmean = 0.9 * sqrt (0.1) + 0.1 * sqrt (0.2);
  SenderTest t;

  sender_test_init (&t, &config);
  start (&t, RTT);
  assert_close (stats_of (&t).x_inst_Bps, rate_of (&t));
  send_for (&t, 2 * RTT);
  give_feedback (&t, 2 * RTT, 1000000);
  assert_close (stats_of (&t).x_inst_Bps, rate_of (&t) * r_sqmean / sqrt (0.2));
  send_for (&t, RTT);
  give_feedback (&t, RTT, 1000000);
  r_sqmean = 0.9 * r_sqmean + 0.1 * sqrt (0.1);
  assert_close (stats_of (&t).x_inst_Bps, rate_of (&t) * r_sqmean / sqrt (0.1));
  /* packets are spaced by the instantaneous rate */
  send_for (&t, RTT);
  send_until (&t, tfrc_sender_next_send_ns (t.sender));
  assert_within (tfrc_sender_next_send_ns (t.sender) - (double) t.now,
      1e9 * S / stats_of (&t).x_inst_Bps, 1e-6);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_instantaneous_rate_keeps_to_the_receive_rate)
{
  SenderTest t;
  TfrcSenderStats stats;

  /* a queue of 380 ms is suddenly empty */
  sender_test_init (&t, NULL);
  start (&t, 4 * RTT);
  lose (&t, 0.01);
  run_rtts (&t, 5, 4 * RTT, 40000);
  send_for (&t, RTT / 5);
  give_feedback (&t, RTT / 5, 40000);
  stats = stats_of (&t);
  fail_unless (stats.x_Bps < 80000);
  fail_unless (stats.x_Bps * 4 > 80000);
  assert_close (stats.x_inst_Bps, 80000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_oscillation_reduction_can_be_switched_off)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.oscillation_reduction = FALSE;
  sender_test_init (&t, &config);
  start (&t, RTT);
  send_for (&t, 2 * RTT);
  give_feedback (&t, 2 * RTT, 1000000);
  assert_close (stats_of (&t).x_inst_Bps, rate_of (&t));
  sender_test_clear (&t);
}

GST_END_TEST;

static guint
burst_after_idle (SenderTest *t)
{
  guint before = t->sent->len;

  run_rtts (t, 4, RTT, 1000000);
  before = t->sent->len;
  t->now += SECOND;
  send_for (t, 0);
  return t->sent->len - before;
}

GST_START_TEST (test_idle_credit_is_one_rtt)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  /* X = 16 initial rates, which is 53.25 packets per round-trip time */
  fail_unless_equals_int (burst_after_idle (&t), 53);
  assert_close (rate_of (&t), 16 * W_INIT / 0.1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_burst_limit_below_one_rtt)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.burst_limit_ns = RTT / 10;
  sender_test_init (&t, &config);
  start (&t, RTT);
  fail_unless_equals_int (burst_after_idle (&t), 5);
  sender_test_clear (&t);

  config.burst_limit_ns = 0;
  sender_test_init (&t, &config);
  start (&t, RTT);
  fail_unless_equals_int (burst_after_idle (&t), 1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_coarse_timer_keeps_the_mean_rate)
{
  SenderTest t;
  guint before;
  guint64 start_ns;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  run_rtts (&t, 4, RTT, 1000000);
  before = t.sent->len;
  start_ns = t.now;
  /* the timer fires every 10 ms, packets are 1.88 ms apart */
  while (t.now < start_ns + SECOND) {
    t.now += 10 * MS;
    send_for (&t, 0);
  }
  assert_within ((t.sent->len - before) * S, rate_of (&t), 0.01);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_packets_leave_t_delta_before_their_time)
{
  /* min (t_ipi, t_gran, R) / 2: each of the three is the least in one case */
  static const struct
  {
    guint64 granularity, rtt;
    double initial_rate;
    guint64 delta;
  } cases[] = {
    { MS, RTT, 13160, MS / 2 },
    { 10 * MS, RTT, 1316000, MS / 2 },
    { 10 * MS, 2 * MS, 13160, MS },
    { 0, RTT, 13160, 0 },
  };
  TfrcSenderConfig config = default_config ();
  SenderTest t;
  guint64 nominal;

  config.timer_granularity_ns = cases[__i__].granularity;
  config.initial_rate_Bps = cases[__i__].initial_rate;
  config.burst_limit_ns = 0;
  sender_test_init (&t, &config);
  start (&t, cases[__i__].rtt);
  t.now += 10 * SECOND;
  send_one (&t);
  nominal = t.now + (guint64) (1e9 * S / cases[__i__].initial_rate);
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t.sender), nominal - cases[__i__].delta);
  fail_unless_equals_int (
      tfrc_sender_prepare (t.sender, S, nominal - cases[__i__].delta - 1, &t.data),
      TFRC_ERROR_TOO_EARLY);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_highest_rate_is_still_paced)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;
  guint i;

  /* packets are less than a nanosecond apart; a round-trip time has 1000 packets */
  config.initial_rate_Bps = 125e9;
  config.credit_floor_ns = 0;
  sender_test_init (&t, &config);
  send_sized (&t, 1);
  t.now += 1000;
  give_feedback (&t, 1000, 0);
  t.now += SECOND;
  for (i = 0; tfrc_sender_next_send_ns (t.sender) <= t.now && i < 10000; i++)
    send_sized (&t, 1);
  fail_unless (i >= 999 && i <= 1001, "%u packets at once", i);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
senderpacing_suite (void)
{
  Suite *suite = suite_create ("senderpacing");
  TCase *tc = tcase_create ("pacing");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_longer_rtt_lowers_the_instantaneous_rate);
  tcase_add_test (tc, test_instantaneous_rate_keeps_to_the_receive_rate);
  tcase_add_test (tc, test_oscillation_reduction_can_be_switched_off);
  tcase_add_test (tc, test_idle_credit_is_one_rtt);
  tcase_add_test (tc, test_burst_limit_below_one_rtt);
  tcase_add_test (tc, test_coarse_timer_keeps_the_mean_rate);
  tcase_add_loop_test (tc, test_packets_leave_t_delta_before_their_time, 0, 4);
  tcase_add_test (tc, test_highest_rate_is_still_paced);
  return suite;
}

GST_CHECK_MAIN (senderpacing);
