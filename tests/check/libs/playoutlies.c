/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receivers that lie about their player, a thousand times a second: nothing but their own movie suffers.
 * In virtual time; see gst/flow/playout.h and gst/queue/deadline.h. */
#include "gst/queue/deadline.h"
#include "sessiontest.h"

#define RUN (10 * S)
#define PACKETS_IN_MS 20 /* twice what may leave */
#define MAX_QUEUE_PACKETS 8192

typedef TfrcWirePlayout (*Lie) (guint n);

static TfrcWirePlayout
nothing (guint n)
{
  return (TfrcWirePlayout){ 0, TFRC_WIRE_QUEUEING_UNKNOWN, 0, 0 };
}

static TfrcWirePlayout
least (guint n)
{
  return (TfrcWirePlayout){ 2, TFRC_WIRE_QUEUEING_UNKNOWN - 1, 0, 0 };
}

static TfrcWirePlayout
most (guint n)
{
  return (TfrcWirePlayout){ 2 * 65535, 0, G_MAXUINT32, G_MAXUINT32 };
}

static TfrcWirePlayout
alternating (guint n)
{
  return n % 2 ? least (n) : most (n);
}

static TfrcWirePlayout
any (guint n)
{
  guint32 hash = (n + 1) * 2654435761u;

  return (TfrcWirePlayout){ hash % 131072, hash ^ n, hash >> 3, hash << 5 };
}

static const Lie lies[] = { least, most, alternating, any };

/* ---- the session ----------------------------------------------------------- */

static SessionTest t;

/* What the receiver has sent, and is still under way, says this of its player. */
static void
lie_in_network (Lie lie, guint n)
{
  TfrcWirePlayout playout = lie (n);

  for (GList *link = t.network.head; link; link = link->next) {
    InFlight *packet = link->data;
    TfrcWireRtcp rtcp;

    if (packet->to_src
        || tfrc_wire_parse_rtcp (packet->data, packet->size, 0, &rtcp) != TFRC_WIRE_OK
        || !rtcp.has_feedback)
      continue;
    packet->size = tfrc_wire_write_playout_feedback (
        packet->data, rtcp.sender_ssrc, rtcp.media_ssrc, &rtcp.feedback, &rtcp.state, &playout);
  }
}

/* A movie of 100 packets a second, of which the network loses ten. */
static TfrcSenderStats
play (Lie lie)
{
  TfrcSenderStats stats;

  session_test_init (&t);
  t.drop_from = 300;
  t.drop_to = 310;
  for (guint i = 0; i < RUN / MS; i++) {
    t.backlog += i % 10 == 0;
    run (&t, MS);
    lie_in_network (lie, i);
  }
  gst_tfrc_rate_control_get_stats (control_of (t.sink), &stats);
  fail_unless_equals_int (t.rtcp_results[GST_TFRC_RTCP_MALFORMED], 0);
  fail_unless_equals_int (t.rtcp_results[GST_TFRC_RTCP_FOREIGN], 0);
  fail_unless_equals_uint64 (gst_tfrc_events_get_dropped (&t.sink_waiting), 0);
  return stats;
}

GST_START_TEST (the_rate_and_the_feedback_are_as_without_lies)
{
  TfrcSenderStats honest = play (nothing);

  session_test_clear (&t);
  fail_unless (honest.p > 0 && honest.packets_sent > 900);
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    TfrcSenderStats lied_to = play (lies[i]);

    fail_unless (gst_tfrc_receiver_view_get_playout (receiver_of (t.sink)).delay_ns > 0);
    session_test_clear (&t);
    fail_unless_equals_uint64 (lied_to.packets_sent, honest.packets_sent);
    fail_unless_equals_uint64 (lied_to.feedbacks_received, honest.feedbacks_received);
    fail_unless_equals_uint64 (lied_to.feedbacks_refused, honest.feedbacks_refused);
    fail_unless_equals_uint64 (lied_to.nofeedback_expirations, honest.nofeedback_expirations);
    fail_unless (lied_to.p == honest.p && lied_to.x_Bps == honest.x_Bps);
  }
}

GST_END_TEST;

/* ---- the queue --------------------------------------------------------------- */

static GstTfrcPacketPool *pool;
static GstTfrcOutgoingPool entries;
static GstTfrcSendQueue queue;
static GstTfrcDeadline deadline;

static void
queue_setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_outgoing_pool_init (&entries, NULL, NULL);
  gst_tfrc_send_queue_init (&queue);
  gst_tfrc_deadline_init (&deadline);
  queue.drain_rate_Bps = SEGMENT * 1000.0 * PACKETS_IN_MS / 2;
  queue.drain_rate_is_measured = TRUE;
}

static void
queue_teardown (void)
{
  gst_tfrc_send_queue_clear (&queue);
  gst_tfrc_deadline_clear (&deadline);
  gst_tfrc_outgoing_pool_clear (&entries);
  gst_tfrc_packet_pool_free (pool);
}

/* The outbox lets no more in than this. */
static guint
push (guint64 now_ns)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);
  GstTfrcOutgoing *outgoing;

  gst_tfrc_packet_set_payload_bytes (packet, SEGMENT);
  outgoing = gst_tfrc_outgoing_new (&entries, packet, GST_TFRC_RTP_MEDIA);
  if (gst_tfrc_send_queue_length (&queue) >= MAX_QUEUE_PACKETS) {
    gst_tfrc_outgoing_free (outgoing);
    return 0;
  }
  gst_tfrc_outgoing_set_due_ns (outgoing, now_ns);
  gst_tfrc_outgoing_set_queued_ns (outgoing, now_ns);
  gst_tfrc_send_queue_push (&queue, outgoing);
  return 1;
}

/* Returns how often a packet was looked at, in the mean. */
static gdouble
cost_of (Lie lie)
{
  GstTfrcDeadlineStats stats;
  guint64 offered = 0;

  queue_setup ();
  for (guint i = 0; i < 5000; i++) {
    guint64 now_ns = 1000 * S + i * MS;
    TfrcWirePlayout wire = lie (i);
    GstTfrcPlayout playout = gst_tfrc_playout_from_wire (&wire);

    gst_tfrc_deadline_set (
        &deadline, TRUE, playout.delay_ns - MIN (playout.queueing_ns, playout.delay_ns));
    for (guint k = 0; k < PACKETS_IN_MS; k++)
      offered += push (now_ns);
    gst_tfrc_deadline_drop (&deadline, &queue, now_ns);
    for (guint k = 0; k < PACKETS_IN_MS / 2; k++)
      gst_tfrc_outgoing_free (gst_tfrc_send_queue_pop (&queue));
  }
  gst_tfrc_deadline_get_stats (&deadline, &stats);
  queue_teardown ();
  return (gdouble) stats.looked_at / offered;
}

GST_START_TEST (a_packet_costs_no_more_than_with_a_deadline_that_stays)
{
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    gdouble cost = cost_of (lies[i]);

    fail_unless (cost < 40, "lie %u: %g", i, cost);
  }
}

GST_END_TEST;

static Suite *
playoutlies_suite (void)
{
  Suite *s = suite_create ("playoutlies");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_rate_and_the_feedback_are_as_without_lies);
  tcase_add_test (tc, a_packet_costs_no_more_than_with_a_deadline_that_stays);
  return s;
}

GST_CHECK_MAIN (playoutlies);
