/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The look-ahead queue, see gst/queue/lookahead.h. */
#include <gst/check/gstcheck.h>

#include "gst/queue/lookahead.h"

#define MS GST_MSECOND
#define NEVER G_MAXUINT64

static GstTfrcPacketPool *pool;
static GstTfrcOutgoingPool entries;
static GstTfrcLookahead queue;

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_outgoing_pool_init (&entries, NULL, NULL);
  gst_tfrc_lookahead_init (&queue);
}

static void
teardown (void)
{
  GstTfrcPacketPoolStats stats;

  gst_tfrc_lookahead_clear (&queue);
  gst_tfrc_outgoing_pool_clear (&entries);
  gst_tfrc_packet_pool_get_stats (pool, &stats);
  fail_unless_equals_int (stats.in_use, 0);
  gst_tfrc_packet_pool_free (pool);
}

static void
push (guint64 due_ns)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  gst_tfrc_lookahead_push (&queue, gst_tfrc_outgoing_new (&entries, packet, 0), due_ns);
}

static void
fail_unless_pops (guint64 due_ns)
{
  GstTfrcOutgoing *outgoing;

  fail_unless_equals_uint64 (gst_tfrc_lookahead_due_ns (&queue), due_ns);
  outgoing = gst_tfrc_lookahead_pop (&queue);
  fail_unless_equals_uint64 (gst_tfrc_outgoing_get_due_ns (outgoing), due_ns);
  gst_tfrc_outgoing_free (outgoing);
}

GST_START_TEST (packets_become_due_in_their_order)
{
  fail_unless_equals_uint64 (gst_tfrc_lookahead_due_ns (&queue), NEVER);
  fail_unless (gst_tfrc_lookahead_pop (&queue) == NULL);
  push (100 * MS);
  push (120 * MS);
  fail_unless_equals_int (gst_tfrc_lookahead_length (&queue), 2);
  fail_unless_pops (100 * MS);
  fail_unless_pops (120 * MS);
  fail_unless_equals_int (gst_tfrc_lookahead_length (&queue), 0);
}

GST_END_TEST;

GST_START_TEST (a_packet_is_not_due_before_the_one_in_front)
{
  push (100 * MS);
  push (40 * MS);
  push (110 * MS);
  fail_unless_pops (100 * MS);
  fail_unless_pops (100 * MS);
  fail_unless_pops (110 * MS);
}

GST_END_TEST;

GST_START_TEST (packets_move_with_the_timeline)
{
  gst_tfrc_lookahead_set_timeline (&queue, 5000 * (gint64) MS);
  push (5100 * MS);
  gst_tfrc_lookahead_set_timeline (&queue, 7000 * (gint64) MS);
  fail_unless_equals_uint64 (gst_tfrc_lookahead_due_ns (&queue), 7100 * MS);
  push (7105 * MS);
  gst_tfrc_lookahead_set_timeline (&queue, 6000 * (gint64) MS);
  fail_unless_pops (6100 * MS);
  fail_unless_pops (6105 * MS);
}

GST_END_TEST;

/* Running time 0 can be before the monotonic clock began, and a packet before running time 0. */
GST_START_TEST (negative_times_are_times)
{
  gst_tfrc_lookahead_set_timeline (&queue, -300 * (gint64) MS);
  push (100 * MS);
  fail_unless_equals_uint64 (gst_tfrc_lookahead_due_ns (&queue), 100 * MS);
  gst_tfrc_lookahead_set_timeline (&queue, -500 * (gint64) MS);
  fail_unless_equals_uint64 (gst_tfrc_lookahead_due_ns (&queue), 0);
  gst_tfrc_lookahead_set_timeline (&queue, 1000 * (gint64) MS);
  push (10 * MS);
  fail_unless_pops (1400 * MS);
  fail_unless_pops (1400 * MS);
  push (10 * MS);
  gst_tfrc_lookahead_set_timeline (&queue, 1500 * (gint64) MS);
  fail_unless_pops (510 * MS);
}

GST_END_TEST;

GST_START_TEST (no_packet_becomes_due_while_the_queue_is_stopped)
{
  push (100 * MS);
  gst_tfrc_lookahead_set_stopped (&queue, TRUE);
  fail_unless_equals_uint64 (gst_tfrc_lookahead_due_ns (&queue), NEVER);
  gst_tfrc_lookahead_set_timeline (&queue, 900 * (gint64) MS);
  fail_unless_equals_uint64 (gst_tfrc_lookahead_due_ns (&queue), NEVER);
  gst_tfrc_lookahead_set_stopped (&queue, FALSE);
  fail_unless_pops (1000 * MS);
}

GST_END_TEST;

GST_START_TEST (clearing_drops_the_packets_and_keeps_the_timeline)
{
  gst_tfrc_lookahead_set_timeline (&queue, 5000 * (gint64) MS);
  push (5100 * MS);
  push (5200 * MS);
  gst_tfrc_lookahead_clear (&queue);
  fail_unless_equals_int (gst_tfrc_lookahead_length (&queue), 0);
  push (5050 * MS);
  gst_tfrc_lookahead_set_timeline (&queue, 6000 * (gint64) MS);
  fail_unless_pops (6050 * MS);
}

GST_END_TEST;

static Suite *
lookahead_suite (void)
{
  Suite *suite = suite_create ("lookahead");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, packets_become_due_in_their_order);
  tcase_add_test (tcase, a_packet_is_not_due_before_the_one_in_front);
  tcase_add_test (tcase, packets_move_with_the_timeline);
  tcase_add_test (tcase, negative_times_are_times);
  tcase_add_test (tcase, no_packet_becomes_due_while_the_queue_is_stopped);
  tcase_add_test (tcase, clearing_drops_the_packets_and_keeps_the_timeline);
  return suite;
}

GST_CHECK_MAIN (lookahead);
