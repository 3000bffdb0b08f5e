/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A fast movie that the pipeline hands over before its packets are due: how often its flow wakes up, and how late each packet
 * leaves. Both flows in virtual time, and a loop that wakes up when it is told to. */
#include "flowpair.h"

#include "gst/flow/grouping.h"

#define INTERVAL_NS GST_TFRC_GROUPING_INTERVAL_NS
#define DELAY (5 * GST_MSECOND)      /* one way */
#define WAKING_NS (50 * GST_USECOND) /* a thread wakes up so late */
#define N_PACKETS 1000
#define SETTLED 500 /* packets: before, the rate is not known */
#define FAST_SPACING_NS G_GUINT64_CONSTANT (105000)
#define SLOW_SPACING_NS G_GUINT64_CONSTANT (1000000) /* of a movie whose rate does not group */

static guint wakes, n_left; /* of the packets from SETTLED on */
static guint64 latest_ns, spacing_ns;

static void
setup (guint64 bitrate, guint64 spacing)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcSendFlowConfig config = { .session.media.rate.burst_limit_ns = 10 * GST_MSECOND };
  GstTfrcReceiveFlowConfig receiver = {
    .ssrc = 0xfeedbac4, .cname = "test", .secret = secret, .wall_ns = wall_ns
  };

  begin_time ();
  spacing_ns = spacing;
  wakes = n_left = 0;
  latest_ns = 0;
  config.session.peer = src_address;
  config.limits = (GstTfrcSinkLimits){ .min_bitrate = bitrate, .max_queue_packets = N_PACKETS };
  sink = gst_tfrc_send_flow_new (&config, now);
  tfrc_receiver_config_init (&receiver.receiver);
  receiver.limits = (GstTfrcReceiveFlowLimits){ .window_ns = 200 * GST_MSECOND,
    .max_time_ns = GST_SECOND };
  src = gst_tfrc_receive_flow_new (&receiver, now);
  pool = gst_tfrc_packet_pool_new ();
}

static guint64
due_ns (guint number)
{
  return start + (number + 1) * spacing_ns;
}

static void
transmit (const GstTfrcDatagram *datagram, gboolean to_src)
{
  InFlight *packet = new_in_flight (datagram, to_src);

  if (datagram->payload) {
    guint number = number_of (datagram->payload);

    if (number >= SETTLED) {
      n_left++;
      latest_ns = MAX (latest_ns, now - due_ns (number));
    }
  }
  packet->arrival_ns = now + DELAY;
  g_queue_push_tail (&network, packet);
}

static void
hand_over (void)
{
  for (guint i = 0; i < N_PACKETS; i++)
    gst_tfrc_outbox_push (
        gst_tfrc_send_flow_get_outbox (sink), new_packet (i), GST_TFRC_RTP_MEDIA, due_ns (i), now);
}

static void
take_out (void)
{
  GstTfrcReorderItem item;

  while (gst_tfrc_intake_pop (gst_tfrc_receive_flow_get_intake (src), now, &item, 1) > 0)
    gst_buffer_unref (item.data);
}

/* The loop of the sink wakes up when its flow says, and a little later, as threads do. */
static void
play (void)
{
  GstTfrcFlow *flow = gst_tfrc_send_flow_get_base (sink);

  hand_over ();
  while (n_left < N_PACKETS - SETTLED) {
    guint64 deadline_ns = flow->klass->deadline (flow);

    deliver_due ();
    pump (gst_tfrc_receive_flow_base (src), FALSE);
    take_out ();
    if (now >= deadline_ns + WAKING_NS) {
      guint before = n_left;

      pump (flow, TRUE);
      wakes += n_left > before;
    }
    now += 10 * GST_USECOND;
  }
}

GST_START_TEST (packets_of_a_fast_movie_that_become_due_together_share_a_wake_up)
{
  setup (200000000, FAST_SPACING_NS);
  play ();
  fail_unless (wakes <= n_left * FAST_SPACING_NS / INTERVAL_NS + 2, "%u wake-ups", wakes);
  free_pair ();
}

GST_END_TEST;

/* What is late, or has no due time, shares wake-ups as well: the first packet does not leave at once. */
GST_START_TEST (a_packet_that_comes_to_an_empty_queue_waits_for_the_end_of_its_interval)
{
  GstTfrcFlow *flow;

  setup (200000000, FAST_SPACING_NS);
  play ();
  flow = gst_tfrc_send_flow_get_base (sink);
  now += INTERVAL_NS - now % INTERVAL_NS + 10 * GST_USECOND;
  gst_tfrc_outbox_push (
      gst_tfrc_send_flow_get_outbox (sink), new_packet (N_PACKETS), GST_TFRC_RTP_MEDIA, now, now);
  fail_unless_equals_uint64 (flow->klass->deadline (flow), now - 10 * GST_USECOND + INTERVAL_NS);
  free_pair ();
}

GST_END_TEST;

/* The grid delays a packet once. */
GST_START_TEST (a_packet_of_a_fast_movie_waits_for_one_interval_at_most)
{
  setup (200000000, FAST_SPACING_NS);
  play ();
  fail_unless (latest_ns <= INTERVAL_NS + WAKING_NS + 10 * GST_USECOND, "%" G_GUINT64_FORMAT " ns",
      latest_ns);
  free_pair ();
}

GST_END_TEST;

GST_START_TEST (a_packet_of_a_slow_movie_leaves_when_it_is_due)
{
  setup (12000000, SLOW_SPACING_NS);
  play ();
  fail_unless (latest_ns <= WAKING_NS + 10 * GST_USECOND, "%" G_GUINT64_FORMAT " ns", latest_ns);
  free_pair ();
}

GST_END_TEST;

static Suite *
pacedgroups_suite (void)
{
  Suite *suite = suite_create ("pacedgroups");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, packets_of_a_fast_movie_that_become_due_together_share_a_wake_up);
  tcase_add_test (chain, a_packet_that_comes_to_an_empty_queue_waits_for_the_end_of_its_interval);
  tcase_add_test (chain, a_packet_of_a_fast_movie_waits_for_one_interval_at_most);
  tcase_add_test (chain, a_packet_of_a_slow_movie_leaves_when_it_is_due);
  return suite;
}

GST_CHECK_MAIN (pacedgroups);
