/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The deadline of the send queue, see gst/queue/deadline.h. */
#include <gst/check/gstcheck.h>
#include "gst/queue/deadline.h"

#define MS GST_MSECOND
#define NOW (1000 * GST_SECOND)
#define BYTES GST_TFRC_PACKET_MAX_PAYLOAD_BYTES
#define SLACK (100 * MS)

/* A packet in 10 ms: ten packets in one slack */
#define RATE_BPS (BYTES * 100.0)

static GstTfrcOutgoingPool entries;
static GstTfrcSendQueue queue;
static GstTfrcDeadline deadline;
static GstTfrcPacketPool *pool;

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_outgoing_pool_init (&entries, NULL, NULL);
  gst_tfrc_send_queue_init (&queue);
  gst_tfrc_deadline_init (&deadline);
  gst_tfrc_deadline_set (&deadline, TRUE, SLACK);
  queue.drain_rate_Bps = RATE_BPS;
  queue.drain_rate_is_measured = TRUE;
}

static void
teardown (void)
{
  gst_tfrc_send_queue_clear (&queue);
  gst_tfrc_deadline_clear (&deadline);
  gst_tfrc_outgoing_pool_clear (&entries);
  gst_tfrc_packet_pool_free (pool);
}

static GstTfrcPacket *
packet_new (guint8 class, guint32 picture, guint32 group)
{
  const GstTfrcImportance importance = { class, picture, group };
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  gst_tfrc_packet_set_payload_bytes (packet, BYTES);
  gst_tfrc_packet_set_importance (packet, &importance);
  return packet;
}

/* Queues a packet as the outbox does. Returns FALSE if it is refused. */
static gboolean
offer (GstTfrcPacket *packet, guint64 due_ns)
{
  GstTfrcOutgoing *outgoing = gst_tfrc_outgoing_new (&entries, packet, GST_TFRC_RTP_MEDIA);

  if (gst_tfrc_deadline_refuses (&deadline, packet)) {
    gst_tfrc_outgoing_free (outgoing);
    return FALSE;
  }
  gst_tfrc_outgoing_set_due_ns (outgoing, due_ns);
  gst_tfrc_outgoing_set_queued_ns (outgoing, due_ns);
  gst_tfrc_send_queue_push (&queue, outgoing);
  return TRUE;
}

static void
push_of (guint8 class, guint32 picture, guint n, guint64 due_ns)
{
  while (n-- > 0)
    offer (packet_new (class, picture, 1), due_ns);
}

static GstTfrcDeadlineStats
stats (void)
{
  GstTfrcDeadlineStats now;

  gst_tfrc_deadline_get_stats (&deadline, &now);
  return now;
}

/* How many packets of a picture wait */
static guint
waiting_of (guint32 picture)
{
  guint n = 0;

  for (GstTfrcOutgoing *outgoing = gst_tfrc_send_queue_first (&queue); outgoing;
       outgoing = gst_tfrc_send_queue_next (outgoing))
    n += gst_tfrc_packet_get_importance (gst_tfrc_outgoing_get_packet (outgoing))->picture
        == picture;
  return n;
}

GST_START_TEST (what_fits_is_not_looked_at)
{
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 1, NOW);
  for (guint i = 1; i < 10; i++) {
    queue.drain_rate_Bps *= i % 2 == 0 ? 2 : 0.5;
    push_of (GST_TFRC_CLASS_UNKNOWN, 0, 1, NOW);
    fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + 50 * MS), 0);
    gst_tfrc_outgoing_free (gst_tfrc_send_queue_pop (&queue));
  }
  fail_unless_equals_uint64 (stats ().looked_at, 0);
}
GST_END_TEST;

GST_START_TEST (a_packet_leaves_until_its_deadline_and_not_after_it)
{
  push_of (GST_TFRC_CLASS_TABLES, 0, 1, NOW);
  fail_unless_equals_uint64 (gst_tfrc_deadline_expiry_ns (&deadline, &queue), NOW + SLACK + 1);
  queue.drain_rate_Bps = 1e9;
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + SLACK), 0);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + SLACK + 1), 1);
  fail_unless_equals_uint64 (stats ().of_class[GST_TFRC_CLASS_TABLES], 1);
  fail_unless_equals_uint64 (gst_tfrc_deadline_expiry_ns (&deadline, &queue), G_MAXUINT64);
}
GST_END_TEST;

/* Ten packets fit, and five more if 50 ms of sending time are unused, of which no more than R counts. */
GST_START_TEST (unused_sending_time_makes_room)
{
  static const struct
  {
    guint64 unused_ns, most_ns;
    guint fit;
  } cases[] = { { 50 * MS, SLACK, 15 }, { 50 * MS, 20 * MS, 12 }, { 50 * MS, 0, 10 },
    { 3600 * GST_SECOND, GST_SECOND, 20 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gst_tfrc_deadline_forget (&deadline);
    queue.used_until_ns = NOW - MIN (cases[i].unused_ns, NOW);
    queue.most_credit_ns = cases[i].most_ns;
    push_of (GST_TFRC_CLASS_UNKNOWN, 0, cases[i].fit, NOW);
    fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 0);
    push_of (GST_TFRC_CLASS_UNKNOWN, 0, 1, NOW);
    fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 1);
    gst_tfrc_send_queue_clear (&queue);
  }
}
GST_END_TEST;

/* The picture of 14 packets needs unused sending time until 10 of them wait, also when a packet that has time for all of
 * them comes behind it. */
GST_START_TEST (a_queue_is_pressed_until_its_first_packet_has_time_for_all)
{
  queue.used_until_ns = NOW - SLACK;
  queue.most_credit_ns = SLACK;
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 10, NOW);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  fail_if (gst_tfrc_deadline_is_pressed (&deadline));
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 4, NOW);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  fail_unless (gst_tfrc_deadline_is_pressed (&deadline));
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 1, NOW + 80 * MS);
  for (guint waiting = 15; waiting > 10; waiting--) {
    fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 0);
    fail_unless (gst_tfrc_deadline_is_pressed (&deadline), "%u wait", waiting);
    gst_tfrc_outgoing_free (gst_tfrc_send_queue_pop (&queue));
  }
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  fail_if (gst_tfrc_deadline_is_pressed (&deadline));
}
GST_END_TEST;

/* Neither without a deadline, nor for a receiver that joins */
GST_START_TEST (nothing_is_pressed_that_has_no_deadline)
{
  queue.used_until_ns = NOW - SLACK;
  queue.most_credit_ns = SLACK;
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 15, NOW);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  fail_unless (gst_tfrc_deadline_is_pressed (&deadline));
  gst_tfrc_deadline_set (&deadline, FALSE, 0);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  fail_if (gst_tfrc_deadline_is_pressed (&deadline));

  gst_tfrc_deadline_set (&deadline, TRUE, SLACK);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  fail_unless (gst_tfrc_deadline_is_pressed (&deadline));
  gst_tfrc_deadline_catch_up (&deadline, 0, NOW);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  fail_if (gst_tfrc_deadline_is_pressed (&deadline));
}
GST_END_TEST;

/* Ten packets fit.  An I picture of 6, a P of 2, and two B of 2 packets each are 12. */
GST_START_TEST (the_least_important_goes_first_and_of_those_the_last)
{
  push_of (GST_TFRC_CLASS_RANDOM_ACCESS, 1, 6, NOW);
  push_of (GST_TFRC_CLASS_NON_REFERENCE, 2, 2, NOW);
  push_of (GST_TFRC_CLASS_NON_REFERENCE, 3, 2, NOW);
  push_of (GST_TFRC_CLASS_REFERENCE, 4, 2, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 2);
  fail_unless_equals_int (waiting_of (3), 0);
  fail_unless_equals_int (waiting_of (1) + waiting_of (2) + waiting_of (4), 10);

  queue.drain_rate_Bps = RATE_BPS * 0.7;
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + SLACK / 32), 4);
  fail_unless_equals_int (waiting_of (2) + waiting_of (4), 0);
  fail_unless_equals_int (waiting_of (1), 6);
}
GST_END_TEST;

/* One packet too many: of a picture of three, all three go, and the one that is still to come. */
GST_START_TEST (a_picture_that_has_lost_a_packet_loses_the_rest)
{
  push_of (GST_TFRC_CLASS_AUDIO, 0, 8, NOW);
  push_of (GST_TFRC_CLASS_REFERENCE, 7, 3, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 3);
  fail_if (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 7, 1), NOW));
  fail_unless (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 8, 1), NOW));
  fail_unless_equals_uint64 (stats ().of_class[GST_TFRC_CLASS_REFERENCE], 4);
}
GST_END_TEST;

/* A group whose random access picture is given up can be long, and decoders conceal what is missing: its
 * pictures leave where there is room, but go before those of a group that can be decoded. */
/* Its packet was not given up, and the rest of its picture can be in time. */
GST_START_TEST (a_repair_that_goes_leaves_its_picture_alone)
{
  GstTfrcOutgoing *repair;

  push_of (GST_TFRC_CLASS_NON_REFERENCE, 1, 4, NOW);
  repair = gst_tfrc_outgoing_new_repair (
      &entries, packet_new (GST_TFRC_CLASS_NON_REFERENCE, 1, 1), 7);
  gst_tfrc_outgoing_set_due_ns (repair, NOW + 1);
  gst_tfrc_outgoing_set_queued_ns (repair, NOW + 1);
  gst_tfrc_send_queue_push_repair (&queue, repair);
  push_of (GST_TFRC_CLASS_REFERENCE, 2, 6, NOW + 2);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 1);
  fail_unless_equals_int (waiting_of (1), 4);
  fail_unless_equals_int (waiting_of (2), 6);
  fail_unless_equals_uint64 (stats ().dropped, 0);
}
GST_END_TEST;

GST_START_TEST (pictures_of_a_group_without_its_random_access_go_first)
{
  const guint64 later_ns = NOW + SLACK / GST_TFRC_DEADLINE_SEARCHES;

  push_of (GST_TFRC_CLASS_AUDIO, 0, 7, NOW);
  push_of (GST_TFRC_CLASS_RANDOM_ACCESS, 1, 4, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 4);
  fail_unless (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 2, 1), NOW));
  fail_unless (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 3, 1), NOW));
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, later_ns), 0);
  fail_unless (offer (packet_new (GST_TFRC_CLASS_NON_REFERENCE, 4, 2), NOW));
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, later_ns), 1);
  fail_unless_equals_int (waiting_of (2), 1);
  fail_unless_equals_int (waiting_of (3), 0);
  fail_unless_equals_int (waiting_of (4), 1);
  fail_unless_equals_uint64 (stats ().of_class[GST_TFRC_CLASS_REFERENCE], 1);
}
GST_END_TEST;

GST_START_TEST (sound_and_tables_go_only_when_their_own_time_is_over)
{
  push_of (GST_TFRC_CLASS_AUDIO, 0, 10, NOW);
  push_of (GST_TFRC_CLASS_TABLES, 0, 10, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 0);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + SLACK + 1), 20);
}
GST_END_TEST;

GST_START_TEST (before_the_first_feedback_nothing_goes_for_the_rate)
{
  queue.drain_rate_is_measured = FALSE;
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 100, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 0);
}
GST_END_TEST;

GST_START_TEST (a_flush_forgets_what_was_incomplete)
{
  push_of (GST_TFRC_CLASS_AUDIO, 0, 10, NOW);
  push_of (GST_TFRC_CLASS_REFERENCE, 7, 1, NOW);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  gst_tfrc_deadline_forget (&deadline);
  fail_unless (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 7, 1), NOW));
}
GST_END_TEST;

/* Twice what can leave, ten thousand packets in the slack: a packet is looked at about as often as there
 * are searches in the time that it waits. */
GST_START_TEST (a_long_queue_costs_no_more_a_packet)
{
  guint64 now_ns = NOW, offered = 0;

  gst_tfrc_deadline_set (&deadline, TRUE, GST_SECOND);
  queue.drain_rate_Bps = BYTES * 10000.0;
  for (; now_ns < NOW + 3 * GST_SECOND; now_ns += MS) {
    for (guint i = 0; i < 20; i++, offered++) {
      offer (packet_new (GST_TFRC_CLASS_UNKNOWN, 0, 0), now_ns);
      gst_tfrc_deadline_drop (&deadline, &queue, now_ns);
    }
    for (guint i = 0; i < 10; i++)
      gst_tfrc_outgoing_free (gst_tfrc_send_queue_pop (&queue));
  }
  fail_unless (stats ().looked_at < 40 * offered, "%" G_GUINT64_FORMAT " for %" G_GUINT64_FORMAT,
      stats ().looked_at, offered);
  fail_unless (gst_tfrc_send_queue_length (&queue) <= 10000 + 20 * 1000 / 32 + 20);
}
GST_END_TEST;

GST_START_TEST (a_slack_that_is_no_slack_counts_as_the_least)
{
  gst_tfrc_deadline_set (&deadline, TRUE, 0);
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 1, NOW);
  fail_unless_equals_uint64 (
      gst_tfrc_deadline_expiry_ns (&deadline, &queue), NOW + GST_TFRC_DEADLINE_LEAST_SLACK_NS + 1);
  gst_tfrc_deadline_set (&deadline, FALSE, 0);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + GST_SECOND), 0);
}
GST_END_TEST;

/* Two packets a second, and a slack of 0.1 s: one packet waits until it may leave, or is late. */
GST_START_TEST (the_lowest_rate_has_a_packet_that_waits)
{
  queue.drain_rate_Bps = BYTES * 2.0;
  for (guint i = 0; i < 50; i++) {
    push_of (GST_TFRC_CLASS_REFERENCE, 1 + i, 1, NOW + i * 10 * MS);
    gst_tfrc_deadline_drop (&deadline, &queue, NOW + i * 10 * MS);
    fail_unless_equals_int (gst_tfrc_send_queue_length (&queue), 1);
  }
  fail_unless (
      gst_tfrc_outgoing_get_due_ns (gst_tfrc_send_queue_first (&queue)) >= NOW + 490 * MS - SLACK);
}

GST_END_TEST;

/* The last packet of the picture has more time, and no use. */
GST_START_TEST (a_picture_that_is_late_in_part_loses_the_rest_at_once)
{
  queue.drain_rate_Bps = 1e9;
  push_of (GST_TFRC_CLASS_REFERENCE, 7, 1, NOW);
  push_of (GST_TFRC_CLASS_REFERENCE, 7, 2, NOW + 10 * MS);
  push_of (GST_TFRC_CLASS_AUDIO, 0, 1, NOW + 10 * MS);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + SLACK), 0);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + SLACK + 1), 3);
  fail_unless_equals_int (gst_tfrc_send_queue_length (&queue), 1);
}

GST_END_TEST;

/* A hundred pictures are dropped at once, the newest of which is still coming. */
GST_START_TEST (the_newest_of_many_pictures_is_remembered)
{
  push_of (GST_TFRC_CLASS_AUDIO, 0, 10, NOW);
  for (guint32 picture = G_MAXUINT32 - 50; picture != 50; picture++)
    push_of (GST_TFRC_CLASS_NON_REFERENCE, picture, 1, NOW);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW);
  fail_unless_equals_int (gst_tfrc_send_queue_length (&queue), 10);
  fail_if (offer (packet_new (GST_TFRC_CLASS_NON_REFERENCE, 49, 1), NOW));
  fail_if (offer (packet_new (GST_TFRC_CLASS_NON_REFERENCE, G_MAXUINT32, 1), NOW));
  fail_unless (offer (packet_new (GST_TFRC_CLASS_NON_REFERENCE, 50, 1), NOW));
}

GST_END_TEST;

GST_START_TEST (a_full_queue_loses_its_least_important_eighth)
{
  push_of (GST_TFRC_CLASS_AUDIO, 0, 12, NOW);
  push_of (GST_TFRC_CLASS_NON_REFERENCE, 1, 1, NOW);
  push_of (GST_TFRC_CLASS_REFERENCE, 2, 2, NOW);
  push_of (GST_TFRC_CLASS_REFERENCE, 3, 1, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_make_room (&deadline, &queue), 2);
  fail_unless_equals_int (waiting_of (1) + waiting_of (3), 0);
  fail_unless_equals_int (gst_tfrc_deadline_make_room (&deadline, &queue), 2);
  fail_unless_equals_int (waiting_of (2), 0);
  fail_unless_equals_int (gst_tfrc_deadline_make_room (&deadline, &queue), 0);
}

GST_END_TEST;

/* A receiver that lies changes the slack with each packet: the queue is not searched more often. */
GST_START_TEST (a_slack_that_changes_all_the_time_costs_no_more)
{
  guint64 now_ns = NOW, offered = 0;

  queue.drain_rate_Bps = BYTES * 10000.0;
  for (; now_ns < NOW + GST_SECOND; now_ns += MS) {
    gst_tfrc_deadline_set (
        &deadline, TRUE, now_ns / MS % 2 == 0 ? 131070 * MS : 131070 * MS - now_ns % GST_SECOND);
    for (guint i = 0; i < 20; i++, offered++) {
      offer (packet_new (GST_TFRC_CLASS_UNKNOWN, 0, 0), now_ns);
      gst_tfrc_deadline_drop (&deadline, &queue, now_ns);
    }
  }
  fail_unless (stats ().looked_at < offered, "%" G_GUINT64_FORMAT, stats ().looked_at);
}

GST_END_TEST;

/* All ten and two are in time with a slack of 200 ms. With half of it, the two in the middle are not, although the rate is
 * as before, and the last packet has time. */
GST_START_TEST (a_slack_that_falls_has_the_queue_searched)
{
  gst_tfrc_deadline_set (&deadline, TRUE, 2 * SLACK);
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 12, NOW);
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 1, NOW + 2 * SLACK);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 0);
  fail_unless_equals_uint64 (stats ().looked_at, 0);
  /* the rate is known from here on */
  gst_tfrc_deadline_set (&deadline, TRUE, SLACK);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 2);
}

GST_END_TEST;

/* The pictures of two streams alternate: the number of the one is far below that of the other. */
GST_START_TEST (an_old_picture_that_loses_a_packet_hides_no_newer_one)
{
  push_of (GST_TFRC_CLASS_REFERENCE, 100, 1, NOW);
  push_of (GST_TFRC_CLASS_REFERENCE, 40, 1, NOW);
  push_of (GST_TFRC_CLASS_REFERENCE, 30, 1, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + SLACK + 1), 3);
  fail_if (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 100, 1), NOW + SLACK));
  fail_if (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 40, 1), NOW + SLACK));
  /* that is too old to be remembered, and has no packets to come */
  fail_unless (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 30, 1), NOW + SLACK));
}

GST_END_TEST;

/* The receiver would take its number for a loss, and the rate would fall. */
GST_START_TEST (a_packet_with_a_number_leaves_past_its_deadline_and_of_any_picture)
{
  push_of (GST_TFRC_CLASS_REFERENCE, 7, 1, NOW);
  gst_tfrc_deadline_drop (&deadline, &queue, NOW + SLACK + 1);
  fail_if (offer (packet_new (GST_TFRC_CLASS_REFERENCE, 7, 1), NOW));
  push_of (GST_TFRC_CLASS_REFERENCE, 8, 20, NOW);
  for (GstTfrcOutgoing *outgoing = gst_tfrc_send_queue_first (&queue); outgoing;
       outgoing = gst_tfrc_send_queue_next (outgoing))
    outgoing->has_rtp_seq = TRUE;
  fail_unless_equals_uint64 (gst_tfrc_deadline_expiry_ns (&deadline, &queue), G_MAXUINT64);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 0);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW + GST_SECOND), 0);
  fail_unless_equals_int (gst_tfrc_deadline_make_room (&deadline, &queue), 0);
}

GST_END_TEST;

GST_START_TEST (after_a_flush_nobody_catches_up_and_the_queue_is_searched_at_once)
{
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 12, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 2);
  gst_tfrc_deadline_catch_up (&deadline, 1, NOW);
  fail_unless_equals_uint64 (gst_tfrc_deadline_expiry_ns (&deadline, &queue), G_MAXUINT64);
  gst_tfrc_send_queue_clear (&queue);
  gst_tfrc_deadline_forget (&deadline);
  push_of (GST_TFRC_CLASS_UNKNOWN, 0, 12, NOW);
  fail_unless_equals_int (gst_tfrc_deadline_drop (&deadline, &queue, NOW), 2);
  fail_unless_equals_uint64 (gst_tfrc_deadline_expiry_ns (&deadline, &queue), NOW + SLACK + 1);
}

GST_END_TEST;

/* An eighth, so that each packet is looked at eight times at most; and one at least. */
GST_START_TEST (a_full_queue_of_any_length_gets_room)
{
  static const struct
  {
    guint packets, room;
  } cases[] = { { 1, 1 }, { 7, 1 }, { 24, 3 }, { 80, 10 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gst_tfrc_send_queue_clear (&queue);
    push_of (GST_TFRC_CLASS_UNKNOWN, 0, cases[i].packets, NOW);
    fail_unless_equals_int (gst_tfrc_deadline_make_room (&deadline, &queue), cases[i].room);
  }
}

GST_END_TEST;

static Suite *
deadline_suite (void)
{
  Suite *suite = suite_create ("deadline");
  TCase *tcase = tcase_create ("deadline");

  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, unused_sending_time_makes_room);
  tcase_add_test (tcase, a_queue_is_pressed_until_its_first_packet_has_time_for_all);
  tcase_add_test (tcase, nothing_is_pressed_that_has_no_deadline);
  tcase_add_test (tcase, what_fits_is_not_looked_at);
  tcase_add_test (tcase, a_packet_leaves_until_its_deadline_and_not_after_it);
  tcase_add_test (tcase, the_least_important_goes_first_and_of_those_the_last);
  tcase_add_test (tcase, a_picture_that_has_lost_a_packet_loses_the_rest);
  tcase_add_test (tcase, a_repair_that_goes_leaves_its_picture_alone);
  tcase_add_test (tcase, pictures_of_a_group_without_its_random_access_go_first);
  tcase_add_test (tcase, sound_and_tables_go_only_when_their_own_time_is_over);
  tcase_add_test (tcase, before_the_first_feedback_nothing_goes_for_the_rate);
  tcase_add_test (tcase, a_flush_forgets_what_was_incomplete);
  tcase_add_test (tcase, a_long_queue_costs_no_more_a_packet);
  tcase_add_test (tcase, a_slack_that_is_no_slack_counts_as_the_least);
  tcase_add_test (tcase, the_lowest_rate_has_a_packet_that_waits);
  tcase_add_test (tcase, a_picture_that_is_late_in_part_loses_the_rest_at_once);
  tcase_add_test (tcase, the_newest_of_many_pictures_is_remembered);
  tcase_add_test (tcase, a_full_queue_loses_its_least_important_eighth);
  tcase_add_test (tcase, a_full_queue_of_any_length_gets_room);
  tcase_add_test (tcase, a_slack_that_changes_all_the_time_costs_no_more);
  tcase_add_test (tcase, a_slack_that_falls_has_the_queue_searched);
  tcase_add_test (tcase, an_old_picture_that_loses_a_packet_hides_no_newer_one);
  tcase_add_test (tcase, a_packet_with_a_number_leaves_past_its_deadline_and_of_any_picture);
  tcase_add_test (tcase, after_a_flush_nobody_catches_up_and_the_queue_is_searched_at_once);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (deadline);
