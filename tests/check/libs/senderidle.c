/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The effect of the nofeedback timer on an idle sender (RFC 5348 section 4.4), and how a sender
 * after backoff finds its peer again */
#include "nofeedbacktest.h"

GST_START_TEST (test_nofeedback_without_rtt_spares_an_idle_sender)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  send_one (&t);
  expire (&t); /* a sender of one packet is not idle */
  assert_close (rate_of (&t), S / 2);
  expire (&t);
  assert_close (rate_of (&t), S / 2);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), TFRC_TIME_NEVER);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 1);
  t.now += 100 * SECOND;
  send_one (&t);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * SECOND);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_idle_slow_start_keeps_the_initial_rate)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  run_rtts (&t, 2, RTT, 1000000);
  assert_close (rate_of (&t), 4 * INITIAL_RATE);
  t.now += MS;
  /* X >= 2 recover_rate for two expirations, then X is below */
  expire (&t);
  assert_close (rate_of (&t), 2 * INITIAL_RATE);
  expire (&t);
  assert_close (rate_of (&t), INITIAL_RATE);
  expire (&t);
  assert_close (rate_of (&t), INITIAL_RATE);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), TFRC_TIME_NEVER);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 2);
  /* the timer runs again from the next packet on */
  t.now += 100 * SECOND;
  send_one (&t);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
  expire_sending (&t);
  assert_close (rate_of (&t), INITIAL_RATE / 2);
  sender_test_clear (&t);
}

GST_END_TEST;

/* recover_rate is the initial rate: X just below twice that is kept, and X above it is not. */
GST_START_TEST (test_idle_slow_start_is_spared_up_to_twice_the_initial_rate)
{
  static const double factors[] = { 0.999, 1.001 };

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++) {
    double x = 2 * factors[i] * INITIAL_RATE;
    SenderTest t;

    sender_test_init (&t, NULL);
    start (&t, RTT);
    run_rtts (&t, 6, RTT, factors[i] * INITIAL_RATE);
    assert_within (rate_of (&t), x, 1e-4);
    t.now += MS;
    expire (&t);
    assert_within (rate_of (&t), i == 0 ? x : x / 2, 1e-4);
    fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, i);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_idle_sender_after_loss_is_spared_below_the_initial_rate)
{
  SenderTest t;

  reach_steady_state (&t, INITIAL_RATE - 1);
  expire (&t);
  assert_close (rate_of (&t), 2 * (INITIAL_RATE - 1));
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), TFRC_TIME_NEVER);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 0);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_idle_sender_after_loss_is_halved_from_the_initial_rate_on)
{
  SenderTest t;

  reach_steady_state (&t, INITIAL_RATE);
  t.now += MS;
  expire (&t);
  assert_close (rate_of (&t), INITIAL_RATE);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_peer_alive_releases_one_packet_after_backoff)
{
  SenderTest t;
  guint i;

  reach_steady_state (&t, 1000000);
  for (i = 0; i < 12; i++)
    expire_sending (&t);
  send_until (&t, tfrc_sender_next_send_ns (t.sender));
  t.now += MS;
  fail_unless (tfrc_sender_next_send_ns (t.sender) > t.now + 10 * SECOND);
  tfrc_sender_on_peer_alive (t.sender, t.now);
  fail_unless (tfrc_sender_next_send_ns (t.sender) <= t.now);
  send_one (&t);
  /* only one packet may leave, and the rate has not changed */
  fail_unless (tfrc_sender_next_send_ns (t.sender) > t.now + 10 * SECOND);
  assert_within (rate_of (&t), stats_of (&t).x_eq_Bps / 4096, 1e-6);
  sender_test_clear (&t);
}

GST_END_TEST;

/* A receiver that starts a moment after the sender does not have to wait for a second. */
GST_START_TEST (test_peer_alive_releases_one_packet_before_the_first_feedback)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  send_one (&t);
  t.now += MS;
  fail_unless (tfrc_sender_next_send_ns (t.sender) > t.now + SECOND / 2);
  tfrc_sender_on_peer_alive (t.sender, t.now);
  fail_unless (tfrc_sender_next_send_ns (t.sender) <= t.now);
  send_one (&t);
  fail_unless (tfrc_sender_next_send_ns (t.sender) > t.now + SECOND / 2);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_peer_alive_does_nothing_without_backoff)
{
  SenderTest t;
  guint64 next;

  reach_steady_state (&t, 1000000);
  send_for (&t, MS);
  next = tfrc_sender_next_send_ns (t.sender);
  tfrc_sender_on_peer_alive (t.sender, t.now);
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t.sender), next);
  /* feedback ends the backoff */
  expire_sending (&t);
  run_rtts (&t, 1, RTT, 70000);
  send_for (&t, MS);
  next = tfrc_sender_next_send_ns (t.sender);
  tfrc_sender_on_peer_alive (t.sender, t.now);
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t.sender), next);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
senderidle_suite (void)
{
  Suite *suite = suite_create ("senderidle");
  TCase *tc = tcase_create ("idle");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_nofeedback_without_rtt_spares_an_idle_sender);
  tcase_add_test (tc, test_idle_slow_start_keeps_the_initial_rate);
  tcase_add_test (tc, test_idle_slow_start_is_spared_up_to_twice_the_initial_rate);
  tcase_add_test (tc, test_idle_sender_after_loss_is_spared_below_the_initial_rate);
  tcase_add_test (tc, test_idle_sender_after_loss_is_halved_from_the_initial_rate_on);
  tcase_add_test (tc, test_peer_alive_releases_one_packet_after_backoff);
  tcase_add_test (tc, test_peer_alive_releases_one_packet_before_the_first_feedback);
  tcase_add_test (tc, test_peer_alive_does_nothing_without_backoff);
  return suite;
}

GST_CHECK_MAIN (senderidle);
