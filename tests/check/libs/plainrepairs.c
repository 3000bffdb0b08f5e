/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver asks senders of plain RTP for, and what brings lost packets back, see gst/flow/peerpackets.h. */
#include "plaintest.h"

/* ---- forward error correction of ST 2022-1 ------------------------------------------------ */

#define ROW \
  4 /* packets that are protected together; even, so that what is the same in all of them is 0 */

static void
fec_arrives (guint first)
{
  guint8 written[TFRC_WIRE_MAX_FEC_HEADER_BYTES],
      data[12 + TFRC_WIRE_FEC_BYTES + TS_BYTES] = { 0x80, TFRC_WIRE_FEC_PAYLOAD_TYPE };
  TfrcWireFec fec = { .first_seq = (guint16) (FIRST_SEQ + first), .offset = 1, .count = ROW };
  const TfrcWireData header = { 0 };
  gsize bytes;

  for (guint i = first; i < first + ROW; i++)
    fec.timestamp ^= (guint32) (i * (INTERVAL / MS) * 90);
  bytes = tfrc_wire_write_fec (written, &header, &fec);
  GST_WRITE_UINT32_BE (data + 8, movie_ssrc);
  memcpy (data + 12, written + bytes - TFRC_WIRE_FEC_BYTES, TFRC_WIRE_FEC_BYTES);
  arrive (&sender, data, sizeof data);
}

/* Sends rows and their FEC packets, of which each so many loses a packet. */
static void
send_rows (guint n, guint lost_every)
{
  for (guint i = 0; i < n; i++) {
    send_packets (ROW - 1, lost_every > 0 && i % lost_every == lost_every - 1 ? ROW - 1 : 0);
    send_packets (1, 0);
    fec_arrives (n_sent - ROW);
  }
}

/* Not when error correction brings packets back either: none of those between is missing. */
GST_START_TEST (a_sender_of_fec_without_rtcp_hears_nothing)
{
  send_rows (100, 20);
  fail_unless_equals_uint64 (stats ().fec.recovered, 5);
  fail_unless_equals_int (n_compounds, 0);
  fail_unless_equals_uint64 (stats ().repairs.requested, 0);
  report_arrives (&rtcp_port, SSRC);
  send_packets (2, 0);
  fail_unless_equals_int (n_requests, 0);
}

GST_END_TEST;

/* ---- repairs ------------------------------------------------------------------------------ */

/* As RIST sends the packet again, or as RFC 4588 says */
static void
repair_arrives (guint32 number, gboolean is_rist)
{
  if (is_rist)
    rtp_arrives (TFRC_WIRE_PAYLOAD_TYPE, SSRC + 1, (guint16) (FIRST_SEQ + number), number, FALSE);
  else
    rtp_arrives (TFRC_WIRE_REPAIR_PAYLOAD_TYPE, SSRC + 1, (guint16) (7 * number), number, TRUE);
}

/* Before a repair has come it is not known how long one takes, and the receiver waits for a second. Then 30 ms is
 * known: the next packet is asked for again. What was repaired counts as lost, as it was. */
static void
repair_some (gboolean is_rist)
{
  send_packets (50, 0);
  report_arrives (&rtcp_port, SSRC);
  send_packets (11, 10);
  wait_for (30 * MS);
  repair_arrives (59, is_rist);
  fail_unless_equals_int (n_requests, 1);
  fail_unless_equals_uint64 (stats ().repairs.repaired, 1);
  send_packets (11, 10);
  fail_unless_equals_int (n_requests, 2);
  wait_for (150 * MS);
  fail_unless (n_requests > 2);
  repair_arrives (70, is_rist);
  repair_arrives (70, is_rist);
  send_packets (100, 0);
  fail_unless_equals_uint64 (stats ().repairs.repaired, 2);
  fail_unless_equals_uint64 (stats ().repairs.duplicate + stats ().repairs.late, 1);
  fail_unless_equals_uint64 (stats ().queue.missing, 0);
  fail_unless_equals_uint64 (stats ().reception.receiver.packets_lost, 2);
  fail_unless_equals_uint64 (stats ().malformed_packets + stats ().foreign_packets, 0);
  fail_unless (in_order && n_played > 150);
}

GST_START_TEST (repairs_of_rfc_4588_fill_gaps)
{
  repair_some (FALSE);
}

GST_END_TEST;

GST_START_TEST (packets_that_rist_sends_again_fill_gaps)
{
  repair_some (TRUE);
}

GST_END_TEST;

static void
bye_arrives (guint32 ssrc)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  arrive (&rtcp_port, packet, tfrc_wire_write_bye (packet, ssrc, "sender"));
  wait_for (S);
}

/* That the repairs of one came within 30 ms says nothing about another, which may be far away. */
GST_START_TEST (how_long_repairs_take_is_forgotten_with_the_sender)
{
  teardown ();
  keep_listening = TRUE;
  begin (FALSE);
  repair_some (FALSE);
  bye_arrives (SSRC);
  fail_unless (stats ().sender_has_ended);
  movie_ssrc = SSRC + 100;
  send_packets (50, 0);
  report_arrives (&rtcp_port, movie_ssrc);
  n_requests = 0;
  send_packets (11, 10);
  fail_unless_equals_int (n_requests, 1);
  wait_for (900 * MS);
  fail_unless_equals_int (n_requests, 1);
}

GST_END_TEST;

/* It is not said of a repair that nobody needs any more when it was to be played; its time stamp tells when it was due. */
GST_START_TEST (a_repair_that_comes_twice_is_late_by_no_more_than_it_is)
{
  repair_some (FALSE);
  fail_unless_equals_uint64 (stats ().queue.lateness.count, 0);
  repair_arrives (70, FALSE);
  fail_unless_equals_uint64 (stats ().queue.lateness.count, 1);
  fail_unless (
      stats ().queue.lateness.max_ns < 2 * S, "%" G_GUINT64_FORMAT, stats ().queue.lateness.max_ns);
}

GST_END_TEST;

/* FFmpeg and others stamp packets with the times at which pictures are shown. Only those of tfrcsink go back when it has
 * flushed: what was missing before is wanted by nobody then. */
GST_START_TEST (time_stamps_that_go_back_leave_requests_as_they_are)
{
  picture_lead = 6;
  send_packets (10, 0);
  report_arrives (&rtcp_port, SSRC);
  send_packets (52, 52);
  fail_unless_equals_int (n_requests, 0);
  send_packets (1, 0);
  fail_unless_equals_int (n_requests, 1);
  fail_unless_equals_int (asked_for, (guint16) (FIRST_SEQ + 61));
  repair_arrives (61, FALSE);
  send_packets (60, 0);
  fail_unless_equals_uint64 (stats ().repairs.repaired, 1);
  fail_unless_equals_uint64 (stats ().queue.missing, 0);
}

GST_END_TEST;

/* No packet was due before those that were sent before it. With sound 0.8 s in front of its pictures, as FFmpeg multiplexes
 * and stamps it, a second of latency would be one of 0.2 s for every other packet. */
GST_START_TEST (time_stamps_that_go_back_leave_repairs_their_time)
{
  picture_lead = 40;
  send_packets (10, 0);
  report_arrives (&rtcp_port, SSRC);
  send_packets (52, 52);
  send_packets (15, 0);
  repair_arrives (61, FALSE);
  fail_unless_equals_uint64 (stats ().repairs.repaired, 1);
  fail_unless_equals_uint64 (stats ().queue.missing, 0);
  fail_unless_equals_uint64 (stats ().queue.lateness.count, 0);
}

GST_END_TEST;

/* A number that was not sent yet must not make the packets up to it look late. */
GST_START_TEST (repairs_that_nobody_needs_change_nothing)
{
  send_packets (50, 0);
  repair_arrives (49, TRUE); /* nothing is asked for yet */
  report_arrives (&rtcp_port, SSRC);
  send_packets (50, 0);
  repair_arrives (99, FALSE);
  repair_arrives (400, FALSE);
  repair_arrives (20, TRUE);
  send_packets (50, 0);
  fail_unless_equals_uint64 (stats ().repairs.repaired, 0);
  fail_unless_equals_uint64 (stats ().queue.missing, 0);
  fail_unless (in_order && n_played == 150);
}

GST_END_TEST;

/* 32 requests that could have been answered, a second apart, and then none for 10 s */
GST_START_TEST (a_sender_that_does_not_repair_is_not_asked_for_10_s)
{
  send_packets (10, 0);
  report_arrives (&rtcp_port, SSRC);
  send_packets (30 * 50, 10);
  fail_unless (n_requests > 140 && longest_pause_ns < S, "%u", n_requests);
  send_packets (30 * 50, 10);
  fail_unless (longest_pause_ns >= GST_TFRC_REPAIR_REQUESTS_PAUSE_NS);
}

GST_END_TEST;

/* ---- key units ---------------------------------------------------------------------------- */

/* A decoder asks when it has no picture to begin with, which is before the first report of the sender has come. */
GST_START_TEST (a_key_unit_is_asked_for_once_the_sender_has_shown_that_it_hears_rtcp)
{
  send_packets (10, 0);
  gst_tfrc_picture_loss_ask (
      gst_tfrc_intake_get_picture_loss (gst_tfrc_receive_flow_get_intake (flow)));
  send_packets (50, 0);
  fail_unless_equals_int (n_compounds, 0);
  report_arrives (&rtcp_port, SSRC);
  send_packets (2, 0);
  fail_unless_equals_int (n_key_units, 1);
  assert_sent_to_rtcp_port ();
  send_packets (100, 0);
  fail_unless_equals_int (n_key_units, 1);
}

GST_END_TEST;

static Suite *
plainrepairs_suite (void)
{
  Suite *suite = suite_create ("plainrepairs");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_sender_of_fec_without_rtcp_hears_nothing);
  tcase_add_test (tcase, repairs_of_rfc_4588_fill_gaps);
  tcase_add_test (tcase, packets_that_rist_sends_again_fill_gaps);
  tcase_add_test (tcase, how_long_repairs_take_is_forgotten_with_the_sender);
  tcase_add_test (tcase, a_repair_that_comes_twice_is_late_by_no_more_than_it_is);
  tcase_add_test (tcase, time_stamps_that_go_back_leave_requests_as_they_are);
  tcase_add_test (tcase, time_stamps_that_go_back_leave_repairs_their_time);
  tcase_add_test (tcase, repairs_that_nobody_needs_change_nothing);
  tcase_add_test (tcase, a_sender_that_does_not_repair_is_not_asked_for_10_s);
  tcase_add_test (tcase, a_key_unit_is_asked_for_once_the_sender_has_shown_that_it_hears_rtcp);
  return suite;
}

GST_CHECK_MAIN (plainrepairs);
