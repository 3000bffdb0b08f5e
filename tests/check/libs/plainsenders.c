/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Senders of plain RTP and of plain transport streams: what a receiver plays, and what it tells them, see
 * gst/flow/peerpackets.h. */
#include "plaintest.h"

/* ---- plain transport streams over UDP --------------------------------------------------- */

/* One packet of a transport stream without a header */
static void
ts_arrives (const GstTfrcAddress *from)
{
  guint8 data[TS_BYTES] = { 0x47 };

  arrive (from, data, sizeof data);
  wait_for (INTERVAL);
}

static guint
take_events (GstTfrcEventKind kind)
{
  GstTfrcEvent event;
  guint n = 0;

  while (gst_tfrc_events_take (gst_tfrc_receive_flow_get_events (flow), &event))
    n += event.kind == kind;
  return n;
}

GST_START_TEST (packets_that_are_no_rtp_are_told_once)
{
  GstTfrcOtherPackets other;

  for (guint i = 1; i < GST_TFRC_OTHER_PACKETS; i++)
    ts_arrives (&sender);
  fail_unless_equals_int (take_events (GST_TFRC_EVENT_OTHER_PACKETS), 0);
  for (guint i = 0; i < 1000; i++)
    ts_arrives (&sender);
  fail_unless_equals_int (take_events (GST_TFRC_EVENT_OTHER_PACKETS), 1);
  other = stats ().other;
  fail_unless (gst_tfrc_address_equal (&other.from, &sender));
  fail_unless (other.is_ts);
  fail_unless_equals_uint64 (stats ().malformed_packets, 999 + GST_TFRC_OTHER_PACKETS);
  fail_unless_equals_int (n_played, 0);
}

GST_END_TEST;

GST_START_TEST (packets_with_another_payload_are_told_once)
{
  for (guint i = 0; i < 20; i++)
    rtp_arrives (96, SSRC, (guint16) i, i, FALSE);
  fail_unless_equals_int (take_events (GST_TFRC_EVENT_OTHER_PACKETS), 1);
  fail_if (stats ().other.is_ts);
}

GST_END_TEST;

GST_START_TEST (beside_a_stream_other_packets_are_not_told)
{
  send_packets (50, 0);
  for (guint i = 0; i < 20; i++)
    ts_arrives (&sender);
  fail_unless_equals_int (take_events (GST_TFRC_EVENT_OTHER_PACKETS), 0);
}

GST_END_TEST;

GST_START_TEST (plain_transport_streams_are_played_if_asked)
{
  teardown ();
  begin (TRUE);
  for (guint i = 0; i < 100; i++)
    ts_arrives (&sender);
  wait_for (LATENCY);
  fail_unless_equals_int (n_played, 100);
  fail_unless (in_order);
  fail_unless_equals_uint64 (stats ().malformed_packets, 0);
  fail_if (stats ().reception.tfrc);
  fail_unless_equals_int (take_events (GST_TFRC_EVENT_OTHER_PACKETS), 0);
}

GST_END_TEST;

/* Another address is heard when the sender has been silent. */
GST_START_TEST (a_plain_stream_is_of_one_address)
{
  const GstTfrcAddress other = test_address ("192.0.2.9", 1234);
  GstTfrcReceiveFlowStats last;

  teardown ();
  begin (TRUE);
  for (guint i = 0; i < 50; i++) {
    ts_arrives (&sender);
    ts_arrives (&other);
  }
  wait_for (LATENCY);
  fail_unless_equals_int (n_played, 50);
  fail_unless_equals_uint64 (stats ().malformed_packets, 50);
  wait_for (GST_TFRC_UDP_TS_SILENCE_NS);
  for (guint i = 0; i < 50; i++)
    ts_arrives (&other);
  fail_unless_equals_uint64 (stats ().malformed_packets, 50);
  last = stats ();
  fail_unless (gst_tfrc_address_equal (&last.reception.sender, &other));
}

GST_END_TEST;

GST_START_TEST (what_is_too_large_or_no_transport_stream_is_not_played)
{
  guint8 data[GST_TFRC_UDP_TS_MAX_BYTES + TS_BYTES] = { 0x47 };

  teardown ();
  begin (TRUE);
  arrive (&sender, data, sizeof data);
  arrive (&sender, data, TS_BYTES - 1);
  arrive (&sender, data, 1);
  data[0] = 0x46;
  arrive (&sender, data, TS_BYTES);
  fail_unless_equals_uint64 (stats ().malformed_packets, 4);
}

GST_END_TEST;

/* ---- tests ---------------------------------------------------------------------------- */

GST_START_TEST (a_sender_without_rtcp_hears_nothing)
{
  send_packets (100, 10);
  fail_unless_equals_int (n_compounds, 0);
  fail_unless_equals_uint64 (stats ().repairs.requested, 0);
  gst_tfrc_receive_flow_say_bye (flow);
  pump ();
  fail_unless_equals_int (n_compounds, 0);
}

GST_END_TEST;

GST_START_TEST (a_sender_that_reports_gets_reports_and_requests_where_it_reports_from)
{
  send_packets (10, 0);
  report_arrives (&rtcp_port, SSRC);
  fail_unless_equals_int (n_compounds, 1);
  assert_sent_to_rtcp_port ();
  send_packets (5, 5);
  fail_unless_equals_int (n_requests, 0);
  send_packets (1, 0);
  fail_unless_equals_int (n_requests, 1);
  fail_unless_equals_int (asked_for, (guint16) (FIRST_SEQ + 14));
  assert_sent_to_rtcp_port ();
  gst_tfrc_receive_flow_say_bye (flow);
  pump ();
  fail_unless_equals_int (n_byes, 1);
  assert_sent_to_rtcp_port ();
}

GST_END_TEST;

/* With the bit for padding and without the padding, the last byte of the movie would count as its length. */
GST_START_TEST (a_padded_packet_is_played_without_its_padding)
{
  guint8 data[12 + TS_BYTES + 4] = { 0xa0, TFRC_WIRE_PAYLOAD_TYPE };

  GST_WRITE_UINT16_BE (data + 2, FIRST_SEQ + 2);
  GST_WRITE_UINT32_BE (data + 8, SSRC);
  data[12] = 0x47;
  data[12 + TS_BYTES - 1] = 188;
  data[sizeof data - 1] = 4;
  send_packets (2, 0);
  arrive (&sender, data, sizeof data);
  fail_unless_equals_int (n_played, 3);
  fail_unless_equals_int (played.payload_bytes, TS_BYTES);
}

GST_END_TEST;

/* Neither another host nor another SSRC says where RTCP goes. */
GST_START_TEST (reports_of_strangers_are_not_followed)
{
  const GstTfrcAddress elsewhere = test_address ("192.0.2.66", 5005);

  send_packets (10, 0);
  report_arrives (&elsewhere, SSRC);
  report_arrives (&rtcp_port, SSRC + 2);
  send_packets (50, 10);
  fail_unless_equals_int (n_compounds, 0);
  report_arrives (&rtcp_port, SSRC);
  report_arrives (&elsewhere, SSRC);
  send_packets (50, 10);
  fail_unless (n_requests > 0);
  assert_sent_to_rtcp_port ();
}

GST_END_TEST;

/* rtpbin reports on its repairs in compounds of their own. */
GST_START_TEST (reports_of_the_repairs_from_the_other_port_are_the_senders)
{
  send_packets (10, 0);
  report_arrives (&rtcp_port, SSRC + 1);
  fail_unless_equals_int (n_compounds, 0); /* this says nothing of the movie */
  report_arrives (&rtcp_port, SSRC);
  fail_unless_equals_int (n_compounds, 1);
  fail_unless_equals_uint64 (stats ().foreign_packets, 0);
}

GST_END_TEST;

GST_START_TEST (a_bye_from_the_other_port_ends_the_stream)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  send_packets (50, 0);
  report_arrives (&rtcp_port, SSRC);
  arrive (&rtcp_port, packet, tfrc_wire_write_bye (packet, SSRC + 1, "sender"));
  wait_for (S);
  fail_if (stats ().sender_has_ended);
  arrive (&rtcp_port, packet, tfrc_wire_write_bye (packet, SSRC, "sender"));
  wait_for (S);
  fail_unless (stats ().sender_has_ended);
  fail_unless_equals_int (n_played, 50);
}

GST_END_TEST;

static Suite *
plainsenders_suite (void)
{
  Suite *suite = suite_create ("plainsenders");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, packets_that_are_no_rtp_are_told_once);
  tcase_add_test (tcase, packets_with_another_payload_are_told_once);
  tcase_add_test (tcase, beside_a_stream_other_packets_are_not_told);
  tcase_add_test (tcase, plain_transport_streams_are_played_if_asked);
  tcase_add_test (tcase, a_plain_stream_is_of_one_address);
  tcase_add_test (tcase, what_is_too_large_or_no_transport_stream_is_not_played);
  tcase_add_test (tcase, a_sender_without_rtcp_hears_nothing);
  tcase_add_test (tcase, a_sender_that_reports_gets_reports_and_requests_where_it_reports_from);
  tcase_add_test (tcase, a_padded_packet_is_played_without_its_padding);
  tcase_add_test (tcase, reports_of_strangers_are_not_followed);
  tcase_add_test (tcase, reports_of_the_repairs_from_the_other_port_are_the_senders);
  tcase_add_test (tcase, a_bye_from_the_other_port_ends_the_stream);
  return suite;
}

GST_CHECK_MAIN (plainsenders);
