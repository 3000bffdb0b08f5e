/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests of both flows share: a sender's and a receiver's flow, the datagrams on their way between them, and packets
 * with a number, in virtual time. A test says what the path does with a datagram, in transmit(). */
#ifndef GST_TFRC_FLOW_PAIR_H
#define GST_TFRC_FLOW_PAIR_H

#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/common/clock.h"
#include "gst/flow/receiveflow.h"
#include "gst/flow/sendflow.h"
#include "testnet.h"

#define STEP GST_MSECOND
#define PAYLOAD (7 * 188)
#define NUMBER_AT 4 /* behind the header of the first TS packet */

typedef struct
{
  guint64 arrival_ns;
  gboolean to_src;
  GstTfrcAddress src_address; /* the receiver's, that it goes to or comes from */
  gsize size;
  guint8 data[GST_TFRC_MAX_PACKET_BYTES];
} InFlight;

static GstTfrcPacketPool *pool;
static GstTfrcSendFlow *sink;
static GstTfrcReceiveFlow *src;
static GQueue network; /* of InFlight */
static GstTfrcAddress sink_address, src_address;
static guint64 now, start, wall_offset;

static void transmit (const GstTfrcDatagram *datagram, gboolean to_src);

static inline guint64
wall_ns (void)
{
  return now + wall_offset;
}

/* Sender reports read the system's clocks, so virtual time begins at their time. */
static inline void
begin_time (void)
{
  GstTfrcClockMap map;

  gst_tfrc_clock_map_init (&map);
  now = start = map.now_ns - map.now_ns % STEP;
  wall_offset = map.wall_ns - map.now_ns;
  sink_address = test_address ("192.0.2.1", 5004);
  src_address = test_address ("192.0.2.2", 5004);
}

static inline void
free_pair (void)
{
  GstTfrcPacketPoolStats stats;

  gst_tfrc_send_flow_free (sink);
  gst_tfrc_receive_flow_free (src);
  gst_tfrc_packet_pool_get_stats (pool, &stats);
  fail_unless_equals_int (stats.in_use, 0);
  gst_tfrc_packet_pool_free (pool);
  g_queue_clear_full (&network, g_free);
}

static inline guint32
number_of (const guint8 *payload)
{
  guint32 number;

  memcpy (&number, payload + NUMBER_AT, sizeof number);
  return number;
}

static inline GstTfrcPacket *
new_packet (guint32 number)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);
  guint8 *data = gst_tfrc_packet_payload (packet);

  memset (data, 0, PAYLOAD);
  for (guint i = 0; i < PAYLOAD; i += 188)
    data[i] = 0x47;
  memcpy (data + NUMBER_AT, &number, sizeof number);
  gst_tfrc_packet_set_payload_bytes (packet, PAYLOAD);
  return packet;
}

/* Returns a datagram as one piece, for g_free(). */
static inline InFlight *
new_in_flight (const GstTfrcDatagram *datagram, gboolean to_src)
{
  InFlight *packet = g_new0 (InFlight, 1);

  packet->to_src = to_src;
  packet->src_address = src_address;
  if (to_src)
    packet->src_address = datagram->to;
  else if (gst_tfrc_address_family (&datagram->path.local) != AF_UNSPEC)
    packet->src_address = datagram->path.local;
  packet->size = datagram->size;
  memcpy (packet->data, datagram->data, datagram->size);
  if (datagram->payload) {
    memcpy (packet->data + datagram->size, datagram->payload, datagram->payload_bytes);
    packet->size += datagram->payload_bytes;
  }
  return packet;
}

/* Does what a port does. Returns how many packets of data have left. */
static inline guint
pump (GstTfrcFlow *flow, gboolean is_sink)
{
  GstTfrcPolled polled;
  guint n = 0;

  if (flow->klass->deadline (flow) > now)
    return 0;
  flow->klass->on_time (flow, now);
  for (;;) {
    gst_tfrc_polled_init (&polled);
    flow->klass->poll (flow, now, &polled);
    if (polled.n == 0)
      return n;
    for (guint i = 0; i < polled.n; i++) {
      polled.datagrams[i].result = GST_TFRC_DATAGRAM_LEFT;
      transmit (&polled.datagrams[i], is_sink);
      n += polled.datagrams[i].payload != NULL;
    }
    flow->klass->on_sent (flow, &polled, now);
  }
}

static inline void
deliver_to (gboolean to_src, const GstTfrcAddress *from, const GstTfrcAddress *local, guint8 *data,
    gsize size)
{
  GstTfrcFlow *flow = to_src ? gst_tfrc_receive_flow_base (src)
                             : gst_tfrc_send_flow_get_base (sink);
  GstTfrcReceivedPacket received = { .data = data,
    .size = size,
    .from = from,
    .local = *local,
    .arrival_ns = now,
    .read_ns = now,
    .arrival_wall_ns = wall_ns () };

  flow->klass->on_datagrams (flow, &received, 1, now);
}

static inline void
deliver (gboolean to_src, const GstTfrcAddress *from, guint8 *data, gsize size)
{
  deliver_to (to_src, from, to_src ? &src_address : &sink_address, data, size);
}

/* Delivers what has arrived by now, whatever left first. */
static inline void
deliver_due (void)
{
  for (GList *link = network.head, *next; link; link = next) {
    InFlight *packet = link->data;

    next = link->next;
    if (packet->arrival_ns > now)
      continue;
    g_queue_delete_link (&network, link);
    if (packet->to_src)
      deliver_to (TRUE, &sink_address, &packet->src_address, packet->data, packet->size);
    else
      deliver_to (FALSE, &packet->src_address, &sink_address, packet->data, packet->size);
    g_free (packet);
  }
}

#endif
