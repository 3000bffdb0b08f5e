/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outbox of a flow: what goes to the send queue and when, and what a flush leaves, see gst/queue/outbox.h. */
#include <gst/check/gstcheck.h>

#include "gst/queue/outbox.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define NOW (1000 * S)
#define BYTES GST_TFRC_PACKET_MAX_PAYLOAD_BYTES
#define MAX_PACKETS 16
#define RATE 1e6

static GstTfrcPacketPool *pool;
static GstTfrcOutbox outbox;

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  fail_unless (gst_tfrc_outbox_init (&outbox, 0));
  gst_tfrc_outbox_set_limits (&outbox, MAX_PACKETS, 0, GST_TFRC_LEAKY_NONE);
  gst_tfrc_outbox_set_receiver (&outbox, FALSE, RATE, TRUE);
}

static void
teardown (void)
{
  GstTfrcPacketPoolStats stats;

  gst_tfrc_outbox_clear (&outbox);
  gst_tfrc_packet_pool_get_stats (pool, &stats);
  fail_unless_equals_int (stats.in_use, 0);
  gst_tfrc_packet_pool_free (pool);
}

static void
push_of (guint32 picture, guint64 due_ns)
{
  const GstTfrcImportance importance = { GST_TFRC_CLASS_REFERENCE, picture, 1 };
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  gst_tfrc_packet_set_payload_bytes (packet, BYTES);
  gst_tfrc_packet_set_importance (packet, &importance);
  gst_tfrc_outbox_push (&outbox, packet, GST_TFRC_RTP_MEDIA, due_ns, NOW);
}

static void
push (guint64 due_ns)
{
  push_of (0, due_ns);
}

static guint
queued (void)
{
  GstTfrcOutboxStats stats;

  gst_tfrc_outbox_get_stats (&outbox, NOW, &stats);
  return stats.queue_packets;
}

/* ---- what runs ahead ------------------------------------------------------------ */

/* 20 ms of the rate, and two packets at least; the last of them goes beyond. */
GST_START_TEST (what_leaves_in_20_ms_goes_to_the_send_queue_early)
{
  static const struct
  {
    gdouble rate_Bps;
    guint packets;
  } cases[] = { { 1e6, 16 }, { 1e5, 2 }, { 1e3, 2 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gst_tfrc_outbox_flush (&outbox);
    gst_tfrc_outbox_set_limits (&outbox, 1000, 0, GST_TFRC_LEAKY_NONE);
    gst_tfrc_outbox_set_receiver (&outbox, FALSE, cases[i].rate_Bps, TRUE);
    gst_tfrc_outbox_set_ahead (&outbox, 60 * S, 100000000);
    for (guint k = 0; k < 100; k++)
      push (NOW + S + k * MS);
    gst_tfrc_outbox_take_due (&outbox, NOW);
    fail_unless_equals_int (queued (), cases[i].packets);
  }
}

GST_END_TEST;

/* What has no times is due when it comes. */
GST_START_TEST (live_input_and_input_without_times_run_not_ahead)
{
  gst_tfrc_outbox_set_ahead (&outbox, 60 * S, 1000000);
  fail_unless_equals_uint64 (gst_tfrc_outbox_get_ahead_ns (&outbox), 60 * S);
  gst_tfrc_outbox_set_live (&outbox, TRUE);
  gst_tfrc_outbox_set_ahead (&outbox, 60 * S, 1000000);
  fail_unless_equals_uint64 (gst_tfrc_outbox_get_ahead_ns (&outbox), 0);
  gst_tfrc_outbox_set_live (&outbox, FALSE);
  gst_tfrc_outbox_set_timed (&outbox, FALSE);
  gst_tfrc_outbox_set_ahead (&outbox, 60 * S, 1000000);
  fail_unless_equals_uint64 (gst_tfrc_outbox_get_ahead_ns (&outbox), 0);
}

GST_END_TEST;

GST_START_TEST (as_many_packets_wait_ahead_as_in_the_queue)
{
  for (guint i = 0; i < MAX_PACKETS; i++) {
    fail_unless_equals_int (
        gst_tfrc_outbox_has_room (&outbox, NOW), i <= MAX_PACKETS - MAX_PACKETS / 4);
    fail_unless_equals_int (gst_tfrc_outbox_admit (&outbox, NOW + S, NOW), GST_TFRC_ADMIT);
    push (NOW + S);
  }
  fail_unless_equals_int (gst_tfrc_outbox_admit (&outbox, NOW + S, NOW), GST_TFRC_ADMIT_LATER);
}

GST_END_TEST;

/* ---- the receiver ------------------------------------------------------------------ */

/* Its rate is that of the time before. */
GST_START_TEST (nothing_drains_to_a_receiver_that_is_absent)
{
  fail_unless (gst_tfrc_outbox_set_receiver (&outbox, TRUE, RATE, TRUE));
  fail_unless (outbox.queue.drain_rate_Bps == 0);
  fail_if (gst_tfrc_outbox_set_receiver (&outbox, TRUE, RATE, TRUE));
  fail_unless (gst_tfrc_outbox_set_receiver (&outbox, FALSE, RATE, TRUE));
  fail_unless (outbox.queue.drain_rate_Bps == RATE);
}

GST_END_TEST;

/* ---- a flush ------------------------------------------------------------------------ */

GST_START_TEST (a_flush_forgets_pictures_that_were_incomplete)
{
  gst_tfrc_outbox_set_deadline (&outbox, TRUE, 100 * MS);
  push_of (7, NOW - S);
  push_of (7, NOW);
  fail_unless_equals_int (queued (), 0);
  gst_tfrc_outbox_flush (&outbox);
  push_of (7, NOW);
  fail_unless_equals_int (queued (), 1);
}

GST_END_TEST;

static GstTfrcOutgoing *
take (void)
{
  GstTfrcOutgoing *outgoing;

  gst_tfrc_outbox_begin (&outbox);
  outgoing = gst_tfrc_outbox_take (&outbox);
  fail_unless (outgoing != NULL);
  return outgoing;
}

GST_START_TEST (what_is_taken_comes_back_unless_there_was_a_flush)
{
  GstTfrcOutgoing *outgoing;

  push (NOW);
  outgoing = take ();
  fail_unless_equals_int (queued (), 0);
  fail_if (gst_tfrc_outbox_is_empty (&outbox));
  gst_tfrc_outbox_on_not_left (&outbox, outgoing);
  fail_unless_equals_int (queued (), 1);
  outgoing = take ();
  gst_tfrc_outbox_flush (&outbox);
  gst_tfrc_outbox_on_not_left (&outbox, outgoing);
  fail_unless_equals_int (queued (), 0);
  fail_unless (gst_tfrc_outbox_is_empty (&outbox));
}

GST_END_TEST;

/* The next stream has other packets with these numbers. */
GST_START_TEST (a_flush_keeps_nothing_for_repairs)
{
  GstTfrcOutgoing *outgoing;
  const GstTfrcRepairReceiver receiver = { TRUE, S, 100 * MS, 100 * MS, 0, RATE };

  gst_tfrc_outbox_set_repairs (&outbox, 1000000);
  gst_tfrc_outbox_set_repair_receiver (&outbox, &receiver);
  push (NOW);
  outgoing = take ();
  outgoing->has_rtp_seq = TRUE;
  outgoing->rtp_seq = 5;
  gst_tfrc_outbox_on_left (&outbox, outgoing, NOW);
  fail_unless (gst_tfrc_outbox_repair (&outbox, 5, NOW));
  /* a repair that is given up is no packet of the movie */
  gst_tfrc_outbox_on_given_up (&outbox, take ());
  fail_unless_equals_uint64 (gst_tfrc_outbox_get_dropped (&outbox), 0);
  fail_unless (gst_tfrc_outbox_repair (&outbox, 5, NOW));
  gst_tfrc_outbox_flush (&outbox);
  fail_if (gst_tfrc_outbox_repair (&outbox, 5, NOW));
}

GST_END_TEST;

GST_START_TEST (a_packet_that_is_given_up_is_dropped)
{
  push (NOW);
  gst_tfrc_outbox_on_given_up (&outbox, take ());
  fail_unless_equals_uint64 (gst_tfrc_outbox_get_dropped (&outbox), 1);
  fail_unless (gst_tfrc_outbox_is_empty (&outbox));
}

GST_END_TEST;

/* ---- repairs --------------------------------------------------------------------------- */

/* A packet of the movie has left with this number. */
static void
send_with_number (guint16 seq)
{
  GstTfrcOutgoing *outgoing;

  push (NOW);
  outgoing = take ();
  outgoing->has_rtp_seq = TRUE;
  outgoing->rtp_seq = seq;
  gst_tfrc_outbox_on_left (&outbox, outgoing, NOW);
}

static void
keep_for_repairs (void)
{
  const GstTfrcRepairReceiver receiver = { TRUE, S, 100 * MS, 100 * MS, 0, RATE };

  gst_tfrc_outbox_set_repairs (&outbox, 1000000);
  gst_tfrc_outbox_set_repair_receiver (&outbox, &receiver);
}

/* Its packet has left, and was not dropped. */
GST_START_TEST (a_repair_that_makes_room_is_no_drop)
{
  keep_for_repairs ();
  gst_tfrc_outbox_set_limits (&outbox, 1, 0, GST_TFRC_LEAKY_DOWNSTREAM);
  send_with_number (5);
  fail_unless (gst_tfrc_outbox_repair (&outbox, 5, NOW));
  fail_unless_equals_int (gst_tfrc_outbox_admit (&outbox, NOW, NOW), GST_TFRC_ADMIT);
  fail_unless_equals_int (queued (), 0);
  fail_unless_equals_uint64 (gst_tfrc_outbox_get_dropped (&outbox), 0);
  push (NOW);
  fail_unless_equals_int (gst_tfrc_outbox_admit (&outbox, NOW, NOW), GST_TFRC_ADMIT);
  fail_unless_equals_uint64 (gst_tfrc_outbox_get_dropped (&outbox), 1);
}

GST_END_TEST;

/* They are late already, and say nothing of the movie's delay. */
GST_START_TEST (repairs_are_no_part_of_the_delay_of_the_movie)
{
  GstTfrcOutboxStats stats;

  keep_for_repairs ();
  send_with_number (5);
  fail_unless (gst_tfrc_outbox_repair (&outbox, 5, NOW + S));
  gst_tfrc_outbox_on_left (&outbox, take (), NOW + S);
  gst_tfrc_outbox_get_stats (&outbox, NOW + S, &stats);
  fail_unless_equals_uint64 (stats.delay.count, 1);
}

GST_END_TEST;

/* What is on its way to the socket may be newer. */
GST_START_TEST (there_is_no_tail_while_a_packet_is_in_flight)
{
  GstTfrcRepairTail tail;
  GstTfrcOutgoing *outgoing;

  keep_for_repairs ();
  send_with_number (5);
  gst_tfrc_outbox_repair (&outbox, 5, NOW); /* the receiver asks for repairs */
  outgoing = take ();
  fail_if (gst_tfrc_outbox_get_tail (&outbox, &tail));
  gst_tfrc_outbox_on_left (&outbox, outgoing, NOW);
  fail_unless (gst_tfrc_outbox_get_tail (&outbox, &tail));
}

GST_END_TEST;

/* The queue was full when a packet became due. */
GST_START_TEST (after_a_flush_the_queue_is_not_full)
{
  gst_tfrc_outbox_set_limits (&outbox, 1, 0, GST_TFRC_LEAKY_NONE);
  push (NOW);
  push (NOW + MS);
  gst_tfrc_outbox_take_due (&outbox, NOW + MS);
  fail_unless_equals_uint64 (gst_tfrc_outbox_due_ns (&outbox), G_MAXUINT64);
  gst_tfrc_outbox_flush (&outbox);
  push (NOW + S);
  fail_unless_equals_uint64 (gst_tfrc_outbox_due_ns (&outbox), NOW + S);
}

GST_END_TEST;

static Suite *
outbox_suite (void)
{
  Suite *suite = suite_create ("outbox");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, what_leaves_in_20_ms_goes_to_the_send_queue_early);
  tcase_add_test (tcase, live_input_and_input_without_times_run_not_ahead);
  tcase_add_test (tcase, as_many_packets_wait_ahead_as_in_the_queue);
  tcase_add_test (tcase, nothing_drains_to_a_receiver_that_is_absent);
  tcase_add_test (tcase, a_flush_forgets_pictures_that_were_incomplete);
  tcase_add_test (tcase, what_is_taken_comes_back_unless_there_was_a_flush);
  tcase_add_test (tcase, a_flush_keeps_nothing_for_repairs);
  tcase_add_test (tcase, a_packet_that_is_given_up_is_dropped);
  tcase_add_test (tcase, a_repair_that_makes_room_is_no_drop);
  tcase_add_test (tcase, repairs_are_no_part_of_the_delay_of_the_movie);
  tcase_add_test (tcase, there_is_no_tail_while_a_packet_is_in_flight);
  tcase_add_test (tcase, after_a_flush_the_queue_is_not_full);
  return suite;
}

GST_CHECK_MAIN (outbox);
