/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide feedback: the format, true feedback, and false feedback */
#include <gst/check/gstcheck.h>
#include <string.h>

#include <tfrc/wire/arrivals.h>

#include "reporttest.h"

/* The clock of the peer, in units of 250 us, is ahead by this. */
#define PEER_AHEAD 123456789

static ReportTest t;
static guint8 fci[65536];
static gsize fci_bytes;
static guint64 noted; /* packets that feedback has been about */

static void
setup (void)
{
  report_test_init (&t);
  fail_unless_equals_int (tfrc_arrivals_new (&t.arrivals), TFRC_OK);
  noted = 0;
}

static void
teardown (void)
{
  report_test_clear (&t);
}

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

/* ---- true feedback ----------------------------------------------------------- */

static void
put (guint value, guint bytes)
{
  while (bytes-- > 0)
    fci[fci_bytes++] = (guint8) (value >> 8 * bytes);
}

static gint64
peer_units (guint64 time_ns)
{
  return (gint64) (time_ns / TFRC_WIRE_ARRIVALS_DELTA_NS) + PEER_AHEAD;
}

/* Writes feedback about the packets from @from to @to, which have arrived by now or are lost. */
static void
write_feedback (guint64 from, guint64 to)
{
  const guint units = TFRC_WIRE_ARRIVALS_REFERENCE_NS / TFRC_WIRE_ARRIVALS_DELTA_NS;
  gint64 last = peer_units (t.now) / units * units - units;
  guint64 i, fate;

  fci_bytes = 0;
  put ((guint16) (FIRST_SEQ + from), 2);
  put ((guint) (to - from), 2);
  put ((guint) (last / units) & 0xffffff, 3);
  put (0, 1);
  for (i = from; i < to; i++) {
    fate = g_array_index (t.fates, guint64, i);
    put (fate > 0 && fate <= t.now ? 0x4001 : 1, 2);
  }
  for (i = from; i < to; i++) {
    fate = g_array_index (t.fates, guint64, i);
    if (fate == 0 || fate > t.now)
      continue;
    put ((guint16) (peer_units (fate) - last), 2);
    last = peer_units (fate);
  }
}

/* The packets that have arrived by now, or have been overtaken */
static guint64
known_packets (void)
{
  guint64 known = 0;

  for (guint64 i = 0; i < t.fates->len; i++) {
    guint64 fate = g_array_index (t.fates, guint64, i);

    if (fate > 0 && fate <= t.now)
      known = i + 1;
  }
  return known;
}

static TfrcResult
deliver_feedback (guint64 rtt_ns)
{
  return tfrc_arrivals_on_feedback (t.arrivals, t.sender, fci, fci_bytes, rtt_ns, t.now);
}

/* After this time the receiver makes feedback about what is new. */
static TfrcResult
feedback_after (guint64 interval, guint64 rtt_ns)
{
  guint64 known;

  run_for (&t, interval);
  known = known_packets ();
  if (known == noted)
    return TFRC_OK;
  write_feedback (noted, known);
  noted = known;
  run_for (&t, t.delay);
  return deliver_feedback (rtt_ns);
}

static TfrcReceiverStats
receiver_stats (void)
{
  TfrcReceiverStats stats;

  fail_unless_equals_int (tfrc_arrivals_get_stats (t.arrivals, &stats), TFRC_OK);
  return stats;
}

/* The sender has 12 Mbit/s to send, so that no feedback is about more packets than are remembered. */
static void
run_feedback (guint n)
{
  t.demand_Bps = 1.5e6;
  while (n-- > 0)
    fail_unless_equals_int (feedback_after (30 * MS, 2 * t.delay), TFRC_OK);
}

GST_START_TEST (feedback_gives_r_and_the_rate_of_tfrc)
{
  fail_unless_equals_int (feedback_after (30 * MS, 40 * MS), TFRC_OK);
  assert_within (stats_of (&t).rtt_ns, 40 * MS, 1e-3);
  assert_within (rate_of (&t), 4380 / 0.040, 1e-3);
  run_feedback (20);
  fail_unless (rate_of (&t) > 1e6);
  assert_close (stats_of (&t).p, 0);
}

GST_END_TEST;

/* What the feedback has waited is a part of R: 20 ms and 2 * 20 ms */
GST_START_TEST (without_a_report_r_includes_the_wait)
{
  fail_unless_equals_int (feedback_after (40 * MS, 0), TFRC_OK);
  assert_within (stats_of (&t).rtt_ns, 60 * MS, 1e-3);
}

GST_END_TEST;

/* The receiver's side at the sender finds what a receiver of TFRC finds. */
GST_START_TEST (p_is_that_of_a_receiver_of_tfrc)
{
  t.link_Bps = 250000;
  t.demand_Bps = 1.5e6;
  for (guint i = 0; i < 400; i++)
    fail_unless_equals_int (feedback_after (30 * MS, 0), TFRC_OK);
  fail_unless (stats_of (&t).p > 0);
  fail_unless_equals_uint64 (receiver_stats ().packets_received,
      receiver_stats ().packets_expected - receiver_stats ().packets_lost);
  /* TFRC on this link loses about this */
  fail_unless ((double) t.lost / t.sent < 0.02, "%g", (double) t.lost / t.sent);
  fail_unless (t.delivered * S / ((t.now - SECOND) / 1e9) > 0.8 * 250000 * S / PACKET_BYTES);
}

GST_END_TEST;

GST_START_TEST (packets_of_lost_feedback_are_not_lost)
{
  run_feedback (10);
  run_for (&t, 100 * MS);
  noted = known_packets ();
  run_feedback (10);
  fail_unless_equals_uint64 (receiver_stats ().packets_lost, 0);
  assert_close (stats_of (&t).p, 0);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_comes_late_is_not_lost)
{
  guint64 late, *fate;

  run_feedback (10);
  late = noted + 2;
  run_for (&t, 100 * MS);
  fate = &g_array_index (t.fates, guint64, late);
  *fate += 60 * MS; /* after the others */
  run_feedback (1);
  run_for (&t, 100 * MS);
  fail_unless (receiver_stats ().packets_lost <= 1);
  write_feedback (late, late + 1);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().packets_lost, 0);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_is_reported_twice_counts_once)
{
  guint64 received;

  run_feedback (10);
  received = receiver_stats ().packets_received;
  write_feedback (0, noted);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().packets_received, received);
}

GST_END_TEST;

GST_START_TEST (the_interval_is_the_longest_of_four)
{
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 30 * SECOND);
  run_feedback (4);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 30 * SECOND);
  run_feedback (1);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 50 * MS);
  feedback_after (980 * MS, 0);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), SECOND);
}

GST_END_TEST;

GST_START_TEST (without_a_sender_arrivals_are_noted)
{
  TfrcSender *sender = t.sender;

  run_for (&t, 30 * MS);
  write_feedback (0, known_packets ());
  fail_unless_equals_int (
      tfrc_arrivals_on_feedback (t.arrivals, NULL, fci, fci_bytes, 0, t.now), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().packets_received, 1);
  fail_unless_equals_uint64 (tfrc_sender_get_rtt_ns (sender), 0);
}

GST_END_TEST;

/* ---- false feedback ---------------------------------------------------------- */

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

GST_START_TEST (null_is_refused)
{
  TfrcReceiverStats stats;
  TfrcData data = { 0 };

  fail_unless_equals_int (tfrc_arrivals_new (NULL), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_feedback (NULL, t.sender, fci, 8, 0, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_feedback (t.arrivals, t.sender, NULL, 8, 0, 0), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_arrivals_on_feedback (t.arrivals, t.sender, NULL, 0, 0, 0), TFRC_ERROR_RANGE);
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

static Suite *
arrivals_suite (void)
{
  Suite *suite = suite_create ("arrivals");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, every_kind_of_chunk_is_read);
  tcase_add_test (tcase, malformed_feedback_is_refused);
  tcase_add_test (tcase, feedback_is_found_in_its_compound);
  tcase_add_test (tcase, feedback_gives_r_and_the_rate_of_tfrc);
  tcase_add_test (tcase, without_a_report_r_includes_the_wait);
  tcase_add_test (tcase, p_is_that_of_a_receiver_of_tfrc);
  tcase_add_test (tcase, packets_of_lost_feedback_are_not_lost);
  tcase_add_test (tcase, a_packet_that_comes_late_is_not_lost);
  tcase_add_test (tcase, a_packet_that_is_reported_twice_counts_once);
  tcase_add_test (tcase, the_interval_is_the_longest_of_four);
  tcase_add_test (tcase, without_a_sender_arrivals_are_noted);
  tcase_add_test (tcase, a_packet_that_was_not_sent_has_not_arrived);
  tcase_add_test (tcase, a_packet_that_is_not_remembered_is_no_news);
  tcase_add_test (tcase, times_that_jump_do_no_harm);
  tcase_add_test (tcase, arrivals_all_at_once_give_no_higher_rate);
  tcase_add_test (tcase, null_is_refused);
  return suite;
}

GST_CHECK_MAIN (arrivals);
