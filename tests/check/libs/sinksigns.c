/* Challenges and reports from the receiver's address, which are signs of life
 * alone, see gst/tfrcsink/tfrcsinksession.h. */
#include "sessiontest.h"

#define OTHER_SSRC 0x0badcafe
#define REPORT_INTERVAL (3900 * MS)

static const guint8 question[TFRC_WIRE_PATH_DATA_BYTES] =
    { 1, 2, 3, 4, 5, 6, 7, 8 };

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

static TfrcRtcpResult
give (guint8 * data, gsize size)
{
  TfrcReceivedPacket packet = received (&t, data, size);

  return tfrc_sink_session_on_rtcp (&t.sink, &packet);
}

static TfrcRtcpResult
challenge (guint32 ssrc)
{
  guint8 buffer[TFRC_WIRE_MIN_PATH_BYTES];

  return give (buffer, tfrc_wire_write_path_challenge (buffer, sizeof buffer,
          ssrc, question));
}

static TfrcRtcpResult
report (guint32 ssrc)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp = {.sender_ssrc = ssrc,.has_report = TRUE };

  rtcp.report.ssrc = t.sink.ssrc;
  return give (buffer, tfrc_wire_write_receiver_report (buffer, &rtcp, "x"));
}

static TfrcRtcpResult
bye (guint32 ssrc)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  return give (buffer, tfrc_wire_write_bye (buffer, ssrc, "x"));
}

static gsize
take_response (guint8 * buffer)
{
  return tfrc_sink_session_write_response (&t.sink, buffer);
}

static gboolean
is_absent (void)
{
  return tfrc_sink_session_is_peer_absent (&t.sink);
}

/* There is no receiver for so long. */
static void
run_alone (guint64 duration_ns)
{
  t.backlog = 100000;
  t.drop_from = 0;
  run (&t, duration_ns);
  t.drop_from = NEVER;
}

/* ---- challenges ---------------------------------------------------------- */

GST_START_TEST (a_challenge_before_the_first_packet_is_answered_by_one_packet)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (challenge (OTHER_SSRC), TFRC_RTCP_USED);
  fail_unless_equals_int (take_response (buffer), TFRC_WIRE_MIN_PATH_BYTES);
  fail_unless_equals_int (tfrc_wire_parse_rtcp (buffer,
          TFRC_WIRE_MIN_PATH_BYTES, 0, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_response);
  fail_unless_equals_int (rtcp.sender_ssrc, t.sink.ssrc);
  fail_unless (memcmp (rtcp.response, question, sizeof question) == 0);
  fail_unless_equals_int (take_response (buffer), 0);
  /* and nothing else becomes due */
  fail_unless_equals_uint64 (tfrc_sink_session_next_ns (&t.sink), NEVER);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_WAITING);
}

GST_END_TEST;

GST_START_TEST (challenges_from_elsewhere_are_not_answered)
{
  struct sockaddr_in v4 = {.sin_family = AF_INET,.sin_port = htons (5004),
    .sin_addr.s_addr = htonl (0xc0000242)
  };
  guint8 buffer[TFRC_WIRE_MIN_PATH_BYTES];
  TfrcReceivedPacket packet;
  TfrcAddress elsewhere;
  gsize size = tfrc_wire_write_path_challenge (buffer, sizeof buffer,
      OWN_SSRC, question);

  session_test_connect (&t);
  tfrc_address_from_sockaddr (&elsewhere, (struct sockaddr *) &v4, sizeof v4);
  packet = received_from (&t, &elsewhere, buffer, size);
  fail_unless_equals_int (tfrc_sink_session_on_rtcp (&t.sink, &packet),
      TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (take_response (buffer), 0);
  /* nor is one that is our own, sent back */
  fail_unless_equals_int (challenge (t.sink.ssrc), TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (take_response (buffer), 0);
}

GST_END_TEST;

GST_START_TEST (after_bye_challenges_are_met_with_silence)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  session_test_connect (&t);
  fail_unless (tfrc_sink_session_write_bye (&t.sink, buffer) > 0);
  fail_unless_equals_int (challenge (OWN_SSRC), TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (take_response (buffer), 0);
  /* until there is another stream */
  t.backlog = 1;
  run (&t, 0);
  fail_unless_equals_int (challenge (OWN_SSRC), TFRC_RTCP_USED);
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

/* 20 at once and 20 per second; forged challenges do not take the receiver's. */
GST_START_TEST (responses_are_limited_for_others_and_for_the_receiver)
{
  session_test_connect (&t);
  fail_unless_equals_int (responses_to (1000, OTHER_SSRC, 0), 20);
  fail_unless_equals_int (responses_to (1000, OWN_SSRC, 0), 20);
  run (&t, 10 * S);
  fail_unless_equals_int (responses_to (10000, OTHER_SSRC, MS), 20 + 199);
}

GST_END_TEST;

GST_START_TEST (a_challenge_tells_of_nobody)
{
  run_alone (60 * S);
  fail_unless_equals_int (challenge (OTHER_SSRC), TFRC_RTCP_USED);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_WAITING);
  fail_unless (is_absent ());
}

GST_END_TEST;

/* ---- a receiver that starts late ----------------------------------------- */

/* The receiver has been told the sender's address. */
GST_START_TEST (a_hello_is_answered_by_data_at_once)
{
  const guint64 late_ns[] = { 100 * MS, 500 * MS, 1500 * MS, 2500 * MS, 10 * S,
    30 * S, 60 * S, 120 * S
  };

  for (guint i = 0; i < G_N_ELEMENTS (late_ns); i++) {
    guint64 sent;

    teardown ();
    setup ();
    run_alone (late_ns[i]);
    sent = t.data_sent;
    challenge (OWN_SSRC);
    run (&t, 0);
    fail_unless_equals_uint64 (t.data_sent, sent + 1);
    /* feedback about it controls the rate */
    run (&t, RTT);
    fail_unless (t.data_sent > sent + 1);
    fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
    run (&t, 2 * S);
    fail_unless (t.data_sent > sent + 100);
  }
}

GST_END_TEST;

/* The receiver answers the next sender report, as it does not know the sender. */
GST_START_TEST (a_report_is_enough_to_begin)
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
  /* not one that is not needed */
  teardown ();
  setup ();
  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 2 * S);
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
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_LOST);
  fail_unless (t.longest_sr_ns <= REPORT_INTERVAL);
  teardown ();
  setup ();
  session_test_connect (&t);
  bye (OWN_SSRC);
  t.deaf = TRUE;
  run (&t, 100 * S);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_GONE);
  fail_unless (t.longest_sr_ns <= REPORT_INTERVAL);
}

GST_END_TEST;

/* ---- what signs of life release ------------------------------------------ */

/* A sender whose receiver was heard, and then for five minutes not; so it may
 * send a packet in 64 s.  Signs of life come from then on. */
static guint
released_by (TfrcRtcpResult (*sign) (guint32 ssrc), guint32 ssrc)
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

GST_START_TEST (receiver_reports_release_one_packet_for_each_sender_report)
{
  guint released = released_by (report, OWN_SSRC);

  /* 40 s of reports 3.9 s apart, one before them, and a packet that is due */
  fail_unless (t.srs == 10 || t.srs == 11);
  fail_unless (released >= 10 && released <= t.srs + 2);
}

GST_END_TEST;

GST_START_TEST (challenges_release_one_packet_for_each_sender_report)
{
  guint released = released_by (challenge, OTHER_SSRC);

  fail_unless (t.srs >= 39 && t.srs <= 41);
  fail_unless (released >= 39 && released <= t.srs + 2);
}

GST_END_TEST;

/* Without any feedback: a packet per 64 s is due in the end. */
GST_START_TEST (reports_before_any_feedback_release_no_more)
{
  guint64 sent;

  run_alone (300 * S);
  sent = t.data_sent;
  t.srs = 0;
  t.drop_from = 0;
  for (guint i = 0; i < 40000; i++) {
    report (OWN_SSRC);
    run (&t, MS);
  }
  fail_unless (t.data_sent - sent <= t.srs + 2);
}

GST_END_TEST;

GST_START_TEST (while_feedback_comes_signs_of_life_release_nothing)
{
  guint64 next_ns;

  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 5 * S);
  next_ns = tfrc_sender_next_send_ns (t.sink.sender);
  report (OWN_SSRC);
  challenge (OWN_SSRC);
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t.sink.sender), next_ns);
}

GST_END_TEST;

/* It is there, but does not control the rate: what waits is dropped in time. */
GST_START_TEST (a_receiver_that_sends_reports_alone_stops_no_pipeline)
{
  t.deaf = TRUE;
  t.backlog = 100000;
  run (&t, S);
  report (OTHER_SSRC);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  fail_if (is_absent ());
  run (&t, 2 * S);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  fail_unless (is_absent ());
}

GST_END_TEST;

/* ---- another SSRC at the same address ------------------------------------ */

GST_START_TEST (reports_and_bye_of_another_ssrc_do_nothing)
{
  guint64 heard_ns;

  session_test_connect (&t);
  heard_ns = t.sink.peer_heard_ns;
  run (&t, 100 * MS);
  fail_unless_equals_int (report (OTHER_SSRC), TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (bye (OTHER_SSRC), TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (t.sink.peer_ssrc, OWN_SSRC);
  fail_unless_equals_uint64 (t.sink.peer_heard_ns, heard_ns);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  /* nor when the receiver has been lost */
  t.deaf = TRUE;
  run (&t, 20 * S);
  fail_unless_equals_int (report (OTHER_SSRC), TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_LOST);
}

GST_END_TEST;

/* It counts its feedback and its losses from 0. */
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
  give (buffer, tfrc_wire_write_feedback (buffer, OTHER_SSRC, t.sink.ssrc,
          &feedback, &state));
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_received, used + 1);
  fail_unless_equals_int (t.sink.peer_ssrc, OTHER_SSRC);
  fail_unless_equals_int (t.sink.peer_says.feedback_number, 0);
  /* and now the one before is another */
  fail_unless_equals_int (bye (OWN_SSRC), TFRC_RTCP_FOREIGN);
}

GST_END_TEST;

/* ---- BYE ----------------------------------------------------------------- */

/* Of one forged BYE nothing is left when the next feedback comes, and until then
 * nothing is different for the data. */
GST_START_TEST (a_forged_bye_drops_nothing_and_stops_nothing)
{
  gdouble rate_Bps;
  guint64 sent, expirations;

  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 5 * S);
  rate_Bps = tfrc_sink_session_get_rate_Bps (&t.sink);
  expirations = sender_stats (&t).nofeedback_expirations;
  sent = t.data_sent;
  fail_unless_equals_int (bye (OWN_SSRC), TFRC_RTCP_USED);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_GONE);
  for (guint i = 0; t.sink.peer_state == TFRC_PEER_GONE; i++) {
    fail_unless (i <= RTT / MS);
    fail_if (is_absent ());
    fail_unless_equals_float (tfrc_sink_session_get_rate_Bps (&t.sink),
        rate_Bps);
    run (&t, MS);
  }
  run (&t, S);
  /* 190 packets per second */
  fail_unless (t.data_sent - sent >= 189);
  fail_unless_equals_uint64 (sender_stats (&t).nofeedback_expirations,
      expirations);
}

GST_END_TEST;

/* An idle stream: no feedback would come.  A report asks instead. */
GST_START_TEST (a_forged_bye_is_disproved_by_the_answer_to_a_report)
{
  guint srs;

  session_test_connect (&t);
  run (&t, 3 * S);
  srs = t.srs;
  bye (OWN_SSRC);
  run (&t, RTT);
  fail_unless_equals_int (t.srs, srs + 1);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  fail_if (is_absent ());
  /* the next one is asked about a second after the last report */
  bye (OWN_SSRC);
  run (&t, S - RTT - MS);
  fail_unless_equals_int (t.srs, srs + 1);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_GONE);
  run (&t, RTT + MS);
  fail_unless_equals_int (t.srs, srs + 2);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  fail_if (is_absent ());
}

GST_END_TEST;

GST_START_TEST (after_a_true_bye_the_receiver_is_absent_when_it_does_not_answer)
{
  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 2 * S);
  bye (OWN_SSRC);
  t.deaf = TRUE;
  g_queue_clear_full (&t.network, g_free);
  run (&t, S - 1);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_GONE);
  fail_if (is_absent ());
  run (&t, 1);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_GONE);
  fail_unless (is_absent ());
}

GST_END_TEST;

GST_START_TEST (a_bye_of_nobody_answers_nothing)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  t.deaf = TRUE;
  t.backlog = 1;
  run (&t, S);
  fail_unless (tfrc_sink_session_write_bye (&t.sink, buffer) > 0);
  fail_unless_equals_int (bye (0), TFRC_RTCP_FOREIGN);
  fail_if (t.sink.bye_answered);
}

GST_END_TEST;

static Suite *
sinksigns_suite (void)
{
  Suite *s = suite_create ("sinksigns");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc,
      a_challenge_before_the_first_packet_is_answered_by_one_packet);
  tcase_add_test (tc, challenges_from_elsewhere_are_not_answered);
  tcase_add_test (tc, after_bye_challenges_are_met_with_silence);
  tcase_add_test (tc, responses_are_limited_for_others_and_for_the_receiver);
  tcase_add_test (tc, a_challenge_tells_of_nobody);
  tcase_add_test (tc, a_hello_is_answered_by_data_at_once);
  tcase_add_test (tc, a_report_is_enough_to_begin);
  tcase_add_test (tc, a_challenge_hurries_the_next_report_once_a_second);
  tcase_add_test (tc, reports_go_on_when_the_receiver_is_lost_or_gone);
  tcase_add_test (tc,
      receiver_reports_release_one_packet_for_each_sender_report);
  tcase_add_test (tc, challenges_release_one_packet_for_each_sender_report);
  tcase_add_test (tc, reports_before_any_feedback_release_no_more);
  tcase_add_test (tc, while_feedback_comes_signs_of_life_release_nothing);
  tcase_add_test (tc, a_receiver_that_sends_reports_alone_stops_no_pipeline);
  tcase_add_test (tc, reports_and_bye_of_another_ssrc_do_nothing);
  tcase_add_test (tc,
      a_receiver_that_has_started_again_is_followed_by_its_feedback);
  tcase_add_test (tc, a_forged_bye_drops_nothing_and_stops_nothing);
  tcase_add_test (tc, a_forged_bye_is_disproved_by_the_answer_to_a_report);
  tcase_add_test (tc,
      after_a_true_bye_the_receiver_is_absent_when_it_does_not_answer);
  tcase_add_test (tc, a_bye_of_nobody_answers_nothing);
  return s;
}

GST_CHECK_MAIN (sinksigns);
