/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data and reports of a sender, see gst/flow/sendsession.h. */
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

/* R may differ by a microsecond, the unit on the wire. */
static void
assert_rtt (void)
{
  guint64 rtt_ns = sender_stats (&t).rtt_ns;

  fail_unless (rtt_ns >= RTT - US && rtt_ns <= RTT + US);
}

/* The rate for an encoder */
static guint64
bitrate (void)
{
  return gst_tfrc_send_media_get_bitrate (gst_tfrc_send_session_get_media (t.sink));
}

/* ---- data ---------------------------------------------------------------- */

GST_START_TEST (headers_carry_what_the_wire_format_says)
{
  guint64 now_us = t.now_ns / US + numbers_of (t.sink).clock_offset_us;
  guint16 first_seq;

  t.backlog = 2;
  t.sender_delay_ns = 40 * MS;
  send_data (&t);
  fail_unless_equals_int (t.header.payload_type, 33);
  fail_if (t.header.marker);
  fail_unless_equals_int (t.header.ssrc, numbers_of (t.sink).ssrc);
  fail_unless (t.header.has_rtt_sendts);
  fail_unless_equals_int (t.header.rtt_us, 0);
  fail_unless_equals_int (t.header.send_time_us, (guint32) now_us);
  /* when the packet was due, by the same clock in other units */
  fail_unless_equals_int (t.header.timestamp,
      (guint32) (((t.now_ns - 40 * MS) / US + numbers_of (t.sink).clock_offset_us) * 9 / 100));
  first_seq = t.header.seq;
  run (&t, 5 * S);
  fail_unless_equals_int (t.header.seq, (guint16) (first_seq + 1));
  fail_unless_equals_int (t.header.rtt_us, RTT / US);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_comes_too_early_changes_nothing)
{
  GstTfrcOutgoing *packet = new_packet (&t);
  guint16 seq;

  t.backlog = 2;
  send_data (&t);
  seq = t.header.seq;
  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t.sink, packet, t.now_ns + 1), GST_TFRC_TOO_EARLY);
  fail_if (gst_tfrc_outgoing_has_rtp_seq (packet));
  gst_tfrc_outgoing_free (packet);
  fail_unless_equals_uint64 (sender_stats (&t).packets_sent, 1);
  t.now_ns = gst_tfrc_rate_control_next_send_ns (control_of (t.sink));
  send_data (&t);
  fail_unless_equals_int (t.header.seq, (guint16) (seq + 1));
}

GST_END_TEST;

GST_START_TEST (streams_begin_with_different_random_numbers)
{
  SessionTest other;

  session_test_init (&other);
  /* four random numbers of 32 bits would have to be equal */
  fail_if (numbers_of (t.sink).ssrc == numbers_of (other.sink).ssrc
      && numbers_of (t.sink).clock_offset_us == numbers_of (other.sink).clock_offset_us);
  fail_if (g_str_equal (gst_tfrc_rtp_stream_get_cname (rtp_of (t.sink)),
      gst_tfrc_rtp_stream_get_cname (rtp_of (other.sink))));
  session_test_clear (&other);
}

GST_END_TEST;

GST_START_TEST (the_round_trip_time_is_learned)
{
  session_test_connect (&t);
  assert_rtt ();
  t.backlog = 1000;
  run (&t, 4 * S);
  /* p = 0: the rate has grown above that of RFC 3390 */
  fail_unless (bitrate () > 8 * 4380 * S / RTT);
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
  session_test_restart_sink (
      &t, &(GstTfrcSendSessionConfig){ .media.rate.start_bitrate = 3000000 });
  /* until then the rate is s bytes per second, which does not estimate the bitrate */
  fail_unless (gst_tfrc_rate_control_get_rate_Bps (control_of (t.sink)) == SEGMENT);
  fail_unless_equals_uint64 (bitrate (), 0);
  t.backlog = 1;
  run (&t, RTT);
  fail_unless_equals_uint64 (bitrate (), 3000000);
}

GST_END_TEST;

GST_START_TEST (all_combinations_of_rate_limits_hold)
{
  const struct
  {
    guint64 min, max, start, rate;
  } cases[] = {
    { 0, 0, 3000000, 3000000 },
    { 0, 1000000, 3000000, 1000000 },
    { 4000000, 0, 3000000, 4000000 },
    { 4000000, 5000000, 3000000, 4000000 },
    /* the maximum wins, and no limit is below a packet in 64 seconds */
    { 4000000, 1000000, 3000000, 1000000 },
    { 4000000, 1, 3000000, 164 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    teardown ();
    setup ();
    session_test_restart_sink (
        &t, &(GstTfrcSendSessionConfig){ .media.rate.start_bitrate = cases[i].start });
    t.backlog = 1;
    run (&t, RTT);
    gst_tfrc_rate_control_set_limits (control_of (t.sink), cases[i].min, cases[i].max);
    fail_unless_equals_uint64 (bitrate (), cases[i].rate);
  }
}

GST_END_TEST;

GST_START_TEST (send_times_and_time_stamps_wrap)
{
  const guint64 wraps_us[] = {
    /* 2^32 us and 2^32 / 90 kHz, both rounded up */
    G_GUINT64_CONSTANT (1) << 32,
    (G_GUINT64_CONSTANT (100) << 32) / 9,
  };

  for (guint i = 0; i < G_N_ELEMENTS (wraps_us); i++) {
    guint32 timestamp, send_time_us;

    teardown ();
    setup ();
    /* 2 s before the next time at which this value wraps */
    t.now_ns = (((t.now_ns / US + numbers_of (t.sink).clock_offset_us) / wraps_us[i] + 2)
                       * wraps_us[i]
                   - numbers_of (t.sink).clock_offset_us)
            * US
        - 2 * S;
    t.backlog = 2;
    send_data (&t);
    timestamp = t.header.timestamp;
    send_time_us = t.header.send_time_us;
    t.backlog = 1000;
    run (&t, 4 * S);
    fail_unless (t.data_received > 500);
    fail_unless (i == 0 ? t.header.send_time_us < send_time_us : t.header.timestamp < timestamp);
    assert_rtt ();
    fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, 0);
    fail_unless_equals_uint64 (sender_stats (&t).nofeedback_expirations, 0);
    fail_unless (src_jitter (&t) < 2);
  }
}

GST_END_TEST;

/* ---- sender reports ------------------------------------------------------ */

GST_START_TEST (reports_begin_with_the_data)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  fail_unless_equals_int (gst_tfrc_send_session_write_rtcp (t.sink, t.now_ns, buffer), 0);
  fail_unless_equals_uint64 (gst_tfrc_send_session_next_timer (t.sink).due_ns, NEVER);
  fail_unless (gst_tfrc_send_session_next_timer (t.sink).name == NULL);
  t.backlog = 1;
  send_data (&t);
  fail_unless (gst_tfrc_send_session_next_timer (t.sink).due_ns <= t.now_ns);
  fail_unless_equals_string (gst_tfrc_send_session_next_timer (t.sink).name, "sender report");
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
  run (&t, 40 * S); /* idle: no data */
  fail_unless (t.srs >= 15);
  fail_unless (t.longest_sr_ns <= 4 * S);
}

GST_END_TEST;

#define REPORTS 20

/* The times between reports of an idle stream, whose reports leave at the times of this seed */
static void
note_intervals (guint32 seed, guint64 intervals_ns[REPORTS])
{
  GstTfrcSendSessionConfig config = {
    .media.streams[GST_TFRC_RTP_MEDIA].report_seed = seed,
  };
  guint64 last_ns;

  session_test_clear (&t);
  session_test_init (&t);
  session_test_restart_sink (&t, &config);
  session_test_connect (&t);
  for (guint i = 0; i < REPORTS; i++) {
    last_ns = t.sr_ns;
    while (t.sr_ns == last_ns)
      run (&t, MS);
    intervals_ns[i] = t.sr_ns - last_ns;
  }
}

/* RFC 3550 section 6.2: streams that begin together do not report together. */
GST_START_TEST (reports_leave_at_random_times)
{
  guint64 one[REPORTS], again[REPORTS], other[REPORTS], mean_ns = 0;
  guint alike = 0;

  note_intervals (1, one);
  note_intervals (1, again);
  note_intervals (2, other);
  for (guint i = 1; i < REPORTS; i++) {
    fail_unless (one[i] >= 1950 * MS && one[i] <= 3900 * MS, "%g s", one[i] / 1e9);
    fail_unless_equals_uint64 (one[i], again[i]);
    alike += one[i] == other[i];
    mean_ns += one[i] / (REPORTS - 1);
  }
  fail_unless_equals_int (alike, 0);
  fail_unless (mean_ns >= 2700 * MS && mean_ns <= 3150 * MS, "%g s", mean_ns / 1e9);
}

GST_END_TEST;

GST_START_TEST (a_report_counts_what_was_sent)
{
  session_test_connect (&t);
  t.backlog = 123;
  run (&t, 20 * S);
  fail_unless_equals_int (t.sr.sender_ssrc, numbers_of (t.sink).ssrc);
  fail_unless_equals_int (t.sr.sr_packets, 128);
  fail_unless_equals_int (t.sr.sr_bytes, 128 * SEGMENT);
}

GST_END_TEST;

GST_START_TEST (a_report_shows_all_clocks_at_one_moment)
{
  GstTfrcClockMap map;
  guint64 before_ns = gst_tfrc_clock_now_ns (), after_ns, us;
  guint64 wall_before_ns = gst_tfrc_clock_wall_ns ();
  guint32 age_us;

  t.backlog = 1;
  run (&t, 0);
  fail_unless_equals_int (t.srs, 1);
  after_ns = gst_tfrc_clock_now_ns ();
  gst_tfrc_clock_map_init (&map);
  fail_unless (t.sr.has_clock);
  fail_unless (t.sr.sr_ntp >= gst_tfrc_clock_wall_to_ntp (wall_before_ns));
  fail_unless (t.sr.sr_ntp <= gst_tfrc_clock_wall_to_ntp (map.wall_ns));
  us = before_ns / US + numbers_of (t.sink).clock_offset_us;
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
  gsize size = gst_tfrc_send_session_write_bye (t.sink, buffer);

  fail_unless (size > 0);
  transmit (&t, TRUE, buffer, size);
}

GST_START_TEST (a_stream_that_has_not_begun_needs_no_bye)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  fail_unless_equals_int (gst_tfrc_send_session_write_bye (t.sink, buffer), 0);
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
  /* the BYE may be repeated until it is answered */
  fail_unless (gst_tfrc_send_session_write_bye (t.sink, buffer) > 0);
  run (&t, 60 * S);
  fail_unless (gst_tfrc_receiver_view_is_bye_answered (receiver_of (t.sink)));
  fail_unless_equals_int (gst_tfrc_send_session_write_bye (t.sink, buffer), 0);
  fail_unless_equals_int (t.byes, 1);
  fail_unless_equals_int (t.srs, srs);
  fail_unless_equals_int (t.rrs, rrs);
  fail_unless (gst_tfrc_reception_has_ended (t.src));
}

GST_END_TEST;

/* The receiver is not asked any more, so it need not answer. */
GST_START_TEST (the_peer_is_not_lost_after_the_bye_of_the_sender)
{
  session_test_connect (&t);
  say_bye ();
  run (&t, 60 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (data_after_bye_begins_another_stream)
{
  guint32 ssrc = numbers_of (t.sink).ssrc;
  guint srs;

  session_test_connect (&t);
  say_bye ();
  run (&t, 60 * S);
  srs = t.srs;
  /* the receiver starts listening to the new SSRC */
  gst_tfrc_reception_free (t.src);
  t.src = NULL;
  t.backlog = 1;
  run (&t, 0);
  fail_if (t.header.ssrc == ssrc);
  fail_unless_equals_int (t.header.ssrc, numbers_of (t.sink).ssrc);
  /* the new stream needs a report at once, like the first stream */
  fail_unless_equals_int (t.srs, srs + 1);
  fail_unless_equals_int (t.sr.sender_ssrc, numbers_of (t.sink).ssrc);
  fail_unless_equals_int (t.sr.sr_packets, 1);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  run (&t, 30 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, 0);
}

GST_END_TEST;

/* The receiver has just begun to listen to the new SSRC, and counts its feedback from 0. This
 * feedback is not taken for older than feedback about the old SSRC. */
GST_START_TEST (a_stream_that_follows_at_once_is_controlled_at_once)
{
  guint64 received;

  t.delay_ns = 100 * US;
  session_test_connect (&t);
  t.backlog = 20;
  while (t.backlog > 0)
    run (&t, MS);
  run (&t, MS);
  received = sender_stats (&t).feedbacks_received;
  say_bye ();
  run (&t, MS);
  gst_tfrc_reception_free (t.src);
  t.src = NULL;
  t.backlog = 3;
  run (&t, 100 * MS);
  fail_unless (sender_stats (&t).feedbacks_received > received);
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, 0);
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
  tcase_add_test (tc, streams_begin_with_different_random_numbers);
  tcase_add_test (tc, the_round_trip_time_is_learned);
  tcase_add_test (tc, the_start_bitrate_holds_once_the_round_trip_time_is_known);
  tcase_add_test (tc, all_combinations_of_rate_limits_hold);
  tcase_add_test (tc, send_times_and_time_stamps_wrap);
  tcase_add_test (tc, reports_begin_with_the_data);
  tcase_add_test (tc, reports_are_at_most_4_s_apart);
  tcase_add_test (tc, reports_leave_at_random_times);
  tcase_add_test (tc, a_report_counts_what_was_sent);
  tcase_add_test (tc, a_report_shows_all_clocks_at_one_moment);
  tcase_add_test (tc, a_stream_that_has_not_begun_needs_no_bye);
  tcase_add_test (tc, bye_ends_reports_on_both_sides);
  tcase_add_test (tc, the_peer_is_not_lost_after_the_bye_of_the_sender);
  tcase_add_test (tc, data_after_bye_begins_another_stream);
  tcase_add_test (tc, a_stream_that_follows_at_once_is_controlled_at_once);
  return s;
}

GST_CHECK_MAIN (sinksession);
