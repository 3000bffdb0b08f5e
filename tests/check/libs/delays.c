/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IPTD at the receiver, see gst/common/delays.h. */
#include "gst/common/delays.h"
#include <gst/check/gstcheck.h>

#define US GST_USECOND
#define MS GST_MSECOND

/* The time of the sender's wall clock in the sender report */
#define SR_WALL (1700000000 * GST_SECOND + 500 * MS)
#define SR_NTP \
  ((((G_GUINT64_CONSTANT (1700000000) + G_GUINT64_CONSTANT (2208988800)) & 0xffffffff) << 32) \
      | 0x80000000)
/* the uptime of the receiver's host when the sender report came */
#define UPTIME (100000 * GST_SECOND)
#define RTT_US 40000

static GstTfrcDelays delays;
static guint32 sr_timestamp, sr_send_time_us;

static void
setup (void)
{
  gst_tfrc_delays_init (&delays);
  sr_timestamp = 1000000;
  sr_send_time_us = 77000000;
}

static void
sender_report (void)
{
  gst_tfrc_delays_on_sender_report (&delays, SR_NTP, sr_timestamp, sr_send_time_us);
}

/* A packet arrives. The times are relative to the sender report. The sender's clock counts @due_ms
 * and @sent_ms, the receiver's clock counts @arrived_ms. */
static void
packet (gint due_ms, gint sent_ms, gint arrived_ms, guint32 rtt_us)
{
  gst_tfrc_delays_on_data (&delays, sr_timestamp + (guint32) (due_ms * 90),
      sr_send_time_us + (guint32) (sent_ms * 1000), rtt_us,
      (guint64) ((gint64) UPTIME + arrived_ms * (gint64) MS),
      (guint64) ((gint64) SR_WALL + arrived_ms * (gint64) MS));
}

static void
assert_only_value (const GstTfrcHistogram *histogram, guint64 value_ns)
{
  fail_unless_equals_uint64 (histogram->count, 1);
  fail_unless_equals_uint64 (histogram->max_ns, value_ns);
  fail_unless_equals_uint64 (gst_tfrc_histogram_mean_ns (histogram), value_ns);
}

GST_START_TEST (before_the_first_sender_report_nothing_is_known)
{
  packet (0, 5, 20, RTT_US);
  fail_unless_equals_uint64 (delays.sender.count, 0);
  fail_unless_equals_uint64 (delays.network.count, 0);
  fail_unless_equals_uint64 (delays.iptd.count, 0);
  fail_if (gst_tfrc_delays_clocks_agree (&delays));
}

GST_END_TEST;

GST_START_TEST (the_delay_of_a_packet_is_divided_into_sender_and_network_delay)
{
  sender_report ();
  packet (100, 130, 145, RTT_US);
  assert_only_value (&delays.sender, 30 * MS);
  assert_only_value (&delays.network, 15 * MS);
  assert_only_value (&delays.iptd, 45 * MS);
  fail_unless (gst_tfrc_delays_clocks_agree (&delays));
}

GST_END_TEST;

GST_START_TEST (packets_from_before_the_report_are_measured_too)
{
  sender_report ();
  packet (-70, -50, -40, RTT_US);
  assert_only_value (&delays.sender, 20 * MS);
  assert_only_value (&delays.network, 10 * MS);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_leaves_before_it_is_due_has_no_sender_delay)
{
  sender_report ();
  packet (100, 90, 110, RTT_US);
  assert_only_value (&delays.sender, 0);
  assert_only_value (&delays.network, 20 * MS);
  assert_only_value (&delays.iptd, 10 * MS);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_comes_before_it_is_due_has_no_iptd)
{
  sender_report ();
  packet (5100, 90, 110, RTT_US);
  assert_only_value (&delays.sender, 0);
  assert_only_value (&delays.iptd, 0);
}

GST_END_TEST;

GST_START_TEST (time_stamps_and_send_times_wrap)
{
  sr_timestamp = G_MAXUINT32 - 900;
  sr_send_time_us = G_MAXUINT32 - 2;
  sender_report ();
  packet (2000, 2030, 2045, RTT_US);
  assert_only_value (&delays.sender, 30 * MS);
  assert_only_value (&delays.network, 15 * MS);

  setup ();
  sr_timestamp = 900;
  sr_send_time_us = 2;
  sender_report ();
  packet (-2000, -1970, -1955, RTT_US);
  assert_only_value (&delays.sender, 30 * MS);
  assert_only_value (&delays.network, 15 * MS);
}

GST_END_TEST;

GST_START_TEST (fractions_of_time_stamp_units_are_not_lost)
{
  sender_report ();
  /* one unit of 1/90000 s later */
  gst_tfrc_delays_on_data (
      &delays, sr_timestamp + 1, sr_send_time_us + 1000, RTT_US, UPTIME + 2 * MS, SR_WALL + 2 * MS);
  assert_only_value (&delays.sender, MS - 11111);
}

GST_END_TEST;

GST_START_TEST (the_ntp_era_ends_in_2036)
{
  /* 2036-02-07 06:28:16 UTC is second 0 of the next era */
  const guint64 era_s = G_GUINT64_CONSTANT (2085978496);

  gst_tfrc_delays_on_sender_report (
      &delays, G_GUINT64_CONSTANT (10) << 32, sr_timestamp, sr_send_time_us);
  gst_tfrc_delays_on_data (
      &delays, sr_timestamp, sr_send_time_us, RTT_US, UPTIME, (era_s + 10) * GST_SECOND + 7 * MS);
  assert_only_value (&delays.network, 7 * MS);
}

GST_END_TEST;

GST_START_TEST (the_newest_report_counts)
{
  sender_report ();
  packet (0, 0, 10, RTT_US);
  /* the sender's clock has drifted by 5 ms against its wall clock */
  gst_tfrc_delays_on_sender_report (&delays, SR_NTP + (G_GUINT64_CONSTANT (4) << 32),
      sr_timestamp + 4 * 90000, sr_send_time_us + 4005000);
  packet (4000, 4005, 4010, RTT_US);
  fail_unless_equals_uint64 (delays.network.count, 2);
  fail_unless_equals_uint64 (delays.network.max_ns, 10 * MS);
  fail_unless_equals_uint64 (delays.sender.max_ns, 0);
}

GST_END_TEST;

GST_START_TEST (clocks_agree_while_the_network_delay_is_possible)
{
  const struct
  {
    gint network_ms;
    gboolean agree;
  } cases[] = {
    { -1000, FALSE },
    { -2, FALSE },
    { -1, TRUE },
    { 0, TRUE },
    { 20, TRUE },
    { 41, TRUE },
    { 42, FALSE },
    { 1000, FALSE },
    { 3600 * 1000, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    setup ();
    sender_report ();
    packet (0, 0, cases[i].network_ms, RTT_US);
    fail_unless (gst_tfrc_delays_clocks_agree (&delays) == cases[i].agree);
    /* the sender delay needs the sender's clock alone */
    assert_only_value (&delays.sender, 0);
  }
}

GST_END_TEST;

GST_START_TEST (queues_in_the_network_do_not_look_like_another_clock)
{
  sender_report ();
  packet (0, 0, 15, RTT_US);
  packet (10, 10, 510, RTT_US * 20);
  fail_unless (gst_tfrc_delays_clocks_agree (&delays));
  fail_unless_equals_uint64 (delays.network.max_ns, 500 * MS);
}

GST_END_TEST;

GST_START_TEST (without_a_round_trip_time_agreement_is_unknown)
{
  sender_report ();
  packet (0, 0, 15, 0);
  fail_if (gst_tfrc_delays_clocks_agree (&delays));
  fail_unless_equals_uint64 (delays.iptd.count, 0);
  packet (1, 1, 16, RTT_US);
  fail_unless (gst_tfrc_delays_clocks_agree (&delays));
  fail_unless_equals_uint64 (delays.iptd.count, 1);
}

GST_END_TEST;

GST_START_TEST (no_report_makes_delays_overflow)
{
  const guint64 ntps[] = { 0, G_MAXUINT64, G_GUINT64_CONSTANT (1) << 63 };
  const guint64 arrivals[] = { 0, SR_WALL, G_MAXINT64 };

  for (guint i = 0; i < G_N_ELEMENTS (ntps); i++) {
    for (guint j = 0; j < G_N_ELEMENTS (arrivals); j++) {
      setup ();
      gst_tfrc_delays_on_sender_report (&delays, ntps[i], 0, 0);
      gst_tfrc_delays_on_data (&delays, 0x80000000, 0x7fffffff, 0xffffff, UPTIME, arrivals[j]);
      gst_tfrc_delays_on_data (&delays, 0x7fffffff, 0x80000000, 1, UPTIME, arrivals[j]);
      fail_if (gst_tfrc_delays_clocks_agree (&delays));
      fail_unless_equals_uint64 (delays.sender.count, 2);
      fail_unless_equals_uint64 (delays.iptd.count, 0);
    }
  }
}

GST_END_TEST;

static Suite *
delays_suite (void)
{
  Suite *s = suite_create ("delays");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, before_the_first_sender_report_nothing_is_known);
  tcase_add_test (tc, the_delay_of_a_packet_is_divided_into_sender_and_network_delay);
  tcase_add_test (tc, packets_from_before_the_report_are_measured_too);
  tcase_add_test (tc, a_packet_that_leaves_before_it_is_due_has_no_sender_delay);
  tcase_add_test (tc, a_packet_that_comes_before_it_is_due_has_no_iptd);
  tcase_add_test (tc, time_stamps_and_send_times_wrap);
  tcase_add_test (tc, fractions_of_time_stamp_units_are_not_lost);
  tcase_add_test (tc, the_ntp_era_ends_in_2036);
  tcase_add_test (tc, the_newest_report_counts);
  tcase_add_test (tc, clocks_agree_while_the_network_delay_is_possible);
  tcase_add_test (tc, queues_in_the_network_do_not_look_like_another_clock);
  tcase_add_test (tc, without_a_round_trip_time_agreement_is_unknown);
  tcase_add_test (tc, no_report_makes_delays_overflow);
  return s;
}

GST_CHECK_MAIN (delays);
