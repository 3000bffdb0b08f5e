/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver's flow sends in a turn, and in which order, see gst/flow/receiverturn.h.  The test
 * does what a port does, in virtual time. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/flow/receiveflow.h"
#include "testnet.h"

#define MS GST_MSECOND
#define NEVER G_MAXUINT64
#define OWN_SSRC 0xfeedbac4
#define SSRC 0x12345678
#define TS_BYTES 188

static GstTfrcReceiveFlow *flow;
static guint64 now;
static GstTfrcAddress sender;
static TfrcWireData header; /* of the next packet */

static TfrcWireRtcp sent[32]; /* what has left in the last turn ... */
static GstTfrcLocalPath sent_over[32];
static guint n_sent;
static gsize bytes_sent;

static guint64
wall_ns (void)
{
  return now;
}

static void
setup (void)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcReceiveFlowConfig config = { .limits.window_ns = 200 * MS,
    .ssrc = OWN_SSRC,
    .cname = "test",
    .secret = secret,
    .wall_ns = wall_ns };

  now = 1000 * GST_SECOND;
  sender = test_address ("192.0.2.1", 5004);
  header = (TfrcWireData){ .payload_type = TFRC_WIRE_PAYLOAD_TYPE,
    .seq = 100,
    .ssrc = SSRC,
    .has_rtt_sendts = TRUE,
    .rtt_us = 50000 };
  tfrc_receiver_config_init (&config.receiver);
  flow = gst_tfrc_receive_flow_new (&config, now);
}

static void
teardown (void)
{
  gst_tfrc_receive_flow_free (flow);
}

/* ---- what a port does ------------------------------------------------------- */

static void
pump (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcPolled polled;

  n_sent = bytes_sent = 0;
  for (;;) {
    gst_tfrc_polled_init (&polled);
    base->klass->poll (base, now, &polled);
    if (polled.n == 0)
      break;
    for (guint i = 0; i < polled.n; i++) {
      const GstTfrcDatagram *datagram = &polled.datagrams[i];

      fail_unless (datagram->is_control);
      fail_unless (gst_tfrc_address_equal (&datagram->to, &sender));
      sent_over[n_sent] = datagram->path;
      bytes_sent += datagram->size;
      fail_unless_equals_int (
          tfrc_wire_parse_rtcp (datagram->data, datagram->size, 0, &sent[n_sent++]), TFRC_WIRE_OK);
    }
    base->klass->on_sent (base, &polled, now);
  }
}

static void
serve (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  const gchar *broken;

  base->klass->on_time (base, now);
  pump ();
  broken = gst_tfrc_receive_flow_check (flow);
  fail_unless (broken == NULL, "%s", broken);
}

static GstTfrcReceivedPacket
packet_to (const gchar *local, guint8 *data, gsize size)
{
  GstTfrcReceivedPacket packet = { 0 };

  packet.data = data;
  packet.size = size;
  packet.from = &sender;
  packet.local = test_address (local, 0);
  packet.arrival_ns = packet.read_ns = now;
  return packet;
}

static void
arrive_from (const GstTfrcAddress *from, guint8 *data, gsize size)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcReceivedPacket packet = packet_to ("192.0.2.2", data, size);

  packet.from = from;
  base->klass->on_datagrams (base, &packet, 1, now);
  serve ();
}

static void
arrive (guint8 *data, gsize size)
{
  arrive_from (&sender, data, size);
}

static void
data_arrives (void)
{
  guint8 data[TFRC_WIRE_MAX_HEADER_BYTES + TS_BYTES] = { 0 };
  gsize size = tfrc_wire_write_data (data, &header);

  data[size] = 0x47;
  header.seq++;
  header.send_time_us += 20000;
  header.timestamp += 1800;
  arrive (data, size + TS_BYTES);
}

static void
challenge_arrives (void)
{
  static const guint8 bytes[TFRC_WIRE_PATH_DATA_BYTES] = { 7 };
  guint8 packet[TFRC_WIRE_MIN_PATH_BYTES];

  arrive (packet, tfrc_wire_write_path_challenge (packet, sizeof packet, SSRC, bytes));
}

/* Challenges arrive together, number i with data i + 1, at two addresses by turns. */
static void
challenges_arrive (guint n)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcReceivedPacket packets[GST_TFRC_BATCH_PACKETS];
  guint8 bytes[GST_TFRC_BATCH_PACKETS][TFRC_WIRE_MIN_PATH_BYTES];

  for (guint i = 0; i < n; i++) {
    guint8 data[TFRC_WIRE_PATH_DATA_BYTES] = { (guint8) (i + 1) };

    tfrc_wire_write_path_challenge (bytes[i], sizeof bytes[i], SSRC, data);
    packets[i] = packet_to (i % 2 ? "192.0.2.3" : "192.0.2.2", bytes[i], sizeof bytes[i]);
  }
  base->klass->on_datagrams (base, packets, n, now);
  serve ();
}

/* Returns the number of responses of the last turn, to challenge number @begin and those after it,
 * which leave from where the challenges came to. */
static guint
responses_from (guint begin)
{
  guint n = 0;

  for (guint i = 0; i < n_sent; i++) {
    GstTfrcAddress local = test_address ((begin + n) % 2 ? "192.0.2.3" : "192.0.2.2", 0);

    if (!sent[i].has_response)
      continue;
    fail_unless_equals_int (sent[i].response[0], begin + n + 1);
    fail_unless (gst_tfrc_address_equal (&sent_over[i].local, &local));
    n++;
  }
  return n;
}

static void
bye_arrives (void)
{
  guint8 bye[TFRC_WIRE_MAX_RTCP_BYTES];

  arrive (bye, tfrc_wire_write_bye (bye, SSRC, "test"));
}

/* Writes a packet of plain RTP: its extension is one that nobody knows. Returns its size. */
static gsize
write_plain (guint8 *data, guint32 ssrc, guint16 seq)
{
  const TfrcWireData plain = { .payload_type = TFRC_WIRE_PAYLOAD_TYPE, .ssrc = ssrc, .seq = seq };
  gsize size = tfrc_wire_write_data (data, &plain);

  data[12] = 0;
  data[size] = 0x47;
  return size + TS_BYTES;
}

static void
plain_arrives (const GstTfrcAddress *from, guint32 ssrc, guint16 seq)
{
  guint8 data[TFRC_WIRE_MAX_HEADER_BYTES + TS_BYTES] = { 0 };

  arrive_from (from, data, write_plain (data, ssrc, seq));
}

/* Error correction comes that does not say whose it is. */
static void
fec_arrives (guint16 seq)
{
  const TfrcWireData plain = { .payload_type = TFRC_WIRE_FEC_PAYLOAD_TYPE, .seq = seq };
  const TfrcWireFec fec = { .offset = 1, .count = 4 };
  guint8 data[TFRC_WIRE_MAX_HEADER_BYTES + TFRC_WIRE_FEC_BYTES + TS_BYTES] = { 0 };
  gsize size = tfrc_wire_write_fec (data, &plain, &fec);

  data[12] = 0; /* an extension that nobody knows */
  arrive (data, size + TS_BYTES);
}

static void
response_arrives (const guint8 *challenge)
{
  guint8 response[TFRC_WIRE_MIN_PATH_BYTES];

  arrive (response, tfrc_wire_write_path_response (response, SSRC, challenge));
}

/* A sender whose first packet has been answered, and whose address is validated */
static void
connect_sender (void)
{
  GstTfrcEvent event;

  data_arrives ();
  fail_unless_equals_int (n_sent, 1);
  fail_unless (sent[0].has_challenge);
  now += 50 * MS;
  response_arrives (sent[0].challenge);
  fail_unless (gst_tfrc_events_take (gst_tfrc_receive_flow_get_events (flow), &event));
  fail_unless_equals_int (event.kind, GST_TFRC_EVENT_SENDER);
}

/* ---- tests --------------------------------------------------------------------- */

GST_START_TEST (a_stranger_gets_a_challenge_and_no_more)
{
  data_arrives ();
  fail_unless_equals_int (n_sent, 1);
  fail_unless (sent[0].has_challenge && !sent[0].has_feedback && !sent[0].has_report);
  serve ();
  fail_unless_equals_int (n_sent, 0);
}

GST_END_TEST;

/* Its first packet is played meanwhile. */
GST_START_TEST (a_stranger_without_an_answer_gets_a_packet_for_each_of_its_own)
{
  gsize bytes_from = 0, bytes_to = 0;
  guint to = 0;

  for (guint from = 1; from <= 200; from++) {
    data_arrives ();
    bytes_from += TFRC_WIRE_HEADER_BYTES + TS_BYTES;
    for (guint i = 0; i < 3; i++) {
      to += n_sent;
      bytes_to += bytes_sent;
      fail_unless (to <= from && bytes_to <= bytes_from);
      now += 5 * MS;
      serve ();
    }
  }
  fail_unless (to > 20);
}

GST_END_TEST;

/* Whoever knows the address of a stream can send forward error correction of SSRC 0 in its name. */
GST_START_TEST (forged_error_correction_takes_no_time_for_the_answer)
{
  const GstTfrcAddress other = test_address ("192.0.2.9", 5004);
  const GstTfrcSelection *selection = gst_tfrc_receive_flow_get_selection (flow);
  TfrcWireRtcp challenge;

  data_arrives ();
  challenge = sent[0];
  fec_arrives (7);
  plain_arrives (&other, 0xbad, 1);
  plain_arrives (&other, 0xbad, 2);
  fail_unless_equals_int (gst_tfrc_selection_get_peer (selection)->ssrc, SSRC);
  fec_arrives (8);
  bye_arrives ();
  now += 900 * MS;
  serve ();
  response_arrives (challenge.challenge);
  fail_unless_equals_int (gst_tfrc_selection_get_peer (selection)->ssrc, SSRC);
  fail_unless (gst_tfrc_selection_is_validated (selection));
}

GST_END_TEST;

/* The program was stopped, and the response has waited in the socket behind forged packets. */
GST_START_TEST (a_response_that_is_read_after_the_second_is_in_time)
{
  const GstTfrcAddress other = test_address ("192.0.2.9", 5004);
  const GstTfrcSelection *selection = gst_tfrc_receive_flow_get_selection (flow);
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  guint8 data[2][TFRC_WIRE_MAX_HEADER_BYTES + TS_BYTES] = { { 0 } };
  guint8 response[TFRC_WIRE_MIN_PATH_BYTES];
  GstTfrcReceivedPacket packets[3];

  data_arrives ();
  for (guint i = 0; i < 2; i++) {
    packets[i] = packet_to ("192.0.2.2", data[i], write_plain (data[i], 0xbad, (guint16) i));
    packets[i].from = &other;
  }
  packets[2] = packet_to (
      "192.0.2.2", response, tfrc_wire_write_path_response (response, SSRC, sent[0].challenge));
  now += 1500 * MS;
  for (guint i = 0; i < 3; i++) {
    packets[i].arrival_ns += 50 * MS;
    packets[i].read_ns = now;
  }
  base->klass->on_datagrams (base, packets, 3, now);
  serve ();
  fail_unless_equals_int (gst_tfrc_selection_get_peer (selection)->ssrc, SSRC);
  fail_unless (gst_tfrc_selection_is_validated (selection));
}

GST_END_TEST;

/* Its first challenge is lost. The packet that allows the next one, 333 ms after the first, allows neither feedback nor
 * a report. */
GST_START_TEST (feedback_takes_no_credit_that_a_challenge_needs)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);

  data_arrives ();
  fail_unless (n_sent == 1 && sent[0].has_challenge);
  now += 100 * MS;
  data_arrives ();
  fail_unless_equals_int (n_sent, 0);
  fail_unless_equals_uint64 (base->klass->deadline (base), now + 233 * MS);
  now += 233 * MS;
  serve ();
  fail_unless (n_sent == 1 && sent[0].has_challenge);
  now += 100 * MS;
  data_arrives ();
  fail_unless_equals_int (n_sent, 0);
  data_arrives ();
  fail_unless (n_sent == 1 && sent[0].has_feedback);
}

GST_END_TEST;

/* What counts as sent but has not left would never leave. */
GST_START_TEST (what_a_stranger_may_not_be_sent_yet_leaves_when_it_has_answered)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  TfrcWireRtcp challenge;

  data_arrives ();
  fail_unless (n_sent == 1 && sent[0].has_challenge);
  challenge = sent[0];
  gst_tfrc_picture_loss_ask (
      gst_tfrc_intake_get_picture_loss (gst_tfrc_receive_flow_get_intake (flow)));
  serve ();
  fail_unless_equals_int (n_sent, 0);
  fail_unless (base->klass->deadline (base) > now);
  now += 50 * MS;
  response_arrives (challenge.challenge);
  fail_unless_equals_int (n_sent, 1);
  fail_unless (sent[0].has_feedback && sent[0].plis == 1);
  fail_unless (base->klass->deadline (base) > now);
}

GST_END_TEST;

/* A packet is missing, and nothing can be asked for until credit comes. */
GST_START_TEST (a_request_for_a_repair_waits_for_credit)
{
  const GstTfrcReceiveFlowLimits limits = { .window_ns = 200 * MS, .repairs = TRUE };
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  TfrcWireRtcp challenge;

  gst_tfrc_receive_flow_set_limits (flow, &limits);
  data_arrives ();
  challenge = sent[0];
  header.seq++;
  now += MS;
  data_arrives ();
  for (guint i = 0; i < 40; i++) {
    now += MS;
    serve ();
    fail_unless_equals_int (n_sent, 0);
    fail_unless (base->klass->deadline (base) > now);
  }
  response_arrives (challenge.challenge);
  fail_unless_equals_int (n_sent, 2);
  fail_unless (sent[0].has_feedback && sent[1].nacks == 1);
}

GST_END_TEST;

GST_START_TEST (the_deadline_after_a_turn_lies_in_the_future)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);

  fail_unless_equals_uint64 (base->klass->deadline (base), NEVER);
  connect_sender ();
  fail_unless (base->klass->deadline (base) > now);
  data_arrives ();
  fail_unless (base->klass->deadline (base) > now);
}

GST_END_TEST;

/* So the sender hears first which path is active. */
GST_START_TEST (feedback_leaves_before_the_response_to_a_challenge)
{
  connect_sender ();
  now += 20 * MS;
  data_arrives ();
  now += 20 * MS;
  challenge_arrives ();
  fail_unless (n_sent >= 2);
  fail_unless (sent[0].has_feedback);
  fail_unless (sent[n_sent - 1].has_response);
}

GST_END_TEST;

/* After a migration the sender challenges the new path and the previous one at the same time. */
GST_START_TEST (each_of_two_challenges_that_come_together_is_answered)
{
  connect_sender ();
  now += 20 * MS;
  challenges_arrive (2);
  fail_unless_equals_int (responses_from (0), 2);
}

GST_END_TEST;

GST_START_TEST (twenty_of_many_challenges_are_answered_in_three_turns)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);

  connect_sender ();
  now += 20 * MS;
  challenges_arrive (GST_TFRC_BATCH_PACKETS);
  fail_unless_equals_int (responses_from (0), 8);
  fail_unless (base->klass->deadline (base) <= now);
  serve ();
  fail_unless_equals_int (responses_from (8), 8);
  fail_unless (base->klass->deadline (base) <= now);
  serve ();
  fail_unless_equals_int (responses_from (16), 4);
  fail_unless (base->klass->deadline (base) > now);
}

GST_END_TEST;

/* ---- RTCP of repairs ------------------------------------------------------------ */

static gboolean
is_peer_there (void)
{
  return gst_tfrc_selection_get_peer (gst_tfrc_receive_flow_get_selection (flow))->exists;
}

static guint64
foreign_packets (void)
{
  GstTfrcReceiveFlowStats stats;

  gst_tfrc_receive_flow_get_stats (flow, &stats);
  return stats.foreign_packets;
}

/* No stranger that is to be challenged, and no end: the stream goes on until its own SSRC says BYE. */
GST_START_TEST (reports_and_bye_of_the_repairs_are_the_peers_and_end_nothing)
{
  const TfrcWireStream repairs = { .ssrc = SSRC + 1 };
  TfrcWireRtcp sr = { .sender_ssrc = SSRC + 1, .sr_packets = 3 };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  connect_sender ();
  data_arrives ();
  now += 100 * MS;
  arrive (packet, tfrc_wire_write_sender_report (packet, &sr, "sender"));
  for (guint i = 0; i < n_sent; i++)
    fail_if (sent[i].has_challenge);
  arrive (packet, tfrc_wire_write_bye (packet, SSRC + 1, "sender"));
  for (guint i = 0; i < 40; i++) {
    now += 100 * MS;
    serve ();
  }
  fail_unless (is_peer_there ());
  arrive (packet, tfrc_wire_write_byes (packet, SSRC, &repairs, 1, "sender"));
  for (guint i = 0; i < 20; i++) {
    now += 100 * MS;
    serve ();
  }
  fail_if (is_peer_there ());
  arrive (packet, tfrc_wire_write_bye (packet, SSRC + 1, "sender"));
  fail_unless_equals_uint64 (foreign_packets (), 0);
}

GST_END_TEST;

/* The SSRC behind the peer's is a stranger's at another address. */
GST_START_TEST (reports_of_other_repairs_are_foreign)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  connect_sender ();
  arrive (packet, tfrc_wire_write_bye (packet, SSRC + 3, "sender"));
  fail_unless_equals_uint64 (foreign_packets (), 1);
  sender = test_address ("192.0.2.66", 5004);
  arrive (packet, tfrc_wire_write_bye (packet, SSRC + 1, "sender"));
  fail_unless_equals_uint64 (foreign_packets (), 2);
}

GST_END_TEST;

/* ---- the end ---------------------------------------------------------------------- */

GST_START_TEST (a_bye_leaves_alone_and_once)
{
  connect_sender ();
  gst_tfrc_receive_flow_say_bye (flow);
  pump ();
  fail_unless_equals_int (n_sent, 1);
  fail_unless (sent[0].has_bye && sent[0].sender_ssrc == OWN_SSRC);
  pump ();
  fail_unless_equals_int (n_sent, 0);
}

GST_END_TEST;

GST_START_TEST (a_stranger_whose_credit_is_used_up_gets_no_bye)
{
  data_arrives ();
  gst_tfrc_receive_flow_say_bye (flow);
  pump ();
  fail_unless_equals_int (n_sent, 0);
}

GST_END_TEST;

static Suite *
receiveflow_suite (void)
{
  Suite *s = suite_create ("receiveflow");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_stranger_gets_a_challenge_and_no_more);
  tcase_add_test (tc, a_stranger_without_an_answer_gets_a_packet_for_each_of_its_own);
  tcase_add_test (tc, forged_error_correction_takes_no_time_for_the_answer);
  tcase_add_test (tc, a_response_that_is_read_after_the_second_is_in_time);
  tcase_add_test (tc, feedback_takes_no_credit_that_a_challenge_needs);
  tcase_add_test (tc, what_a_stranger_may_not_be_sent_yet_leaves_when_it_has_answered);
  tcase_add_test (tc, a_request_for_a_repair_waits_for_credit);
  tcase_add_test (tc, the_deadline_after_a_turn_lies_in_the_future);
  tcase_add_test (tc, feedback_leaves_before_the_response_to_a_challenge);
  tcase_add_test (tc, each_of_two_challenges_that_come_together_is_answered);
  tcase_add_test (tc, twenty_of_many_challenges_are_answered_in_three_turns);
  tcase_add_test (tc, reports_and_bye_of_the_repairs_are_the_peers_and_end_nothing);
  tcase_add_test (tc, reports_of_other_repairs_are_foreign);
  tcase_add_test (tc, a_bye_leaves_alone_and_once);
  tcase_add_test (tc, a_stranger_whose_credit_is_used_up_gets_no_bye);
  return s;
}

GST_CHECK_MAIN (receiveflow);
