/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a flow keeps for repairs, and which requests it serves, see gst/queue/repairstore.h */
#include "gst/queue/repairstore.h"
#include <gst/check/gstcheck.h>

#define MS GST_MSECOND
#define S GST_SECOND
#define NOW (1000 * S)
#define L (1000 * MS)
#define R (100 * MS)
#define BYTES 1316
#define RATE 125000.0 /* 1 Mbit/s: a quarter is 23 packets a second */

static GstTfrcRepairStore store;
static GstTfrcPacketPool *pool;
static GstTfrcRepairReceiver receiver;

static void
setup (void)
{
  memset (&store, 0, sizeof store);
  pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_repair_store_set_limit (&store, 1000 * GST_TFRC_PACKET_MEMORY_BYTES);
  receiver = (GstTfrcRepairReceiver){ TRUE, L, R, R, 0, RATE };
  gst_tfrc_repair_store_set_receiver (&store, &receiver);
}

static void
teardown (void)
{
  GstTfrcPacketPoolStats stats;

  gst_tfrc_repair_store_clear (&store);
  gst_tfrc_packet_pool_get_stats (pool, &stats);
  fail_unless_equals_int (stats.in_use, 0);
  gst_tfrc_packet_pool_free (pool);
}

static void
report (guint64 lost)
{
  receiver.lost = lost;
  gst_tfrc_repair_store_set_receiver (&store, &receiver);
}

/* Packets leave when they are due. Each holds its number. */
static void
leave (guint16 seq, guint64 due_ns, guint64 now_ns)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  memcpy (gst_tfrc_packet_payload (packet), &seq, sizeof seq);
  gst_tfrc_packet_set_payload_bytes (packet, BYTES);
  gst_tfrc_repair_store_on_left (&store, seq, packet, due_ns, now_ns);
  gst_tfrc_packet_unref (packet);
}

static void
leave_all (guint16 first, guint n, guint64 now_ns)
{
  for (guint i = 0; i < n; i++)
    leave ((guint16) (first + i), now_ns, now_ns);
}

static gboolean
ask (guint16 seq, guint64 now_ns)
{
  guint64 due_ns = 0;
  GstTfrcPacket *packet = gst_tfrc_repair_store_take (&store, seq, now_ns, &due_ns);

  if (packet == NULL)
    return FALSE;
  fail_unless (memcmp (gst_tfrc_packet_get_payload (packet), &seq, sizeof seq) == 0);
  fail_unless (due_ns > 0);
  gst_tfrc_packet_unref (packet);
  return TRUE;
}

/* Its repair leaves at once. */
static gboolean
repair (guint16 seq, guint64 now_ns)
{
  if (!ask (seq, now_ns))
    return FALSE;
  gst_tfrc_repair_store_on_repaired (&store, seq, now_ns);
  return TRUE;
}

static GstTfrcRepairStoreStats
stats (void)
{
  GstTfrcRepairStoreStats now;

  gst_tfrc_repair_store_get_stats (&store, &now);
  return now;
}

GST_START_TEST (what_has_left_is_sent_again_across_the_wrap)
{
  leave_all (65530, 10, NOW);
  fail_unless (repair (65530, NOW + R));
  fail_unless (repair (65535, NOW + R));
  fail_unless (repair (0, NOW + R));
  fail_unless (ask (3, NOW + R)); /* waits to leave */
  fail_if (ask (4, NOW + R));
  fail_if (ask (65529, NOW + R));
  fail_unless_equals_uint64 (stats ().requested, 6);
  fail_unless_equals_uint64 (stats ().sent, 3);
  fail_unless_equals_uint64 (stats ().gone, 2);
}

GST_END_TEST;

/* Two packets with one number have left, 65536 apart: the older one is not to be had any more, kept or not. */
GST_START_TEST (a_number_means_the_newest_packet_with_it)
{
  guint64 due_ns, now_ns = NOW;

  gst_tfrc_repair_store_set_limit (&store, 40000 * GST_TFRC_PACKET_MEMORY_BYTES);
  for (guint i = 0; i <= 65536 + 10; i++) {
    now_ns += MS / 100;
    leave ((guint16) i, now_ns, now_ns);
  }
  gst_tfrc_packet_unref (gst_tfrc_repair_store_take (&store, 10, now_ns, &due_ns));
  fail_unless_equals_uint64 (due_ns, now_ns);
  fail_if (ask (11, now_ns)); /* left 65535 packets ago, and has no newer one */
  fail_if (ask (10 + 32768, now_ns));
  fail_unless (ask ((guint16) (11 - 32768), now_ns)); /* the oldest that is kept */
  fail_unless_equals_uint64 (stats ().gone, 2);
}

GST_END_TEST;

GST_START_TEST (one_repair_is_under_way_at_a_time)
{
  leave_all (1, 1, NOW);
  fail_unless (ask (1, NOW));
  fail_if (ask (1, NOW + 500 * MS)); /* it has not left yet */
  gst_tfrc_repair_store_on_repaired (&store, 1, NOW + 500 * MS);
  fail_if (ask (1, NOW + 500 * MS + R - 1));
  fail_unless (ask (1, NOW + 500 * MS + R));
  fail_unless_equals_uint64 (stats ().too_soon, 2);
}

GST_END_TEST;

/* A path whose round trips differ: a request that was sent beside feedback may come later than R. */
GST_START_TEST (deviations_of_the_path_make_the_next_repair_wait)
{
  receiver.again_ns = R + 40 * MS;
  gst_tfrc_repair_store_set_receiver (&store, &receiver);
  leave_all (1, 1, NOW);
  fail_unless (repair (1, NOW));
  fail_if (ask (1, NOW + R + 40 * MS - 1));
  fail_unless (ask (1, NOW + R + 40 * MS));
}

GST_END_TEST;

GST_START_TEST (a_repair_that_was_dropped_is_tried_again)
{
  leave_all (1, 1, NOW);
  fail_unless (ask (1, NOW));
  gst_tfrc_repair_store_on_dropped (&store, 1);
  fail_unless (repair (1, NOW));
  gst_tfrc_repair_store_on_dropped (&store, 1); /* it has left */
  fail_if (ask (1, NOW + R - 1));
  fail_unless_equals_uint64 (stats ().dropped, 1);
}

GST_END_TEST;

/* The deadline has dropped all that the budget allowed at once: what it bounds has not left. */
GST_START_TEST (a_repair_that_was_dropped_costs_nothing)
{
  const guint n = GST_TFRC_REPAIR_STORE_FREE;

  leave_all (0, 2 * n, NOW);
  for (guint16 i = 0; i < n; i++)
    fail_unless (ask (i, NOW));
  fail_if (ask ((guint16) n, NOW));
  for (guint16 i = 0; i < n; i++)
    gst_tfrc_repair_store_on_dropped (&store, i);
  for (guint16 i = 0; i < n; i++)
    fail_unless (repair ((guint16) (n + i), NOW));
  fail_if (ask (0, NOW));
  /* One that has left is not given back. */
  gst_tfrc_repair_store_on_dropped (&store, (guint16) n);
  fail_if (ask (0, NOW));
}

GST_END_TEST;

GST_START_TEST (what_no_repair_can_bring_in_time_is_not_kept)
{
  leave_all (1, 1, NOW);
  leave (2, NOW + 1, NOW + 1);
  fail_if (ask (1, NOW + L + R + 1));
  fail_unless (ask (2, NOW + L + R + 1));
  fail_unless_equals_uint64 (stats ().late, 1);
  leave (3, NOW, NOW + L + R + 1);
  fail_unless_equals_int (stats ().bytes, 2 * GST_TFRC_PACKET_MEMORY_BYTES);
}

GST_END_TEST;

/* A player with a delay plays by the clock, a recorder takes what comes. */
GST_START_TEST (a_packet_that_left_late_is_repaired_late_for_a_recorder_alone)
{
  leave (1, NOW, NOW + 600 * MS);
  leave (2, NOW, NOW + 600 * MS);
  fail_if (ask (1, NOW + L + R + 1));
  receiver.tells_playout = FALSE;
  gst_tfrc_repair_store_set_receiver (&store, &receiver);
  fail_unless (ask (1, NOW + 600 * MS + L + R));
  fail_if (ask (2, NOW + 600 * MS + L + R + 1));
}

GST_END_TEST;

GST_START_TEST (what_is_learnt_of_the_receiver_holds_for_what_has_left)
{
  leave_all (1, 1, NOW);
  receiver.playout_ns = 5 * L;
  gst_tfrc_repair_store_set_receiver (&store, &receiver);
  fail_unless (repair (1, NOW + 5 * L + R));
  receiver.playout_ns = L;
  gst_tfrc_repair_store_set_receiver (&store, &receiver);
  fail_if (ask (1, NOW + 5 * L + 2 * R));
  fail_unless_equals_uint64 (stats ().late, 1);
}

GST_END_TEST;

/* It is played later than a packet that leaves when it is due, but is kept for a bounded time. */
GST_START_TEST (what_runs_ahead_is_kept_for_two_seconds)
{
  leave (1, NOW + 10 * S, NOW);
  fail_unless (ask (1, NOW + 2 * S + R));
  leave (2, NOW + 10 * S, NOW);
  fail_if (ask (2, NOW + 2 * S + R + 1));
}

GST_END_TEST;

GST_START_TEST (the_bound_on_bytes_holds)
{
  leave_all (1, 1500, NOW);
  fail_unless (stats ().bytes <= 1001 * GST_TFRC_PACKET_MEMORY_BYTES);
  fail_if (ask (499, NOW));
  fail_unless (ask (501, NOW));
  gst_tfrc_repair_store_set_limit (&store, 0);
  fail_unless_equals_int (stats ().bytes, 0);
  leave_all (1501, 10, NOW);
  fail_if (ask (1505, NOW));
}

GST_END_TEST;

GST_START_TEST (numbers_that_were_given_up_are_gone)
{
  leave_all (1, 5, NOW);
  leave_all (10, 5, NOW);
  fail_unless (ask (5, NOW) && ask (10, NOW));
  fail_if (ask (7, NOW));
  leave_all (5000, 2, NOW); /* a gap that no loss of the own system makes */
  fail_if (ask (10, NOW + R));
  fail_unless (ask (5001, NOW));
}

GST_END_TEST;

/* Without a loss that it reports a receiver gets some repairs, and then one for each R. */
GST_START_TEST (a_receiver_that_loses_nothing_gets_one_repair_a_round_trip_time)
{
  guint n = 0;

  leave_all (1, 900, NOW);
  for (guint i = 1; i <= 900; i++)
    n += ask ((guint16) i, NOW);
  fail_unless_equals_int (n, GST_TFRC_REPAIR_STORE_FREE);
  n = 0;
  for (guint i = 100; i < 600; i++)
    n += ask ((guint16) i, NOW + i * MS - 100 * MS);
  fail_unless (n >= 4 && n <= 5, "%u", n);
}

GST_END_TEST;

GST_START_TEST (losses_that_are_reported_allow_twice_as_many_repairs)
{
  guint n = 0;

  leave_all (1, 900, NOW);
  while (ask ((guint16) (n + 1), NOW))
    n++;
  fail_unless_equals_int (n, GST_TFRC_REPAIR_STORE_FREE);
  receiver.rate_Bps = 100 * RATE;
  report (4);
  report (4);
  for (n = 0; ask ((guint16) (n + 100), NOW + 5 * MS); n++)
    ;
  fail_unless_equals_int (n, 8);
}

GST_END_TEST;

/* However much is lost: 16 packets at once, and then a quarter of 1 Mbit/s. */
GST_START_TEST (a_quarter_of_the_rate_is_the_most_that_repairs_have)
{
  guint n = 0;

  leave_all (1, 900, NOW);
  fail_unless (ask (900, NOW));
  report (10000);
  for (guint i = 1; i < 900; i++)
    n += ask ((guint16) i, NOW + i * MS);
  fail_unless_equals_int (n, (guint) (0.899 * RATE / 4 / BYTES + RATE / 4 / BYTES) - 1);
}

GST_END_TEST;

/* A receiver whose count falls and rises again: the credit has a bound. */
GST_START_TEST (false_counts_of_losses_allow_no_more_than_the_rate)
{
  guint n = 0;

  leave_all (1, 900, NOW);
  for (guint i = 1; i < 900; i++) {
    report (i % 2 * G_MAXUINT32);
    n += ask ((guint16) i, NOW);
  }
  fail_unless (n <= RATE / 4 / BYTES, "%u", n);
}

GST_END_TEST;

/* Below that, the hosts take longer than the path. */
GST_START_TEST (a_packet_is_repaired_every_10_ms_at_most)
{
  receiver.again_ns = 0;
  report (0);
  leave_all (0, 1, NOW);
  fail_unless (repair (0, NOW + R));
  fail_if (repair (0, NOW + R + 10 * MS - 1));
  fail_unless_equals_uint64 (stats ().too_soon, 1);
  fail_unless (repair (0, NOW + R + 10 * MS));
}

GST_END_TEST;

GST_START_TEST (more_than_64_numbers_that_were_given_up_begin_the_store_anew)
{
  leave (0, NOW, NOW);
  leave (65, NOW, NOW);
  fail_unless (ask (0, NOW));
  leave (65 + 66, NOW, NOW);
  fail_if (ask (65, NOW));
  fail_unless (ask (65 + 66, NOW));
}

GST_END_TEST;

/* They were losses of what another flow has sent, or of before this receiver asked. */
GST_START_TEST (losses_before_the_first_report_allow_no_repairs)
{
  guint n = 0;

  gst_tfrc_repair_store_clear (&store);
  memset (&store, 0, sizeof store);
  gst_tfrc_repair_store_set_limit (&store, 1000 * GST_TFRC_PACKET_MEMORY_BYTES);
  receiver.rate_Bps = 1e9;
  report (1000);
  leave_all (0, 100, NOW);
  for (guint16 seq = 0; seq < 100; seq++)
    n += repair (seq, NOW + R);
  fail_unless_equals_int (n, GST_TFRC_REPAIR_STORE_FREE);
}

GST_END_TEST;

GST_START_TEST (an_outage_allows_no_more_than_512_repairs_at_once)
{
  guint n = 0;

  receiver.rate_Bps = 1e9;
  report (0);
  leave_all (0, 900, NOW);
  fail_unless (repair (0, NOW + R));
  report (10000);
  for (guint16 seq = 1; seq < 900; seq++)
    n += repair (seq, NOW + R);
  fail_unless_equals_int (n, GST_TFRC_REPAIR_STORE_MAX_CREDIT);
}

GST_END_TEST;

/* 31250 bytes are 23 packets. */
GST_START_TEST (no_more_than_a_second_of_the_share_is_saved_up)
{
  guint n = 0;

  leave_all (0, 1, NOW);
  fail_unless (repair (0, NOW + R));
  report (10000);
  leave_all (1, 100, NOW + 50 * S);
  for (guint16 seq = 1; seq <= 100; seq++)
    n += repair (seq, NOW + 50 * S + R);
  fail_unless_equals_int (n, 23);
}

GST_END_TEST;

static Suite *
repairstore_suite (void)
{
  Suite *suite = suite_create ("repairstore");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, what_has_left_is_sent_again_across_the_wrap);
  tcase_add_test (tcase, a_number_means_the_newest_packet_with_it);
  tcase_add_test (tcase, one_repair_is_under_way_at_a_time);
  tcase_add_test (tcase, deviations_of_the_path_make_the_next_repair_wait);
  tcase_add_test (tcase, a_repair_that_was_dropped_is_tried_again);
  tcase_add_test (tcase, a_repair_that_was_dropped_costs_nothing);
  tcase_add_test (tcase, what_no_repair_can_bring_in_time_is_not_kept);
  tcase_add_test (tcase, a_packet_that_left_late_is_repaired_late_for_a_recorder_alone);
  tcase_add_test (tcase, what_is_learnt_of_the_receiver_holds_for_what_has_left);
  tcase_add_test (tcase, what_runs_ahead_is_kept_for_two_seconds);
  tcase_add_test (tcase, the_bound_on_bytes_holds);
  tcase_add_test (tcase, numbers_that_were_given_up_are_gone);
  tcase_add_test (tcase, a_receiver_that_loses_nothing_gets_one_repair_a_round_trip_time);
  tcase_add_test (tcase, losses_that_are_reported_allow_twice_as_many_repairs);
  tcase_add_test (tcase, a_quarter_of_the_rate_is_the_most_that_repairs_have);
  tcase_add_test (tcase, false_counts_of_losses_allow_no_more_than_the_rate);
  tcase_add_test (tcase, a_packet_is_repaired_every_10_ms_at_most);
  tcase_add_test (tcase, more_than_64_numbers_that_were_given_up_begin_the_store_anew);
  tcase_add_test (tcase, losses_before_the_first_report_allow_no_repairs);
  tcase_add_test (tcase, an_outage_allows_no_more_than_512_repairs_at_once);
  tcase_add_test (tcase, no_more_than_a_second_of_the_share_is_saved_up);
  return suite;
}

GST_CHECK_MAIN (repairstore);
