/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Senders of plain RTP, with RTCP on a port of its own: what a receiver asks them for, and their repairs, see
 * gst/flow/peerpackets.h. The test does what a port does, in virtual time. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/flow/receiveflow.h"
#include "gst/flow/udpts.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define OWN_SSRC 0xfeedbac4
#define SSRC 0x12345678
#define TS_BYTES 188
#define INTERVAL (20 * MS) /* of packets */
#define LATENCY (1000 * MS)
#define FIRST_SEQ 65500 /* wraps in the tests */

static GstTfrcReceiveFlow *flow;
static guint64 now;
static GstTfrcAddress sender, rtcp_port;
static guint32 movie_ssrc;
static gboolean keep_listening;
static guint n_sent; /* packets of the movie, lost ones among them */
static gboolean
    has_picture_times; /* time stamps are those of pictures, of which three are shown before one that came before them */

/* what has left */
static guint n_compounds, n_requests, n_byes;
static guint16 asked_for; /* the first number of the last request */
static GstTfrcAddress sent_to;
static gboolean by_rtcp_port;
static guint64 asked_ns, longest_pause_ns;

static guint n_played;
static guint16 last_played;
static TfrcWireData played; /* the packet that was played last, as RTP output has it */
static gboolean in_order;

static guint64
wall_ns (void)
{
  return now;
}

static void
begin (gboolean accept_udp_ts)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcReceiveFlowConfig config = {
    .limits = { .window_ns = LATENCY, .max_time_ns = 5 * S, .repairs = TRUE },
    .accept_udp_ts = accept_udp_ts,
    .keep_listening = keep_listening,
    .ssrc = OWN_SSRC,
    .cname = "test",
    .secret = secret,
    .wall_ns = wall_ns
  };

  now = 1000 * S;
  sender = test_address ("192.0.2.1", 5004);
  rtcp_port = test_address ("192.0.2.1", 5005);
  tfrc_receiver_config_init (&config.receiver);
  flow = gst_tfrc_receive_flow_new (&config, now);
  movie_ssrc = SSRC;
  n_sent = n_compounds = n_requests = n_byes = n_played = 0;
  asked_ns = longest_pause_ns = 0;
  in_order = TRUE;
}

static void
setup (void)
{
  keep_listening = has_picture_times = FALSE;
  begin (FALSE);
}

static void
teardown (void)
{
  gst_tfrc_receive_flow_free (flow);
}

/* ---- what leaves -------------------------------------------------------------------- */

/* A request comes behind a report and a CNAME (RFC 3550 section 6.1). */
static void
note_request (const GstTfrcDatagram *datagram)
{
  const guint8 *fci;
  gsize bytes;

  fail_unless_equals_int (datagram->data[1], 201);
  fail_unless_equals_int (datagram->data[8 + 1], 202);
  fail_unless (tfrc_wire_find_nack (datagram->data, datagram->size, movie_ssrc, 0, &fci, &bytes));
  fail_unless_equals_int (tfrc_wire_read_nack (fci, bytes, &asked_for, 1), 1);
  if (asked_ns > 0)
    longest_pause_ns = MAX (longest_pause_ns, now - asked_ns);
  asked_ns = now;
  n_requests++;
}

static void
note (const GstTfrcDatagram *datagram)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (
      tfrc_wire_parse_rtcp (datagram->data, datagram->size, SSRC, &rtcp), TFRC_WIRE_OK);
  fail_if (rtcp.has_feedback || rtcp.has_state);
  if (rtcp.has_challenge)
    return;
  n_compounds++;
  n_byes += rtcp.has_bye;
  sent_to = datagram->to;
  by_rtcp_port = datagram->by_rtcp_port;
  if (rtcp.nacks > 0)
    note_request (datagram);
}

static void
pump (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcPolled polled;

  for (;;) {
    gst_tfrc_polled_init (&polled);
    base->klass->poll (base, now, &polled);
    if (polled.n == 0)
      return;
    for (guint i = 0; i < polled.n; i++)
      note (&polled.datagrams[i]);
    base->klass->on_sent (base, &polled, now);
  }
}

static void
read_played (GstBuffer *packet)
{
  GstMapInfo map;

  gst_buffer_map (packet, &map, GST_MAP_READ);
  fail_unless_equals_int (tfrc_wire_parse_data (map.data, map.size, &played), TFRC_WIRE_OK);
  gst_buffer_unmap (packet, &map);
}

static void
play (void)
{
  GstTfrcReorderItem item;

  while (gst_tfrc_intake_pop (gst_tfrc_receive_flow_get_intake (flow), now, &item, 1) > 0) {
    in_order = in_order && (n_played == 0 || (guint16) item.seq == (guint16) (last_played + 1));
    last_played = (guint16) item.seq;
    n_played++;
    read_played (item.data);
    gst_buffer_unref (item.data);
  }
}

/* ---- what comes --------------------------------------------------------------------- */

static void
serve (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  const gchar *broken;

  base->klass->on_time (base, now);
  pump ();
  play ();
  broken = gst_tfrc_receive_flow_check (flow);
  fail_unless (broken == NULL, "%s", broken);
}

static void
arrive (const GstTfrcAddress *from, guint8 *data, gsize size)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcReceivedPacket packet = { .data = data,
    .size = size,
    .from = from,
    .local = test_address ("192.0.2.2", 0),
    .arrival_ns = now,
    .read_ns = now };

  base->klass->on_datagrams (base, &packet, 1, now);
  serve ();
}

/* Plain RTP with one packet of a transport stream */
static void
rtp_arrives (guint8 payload_type, guint32 ssrc, guint16 seq, guint32 number, gboolean has_original)
{
  guint8 data[14 + TS_BYTES] = { 0x80, payload_type };
  guint shown = has_picture_times && number % 4 == 0 ? number + 6 : number;
  gsize at = 12;

  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 4, (guint32) (shown * (INTERVAL / MS) * 90));
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  if (has_original) {
    GST_WRITE_UINT16_BE (data + at, (guint16) (FIRST_SEQ + number));
    at += 2;
  }
  data[at] = 0x47;
  arrive (&sender, data, at + TS_BYTES);
}

static void
wait_for (guint64 duration_ns)
{
  for (guint64 end_ns = now + duration_ns; now < end_ns; now += MS)
    serve ();
}

/* Sends packets, of which some are lost. */
static void
send_packets (guint n, guint lost_every)
{
  for (guint i = 0; i < n; i++) {
    if (lost_every == 0 || i % lost_every != lost_every - 1)
      rtp_arrives (
          TFRC_WIRE_PAYLOAD_TYPE, movie_ssrc, (guint16) (FIRST_SEQ + n_sent), n_sent, FALSE);
    n_sent++;
    wait_for (INTERVAL);
  }
}

static void
report_arrives (const GstTfrcAddress *from, guint32 ssrc)
{
  const TfrcWireRtcp sr = { .sender_ssrc = ssrc, .sr_ntp = G_GUINT64_CONSTANT (1) << 40 };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  arrive (from, packet, tfrc_wire_write_sender_report (packet, &sr, "sender"));
}

static GstTfrcReceiveFlowStats
stats (void)
{
  GstTfrcReceiveFlowStats now_stats;

  gst_tfrc_receive_flow_get_stats (flow, &now_stats);
  return now_stats;
}

static void
assert_sent_to_rtcp_port (void)
{
  fail_unless (gst_tfrc_address_equal (&sent_to, &rtcp_port));
  fail_unless (by_rtcp_port);
}

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
  has_picture_times = TRUE;
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
  tcase_add_test (tcase, a_sender_of_fec_without_rtcp_hears_nothing);
  tcase_add_test (tcase, a_sender_that_reports_gets_reports_and_requests_where_it_reports_from);
  tcase_add_test (tcase, a_padded_packet_is_played_without_its_padding);
  tcase_add_test (tcase, repairs_of_rfc_4588_fill_gaps);
  tcase_add_test (tcase, packets_that_rist_sends_again_fill_gaps);
  tcase_add_test (tcase, how_long_repairs_take_is_forgotten_with_the_sender);
  tcase_add_test (tcase, a_repair_that_comes_twice_is_late_by_no_more_than_it_is);
  tcase_add_test (tcase, time_stamps_that_go_back_leave_requests_as_they_are);
  tcase_add_test (tcase, repairs_that_nobody_needs_change_nothing);
  tcase_add_test (tcase, a_sender_that_does_not_repair_is_not_asked_for_10_s);
  tcase_add_test (tcase, reports_of_strangers_are_not_followed);
  tcase_add_test (tcase, reports_of_the_repairs_from_the_other_port_are_the_senders);
  tcase_add_test (tcase, a_bye_from_the_other_port_ends_the_stream);
  return suite;
}

GST_CHECK_MAIN (plainsenders);
