/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide feedback: its format, malformed feedback and false feedback */
#include <gst/check/gstcheck.h>

#include "arrivaltest.h"

/* ---- the format ------------------------------------------------------------ */

static TfrcWireResult
parse (const guint8 *bytes, gsize size, TfrcWireArrivals *wire)
{
  return tfrc_wire_parse_arrivals (bytes, size, wire);
}

static void
assert_next (TfrcWireArrivals *wire, gboolean arrived, gint delta)
{
  TfrcWireArrivalOf packet = tfrc_wire_next_arrival (wire);

  fail_unless_equals_int (packet.arrived, arrived);
  fail_unless_equals_int (packet.delta, delta);
}

GST_START_TEST (every_kind_of_chunk_is_read)
{
  const guint8 bytes[] = { 0x12, 0x34, 0, 22, 0xab, 0xcd, 0xef, 7, /* 22 packets from 0x1234 */
    0x20, 2,                                                       /* a run of 2 small deltas */
    0, 0,                                                          /* a run of nothing */
    0, 3,          /* a run of 3 that have not come */
    0xa0, 0x01,    /* one bit: 10000000000001 */
    0xd2, 0x00,    /* two bits: 01 02 00 ..., of which 3 count */
    4, 255,        /* of the first run */
    1, 2,          /* of the vector of one bit */
    3, 0xff, 0xfe, /* of the vector of two bits: small, and large: -2 */
    0 };
  TfrcWireArrivals wire;

  fail_unless_equals_int (parse (bytes, sizeof bytes, &wire), TFRC_WIRE_OK);
  fail_unless_equals_int (wire.base_seq, 0x1234);
  fail_unless_equals_int (wire.count, 22);
  fail_unless_equals_int (wire.reference_time, 0xabcdef);
  assert_next (&wire, TRUE, 4);
  assert_next (&wire, TRUE, 255);
  for (guint i = 0; i < 3; i++)
    assert_next (&wire, FALSE, 0);
  assert_next (&wire, TRUE, 1);
  for (guint i = 0; i < 12; i++)
    assert_next (&wire, FALSE, 0);
  assert_next (&wire, TRUE, 2);
  assert_next (&wire, TRUE, 3);
  assert_next (&wire, FALSE, 0);
  assert_next (&wire, TRUE, -2);
}

GST_END_TEST;

GST_START_TEST (malformed_feedback_is_refused)
{
  const guint8 good[] = { 0, 1, 0, 2, 0, 0, 0, 0, 0x40, 2, 0, 1, 0, 2 };
  guint8 bytes[sizeof good];
  TfrcWireArrivals wire;

  fail_unless_equals_int (parse (good, sizeof good, &wire), TFRC_WIRE_OK);
  for (gsize size = 0; size < sizeof good; size++)
    fail_unless_equals_int (parse (good, size, &wire), TFRC_WIRE_TOO_SHORT);
  memcpy (bytes, good, sizeof good);
  bytes[3] = 0; /* no packets */
  fail_unless_equals_int (parse (bytes, sizeof bytes, &wire), TFRC_WIRE_BAD_FIELD);
  bytes[2] = 0x20; /* more than are remembered */
  bytes[3] = 1;
  fail_unless_equals_int (parse (bytes, sizeof bytes, &wire), TFRC_WIRE_BAD_FIELD);
  memcpy (bytes, good, sizeof good);
  bytes[8] = 0x60; /* the reserved symbol */
  fail_unless_equals_int (parse (bytes, sizeof bytes, &wire), TFRC_WIRE_BAD_FIELD);
}

GST_END_TEST;

GST_START_TEST (feedback_is_found_in_its_compound)
{
  guint8 packet[] = { 0x80, 201, 0, 1, 0, 0, 0, 9,                   /* RR */
    0x8f, 205, 0, 4, 0, 0, 0, 9, 0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8, /* of SSRC 8 */
    0x8f, 205, 0, 3, 0, 0, 0, 9, 0, 0, 0, 7, 1, 1, 1, 1,             /* of SSRC 7 */
    0x8f, 205, 0, 3, 0, 0, 0, 9, 0, 0, 0, 8, 2, 2, 2, 2 };
  const guint8 *found;
  TfrcWireRtcp rtcp;
  gsize size;

  fail_unless (tfrc_wire_find_transport_feedback (packet, sizeof packet, 8, 0, &found, &size));
  fail_unless (found == packet + 20 && size == 8);
  fail_unless (tfrc_wire_find_transport_feedback (packet, sizeof packet, 8, 1, &found, &size));
  fail_unless (found == packet + 56 && size == 4);
  fail_if (tfrc_wire_find_transport_feedback (packet, sizeof packet, 8, 2, &found, &size));
  fail_if (tfrc_wire_find_transport_feedback (packet, sizeof packet, 6, 0, &found, &size));
  fail_if (tfrc_wire_find_transport_feedback (packet, 10, 8, 0, &found, &size));
  fail_if (tfrc_wire_find_transport_feedback (NULL, 0, 8, 0, &found, &size));
  /* without a report, too, a compound is ours */
  fail_unless_equals_int (
      tfrc_wire_parse_rtcp (packet + 8, sizeof packet - 8, 0, &rtcp), TFRC_WIRE_OK);
  fail_unless_equals_int (rtcp.unknown, 0);
}

GST_END_TEST;

/* ---- false feedback -------------------------------------------------------- */

static void
assert_refused (TfrcResult result)
{
  TfrcReceiverStats before = receiver_stats (), after;

  fail_unless_equals_int (deliver_feedback (0), result);
  after = receiver_stats ();
  fail_unless (memcmp (&before, &after, sizeof before) == 0);
}

static void
set_seq (guint16 seq)
{
  fci[0] = (guint8) (seq >> 8);
  fci[1] = (guint8) seq;
}

GST_START_TEST (a_packet_that_was_not_sent_has_not_arrived)
{
  guint16 next;

  run_feedback (10);
  run_for (&t, 100 * MS);
  write_feedback (noted, known_packets ());
  next = (guint16) (FIRST_SEQ + t.sent);
  set_seq (next);
  assert_refused (TFRC_ERROR_NOT_SENT);
  set_seq ((guint16) (next - 1)); /* the second packet has not left */
  assert_refused (TFRC_ERROR_NOT_SENT);
  set_seq ((guint16) (FIRST_SEQ - 1)); /* before the first */
  assert_refused (TFRC_ERROR_NOT_SENT);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_is_not_remembered_is_no_news)
{
  TfrcData data = { .size_bytes = S };

  for (guint i = 0; i < TFRC_ARRIVALS_PACKETS + 1; i++) {
    data.seq = (guint16) (FIRST_SEQ + i);
    tfrc_arrivals_on_packet (t.arrivals, &data);
  }
  fci_bytes = 0;
  put (FIRST_SEQ, 2);
  put (1, 2);
  put (0, 4);
  put (1, 2);
  assert_refused (TFRC_ERROR_STALE);
  set_seq ((guint16) (FIRST_SEQ + 1));
  fail_unless_equals_int (deliver_feedback (0), TFRC_OK);
}

GST_END_TEST;

/* The reference time jumps to and fro. The receiver's side stays with the time of this clock. */
GST_START_TEST (times_that_jump_do_no_harm)
{
  run_feedback (20);
  for (guint i = 0; i < 100; i++) {
    run_for (&t, 30 * MS);
    write_feedback (noted, known_packets ());
    noted = known_packets ();
    fci[4] = (guint8) (i * 77);
    run_for (&t, t.delay);
    fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  }
  run_feedback (100);
  assert_within (stats_of (&t).rtt_ns, 40 * MS, 0.01);
  assert_close (stats_of (&t).p, 0);
  fail_unless (rate_of (&t) > 1e6);
}

GST_END_TEST;

/* Whatever is reported, X is at most twice what was sent. */
GST_START_TEST (arrivals_all_at_once_give_no_higher_rate)
{
  t.demand_Bps = 50000;
  for (guint i = 0; i < 200; i++) {
    run_for (&t, 30 * MS);
    if (known_packets () == noted)
      continue;
    write_feedback (noted, known_packets ());
    noted = known_packets ();
    memset (fci + fci_bytes / 2, 0, 1);
    fail_unless_equals_int (deliver_feedback (1), TFRC_OK);
  }
  fail_unless (rate_of (&t) < 1e6, "%g", rate_of (&t));
}

GST_END_TEST;

static void
assert_list_refused (const TfrcReportedPacket *list, gsize n, TfrcResult result)
{
  TfrcReceiverStats before = receiver_stats (), after;

  fail_unless_equals_int (tfrc_arrivals_on_list (t.arrivals, t.sender, list, n, 0, t.now), result);
  after = receiver_stats ();
  fail_unless (memcmp (&before, &after, sizeof before) == 0);
}

GST_START_TEST (a_list_with_one_false_packet_is_refused_as_a_whole)
{
  TfrcReportedPacket list[2];

  t.demand_Bps = 1.5e6;
  for (guint i = 0; i < 10; i++) {
    run_for (&t, 100 * MS);
    if (t.sent > noted)
      fail_unless_equals_int (deliver_list (noted, t.sent), TFRC_OK);
    noted = t.sent;
  }
  run_for (&t, SECOND);
  fail_unless (t.sent >= noted + 2);
  list[0] = (TfrcReportedPacket){ (guint16) (FIRST_SEQ + noted), TRUE, t.now };
  list[1] = (TfrcReportedPacket){ (guint16) (FIRST_SEQ + t.sent), TRUE, t.now };
  assert_list_refused (list, 2, TFRC_ERROR_NOT_SENT);
  list[1] = (TfrcReportedPacket){ (guint16) (FIRST_SEQ + noted + 1), TRUE,
    TFRC_REPORTED_ARRIVAL_MOST_NS + 1 };
  assert_list_refused (list, 2, TFRC_ERROR_RANGE);
  list[1].arrived = FALSE; /* the time of a packet that has not arrived says nothing */
  fail_unless_equals_int (tfrc_arrivals_on_list (t.arrivals, t.sender, list, 2, 0, t.now), TFRC_OK);
}

GST_END_TEST;

/* The peer's clock jumps from end to end. */
GST_START_TEST (times_of_a_list_that_jump_do_no_harm)
{
  TfrcReportedPacket packet = { 0, TRUE, 0 };

  t.demand_Bps = 1.5e6;
  for (guint i = 0; i < 400; i++) {
    run_for (&t, 30 * MS);
    packet.seq = (guint16) (FIRST_SEQ + t.sent - 1);
    packet.arrival_ns = i % 2 ? TFRC_REPORTED_ARRIVAL_MOST_NS : i;
    fail_unless_equals_int (
        tfrc_arrivals_on_list (t.arrivals, t.sender, &packet, 1, 0, t.now), TFRC_OK);
  }
  fail_unless (stats_of (&t).rtt_ns < 100 * MS);
  fail_unless (rate_of (&t) <= 2 * 1.5e6, "%g", rate_of (&t));
}

GST_END_TEST;

static void
report_lists (guint n)
{
  for (guint i = 0; i < n; i++) {
    guint64 known;

    run_for (&t, 30 * MS);
    known = known_packets ();
    run_for (&t, t.delay);
    if (known > noted)
      fail_unless_equals_int (deliver_list (noted, known), TFRC_OK);
    noted = known;
  }
}

/* One false time of arrival must not be the time until which nothing that comes is new. */
GST_START_TEST (one_arrival_in_an_hour_does_not_end_the_feedback)
{
  TfrcReportedPacket list[2];
  gdouble before_Bps;

  t.demand_Bps = 1.5e6;
  report_lists (100);
  before_Bps = rate_of (&t);
  fail_unless (t.sent >= noted + 2);
  for (guint i = 0; i < 2; i++)
    list[i] = (TfrcReportedPacket){ (guint16) (FIRST_SEQ + noted + i), TRUE,
      (guint64) peer_units (t.now) * TFRC_WIRE_ARRIVALS_DELTA_NS };
  list[0].arrival_ns += 3600 * SECOND;
  fail_unless_equals_int (tfrc_arrivals_on_list (t.arrivals, t.sender, list, 2, 0, t.now), TFRC_OK);
  noted += 2;
  report_lists (200);
  fail_unless (rate_of (&t) > before_Bps / 2, "%g, before %g", rate_of (&t), before_Bps);
}

GST_END_TEST;

GST_START_TEST (null_is_refused)
{
  TfrcReceiverStats stats;
  TfrcReportedPacket packet = { 0 };
  TfrcData data = { 0 };

  fail_unless_equals_int (tfrc_arrivals_new (NULL), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_feedback (NULL, t.sender, fci, 8, 0, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_feedback (t.arrivals, t.sender, NULL, 8, 0, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_feedback (t.arrivals, t.sender, NULL, 0, 0, 0), TFRC_ERROR_RANGE);
  fail_unless_equals_int (
      tfrc_arrivals_on_list (t.arrivals, t.sender, NULL, 1, 0, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_list (NULL, t.sender, &packet, 1, 0, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_list (t.arrivals, t.sender, &packet, 0, 0, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_list (t.arrivals, t.sender, &packet, TFRC_ARRIVALS_PACKETS + 1, 0, 0),
      TFRC_ERROR_ARGUMENT);
  tfrc_arrivals_on_packet (NULL, &data);
  tfrc_arrivals_on_packet (t.arrivals, NULL);
  tfrc_arrivals_cancel (NULL);
  tfrc_arrivals_cancel (t.arrivals);
  tfrc_arrivals_end (NULL, t.sender);
  tfrc_arrivals_end (t.arrivals, NULL);
  tfrc_arrivals_free (NULL);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (NULL), 0);
  fail_unless_equals_int (tfrc_arrivals_get_stats (NULL, &stats), TFRC_ERROR_ARGUMENT);
}

GST_END_TEST;

/* 2^32 us and 40 ms: the longest R is that of section 4.3, and not what the last 32 bits of a longer one are. */
GST_START_TEST (an_r_beyond_any_is_not_a_short_one)
{
  run_for (&t, 40 * MS);
  noted = known_packets ();
  write_feedback (0, noted);
  run_for (&t, t.delay);
  fail_unless_equals_int (
      deliver_feedback ((G_GUINT64_CONSTANT (1) << 32) * US + 40 * MS), TFRC_OK);
  assert_within (stats_of (&t).rtt_ns, 60 * MS, 1e-3);
}

GST_END_TEST;

static Suite *
arrivalsfalse_suite (void)
{
  Suite *suite = suite_create ("arrivalsfalse");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, every_kind_of_chunk_is_read);
  tcase_add_test (tcase, malformed_feedback_is_refused);
  tcase_add_test (tcase, feedback_is_found_in_its_compound);
  tcase_add_test (tcase, a_packet_that_was_not_sent_has_not_arrived);
  tcase_add_test (tcase, a_packet_that_is_not_remembered_is_no_news);
  tcase_add_test (tcase, times_that_jump_do_no_harm);
  tcase_add_test (tcase, arrivals_all_at_once_give_no_higher_rate);
  tcase_add_test (tcase, a_list_with_one_false_packet_is_refused_as_a_whole);
  tcase_add_test (tcase, times_of_a_list_that_jump_do_no_harm);
  tcase_add_test (tcase, one_arrival_in_an_hour_does_not_end_the_feedback);
  tcase_add_test (tcase, an_r_beyond_any_is_not_a_short_one);
  tcase_add_test (tcase, null_is_refused);
  return suite;
}

GST_CHECK_MAIN (arrivalsfalse);
