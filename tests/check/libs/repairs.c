/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets are repaired in time; repairpair.h has both flows and the path between them. */
#include "repairpair.h"

/* ---- losses ----------------------------------------------------------------------- */

GST_START_TEST (on_a_clean_path_nothing_is_asked_for_and_nothing_is_added)
{
  run (20 * S);
  fail_unless (n_played > 900);
  fail_unless_equals_int (n_repairs + n_requests, 0);
  fail_if (has_element_3);
  fail_unless_equals_uint64 (src_stats ().repairs.requested, 0);
}

GST_END_TEST;

static gboolean
loses_every_fiftieth (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth % 50 == 0;
}

/* 2 % of the datagrams, repairs among them, on a path of 100 ms: enough time for six tries. */
GST_START_TEST (every_lost_packet_is_played_in_time)
{
  GstTfrcReceiveFlowStats stats;
  guint n_discont_before;

  settle ();
  n_discont_before = n_discont;
  loses = loses_every_fiftieth;
  run (20 * S);
  loses = loses_nothing;
  run (2 * S);
  stats = src_stats ();
  assert_all_played ();
  fail_unless (n_data > 1000);
  fail_unless_equals_uint64 (stats.repairs.late + stats.repairs.duplicate, 0);
  fail_unless_equals_uint64 (stats.queue.missing, 0);
  fail_unless_equals_int (n_discont, n_discont_before);
  fail_unless (n_repairs <= n_data / 49 + 1, "%u repairs of %u packets", n_repairs, n_data);
  /* TFRC counts what was lost, repaired or not (RFC 9265). */
  fail_unless (stats.reception.receiver.packets_lost >= n_repairs - 1);
}

GST_END_TEST;

/* The same with the repairs of RIST, which tfrcsrc takes as well. */
GST_START_TEST (every_lost_packet_is_sent_again_as_rist_does)
{
  gst_tfrc_send_flow_free (sink);
  is_rist = TRUE;
  start_sink (SSRC, FIRST_SEQ);
  settle ();
  loses = loses_every_fiftieth;
  run (20 * S);
  loses = loses_nothing;
  run (2 * S);
  assert_all_played ();
  fail_unless (n_repairs > 0);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 0);
  fail_unless_equals_uint64 (src_stats ().malformed_packets + src_stats ().foreign_packets, 0);
  fail_unless (src_stats ().reception.receiver.packets_lost >= n_repairs - 1);
}

GST_END_TEST;

/* Behind a report, an APP packet with a range: this number, and three more */
static void
ask_as_rist (guint32 ssrc, guint32 asked_ssrc, guint16 from)
{
  const TfrcWireRtcp report = { .sender_ssrc = ssrc };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize at = tfrc_wire_write_receiver_report (packet, &report, "rist");

  GST_WRITE_UINT32_BE (packet + at, 0x80cc0003);
  GST_WRITE_UINT32_BE (packet + at + 4, asked_ssrc);
  memcpy (packet + at + 8, "RIST", 4);
  GST_WRITE_UINT16_BE (packet + at + 12, from);
  GST_WRITE_UINT16_BE (packet + at + 14, 3);
  deliver (FALSE, &src_address, packet, at + 16);
}

GST_START_TEST (ranges_that_a_receiver_of_rist_asks_for_are_sent_again)
{
  guint16 from;

  settle ();
  from = (guint16) (FIRST_SEQ + n_pushed - 20);
  ask_as_rist (OWN_SSRC + 1, SSRC, from);
  ask_as_rist (OWN_SSRC, SSRC + 2, from);
  fail_unless_equals_uint64 (sink_stats ().requested, 0);
  ask_as_rist (OWN_SSRC, SSRC, from);
  fail_unless_equals_uint64 (sink_stats ().requested, 4);
  run (2 * S);
  fail_unless_equals_int (n_repairs, 4);
}

GST_END_TEST;

static gboolean
loses_requests (const TfrcWireData *header, guint nth)
{
  return header ? nth % 50 == 0 : nth % 2 == 0;
}

GST_START_TEST (a_lost_request_is_repeated_beside_feedback)
{
  settle ();
  loses = loses_requests;
  run (20 * S);
  loses = loses_nothing;
  run (2 * S);
  assert_all_played ();
  fail_unless_equals_uint64 (src_stats ().repairs.duplicate, 0);
}

GST_END_TEST;

static gboolean
loses_all_repairs (const TfrcWireData *header, guint nth)
{
  return header != NULL && (nth == 100 || header->payload_type == TFRC_WIRE_REPAIR_PAYLOAD_TYPE);
}

/* One packet: a request and a repair about each R until a repair could not be in time, and then no more. */
GST_START_TEST (when_every_repair_is_lost_the_requests_end_with_the_packets_time)
{
  settle ();
  loses = loses_all_repairs;
  run (10 * S);
  fail_unless (n_repairs >= 5 && n_repairs <= 8, "%u", n_repairs);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 1);
  fail_unless_equals_int (n_discont, 1);
}

GST_END_TEST;

static gboolean
loses_a_burst (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth > 100 && nth <= 130;
}

GST_START_TEST (a_burst_of_thirty_is_repaired)
{
  settle ();
  loses = loses_a_burst;
  run (10 * S);
  assert_all_played ();
  fail_unless (n_repairs >= 30 && n_repairs <= 33, "%u", n_repairs);
}

GST_END_TEST;

static gboolean
loses_the_hundredth (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth == 100;
}

static guint tail_lost;

static gboolean
loses_the_tail (const TfrcWireData *header, guint nth)
{
  return header != NULL && tail_lost > 0 && tail_lost-- > 0;
}

/* A receiver that has asked before is there, and the movie pauses, with n more packets. */
static void
pause_after (guint n)
{
  settle ();
  loses = loses_the_hundredth;
  while (n_data < 150)
    run (STEP);
  n_movie = n_pushed + n;
}

/* The last three packets before a pause, and the first try of the last one: nothing that comes tells of them. */
GST_START_TEST (the_last_packets_before_a_silence_are_repaired)
{
  pause_after (3);
  loses = loses_the_tail;
  tail_lost = 4;
  run (3 * S);
  assert_all_played ();
  fail_unless_equals_int (tail_lost, 0);
  fail_unless_equals_int (times_played[n_pushed - 1], 1);
  fail_unless_equals_int (n_repairs, 1 + 1 + 3);
  fail_unless_equals_uint64 (gst_tfrc_send_flow_drains_until_ns (sink), 0);
}

GST_END_TEST;

/* Feedback tells that the last packet has come. */
GST_START_TEST (a_silence_without_a_loss_costs_no_repair)
{
  pause_after (0);
  run (3 * S);
  assert_all_played ();
  fail_unless_equals_int (n_repairs, 1);
  fail_unless_equals_uint64 (src_stats ().repairs.duplicate, 0);
}

GST_END_TEST;

static gboolean
loses_all (const TfrcWireData *header, guint nth)
{
  return TRUE;
}

GST_START_TEST (the_end_waits_for_repairs_as_long_as_they_can_be_in_time)
{
  pause_after (1);
  loses = loses_all;
  run (200 * MS);
  fail_unless_equals_uint64 (
      gst_tfrc_send_flow_drains_until_ns (sink), due_of[n_pushed - 1] + LATENCY + RTT);
  n_repairs = 0;
  run (3 * S);
  fail_unless (n_repairs >= 2 && n_repairs <= 4, "%u", n_repairs);
  fail_unless (gst_tfrc_send_flow_drains_until_ns (sink) < now);
}

GST_END_TEST;

static guint64
delays_some (const TfrcWireData *header)
{
  return header->seq % 60 < 50 && header->seq % 60 != 0 ? 0 : 60 * MS;
}

/* Packets are overtaken by others all the time: that is learnt, and hardly anything is repaired in vain. */
GST_START_TEST (reordering_is_not_taken_for_loss_for_long)
{
  settle ();
  more_delay_ns = delays_some;
  run (30 * S);
  assert_all_played ();
  fail_unless (
      src_stats ().repairs.duplicate <= n_data / 20, "%u", (guint) src_stats ().repairs.duplicate);
}

GST_END_TEST;

GST_START_TEST (what_could_not_be_in_time_is_not_asked_for)
{
  src_limits.window_ns = RTT - 10 * MS;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  settle ();
  loses = loses_every_fiftieth;
  run (10 * S);
  fail_unless_equals_int (n_repairs + n_requests, 0);
  fail_unless (src_stats ().queue.missing > 5);
}

GST_END_TEST;

GST_START_TEST (either_end_can_do_without)
{
  settle ();
  limits.repair_bytes = 0;
  gst_tfrc_send_flow_set_limits (sink, &limits, now);
  loses = loses_every_fiftieth;
  run (5 * S);
  fail_unless (n_requests > 0);
  fail_unless_equals_int (n_repairs, 0);
  src_limits.repairs = FALSE;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  run (STEP);
  n_requests = 0;
  run (5 * S);
  fail_unless_equals_int (n_requests, 0);
}

GST_END_TEST;

GST_START_TEST (what_is_kept_is_as_old_as_a_repair_may_be)
{
  guint kept = (guint) ((LATENCY + RTT) / INTERVAL);

  settle ();
  run (10 * S);
  fail_unless (sink_stats ().bytes >= (kept - 2) * GST_TFRC_PACKET_MEMORY_BYTES);
  fail_unless (sink_stats ().bytes <= (kept + 2) * GST_TFRC_PACKET_MEMORY_BYTES, "%u packets",
      (guint) (sink_stats ().bytes / GST_TFRC_PACKET_MEMORY_BYTES));
}

GST_END_TEST;

/* ---- malice -------------------------------------------------------------------------- */

/* Asks for the last thirty packets. */
static void
ask_for_all (const GstTfrcAddress *from, guint32 ssrc, guint32 media)
{
  guint16 seqs[30];
  guint8 packet[TFRC_WIRE_MAX_NACK_BYTES];
  gsize used, size;

  for (guint i = 0; i < G_N_ELEMENTS (seqs); i++)
    seqs[i] = (guint16) (FIRST_SEQ + n_pushed - G_N_ELEMENTS (seqs) + i);
  size = tfrc_wire_write_nack (packet, ssrc, media, seqs, G_N_ELEMENTS (seqs), &used);
  deliver (FALSE, from, packet, size);
}

GST_START_TEST (only_the_receiver_is_heard)
{
  const GstTfrcAddress elsewhere = test_address ("192.0.2.66", 5004);

  settle ();
  ask_for_all (&elsewhere, OWN_SSRC, SSRC);
  ask_for_all (&src_address, OWN_SSRC + 1, SSRC);
  ask_for_all (&src_address, OWN_SSRC, SSRC + 1);
  run (2 * S);
  fail_unless_equals_int (n_repairs, 0);
  fail_unless_equals_uint64 (sink_stats ().requested, 0);
}

GST_END_TEST;

/* ---- RTCP of the repairs ------------------------------------------------------------- */

#define SR_WORDS 7
#define CHUNK_WORDS 6 /* of the elements' CNAMEs */
#define CLOCK_WORDS 4

static guint32
word_of (const InFlight *packet, guint word)
{
  fail_unless (packet->size >= 4 * (word + 1), "%u bytes", (guint) packet->size);
  return GST_READ_UINT32_BE (packet->data + 4 * word);
}

/* A packet that leaves together with the report may count or not. */
static void
assert_counts (guint sr, guint sent)
{
  guint packets = word_of (&last_sr, sr + 5);

  fail_unless (packets + 1 >= sent && packets <= sent + 1, "%u of %u", packets, sent);
  fail_unless_equals_int (word_of (&last_sr, sr + 6), packets * PAYLOAD);
}

/* The second SR and the second chunk have the clock and the name of the first. */
static void
assert_report_with_repairs (void)
{
  const guint chunk = 2 * SR_WORDS + 1;

  fail_unless_equals_int (last_sr.size, 4 * (2 * SR_WORDS + 1 + 2 * CHUNK_WORDS + CLOCK_WORDS));
  assert_counts (0, sent_at_sr[0]);
  assert_counts (SR_WORDS, sent_at_sr[1]);
  fail_unless_equals_int_hex (word_of (&last_sr, SR_WORDS + 1), SSRC + 1);
  for (guint i = 2; i <= 4; i++)
    fail_unless_equals_int_hex (word_of (&last_sr, SR_WORDS + i), word_of (&last_sr, i));
  fail_unless_equals_int_hex (word_of (&last_sr, chunk), SSRC);
  fail_unless_equals_int_hex (word_of (&last_sr, chunk + CHUNK_WORDS), SSRC + 1);
  for (guint i = 1; i < CHUNK_WORDS; i++)
    fail_unless_equals_int_hex (
        word_of (&last_sr, chunk + CHUNK_WORDS + i), word_of (&last_sr, chunk + i));
}

GST_START_TEST (reports_and_bye_name_the_repairs_once_there_are_some)
{
  settle ();
  run (5 * S);
  fail_unless_equals_int (last_sr.size, 4 * (SR_WORDS + 1 + CHUNK_WORDS + CLOCK_WORDS));
  assert_counts (0, sent_at_sr[0]);
  loses = loses_every_fiftieth;
  run (5 * S);
  assert_report_with_repairs ();
  loses = loses_nothing;
  n_movie = n_pushed;
  run (S);
  gst_tfrc_send_flow_say_bye (sink);
  run (STEP);
  fail_unless_equals_int (last_bye.size, 4 * (2 + 1 + 2 * CHUNK_WORDS + 3));
  fail_unless_equals_int_hex (word_of (&last_bye, 2 + 1 + 2 * CHUNK_WORDS) >> 16, 0x82cb);
  fail_unless_equals_int_hex (word_of (&last_bye, 2 + 1 + 2 * CHUNK_WORDS + 1), SSRC);
  fail_unless_equals_int_hex (word_of (&last_bye, 2 + 1 + 2 * CHUNK_WORDS + 2), SSRC + 1);
}

GST_END_TEST;

/* Data after a BYE would be another stream's, with another SSRC. */
GST_START_TEST (a_request_that_meets_the_bye_begins_no_stream)
{
  settle ();
  n_movie = n_pushed;
  run (60 * MS);
  gst_tfrc_send_flow_say_bye (sink);
  run (10 * STEP);
  n_data = n_repairs = 0;
  ask_for_all (&src_address, OWN_SSRC, SSRC);
  for (guint i = 0; i < 20; i++, now += STEP)
    pump (gst_tfrc_send_flow_get_base (sink), TRUE);
  fail_unless_equals_int (n_data + n_repairs, 0);
  fail_unless_equals_uint64 (sink_stats ().requested, 0);
}

GST_END_TEST;

/* A receiver that has lost nothing asks for all, a thousand times a second: some repairs, and then one for each R;
 * the movie goes on. */
GST_START_TEST (a_flood_of_requests_gets_one_repair_a_round_trip_time)
{
  settle ();
  for (guint i = 0; i < 10000; i++) {
    ask_for_all (&src_address, OWN_SSRC, SSRC);
    run (STEP);
  }
  fail_unless (n_repairs <= GST_TFRC_REPAIR_STORE_FREE + 10 * S / RTT + 1, "%u", n_repairs);
  fail_unless (n_repairs >= 90, "%u", n_repairs);
  assert_all_played ();
}

GST_END_TEST;

/* A repair from another address, or of another stream, is nobody's. */
GST_START_TEST (a_forged_repair_is_not_played)
{
  const GstTfrcAddress elsewhere = test_address ("192.0.2.66", 5004);
  TfrcWireData header = { .payload_type = TFRC_WIRE_REPAIR_PAYLOAD_TYPE,
    .ssrc = SSRC + 1,
    .rtt_us = RTT / 1000,
    .has_transport_seq = TRUE };
  guint8 packet[GST_TFRC_MAX_PACKET_BYTES] = { 0 };
  gsize at;

  settle ();
  at = tfrc_wire_write_repair (packet, &header, (guint16) (FIRST_SEQ + n_pushed));
  packet[at] = 0x47;
  deliver (TRUE, &elsewhere, packet, at + 188);
  header.ssrc = SSRC + 3;
  tfrc_wire_write_repair (packet, &header, (guint16) (FIRST_SEQ + n_pushed));
  deliver (TRUE, &sink_address, packet, at + 188);
  header.ssrc = SSRC + 1;
  header.has_transport_seq = FALSE;
  at = tfrc_wire_write_repair (packet, &header, (guint16) (FIRST_SEQ + n_pushed));
  packet[at] = 0x47;
  deliver (TRUE, &sink_address, packet, at + 188);
  run (2 * S);
  assert_all_played ();
  fail_unless_equals_uint64 (src_stats ().repairs.repaired, 0);
  fail_unless_equals_uint64 (src_stats ().malformed_packets, 3);
}

GST_END_TEST;

static Suite *
repairs_suite (void)
{
  Suite *suite = suite_create ("repairs");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, free_pair);
  tcase_add_test (tcase, on_a_clean_path_nothing_is_asked_for_and_nothing_is_added);
  tcase_add_test (tcase, every_lost_packet_is_played_in_time);
  tcase_add_test (tcase, every_lost_packet_is_sent_again_as_rist_does);
  tcase_add_test (tcase, ranges_that_a_receiver_of_rist_asks_for_are_sent_again);
  tcase_add_test (tcase, a_lost_request_is_repeated_beside_feedback);
  tcase_add_test (tcase, when_every_repair_is_lost_the_requests_end_with_the_packets_time);
  tcase_add_test (tcase, a_burst_of_thirty_is_repaired);
  tcase_add_test (tcase, the_last_packets_before_a_silence_are_repaired);
  tcase_add_test (tcase, a_silence_without_a_loss_costs_no_repair);
  tcase_add_test (tcase, the_end_waits_for_repairs_as_long_as_they_can_be_in_time);
  tcase_add_test (tcase, reordering_is_not_taken_for_loss_for_long);
  tcase_add_test (tcase, what_could_not_be_in_time_is_not_asked_for);
  tcase_add_test (tcase, either_end_can_do_without);
  tcase_add_test (tcase, what_is_kept_is_as_old_as_a_repair_may_be);
  tcase_add_test (tcase, only_the_receiver_is_heard);
  tcase_add_test (tcase, reports_and_bye_name_the_repairs_once_there_are_some);
  tcase_add_test (tcase, a_request_that_meets_the_bye_begins_no_stream);
  tcase_add_test (tcase, a_flood_of_requests_gets_one_repair_a_round_trip_time);
  tcase_add_test (tcase, a_forged_repair_is_not_played);
  return suite;
}

GST_CHECK_MAIN (repairs);
