/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender through its public interface: limits of the allowed rate, the segment size and the
 * factor on the equation (RFC 5348 sections 4.1 and 4.3) */
#include "sendertest.h"

#define RTT (100 * MS)

GST_START_TEST (test_rate_never_falls_below_one_segment_in_64_seconds)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, 5 * SECOND);
  lose (&t, 1);
  t.now += 5 * SECOND;
  give_feedback (&t, 5 * SECOND, 0);
  assert_close (rate_of (&t), S / 64);
  assert_close (stats_of (&t).x_inst_Bps, S / 64);
  fail_unless (stats_of (&t).x_eq_Bps < S / 64);
  sender_test_clear (&t);
}

GST_END_TEST;

/* A sample that differs from the ones before moves X_inst away from X (section 4.5), but not beyond the
 * limits of X. */
GST_START_TEST (test_instantaneous_rate_has_the_limits_of_the_rate)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.max_rate_Bps = 50000;
  sender_test_init (&t, &config);
  start (&t, RTT);
  run_rtts (&t, 4, RTT, 50000);
  send_for (&t, RTT);
  give_feedback (&t, RTT / 4, 50000);
  assert_close (rate_of (&t), 50000);
  fail_unless (stats_of (&t).recv_limit_Bps > 90000);
  assert_close (stats_of (&t).x_inst_Bps, 50000);
  sender_test_clear (&t);

  sender_test_init (&t, NULL);
  start (&t, 5 * SECOND);
  lose (&t, 1);
  t.now += 10 * SECOND;
  give_feedback (&t, 15 * SECOND, 0);
  assert_close (rate_of (&t), S / 64);
  assert_close (stats_of (&t).x_inst_Bps, S / 64);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_one_packet_in_64_seconds_also_when_segments_grow)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;
  guint i;

  config.segment_size_bytes = 16;
  sender_test_init (&t, &config);
  send_sized (&t, 16);
  t.now += 5 * SECOND;
  lose (&t, 1);
  give_feedback (&t, 5 * SECOND, 0);
  t.now += 5 * SECOND;
  give_feedback (&t, 5 * SECOND, 0);
  for (i = 0; i < 20; i++) {
    t.now = tfrc_sender_next_send_ns (t.sender);
    send_sized (&t, 60000);
    fail_unless (rate_of (&t) >= stats_of (&t).segment_size_bytes / 64);
    fail_unless (tfrc_sender_next_send_ns (t.sender) <= t.now + 64 * SECOND);
  }
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_segment_size_is_the_mean_over_four_loss_intervals)
{
  SenderTest t;
  guint i;

  sender_test_init (&t, NULL);
  assert_close (stats_of (&t).segment_size_bytes, S);
  send_sized (&t, 500);
  assert_close (stats_of (&t).segment_size_bytes, 500);
  t.now += RTT;
  lose (&t, 0.1);
  give_feedback (&t, RTT, 0);
  for (i = 0; i < 40; i++) {
    t.now = MAX (t.now, tfrc_sender_next_send_ns (t.sender));
    send_sized (&t, i % 2 ? 1400 : 1000);
  }
  /* 4 / p = 40 packets with a mean of 1200 bytes, and the packet before */
  assert_within (stats_of (&t).segment_size_bytes, 1200, 0.03);
  t.now += RTT;
  give_feedback (&t, RTT, 1000000);
  assert_close (stats_of (&t).x_eq_Bps, equation_rate (&t, 0.1));
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_minimum_rate_overrides_the_equation)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.min_rate_Bps = 30000;
  sender_test_init (&t, &config);
  assert_close (rate_of (&t), 30000);
  start (&t, RTT);
  lose (&t, 0.5);
  run_rtts (&t, 1, RTT, 1000000);
  fail_unless (stats_of (&t).x_eq_Bps < 1000);
  assert_close (rate_of (&t), 30000);
  assert_close (stats_of (&t).x_inst_Bps, 30000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_maximum_rate_limits_slow_start)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.max_rate_Bps = 100000;
  sender_test_init (&t, &config);
  start (&t, RTT);
  run_rtts (&t, 5, RTT, 1000000);
  assert_close (rate_of (&t), 100000);
  fail_unless_equals_int (tfrc_sender_set_rate_limits (t.sender, 0, 60000), TFRC_OK);
  assert_close (rate_of (&t), 60000);
  fail_unless_equals_int (tfrc_sender_set_rate_limits (t.sender, 70000, 0), TFRC_OK);
  assert_close (rate_of (&t), 70000);
  fail_unless_equals_int (tfrc_sender_set_rate_limits (t.sender, 2, 1), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_sender_set_rate_limits (t.sender, NAN, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_sender_set_rate_limits (t.sender, -1, 0), TFRC_ERROR_ARGUMENT);
  assert_close (rate_of (&t), 70000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_rate_scale_is_a_factor_on_the_equation)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.rate_scale = 0.5;
  sender_test_init (&t, &config);
  start (&t, RTT);
  assert_close (rate_of (&t), W_INIT / 0.1);
  lose (&t, 0.01);
  run_rtts (&t, 1, RTT, 1000000);
  assert_close (rate_of (&t), 0.5 * equation_rate (&t, 0.01));
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
senderlimits_suite (void)
{
  Suite *s = suite_create ("senderlimits");
  TCase *tc = tcase_create ("limits");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_rate_never_falls_below_one_segment_in_64_seconds);
  tcase_add_test (tc, test_instantaneous_rate_has_the_limits_of_the_rate);
  tcase_add_test (tc, test_one_packet_in_64_seconds_also_when_segments_grow);
  tcase_add_test (tc, test_segment_size_is_the_mean_over_four_loss_intervals);
  tcase_add_test (tc, test_minimum_rate_overrides_the_equation);
  tcase_add_test (tc, test_maximum_rate_limits_slow_start);
  tcase_add_test (tc, test_rate_scale_is_a_factor_on_the_equation);
  return s;
}

GST_CHECK_MAIN (senderlimits);
