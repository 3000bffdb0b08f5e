/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signs of life, other SSRCs and BYE from the receiver's address: what they do not change, see
 * gst/flow/sendsession.h. */
#include "signtest.h"

/* ---- what signs of life release ------------------------------------------ */

static GstTfrcRtcpResult
report_and_challenge (guint32 ssrc)
{
  report (ssrc);
  return challenge (ssrc);
}

/* The sender has heard nothing from its receiver for five minutes. So it may send one packet in
 * 64 s. Then signs of life come. Returns how many packets they release. */
static guint
released_by (GstTfrcRtcpResult (*sign) (guint32 ssrc), guint32 ssrc)
{
  guint64 sent;

  session_test_connect (&t);
  t.deaf = TRUE;
  t.backlog = 100000;
  run (&t, 300 * S);
  sent = t.data_sent;
  t.srs = 0;
  for (guint i = 0; i < 40000; i++) {
    sign (ssrc);
    run (&t, MS);
  }
  return t.data_sent - sent;
}

/* In 40 s: one at once, and at most one packet that is due anyway */
static void
assert_one_a_second (guint released)
{
  fail_unless (released >= 40 && released <= 41, "%u", released);
}

/* If the released packet or its feedback is lost, the next one follows a second later. */
GST_START_TEST (receiver_reports_release_one_packet_a_second)
{
  assert_one_a_second (released_by (report, OWN_SSRC));
  /* 1.95 to 3.9 s apart: reports make no report leave earlier */
  fail_unless (t.srs >= 10 && t.srs <= 21);
}

GST_END_TEST;

GST_START_TEST (challenges_release_one_packet_a_second)
{
  assert_one_a_second (released_by (challenge, OTHER_SSRC));
  fail_unless (t.srs >= 39 && t.srs <= 41);
}

GST_END_TEST;

GST_START_TEST (reports_and_challenges_release_together_one_packet_a_second)
{
  assert_one_a_second (released_by (report_and_challenge, OWN_SSRC));
}

GST_END_TEST;

/* There is no feedback. One packet per 64 s is due anyway. */
GST_START_TEST (reports_before_any_feedback_release_no_more)
{
  guint64 sent;

  run_alone (300 * S);
  sent = t.data_sent;
  t.drop_from = 0;
  for (guint i = 0; i < 40000; i++) {
    report (OWN_SSRC);
    run (&t, MS);
  }
  assert_one_a_second (t.data_sent - sent);
}

GST_END_TEST;

GST_START_TEST (while_feedback_comes_signs_of_life_release_nothing)
{
  guint64 next_ns;

  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 5 * S);
  next_ns = gst_tfrc_rate_control_next_send_ns (control_of (t.sink));
  report (OWN_SSRC);
  challenge (OWN_SSRC);
  fail_unless_equals_uint64 (gst_tfrc_rate_control_next_send_ns (control_of (t.sink)), next_ns);
}

GST_END_TEST;

/* The receiver is there, but does not control the rate. Packets that wait are dropped in time. */
GST_START_TEST (a_receiver_that_sends_reports_alone_stops_no_pipeline)
{
  t.deaf = TRUE;
  t.backlog = 100000;
  run (&t, S);
  report (OTHER_SSRC);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_if (is_absent ());
  run (&t, 2 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_unless (is_absent ());
}

GST_END_TEST;

GST_START_TEST (before_the_first_packet_there_is_nothing_to_report)
{
  fail_unless_equals_int (report (OWN_SSRC), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (bye (OWN_SSRC), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_WAITING);
  fail_unless_equals_uint64 (gst_tfrc_send_session_next_timer (t.sink).due_ns, NEVER);
}

GST_END_TEST;

/* ---- another SSRC at the same address ------------------------------------ */

GST_START_TEST (reports_and_bye_of_another_ssrc_do_nothing)
{
  guint64 heard_ns;

  session_test_connect (&t);
  heard_ns = gst_tfrc_receiver_view_get_heard_ns (receiver_of (t.sink));
  run (&t, 100 * MS);
  fail_unless_equals_int (report (OTHER_SSRC), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (bye (OTHER_SSRC), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_ssrc (receiver_of (t.sink)), OWN_SSRC);
  fail_unless_equals_uint64 (gst_tfrc_receiver_view_get_heard_ns (receiver_of (t.sink)), heard_ns);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  /* the same holds when the receiver has been lost */
  t.deaf = TRUE;
  run (&t, 20 * S);
  fail_unless_equals_int (report (OTHER_SSRC), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_LOST);
}

GST_END_TEST;

/* The receiver counts feedback and losses from 0. */
GST_START_TEST (a_receiver_that_has_started_again_is_followed_by_its_feedback)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireState state = { 0 };
  TfrcFeedback feedback = { 0 };
  guint64 used;

  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 2 * S);
  t.deaf = TRUE;
  run (&t, 200 * MS);
  used = sender_stats (&t).feedbacks_received;
  state.highest_seq = t.header.seq;
  feedback.recv_data_us = t.header.send_time_us;
  feedback.x_recv_Bps = 100000;
  give (buffer,
      tfrc_wire_write_feedback (buffer, OTHER_SSRC, numbers_of (t.sink).ssrc, &feedback, &state));
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_received, used + 1);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_ssrc (receiver_of (t.sink)), OTHER_SSRC);
  fail_unless_equals_int (
      gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->feedback_number, 0);
  /* now the previous SSRC is foreign */
  fail_unless_equals_int (bye (OWN_SSRC), GST_TFRC_RTCP_FOREIGN);
}

GST_END_TEST;

/* ---- BYE ----------------------------------------------------------------- */

/* The next feedback cancels a forged BYE. Until then the BYE does not affect the data. */
GST_START_TEST (a_forged_bye_drops_nothing_and_stops_nothing)
{
  gdouble rate_Bps;
  guint64 sent, expirations;

  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 5 * S);
  rate_Bps = gst_tfrc_rate_control_get_rate_Bps (control_of (t.sink));
  expirations = sender_stats (&t).nofeedback_expirations;
  sent = t.data_sent;
  fail_unless_equals_int (bye (OWN_SSRC), GST_TFRC_RTCP_USED);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_GONE);
  for (guint i = 0; peer_state_of (t.sink) == GST_TFRC_PEER_GONE; i++) {
    fail_unless (i <= RTT / MS);
    fail_if (is_absent ());
    fail_unless_equals_float (gst_tfrc_rate_control_get_rate_Bps (control_of (t.sink)), rate_Bps);
    run (&t, MS);
  }
  run (&t, S);
  /* 190 packets per second */
  fail_unless (t.data_sent - sent >= 189);
  fail_unless_equals_uint64 (sender_stats (&t).nofeedback_expirations, expirations);
}

GST_END_TEST;

/* In an idle stream no feedback comes. So the sender asks with a report. */
GST_START_TEST (a_forged_bye_is_disproved_by_the_answer_to_a_report)
{
  guint srs;

  session_test_connect (&t);
  run_to_report (&t);
  run (&t, S);
  srs = t.srs;
  bye (OWN_SSRC);
  run (&t, RTT);
  fail_unless_equals_int (t.srs, srs + 1);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_if (is_absent ());
  /* the next BYE is asked about a second after the last report */
  bye (OWN_SSRC);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_GONE);
  run (&t, S - RTT - MS);
  fail_unless_equals_int (t.srs, srs + 1);
  run (&t, RTT + MS);
  fail_unless_equals_int (t.srs, srs + 2);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_if (is_absent ());
}

GST_END_TEST;

GST_START_TEST (after_a_true_bye_the_receiver_is_absent_when_it_does_not_answer)
{
  session_test_connect (&t);
  t.backlog = 100000;
  run_to_report (&t);
  run (&t, S);
  bye (OWN_SSRC);
  t.deaf = TRUE;
  g_queue_clear_full (&t.network, g_free);
  run (&t, S - 1);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_GONE);
  fail_if (is_absent ());
  run (&t, 1);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_GONE);
  fail_unless (is_absent ());
}

GST_END_TEST;

GST_START_TEST (without_a_peer_a_bye_is_ignored)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  t.deaf = TRUE;
  t.backlog = 1;
  run (&t, S);
  fail_unless (gst_tfrc_send_session_write_bye (t.sink, buffer) > 0);
  fail_unless_equals_int (bye (0), GST_TFRC_RTCP_FOREIGN);
  fail_if (gst_tfrc_receiver_view_is_bye_answered (receiver_of (t.sink)));
}

GST_END_TEST;

static Suite *
sinksigns_suite (void)
{
  Suite *s = suite_create ("sinksigns");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, receiver_reports_release_one_packet_a_second);
  tcase_add_test (tc, challenges_release_one_packet_a_second);
  tcase_add_test (tc, reports_and_challenges_release_together_one_packet_a_second);
  tcase_add_test (tc, reports_before_any_feedback_release_no_more);
  tcase_add_test (tc, while_feedback_comes_signs_of_life_release_nothing);
  tcase_add_test (tc, a_receiver_that_sends_reports_alone_stops_no_pipeline);
  tcase_add_test (tc, before_the_first_packet_there_is_nothing_to_report);
  tcase_add_test (tc, reports_and_bye_of_another_ssrc_do_nothing);
  tcase_add_test (tc, a_receiver_that_has_started_again_is_followed_by_its_feedback);
  tcase_add_test (tc, a_forged_bye_drops_nothing_and_stops_nothing);
  tcase_add_test (tc, a_forged_bye_is_disproved_by_the_answer_to_a_report);
  tcase_add_test (tc, after_a_true_bye_the_receiver_is_absent_when_it_does_not_answer);
  tcase_add_test (tc, without_a_peer_a_bye_is_ignored);
  return s;
}

GST_CHECK_MAIN (sinksigns);
