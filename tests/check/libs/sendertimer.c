/* The nofeedback timer: every branch of RFC 5348 section 4.4, what an idle
 * sender keeps, and the floor on the feedback interval (docs/decisions.md). */
#include "sendertest.h"

#define RTT (100 * MS)
#define INITIAL_RATE (W_INIT / 0.1)

/* The nofeedback timer expires. */
static void
expire (SenderTest * t)
{
  t->now = tfrc_sender_next_timeout_ns (t->sender);
  fail_unless (t->now != TFRC_TIME_NEVER);
  tfrc_sender_on_timeout (t->sender, t->now);
  fail_unless (tfrc_sender_next_timeout_ns (t->sender) > t->now);
}

/* The same after sending all that time */
static void
expire_sending (SenderTest * t)
{
  send_until (t, tfrc_sender_next_timeout_ns (t->sender));
  expire (t);
}

static guint64
until_timeout (const SenderTest * t)
{
  return tfrc_sender_next_timeout_ns (t->sender) - t->now;
}

/* In steady state on p = 0.01 for which X_Bps = 147829 */
static void
reach_steady_state (SenderTest * t, double x_recv)
{
  sender_test_init (t, NULL);
  start (t, RTT);
  lose (t, 0.01);
  run_rtts (t, 4, RTT, x_recv);
}

GST_START_TEST (test_rto_is_four_rtts_or_two_packets)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  fail_unless_equals_uint64 (stats_of (&t).rto_ns, 4 * RTT);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
  lose (&t, 0.5);
  run_rtts (&t, 1, RTT, 1000000);
  assert_within (until_timeout (&t), 2e9 * S / rate_of (&t), 1e-8);
  fail_unless (until_timeout (&t) > SECOND);
  fail_unless_equals_uint64 (until_timeout (&t), stats_of (&t).rto_ns);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_restarts_the_nofeedback_timer)
{
  SenderTest t;

  reach_steady_state (&t, 1000000);
  send_for (&t, RTT / 2);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT - RTT / 2);
  give_feedback (&t, RTT, 1000000);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_timeout_before_it_is_due_does_nothing)
{
  SenderTest t;
  guint64 due;

  reach_steady_state (&t, 1000000);
  due = tfrc_sender_next_timeout_ns (t.sender);
  send_until (&t, due - 1);
  tfrc_sender_on_timeout (t.sender, due - 1);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), due);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 0);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_without_rtt_halves_down_to_one_in_64_seconds)
{
  SenderTest t;
  guint i;

  sender_test_init (&t, NULL);
  send_one (&t);
  fail_unless_equals_uint64 (until_timeout (&t), 2 * SECOND);
  for (i = 1; i <= 6; i++) {
    expire_sending (&t);
    assert_close (rate_of (&t), S / (1 << i));
    fail_unless_equals_uint64 (until_timeout (&t), (2 << i) * SECOND);
  }
  expire_sending (&t);
  assert_close (rate_of (&t), S / 64);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 7);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_without_rtt_spares_an_idle_sender)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  send_one (&t);
  expire (&t);                  /* one packet is not idle */
  assert_close (rate_of (&t), S / 2);
  expire (&t);
  assert_close (rate_of (&t), S / 2);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender),
      TFRC_TIME_NEVER);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 1);
  t.now += 100 * SECOND;
  send_one (&t);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * SECOND);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_in_slow_start_halves_the_rate)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  run_rtts (&t, 3, RTT, 100000);
  assert_close (rate_of (&t), 200000);
  expire_sending (&t);
  assert_close (rate_of (&t), 100000);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
  expire_sending (&t);
  assert_close (rate_of (&t), 50000);
  /* X_recv_set is as it was: slow start goes on from there */
  assert_close (stats_of (&t).recv_limit_Bps, 200000);
  send_for (&t, RTT);
  give_feedback (&t, RTT, 70000);
  assert_close (rate_of (&t), 100000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_in_slow_start_halves_below_the_initial_rate)
{
  SenderTest t;
  guint i;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  for (i = 1; i <= 20; i++) {
    expire_sending (&t);
    assert_close (rate_of (&t), MAX (INITIAL_RATE / (1 << i), S / 64));
  }
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
  /* X >= 2 recover_rate twice, then below */
  expire (&t);
  assert_close (rate_of (&t), 2 * INITIAL_RATE);
  expire (&t);
  assert_close (rate_of (&t), INITIAL_RATE);
  expire (&t);
  assert_close (rate_of (&t), INITIAL_RATE);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender),
      TFRC_TIME_NEVER);
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

GST_START_TEST (test_idle_sender_after_loss_is_spared_below_the_initial_rate)
{
  SenderTest t;

  reach_steady_state (&t, INITIAL_RATE - 1);
  expire (&t);
  assert_close (rate_of (&t), 2 * (INITIAL_RATE - 1));
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender),
      TFRC_TIME_NEVER);
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

GST_START_TEST (test_nofeedback_halves_a_rate_limited_by_the_receive_rate)
{
  SenderTest t;

  reach_steady_state (&t, 50000);
  assert_close (rate_of (&t), 100000);
  fail_unless (stats_of (&t).x_eq_Bps > 2 * 50000);
  expire_sending (&t);
  assert_close (rate_of (&t), 50000);
  assert_close (stats_of (&t).recv_limit_Bps, 50000);
  expire_sending (&t);
  assert_close (rate_of (&t), 25000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_halves_a_rate_limited_by_the_equation)
{
  SenderTest t;
  double x_eq;

  reach_steady_state (&t, 1000000);
  x_eq = stats_of (&t).x_eq_Bps;
  assert_close (rate_of (&t), x_eq);
  expire_sending (&t);
  assert_close (rate_of (&t), x_eq / 2);
  assert_close (stats_of (&t).recv_limit_Bps, x_eq / 2);
  /* now X_recv limits: the other branch halves on */
  expire_sending (&t);
  assert_close (rate_of (&t), x_eq / 4);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_while_the_receive_rate_is_unknown)
{
  SenderTest t;
  double x_eq;

  /* X_recv_set still holds Infinity: the equation limits */
  sender_test_init (&t, NULL);
  start (&t, RTT);
  lose (&t, 0.01);
  run_rtts (&t, 1, RTT, 50000);
  fail_unless (isinf (stats_of (&t).recv_limit_Bps));
  x_eq = stats_of (&t).x_eq_Bps;
  expire_sending (&t);
  assert_close (rate_of (&t), x_eq / 2);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_nofeedback_never_goes_below_one_segment_in_64_seconds)
{
  SenderTest t;
  guint i;

  reach_steady_state (&t, 1000000);
  for (i = 0; i < 20; i++)
    expire_sending (&t);
  assert_close (rate_of (&t), S / 64);
  fail_unless_equals_uint64 (until_timeout (&t), 128 * SECOND);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_rate_recovers_by_doubling_when_feedback_resumes)
{
  SenderTest t;

  reach_steady_state (&t, 1000000);
  expire_sending (&t);
  expire_sending (&t);
  expire_sending (&t);
  assert_close (rate_of (&t), stats_of (&t).x_eq_Bps / 8);
  run_rtts (&t, 4, RTT, 18000);
  assert_close (rate_of (&t), 36000);
  run_rtts (&t, 1, RTT, 36000);
  assert_close (rate_of (&t), 72000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_timer_served_late_halves_once)
{
  SenderTest t;

  reach_steady_state (&t, 1000000);
  send_for (&t, 30 * SECOND);
  tfrc_sender_on_timeout (t.sender, t.now);
  assert_close (rate_of (&t), stats_of (&t).x_eq_Bps / 2);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * RTT);
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
  /* one only, and the rate is as it was */
  fail_unless (tfrc_sender_next_send_ns (t.sender) > t.now + 10 * SECOND);
  assert_within (rate_of (&t), stats_of (&t).x_eq_Bps / 4096, 1e-6);
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

GST_START_TEST (test_feedback_floor_stretches_what_feedback_covers)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;
  guint i;

  sender_test_init (&t, &config);
  start (&t, MS);
  fail_unless_equals_uint64 (until_timeout (&t), 40 * MS);
  /* every 10 ms, each 10 round-trip times: nothing lapses between, and slow
   * start doubles at each */
  for (i = 1; i <= 2; i++) {
    send_for (&t, 10 * MS);
    give_feedback (&t, MS, 100000000);
    fail_if (stats_of (&t).data_limited);
    fail_unless (isinf (stats_of (&t).recv_limit_Bps));
    assert_close (rate_of (&t), (1 << i) * W_INIT / 0.001);
  }
  sender_test_clear (&t);

  config.feedback_floor_ns = 0;
  sender_test_init (&t, &config);
  start (&t, MS);
  fail_unless_equals_uint64 (until_timeout (&t), 4 * MS);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
sendertimer_suite (void)
{
  Suite *suite = suite_create ("sendertimer");
  TCase *tc = tcase_create ("nofeedback");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_rto_is_four_rtts_or_two_packets);
  tcase_add_test (tc, test_feedback_restarts_the_nofeedback_timer);
  tcase_add_test (tc, test_timeout_before_it_is_due_does_nothing);
  tcase_add_test (tc,
      test_nofeedback_without_rtt_halves_down_to_one_in_64_seconds);
  tcase_add_test (tc, test_nofeedback_without_rtt_spares_an_idle_sender);
  tcase_add_test (tc, test_nofeedback_in_slow_start_halves_the_rate);
  tcase_add_test (tc,
      test_nofeedback_in_slow_start_halves_below_the_initial_rate);
  tcase_add_test (tc, test_idle_slow_start_keeps_the_initial_rate);
  tcase_add_test (tc,
      test_idle_sender_after_loss_is_spared_below_the_initial_rate);
  tcase_add_test (tc,
      test_idle_sender_after_loss_is_halved_from_the_initial_rate_on);
  tcase_add_test (tc,
      test_nofeedback_halves_a_rate_limited_by_the_receive_rate);
  tcase_add_test (tc, test_nofeedback_halves_a_rate_limited_by_the_equation);
  tcase_add_test (tc, test_nofeedback_while_the_receive_rate_is_unknown);
  tcase_add_test (tc,
      test_nofeedback_never_goes_below_one_segment_in_64_seconds);
  tcase_add_test (tc, test_rate_recovers_by_doubling_when_feedback_resumes);
  tcase_add_test (tc, test_timer_served_late_halves_once);
  tcase_add_test (tc, test_peer_alive_releases_one_packet_after_backoff);
  tcase_add_test (tc, test_peer_alive_does_nothing_without_backoff);
  tcase_add_test (tc, test_feedback_floor_stretches_what_feedback_covers);
  return suite;
}

GST_CHECK_MAIN (sendertimer);
