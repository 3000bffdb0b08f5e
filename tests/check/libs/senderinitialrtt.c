/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sample of R that is known before the first packet leaves (RFC 5348 section 4.2) */
#include <tfrc/struct_size.h>

#include "sendertest.h"

#define RTT (100 * MS)

static SenderTest t;

static void
init (guint64 initial_rtt_ns, double initial_rate_Bps)
{
  TfrcSenderConfig config = default_config ();

  config.initial_rtt_ns = initial_rtt_ns;
  config.initial_rate_Bps = initial_rate_Bps;
  sender_test_init (&t, &config);
}

static void
teardown (void)
{
  sender_test_clear (&t);
}

/* Sends no more packets for this time, and serves the nofeedback timer. */
static void
wait_for (guint64 duration)
{
  guint64 end = t.now + duration;

  while ((t.now = tfrc_sender_next_timeout_ns (t.sender)) <= end)
    tfrc_sender_on_timeout (t.sender, t.now);
  t.now = end;
}

GST_START_TEST (test_the_first_packet_leaves_at_the_initial_rate)
{
  init (RTT, 0);
  assert_close (rate_of (&t), W_INIT / 0.1);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t.sender), 0);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), TFRC_TIME_NEVER);
  send_one (&t);
  /* the receiver gets R with the first packet */
  fail_unless_equals_int (t.data.rtt_us, RTT / 1000);
  /* the nofeedback timer is that of a known R: 4 R, and not 2 s */
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t.sender), t.now + 4 * RTT);
  /* W_init in a round-trip time: packets at 0, 30, 60 and 90 ms */
  send_for (&t, RTT);
  fail_unless_equals_int (t.sent->len, 4);
}

GST_END_TEST;

GST_START_TEST (test_a_configured_rate_holds_from_the_first_packet_on)
{
  init (RTT, 200000);
  assert_close (rate_of (&t), 200000);
}

GST_END_TEST;

/* As on a path whose R was measured by feedback */
GST_START_TEST (test_the_feedback_floor_limits_the_initial_rate)
{
  init (MS, 0);
  assert_close (rate_of (&t), W_INIT / 0.01);
}

GST_END_TEST;

/* The first feedback is step 4 of section 4.3: slow start doubles, an R after the first packet. */
GST_START_TEST (test_the_first_feedback_doubles_the_rate)
{
  init (RTT, 0);
  send_for (&t, RTT);
  give_feedback (&t, RTT, W_INIT / 0.1);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
  /* recv_limit is Infinity for two round-trip times, from the first packet on */
  teardown ();
  init (RTT, 0);
  send_for (&t, RTT);
  give_feedback (&t, RTT, 1000);
  assert_close (rate_of (&t), 2 * W_INIT / 0.1);
}

GST_END_TEST;

/* The hint was wrong: the first sample counts alone, and W_init / R with it. */
GST_START_TEST (test_the_first_sample_replaces_the_initial_rtt)
{
  static const guint64 samples[] = { 20 * MS, 200 * MS, 1000 * MS };

  init (RTT, 0);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    teardown ();
    init (RTT, 0);
    send_one (&t);
    wait_for (samples[i]);
    give_feedback (&t, samples[i], 0);
    fail_unless_equals_uint64 (stats_of (&t).rtt_ns, samples[i]);
    fail_unless_equals_uint64 (stats_of (&t).rttvar_ns, samples[i] / 2);
  }
  /* the next sample is averaged */
  send_for (&t, 1000 * MS);
  give_feedback (&t, 500 * MS, 0);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 950 * MS);
}

GST_END_TEST;

/* An initial R that is a hundred times too short: the first feedback sets the rate of the measured R,
 * although the sender was faster. */
GST_START_TEST (test_a_hint_that_is_too_short_holds_until_the_first_feedback)
{
  init (5 * MS, 0);
  send_one (&t);
  wait_for (500 * MS);
  fail_unless (rate_of (&t) > W_INIT / 0.5);
  give_feedback (&t, 500 * MS, 1);
  assert_close (rate_of (&t), W_INIT / 0.5);
}

GST_END_TEST;

GST_START_TEST (test_silence_halves_the_initial_rate_after_4_r)
{
  init (RTT, 0);
  send_one (&t);
  t.now += 4 * RTT;
  tfrc_sender_on_timeout (t.sender, t.now);
  assert_close (rate_of (&t), W_INIT / 0.1 / 2);
  fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 1);
}

GST_END_TEST;

/* A program of the first version has no initial R, whatever is in its memory behind its struct. */
GST_START_TEST (test_an_older_program_has_no_initial_rtt)
{
  TfrcSenderConfig config;
  TfrcSender *older;

  memset (&config, 0xa5, sizeof config);
  fail_unless_equals_int (
      tfrc_sender_config_init_sized (&config, TFRC_SENDER_CONFIG_FIRST_SIZE), TFRC_OK);
  fail_unless_equals_int (
      tfrc_sender_new_sized (&older, &config, TFRC_SENDER_CONFIG_FIRST_SIZE), TFRC_OK);
  fail_unless_equals_uint64 (tfrc_sender_get_rtt_ns (older), 0);
  tfrc_sender_free (older);
}

GST_END_TEST;

/* Up to twice the hint the stream goes on, and slow start doubles W_init / R; above that it begins with R. */
GST_START_TEST (test_an_initial_rtt_of_less_than_half_of_r_does_not_count)
{
  static const struct
  {
    guint64 sample_ns;
    double rate;
  } cases[] = { { 200 * MS, 2 * W_INIT / 0.1 }, { 201 * MS, W_INIT / 0.201 },
    { 250 * MS, W_INIT / 0.25 } };

  init (RTT, 0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    teardown ();
    init (RTT, 0);
    send_one (&t);
    wait_for (cases[i].sample_ns);
    give_feedback (&t, cases[i].sample_ns, 0);
    assert_close (rate_of (&t), cases[i].rate);
  }
}

GST_END_TEST;

static Suite *
senderinitialrtt_suite (void)
{
  Suite *s = suite_create ("senderinitialrtt");
  TCase *tc = tcase_create ("general"), *plain = tcase_create ("plain");

  suite_add_tcase (s, tc);
  suite_add_tcase (s, plain);
  tcase_add_checked_fixture (tc, NULL, teardown);
  tcase_add_test (tc, test_the_first_packet_leaves_at_the_initial_rate);
  tcase_add_test (tc, test_a_configured_rate_holds_from_the_first_packet_on);
  tcase_add_test (tc, test_the_feedback_floor_limits_the_initial_rate);
  tcase_add_test (tc, test_the_first_feedback_doubles_the_rate);
  tcase_add_test (tc, test_the_first_sample_replaces_the_initial_rtt);
  tcase_add_test (tc, test_an_initial_rtt_of_less_than_half_of_r_does_not_count);
  tcase_add_test (tc, test_a_hint_that_is_too_short_holds_until_the_first_feedback);
  tcase_add_test (tc, test_silence_halves_the_initial_rate_after_4_r);
  tcase_add_test (plain, test_an_older_program_has_no_initial_rtt);
  return s;
}

GST_CHECK_MAIN (senderinitialrtt);
