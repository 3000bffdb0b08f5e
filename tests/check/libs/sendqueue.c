/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's buffer, see gst/queue/sendqueue.h. */
#include <gst/check/gstcheck.h>
#include <string.h>
#include "gst/queue/sendqueue.h"

#define MS GST_MSECOND
#define NOW (1000 * GST_SECOND)
#define WINDOW (320 * MS)

static GstTfrcOutgoingPool entries;
static GstTfrcSendQueue queue;
static GstTfrcPacketPool *pool;

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_outgoing_pool_init (&entries, NULL, NULL);
  gst_tfrc_send_queue_init (&queue);
  queue.max_packets = 8;
  queue.max_time_ns = 1000 * MS;
}

static void
teardown (void)
{
  gst_tfrc_send_queue_clear (&queue);
  gst_tfrc_outgoing_pool_clear (&entries);
  gst_tfrc_packet_pool_free (pool);
}

static GstTfrcOutgoing *
enter (GstTfrcPacket *packet, guint64 queued_ns)
{
  GstTfrcOutgoing *outgoing = gst_tfrc_outgoing_new (&entries, packet, GST_TFRC_RTP_MEDIA);

  gst_tfrc_outgoing_set_due_ns (outgoing, queued_ns - MS);
  gst_tfrc_outgoing_set_queued_ns (outgoing, queued_ns);
  return outgoing;
}

/* Returns a packet of @size bytes, each with the value @id. */
static GstTfrcPacket *
packet_new (guint8 id, gsize size)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  memset (gst_tfrc_packet_payload (packet), id, size);
  gst_tfrc_packet_set_payload_bytes (packet, size);
  return packet;
}

static void
push (guint8 id, guint64 queued_ns)
{
  gst_tfrc_send_queue_push (
      &queue, enter (packet_new (id, GST_TFRC_PACKET_MAX_PAYLOAD_BYTES), queued_ns));
}

static guint8
pop (void)
{
  GstTfrcOutgoing *outgoing = gst_tfrc_send_queue_pop (&queue);
  guint8 id = gst_tfrc_packet_get_payload (gst_tfrc_outgoing_get_packet (outgoing))[0];

  gst_tfrc_outgoing_free (outgoing);
  return id;
}

/* Returns whether the pipeline has to wait, as without `leaky'. */
static gboolean
is_full (guint64 now_ns)
{
  return gst_tfrc_send_queue_admission (&queue, now_ns) != GST_TFRC_ADMIT;
}

GST_START_TEST (an_empty_queue_has_room_and_no_age)
{
  fail_unless (gst_tfrc_send_queue_pop (&queue) == NULL);
  fail_unless_equals_int (gst_tfrc_send_queue_length (&queue), 0);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, NOW), 0);
  fail_if (is_full (NOW));
  fail_unless (gst_tfrc_send_queue_is_low (&queue, NOW));
}

GST_END_TEST;

GST_START_TEST (packets_come_out_as_they_went_in)
{
  const gsize sizes[] = { 188, 1316, 376 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    gst_tfrc_send_queue_push (&queue, enter (packet_new ((guint8) i, sizes[i]), NOW + i));
  fail_unless_equals_int (queue.bytes, 188 + 1316 + 376);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstTfrcOutgoing *outgoing = gst_tfrc_send_queue_pop (&queue);
    const GstTfrcPacket *packet = gst_tfrc_outgoing_get_packet (outgoing);

    fail_unless_equals_int (gst_tfrc_packet_get_payload_bytes (packet), sizes[i]);
    fail_unless_equals_uint64 (gst_tfrc_outgoing_get_queued_ns (outgoing), NOW + i);
    fail_unless_equals_uint64 (gst_tfrc_outgoing_get_due_ns (outgoing), NOW + i - MS);
    for (guint j = 0; j < sizes[i]; j++)
      fail_unless_equals_int (gst_tfrc_packet_get_payload (packet)[j], i);
    gst_tfrc_outgoing_free (outgoing);
  }
  fail_unless_equals_int (queue.bytes, 0);
  fail_unless_equals_int (gst_tfrc_send_queue_length (&queue), 0);
}

GST_END_TEST;

GST_START_TEST (the_number_of_packets_limits)
{
  for (guint i = 0; i < 8; i++) {
    fail_if (is_full (NOW));
    push (0, NOW);
  }
  fail_unless (is_full (NOW));
  pop ();
  fail_if (is_full (NOW));
}

GST_END_TEST;

GST_START_TEST (the_age_of_the_oldest_limits)
{
  push (0, NOW);
  push (1, NOW + 400 * MS);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, NOW + 999 * MS), 999 * MS);
  fail_if (is_full (NOW + 1000 * MS - 1));
  fail_unless (is_full (NOW + 1000 * MS));

  pop ();
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, NOW + 1000 * MS), 600 * MS);
  fail_if (is_full (NOW + 1000 * MS));
  fail_unless (is_full (NOW + 1400 * MS));
}

GST_END_TEST;

GST_START_TEST (a_time_before_the_oldest_is_no_age)
{
  push (0, NOW);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, NOW - 1), 0);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, 0), 0);
  fail_if (is_full (0));
}

GST_END_TEST;

GST_START_TEST (zero_is_no_limit_of_time)
{
  queue.max_time_ns = 0;
  push (0, 0);
  fail_if (is_full (G_MAXINT64));
  fail_unless (gst_tfrc_send_queue_is_low (&queue, G_MAXINT64));
}

GST_END_TEST;

GST_START_TEST (the_queue_is_low_when_a_quarter_of_both_limits_is_free)
{
  for (guint i = 0; i < 8; i++)
    push ((guint8) i, NOW + i * 200 * MS);
  fail_if (gst_tfrc_send_queue_is_low (&queue, NOW));
  pop (); /* 7 of 8 packets */
  fail_if (gst_tfrc_send_queue_is_low (&queue, NOW));
  pop (); /* 6 of 8 packets; the oldest came at 400 ms */
  fail_unless (gst_tfrc_send_queue_is_low (&queue, NOW));
  fail_unless (gst_tfrc_send_queue_is_low (&queue, NOW + (400 + 750) * MS));
  fail_if (gst_tfrc_send_queue_is_low (&queue, NOW + (400 + 750) * MS + 1));
}

GST_END_TEST;

GST_START_TEST (the_smallest_queue_becomes_low)
{
  queue.max_packets = 1;
  push (0, NOW);
  fail_unless (is_full (NOW));
  pop ();
  fail_unless (gst_tfrc_send_queue_is_low (&queue, NOW));
}

GST_END_TEST;

GST_START_TEST (pushing_back_keeps_the_order)
{
  GstTfrcOutgoing *taken[3];

  for (guint i = 0; i < 5; i++)
    push ((guint8) i, NOW + i * MS);
  for (guint i = 0; i < 3; i++)
    taken[i] = gst_tfrc_send_queue_pop (&queue);
  push (5, NOW + 5 * MS);
  for (guint i = 3; i-- > 1;)
    gst_tfrc_send_queue_push_back (&queue, taken[i]);
  fail_unless_equals_int (queue.bytes, 5 * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, NOW + 10 * MS), 9 * MS);
  gst_tfrc_outgoing_free (taken[0]);
  for (guint8 i = 1; i <= 5; i++)
    fail_unless_equals_int (pop (), i);
}

GST_END_TEST;

GST_START_TEST (a_packet_in_the_queue_may_be_kept_elsewhere_too)
{
  GstTfrcPacket *packet = packet_new (7, 188);
  GstTfrcOutgoing *outgoing = enter (gst_tfrc_packet_ref (packet), NOW);

  gst_tfrc_send_queue_push (&queue, outgoing);
  fail_unless (gst_tfrc_send_queue_first (&queue) == outgoing);
  fail_unless_equals_int (pop (), 7);
  fail_unless (gst_tfrc_send_queue_first (&queue) == NULL);
  fail_unless_equals_int (gst_tfrc_packet_get_payload (packet)[187], 7);
  gst_tfrc_send_queue_push (&queue, enter (packet, NOW));
  fail_unless_equals_int (pop (), 7);
}

GST_END_TEST;

GST_START_TEST (clearing_leaves_an_empty_queue_with_its_limits)
{
  for (guint i = 0; i < 8; i++)
    push (0, NOW);
  gst_tfrc_send_queue_clear (&queue);
  fail_unless_equals_int (gst_tfrc_send_queue_length (&queue), 0);
  fail_unless_equals_int (queue.bytes, 0);
  fail_if (is_full (NOW + GST_SECOND));
  for (guint i = 0; i < 8; i++)
    push (0, NOW);
  fail_unless (is_full (NOW));
}

GST_END_TEST;

GST_START_TEST (without_smoother_packets_may_leave_at_once)
{
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), G_MAXUINT64);
  push (0, NOW);
  push (1, NOW);
  fail_unless (gst_tfrc_send_queue_next_ns (&queue) <= NOW);
  pop ();
  fail_unless (gst_tfrc_send_queue_next_ns (&queue) <= NOW);
  pop ();
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), G_MAXUINT64);
}

GST_END_TEST;

GST_START_TEST (a_smoother_is_told_of_all_packets_that_come_and_go)
{
  GstTfrcOutgoing *taken;

  fail_unless_equals_int (tfrc_smoother_new (&queue.smoother, WINDOW), TFRC_OK);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), G_MAXUINT64);
  for (guint i = 0; i < 8; i++)
    push ((guint8) i, NOW);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), NOW);
  pop ();
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), NOW + WINDOW / 8);
  taken = gst_tfrc_send_queue_pop (&queue);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), NOW + 2 * WINDOW / 8);
  gst_tfrc_send_queue_push_back (&queue, taken);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), NOW + WINDOW / 8);
  gst_tfrc_send_queue_clear (&queue);
  push (0, NOW);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), NOW);
  gst_tfrc_send_queue_clear (&queue);
  tfrc_smoother_free (queue.smoother);
  queue.smoother = NULL;
}

GST_END_TEST;

/* ---- packets that run ahead ------------------------------------------------ */

static void
push_early (guint8 id, guint64 queued_ns, guint64 due_ns)
{
  GstTfrcOutgoing *outgoing = enter (packet_new (id, GST_TFRC_PACKET_MAX_PAYLOAD_BYTES), queued_ns);

  gst_tfrc_outgoing_set_due_ns (outgoing, due_ns);
  gst_tfrc_send_queue_push (&queue, outgoing);
}

GST_START_TEST (the_smoother_does_not_hold_what_runs_ahead)
{
  fail_unless_equals_int (tfrc_smoother_new (&queue.smoother, WINDOW), TFRC_OK);
  for (guint8 i = 0; i < 4; i++)
    push_early (i, NOW, NOW + GST_SECOND);
  push (4, NOW);
  push (5, NOW);
  for (guint8 i = 0; i < 4; i++) {
    fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), 0);
    fail_unless_equals_int (pop (), i);
  }
  pop ();
  fail_unless (gst_tfrc_send_queue_next_ns (&queue) > NOW);
  pop ();
  fail_unless_equals_uint64 (gst_tfrc_send_queue_next_ns (&queue), G_MAXUINT64);
  tfrc_smoother_free (queue.smoother);
  queue.smoother = NULL;
}

GST_END_TEST;

static void
push_repair (guint8 id, guint64 due_ns, guint64 queued_ns)
{
  GstTfrcOutgoing *repair = gst_tfrc_outgoing_new_repair (
      &entries, packet_new (id, GST_TFRC_PACKET_MAX_PAYLOAD_BYTES), id);

  gst_tfrc_outgoing_set_due_ns (repair, due_ns);
  gst_tfrc_outgoing_set_queued_ns (repair, queued_ns);
  gst_tfrc_send_queue_push_repair (&queue, repair);
}

/* ---- packets that have been sealed -------------------------------------------- */

/* The system has refused a packet that was sealed, and so has a number. */
static void
push_refused (guint8 id, guint64 queued_ns)
{
  GstTfrcOutgoing *outgoing = enter (packet_new (id, GST_TFRC_PACKET_MAX_PAYLOAD_BYTES), queued_ns);

  outgoing->has_rtp_seq = TRUE;
  gst_tfrc_send_queue_push_back (&queue, outgoing);
}

/* The receiver would take its number for a loss. */
GST_START_TEST (a_packet_with_a_number_is_not_dropped_for_its_age)
{
  queue.live = TRUE;
  push_refused (0, NOW);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_expiry_ns (&queue), G_MAXUINT64);
  fail_unless_equals_int (gst_tfrc_send_queue_drop_overdue (&queue, NOW + 10 * GST_SECOND), 0);
  push (1, NOW + 5 * MS);
  push (2, NOW + 6 * MS);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_expiry_ns (&queue), NOW + 1004 * MS);
  fail_unless_equals_int (gst_tfrc_send_queue_drop_overdue (&queue, NOW + 1004 * MS), 1);
  fail_unless_equals_int (pop (), 0);
  fail_unless_equals_int (pop (), 2);
}

GST_END_TEST;

GST_START_TEST (a_packet_with_a_number_makes_no_room)
{
  GstTfrcOutgoing *dropped;

  push_refused (0, NOW);
  fail_unless (gst_tfrc_send_queue_take_oldest (&queue) == NULL);
  push (1, NOW);
  push (2, NOW);
  dropped = gst_tfrc_send_queue_take_oldest (&queue);
  fail_unless_equals_int (
      gst_tfrc_packet_get_payload (gst_tfrc_outgoing_get_packet (dropped))[0], 1);
  gst_tfrc_outgoing_free (dropped);
  fail_unless_equals_int (queue.bytes, 2 * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES);
  fail_unless_equals_int (pop (), 0);
  fail_unless_equals_int (pop (), 2);
}

GST_END_TEST;

/* Three packets with later transport numbers in front of it would be a loss (RFC 5348 section 5.1). */
GST_START_TEST (repairs_leave_behind_packets_with_numbers)
{
  push_refused (1, NOW + MS);
  push_refused (0, NOW);
  push (5, NOW + 2 * MS);
  for (guint8 i = 2; i < 5; i++)
    push_repair (i, NOW - GST_SECOND, NOW + 3 * MS);
  for (guint8 i = 0; i < 6; i++)
    fail_unless_equals_int (pop (), i);
}

GST_END_TEST;

/* Each packet is due MS before it is queued. */
GST_START_TEST (repairs_leave_before_what_is_due_with_them)
{
  push (0, NOW);
  push (3, NOW + 5 * MS);
  push_repair (1, NOW + 4 * MS, NOW + 6 * MS);
  push_repair (2, NOW + 4 * MS, NOW + 6 * MS);
  push_repair (4, NOW + 9 * MS, NOW + 6 * MS);
  for (guint8 i = 0; i < 5; i++)
    fail_unless_equals_int (pop (), i);
}

GST_END_TEST;

/* It was due long ago, but has only just been asked for. */
GST_START_TEST (a_repair_in_a_live_queue_has_its_own_time)
{
  queue.live = TRUE;
  push_repair (0, NOW - 900 * MS, NOW);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, NOW + 200 * MS), 0);
  fail_unless_equals_int (gst_tfrc_send_queue_drop_overdue (&queue, NOW + 200 * MS), 0);
  fail_unless_equals_int (gst_tfrc_send_queue_length (&queue), 1);
  push (1, NOW + MS);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, NOW + 200 * MS), 200 * MS);
  fail_unless_equals_int (gst_tfrc_send_queue_drop_overdue (&queue, NOW + 1000 * MS), 1);
  fail_unless_equals_int (gst_tfrc_send_queue_length (&queue), 0);
}

GST_END_TEST;

GST_START_TEST (what_runs_ahead_waits_from_when_it_is_due)
{
  queue.leaky = GST_TFRC_LEAKY_DOWNSTREAM;
  push_early (0, NOW, NOW + 10 * GST_SECOND);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_age_ns (&queue, NOW + 10 * GST_SECOND), 0);
  fail_unless_equals_uint64 (gst_tfrc_send_queue_expiry_ns (&queue), NOW + 11 * GST_SECOND);
}

GST_END_TEST;

static Suite *
sendqueue_suite (void)
{
  Suite *s = suite_create ("sendqueue");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, an_empty_queue_has_room_and_no_age);
  tcase_add_test (tc, packets_come_out_as_they_went_in);
  tcase_add_test (tc, the_number_of_packets_limits);
  tcase_add_test (tc, the_age_of_the_oldest_limits);
  tcase_add_test (tc, a_time_before_the_oldest_is_no_age);
  tcase_add_test (tc, zero_is_no_limit_of_time);
  tcase_add_test (tc, the_queue_is_low_when_a_quarter_of_both_limits_is_free);
  tcase_add_test (tc, the_smallest_queue_becomes_low);
  tcase_add_test (tc, pushing_back_keeps_the_order);
  tcase_add_test (tc, a_packet_in_the_queue_may_be_kept_elsewhere_too);
  tcase_add_test (tc, clearing_leaves_an_empty_queue_with_its_limits);
  tcase_add_test (tc, without_smoother_packets_may_leave_at_once);
  tcase_add_test (tc, a_smoother_is_told_of_all_packets_that_come_and_go);
  tcase_add_test (tc, the_smoother_does_not_hold_what_runs_ahead);
  tcase_add_test (tc, what_runs_ahead_waits_from_when_it_is_due);
  tcase_add_test (tc, repairs_leave_before_what_is_due_with_them);
  tcase_add_test (tc, a_packet_with_a_number_is_not_dropped_for_its_age);
  tcase_add_test (tc, a_packet_with_a_number_makes_no_room);
  tcase_add_test (tc, repairs_leave_behind_packets_with_numbers);
  tcase_add_test (tc, a_repair_in_a_live_queue_has_its_own_time);
  return s;
}

GST_CHECK_MAIN (sendqueue);
