/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What joins TFRC, receiver reports, transport-wide feedback and the circuit breaker, see gst/flow/ratecontrol.h. */
#include <gst/check/gstcheck.h>

#include "gst/flow/ratecontrol.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define BYTES 1316
#define RTT (100 * MS)
#define MEDIA_SSRC 0x11223344
#define REPORTER 0x55667788

static GstTfrcRateControl control;
static guint64 now;
static guint16 next_rtp_seq;
static GstTfrcAddress receiver;

/* 10 Mbit/s from the first packet on */
static void
setup (void)
{
  const GstTfrcSinkRateConfig config = { .start_bitrate = 10000000, .handshake_rtt_ns = RTT };

  memset (&control, 0, sizeof control);
  now = 1000 * S;
  next_rtp_seq = 0;
  receiver = test_address ("198.51.100.7", 5004);
  fail_unless (gst_tfrc_rate_control_init (&control, &config, 0, 0, TRUE));
}

static void
teardown (void)
{
  gst_tfrc_rate_control_clear (&control);
}

static TfrcData
send_packet (gboolean is_new)
{
  TfrcData data;

  now += 2 * MS;
  fail_unless (gst_tfrc_rate_control_prepare (&control, BYTES, now, &data));
  gst_tfrc_rate_control_on_packet (&control, &data, is_new ? &next_rtp_seq : NULL, now);
  next_rtp_seq += is_new;
  return data;
}

/* ---- what leaves ------------------------------------------------------------------ */

GST_START_TEST (nothing_leaves_when_the_circuit_breaker_is_open)
{
  TfrcData data;

  send_packet (TRUE);
  control.breaker.is_open = TRUE;
  now += S;
  fail_if (gst_tfrc_rate_control_prepare (&control, BYTES, now, &data));
  fail_unless_equals_uint64 (gst_tfrc_rate_control_next_send_ns (&control), G_MAXUINT64);
}

GST_END_TEST;

/* The receiver sees them as lost. They are part of the rate. */
GST_START_TEST (the_numbers_of_packets_that_the_own_queue_has_dropped_are_left_out)
{
  TfrcData data;

  fail_unless_equals_int (send_packet (TRUE).seq, 0);
  gst_tfrc_rate_control_on_local_drop (&control, 100);
  now += 2 * MS;
  fail_if (gst_tfrc_rate_control_prepare (&control, BYTES, now, &data));
  while (!gst_tfrc_rate_control_prepare (&control, BYTES, now, &data))
    now += MS;
  fail_unless_equals_int (data.seq, 101);
  fail_unless (now >= 1000 * S + 90 * MS);
}

GST_END_TEST;

/* ---- what is taken back -------------------------------------------------------------- */

static TfrcResult
report_on (guint16 rtp_seq)
{
  const TfrcWireReport report = { .highest_seq = rtp_seq };

  return tfrc_reports_on_report (control.reports, control.sender, REPORTER, &report, now);
}

/* Receiver reports are about packets of the movie alone. */
GST_START_TEST (a_repair_that_is_taken_back_leaves_the_movie)
{
  send_packet (TRUE);
  send_packet (FALSE);
  gst_tfrc_rate_control_take_back (&control, BYTES, FALSE);
  fail_unless_equals_int (report_on (0), TFRC_ERROR_TOO_EARLY); /* R is not known */
  send_packet (TRUE);
  gst_tfrc_rate_control_take_back (&control, BYTES, TRUE);
  fail_unless_equals_int (report_on (1), TFRC_ERROR_NOT_SENT);
}

GST_END_TEST;

GST_START_TEST (no_feedback_is_about_a_packet_that_was_taken_back)
{
  TfrcReportedPacket packet = { .arrived = TRUE };

  send_packet (TRUE);
  packet.seq = send_packet (TRUE).seq;
  gst_tfrc_rate_control_take_back (&control, BYTES, TRUE);
  fail_unless_equals_int (
      tfrc_arrivals_on_list (control.arrivals, control.sender, &packet, 1, RTT, now),
      TFRC_ERROR_NOT_SENT);
  packet.seq--;
  fail_unless_equals_int (
      tfrc_arrivals_on_list (control.arrivals, control.sender, &packet, 1, RTT, now), TFRC_OK);
}

GST_END_TEST;

/* ---- reports ---------------------------------------------------------------------------- */

static guint64
packets_lost (void)
{
  guint64 lost = 0, events = 0;

  gst_tfrc_rate_control_get_losses (&control, &lost, &events);
  return lost;
}

static guint8 fraction_lost;

/* A receiver reports about the last packet, which leaves after this time. */
static void
give_report_after (guint64 after_ns, gint32 lost)
{
  const guint64 ntp = G_GUINT64_CONSTANT (0x123456789abcdef0);
  TfrcWireRtcp rtcp = { .has_report = TRUE, .sender_ssrc = REPORTER };
  GstTfrcControlReport report = { .rtcp = &rtcp, .from = &receiver, .media_ssrc = MEDIA_SSRC };
  TfrcSenderStats stats;

  now += after_ns - 2 * MS;
  send_packet (TRUE);
  gst_tfrc_rate_control_get_stats (&control, &stats);
  gst_tfrc_rate_control_on_sender_report (&control, &stats, ntp, now);
  now += RTT;
  rtcp.report.highest_seq = (guint16) (next_rtp_seq - 1);
  rtcp.report.lsr = (guint32) (ntp >> 16);
  rtcp.report.packets_lost = lost;
  rtcp.report.fraction_lost = fraction_lost;
  report.arrival_ns = now;
  fail_unless (gst_tfrc_rate_control_on_report (&control, &report));
  fail_unless_equals_int (
      gst_tfrc_rate_control_get_control (&control), GST_TFRC_CONTROL_RECEIVER_REPORT);
}

static void
give_report (gint32 lost)
{
  give_report_after (2 * MS, lost);
}

/* RFC 3550 section 6.4.1: with duplicates, less than nothing may be lost. */
GST_START_TEST (less_than_no_losses_are_none)
{
  give_report (-3);
  fail_unless_equals_uint64 (packets_lost (), 0);
}

GST_END_TEST;

GST_START_TEST (the_losses_of_a_receiver_go_with_it)
{
  give_report (3);
  fail_unless_equals_uint64 (packets_lost (), 3);
  gst_tfrc_rate_control_lose_reporter (&control);
  fail_unless_equals_uint64 (packets_lost (), 0);
}

GST_END_TEST;

/* RFC 3550 section 6.4.1: the sum has 24 bits and a sign, and stands still at its highest value. */
GST_START_TEST (losses_count_where_the_sum_of_the_reports_stands_still)
{
  guint64 before;

  give_report_after (S, 0x7fffff);
  give_report_after (S, 0x7fffff);
  before = packets_lost ();
  fraction_lost = 128;
  for (guint i = 0; i < 500; i++)
    send_packet (TRUE);
  give_report_after (S, 0x7fffff);
  fraction_lost = 0;
  fail_unless (packets_lost () > before);
}

GST_END_TEST;

/* The reporter is its address and its SSRC. */
GST_START_TEST (nobody_else_reports_beside_a_reporter)
{
  const GstTfrcAddress other = test_address ("198.51.100.7", 5006);

  fail_unless (gst_tfrc_rate_control_is_reporter (&control, &other, 1));
  give_report (0);
  fail_unless (gst_tfrc_rate_control_is_reporter (&control, &receiver, REPORTER));
  fail_if (gst_tfrc_rate_control_is_reporter (&control, &other, REPORTER));
  fail_if (gst_tfrc_rate_control_is_reporter (&control, &receiver, REPORTER + 1));
}

GST_END_TEST;

/* ---- transport-wide feedback --------------------------------------------------------------- */

/* A compound of so many feedbacks, each of which is about the first packet */
static gsize
write_feedbacks (guint8 *buffer, guint n)
{
  static const guint8 feedback[] = { 0x8f, 205, 0, 5, 0x55, 0x66, 0x77, 0x88, 0x11, 0x22, 0x33,
    0x44, 0, 0, 0, 1, 0, 0, 0, 0, 0x20, 0x01, 0x04, 0 };

  for (guint i = 0; i < n; i++)
    memcpy (buffer + i * sizeof feedback, feedback, sizeof feedback);
  return n * sizeof feedback;
}

/* Feedback about this packet and the next one, which have come so far apart */
static gsize
write_feedback_about (guint8 *buffer, guint16 seq, guint64 apart_ns)
{
  static const guint8 feedback[] = { 0x8f, 205, 0, 6, 0x55, 0x66, 0x77, 0x88, 0x11, 0x22, 0x33,
    0x44, 0, 0, 0, 2, 0, 0, 0, 0, 0x40, 2, 0, 0, 0, 0, 0, 0 };

  memcpy (buffer, feedback, sizeof feedback);
  GST_WRITE_UINT16_BE (buffer + 12, seq);
  GST_WRITE_UINT24_BE (buffer + 16, (guint32) (now / (64 * MS)) & 0xffffff);
  GST_WRITE_UINT16_BE (buffer + 24, (guint16) (apart_ns / (250 * GST_USECOND)));
  return sizeof feedback;
}

/* Each costs as much as a packet. */
GST_START_TEST (of_a_compound_eight_feedbacks_are_read)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = REPORTER };
  guint8 buffer[1000];
  GstTfrcControlReport report = { .rtcp = &rtcp, .from = &receiver, .media_ssrc = MEDIA_SSRC };
  guint before;

  for (guint i = 0; i < 10; i++)
    send_packet (TRUE);
  report.arrival_ns = now;
  report.data = buffer;
  report.size = write_feedbacks (buffer, 10);
  before = control.readable;
  gst_tfrc_rate_control_on_report (&control, &report);
  fail_unless_equals_int (before - control.readable, 8);
}

GST_END_TEST;

/* Four for each packet that has left, and no more than four for each that is remembered */
GST_START_TEST (a_receiver_that_repeats_itself_is_not_read_for_ever)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = REPORTER };
  guint8 buffer[1000];
  GstTfrcControlReport report = { .rtcp = &rtcp, .from = &receiver, .media_ssrc = MEDIA_SSRC };
  guint read = 0, used = 0;

  for (guint i = 0; i < 5; i++)
    send_packet (TRUE);
  report.arrival_ns = now;
  report.data = buffer;
  report.size = write_feedbacks (buffer, 1);
  for (guint i = 0; i < 100; i++) {
    guint before = control.readable;

    used += gst_tfrc_rate_control_on_report (&control, &report);
    read += before - control.readable;
  }
  fail_unless_equals_int (read, 20);
  fail_unless_equals_int (used, 16); /* from the fifth on, when its interval is known */
  for (guint i = 0; i < 3 * TFRC_ARRIVALS_PACKETS; i++) {
    const TfrcData data = { .seq = (guint16) i, .size_bytes = BYTES };

    gst_tfrc_rate_control_on_packet (&control, &data, NULL, now);
  }
  fail_unless_equals_int (control.readable, 4 * TFRC_ARRIVALS_PACKETS);
}

GST_END_TEST;

/* Feedback comes after this time. */
static gboolean
give_feedback (const guint8 *data, gsize size, const TfrcWireReport *report_block, guint64 after_ns)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = REPORTER };
  GstTfrcControlReport report = { .rtcp = &rtcp, .from = &receiver, .media_ssrc = MEDIA_SSRC };

  rtcp.has_report = report_block != NULL;
  if (report_block)
    rtcp.report = *report_block;
  report.data = data;
  report.size = size;
  report.arrival_ns = now += after_ns;
  return gst_tfrc_rate_control_on_report (&control, &report);
}

/* Five feedbacks about packets that came so far apart, which are four intervals. Returns what controls the rate then. */
static GstTfrcControl
control_by_feedback_in (guint64 interval_ns, guint64 apart_ns)
{
  guint8 buffer[1000];

  for (guint i = 0; i < 5; i++) {
    guint16 seq = send_packet (TRUE).seq;

    send_packet (TRUE);
    give_feedback (buffer,
        apart_ns > 0 ? write_feedback_about (buffer, seq, apart_ns) : write_feedbacks (buffer, 1),
        NULL, interval_ns - 4 * MS);
  }
  return gst_tfrc_rate_control_get_control (&control);
}

/* What comes less often is no better than receiver reports. */
GST_START_TEST (feedback_that_comes_once_a_second_controls_the_rate)
{
  fail_unless_equals_int (control_by_feedback_in (S + 1, 0), GST_TFRC_CONTROL_NONE);
  fail_unless_equals_int (control_by_feedback_in (S, 0), GST_TFRC_CONTROL_TRANSPORT_CC);
}

GST_END_TEST;

/* Arrivals so far apart show that the receiver's interval is as long, and no pause of the sender. */
GST_START_TEST (feedback_about_more_than_a_second_controls_nothing)
{
  const guint64 longer_ns = S + 250 * GST_USECOND;

  /* X stays where send_packet() needs it. */
  gst_tfrc_rate_control_set_answered (&control, TRUE);
  gst_tfrc_rate_control_set_limits (&control, 10000000, 0);

  fail_unless_equals_int (control_by_feedback_in (longer_ns, longer_ns), GST_TFRC_CONTROL_NONE);
  fail_unless_equals_uint64 (gst_tfrc_rate_control_get_rtt_ns (&control), RTT);
  fail_unless_equals_int (control_by_feedback_in (S, S), GST_TFRC_CONTROL_TRANSPORT_CC);
  control_by_feedback_in (S, S);
  fail_unless (gst_tfrc_rate_control_get_rtt_ns (&control) != RTT);
}

GST_END_TEST;

/* Feedback and report come 60 ms after the packets and the sender report; the receiver has kept the latter for 30 ms. */
GST_START_TEST (a_report_beside_feedback_gives_the_round_trip_time)
{
  TfrcWireReport block = { .dlsr = 65536 * 3 / 100 };

  control_by_feedback_in (100 * MS, 2 * MS);
  for (guint i = 0; i < 60; i++) {
    guint16 seq = send_packet (TRUE).seq;
    guint64 ntp = G_GUINT64_CONSTANT (0x123456780000) + ((guint64) i << 32);
    TfrcSenderStats stats;
    guint8 buffer[100];

    send_packet (TRUE);
    gst_tfrc_rate_control_get_stats (&control, &stats);
    gst_tfrc_rate_control_on_sender_report (&control, &stats, ntp, now);
    block.lsr = (guint32) (ntp >> 16);
    fail_unless (
        give_feedback (buffer, write_feedback_about (buffer, seq, 2 * MS), &block, 60 * MS));
  }
  fail_unless (gst_tfrc_rate_control_get_rtt_ns (&control) < 40 * MS);
}

GST_END_TEST;

GST_START_TEST (feedback_about_packets_that_have_not_left_is_no_feedback)
{
  guint8 buffer[100];

  fail_unless_equals_int (control_by_feedback_in (100 * MS, 0), GST_TFRC_CONTROL_TRANSPORT_CC);
  fail_if (give_feedback (buffer, write_feedback_about (buffer, 1000, 2 * MS), NULL, 2 * MS));
  fail_unless (give_feedback (buffer, write_feedback_about (buffer, 0, 2 * MS), NULL, 2 * MS));
}

GST_END_TEST;

/* Behind feedback that has nothing in it, what is read is not its. */
GST_START_TEST (feedback_without_content_is_about_no_packet)
{
  static const guint8 empty[] = { 0x8f, 205, 0, 2, 0x55, 0x66, 0x77, 0x88, 0x11, 0x22, 0x33, 0x44 };
  guint8 buffer[100];
  guint before;

  for (guint i = 0; i < 10; i++)
    send_packet (TRUE);
  memcpy (buffer, empty, sizeof empty);
  before = control.readable;
  give_feedback (buffer, sizeof empty + write_feedbacks (buffer + sizeof empty, 1), NULL, 100 * MS);
  fail_unless_equals_int (before - control.readable, 1);
}

GST_END_TEST;

/* Of eight packets the first and the last four have come. */
GST_START_TEST (losses_are_those_that_the_feedback_shows)
{
  guint8 feedback[] = { 0x8f, 205, 0, 6, 0x55, 0x66, 0x77, 0x88, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 8,
    0, 0, 0, 0, 0xa3, 0xc0, 0, 8, 8, 8, 8, 0 };
  guint64 lost = 0, events = 0;
  guint16 seq;

  fail_unless_equals_int (control_by_feedback_in (100 * MS, 0), GST_TFRC_CONTROL_TRANSPORT_CC);
  seq = send_packet (TRUE).seq;
  for (guint i = 1; i < 8; i++)
    send_packet (TRUE);
  GST_WRITE_UINT16_BE (feedback + 12, seq);
  fail_unless (give_feedback (feedback, sizeof feedback, NULL, 80 * MS));
  gst_tfrc_rate_control_get_losses (&control, &lost, &events);
  fail_unless_equals_uint64 (lost, 3);
  fail_unless_equals_uint64 (events, 1);
}

GST_END_TEST;

/* ---- feedback of TFRC ------------------------------------------------------------------------- */

static TfrcFeedback
feedback_on (const TfrcData *data)
{
  return (TfrcFeedback){ .recv_data_us = data->send_time_us, .x_recv_Bps = 1000000 };
}

GST_START_TEST (feedback_that_is_refused_takes_over_nothing)
{
  TfrcData data = send_packet (TRUE);
  TfrcFeedback feedback = feedback_on (&data);

  now += RTT;
  feedback.p = 2;
  fail_if (gst_tfrc_rate_control_on_feedback (&control, &feedback, now));
  fail_unless_equals_int (gst_tfrc_rate_control_get_control (&control), GST_TFRC_CONTROL_NONE);
  fail_unless (gst_tfrc_rate_control_is_reporter (&control, &receiver, REPORTER));
  feedback.p = 0;
  fail_unless (gst_tfrc_rate_control_on_feedback (&control, &feedback, now));
  fail_unless_equals_int (gst_tfrc_rate_control_get_control (&control), GST_TFRC_CONTROL_TFRC);
  fail_if (gst_tfrc_rate_control_is_reporter (&control, &receiver, REPORTER));
}

GST_END_TEST;

static void
let_timer_expire (void)
{
  gboolean expired = FALSE;

  while (!expired) {
    now = gst_tfrc_rate_control_next_ns (&control);
    expired = gst_tfrc_rate_control_on_time (&control, now);
  }
}

/* Signs of life release packets as long as it is. */
GST_START_TEST (feedback_after_silence_is_not_lacking)
{
  TfrcData data = send_packet (TRUE);
  TfrcFeedback feedback = feedback_on (&data);

  now += RTT;
  gst_tfrc_rate_control_on_feedback (&control, &feedback, now);
  fail_if (gst_tfrc_rate_control_lacks_feedback (&control));
  let_timer_expire ();
  fail_unless (gst_tfrc_rate_control_lacks_feedback (&control));
  data = send_packet (TRUE);
  feedback = feedback_on (&data);
  now += RTT;
  fail_unless (gst_tfrc_rate_control_on_feedback (&control, &feedback, now));
  fail_if (gst_tfrc_rate_control_lacks_feedback (&control));
}

GST_END_TEST;

GST_START_TEST (a_report_after_silence_is_feedback)
{
  give_report (0);
  fail_if (gst_tfrc_rate_control_lacks_feedback (&control));
  let_timer_expire ();
  fail_unless (gst_tfrc_rate_control_lacks_feedback (&control));
  give_report_after (2 * S, 0);
  fail_if (gst_tfrc_rate_control_lacks_feedback (&control));
}

GST_END_TEST;

/* The next receiver may report less often. */
GST_START_TEST (the_interval_of_a_reporter_goes_with_it)
{
  guint64 unknown_ns = gst_tfrc_rate_control_timeout_ns (&control);

  for (guint i = 0; i < 6; i++)
    give_report_after (S - RTT, 0);
  fail_unless_equals_uint64 (gst_tfrc_rate_control_timeout_ns (&control), 5 * S);
  gst_tfrc_rate_control_lose_reporter (&control);
  fail_unless_equals_uint64 (gst_tfrc_rate_control_timeout_ns (&control), unknown_ns);
  fail_unless (unknown_ns > 5 * S);
}

GST_END_TEST;

/* ---- limits ------------------------------------------------------------------------------------ */

/* Without an answer a minimum would flood whoever is there. A maximum holds in any case. */
GST_START_TEST (a_minimum_holds_while_the_receiver_answers)
{
  TfrcSenderStats stats;

  gst_tfrc_rate_control_set_limits (&control, 80000000, 0);
  fail_unless (gst_tfrc_rate_control_get_rate_Bps (&control) == 1250000);
  gst_tfrc_rate_control_set_answered (&control, TRUE);
  fail_unless (gst_tfrc_rate_control_get_rate_Bps (&control) == 10000000);
  gst_tfrc_rate_control_set_limits (&control, 80000000, 8000000);
  gst_tfrc_rate_control_get_stats (&control, &stats);
  fail_unless (stats.x_Bps == 1000000);
}

GST_END_TEST;

static Suite *
ratecontrol_suite (void)
{
  Suite *suite = suite_create ("ratecontrol");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, nothing_leaves_when_the_circuit_breaker_is_open);
  tcase_add_test (tcase, the_numbers_of_packets_that_the_own_queue_has_dropped_are_left_out);
  tcase_add_test (tcase, a_repair_that_is_taken_back_leaves_the_movie);
  tcase_add_test (tcase, no_feedback_is_about_a_packet_that_was_taken_back);
  tcase_add_test (tcase, less_than_no_losses_are_none);
  tcase_add_test (tcase, losses_count_where_the_sum_of_the_reports_stands_still);
  tcase_add_test (tcase, the_losses_of_a_receiver_go_with_it);
  tcase_add_test (tcase, nobody_else_reports_beside_a_reporter);
  tcase_add_test (tcase, of_a_compound_eight_feedbacks_are_read);
  tcase_add_test (tcase, a_receiver_that_repeats_itself_is_not_read_for_ever);
  tcase_add_test (tcase, feedback_that_comes_once_a_second_controls_the_rate);
  tcase_add_test (tcase, feedback_about_more_than_a_second_controls_nothing);
  tcase_add_test (tcase, a_report_beside_feedback_gives_the_round_trip_time);
  tcase_add_test (tcase, feedback_about_packets_that_have_not_left_is_no_feedback);
  tcase_add_test (tcase, feedback_without_content_is_about_no_packet);
  tcase_add_test (tcase, losses_are_those_that_the_feedback_shows);
  tcase_add_test (tcase, feedback_that_is_refused_takes_over_nothing);
  tcase_add_test (tcase, feedback_after_silence_is_not_lacking);
  tcase_add_test (tcase, a_report_after_silence_is_feedback);
  tcase_add_test (tcase, the_interval_of_a_reporter_goes_with_it);
  tcase_add_test (tcase, a_minimum_holds_while_the_receiver_answers);
  return suite;
}

GST_CHECK_MAIN (ratecontrol);
