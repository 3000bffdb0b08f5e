/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receivers that know RTCP and not TFRC: whose reports control the rate of a session, see
 * gst/flow/ratecontrol.h. */
#include "sessiontest.h"

#define OTHER_SSRC 0x0badcafe

static SessionTest t;
static GstTfrcAddress data_port, rtcp_port, other_host;

static GstTfrcAddress
address_of (const gchar *host, guint16 port)
{
  GstTfrcAddress address;

  fail_unless (gst_tfrc_address_resolve (&address, host, port, AF_INET, NULL));
  return address;
}

static void
restart (GstTfrcTransportSeqUse transport_seq)
{
  const GstTfrcSendSessionConfig config = { .peer = data_port,
    .media.transport_seq = transport_seq };

  session_test_restart_sink (&t, &config);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  t.address = data_port;
  t.deaf = TRUE;
  t.backlog = 1000000;
}

static void
setup (void)
{
  data_port = address_of ("192.0.2.1", 5004);
  rtcp_port = address_of ("192.0.2.1", 5005);
  other_host = address_of ("192.0.2.2", 5005);
  session_test_init (&t);
  restart (GST_TFRC_TRANSPORT_SEQ_IF_DIFFERENT);
}

static void
teardown (void)
{
  session_test_clear (&t);
}

static GstTfrcRtcpResult
give_from (const GstTfrcAddress *from, guint8 *data, gsize size)
{
  GstTfrcReceivedPacket packet = received_from (&t, from, data, size);

  return gst_tfrc_send_session_on_rtcp (t.sink, &packet);
}

/* Lets a round-trip time pass in which nothing is sent: the last packet has arrived, and an answer can
 * be here. */
static void
settle (void)
{
  guint64 backlog = t.backlog;

  t.backlog = 0;
  run (&t, RTT);
  t.backlog = backlog;
}

/* The receiver has all packets. */
static gsize
write_report (guint8 *buffer, guint32 ssrc)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = ssrc, .has_report = TRUE };

  rtcp.report.ssrc = numbers_of (t.sink).ssrc;
  rtcp.report.highest_seq = t.header.seq;
  rtcp.report.lsr = (guint32) (t.sr.sr_ntp >> 16);
  rtcp.report.dlsr = (guint32) ((t.now_ns - t.sr_ns - RTT) * 65536 / S);
  return tfrc_wire_write_receiver_report (buffer, &rtcp, "x");
}

static GstTfrcRtcpResult
report_from (const GstTfrcAddress *from, guint32 ssrc)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  return give_from (from, buffer, write_report (buffer, ssrc));
}

static GstTfrcSendSessionStats
sink_stats (void)
{
  GstTfrcSendSessionStats stats;

  gst_tfrc_send_session_get_stats (t.sink, &stats);
  return stats;
}

static void
assert_control (GstTfrcControl control)
{
  fail_unless_equals_string (
      gst_tfrc_control_get_name (sink_stats ().control), gst_tfrc_control_get_name (control));
}

/* Reports every 4 s, the first after 2 s */
static void
report_for (guint n, const GstTfrcAddress *from)
{
  run (&t, 2 * S);
  while (n-- > 0) {
    settle ();
    fail_unless_equals_int (report_from (from, OWN_SSRC), GST_TFRC_RTCP_USED);
    assert_control (GST_TFRC_CONTROL_RECEIVER_REPORT);
    run (&t, 4 * S);
  }
}

/* ---- reports ----------------------------------------------------------------- */

GST_START_TEST (reports_control_the_rate)
{
  run (&t, 2 * S);
  assert_control (GST_TFRC_CONTROL_NONE);
  report_for (4, &data_port);
  fail_unless (gst_tfrc_rate_control_get_rtt_ns (control_of (t.sink)) > RTT - MS);
  fail_unless (gst_tfrc_rate_control_get_rtt_ns (control_of (t.sink)) < RTT + MS);
  fail_unless (gst_tfrc_rate_control_get_rate_Bps (control_of (t.sink)) > 100000);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_if (gst_tfrc_send_session_is_peer_absent (t.sink));
}

GST_END_TEST;

GST_START_TEST (reports_may_come_from_another_port)
{
  report_for (4, &rtcp_port);
  fail_unless (gst_tfrc_rate_control_get_rate_Bps (control_of (t.sink)) > 100000);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_if (gst_tfrc_send_session_is_peer_absent (t.sink));
}

GST_END_TEST;

GST_START_TEST (reports_of_another_host_do_nothing)
{
  run (&t, 2 * S);
  fail_unless_equals_int (report_from (&other_host, OWN_SSRC), GST_TFRC_RTCP_FOREIGN);
  assert_control (GST_TFRC_CONTROL_NONE);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_WAITING);
}

GST_END_TEST;

GST_START_TEST (the_first_reporter_is_the_only_one)
{
  gdouble rate_Bps;

  report_for (2, &rtcp_port);
  rate_Bps = gst_tfrc_rate_control_get_rate_Bps (control_of (t.sink));
  fail_unless_equals_int (report_from (&rtcp_port, OTHER_SSRC), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (report_from (&data_port, OTHER_SSRC), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (report_from (&data_port, OWN_SSRC), GST_TFRC_RTCP_FOREIGN);
  fail_unless (gst_tfrc_rate_control_get_rate_Bps (control_of (t.sink)) == rate_Bps);
}

GST_END_TEST;

GST_START_TEST (reports_about_another_stream_do_nothing)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp = { .sender_ssrc = OWN_SSRC, .has_report = TRUE };

  run (&t, 2 * S);
  rtcp.report.ssrc = numbers_of (t.sink).ssrc + 1;
  rtcp.report.highest_seq = t.header.seq;
  fail_unless_equals_int (
      give_from (&rtcp_port, buffer, tfrc_wire_write_receiver_report (buffer, &rtcp, "x")),
      GST_TFRC_RTCP_FOREIGN);
  assert_control (GST_TFRC_CONTROL_NONE);
}

GST_END_TEST;

/* A receiver without RTP/RTCP multiplexing knows no challenges. */
GST_START_TEST (nothing_but_reports_comes_from_another_port)
{
  const guint8 question[TFRC_WIRE_PATH_DATA_BYTES] = { 1 };
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcFeedback feedback = { .x_recv_Bps = 100000 };

  run (&t, 2 * S);
  feedback.recv_data_us = t.header.send_time_us;
  fail_unless_equals_int (
      give_from (&rtcp_port, buffer,
          tfrc_wire_write_feedback (buffer, OWN_SSRC, numbers_of (t.sink).ssrc, &feedback, NULL)),
      GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (
      give_from (&rtcp_port, buffer,
          tfrc_wire_write_path_challenge (buffer, TFRC_WIRE_MIN_PATH_BYTES, OWN_SSRC, question)),
      GST_TFRC_RTCP_FOREIGN);
  fail_if (gst_tfrc_send_session_owes_response (t.sink));
  fail_unless_equals_int (
      give_from (&rtcp_port, buffer, tfrc_wire_write_bye (buffer, OWN_SSRC, "x")),
      GST_TFRC_RTCP_FOREIGN);
  assert_control (GST_TFRC_CONTROL_NONE);
}

GST_END_TEST;

/* ---- better feedback ----------------------------------------------------------- */

GST_START_TEST (feedback_of_tfrc_takes_the_place_of_reports)
{
  report_for (2, &rtcp_port);
  t.deaf = FALSE;
  run (&t, S);
  assert_control (GST_TFRC_CONTROL_TFRC);
  fail_unless_equals_int (report_from (&rtcp_port, OWN_SSRC), GST_TFRC_RTCP_FOREIGN);
  report_from (&data_port, OWN_SSRC);
  assert_control (GST_TFRC_CONTROL_TFRC);
}

GST_END_TEST;

/* There is no way back as long as the receiver may be there. */
GST_START_TEST (reports_do_not_take_the_place_of_feedback)
{
  t.deaf = FALSE;
  run (&t, 2 * S);
  assert_control (GST_TFRC_CONTROL_TFRC);
  t.deaf = TRUE;
  run (&t, 20 * S);
  report_from (&data_port, OWN_SSRC);
  report_from (&rtcp_port, OTHER_SSRC);
  assert_control (GST_TFRC_CONTROL_TFRC);
}

GST_END_TEST;

/* ---- the end of a reporter ------------------------------------------------------ */

GST_START_TEST (a_reporter_is_lost_after_five_intervals)
{
  report_for (1, &rtcp_port);
  run (&t, 20 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  run (&t, 8 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_LOST);
  assert_control (GST_TFRC_CONTROL_NONE);
  /* the next one may be another */
  run (&t, 2 * S);
  fail_unless_equals_int (report_from (&data_port, OTHER_SSRC), GST_TFRC_RTCP_USED);
  assert_control (GST_TFRC_CONTROL_RECEIVER_REPORT);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (a_bye_of_the_reporter_ends_its_control)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  report_for (1, &rtcp_port);
  fail_unless_equals_int (
      give_from (&rtcp_port, buffer, tfrc_wire_write_bye (buffer, OWN_SSRC, "x")),
      GST_TFRC_RTCP_USED);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_GONE);
  run (&t, 3 * S);
  fail_unless (gst_tfrc_send_session_is_peer_absent (t.sink));
  assert_control (GST_TFRC_CONTROL_NONE);
}

GST_END_TEST;

/* ---- transport-wide feedback ------------------------------------------------------ */

/* Feedback of the last packet alone, in a compound without a report */
static GstTfrcRtcpResult
arrival_about (const GstTfrcAddress *from, guint32 media_ssrc, guint32 reference)
{
  guint8 buffer[] = { 0x8f, 205, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0x20, 1, 0,
    0 };

  GST_WRITE_UINT32_BE (buffer + 4, OWN_SSRC);
  GST_WRITE_UINT32_BE (buffer + 8, media_ssrc);
  GST_WRITE_UINT16_BE (buffer + 12, t.header.transport_seq);
  GST_WRITE_UINT24_BE (buffer + 16, reference);
  return give_from (from, buffer, sizeof buffer);
}

static GstTfrcRtcpResult
arrival_from (const GstTfrcAddress *from, guint32 reference)
{
  return arrival_about (from, numbers_of (t.sink).ssrc, reference);
}

GST_START_TEST (transport_wide_feedback_takes_the_place_of_reports_once_it_comes_often)
{
  restart (GST_TFRC_TRANSPORT_SEQ_ALWAYS);
  report_for (2, &rtcp_port);
  for (guint i = 0; i < 4; i++) {
    run (&t, 64 * MS);
    fail_unless_equals_int (arrival_from (&rtcp_port, i), GST_TFRC_RTCP_USED);
    assert_control (GST_TFRC_CONTROL_RECEIVER_REPORT);
  }
  run (&t, 64 * MS);
  fail_unless_equals_int (arrival_from (&rtcp_port, 4), GST_TFRC_RTCP_USED);
  assert_control (GST_TFRC_CONTROL_TRANSPORT_CC);
  run (&t, 64 * MS);
  fail_unless_equals_int (report_from (&rtcp_port, OWN_SSRC), GST_TFRC_RTCP_USED);
  assert_control (GST_TFRC_CONTROL_TRANSPORT_CC);
}

GST_END_TEST;

/* It is about all packets of the transport, and names the SSRC of any: rtpsession that of the first packet that has come,
 * libwebrtc that of the last. */
GST_START_TEST (transport_wide_feedback_may_name_the_repairs)
{
  guint32 repairs;

  restart (GST_TFRC_TRANSPORT_SEQ_ALWAYS);
  repairs = TFRC_WIRE_REPAIR_SSRC (numbers_of (t.sink).ssrc);
  report_for (2, &rtcp_port);
  for (guint i = 0; i < 5; i++) {
    run (&t, 64 * MS);
    fail_unless_equals_int (arrival_about (&rtcp_port, repairs, i), GST_TFRC_RTCP_USED);
  }
  assert_control (GST_TFRC_CONTROL_TRANSPORT_CC);
  fail_unless_equals_int (arrival_about (&rtcp_port, repairs + 1, 5), GST_TFRC_RTCP_FOREIGN);
}

GST_END_TEST;

/* Once in 2 s */
GST_START_TEST (transport_wide_feedback_that_is_rare_leaves_control_to_reports)
{
  restart (GST_TFRC_TRANSPORT_SEQ_ALWAYS);
  report_for (2, &rtcp_port);
  for (guint i = 0; i < 10; i++) {
    run (&t, 2 * S);
    arrival_from (&rtcp_port, i * 32);
    assert_control (GST_TFRC_CONTROL_RECEIVER_REPORT);
  }
}

GST_END_TEST;

GST_START_TEST (transport_wide_feedback_does_not_take_the_place_of_feedback)
{
  restart (GST_TFRC_TRANSPORT_SEQ_ALWAYS);
  t.deaf = FALSE;
  run (&t, 2 * S);
  assert_control (GST_TFRC_CONTROL_TFRC);
  t.deaf = TRUE;
  for (guint i = 0; i < 10; i++) {
    run (&t, 64 * MS);
    arrival_from (&data_port, i);
    assert_control (GST_TFRC_CONTROL_TFRC);
  }
}

GST_END_TEST;

/* Feedback about one packet, again and again; each packet that has left may be read about four times. */
GST_START_TEST (a_receiver_that_repeats_itself_is_not_read)
{
  const GstTfrcRateControl *control;
  guint64 n;

  restart (GST_TFRC_TRANSPORT_SEQ_ALWAYS);
  report_for (2, &rtcp_port);
  control = gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (t.sink));
  n = 4 * sink_stats ().sender.packets_sent;
  fail_unless_equals_uint64 (control->readable, n);
  while (n-- > 0)
    arrival_from (&rtcp_port, 0);
  fail_unless_equals_int (control->readable, 0);
  arrival_from (&rtcp_port, 0);
  fail_unless_equals_int (control->readable, 0);
  run (&t, 64 * MS);
  fail_unless (control->readable > 0);
}

GST_END_TEST;

GST_START_TEST (without_numbers_in_packets_there_is_no_transport_wide_feedback)
{
  report_for (2, &rtcp_port);
  for (guint i = 0; i < 10; i++) {
    run (&t, 64 * MS);
    arrival_from (&rtcp_port, i);
  }
  assert_control (GST_TFRC_CONTROL_RECEIVER_REPORT);
}

GST_END_TEST;

static Suite *
sinkreporter_suite (void)
{
  Suite *suite = suite_create ("sinkreporter");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, reports_control_the_rate);
  tcase_add_test (tcase, reports_may_come_from_another_port);
  tcase_add_test (tcase, reports_of_another_host_do_nothing);
  tcase_add_test (tcase, the_first_reporter_is_the_only_one);
  tcase_add_test (tcase, reports_about_another_stream_do_nothing);
  tcase_add_test (tcase, nothing_but_reports_comes_from_another_port);
  tcase_add_test (tcase, feedback_of_tfrc_takes_the_place_of_reports);
  tcase_add_test (tcase, reports_do_not_take_the_place_of_feedback);
  tcase_add_test (tcase, a_reporter_is_lost_after_five_intervals);
  tcase_add_test (tcase, a_bye_of_the_reporter_ends_its_control);
  tcase_add_test (tcase, transport_wide_feedback_takes_the_place_of_reports_once_it_comes_often);
  tcase_add_test (tcase, transport_wide_feedback_may_name_the_repairs);
  tcase_add_test (tcase, transport_wide_feedback_that_is_rare_leaves_control_to_reports);
  tcase_add_test (tcase, transport_wide_feedback_does_not_take_the_place_of_feedback);
  tcase_add_test (tcase, a_receiver_that_repeats_itself_is_not_read);
  tcase_add_test (tcase, without_numbers_in_packets_there_is_no_transport_wide_feedback);
  return suite;
}

GST_CHECK_MAIN (sinkreporter);
