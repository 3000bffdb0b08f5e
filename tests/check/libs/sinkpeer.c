/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's knowledge of its receiver, and packets that a sender does not believe, see
 * gst/flow/sendsession.h */
#include "sessiontest.h"

static SessionTest t;

static void
setup (void)
{
  session_test_init (&t);
}

static void
teardown (void)
{
  session_test_clear (&t);
}

/* Hands over an RTCP packet as if it arrived now. */
static GstTfrcRtcpResult
give (guint8 *data, gsize size)
{
  GstTfrcReceivedPacket packet = received (&t, data, size);

  return gst_tfrc_send_session_on_rtcp (t.sink, &packet);
}

/* ---- the peer ------------------------------------------------------------ */

GST_START_TEST (a_peer_is_waited_for_until_it_is_heard)
{
  t.deaf = TRUE;
  t.backlog = 5;
  fail_if (gst_tfrc_send_session_is_peer_absent (t.sink));
  run (&t, 60 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_WAITING);
  fail_unless (gst_tfrc_send_session_is_peer_absent (t.sink));
  t.deaf = FALSE;
  t.backlog = 1;
  run (&t, 64 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_if (gst_tfrc_send_session_is_peer_absent (t.sink));
}

GST_END_TEST;

GST_START_TEST (a_peer_is_lost_after_10_s_of_silence)
{
  guint64 heard_ns;

  session_test_connect (&t);
  heard_ns = gst_tfrc_receiver_view_get_heard_ns (receiver_of (t.sink));
  t.deaf = TRUE;
  run (&t, heard_ns + 10 * S - 1 - t.now_ns);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_unless_equals_uint64 (gst_tfrc_receiver_view_get_heard_ns (receiver_of (t.sink)), heard_ns);
  run (&t, 1);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_LOST);
  fail_unless (gst_tfrc_send_session_is_peer_absent (t.sink));
  /* the peer is connected again with its next answer to a report */
  t.deaf = FALSE;
  run (&t, 4 * S + RTT);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

/* This program was stopped for 20 s. Then it finds a report that came before. */
GST_START_TEST (a_peer_that_was_heard_while_the_program_was_stopped_is_not_lost)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = OWN_SSRC, .has_report = TRUE };
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  GstTfrcReceivedPacket packet;

  session_test_connect (&t);
  rtcp.report.ssrc = numbers_of (t.sink).ssrc;
  packet = received (&t, buffer, tfrc_wire_write_receiver_report (buffer, &rtcp, "test"));
  t.now_ns += 20 * S;
  packet.read_ns = t.now_ns;
  fail_unless_equals_int (gst_tfrc_send_session_on_rtcp (t.sink, &packet), GST_TFRC_RTCP_USED);
  gst_tfrc_send_session_on_time (t.sink, t.now_ns);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (an_idle_stream_keeps_its_peer)
{
  session_test_connect (&t);
  run (&t, 120 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (a_peer_that_says_bye_is_gone_at_once)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;

  session_test_connect (&t);
  size = tfrc_wire_write_bye (buffer, OWN_SSRC + 1, "another");
  fail_unless_equals_int (give (buffer, size), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  size = tfrc_wire_write_bye (buffer, OWN_SSRC, "test");
  fail_unless_equals_int (give (buffer, size), GST_TFRC_RTCP_USED);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_GONE);
}

GST_END_TEST;

/* Feedback of the next receiver counts from 0, and is about data of the same interval.  The feedback
 * is not taken for an old one of the receiver that has left. */
GST_START_TEST (a_receiver_that_follows_another_at_once_is_connected_at_once)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  t.delay_ns = 100 * US;
  session_test_connect (&t);
  t.backlog = 1;
  run (&t, MS);
  fail_unless_equals_int (
      give (buffer, tfrc_wire_write_bye (buffer, OWN_SSRC, "test")), GST_TFRC_RTCP_USED);
  gst_tfrc_reception_free (t.src);
  t.src = NULL;
  t.restarts = 1;
  t.backlog = 1;
  run (&t, 8 * MS);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_ssrc (receiver_of (t.sink)), own_ssrc_of (&t));
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, 0);
}

GST_END_TEST;

GST_START_TEST (the_values_of_the_receiver_are_kept)
{
  t.drop_from = 20;
  t.drop_to = 22;
  session_test_connect (&t);
  t.backlog = 100;
  run (&t, 5 * S);
  fail_unless (gst_tfrc_receiver_view_get_says (receiver_of (t.sink)) != NULL);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->packets_lost, 2);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->loss_events, 1);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->ttl, 60);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_ssrc (receiver_of (t.sink)), OWN_SSRC);
  fail_unless (sender_stats (&t).p > 0);
}

GST_END_TEST;

/* ---- counters ------------------------------------------------------------ */

/* Gives feedback that is valid, with this state. */
static void
give_state (const TfrcWireState *counters)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireState state = *counters;
  TfrcFeedback feedback = { .recv_data_us = t.header.send_time_us, .x_recv_Bps = 10000 };
  guint64 used = sender_stats (&t).feedbacks_received;

  state.feedback_number = gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->feedback_number
      + 1;
  give (buffer,
      tfrc_wire_write_feedback (buffer, OWN_SSRC, numbers_of (t.sink).ssrc, &feedback, &state));
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_received, used + 1);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->feedback_number,
      state.feedback_number);
}

/* @seq: the highest sequence number, counted from the first number of the stream */
static TfrcWireState
counters (guint32 seq, guint32 lost, guint32 events, guint32 marks)
{
  return (TfrcWireState){ .highest_seq = gst_tfrc_receiver_view_get_first_seq (receiver_of (t.sink))
        + seq,
    .packets_lost = lost,
    .loss_events = events,
    .ce_marks = marks };
}

static void
assert_counters (const TfrcWireState *expected)
{
  fail_unless_equals_int (
      gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->highest_seq, expected->highest_seq);
  fail_unless_equals_int (
      gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->packets_lost, expected->packets_lost);
  fail_unless_equals_int (
      gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->loss_events, expected->loss_events);
  fail_unless_equals_int (
      gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->ce_marks, expected->ce_marks);
  fail_unless_equals_int (
      gst_tfrc_receiver_view_get_says (receiver_of (t.sink))->link_errors, expected->link_errors);
}

/* The same counters of a receiver that tells losses apart */
static TfrcWireState
with_link_errors (TfrcWireState state, guint32 link_errors)
{
  state.flags = TFRC_WIRE_STATE_CLASSIFIED;
  state.link_errors = link_errors;
  return state;
}

/* Checks counters after 50 packets of this SSRC. */
static void
check_counters (void)
{
  const guint32 most = G_MAXUINT32;
  const TfrcWireState truths[] = { counters (0, 0, 0, 0), counters (49, 50, 50, 0),
    counters (49, 0, 50, 50), with_link_errors (counters (49, 0, 0, 0), 0),
    with_link_errors (counters (49, 50, 50, 0), 50),
    with_link_errors (counters (49 + 0x10000, 25, 50, 25), 24) };
  const TfrcWireState lies[] = { counters (50, 0, 0, 0), counters (-1, 0, 0, 0),
    counters (0x8000, 0, 0, 0), counters (49, 51, 0, 0), counters (49, most, 0, 0),
    counters (49, 0, 51, 0), counters (49, 0, most, 0), counters (49, 0, 0, 51),
    counters (49, 0, 0, most), counters (49, 26, 0, 25), counters (49, most, most, most),
    counters (49, 1, 0, most), with_link_errors (counters (49, 20, 20, 0), 21),
    with_link_errors (counters (49, 0, 0, 0), most) };

  for (guint i = 0; i < G_N_ELEMENTS (truths); i++) {
    give_state (&truths[i]);
    assert_counters (&truths[i]);
  }
  fail_unless_equals_uint64 (gst_tfrc_receiver_view_get_refused (receiver_of (t.sink)), 0);
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    give_state (&lies[i]);
    assert_counters (&truths[G_N_ELEMENTS (truths) - 1]);
    fail_unless_equals_uint64 (gst_tfrc_receiver_view_get_refused (receiver_of (t.sink)), i + 1);
  }
}

static void
send_packets (guint n)
{
  t.backlog = n;
  while (t.backlog > 0)
    run (&t, 10 * MS);
  run (&t, RTT + 100 * MS);
}

GST_START_TEST (counters_that_cannot_be_true_are_not_kept)
{
  send_packets (50);
  check_counters ();
}

GST_END_TEST;

GST_START_TEST (packets_of_an_earlier_stream_do_not_count)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  send_packets (1000);
  fail_unless (gst_tfrc_send_session_write_bye (t.sink, buffer) > 0);
  run (&t, S);
  gst_tfrc_reception_free (t.src);
  t.src = NULL;
  send_packets (50);
  check_counters ();
}

GST_END_TEST;

/* Sequence numbers have wrapped: each number is that of a packet that was sent. */
GST_START_TEST (after_65536_packets_any_sequence_number_was_sent)
{
  TfrcWireState state;

  set_rate_limits_Bps (t.sink, 0, 1e8);
  send_packets (65535);
  state = counters (65535 + 0x10000, 0, 0, 0); /* not what the receiver itself says */
  give_state (&state);
  fail_unless_equals_uint64 (gst_tfrc_receiver_view_get_refused (receiver_of (t.sink)), 1);
  send_packets (1);
  give_state (&state);
  assert_counters (&state);
  fail_unless_equals_uint64 (gst_tfrc_receiver_view_get_refused (receiver_of (t.sink)), 1);
}

GST_END_TEST;

/* ---- packets for others -------------------------------------------------- */

static guint64 bitrate_before;
static guint64 heard_before_ns;

static void
remember (void)
{
  bitrate_before = gst_tfrc_send_media_get_bitrate (gst_tfrc_send_session_get_media (t.sink));
  heard_before_ns = gst_tfrc_receiver_view_get_heard_ns (receiver_of (t.sink));
}

static void
assert_nothing_changed (void)
{
  fail_unless_equals_uint64 (
      gst_tfrc_send_media_get_bitrate (gst_tfrc_send_session_get_media (t.sink)), bitrate_before);
  fail_unless_equals_uint64 (
      gst_tfrc_receiver_view_get_heard_ns (receiver_of (t.sink)), heard_before_ns);
  fail_unless_equals_int (gst_tfrc_receiver_view_get_ssrc (receiver_of (t.sink)), OWN_SSRC);
}

GST_START_TEST (reports_and_feedback_about_other_streams_are_foreign)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp = { 0 };
  gsize size;

  session_test_connect (&t);
  remember ();
  rtcp.sender_ssrc = 7;
  rtcp.has_report = TRUE;
  rtcp.report.ssrc = numbers_of (t.sink).ssrc + 1;
  size = tfrc_wire_write_receiver_report (buffer, &rtcp, "x");
  fail_unless_equals_int (give (buffer, size), GST_TFRC_RTCP_FOREIGN);
  rtcp.has_report = FALSE;
  size = tfrc_wire_write_receiver_report (buffer, &rtcp, "x");
  fail_unless_equals_int (give (buffer, size), GST_TFRC_RTCP_FOREIGN);
  size = tfrc_wire_write_feedback (
      buffer, 7, numbers_of (t.sink).ssrc + 1, &t.feedback.feedback, NULL);
  fail_unless_equals_int (give (buffer, size), GST_TFRC_RTCP_FOREIGN);
  assert_nothing_changed ();
}

GST_END_TEST;

GST_START_TEST (impossible_feedback_changes_nothing)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcFeedback feedback;
  guint64 refused;
  gsize size;

  session_test_connect (&t);
  remember ();
  refused = sender_stats (&t).feedbacks_refused;
  feedback = t.feedback.feedback;
  feedback.has_state = FALSE;
  feedback.p = 1;
  /* about a packet that will leave in a second */
  feedback.recv_data_us = gst_tfrc_rate_control_wire_time_us (control_of (t.sink), t.now_ns + S);
  size = tfrc_wire_write_feedback (buffer, OWN_SSRC, numbers_of (t.sink).ssrc, &feedback, NULL);
  give (buffer, size);
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, refused + 1);
  assert_nothing_changed ();
}

GST_END_TEST;

GST_START_TEST (malformed_packets_are_reported)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES] = { 0 };
  GstTfrcReceivedPacket packet;
  gsize size;

  session_test_connect (&t);
  remember ();
  fail_unless_equals_int (give (buffer, sizeof buffer), GST_TFRC_RTCP_MALFORMED);
  fail_unless_equals_int (give (buffer, 0), GST_TFRC_RTCP_MALFORMED);
  size = tfrc_wire_write_feedback (
      buffer, OWN_SSRC, numbers_of (t.sink).ssrc, &t.feedback.feedback, NULL);
  for (gsize cut = 0; cut < size; cut++)
    fail_unless_equals_int (give (buffer, cut), GST_TFRC_RTCP_MALFORMED);
  packet = received (&t, buffer, size);
  packet.truncated = TRUE;
  fail_unless_equals_int (gst_tfrc_send_session_on_rtcp (t.sink, &packet), GST_TFRC_RTCP_MALFORMED);
  assert_nothing_changed ();
}

GST_END_TEST;

static Suite *
sinkpeer_suite (void)
{
  Suite *s = suite_create ("sinkpeer");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_peer_is_waited_for_until_it_is_heard);
  tcase_add_test (tc, a_peer_is_lost_after_10_s_of_silence);
  tcase_add_test (tc, a_peer_that_was_heard_while_the_program_was_stopped_is_not_lost);
  tcase_add_test (tc, an_idle_stream_keeps_its_peer);
  tcase_add_test (tc, a_peer_that_says_bye_is_gone_at_once);
  tcase_add_test (tc, a_receiver_that_follows_another_at_once_is_connected_at_once);
  tcase_add_test (tc, the_values_of_the_receiver_are_kept);
  tcase_add_test (tc, counters_that_cannot_be_true_are_not_kept);
  tcase_add_test (tc, packets_of_an_earlier_stream_do_not_count);
  tcase_add_test (tc, after_65536_packets_any_sequence_number_was_sent);
  tcase_add_test (tc, reports_and_feedback_about_other_streams_are_foreign);
  tcase_add_test (tc, impossible_feedback_changes_nothing);
  tcase_add_test (tc, malformed_packets_are_reported);
  return s;
}

GST_CHECK_MAIN (sinkpeer);
