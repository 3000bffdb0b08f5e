/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The minimum rate of a sender, toward a receiver that has answered and one that has not. */
#include "sessiontest.h"

#define MINIMUM_BPS (5000000 / 8) /* 475 packets a second */

static SessionTest t;

static void
start (gboolean is_mute)
{
  session_test_init (&t);
  session_test_restart_sink (
      &t, &(GstTfrcSendSessionConfig){ .media.rate.mute_receiver = is_mute });
  set_rate_limits_Bps (t.sink, MINIMUM_BPS, MAX_RATE_BPS);
  t.backlog = 1000000;
}

/* The receiver has the minimum for 5 s; then no packet comes to it any more. */
static void
start_and_become_deaf (void)
{
  start (FALSE);
  set_rate_limits_Bps (t.sink, MINIMUM_BPS, MINIMUM_BPS);
  run (&t, 5 * S);
  t.deaf = TRUE;
}

static void
teardown (void)
{
  session_test_clear (&t);
}

/* RFC 5348 sections 4.2 and 4.4: a packet a second, which the nofeedback timer halves every 2 s. */
GST_START_TEST (a_host_that_never_answers_gets_no_more_than_without_a_minimum)
{
  start (FALSE);
  t.deaf = TRUE;
  run (&t, 60 * S);
  fail_unless_equals_uint64 (t.data_sent, 9);
  fail_unless_equals_uint64 (sender_stats (&t).bytes_sent, 9 * SEGMENT);
}

GST_END_TEST;

GST_START_TEST (the_first_feedback_brings_the_minimum)
{
  guint64 sent;

  start (FALSE);
  run (&t, RTT - 1);
  fail_unless_equals_uint64 (t.data_sent, 1);
  run (&t, 1);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  set_rate_limits_Bps (t.sink, MINIMUM_BPS, MINIMUM_BPS);
  sent = t.data_sent;
  run (&t, 10 * S);
  fail_unless_equals_uint64 ((t.data_sent - sent) * SEGMENT / 10 / 1000, MINIMUM_BPS / 1000);
}

GST_END_TEST;

/* RFC 8083 section 4.1 */
GST_START_TEST (a_receiver_that_falls_silent_has_the_minimum_for_ten_seconds)
{
  guint64 sent;

  start_and_become_deaf ();
  sent = t.data_sent;
  run (&t, 10 * S + 2 * DELAY);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_LOST);
  fail_unless ((t.data_sent - sent) * SEGMENT <= 11 * MINIMUM_BPS);
  sent = t.data_sent;
  run (&t, 10 * S);
  fail_unless_equals_uint64 (t.data_sent - sent, 119);
  sent = t.data_sent;
  run (&t, 60 * S);
  fail_unless_equals_uint64 (t.data_sent - sent, 6);
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_comes_back_has_the_minimum_again)
{
  guint64 sent;

  start (FALSE);
  set_rate_limits_Bps (t.sink, MINIMUM_BPS, MINIMUM_BPS);
  run (&t, S);
  t.deaf = TRUE;
  run (&t, 60 * S);
  t.deaf = FALSE;
  run (&t, 65 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  sent = t.data_sent;
  run (&t, S);
  fail_unless ((t.data_sent - sent + 1) * SEGMENT >= MINIMUM_BPS);
}

GST_END_TEST;

/* A receiver report with this SSRC comes from the receiver's address each second.
 * @is_echo: it names the last sender report
 * @seq: NULL: that of the last packet that has left, and of no other */
static void
report_number_for (guint seconds, gboolean is_echo, const guint16 *seq)
{
  for (guint i = 0; i < seconds; i++) {
    guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
    TfrcWireRtcp rtcp = { .sender_ssrc = OWN_SSRC, .has_report = TRUE };
    GstTfrcReceivedPacket packet;

    rtcp.report.ssrc = numbers_of (t.sink).ssrc;
    rtcp.report.highest_seq = seq ? *seq : t.header.seq;
    rtcp.report.lsr = is_echo ? (guint32) (t.sr.sr_ntp >> 16) : 12345 + i;
    rtcp.report.dlsr = is_echo ? (guint32) ((t.now_ns - t.sr_ns - RTT) * 65536 / S) : 0;
    packet = received (&t, buffer, tfrc_wire_write_receiver_report (buffer, &rtcp, "x"));
    fail_unless_equals_int (gst_tfrc_send_session_on_rtcp (t.sink, &packet), GST_TFRC_RTCP_USED);
    run (&t, S);
  }
}

static void
report_for (guint seconds, gboolean is_echo)
{
  report_number_for (seconds, is_echo, NULL);
}

/* Who knows the SSRC can forge reports of a receiver that was there, or has never been. */
GST_START_TEST (reports_that_show_nothing_keep_no_minimum)
{
  guint64 sent;

  start (FALSE);
  set_rate_limits_Bps (t.sink, MINIMUM_BPS, MINIMUM_BPS);
  if (__i__)
    run (&t, 5 * S);
  t.deaf = TRUE;
  run (&t, S);
  report_for (12, FALSE);
  sent = t.data_sent;
  report_for (10, FALSE);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_unless (
      t.data_sent - sent <= (__i__ ? 120 : 11), "%u packets", (guint) (t.data_sent - sent));
}

GST_END_TEST;

GST_START_TEST (reports_that_name_sender_reports_keep_the_minimum)
{
  guint64 sent;

  start_and_become_deaf ();
  report_for (12, TRUE);
  sent = t.data_sent;
  report_for (10, TRUE);
  fail_unless ((t.data_sent - sent) * SEGMENT >= 10 * MINIMUM_BPS);
}

GST_END_TEST;

static guint
sent_in_ten_seconds (void)
{
  guint64 sent = t.data_sent;

  run (&t, 10 * S);
  return t.data_sent - sent;
}

/* RTCP passes and data does not, as where packets of this size are too long. */
static guint8
only_rtcp (SessionTest *test, const InFlight *packet)
{
  return tfrc_wire_classify (packet->data, packet->size) == TFRC_WIRE_KIND_DATA ? 0 : 60;
}

/* RFC 8083 section 4.2. A receiver that waits sends reports twice a second at first, each with feedback that says no
 * more, of which one in 2 s counts. */
GST_START_TEST (a_receiver_that_gets_no_data_has_the_minimum_for_five_reports)
{
  guint sent;

  start (FALSE);
  set_rate_limits_Bps (t.sink, MINIMUM_BPS, MINIMUM_BPS);
  run (&t, 5 * S);
  t.arrival_ttl = only_rtcp;
  sent = sent_in_ten_seconds ();
  fail_unless ((sent + 1) * SEGMENT >= 10 * MINIMUM_BPS, "%u", sent);
  run (&t, 10 * S);
  sent = sent_in_ten_seconds ();
  fail_unless (sent <= 120, "%u", sent);
  run (&t, 300 * S);
  sent = sent_in_ten_seconds ();
  fail_unless (sent <= 11, "%u", sent);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  t.arrival_ttl = NULL; /* the next packet leaves within ten seconds, or in one */
  run (&t, 10 * S);
  sent = sent_in_ten_seconds ();
  fail_unless ((sent + 1) * SEGMENT >= 10 * MINIMUM_BPS, "%u", sent);
}

GST_END_TEST;

GST_START_TEST (reports_without_arrivals_keep_no_minimum)
{
  guint64 sent;
  guint16 seq;

  start_and_become_deaf ();
  report_for (12, TRUE);
  seq = t.header.seq;
  report_number_for (9, TRUE, &seq);
  sent = t.data_sent;
  report_number_for (1, TRUE, &seq);
  fail_unless ((t.data_sent - sent + 1) * SEGMENT >= MINIMUM_BPS);
  report_number_for (10, TRUE, &seq);
  sent = t.data_sent;
  report_number_for (10, TRUE, &seq);
  fail_unless (t.data_sent - sent <= 120, "%u packets", (guint) (t.data_sent - sent));
  report_for (2, TRUE);
  sent = t.data_sent;
  report_for (1, TRUE);
  fail_unless ((t.data_sent - sent + 1) * SEGMENT >= MINIMUM_BPS);
}

GST_END_TEST;

/* Nothing leaves, so that nothing can come. */
GST_START_TEST (a_paused_sender_keeps_its_minimum)
{
  guint64 sent;
  guint16 seq;

  start_and_become_deaf ();
  t.backlog = 0;
  seq = t.header.seq;
  report_number_for (60, TRUE, &seq);
  t.backlog = 1000000;
  sent = t.data_sent;
  report_for (1, TRUE);
  fail_unless ((t.data_sent - sent + 1) * SEGMENT >= MINIMUM_BPS);
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_is_known_to_be_mute_has_the_minimum_always)
{
  start (TRUE);
  set_rate_limits_Bps (t.sink, MINIMUM_BPS, MINIMUM_BPS);
  t.deaf = TRUE;
  run (&t, 60 * S);
  fail_unless_equals_uint64 (t.data_sent * SEGMENT / 60 / 1000, MINIMUM_BPS / 1000);
}

GST_END_TEST;

static Suite *
minimumrate_suite (void)
{
  Suite *s = suite_create ("minimumrate");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, NULL, teardown);
  tcase_add_test (tc, a_host_that_never_answers_gets_no_more_than_without_a_minimum);
  tcase_add_test (tc, the_first_feedback_brings_the_minimum);
  tcase_add_test (tc, a_receiver_that_falls_silent_has_the_minimum_for_ten_seconds);
  tcase_add_test (tc, a_receiver_that_comes_back_has_the_minimum_again);
  tcase_add_loop_test (tc, reports_that_show_nothing_keep_no_minimum, 0, 2);
  tcase_add_test (tc, reports_that_name_sender_reports_keep_the_minimum);
  tcase_add_test (tc, a_receiver_that_gets_no_data_has_the_minimum_for_five_reports);
  tcase_add_test (tc, reports_without_arrivals_keep_no_minimum);
  tcase_add_test (tc, a_paused_sender_keeps_its_minimum);
  tcase_add_test (tc, a_receiver_that_is_known_to_be_mute_has_the_minimum_always);
  return s;
}

GST_CHECK_MAIN (minimumrate);
