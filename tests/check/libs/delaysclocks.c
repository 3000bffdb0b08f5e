/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IPTD while the wall clocks of the two ends are set, drift or are wrong, see gst/common/delays.h.
 * The test plays a stream of ten packets a second in virtual time. */
#include "gst/common/delays.h"
#include <gst/check/gstcheck.h>

#define MS GST_MSECOND
#define S GST_SECOND

#define INTERVAL (100 * MS)
#define REPORT_INTERVAL (4 * S)
#define NETWORK (15 * MS + 500 * GST_USECOND)
#define RTT_US 40000

/* True time begins here. The clocks of both hosts show this time. */
#define START (1700000000 * S)
#define START_NTP_S (G_GUINT64_CONSTANT (1700000000) + G_GUINT64_CONSTANT (2208988800))

/* Close to the time at which send times wrap (71.6 min) */
#define FIRST_SEND_TIME_US (G_MAXUINT32 - 20000000)
#define UPTIME (100000 * S)

static GstTfrcDelays delays;
static guint64 now_ns;                       /* when the next packet leaves, from the start */
static gint64 sender_error_ns, own_error_ns; /* errors of the wall clocks */
static gint own_drift_ppm;
static guint64 disagreements; /* packets after which the clocks did not agree */

static void
setup (void)
{
  gst_tfrc_delays_init (&delays);
  now_ns = 0;
  sender_error_ns = own_error_ns = 0;
  own_drift_ppm = 0;
  disagreements = 0;
}

static guint32
send_time_us (gint64 ns)
{
  return FIRST_SEND_TIME_US + (guint32) (ns / 1000);
}

static guint32
timestamp (guint64 ns)
{
  return (guint32) (ns * 9 / 100000);
}

static void
report (void)
{
  guint64 wall_ns = START_NTP_S * S + now_ns + sender_error_ns;
  guint64 ntp = (wall_ns / S) << 32 | (((wall_ns % S) << 32) + S - 1) / S;

  gst_tfrc_delays_on_sender_report (&delays, ntp, timestamp (now_ns), send_time_us (now_ns));
}

/* A packet leaves now, but its send time is wrong by @lie_us. */
static void
packet_lying (gint64 lie_us)
{
  guint64 arrival_ns = now_ns + NETWORK;

  gst_tfrc_delays_on_data (&delays, timestamp (now_ns), send_time_us (now_ns) + (guint32) lie_us,
      RTT_US, UPTIME + arrival_ns,
      START + arrival_ns + own_error_ns + (gint64) now_ns * own_drift_ppm / 1000000);
  disagreements += !gst_tfrc_delays_clocks_agree (&delays);
}

static void
stream (guint64 duration_ns)
{
  guint64 end_ns;

  for (end_ns = now_ns + duration_ns; now_ns < end_ns; now_ns += INTERVAL) {
    if (now_ns % REPORT_INTERVAL == 0)
      report ();
    packet_lying (0);
  }
}

static void
assert_counted (guint64 packets)
{
  fail_unless_equals_uint64 (delays.iptd.count, packets);
  fail_unless_equals_uint64 (delays.network.count, packets);
  /* the sender delay does not need clocks that agree */
  fail_unless_equals_uint64 (delays.sender.count, now_ns / INTERVAL);
  fail_unless_equals_uint64 (delays.sender.max_ns, 0);
}

static void
assert_agree (gboolean agree)
{
  fail_unless_equals_int (gst_tfrc_delays_clocks_agree (&delays), agree);
}

/* The fractions of a sender report are rounded to less than 1 ns. */
static void
assert_largest (guint64 network_ns)
{
  fail_unless (delays.network.max_ns <= network_ns + 1 && delays.network.max_ns + 1 >= network_ns,
      "%" G_GUINT64_FORMAT, delays.network.max_ns);
}

/* ---- clocks that are set ------------------------------------------------- */

/* Sets either of the two clocks by so much that the delays become impossible. */
static void
set_and_set_right (gint64 *error_ns, gint64 step_ns, guint64 counted)
{
  setup ();
  stream (30 * S);
  assert_agree (TRUE);
  assert_counted (300);
  *error_ns = step_ns;
  stream (62 * S);
  assert_agree (FALSE);
  assert_counted (300 + counted);
  *error_ns = 0;
  stream (8 * S);
  assert_agree (TRUE);
  assert_counted (300 + counted + 80);
  assert_largest (NETWORK);
}

GST_START_TEST (nothing_is_counted_while_the_receivers_clock_is_wrong)
{
  const gint64 steps_ns[] = { 1800 * S, -(gint64) (1800 * S), -(gint64) S, 30 * MS,
    -20 * (gint64) MS, G_GINT64_CONSTANT (1000000000) * S };

  for (guint i = 0; i < G_N_ELEMENTS (steps_ns); i++)
    set_and_set_right (&own_error_ns, steps_ns[i], 0);
}

GST_END_TEST;

/* Until the next report, at 32 s, the receiver knows the previous setting of the clock. */
GST_START_TEST (nothing_is_counted_while_the_senders_clock_is_wrong)
{
  const gint64 steps_ns[] = { 1800 * S, -(gint64) (1800 * S), S, 20 * MS, -30 * (gint64) MS };

  for (guint i = 0; i < G_N_ELEMENTS (steps_ns); i++)
    set_and_set_right (&sender_error_ns, steps_ns[i], 20);
}

GST_END_TEST;

/* A step of less than the round-trip time cannot be seen. The error of the counted delays is no
 * larger. */
GST_START_TEST (a_step_within_a_round_trip_time_remains_unseen)
{
  stream (30 * S);
  own_error_ns = 20 * MS;
  stream (30 * S);
  assert_agree (TRUE);
  assert_counted (600);
  assert_largest (NETWORK + 20 * MS);
}

GST_END_TEST;

/* ---- clocks that are wrong ----------------------------------------------- */

/* The same holds for the statistics of an element that has no stream. */
GST_START_TEST (without_a_stream_the_clocks_do_not_agree)
{
  const GstTfrcDelays zero = { 0 };

  fail_if (gst_tfrc_delays_clocks_agree (&zero));
  assert_agree (FALSE);
}

GST_END_TEST;

GST_START_TEST (no_delay_is_counted_if_the_clocks_never_agree)
{
  own_error_ns = 3600 * S;
  stream (3600 * S);
  assert_agree (FALSE);
  assert_counted (0);
  fail_unless_equals_uint64 (disagreements, 36000);
}

GST_END_TEST;

GST_START_TEST (delays_are_counted_from_when_the_clocks_agree)
{
  own_error_ns = -(gint64) S;
  stream (30 * S);
  assert_counted (0);
  own_error_ns = 0;
  stream (30 * S);
  assert_agree (TRUE);
  assert_counted (300);
  assert_largest (NETWORK);
}

GST_END_TEST;

/* The receiver's clock is fast by 100 ppm. After 255 s packets seem to take a round-trip time and
 * 1 ms. This time is the least of one window from 260 s on, and of both windows from 270 s on. */
GST_START_TEST (a_clock_that_drifts_away_is_noticed)
{
  own_drift_ppm = 100;
  stream (3600 * S);
  assert_agree (FALSE);
  assert_counted (2700);
  fail_unless_equals_uint64 (disagreements, 36000 - 2700);
  assert_largest (NETWORK + 26990 * GST_USECOND);
}

GST_END_TEST;

/* The receiver's clock is slow by 100 ppm. After 165 s packets seem to arrive 1 ms before they
 * leave. */
GST_START_TEST (a_clock_that_falls_behind_is_noticed_at_once)
{
  own_drift_ppm = -100;
  stream (3600 * S);
  assert_agree (FALSE);
  assert_counted (1651);
  assert_largest (NETWORK);
}

GST_END_TEST;

GST_START_TEST (a_bad_minimum_is_forgotten)
{
  stream (12 * S);
  packet_lying (100000);
  now_ns += INTERVAL;
  assert_agree (FALSE);
  stream (18 * S - INTERVAL);
  assert_agree (FALSE);
  fail_unless_equals_uint64 (delays.iptd.count, 120);
  stream (10 * S);
  assert_agree (TRUE);
  fail_unless_equals_uint64 (delays.iptd.count, 220);
}

GST_END_TEST;

/* After 20 s of silence, the next packet alone says how the clocks differ. */
GST_START_TEST (delays_from_before_a_long_silence_are_forgotten)
{
  own_drift_ppm = 100;
  stream (8 * S);
  now_ns = 600 * S;
  assert_agree (TRUE);
  report ();
  packet_lying (0);
  assert_agree (FALSE);
  fail_unless_equals_uint64 (delays.iptd.count, 80);
}

GST_END_TEST;

/* ---- lies ---------------------------------------------------------------- */

GST_START_TEST (no_network_delays_a_packet_for_more_than_two_minutes)
{
  stream (10 * S);
  packet_lying (-119 * G_USEC_PER_SEC);
  fail_unless_equals_uint64 (delays.iptd.count, 101);
  assert_largest (119 * S + NETWORK);
  packet_lying (-121 * G_USEC_PER_SEC);
  fail_unless_equals_uint64 (delays.iptd.count, 101);
  assert_agree (FALSE);
  packet_lying (0);
  assert_agree (TRUE);
}

GST_END_TEST;

GST_START_TEST (a_sender_that_lies_gives_bounded_numbers)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < 200000; i++) {
    gboolean wild = g_rand_boolean (rand);

    if (i % 50 == 0)
      gst_tfrc_delays_on_sender_report (&delays,
          wild ? (guint64) g_rand_int (rand) << 32 : START_NTP_S << 32, g_rand_int (rand),
          send_time_us (0));
    gst_tfrc_delays_on_data (&delays, g_rand_int (rand),
        wild ? g_rand_int (rand) : send_time_us (0), g_rand_int (rand) & 0xffffff, UPTIME, START);
  }
  /* the differences of send times and of time stamps are modulo 2^31 */
  fail_unless_equals_uint64 (delays.sender.count, 200000);
  fail_unless (delays.sender.max_ns <= (2148 + 23861) * S);
  fail_unless (delays.network.count > 0);
  fail_unless (delays.network.max_ns <= 120 * S);
  fail_unless (delays.iptd.max_ns <= (120 + 2148 + 23861) * S);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
delaysclocks_suite (void)
{
  Suite *s = suite_create ("delaysclocks");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, nothing_is_counted_while_the_receivers_clock_is_wrong);
  tcase_add_test (tc, nothing_is_counted_while_the_senders_clock_is_wrong);
  tcase_add_test (tc, a_step_within_a_round_trip_time_remains_unseen);
  tcase_add_test (tc, without_a_stream_the_clocks_do_not_agree);
  tcase_add_test (tc, no_delay_is_counted_if_the_clocks_never_agree);
  tcase_add_test (tc, delays_are_counted_from_when_the_clocks_agree);
  tcase_add_test (tc, a_clock_that_drifts_away_is_noticed);
  tcase_add_test (tc, a_clock_that_falls_behind_is_noticed_at_once);
  tcase_add_test (tc, a_bad_minimum_is_forgotten);
  tcase_add_test (tc, delays_from_before_a_long_silence_are_forgotten);
  tcase_add_test (tc, no_network_delays_a_packet_for_more_than_two_minutes);
  tcase_add_test (tc, a_sender_that_lies_gives_bounded_numbers);
  return s;
}

GST_CHECK_MAIN (delaysclocks);
