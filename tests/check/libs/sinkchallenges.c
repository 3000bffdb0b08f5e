/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Challenges of a receiver that does not know the sender yet, see gst/flow/sendsession.h */
#include "signtest.h"

/* ---- challenges ---------------------------------------------------------- */

GST_START_TEST (a_challenge_before_the_first_packet_is_answered_by_one_packet)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (challenge (OTHER_SSRC), GST_TFRC_RTCP_USED);
  fail_unless_equals_int (take_response (buffer), TFRC_WIRE_MIN_PATH_BYTES);
  fail_unless_equals_int (
      tfrc_wire_parse_rtcp (buffer, TFRC_WIRE_MIN_PATH_BYTES, 0, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_response);
  fail_unless_equals_int (rtcp.sender_ssrc, numbers_of (t.sink).ssrc);
  fail_unless (memcmp (rtcp.response, question, sizeof question) == 0);
  fail_unless_equals_int (take_response (buffer), 0);
  /* no other packet becomes due */
  fail_unless_equals_uint64 (gst_tfrc_send_session_next_timer (t.sink).due_ns, NEVER);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_WAITING);
}

GST_END_TEST;

GST_START_TEST (challenges_from_elsewhere_are_not_answered)
{
  struct sockaddr_in v4 = {
    .sin_family = AF_INET, .sin_port = htons (5004), .sin_addr.s_addr = htonl (0xc0000242)
  };
  guint8 buffer[TFRC_WIRE_MIN_PATH_BYTES];
  GstTfrcReceivedPacket packet;
  GstTfrcAddress elsewhere;
  gsize size = tfrc_wire_write_path_challenge (buffer, sizeof buffer, OWN_SSRC, question);

  session_test_connect (&t);
  gst_tfrc_address_from_sockaddr (&elsewhere, (struct sockaddr *) &v4, sizeof v4);
  packet = received_from (&t, &elsewhere, buffer, size);
  fail_unless_equals_int (gst_tfrc_send_session_on_rtcp (t.sink, &packet), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (take_response (buffer), 0);
  /* the sender's own challenge, sent back, is not answered either */
  fail_unless_equals_int (challenge (numbers_of (t.sink).ssrc), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (take_response (buffer), 0);
}

GST_END_TEST;

GST_START_TEST (after_bye_challenges_are_not_answered)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  session_test_connect (&t);
  fail_unless (gst_tfrc_send_session_write_bye (t.sink, buffer) > 0);
  fail_unless_equals_int (challenge (OWN_SSRC), GST_TFRC_RTCP_USED);
  fail_unless_equals_int (take_response (buffer), 0);
  /* the answers begin again with the next stream */
  t.backlog = 1;
  run (&t, 0);
  fail_unless_equals_int (challenge (OWN_SSRC), GST_TFRC_RTCP_USED);
  fail_unless_equals_int (take_response (buffer), TFRC_WIRE_MIN_PATH_BYTES);
}

GST_END_TEST;

/* The stream is shorter than R. All its packets have left when the first challenge comes. */
GST_START_TEST (a_receiver_that_has_not_been_heard_is_answered_after_bye)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  t.deaf = TRUE;
  t.backlog = 1;
  run (&t, 0);
  fail_unless (gst_tfrc_send_session_write_bye (t.sink, buffer) > 0);
  fail_unless_equals_int (challenge (OWN_SSRC), GST_TFRC_RTCP_USED);
  fail_unless_equals_int (take_response (buffer), TFRC_WIRE_MIN_PATH_BYTES);
}

GST_END_TEST;

static guint
responses_to (guint challenges, guint32 ssrc, guint64 interval_ns)
{
  guint8 buffer[TFRC_WIRE_MIN_PATH_BYTES];
  guint responses = 0;

  for (guint i = 0; i < challenges; i++) {
    challenge (ssrc);
    responses += take_response (buffer) > 0;
    run (&t, interval_ns);
  }
  return responses;
}

/* 20 responses at once and 20 per second. Forged challenges do not take the receiver's share. */
GST_START_TEST (responses_are_limited_for_others_and_for_the_receiver)
{
  session_test_connect (&t);
  fail_unless_equals_int (responses_to (1000, OTHER_SSRC, 0), 20);
  fail_unless_equals_int (responses_to (1000, OWN_SSRC, 0), 20);
  run (&t, 10 * S);
  fail_unless_equals_int (responses_to (10000, OTHER_SSRC, MS), 20 + 199);
}

GST_END_TEST;

GST_START_TEST (a_challenge_does_not_connect_a_peer)
{
  run_alone (60 * S);
  fail_unless_equals_int (challenge (OTHER_SSRC), GST_TFRC_RTCP_USED);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_WAITING);
  fail_unless (is_absent ());
}

GST_END_TEST;

/* ---- a receiver that starts late ----------------------------------------- */

/* The receiver has been told the sender's address. */
GST_START_TEST (a_probe_is_answered_by_data_at_once)
{
  const guint64 late_ns[] = { 100 * MS, 500 * MS, 1500 * MS, 2500 * MS, 10 * S, 30 * S, 60 * S,
    120 * S };

  for (guint i = 0; i < G_N_ELEMENTS (late_ns); i++) {
    guint64 sent;

    teardown ();
    setup ();
    run_alone (late_ns[i]);
    sent = t.data_sent;
    challenge (OWN_SSRC);
    run (&t, 0);
    fail_unless_equals_uint64 (t.data_sent, sent + 1);
    /* feedback about this data packet controls the rate */
    run (&t, RTT);
    fail_unless (t.data_sent > sent + 1);
    fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
    run (&t, 2 * S);
    fail_unless (t.data_sent > sent + 100);
  }
}

GST_END_TEST;

/* The receiver does not know the sender, so it answers the next sender report with a challenge. */
GST_START_TEST (a_report_is_enough_to_start_a_stream)
{
  const guint64 late_ns[] = { 10 * S, 30 * S, 60 * S, 120 * S };

  for (guint i = 0; i < G_N_ELEMENTS (late_ns); i++) {
    guint64 begin_ns;
    guint srs;

    teardown ();
    setup ();
    run_alone (late_ns[i]);
    begin_ns = t.now_ns;
    srs = t.srs;
    while (t.srs == srs && t.data_received == 0)
      run (&t, MS);
    run (&t, RTT);
    challenge (OWN_SSRC);
    run (&t, RTT / 2);
    fail_unless (t.data_received > 0);
    fail_unless (t.now_ns - begin_ns <= 4 * S + 2 * RTT);
  }
}

GST_END_TEST;

GST_START_TEST (a_challenge_hurries_the_next_report_once_a_second)
{
  guint srs;

  run_alone (60 * S);
  t.drop_from = 0;
  srs = t.srs;
  for (guint i = 0; i < 4000; i++) {
    challenge (OTHER_SSRC);
    run (&t, 10 * MS);
  }
  fail_unless (t.srs - srs >= 39 && t.srs - srs <= 41);
  /* a report that is not needed does not leave */
  teardown ();
  setup ();
  session_test_connect (&t);
  t.backlog = 100000;
  run_to_report (&t);
  srs = t.srs;
  challenge (OTHER_SSRC);
  run (&t, S);
  fail_unless_equals_int (t.srs, srs);
}

GST_END_TEST;

GST_START_TEST (reports_go_on_when_the_receiver_is_lost_or_gone)
{
  session_test_connect (&t);
  t.deaf = TRUE;
  t.backlog = 100000;
  run (&t, 100 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_LOST);
  fail_unless (t.longest_sr_ns <= REPORT_INTERVAL);
  teardown ();
  setup ();
  session_test_connect (&t);
  bye (OWN_SSRC);
  t.deaf = TRUE;
  run (&t, 100 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_GONE);
  fail_unless (t.longest_sr_ns <= REPORT_INTERVAL);
}

GST_END_TEST;

static Suite *
sinkchallenges_suite (void)
{
  Suite *s = suite_create ("sinkchallenges");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_challenge_before_the_first_packet_is_answered_by_one_packet);
  tcase_add_test (tc, challenges_from_elsewhere_are_not_answered);
  tcase_add_test (tc, after_bye_challenges_are_not_answered);
  tcase_add_test (tc, a_receiver_that_has_not_been_heard_is_answered_after_bye);
  tcase_add_test (tc, responses_are_limited_for_others_and_for_the_receiver);
  tcase_add_test (tc, a_challenge_does_not_connect_a_peer);
  tcase_add_test (tc, a_probe_is_answered_by_data_at_once);
  tcase_add_test (tc, a_report_is_enough_to_start_a_stream);
  tcase_add_test (tc, a_challenge_hurries_the_next_report_once_a_second);
  tcase_add_test (tc, reports_go_on_when_the_receiver_is_lost_or_gone);
  return s;
}

GST_CHECK_MAIN (sinkchallenges);
