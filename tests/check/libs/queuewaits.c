/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* max-queue-time in virtual time: how long packets wait while the rate falls, and which packets are
 * dropped. See gst/queue/sendqueue.h. */
#include <gst/check/gstcheck.h>
#include "gst/tfrcsink/duetime.h"
#include "gst/queue/sendqueue.h"

#define MS GST_MSECOND
#define LIMIT_MS 500
#define BYTES GST_TFRC_PACKET_MAX_PAYLOAD_BYTES

/* One packet in 5 ms is 2.1 Mbit/s, one packet in 50 ms is 0.21 Mbit/s. */
typedef struct
{
  GstTfrcLeaky leaky;
  gboolean live;
  guint packets;     /* packets in the movie */
  guint interval_ms; /* packet i is due at i * interval_ms */
  guint fall_ms;     /* until this time a packet may leave each before_ms ... */
  guint before_ms;
  guint after_ms; /* ... and then a packet may leave each after_ms */
} Movie;

typedef struct
{
  guint sent;
  guint sent_late;          /* packets that were sent after more than the limit */
  guint refused;            /* new packets that were dropped */
  guint overdue;            /* oldest packets that were dropped */
  guint64 longest_wait_ms;  /* in the queue, among the packets that were sent */
  guint64 longest_delay_ms; /* sender delay: from due until sent */
} Outcome;

typedef struct
{
  const Movie *movie;
  GstTfrcSendQueue queue;
  guint64 now_ms;
  guint64 send_ms;          /* when the next packet may leave */
  guint next;               /* the next packet of the movie */
  gboolean stopped;         /* the pipeline waits for room */
  GstTfrcLateness lateness; /* how long the pipeline has waited */
  Outcome outcome;
} Simulation;

static GstTfrcPacketPool *pool;
static GstTfrcOutgoingPool entries;

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_outgoing_pool_init (&entries, NULL, NULL);
}

static void
teardown (void)
{
  gst_tfrc_outgoing_pool_clear (&entries);
  gst_tfrc_packet_pool_free (pool);
}

static GstTfrcOutgoing *
new_packet (guint64 due_ns, guint64 queued_ns)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);
  GstTfrcOutgoing *outgoing;

  gst_tfrc_packet_set_payload_bytes (packet, BYTES);
  outgoing = gst_tfrc_outgoing_new (&entries, packet, GST_TFRC_RTP_MEDIA);
  gst_tfrc_outgoing_set_due_ns (outgoing, due_ns);
  gst_tfrc_outgoing_set_queued_ns (outgoing, queued_ns);
  return outgoing;
}

static guint64
now_ns (const Simulation *s)
{
  return s->now_ms * MS;
}

static void
send_packets (Simulation *s)
{
  const Movie *movie = s->movie;
  guint interval_ms = s->now_ms < movie->fall_ms ? movie->before_ms : movie->after_ms;
  Outcome *o = &s->outcome;
  GstTfrcOutgoing *outgoing;

  s->queue.drain_rate_Bps = BYTES * 1e3 / interval_ms;
  o->overdue += gst_tfrc_send_queue_drop_overdue (&s->queue, now_ns (s));
  if (s->now_ms < s->send_ms || (outgoing = gst_tfrc_send_queue_pop (&s->queue)) == NULL)
    return;
  s->send_ms = s->now_ms + interval_ms;
  o->sent++;
  o->sent_late += gst_tfrc_send_queue_wait_ns (&s->queue, outgoing, now_ns (s)) > LIMIT_MS * MS;
  o->longest_wait_ms = MAX (
      o->longest_wait_ms, (now_ns (s) - gst_tfrc_outgoing_get_queued_ns (outgoing)) / MS);
  o->longest_delay_ms = MAX (
      o->longest_delay_ms, (now_ns (s) - gst_tfrc_outgoing_get_due_ns (outgoing)) / MS);
  gst_tfrc_outgoing_free (outgoing);
}

static void
push (Simulation *s)
{
  guint64 due_ms = (guint64) s->next * s->movie->interval_ms;
  guint64 due_ns = gst_tfrc_due_time_ns ((s->now_ms - due_ms) * MS, now_ns (s), &s->lateness);

  gst_tfrc_send_queue_push (&s->queue, new_packet (due_ns, now_ns (s)));
  s->outcome.overdue += gst_tfrc_send_queue_drop_overdue (&s->queue, now_ns (s));
}

/* The pipeline hands over all packets that are due, as the streaming thread does. */
static void
produce (Simulation *s)
{
  if (s->stopped)
    s->stopped = gst_tfrc_send_queue_length (&s->queue) > 0
        && !gst_tfrc_send_queue_is_low (&s->queue, now_ns (s));
  while (!s->stopped && s->next < s->movie->packets
      && (guint64) s->next * s->movie->interval_ms <= s->now_ms) {
    s->outcome.overdue += gst_tfrc_send_queue_drop_overdue (&s->queue, now_ns (s));
    switch (gst_tfrc_send_queue_admission (&s->queue, now_ns (s))) {
      case GST_TFRC_ADMIT:
        push (s);
        break;
      case GST_TFRC_DROP_NEW:
        s->outcome.refused++;
        break;
      case GST_TFRC_DROP_OLDEST:
        gst_tfrc_outgoing_free (gst_tfrc_send_queue_pop (&s->queue));
        s->outcome.overdue++;
        continue;
      case GST_TFRC_ADMIT_LATER:
        s->stopped = TRUE;
        continue;
    }
    s->next++;
  }
  if (s->stopped)
    s->lateness.blocked_ns += MS;
}

static Outcome
play (const Movie *movie)
{
  Simulation s = { .movie = movie };

  gst_tfrc_send_queue_init (&s.queue);
  s.queue.max_packets = 4096;
  s.queue.max_time_ns = LIMIT_MS * MS;
  s.queue.leaky = movie->leaky;
  s.queue.live = movie->live;
  s.queue.drain_rate_is_measured = TRUE;
  while (s.next < movie->packets || gst_tfrc_send_queue_length (&s.queue) > 0) {
    send_packets (&s);
    produce (&s);
    s.now_ms++;
  }
  fail_unless_equals_int (s.outcome.sent + s.outcome.refused + s.outcome.overdue, movie->packets);
  return s.outcome;
}

static void
fail_unless_outcome (const Movie *movie, const Outcome *expected)
{
  const Outcome o = play (movie);

  fail_unless_equals_int (o.sent, expected->sent);
  fail_unless_equals_int (o.sent_late, expected->sent_late);
  fail_unless_equals_int (o.refused, expected->refused);
  fail_unless_equals_int (o.overdue, expected->overdue);
  fail_unless_equals_uint64 (o.longest_wait_ms, expected->longest_wait_ms);
  fail_unless_equals_uint64 (o.longest_delay_ms, expected->longest_delay_ms);
}

/* For 40 s, the movie has 10 % more packets than the path takes. */
static const Movie near_saturation = {
  .packets = 4000, .interval_ms = 10, .before_ms = 11, .fall_ms = G_MAXUINT
};

/* The queue is full when the rate falls from 2.1 to 0.21 Mbit/s. */
static const Movie falling_rate = {
  .packets = 2000, .interval_ms = 4, .before_ms = 5, .fall_ms = 5000, .after_ms = 50
};

static void
check_mode (const Movie *movie, GstTfrcLeaky leaky, gboolean live, const Outcome *expected)
{
  Movie in_mode = *movie;

  in_mode.leaky = leaky;
  in_mode.live = live;
  fail_unless_outcome (&in_mode, expected);
}

/* The pipeline waits, so the sender delay grows while the file is played. */
GST_START_TEST (a_file_waits_outside_of_the_queue)
{
  const Outcome near = { 4000, 0, 0, 0, 495, 4000 };

  check_mode (&near_saturation, GST_TFRC_LEAKY_NONE, FALSE, &near);
}

GST_END_TEST;

GST_START_TEST (a_falling_rate_makes_a_file_late_and_drops_nothing)
{
  const Outcome falling = { 2000, 87, 0, 0, 4455, 46955 };

  check_mode (&falling_rate, GST_TFRC_LEAKY_NONE, FALSE, &falling);
}

GST_END_TEST;

GST_START_TEST (live_input_is_never_later_than_the_limit)
{
  const Outcome near = { 3681, 0, 0, 319, 495, 499 };
  const Outcome falling = { 1070, 0, 0, 930, 495, 499 };

  check_mode (&near_saturation, GST_TFRC_LEAKY_NONE, TRUE, &near);
  check_mode (&falling_rate, GST_TFRC_LEAKY_NONE, TRUE, &falling);
}

GST_END_TEST;

/* New packets are dropped while the rate is constant. Old packets are dropped only when the rate
 * falls. */
GST_START_TEST (leaky_upstream_refuses_packets_that_would_be_late)
{
  const Outcome near = { 3681, 0, 319, 0, 495, 495 };
  const Outcome falling = { 1069, 0, 842, 89, 499, 499 };

  for (gboolean live = FALSE; live <= TRUE; live++) {
    check_mode (&near_saturation, GST_TFRC_LEAKY_UPSTREAM, live, &near);
    check_mode (&falling_rate, GST_TFRC_LEAKY_UPSTREAM, live, &falling);
  }
}

GST_END_TEST;

GST_START_TEST (leaky_downstream_drops_packets_that_are_late)
{
  const Outcome near = { 3681, 0, 0, 319, 499, 499 };
  const Outcome falling = { 1070, 0, 0, 930, 499, 499 };

  for (gboolean live = FALSE; live <= TRUE; live++) {
    check_mode (&near_saturation, GST_TFRC_LEAKY_DOWNSTREAM, live, &near);
    check_mode (&falling_rate, GST_TFRC_LEAKY_DOWNSTREAM, live, &falling);
  }
}

GST_END_TEST;

/* Until the first feedback, the packets of a stream leave at one packet in a second. This rate is
 * no reason to drop packets. */
GST_START_TEST (leaky_upstream_waits_for_the_first_feedback)
{
  GstTfrcSendQueue queue;

  gst_tfrc_send_queue_init (&queue);
  queue.max_packets = 4096;
  queue.max_time_ns = LIMIT_MS * MS;
  queue.leaky = GST_TFRC_LEAKY_UPSTREAM;
  queue.drain_rate_Bps = BYTES;
  gst_tfrc_send_queue_push (&queue, new_packet (0, 0));
  fail_unless_equals_int (gst_tfrc_send_queue_admission (&queue, 0), GST_TFRC_ADMIT);
  queue.drain_rate_is_measured = TRUE;
  fail_unless_equals_int (gst_tfrc_send_queue_admission (&queue, 0), GST_TFRC_DROP_NEW);
  gst_tfrc_send_queue_clear (&queue);
}

GST_END_TEST;

GST_START_TEST (an_absent_receiver_makes_every_mode_drop)
{
  static const GstTfrcLeaky modes[] = { GST_TFRC_LEAKY_NONE, GST_TFRC_LEAKY_UPSTREAM,
    GST_TFRC_LEAKY_DOWNSTREAM };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    GstTfrcSendQueue queue;

    gst_tfrc_send_queue_init (&queue);
    queue.max_packets = 4096;
    queue.max_time_ns = LIMIT_MS * MS;
    queue.leaky = modes[i];
    queue.absent = TRUE;
    gst_tfrc_send_queue_push (&queue, new_packet (0, 7 * MS));
    gst_tfrc_send_queue_push (&queue, new_packet (0, 9 * MS));
    fail_unless_equals_uint64 (gst_tfrc_send_queue_expiry_ns (&queue), (LIMIT_MS + 7) * MS);
    fail_unless_equals_int (gst_tfrc_send_queue_drop_overdue (&queue, (LIMIT_MS + 7) * MS - 1), 0);
    fail_unless_equals_int (gst_tfrc_send_queue_drop_overdue (&queue, (LIMIT_MS + 7) * MS), 1);
    queue.max_time_ns = 0;
    fail_unless_equals_uint64 (gst_tfrc_send_queue_expiry_ns (&queue), G_MAXUINT64);
    gst_tfrc_send_queue_clear (&queue);
  }
}

GST_END_TEST;

static Suite *
queuewaits_suite (void)
{
  Suite *s = suite_create ("queuewaits");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_file_waits_outside_of_the_queue);
  tcase_add_test (tc, a_falling_rate_makes_a_file_late_and_drops_nothing);
  tcase_add_test (tc, live_input_is_never_later_than_the_limit);
  tcase_add_test (tc, leaky_upstream_refuses_packets_that_would_be_late);
  tcase_add_test (tc, leaky_downstream_drops_packets_that_are_late);
  tcase_add_test (tc, leaky_upstream_waits_for_the_first_feedback);
  tcase_add_test (tc, an_absent_receiver_makes_every_mode_drop);
  return s;
}

GST_CHECK_MAIN (queuewaits);
