/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cost of a packet in the flows of both ends, without socket, thread and clock:
 *
 *   bench-flows [PACKETS [TRACE]]
 *
 * A sender's and a receiver's flow (gst/flow/flow.h) with 25 ms between them play a packet each millisecond of
 * virtual time. The work is the same in each run, so that a count of instructions (valgrind --tool=callgrind) compares
 * two builds exactly. TRACE: a file for the decisions of both ends. */
#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "gst/common/log.h"
#include "gst/common/streamtrace.h"
#include "gst/flow/receiveflow.h"
#include "gst/flow/sendflow.h"
#include "virtualpath.h"

#define DELAY_NS (25 * GST_MSECOND)
#define TICK_NS GST_MSECOND
#define TS_BYTES 188
#define PAYLOAD_BYTES (7 * TS_BYTES)
#define BEGIN_NS (1000 * GST_SECOND)

static guint64
wall_ns (void)
{
  return virtual_ns;
}

/* ---- the network and the port -------------------------------------------------- */

static void
transmit (End *to, const GstTfrcDatagram *datagram)
{
  send_to (to, datagram, DELAY_NS);
}

/* ---- both ends ------------------------------------------------------------------- */

static GstTfrcSendFlow *
new_sender (const GstTfrcAddress *receiver, GstTfrcTrace *trace)
{
  GstTfrcSendFlowConfig config = { .trace = trace };

  config.session.peer = *receiver;
  config.session.media.rate.start_bitrate = 20000000;
  config.session.media.rate.decisions = gst_tfrc_stream_trace_decisions (trace);
  config.limits.max_queue_packets = 1000;
  config.limits.repair_bytes = 4 << 20;
  return gst_tfrc_send_flow_new (&config, virtual_ns);
}

static GstTfrcReceiveFlow *
new_receiver (GstTfrcTrace *trace)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcReceiveFlowConfig config = { .limits.window_ns = 200 * GST_MSECOND,
    .limits.repairs = TRUE,
    .ssrc = 1,
    .cname = "receiver",
    .secret = secret,
    .wall_ns = wall_ns };

  tfrc_receiver_config_init (&config.receiver);
  config.receiver.trace = gst_tfrc_stream_trace_decisions (trace);
  return gst_tfrc_receive_flow_new (&config, virtual_ns);
}

static void
push (GstTfrcOutbox *outbox, GstTfrcPacketPool *pool)
{
  GstTfrcPacket *packet;

  if (gst_tfrc_outbox_admit (outbox, virtual_ns, virtual_ns) != GST_TFRC_ADMIT)
    return;
  packet = gst_tfrc_packet_pool_take (pool);
  gst_tfrc_packet_set_payload_bytes (packet, PAYLOAD_BYTES);
  for (guint i = 0; i < PAYLOAD_BYTES; i += TS_BYTES)
    gst_tfrc_packet_payload (packet)[i] = 0x47;
  gst_tfrc_outbox_push (outbox, packet, GST_TFRC_RTP_MEDIA, virtual_ns, virtual_ns);
}

/* Returns how many packets the pipeline would have got. */
static guint
pull (GstTfrcReceiveFlow *receiver)
{
  GstTfrcReorderItem items[GST_TFRC_POLL_DATA];
  guint n = gst_tfrc_intake_pop (
      gst_tfrc_receive_flow_get_intake (receiver), virtual_ns, items, G_N_ELEMENTS (items));

  for (guint i = 0; i < n; i++)
    gst_buffer_unref (items[i].data);
  return n;
}

static GstTfrcTrace *
open_trace (const gchar *path, const gchar *role)
{
  GError *error = NULL;
  GstTfrcTrace *trace = gst_tfrc_trace_new (path, role, role, virtual_ns, &error);

  if (trace == NULL) {
    g_printerr ("%s\n", error->message);
    exit (2);
  }
  return trace;
}

int
main (int argc, char **argv)
{
  guint n_packets = argc > 1 ? atoi (argv[1]) : 200000, arrived = 0;
  GstTfrcTrace *traces[2] = { NULL, NULL };
  GstTfrcPacketPool *pool = gst_tfrc_packet_pool_new ();
  GstTfrcReceiveFlow *receiver;
  GstTfrcSendFlow *sender;
  static End sending, receiving;
  double begin_ns;

  gst_init (NULL, NULL);
  virtual_ns = BEGIN_NS;
  gst_tfrc_log_init ();
  if (argc > 2) {
    traces[0] = open_trace (argv[2], "sender");
    traces[1] = open_trace (argv[2], "receiver");
  }
  REQUIRE (gst_tfrc_address_resolve (&sending.address, "192.0.2.1", 5004, AF_INET, NULL));
  REQUIRE (gst_tfrc_address_resolve (&receiving.address, "192.0.2.2", 5004, AF_INET, NULL));
  sender = new_sender (&receiving.address, traces[0]);
  receiver = new_receiver (traces[1]);
  REQUIRE (sender && receiver);
  sending.flow = gst_tfrc_send_flow_get_base (sender);
  receiving.flow = gst_tfrc_receive_flow_base (receiver);

  begin_ns = now_ns ();
  for (guint i = 0; i < n_packets; i++) {
    push (gst_tfrc_send_flow_get_outbox (sender), pool);
    serve (&sending, &receiving);
    serve (&receiving, &sending);
    arrived += pull (receiver);
    virtual_ns += TICK_NS;
  }
  printf ("%u of %u packets arrived; %.0f ns each for both ends\n", arrived, n_packets,
      (now_ns () - begin_ns) / n_packets);
  REQUIRE (arrived > n_packets * 0.9);

  gst_tfrc_send_flow_free (sender);
  gst_tfrc_receive_flow_free (receiver);
  g_queue_clear_full (&sending.coming, g_free);
  g_queue_clear_full (&receiving.coming, g_free);
  gst_tfrc_packet_pool_free (pool);
  gst_tfrc_trace_free (traces[0]);
  gst_tfrc_trace_free (traces[1]);
  return 0;
}
