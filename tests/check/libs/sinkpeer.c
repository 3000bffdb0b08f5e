/* What a sender knows of its receiver, and what it does not believe, see
 * gst/tfrcsink/tfrcsinksession.h. */
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
static TfrcRtcpResult
give (guint8 * data, gsize size)
{
  TfrcReceivedPacket packet = received (&t, data, size);

  return tfrc_sink_session_on_rtcp (&t.sink, &packet);
}

/* ---- the peer ------------------------------------------------------------ */

GST_START_TEST (a_peer_is_waited_for_until_it_is_heard)
{
  t.deaf = TRUE;
  t.backlog = 5;
  fail_if (tfrc_sink_session_is_peer_absent (&t.sink));
  run (&t, 60 * S);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_WAITING);
  fail_unless (tfrc_sink_session_is_peer_absent (&t.sink));
  t.deaf = FALSE;
  t.backlog = 1;
  run (&t, 64 * S);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  fail_if (tfrc_sink_session_is_peer_absent (&t.sink));
}

GST_END_TEST;

GST_START_TEST (a_peer_is_lost_after_10_s_of_silence)
{
  guint64 heard_ns;

  session_test_connect (&t);
  heard_ns = t.sink.peer_heard_ns;
  t.deaf = TRUE;
  run (&t, heard_ns + 10 * S - 1 - t.now_ns);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  fail_unless_equals_uint64 (t.sink.peer_heard_ns, heard_ns);
  run (&t, 1);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_LOST);
  fail_unless (tfrc_sink_session_is_peer_absent (&t.sink));
  /* and back: with the next answer to a report */
  t.deaf = FALSE;
  run (&t, 4 * S + RTT);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (an_idle_stream_keeps_its_peer)
{
  session_test_connect (&t);
  run (&t, 120 * S);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (a_peer_that_says_bye_is_gone_at_once)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;

  session_test_connect (&t);
  size = tfrc_wire_write_bye (buffer, OWN_SSRC + 1, "another");
  fail_unless_equals_int (give (buffer, size), TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  size = tfrc_wire_write_bye (buffer, OWN_SSRC, "test");
  fail_unless_equals_int (give (buffer, size), TFRC_RTCP_USED);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_GONE);
}

GST_END_TEST;

GST_START_TEST (what_the_receiver_says_is_kept)
{
  t.drop_from = 20;
  t.drop_to = 22;
  session_test_connect (&t);
  t.backlog = 100;
  run (&t, 5 * S);
  fail_unless (t.sink.has_peer_says);
  fail_unless_equals_int (t.sink.peer_says.packets_lost, 2);
  fail_unless_equals_int (t.sink.peer_says.loss_events, 1);
  fail_unless_equals_int (t.sink.peer_says.ttl, 60);
  fail_unless_equals_int (t.sink.peer_ssrc, OWN_SSRC);
  fail_unless (sender_stats (&t).p > 0);
}

GST_END_TEST;

/* ---- what is not for us -------------------------------------------------- */

static guint64 bitrate_before;
static guint64 heard_before_ns;

static void
remember (void)
{
  bitrate_before = tfrc_sink_session_get_bitrate (&t.sink);
  heard_before_ns = t.sink.peer_heard_ns;
}

static void
assert_nothing_changed (void)
{
  fail_unless_equals_uint64 (tfrc_sink_session_get_bitrate (&t.sink),
      bitrate_before);
  fail_unless_equals_uint64 (t.sink.peer_heard_ns, heard_before_ns);
  fail_unless_equals_int (t.sink.peer_ssrc, OWN_SSRC);
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
  rtcp.report.ssrc = t.sink.ssrc + 1;
  size = tfrc_wire_write_receiver_report (buffer, &rtcp, "x");
  fail_unless_equals_int (give (buffer, size), TFRC_RTCP_FOREIGN);
  rtcp.has_report = FALSE;
  size = tfrc_wire_write_receiver_report (buffer, &rtcp, "x");
  fail_unless_equals_int (give (buffer, size), TFRC_RTCP_FOREIGN);
  size = tfrc_wire_write_feedback (buffer, 7, t.sink.ssrc + 1,
      &t.feedback.feedback, NULL);
  fail_unless_equals_int (give (buffer, size), TFRC_RTCP_FOREIGN);
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
  /* about what we shall send in a second */
  feedback.recv_data_us = tfrc_sender_wire_time_us (t.sink.sender,
      t.now_ns + S);
  size = tfrc_wire_write_feedback (buffer, OWN_SSRC, t.sink.ssrc, &feedback,
      NULL);
  give (buffer, size);
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, refused + 1);
  assert_nothing_changed ();
}

GST_END_TEST;

GST_START_TEST (malformed_packets_are_told)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES] = { 0 };
  TfrcReceivedPacket packet;
  gsize size;

  session_test_connect (&t);
  remember ();
  fail_unless_equals_int (give (buffer, sizeof buffer), TFRC_RTCP_MALFORMED);
  fail_unless_equals_int (give (buffer, 0), TFRC_RTCP_MALFORMED);
  size = tfrc_wire_write_feedback (buffer, OWN_SSRC, t.sink.ssrc,
      &t.feedback.feedback, NULL);
  for (gsize cut = 0; cut < size; cut++)
    fail_unless_equals_int (give (buffer, cut), TFRC_RTCP_MALFORMED);
  packet = received (&t, buffer, size);
  packet.truncated = TRUE;
  fail_unless_equals_int (tfrc_sink_session_on_rtcp (&t.sink, &packet),
      TFRC_RTCP_MALFORMED);
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
  tcase_add_test (tc, an_idle_stream_keeps_its_peer);
  tcase_add_test (tc, a_peer_that_says_bye_is_gone_at_once);
  tcase_add_test (tc, what_the_receiver_says_is_kept);
  tcase_add_test (tc, reports_and_feedback_about_other_streams_are_foreign);
  tcase_add_test (tc, impossible_feedback_changes_nothing);
  tcase_add_test (tc, malformed_packets_are_told);
  return s;
}

GST_CHECK_MAIN (sinkpeer);
