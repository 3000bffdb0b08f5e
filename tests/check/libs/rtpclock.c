/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of a movie at the receiver, in virtual time, see gst/flow/rtpclock.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/flow/rtpclock.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define TICK_NS 11112     /* of RTP time: 1/90000 s, rounded up */
#define NETWORK (20 * MS) /* the least delay of the network */
#define START (1000 * S)
#define UNKNOWN FALSE
#define KNOWN TRUE

static GstTfrcRtpClock rtp_clock;
static guint32 rtp_start; /* RTP time stamp at START */
static gdouble rate;      /* of the sender's clock by the receiver's */

static void
setup (void)
{
  memset (&rtp_clock, 0, sizeof rtp_clock);
  rtp_start = 123456789;
  rate = 1;
}

static guint32
timestamp_at (guint64 due_ns)
{
  gdouble sender_ns = (gdouble) (due_ns - START) * rate;

  return rtp_start + (guint32) (guint64) (sender_ns * 9 / 100000);
}

/* A packet that is due at this time of the receiver's clock waits in the sender, and then in the
 * network.
 * @return when the packet was due by the clock, less the true time */
static gint64
error_of (guint64 due_ns, guint64 held_ns, gboolean is_known, guint64 network_ns)
{
  guint64 arrival_ns = due_ns + held_ns + network_ns;
  guint64 result_ns = gst_tfrc_rtp_clock_on_packet (
      &rtp_clock, timestamp_at (due_ns), is_known ? (gint64) held_ns : 0, arrival_ns);

  if (result_ns > arrival_ns)
    fail ("The packet is due after its arrival");
  return (gint64) (result_ns - due_ns - NETWORK);
}

static void
assert_error (guint64 due_ns, gint64 error_ns, gint64 least_ns, gint64 most_ns)
{
  /* Each fail_unless() costs a system call. */
  if (error_ns < least_ns || error_ns > most_ns)
    fail ("%" G_GINT64_FORMAT " ns at %" GST_TIME_FORMAT, error_ns, GST_TIME_ARGS (due_ns - START));
}

GST_START_TEST (a_constant_delay_gives_the_due_times)
{
  for (guint64 due_ns = START; due_ns < START + 60 * S; due_ns += 7 * MS)
    assert_error (due_ns, error_of (due_ns, 0, UNKNOWN, NETWORK), -TICK_NS, TICK_NS);
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_END_TEST;

/* The first packet is 25 ms later than the fastest packets. The offset falls by 10 ms a second. */
GST_START_TEST (jitter_does_not_show)
{
  GRand *rand = g_rand_new_with_seed (1);

  error_of (START, 0, UNKNOWN, NETWORK + 25 * MS);
  for (guint64 due_ns = START + 7 * MS; due_ns < START + 120 * S; due_ns += 7 * MS) {
    guint64 jitter_ns = (guint64) g_rand_int_range (rand, 0, 50 * MS);

    assert_error (due_ns, error_of (due_ns, 0, UNKNOWN, NETWORK + jitter_ns), -TICK_NS,
        due_ns < START + 3 * S ? 25 * MS : MS);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* The first packet already has waited, and never again does a packet leave at once. */
GST_START_TEST (a_wait_in_the_sender_that_is_known_does_not_show)
{
  GRand *rand = g_rand_new_with_seed (2);

  for (guint64 due_ns = START; due_ns < START + 120 * S; due_ns += 7 * MS) {
    guint64 held_ns = (guint64) g_rand_int_range (rand, 100 * MS, 950 * MS);

    assert_error (due_ns, error_of (due_ns, held_ns, KNOWN, NETWORK), -TICK_NS, TICK_NS);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* Once in each window a packet leaves at once. */
GST_START_TEST (a_wait_that_is_unknown_does_not_show_between_packets_that_leave_at_once)
{
  for (guint64 i = 0; i < 120 * 100; i++) {
    guint64 due_ns = START + i * 10 * MS, phase = i % 400;
    guint64 held_ns = phase < 95 ? phase * 10 * MS : phase < 190 ? (190 - phase) * 10 * MS : 0;

    assert_error (due_ns, error_of (due_ns, held_ns, UNKNOWN, NETWORK), -TICK_NS, TICK_NS);
  }
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_END_TEST;

/* The least transit can be a little more than 10 s old: two windows and the time between two packets.
 * 10 s of 100 ppm are 1 ms. */
static void
play_an_hour_at (gdouble sender_rate)
{
  GRand *rand = g_rand_new_with_seed (3);

  rate = sender_rate;
  for (guint64 due_ns = START; due_ns < START + 3600 * S; due_ns += 50 * MS) {
    guint64 held_ns = due_ns / S % 30 < 5 ? (guint64) g_rand_int_range (rand, 0, 950 * MS) : 0;
    guint64 jitter_ns = (guint64) g_rand_int_range (rand, 0, 2 * MS);

    if (due_ns == START)
      jitter_ns = 0;
    assert_error (due_ns, error_of (due_ns, held_ns, KNOWN, NETWORK + jitter_ns),
        -11 * (gint64) MS / 10, 2 * MS);
  }
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
  g_rand_free (rand);
}

GST_START_TEST (the_times_do_not_drift_from_a_sender_that_is_100_ppm_fast)
{
  gst_tfrc_rtp_clock_set_slack_ns (&rtp_clock, 100 * MS);
  play_an_hour_at (1.0001);
}

GST_END_TEST;

GST_START_TEST (the_times_do_not_drift_from_a_sender_that_is_100_ppm_slow)
{
  gst_tfrc_rtp_clock_set_slack_ns (&rtp_clock, 100 * MS);
  play_an_hour_at (0.9999);
}

GST_END_TEST;

GST_START_TEST (the_rtp_time_may_wrap)
{
  rtp_start = G_MAXUINT32 - 90000;
  for (guint64 due_ns = START; due_ns < START + 3 * S; due_ns += 10 * MS)
    assert_error (due_ns, error_of (due_ns, 0, UNKNOWN, NETWORK), -TICK_NS, TICK_NS);
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_END_TEST;

GST_START_TEST (packets_that_overtake_each_other_keep_their_times)
{
  for (guint64 due_ns = START; due_ns < START + 60 * S; due_ns += 20 * MS) {
    assert_error (
        due_ns + 10 * MS, error_of (due_ns + 10 * MS, 0, UNKNOWN, NETWORK), -TICK_NS, TICK_NS);
    assert_error (due_ns, error_of (due_ns, 0, UNKNOWN, NETWORK + 15 * MS), -TICK_NS, TICK_NS);
  }
}

GST_END_TEST;

/* ---- queues that stay ------------------------------------------------------ */

#define SLACK (500 * MS)

/* Returns the error at the end of a minute in which no packet is faster than this, after 20 s with an
 * empty queue. */
static gint64
error_after_queue (guint64 queue_ns)
{
  gint64 error_ns = 0;

  for (guint64 due_ns = START; due_ns < START + 20 * S; due_ns += 10 * MS)
    error_of (due_ns, 0, UNKNOWN, NETWORK);
  for (guint64 due_ns = START + 20 * S; due_ns <= START + 80 * S; due_ns += 10 * MS)
    error_ns = error_of (due_ns, 0, UNKNOWN, NETWORK + queue_ns);
  return error_ns;
}

/* 60 s of 0.2 ms */
GST_START_TEST (a_queue_that_stays_within_the_slack_is_followed_as_slowly_as_drift)
{
  gst_tfrc_rtp_clock_set_slack_ns (&rtp_clock, SLACK);
  assert_error (START, error_after_queue (400 * MS), 0, 13 * MS);
  fail_unless (ABS (gst_tfrc_rtp_clock_get_excess_ns (&rtp_clock) - 394 * (gint64) MS) < 7 * MS);
}

GST_END_TEST;

GST_START_TEST (a_transit_that_stays_beyond_the_slack_is_another_route)
{
  gst_tfrc_rtp_clock_set_slack_ns (&rtp_clock, SLACK);
  assert_error (
      START, error_after_queue (SLACK + 300 * MS), 300 * MS - TICK_NS, 312 * MS + TICK_NS);
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_END_TEST;

GST_START_TEST (without_slack_all_that_stays_is_followed)
{
  assert_error (START, error_after_queue (400 * MS), 400 * MS - TICK_NS, 400 * MS + TICK_NS);
}

GST_END_TEST;

/* A packet says that it was due 0.8 s later than it was. */
GST_START_TEST (one_false_time_stamp_takes_slack_for_two_windows_only)
{
  gst_tfrc_rtp_clock_set_slack_ns (&rtp_clock, SLACK);
  for (guint64 due_ns = START; due_ns < START + 60 * S; due_ns += 10 * MS) {
    gint64 error_ns = error_of (due_ns, 0, UNKNOWN, NETWORK);

    if (due_ns == START + 27 * S)
      gst_tfrc_rtp_clock_on_packet (
          &rtp_clock, timestamp_at (due_ns + 800 * MS), 0, due_ns + NETWORK);
    assert_error (due_ns, error_ns,
        due_ns > START + 27 * S && due_ns < START + 47 * S ? -101 * (gint64) MS : -TICK_NS,
        TICK_NS);
  }
}

GST_END_TEST;

/* ---- discontinuities ---------------------------------------------------- */

static void
jump_by (gint64 seconds)
{
  setup ();
  for (guint64 due_ns = START; due_ns < START + 20 * S; due_ns += 10 * MS)
    error_of (due_ns, 0, UNKNOWN, NETWORK);
  rtp_start += (guint32) (gint32) (seconds * 90000);
  for (guint64 due_ns = START + 20 * S; due_ns < START + 40 * S; due_ns += 10 * MS)
    assert_error (due_ns, error_of (due_ns, 0, UNKNOWN, NETWORK), -TICK_NS, TICK_NS);
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 1);
}

GST_START_TEST (the_clock_starts_again_where_rtp_time_jumps)
{
  const gint64 jumps_s[] = { 2, 60, 3600, 20000, -11, -60, -3600, -20000 };

  for (guint i = 0; i < G_N_ELEMENTS (jumps_s); i++)
    jump_by (jumps_s[i]);
}

GST_END_TEST;

/* A smaller jump back looks like a wait until a window is over. */
GST_START_TEST (a_small_jump_back_is_believed_after_two_windows)
{
  for (guint64 due_ns = START; due_ns < START + 20 * S; due_ns += 10 * MS)
    error_of (due_ns, 0, UNKNOWN, NETWORK);
  rtp_start -= 2 * 90000;
  for (guint64 due_ns = START + 20 * S; due_ns < START + 40 * S; due_ns += 10 * MS) {
    gint64 error_ns = error_of (due_ns, 0, UNKNOWN, NETWORK);

    assert_error (due_ns, error_ns,
        due_ns < START + 30 * S ? (gint64) (-2 * S) - TICK_NS : -TICK_NS, TICK_NS);
  }
}

GST_END_TEST;

GST_START_TEST (the_clock_starts_again_after_long_silence)
{
  error_of (START, 0, UNKNOWN, NETWORK);
  assert_error (START + 4000 * S, error_of (START + 4000 * S, 0, UNKNOWN, NETWORK + 300 * MS),
      300 * MS - TICK_NS, 300 * MS + TICK_NS);
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 1);
}

GST_END_TEST;

/* The times follow the new delay smoothly: by 10 ms a second. */
static void
change_delay (gint64 by_ns)
{
  gint64 before_ns = 0, end_ns = by_ns;

  setup ();
  for (guint64 due_ns = START; due_ns < START + 20 * S; due_ns += 10 * MS)
    before_ns = error_of (due_ns, 0, UNKNOWN, NETWORK + 300 * MS);
  gst_tfrc_rtp_clock_change_path (&rtp_clock);
  for (guint64 due_ns = START + 20 * S; due_ns < START + 60 * S; due_ns += 10 * MS) {
    gint64 error_ns = error_of (
        due_ns, 0, UNKNOWN, (guint64) ((gint64) (NETWORK + 300 * MS) + by_ns));

    /* A packet that comes before its time is due when it comes. */
    if (by_ns > 0)
      fail_unless (ABS (error_ns - before_ns) <= 4 * (gint64) MS + 2 * TICK_NS);
    before_ns = error_ns;
  }
  assert_error (START + 60 * S, before_ns - 300 * (gint64) MS, end_ns - TICK_NS, end_ns + TICK_NS);
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_START_TEST (the_times_follow_a_path_with_another_delay)
{
  change_delay (200 * MS);
  change_delay (-200 * (gint64) MS);
}

GST_END_TEST;

/* ---- packets that run ahead ------------------------------------------------ */

/* A packet that has left this long before it was due */
static guint64
due_of_early (guint64 due_ns, guint64 early_ns)
{
  return gst_tfrc_rtp_clock_on_packet (
      &rtp_clock, timestamp_at (due_ns), -(gint64) early_ns, due_ns - early_ns + NETWORK);
}

GST_START_TEST (early_packets_give_the_same_due_times)
{
  gst_tfrc_rtp_clock_allow_early (&rtp_clock, 10 * S);
  for (guint64 due_ns = START; due_ns < START + 60 * S; due_ns += 7 * MS) {
    guint64 result_ns = due_of_early (due_ns, MIN (due_ns - START, 20 * S) / 2);

    assert_error (due_ns, (gint64) (result_ns - due_ns - NETWORK), -TICK_NS, TICK_NS);
  }
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_END_TEST;

GST_START_TEST (a_packet_is_due_no_later_than_is_allowed_and_a_second)
{
  due_of_early (START, 0);
  gst_tfrc_rtp_clock_allow_early (&rtp_clock, 10 * S);
  gst_tfrc_rtp_clock_allow_early (&rtp_clock, 5 * S);
  fail_unless_equals_uint64 (due_of_early (START + 3600 * S, 3600 * S), START + NETWORK + 11 * S);
}

GST_END_TEST;

GST_START_TEST (a_packet_of_unknown_send_time_teaches_nothing)
{
  gint64 error_ns;

  gst_tfrc_rtp_clock_allow_early (&rtp_clock, 10 * S);
  due_of_early (START, 0);
  error_ns = (gint64) (gst_tfrc_rtp_clock_get_due_ns (
                           &rtp_clock, timestamp_at (START + 9 * S), START + S)
      - (START + 9 * S) - NETWORK);
  assert_error (START, error_ns, -TICK_NS, TICK_NS);
  assert_error (START, (gint64) (due_of_early (START + 10 * S, 9 * S) - START - 10 * S - NETWORK),
      -TICK_NS, TICK_NS);
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_END_TEST;

/* Together their time stamps go once round the 32 bits, which is no time that has passed. */
GST_START_TEST (packets_of_unknown_send_time_with_far_time_stamps_teach_nothing)
{
  gst_tfrc_rtp_clock_allow_early (&rtp_clock, 10 * S);
  due_of_early (START, 0);
  for (guint i = 1; i <= 4; i++)
    gst_tfrc_rtp_clock_get_due_ns (
        &rtp_clock, timestamp_at (START) + i * 0x40000000u, START + i * MS);
  assert_error (START, (gint64) (due_of_early (START + 10 * S, 9 * S) - START - 10 * S - NETWORK),
      -TICK_NS, TICK_NS);
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_END_TEST;

/* The path holds all for 8 s, and then delivers it. */
GST_START_TEST (a_path_that_stalls_does_not_move_the_clock)
{
  for (guint64 due_ns = START; due_ns < START + 60 * S; due_ns += 10 * MS) {
    guint64 network_ns = NETWORK;

    if (due_ns >= START + 20 * S && due_ns < START + 28 * S)
      network_ns += START + 28 * S - due_ns;
    assert_error (due_ns, error_of (due_ns, 0, KNOWN, network_ns), -TICK_NS, TICK_NS);
  }
  fail_unless_equals_uint64 (gst_tfrc_rtp_clock_get_restarts (&rtp_clock), 0);
}

GST_END_TEST;

/* ---- lies --------------------------------------------------------------- */

/* The result is never after the arrival: error_of() checks that for all packets. When the lies have
 * ended, the times are right after two windows. */
GST_START_TEST (lies_are_forgotten_after_two_windows)
{
  GRand *rand = g_rand_new_with_seed (4);

  for (guint i = 0; i < 100000; i++) {
    guint64 arrival_ns = START + i * MS, held_ns = g_rand_int (rand) & 1 ? 0 : g_rand_int (rand);

    if (gst_tfrc_rtp_clock_on_packet (
            &rtp_clock, g_rand_int (rand), (gint64) held_ns * 8000, arrival_ns)
        > arrival_ns)
      fail ("The packet is due after its arrival");
  }
  for (guint64 due_ns = START + 200 * S; due_ns < START + 240 * S; due_ns += 10 * MS) {
    gint64 error_ns = error_of (due_ns, 0, UNKNOWN, NETWORK);

    if (due_ns >= START + 210 * S)
      assert_error (due_ns, error_ns, -TICK_NS, TICK_NS);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* One packet in the silence of 3 s may be faster than all before. */
GST_START_TEST (silence_counts_as_a_second_for_the_slope)
{
  guint64 due_ns = START;
  gint64 error_ns;

  for (; due_ns < START + S; due_ns += 10 * MS)
    error_of (due_ns, 0, KNOWN, NETWORK + 100 * MS);
  due_ns += 3 * S;
  error_of (due_ns, 0, KNOWN, NETWORK);
  due_ns += 10 * MS;
  error_ns = error_of (due_ns, 0, KNOWN, NETWORK + 100 * MS);
  assert_error (due_ns, error_ns, 100 * MS - 11100000 - 2 * TICK_NS, 100 * MS - 11 * MS);
}

GST_END_TEST;

/* The level is that of the old path. */
GST_START_TEST (on_another_path_a_longer_delay_is_followed_in_spite_of_slack)
{
  guint64 due_ns = START;

  gst_tfrc_rtp_clock_set_slack_ns (&rtp_clock, 500 * MS);
  for (; due_ns < START + 20 * S; due_ns += 10 * MS)
    error_of (due_ns, 0, KNOWN, NETWORK);
  gst_tfrc_rtp_clock_change_path (&rtp_clock);
  for (; due_ns < START + 40 * S; due_ns += 10 * MS)
    error_of (due_ns, 0, KNOWN, NETWORK + 80 * MS);
  assert_error (due_ns, error_of (due_ns, 0, KNOWN, NETWORK + 80 * MS), 79 * MS, 81 * MS);
}

GST_END_TEST;

static Suite *
rtpclock_suite (void)
{
  Suite *s = suite_create ("rtpclock");
  TCase *tc = tcase_create ("clock");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, a_constant_delay_gives_the_due_times);
  tcase_add_test (tc, jitter_does_not_show);
  tcase_add_test (tc, a_wait_in_the_sender_that_is_known_does_not_show);
  tcase_add_test (tc, a_wait_that_is_unknown_does_not_show_between_packets_that_leave_at_once);
  tcase_add_test (tc, the_times_do_not_drift_from_a_sender_that_is_100_ppm_fast);
  tcase_add_test (tc, the_times_do_not_drift_from_a_sender_that_is_100_ppm_slow);
  tcase_add_test (tc, the_rtp_time_may_wrap);
  tcase_add_test (tc, packets_that_overtake_each_other_keep_their_times);
  tcase_add_test (tc, a_queue_that_stays_within_the_slack_is_followed_as_slowly_as_drift);
  tcase_add_test (tc, a_transit_that_stays_beyond_the_slack_is_another_route);
  tcase_add_test (tc, without_slack_all_that_stays_is_followed);
  tcase_add_test (tc, one_false_time_stamp_takes_slack_for_two_windows_only);
  tcase_add_test (tc, the_clock_starts_again_where_rtp_time_jumps);
  tcase_add_test (tc, a_small_jump_back_is_believed_after_two_windows);
  tcase_add_test (tc, the_clock_starts_again_after_long_silence);
  tcase_add_test (tc, the_times_follow_a_path_with_another_delay);
  tcase_add_test (tc, silence_counts_as_a_second_for_the_slope);
  tcase_add_test (tc, on_another_path_a_longer_delay_is_followed_in_spite_of_slack);
  tcase_add_test (tc, early_packets_give_the_same_due_times);
  tcase_add_test (tc, a_packet_is_due_no_later_than_is_allowed_and_a_second);
  tcase_add_test (tc, a_packet_of_unknown_send_time_teaches_nothing);
  tcase_add_test (tc, packets_of_unknown_send_time_with_far_time_stamps_teach_nothing);
  tcase_add_test (tc, a_path_that_stalls_does_not_move_the_clock);
  tcase_add_test (tc, lies_are_forgotten_after_two_windows);
  return s;
}

GST_CHECK_MAIN (rtpclock);
