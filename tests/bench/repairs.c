/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What repair leaves missing, in virtual time: the flows of both ends and a path of 120 ms that loses packets of data
 * and nothing else, for a movie that TFRC's rate has room for:
 *
 *   bench-repairs [PACKETS [LATENCY_MS]]
 *
 * Beside what is missing stands what no repair could do better: a packet and each of its n repairs is lost with
 * probability q, where n is how many fit into the player's delay, each R and a quarter after the one before. */
#include <gst/gst.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "gst/common/clock.h"
#include "gst/common/log.h"
#include "gst/flow/receiveflow.h"
#include "gst/flow/sendflow.h"
#include "virtualpath.h"

#define DELAY_NS (60 * GST_MSECOND)
#define RTT_MS 120
#define TS_BYTES 188
#define PAYLOAD_BYTES (7 * TS_BYTES)
#define MOVIE_BPS 150000.0
#define INTERVAL_NS ((guint64) (PAYLOAD_BYTES * 8 * 1e9 / MOVIE_BPS))
#define SSRC 0x11223344
#define SETTLED_NS (20 * GST_SECOND)
#define STREAM_PACKETS 50000

/* Of the path; a burst goes on with this probability. */
typedef struct
{
  gdouble loss, goes_on;
  gboolean in_burst;
  GRand *rand;
  guint64 sent, lost; /* packets of data, movie and repairs */
} Path;

static guint64 begin_ns, wall_offset_ns;
static End sending, receiving;
static Path path;

static guint64
wall_ns (void)
{
  return virtual_ns + wall_offset_ns;
}

static gboolean
loses (const GstTfrcDatagram *datagram)
{
  if (datagram->payload == NULL || virtual_ns < begin_ns + SETTLED_NS)
    return FALSE;
  path.in_burst = g_rand_double (path.rand)
      < (path.in_burst ? path.goes_on : path.loss * (1 - path.goes_on));
  path.sent++;
  path.lost += path.in_burst;
  return path.in_burst;
}

static void
transmit (End *to, const GstTfrcDatagram *datagram)
{
  if (!loses (datagram))
    send_to (to, datagram, DELAY_NS);
}

static void
push (GstTfrcOutbox *outbox, GstTfrcPacketPool *pool, guint64 due_ns)
{
  GstTfrcPacket *packet;

  if (gst_tfrc_outbox_admit (outbox, due_ns, virtual_ns) != GST_TFRC_ADMIT)
    return;
  packet = gst_tfrc_packet_pool_take (pool);
  gst_tfrc_packet_set_payload_bytes (packet, PAYLOAD_BYTES);
  for (guint i = 0; i < PAYLOAD_BYTES; i += TS_BYTES)
    gst_tfrc_packet_payload (packet)[i] = 0x47;
  gst_tfrc_outbox_push (outbox, packet, GST_TFRC_RTP_MEDIA, due_ns, virtual_ns);
}

static void
pull (GstTfrcIntake *intake)
{
  GstTfrcReorderItem items[GST_TFRC_POLL_DATA];
  guint n;

  while ((n = gst_tfrc_intake_pop (intake, virtual_ns, items, G_N_ELEMENTS (items))) > 0)
    for (guint i = 0; i < n; i++)
      gst_buffer_unref (items[i].data);
}

static guint64
first_arrival_ns (const End *end)
{
  const InFlight *packet = g_queue_peek_head ((GQueue *) &end->coming);

  return packet ? packet->arrival_ns : G_MAXUINT64;
}

static guint64
next_event_ns (const GstTfrcIntake *intake)
{
  guint64 next_ns = MIN (sending.flow->klass->deadline (sending.flow),
      receiving.flow->klass->deadline (receiving.flow));

  next_ns = MIN (next_ns, MIN (first_arrival_ns (&sending), first_arrival_ns (&receiving)));
  next_ns = MIN (next_ns, gst_tfrc_intake_leave_ns (intake));
  return MAX (next_ns, virtual_ns + GST_USECOND);
}

static GstTfrcSendFlow *
new_sender (void)
{
  static const GstTfrcRtpNumbers numbers = { SSRC, 0, 0 };
  GstTfrcSendFlowConfig config = { .session.media.rate.burst_limit_ns = 10 * GST_MSECOND,
    .session.media.streams[GST_TFRC_RTP_MEDIA].numbers = &numbers,
    .session.peer = receiving.address,
    .limits = { .max_queue_packets = 4096, .deadline = TRUE, .repair_bytes = 4 << 20 } };

  return gst_tfrc_send_flow_new (&config, virtual_ns);
}

static GstTfrcReceiveFlow *
new_receiver (guint64 latency_ns)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcReceiveFlowConfig config = { .limits.window_ns = latency_ns,
    .limits.tells_window = TRUE,
    .limits.repairs = TRUE,
    .ssrc = 1,
    .cname = "receiver",
    .secret = secret,
    .wall_ns = wall_ns };

  tfrc_receiver_config_init (&config.receiver);
  return gst_tfrc_receive_flow_new (&config, virtual_ns);
}

static gdouble
least_residual (gdouble loss, guint64 latency_ns)
{
  gdouble detection_ms = (gdouble) INTERVAL_NS / GST_MSECOND;
  gint tries = 1
      + (gint) ((latency_ns / (gdouble) GST_MSECOND - detection_ms - RTT_MS) / (1.25 * RTT_MS));

  return pow (loss, 1 + MAX (tries, 0));
}

typedef struct
{
  guint64 sent, lost, missing, repairs, useless, past_deadline; /* packets */
} Sums;

static void
add_up (Sums *sums, GstTfrcSendFlow *sender, GstTfrcReceiveFlow *receiver)
{
  GstTfrcReceiveFlowStats received;
  GstTfrcSinkStreamStats sent;

  gst_tfrc_receive_flow_get_stats (receiver, &received);
  gst_tfrc_send_flow_get_stats (sender, virtual_ns, &sent);
  sums->sent += path.sent;
  sums->lost += path.lost;
  sums->missing += received.queue.missing;
  sums->repairs += sent.outbox.repairs.sent;
  sums->useless += received.repairs.duplicate + received.repairs.late;
  sums->past_deadline += sent.outbox.deadline.dropped;
}

/* One stream. Its reports tell the system's time, which stands still meanwhile, so that it is not to last for hours. */
static void
play (gdouble loss, gdouble burst, guint seed, guint n_packets, guint64 latency_ns, Sums *sums)
{
  GstTfrcPacketPool *pool = gst_tfrc_packet_pool_new ();
  GstTfrcSendFlow *sender;
  GstTfrcReceiveFlow *receiver;
  GstTfrcClockMap map;
  GstTfrcIntake *intake;
  guint64 due_ns;

  gst_tfrc_clock_map_init (&map);
  virtual_ns = begin_ns = due_ns = map.now_ns;
  wall_offset_ns = map.wall_ns - map.now_ns;
  path = (Path){ loss, 1 - 1 / burst, FALSE, g_rand_new_with_seed (seed), 0, 0 };
  sender = new_sender ();
  receiver = new_receiver (latency_ns);
  REQUIRE (sender && receiver);
  sending.flow = gst_tfrc_send_flow_get_base (sender);
  receiving.flow = gst_tfrc_receive_flow_base (receiver);
  intake = gst_tfrc_receive_flow_get_intake (receiver);
  while (path.sent < n_packets) {
    if (virtual_ns >= due_ns) {
      push (gst_tfrc_send_flow_get_outbox (sender), pool, due_ns);
      due_ns += INTERVAL_NS;
    }
    serve (&sending, &receiving);
    serve (&receiving, &sending);
    pull (intake);
    virtual_ns = MIN (next_event_ns (intake), due_ns);
  }
  add_up (sums, sender, receiver);
  gst_tfrc_send_flow_free (sender);
  gst_tfrc_receive_flow_free (receiver);
  g_queue_clear_full (&sending.coming, g_free);
  g_queue_clear_full (&receiving.coming, g_free);
  gst_tfrc_packet_pool_free (pool);
  g_rand_free (path.rand);
}

static void
run (gdouble loss, gdouble burst, guint n_packets, guint64 latency_ns)
{
  Sums sums = { 0 };

  for (guint seed = 1; sums.sent < n_packets; seed++)
    play (loss, burst, seed, MIN (STREAM_PACKETS, n_packets), latency_ns, &sums);
  printf ("| %.2g | %.0f | %.0f | %.0f | %.0f | %.1e | ", 100 * loss, burst, (gdouble) sums.sent,
      (gdouble) sums.lost, (gdouble) sums.missing, (gdouble) sums.missing / sums.sent);
  if (burst > 1)
    printf ("- | ");
  else
    printf ("%.0e | ", least_residual (loss, latency_ns));
  printf ("%.2f | %.0f | %.0f |\n", 100.0 * sums.repairs / sums.sent, (gdouble) sums.useless,
      (gdouble) sums.past_deadline);
}

int
main (int argc, char **argv)
{
  static const gdouble losses[] = { 0.001, 0.005, 0.01, 0.02, 0.05 };
  guint n_packets = argc > 1 ? atoi (argv[1]) : 200000;
  guint64 latency_ns = (argc > 2 ? atoi (argv[2]) : 1000) * GST_MSECOND;

  gst_init (NULL, NULL);
  gst_tfrc_log_init ();
  REQUIRE (gst_tfrc_address_resolve (&sending.address, "192.0.2.1", 5004, AF_INET, NULL));
  REQUIRE (gst_tfrc_address_resolve (&receiving.address, "192.0.2.2", 5004, AF_INET, NULL));
  printf (
      "| loss, %% | mean burst | packets | lost | missing | residual | at least | repairs, %% | useless | past deadline |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (losses); i++)
    run (losses[i], 1, n_packets, latency_ns);
  run (0.01, 5, n_packets, latency_ns);
  return 0;
}
