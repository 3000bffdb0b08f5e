/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate for an encoder in virtual time, alone and in a session, see gst/flow/rateestimate.h. */
#include "gst/flow/rateestimate.h"
#include "sessiontest.h"

#define NOW (5000 * S)

static GstTfrcRateEstimate estimate;

static void
setup (void)
{
  static const GstTfrcRateEstimate unknown;

  estimate = unknown;
}

/* Returns the estimate this long after NOW. */
static guint64
at (guint64 time_ns)
{
  return gst_tfrc_rate_estimate_get (&estimate, NOW + time_ns);
}

static void
set_at (guint64 time_ns, gdouble rate)
{
  gst_tfrc_rate_estimate_set_rate (&estimate, rate, NOW + time_ns);
}

static guint64
announce_at (guint64 time_ns)
{
  return gst_tfrc_rate_estimate_announce (&estimate, NOW + time_ns);
}

GST_START_TEST (the_first_rate_is_taken_as_it_is)
{
  fail_unless_equals_uint64 (at (0), 0);
  set_at (0, 700000);
  fail_unless_equals_uint64 (at (0), 700000);
  set_at (S, 0);
  fail_unless_equals_uint64 (at (S), 0);
  set_at (2 * S, 4000000);
  fail_unless_equals_uint64 (at (2 * S), 4000000);
}

GST_END_TEST;

/* 4000000 exp (-t / 50 ms) + 1000000 (1 - exp (-t / 50 ms)) */
GST_START_TEST (a_fall_is_followed_within_tenths_of_a_second)
{
  set_at (0, 4000000);
  set_at (10 * S, 1000000);
  fail_unless_equals_uint64 (at (10 * S), 4000000);
  fail_unless_equals_uint64 (at (10 * S + 50 * MS), 2103638);
  fail_unless_equals_uint64 (at (10 * S + 150 * MS), 1149361);
  /* 1000000 exp (-8) is less than a 1024th */
  fail_unless_equals_uint64 (at (10 * S + 400 * MS), 1001006);
  fail_unless_equals_uint64 (at (10 * S + 405 * MS), 1000000);
}

GST_END_TEST;

GST_START_TEST (a_rise_takes_a_second_for_a_factor_of_1_95)
{
  set_at (0, 1000000);
  set_at (10 * S, 4000000);
  fail_unless_equals_uint64 (at (10 * S), 1000000);
  fail_unless_equals_uint64 (at (11 * S), 1950000);
  fail_unless_equals_uint64 (at (12 * S), 3802500);
  fail_unless_equals_uint64 (at (12 * S + 75 * MS), 3997806);
  fail_unless_equals_uint64 (at (12 * S + 76 * MS), 4000000);
}

GST_END_TEST;

/* One feedback packet in 50 ms halves the rate, and the next one takes that back. */
GST_START_TEST (a_dip_of_one_feedback_packet_is_no_step)
{
  set_at (0, 4000000);
  set_at (S, 2000000);
  set_at (S + 50 * MS, 4000000);
  fail_unless_equals_uint64 (at (S + 50 * MS), 2735758);
  fail_unless_equals_uint64 (at (S + 700 * MS), 4000000);
}

GST_END_TEST;

/* In slow start X doubles with each round-trip time. */
GST_START_TEST (no_rise_is_a_step_of_two_within_a_second)
{
  guint64 before[20] = { 0 }, value;
  gdouble rate = 100000;

  set_at (0, rate);
  for (guint i = 0; i < 200; i++) {
    set_at (i * 50 * MS, rate);
    value = at (i * 50 * MS);
    fail_unless (i < 20 || value <= 1.95 * before[i % 20] + 2);
    before[i % 20] = value;
    rate = MIN (2 * rate, 50e6);
  }
  fail_unless (value > 30000000);
}

GST_END_TEST;

GST_START_TEST (the_result_does_not_depend_on_the_number_of_calls)
{
  const gdouble targets[] = { 1000000, 4000000 };

  for (guint i = 0; i < 2; i++) {
    guint64 value;

    setup ();
    set_at (0, targets[1 - i]);
    set_at (S, targets[i]);
    value = at (S + 300 * MS);
    setup ();
    set_at (0, targets[1 - i]);
    for (guint ms = 0; ms <= 300; ms++)
      set_at (S + ms * MS, targets[i]);
    fail_unless (ABS ((gint64) at (S + 300 * MS) - (gint64) value) <= 1);
  }
}

GST_END_TEST;

GST_START_TEST (an_encoder_gets_less_while_packets_wait)
{
  fail_unless (gst_tfrc_rate_estimate_share (0) == 1);
  fail_unless (gst_tfrc_rate_estimate_share (50 * MS) == 1);
  fail_unless (gst_tfrc_rate_estimate_share (150 * MS) == 0.75);
  fail_unless (gst_tfrc_rate_estimate_share (250 * MS) == 0.5);
  fail_unless (gst_tfrc_rate_estimate_share (350 * MS) == 0.25);
  fail_unless (gst_tfrc_rate_estimate_share (G_MAXUINT64) == 0.25);
}

GST_END_TEST;

GST_START_TEST (limits_of_the_application_hold_at_once)
{
  gst_tfrc_rate_estimate_limit (&estimate, 500000, 1000000, NOW);
  fail_unless_equals_uint64 (at (0), 0);
  set_at (0, 4000000);
  gst_tfrc_rate_estimate_limit (&estimate, 0, 1000000, NOW + S);
  fail_unless_equals_uint64 (at (S), 1000000);
  set_at (S, 1000000);
  gst_tfrc_rate_estimate_limit (&estimate, 3000000, 0, NOW + 2 * S);
  fail_unless_equals_uint64 (at (2 * S), 3000000);
  /* the maximum wins, as in the session */
  gst_tfrc_rate_estimate_limit (&estimate, 3000000, 2000000, NOW + 2 * S);
  fail_unless_equals_uint64 (at (2 * S), 2000000);
}

GST_END_TEST;

/* R_sample doubles: X_inst falls below X (RFC 5348 section 4.5), and that is what can be sent. */
GST_START_TEST (the_bitrate_is_what_can_be_sent)
{
  SessionTest t;
  TfrcSenderStats stats;

  session_test_init (&t);
  t.backlog = 1000;
  run (&t, 2 * S);
  t.delay_ns = 2 * DELAY;
  run (&t, 3 * DELAY);
  stats = sender_stats (&t);
  fail_unless (stats.x_inst_Bps < 0.9 * stats.x_Bps);
  fail_unless_equals_uint64 (
      gst_tfrc_send_media_get_bitrate (gst_tfrc_send_session_get_media (t.sink)),
      (guint64) (8 * stats.x_inst_Bps));
  session_test_clear (&t);
}

GST_END_TEST;

/* ---- announcements -------------------------------------------------------- */

GST_START_TEST (nothing_is_announced_before_the_estimate_is_known)
{
  fail_unless_equals_uint64 (announce_at (0), 0);
  fail_unless_equals_uint64 (gst_tfrc_rate_estimate_next_ns (&estimate), G_MAXUINT64);
  set_at (0, 4000000);
  fail_unless_equals_uint64 (announce_at (0), 4000000);
  fail_unless_equals_uint64 (announce_at (S), 0);
  fail_unless_equals_uint64 (gst_tfrc_rate_estimate_next_ns (&estimate), G_MAXUINT64);
}

GST_END_TEST;

/* The stream is served each millisecond while the rate rises from 1 to 4 Mbit/s. */
GST_START_TEST (announcements_are_100_ms_apart)
{
  guint64 last_ms = 0, value;
  guint n = 0;

  set_at (0, 1000000);
  fail_unless_equals_uint64 (announce_at (0), 1000000);
  set_at (0, 4000000);
  for (guint64 ms = 1; ms < 10000; ms++) {
    value = announce_at (ms * MS);
    if (value == 0)
      continue;
    fail_unless (ms - last_ms >= 100);
    last_ms = ms;
    n++;
  }
  /* each 100 ms up to 2000 ms, and at 2100 ms the last one: 2076 ms have reached the rate */
  fail_unless_equals_int (n, 21);
  fail_unless_equals_uint64 (last_ms, 2100);
  fail_unless_equals_uint64 (estimate.announced, 4000000);
}

GST_END_TEST;

/* A change by 1 % waits until the estimate is settled. */
GST_START_TEST (the_settled_value_is_announced)
{
  set_at (0, 1000000);
  fail_unless_equals_uint64 (announce_at (0), 1000000);
  set_at (S, 1010000);
  fail_unless_equals_uint64 (announce_at (S), 0);
  /* 1.01 is reached after 14.9 ms */
  fail_unless_equals_uint64 (announce_at (S + 15 * MS), 0);
  fail_unless_equals_uint64 (gst_tfrc_rate_estimate_next_ns (&estimate), NOW + S + 115 * MS);
  fail_unless_equals_uint64 (announce_at (S + 115 * MS - 1), 0);
  fail_unless_equals_uint64 (announce_at (S + 115 * MS), 1010000);
  fail_unless_equals_uint64 (gst_tfrc_rate_estimate_next_ns (&estimate), G_MAXUINT64);
}

GST_END_TEST;

/* The deadlines alone, without other reasons to serve the stream, bring every announcement. */
GST_START_TEST (deadlines_lead_to_the_settled_value)
{
  guint64 next_ns, last_ns = NOW;
  guint calls = 0;

  set_at (0, 4000000);
  fail_unless_equals_uint64 (announce_at (0), 4000000);
  set_at (0, 1000000);
  while ((next_ns = gst_tfrc_rate_estimate_next_ns (&estimate)) != G_MAXUINT64) {
    fail_unless (next_ns >= last_ns + 100 * MS);
    gst_tfrc_rate_estimate_announce (&estimate, next_ns);
    last_ns = next_ns;
    calls++;
  }
  fail_unless_equals_uint64 (estimate.announced, 1000000);
  /* after 500 ms the rate is reached, which has settled another 100 ms later */
  fail_unless_equals_int (calls, 6);
}

GST_END_TEST;

/* 95 % in a second: with a reader, an announcement every 100 ms. */
GST_START_TEST (a_rate_that_nobody_hears_is_announced_once_a_second)
{
  set_at (0, 1000000);
  fail_unless_equals_uint64 (announce_at (0), 1000000);
  set_at (0, 100000000);
  gst_tfrc_rate_estimate_set_heard (&estimate, FALSE);
  fail_unless_equals_uint64 (gst_tfrc_rate_estimate_next_ns (&estimate), NOW + S);
  fail_unless_equals_uint64 (announce_at (S - 1), 0);
  fail_unless_equals_uint64 (announce_at (S), 1950000);
  gst_tfrc_rate_estimate_set_heard (&estimate, TRUE);
  fail_unless_equals_uint64 (gst_tfrc_rate_estimate_next_ns (&estimate), NOW + S + 100 * MS);
  fail_unless (announce_at (S + 100 * MS) > 1950000);
}

GST_END_TEST;

static Suite *
rateestimate_suite (void)
{
  Suite *s = suite_create ("rateestimate");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, the_first_rate_is_taken_as_it_is);
  tcase_add_test (tc, a_fall_is_followed_within_tenths_of_a_second);
  tcase_add_test (tc, a_rise_takes_a_second_for_a_factor_of_1_95);
  tcase_add_test (tc, a_dip_of_one_feedback_packet_is_no_step);
  tcase_add_test (tc, no_rise_is_a_step_of_two_within_a_second);
  tcase_add_test (tc, the_result_does_not_depend_on_the_number_of_calls);
  tcase_add_test (tc, an_encoder_gets_less_while_packets_wait);
  tcase_add_test (tc, limits_of_the_application_hold_at_once);
  tcase_add_test (tc, the_bitrate_is_what_can_be_sent);
  tcase_add_test (tc, nothing_is_announced_before_the_estimate_is_known);
  tcase_add_test (tc, announcements_are_100_ms_apart);
  tcase_add_test (tc, the_settled_value_is_announced);
  tcase_add_test (tc, deadlines_lead_to_the_settled_value);
  tcase_add_test (tc, a_rate_that_nobody_hears_is_announced_once_a_second);
  return s;
}

GST_CHECK_MAIN (rateestimate);
