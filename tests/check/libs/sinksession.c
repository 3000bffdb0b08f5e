/* What a sender knows of its receiver, see gst/tfrcsink/tfrcsinksession.h. */
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

/* The wire counts microseconds. */
static void
assert_rtt (void)
{
  guint64 rtt_ns = sender_stats (&t).rtt_ns;

  fail_unless (rtt_ns >= RTT - US && rtt_ns <= RTT + US);
}

/* ---- data ---------------------------------------------------------------- */

GST_START_TEST (headers_carry_what_the_wire_format_says)
{
  guint64 now_us = t.now_ns / US + t.sink.clock_offset_us;
  guint16 first_seq;

  t.backlog = 2;
  t.sender_delay_ns = 40 * MS;
  send_data (&t);
  fail_unless_equals_int (t.header.payload_type, 33);
  fail_if (t.header.marker);
  fail_unless_equals_int (t.header.ssrc, t.sink.ssrc);
  fail_unless (t.header.has_rtt_sendts);
  fail_unless_equals_int (t.header.rtt_us, 0);
  fail_unless_equals_int (t.header.send_time_us, (guint32) now_us);
  /* when it was due, by the same clock in other units */
  fail_unless_equals_int (t.header.timestamp,
      (guint32) (((t.now_ns - 40 * MS) / US + t.sink.clock_offset_us) * 9 /
          100));
  first_seq = t.header.seq;
  run (&t, 5 * S);
  fail_unless_equals_int (t.header.seq, (guint16) (first_seq + 1));
  fail_unless_equals_int (t.header.rtt_us, RTT / US);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_comes_too_early_changes_nothing)
{
  guint8 header[TFRC_WIRE_MAX_HEADER_BYTES];
  guint16 seq;

  t.backlog = 2;
  send_data (&t);
  seq = t.header.seq;
  fail_unless_equals_int (tfrc_sink_session_write_header (&t.sink, SEGMENT,
          t.now_ns, t.now_ns + 1, header), 0);
  fail_unless_equals_uint64 (sender_stats (&t).packets_sent, 1);
  t.now_ns = tfrc_sender_next_send_ns (t.sink.sender);
  send_data (&t);
  fail_unless_equals_int (t.header.seq, (guint16) (seq + 1));
}

GST_END_TEST;

GST_START_TEST (streams_do_not_begin_alike)
{
  SessionTest other;

  session_test_init (&other);
  /* four random numbers of 32 bits; all would have to be equal */
  fail_if (t.sink.ssrc == other.sink.ssrc
      && t.sink.clock_offset_us == other.sink.clock_offset_us);
  fail_if (g_str_equal (t.sink.cname, other.sink.cname));
  session_test_clear (&other);
}

GST_END_TEST;

GST_START_TEST (the_round_trip_time_is_learned)
{
  session_test_connect (&t);
  assert_rtt ();
  t.backlog = 1000;
  run (&t, 4 * S);
  /* p = 0: the rate has grown beyond that of RFC 3390 */
  fail_unless (tfrc_sink_session_get_bitrate (&t.sink) >
      8 * 4380 * S / RTT);
  run (&t, 4 * S);
  fail_unless_equals_int (t.backlog, 0);
  assert_rtt ();
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, 0);
  fail_unless_equals_uint64 (t.data_received, t.data_sent);
}

GST_END_TEST;

GST_START_TEST (the_start_bitrate_holds_once_the_round_trip_time_is_known)
{
  session_test_clear (&t);
  session_test_init (&t);
  tfrc_sink_session_clear (&t.sink);
  fail_unless (tfrc_sink_session_init (&t.sink, 3000000, 0));
  /* until then s bytes per second */
  fail_unless_equals_uint64 (tfrc_sink_session_get_bitrate (&t.sink),
      8 * SEGMENT);
  t.backlog = 1;
  run (&t, RTT);
  fail_unless_equals_uint64 (tfrc_sink_session_get_bitrate (&t.sink), 3000000);
}

GST_END_TEST;

GST_START_TEST (send_times_and_time_stamps_wrap)
{
  const guint64 wraps_us[] = {
    /* 2^32 us and 2^32 / 90 kHz, both rounded up to what we pass */
    G_GUINT64_CONSTANT (1) << 32, (G_GUINT64_CONSTANT (100) << 32) / 9,
  };

  for (guint i = 0; i < G_N_ELEMENTS (wraps_us); i++) {
    guint32 timestamp, send_time_us;

    teardown ();
    setup ();
    /* the next time this wraps after now, less 2 s */
    t.now_ns = (((t.now_ns / US + t.sink.clock_offset_us) / wraps_us[i] + 2)
        * wraps_us[i] - t.sink.clock_offset_us) * US - 2 * S;
    t.backlog = 2;
    send_data (&t);
    timestamp = t.header.timestamp;
    send_time_us = t.header.send_time_us;
    t.backlog = 1000;
    run (&t, 4 * S);
    fail_unless (t.data_received > 500);
    fail_unless (i == 0 ? t.header.send_time_us < send_time_us :
        t.header.timestamp < timestamp);
    assert_rtt ();
    fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, 0);
    fail_unless_equals_uint64 (sender_stats (&t).nofeedback_expirations, 0);
    fail_unless (t.src->jitter < 2);
  }
}

GST_END_TEST;

/* ---- sender reports ------------------------------------------------------ */

GST_START_TEST (reports_begin_with_the_data)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  fail_unless_equals_int (tfrc_sink_session_write_rtcp (&t.sink, t.now_ns,
          buffer), 0);
  fail_unless_equals_uint64 (tfrc_sink_session_next_ns (&t.sink), NEVER);
  t.backlog = 1;
  send_data (&t);
  fail_unless (tfrc_sink_session_next_ns (&t.sink) <= t.now_ns);
  serve_sink (&t);
  fail_unless_equals_int (t.srs, 1);
}

GST_END_TEST;

GST_START_TEST (reports_are_at_most_4_s_apart)
{
  session_test_connect (&t);
  t.backlog = 100;
  run (&t, 20 * S);
  fail_unless_equals_int (t.backlog, 0);
  run (&t, 40 * S);             /* idle */
  fail_unless (t.srs >= 15);
  fail_unless (t.longest_sr_ns <= 4 * S);
}

GST_END_TEST;

GST_START_TEST (a_report_counts_what_was_sent)
{
  session_test_connect (&t);
  t.backlog = 123;
  run (&t, 20 * S);
  fail_unless_equals_int (t.sr.sender_ssrc, t.sink.ssrc);
  fail_unless_equals_int (t.sr.sr_packets, 128);
  fail_unless_equals_int (t.sr.sr_bytes, 128 * SEGMENT);
}

GST_END_TEST;

GST_START_TEST (a_report_shows_all_clocks_at_one_moment)
{
  TfrcClockMap map;
  guint64 before_ns = tfrc_clock_now_ns (), after_ns, us;
  guint64 wall_before_ns = tfrc_clock_wall_ns ();
  guint32 age_us;

  t.backlog = 1;
  run (&t, 0);
  fail_unless_equals_int (t.srs, 1);
  after_ns = tfrc_clock_now_ns ();
  tfrc_clock_map_init (&map);
  fail_unless (t.sr.has_clock);
  fail_unless (t.sr.sr_ntp >= tfrc_clock_wall_to_ntp (wall_before_ns));
  fail_unless (t.sr.sr_ntp <= tfrc_clock_wall_to_ntp (map.wall_ns));
  us = before_ns / US + t.sink.clock_offset_us;
  age_us = t.sr.clock_send_time_us - (guint32) us;
  fail_unless (age_us <= (after_ns - before_ns) / US + 1);
  /* the time stamp is the send time in other units */
  us += age_us;
  fail_unless_equals_int (t.sr.sr_timestamp, (guint32) (us * 9 / 100));
}

GST_END_TEST;

/* ---- the end ------------------------------------------------------------- */

static void
say_bye (void)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size = tfrc_sink_session_write_bye (&t.sink, buffer);

  fail_unless (size > 0);
  transmit (&t, TRUE, buffer, size);
}

GST_START_TEST (a_stream_that_has_not_begun_needs_no_bye)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  fail_unless_equals_int (tfrc_sink_session_write_bye (&t.sink, buffer), 0);
}

GST_END_TEST;

GST_START_TEST (bye_ends_reports_on_both_sides)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  guint srs, rrs;

  session_test_connect (&t);
  srs = t.srs;
  rrs = t.rrs;
  say_bye ();
  fail_unless_equals_int (tfrc_sink_session_write_bye (&t.sink, buffer), 0);
  run (&t, 60 * S);
  fail_unless_equals_int (t.byes, 1);
  fail_unless_equals_int (t.srs, srs);
  fail_unless_equals_int (t.rrs, rrs);
  fail_unless (t.src->ended);
}

GST_END_TEST;

/* Nobody asks it any more, so it need not answer. */
GST_START_TEST (the_peer_is_not_lost_after_our_bye)
{
  session_test_connect (&t);
  say_bye ();
  run (&t, 60 * S);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (data_after_bye_begins_another_stream)
{
  guint32 ssrc = t.sink.ssrc;
  guint srs;

  session_test_connect (&t);
  say_bye ();
  run (&t, 60 * S);
  srs = t.srs;
  /* the receiver starts listening to the new SSRC */
  tfrc_src_session_free (t.src);
  t.src = NULL;
  t.backlog = 1;
  run (&t, 0);
  fail_if (t.header.ssrc == ssrc);
  fail_unless_equals_int (t.header.ssrc, t.sink.ssrc);
  /* which needs a report at once, like the first */
  fail_unless_equals_int (t.srs, srs + 1);
  fail_unless_equals_int (t.sr.sender_ssrc, t.sink.ssrc);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  run (&t, 30 * S);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, 0);
}

GST_END_TEST;

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

GST_START_TEST (a_peer_that_says_bye_is_lost_at_once)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;

  session_test_connect (&t);
  size = tfrc_wire_write_bye (buffer, OWN_SSRC + 1, "another");
  fail_unless_equals_int (give (buffer, size), TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_CONNECTED);
  size = tfrc_wire_write_bye (buffer, OWN_SSRC, "test");
  fail_unless_equals_int (give (buffer, size), TFRC_RTCP_USED);
  fail_unless_equals_int (t.sink.peer_state, TFRC_PEER_LOST);
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
sinksession_suite (void)
{
  Suite *s = suite_create ("sinksession");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, headers_carry_what_the_wire_format_says);
  tcase_add_test (tc, a_packet_that_comes_too_early_changes_nothing);
  tcase_add_test (tc, streams_do_not_begin_alike);
  tcase_add_test (tc, the_round_trip_time_is_learned);
  tcase_add_test (tc,
      the_start_bitrate_holds_once_the_round_trip_time_is_known);
  tcase_add_test (tc, send_times_and_time_stamps_wrap);
  tcase_add_test (tc, reports_begin_with_the_data);
  tcase_add_test (tc, reports_are_at_most_4_s_apart);
  tcase_add_test (tc, a_report_counts_what_was_sent);
  tcase_add_test (tc, a_report_shows_all_clocks_at_one_moment);
  tcase_add_test (tc, a_stream_that_has_not_begun_needs_no_bye);
  tcase_add_test (tc, bye_ends_reports_on_both_sides);
  tcase_add_test (tc, the_peer_is_not_lost_after_our_bye);
  tcase_add_test (tc, data_after_bye_begins_another_stream);
  tcase_add_test (tc, a_peer_is_waited_for_until_it_is_heard);
  tcase_add_test (tc, a_peer_is_lost_after_10_s_of_silence);
  tcase_add_test (tc, an_idle_stream_keeps_its_peer);
  tcase_add_test (tc, a_peer_that_says_bye_is_lost_at_once);
  tcase_add_test (tc, what_the_receiver_says_is_kept);
  tcase_add_test (tc, reports_and_feedback_about_other_streams_are_foreign);
  tcase_add_test (tc, impossible_feedback_changes_nothing);
  tcase_add_test (tc, malformed_packets_are_told);
  return s;
}

GST_CHECK_MAIN (sinksession);
