/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's knowledge of its sender, see gst/flow/reception.h. */
#include "gst/flow/reception.h"
#include "srcsessiontest.h"

/* ---- feedback ------------------------------------------------------------ */

GST_START_TEST (feedback_tells_the_state_of_the_receiver)
{
  start_alone ();
  for (guint16 i = 0; i < 20; i++) {
    if (i != 10 && i != 11)
      data (i, i == 15 ? 3 : 1);
  }
  header.send_time_us = 1040000;
  data (20, 0);
  t.now_ns += 5 * MS;
  run (&t, 200 * MS);
  fail_unless (t.feedbacks > 0);
  fail_unless (t.feedback.has_state);
  fail_unless_equals_int (t.feedback.media_ssrc, SSRC);
  fail_unless_equals_int (t.feedback.state.highest_seq, 20);
  fail_unless_equals_int (t.feedback.state.packets_lost, 2);
  fail_unless_equals_int (t.feedback.state.ce_marks, 1);
  fail_unless_equals_int (t.feedback.state.ttl, 60);
  fail_unless (t.feedback.state.loss_events >= 1);
  fail_unless_equals_int (t.feedback.feedback.recv_data_us, 1040000);
  fail_unless (t.feedback.feedback.p > 0);
}

GST_END_TEST;

GST_START_TEST (feedback_is_numbered)
{
  session_test_connect (&t);
  t.backlog = 100;
  run (&t, 20 * S);
  fail_unless (t.feedbacks > 5);
  fail_unless_equals_int (t.feedback.state.feedback_number, t.feedbacks - 1);
  /* what leaves while no data comes says nothing of the path */
  fail_unless (sender_stats (&t).feedbacks_received < t.feedbacks);
  fail_unless (gst_tfrc_receiver_view_get_number (receiver_of (t.sink)) == t.feedbacks - 1);
}

GST_END_TEST;

GST_START_TEST (feedback_comes_once_per_round_trip_time)
{
  guint before;

  session_test_connect (&t);
  t.backlog = 1000000;
  run (&t, S);
  before = t.feedbacks;
  run (&t, 6 * S);
  fail_unless_equals_int (t.feedbacks - before, 6 * S / RTT);
}

GST_END_TEST;

/* ---- other senders -------------------------------------------------------- */

GST_START_TEST (a_sender_without_tfrc_gets_no_feedback)
{
  start_alone ();
  header.has_rtt_sendts = FALSE;
  header.rtt_us = header.send_time_us = 0;
  for (guint16 i = 0; i < 100; i++)
    data (i, 0);
  fail_if (gst_tfrc_reception_has_tfrc (t.src));
  fail_unless_equals_uint64 (gst_tfrc_reception_next_ns (t.src), NEVER);
  serve_src (&t);
  fail_unless_equals_int (t.feedbacks + t.rrs, 0);
  /* but an answer leaves if the sender sends RTCP */
  sender_report (G_GUINT64_CONSTANT (0x8000000000000000));
  serve_src (&t);
  run (&t, 10 * S);
  fail_unless_equals_int (t.rrs, 3);
  fail_unless_equals_int (t.feedbacks, 0);
  fail_unless_equals_int (t.rr.report.highest_seq, 99);
}

GST_END_TEST;

GST_START_TEST (a_packet_with_a_stray_number_is_not_used)
{
  guint64 heard_ns;

  start_alone ();
  data (1, 0);
  heard_ns = gst_tfrc_reception_get_heard_ns (t.src);
  t.now_ns += S;
  fail_if (data (30000, 0));
  fail_unless_equals_uint64 (gst_tfrc_reception_get_heard_ns (t.src), heard_ns);
  fail_unless (data (2, 0));
  /* but two packets in sequence are a sender that has restarted */
  fail_if (data (40000, 0));
  fail_unless (data (40001, 0));
}

GST_END_TEST;

/* ---- the end, delays ------------------------------------------------------ */

GST_START_TEST (bye_ends_everything)
{
  TfrcWireRtcp rtcp = { 0 };
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;

  start_alone ();
  data (1, 0);
  /* The BYE may be forged. The session does not decide on the end. */
  rtcp.has_bye = TRUE;
  gst_tfrc_reception_on_rtcp (t.src, &rtcp, t.now_ns);
  fail_if (gst_tfrc_reception_has_ended (t.src));
  gst_tfrc_reception_end (t.src);
  fail_unless (gst_tfrc_reception_has_ended (t.src));
  fail_unless_equals_uint64 (gst_tfrc_reception_next_ns (t.src), NEVER);
  /* but each BYE is answered once */
  size = gst_tfrc_reception_write (t.src, OWN_SSRC, "test", t.now_ns, buffer);
  fail_unless_equals_int (tfrc_wire_parse_rtcp (buffer, size, 0, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_bye);
  fail_unless_equals_int (rtcp.sender_ssrc, OWN_SSRC);
  fail_unless_equals_int (gst_tfrc_reception_write (t.src, OWN_SSRC, "test", t.now_ns, buffer), 0);
}

GST_END_TEST;

/* Each challenge also asks for feedback. */
GST_START_TEST (challenges_are_answered_twenty_times_a_second)
{
  guint answered = 0;

  start_alone ();
  data (1, 0);
  for (guint i = 0; i < 5000; i++) {
    GstTfrcReceivedPacket packet = received (&t, NULL, 0);
    TfrcWireRtcp rtcp = { .has_challenge = TRUE };
    guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
    GstTfrcLocalPath link;

    gst_tfrc_reception_on_challenge (t.src, &rtcp, &packet);
    answered += gst_tfrc_reception_write_response (t.src, OWN_SSRC, &link, buffer) > 0;
    t.now_ns += 2 * MS;
  }
  fail_unless (answered >= 219 && answered <= 220);
}

GST_END_TEST;

/* Both ends have the same clock here. On a busy machine, reading the clock for a report may take
 * long. Then the clock is read again. */
GST_START_TEST (delays_are_known_from_both_ends)
{
  GstTfrcDelays delays;

  t.sender_delay_ns = 70 * MS;
  session_test_connect (&t);
  t.backlog = 500;
  run (&t, 5 * S);
  delays = src_stats (&t).delays;
  fail_unless (gst_tfrc_delays_clocks_agree (&delays));
  fail_unless (delays.iptd.count >= 500);
  /* the sender delay does not need the clock, so it is exact within the unit of the time stamps */
  fail_unless (delays.sender.max_ns < 70 * MS + 25 * US);
  fail_unless (gst_tfrc_histogram_mean_ns (&delays.sender) > 70 * MS - 25 * US);
}

GST_END_TEST;

static Suite *
srcsession_suite (void)
{
  Suite *s = suite_create ("srcsession");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, feedback_tells_the_state_of_the_receiver);
  tcase_add_test (tc, feedback_is_numbered);
  tcase_add_test (tc, feedback_comes_once_per_round_trip_time);
  tcase_add_test (tc, a_sender_without_tfrc_gets_no_feedback);
  tcase_add_test (tc, a_packet_with_a_stray_number_is_not_used);
  tcase_add_test (tc, bye_ends_everything);
  tcase_add_test (tc, challenges_are_answered_twenty_times_a_second);
  tcase_add_test (tc, delays_are_known_from_both_ends);
  return s;
}

GST_CHECK_MAIN (srcsession);
