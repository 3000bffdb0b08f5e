/* What a receiver knows of its sender, see gst/tfrcsrc/tfrcsrcsession.h. */
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

/* ---- a sender made by hand ----------------------------------------------- */

#define SSRC 0x12345678

static TfrcWireData header;     /* of the next packet */

static void
start_alone (void)
{
  static const TfrcAddress nowhere;

  t.src = tfrc_src_session_new (&nowhere, SSRC);
  fail_unless (t.src != NULL);
  header = (TfrcWireData) {
  .payload_type = 33,.seq = 1000,.timestamp = 5000,.ssrc =
        SSRC,.has_rtt_sendts = TRUE,.rtt_us = 100000,.send_time_us =
        1000000,.header_bytes = 24,.payload_bytes = SEGMENT};
}

/* The packet with this number arrives now. */
static gboolean
data (guint16 seq, guint8 ecn)
{
  TfrcReceivedPacket packet = received (&t, NULL, 0);
  TfrcArrival arrival;

  packet.ecn = ecn;
  header.seq = seq;
  return tfrc_src_session_on_data (t.src, &header, &packet, &arrival);
}

static void
sender_report (guint64 ntp)
{
  TfrcWireRtcp rtcp = { 0 };

  rtcp.sender_ssrc = SSRC;
  rtcp.has_sr = TRUE;
  rtcp.sr_ntp = ntp;
  tfrc_src_session_on_rtcp (t.src, &rtcp, t.now_ns);
}

/* Asks for a report now; @return what it says about the sender */
static TfrcWireReport
report (void)
{
  guint rrs = t.rrs;

  sender_report (0);
  serve_src (&t);
  fail_unless_equals_int (t.rrs, rrs + 1);
  fail_unless (t.rr.has_report);
  fail_unless_equals_int (t.rr.report.ssrc, SSRC);
  return t.rr.report;
}

/* ---- receiver reports ---------------------------------------------------- */

GST_START_TEST (a_sender_report_is_answered_at_once)
{
  session_test_connect (&t);
  fail_unless_equals_int (t.srs, 1);
  fail_unless_equals_int (t.rrs, 1);
  fail_unless_equals_uint64 (t.rr_ns, t.sr_ns + DELAY);
  fail_unless_equals_int (t.rr.report.lsr, (guint32) (t.sr.sr_ntp >> 16));
  fail_unless_equals_int (t.rr.report.dlsr, 0);
  run (&t, S);
  fail_unless_equals_int (t.srs, 2);
  fail_unless_equals_int (t.rrs, 2);
  fail_unless_equals_uint64 (t.rr_ns, t.sr_ns + DELAY);
  fail_unless_equals_int (t.rr.report.lsr, (guint32) (t.sr.sr_ntp >> 16));
}

GST_END_TEST;

GST_START_TEST (the_time_since_the_sender_report_is_told)
{
  guint64 sr_ns;

  start_alone ();
  sender_report (G_GUINT64_CONSTANT (0x123456789abcdef0));
  serve_src (&t);
  fail_unless_equals_int (t.rr.report.lsr, 0x56789abc);
  fail_unless_equals_int (t.rr.report.dlsr, 0);
  sr_ns = t.now_ns;
  run (&t, 4 * S);
  fail_unless_equals_int (t.rrs, 2);
  fail_unless_equals_uint64 (t.rr_ns, sr_ns + 4 * S);
  fail_unless_equals_int (t.rr.report.lsr, 0x56789abc);
  fail_unless_equals_int (t.rr.report.dlsr, 4 * 65536);
}

GST_END_TEST;

GST_START_TEST (without_a_sender_report_there_is_none_to_tell_of)
{
  start_alone ();
  data (1, 0);
  run (&t, 4 * S);
  fail_unless_equals_int (t.rrs, 1);
  fail_unless_equals_int (t.rr.report.lsr, 0);
  fail_unless_equals_int (t.rr.report.dlsr, 0);
}

GST_END_TEST;

GST_START_TEST (reports_are_at_most_4_s_apart)
{
  session_test_connect (&t);
  t.backlog = 200;
  run (&t, 60 * S);
  fail_unless (t.rrs >= 15);
  fail_unless (t.longest_rr_ns <= 4 * S);
  /* also if the sender's reports get lost */
  teardown ();
  setup ();
  start_alone ();
  for (guint16 i = 0; i < 100; i++) {
    data (i, 0);
    run (&t, 333 * MS);
  }
  fail_unless (t.rrs >= 8);
  fail_unless (t.longest_rr_ns <= 4 * S);
}

GST_END_TEST;

GST_START_TEST (a_report_tells_what_was_lost_since_the_last)
{
  TfrcWireReport r;
  guint16 i;

  start_alone ();
  for (i = 0; i < 100; i++)
    data (i, 0);
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 0);
  fail_unless_equals_int (r.packets_lost, 0);
  fail_unless_equals_int (r.highest_seq & 0xffff, 99);

  /* 100 to 199, every fourth of them lost, the last ones not */
  for (; i < 200; i++) {
    if (i % 4 != 0)
      data (i, 0);
  }
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 64);
  fail_unless_equals_int (r.packets_lost, 25);
  fail_unless_equals_int (r.highest_seq & 0xffff, 199);

  for (; i < 300; i++)
    data (i, 0);
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 0);
  fail_unless_equals_int (r.packets_lost, 25);

  /* a late one was not lost, and nothing is less than lost */
  data (100, 0);
  for (; i < 400; i++)
    data (i, 0);
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 0);
  fail_unless_equals_int (r.packets_lost, 24);

  /* nothing came */
  r = report ();
  fail_unless_equals_int (r.fraction_lost, 0);
}

GST_END_TEST;

GST_START_TEST (the_highest_number_is_extended_by_wraps)
{
  guint32 before;

  start_alone ();
  data (65535, 0);
  before = report ().highest_seq;
  data (0, 0);
  data (1, 0);
  fail_unless_equals_int (report ().highest_seq, before + 2);
}

GST_END_TEST;

/* ---- jitter (RFC 3550 appendix A.8) --------------------------------------- */

/* A packet arrives @ms after the last, with a time stamp of so many units
 * more */
static void
data_after (guint ms, gint units)
{
  t.now_ns += ms * MS;
  header.timestamp += (guint32) units;
  data ((guint16) (header.seq + 1), 0);
}

GST_START_TEST (jitter_is_that_of_rfc_3550)
{
  start_alone ();
  t.now_ns = 1000 * S;
  data_after (0, 0);
  fail_unless_equals_float (t.src->jitter, 0);
  data_after (10, 900);         /* as expected */
  fail_unless_equals_float (t.src->jitter, 0);
  data_after (11, 900);         /* D = 90 */
  fail_unless_equals_float (t.src->jitter, 5.625);
  data_after (10, 945);         /* D = -45 */
  fail_unless_equals_float (t.src->jitter, 8.0859375);
  data_after (0, 0);            /* D = 0: decays */
  fail_unless_equals_float (t.src->jitter, 7.58056640625);
  fail_unless_equals_int (report ().jitter, 7);
}

GST_END_TEST;

GST_START_TEST (jitter_survives_wraps_of_both_clocks)
{
  const guint64 wrap_ns = (G_GUINT64_CONSTANT (1) << 32) * 100000 / 9;

  start_alone ();
  t.now_ns = wrap_ns / MS * MS - 500 * MS;
  header.timestamp = G_MAXUINT32 - 90 * 250;
  for (guint i = 0; i < 100; i++)
    data_after (10, 900);
  fail_unless (t.now_ns > wrap_ns && header.timestamp < 90 * 1000);
  /* but for arrivals that are no whole number of units */
  fail_unless (t.src->jitter <= 1);
}

GST_END_TEST;

GST_START_TEST (packets_that_leave_late_arrive_with_jitter)
{
  start_alone ();
  t.now_ns = 1000 * S;
  for (guint i = 0; i < 500; i++)
    data_after (i % 2 ? 20 : 0, 900);   /* D = 900 in turn */
  fail_unless (t.src->jitter > 899 && t.src->jitter <= 900);
}

GST_END_TEST;

/* ---- feedback ------------------------------------------------------------ */

GST_START_TEST (feedback_tells_the_state_of_the_receiver)
{
  start_alone ();
  for (guint16 i = 0; i < 20; i++) {
    if (i != 10 && i != 11)
      data (i, i == 15 ? 3 : 1);
  }
  header.send_time_us = 7654321;
  data (20, 0);
  t.now_ns += 5 * MS;
  run (&t, 200 * MS);
  fail_unless (t.feedbacks > 0);
  fail_unless (t.feedback.has_state);
  fail_unless_equals_int (t.feedback.media_ssrc, SSRC);
  fail_unless_equals_int (t.feedback.state.highest_seq & 0xffff, 20);
  fail_unless_equals_int (t.feedback.state.packets_lost, 2);
  fail_unless_equals_int (t.feedback.state.ce_marks, 1);
  fail_unless_equals_int (t.feedback.state.ttl, 60);
  fail_unless (t.feedback.state.loss_events >= 1);
  fail_unless_equals_int (t.feedback.feedback.recv_data_us, 7654321);
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
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_received, t.feedbacks);
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
  fail_if (t.src->tfrc);
  fail_unless_equals_uint64 (tfrc_src_session_next_ns (t.src), NEVER);
  serve_src (&t);
  fail_unless_equals_int (t.feedbacks + t.rrs, 0);
  /* but an answer, if it speaks RTCP */
  sender_report (G_GUINT64_CONSTANT (0x8000000000000000));
  serve_src (&t);
  run (&t, 10 * S);
  fail_unless_equals_int (t.rrs, 3);
  fail_unless_equals_int (t.feedbacks, 0);
  fail_unless_equals_int (t.rr.report.highest_seq & 0xffff, 99);
}

GST_END_TEST;

GST_START_TEST (a_stray_number_is_not_used)
{
  guint64 heard_ns;

  start_alone ();
  data (1, 0);
  heard_ns = t.src->heard_ns;
  t.now_ns += S;
  fail_if (data (30000, 0));
  fail_unless_equals_uint64 (t.src->heard_ns, heard_ns);
  fail_unless (data (2, 0));
  /* but two in a row are a sender that has restarted */
  fail_if (data (40000, 0));
  fail_unless (data (40001, 0));
}

GST_END_TEST;

/* ---- the end, delays ------------------------------------------------------ */

GST_START_TEST (bye_ends_everything)
{
  TfrcWireRtcp rtcp = { 0 };

  start_alone ();
  data (1, 0);
  rtcp.has_bye = TRUE;
  tfrc_src_session_on_rtcp (t.src, &rtcp, t.now_ns);
  fail_unless (t.src->ended);
  fail_unless_equals_uint64 (tfrc_src_session_next_ns (t.src), NEVER);
  serve_src (&t);
  fail_unless_equals_int (t.feedbacks + t.rrs, 0);
}

GST_END_TEST;

/* Both ends have the same clock here; reading it for a report may take long,
 * when the machine is busy, but then that read is repeated. */
GST_START_TEST (delays_are_known_from_both_ends)
{
  const TfrcDelays *delays;

  t.sender_delay_ns = 70 * MS;
  session_test_connect (&t);
  t.backlog = 500;
  run (&t, 5 * S);
  delays = &t.src->delays;
  fail_unless (tfrc_delays_clocks_agree (delays));
  fail_unless (delays->iptd.count >= 500);
  /* the sender's part needs no clock to be read: it is exact but for the unit
   * of the time stamps */
  fail_unless (delays->sender.max_ns < 70 * MS + 25 * US);
  fail_unless (tfrc_histogram_mean_ns (&delays->sender) > 70 * MS - 25 * US);
}

GST_END_TEST;

static Suite *
srcsession_suite (void)
{
  Suite *s = suite_create ("srcsession");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_sender_report_is_answered_at_once);
  tcase_add_test (tc, the_time_since_the_sender_report_is_told);
  tcase_add_test (tc, without_a_sender_report_there_is_none_to_tell_of);
  tcase_add_test (tc, reports_are_at_most_4_s_apart);
  tcase_add_test (tc, a_report_tells_what_was_lost_since_the_last);
  tcase_add_test (tc, the_highest_number_is_extended_by_wraps);
  tcase_add_test (tc, jitter_is_that_of_rfc_3550);
  tcase_add_test (tc, jitter_survives_wraps_of_both_clocks);
  tcase_add_test (tc, packets_that_leave_late_arrive_with_jitter);
  tcase_add_test (tc, feedback_tells_the_state_of_the_receiver);
  tcase_add_test (tc, feedback_is_numbered);
  tcase_add_test (tc, feedback_comes_once_per_round_trip_time);
  tcase_add_test (tc, a_sender_without_tfrc_gets_no_feedback);
  tcase_add_test (tc, a_stray_number_is_not_used);
  tcase_add_test (tc, bye_ends_everything);
  tcase_add_test (tc, delays_are_known_from_both_ends);
  return s;
}

GST_CHECK_MAIN (srcsession);
