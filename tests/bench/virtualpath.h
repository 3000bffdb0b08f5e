/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two flows and a path between them in virtual time, for benchmarks. A benchmark says when it is (virtual_ns, wall_ns())
 * and what the path does with a datagram (transmit()). */
#ifndef VIRTUALPATH_H
#define VIRTUALPATH_H

#include <string.h>

#include "gst/flow/flow.h"

typedef struct
{
  guint64 arrival_ns;
  gsize size;
  guint8 data[GST_TFRC_DATAGRAM_BYTES];
} InFlight;

typedef struct
{
  GstTfrcFlow *flow;
  GstTfrcAddress address;
  GQueue coming; /* of InFlight */
} End;

static guint64 virtual_ns;

static guint64 wall_ns (void);
static void transmit (End *to, const GstTfrcDatagram *datagram);

/* Sends a datagram on its way. */
static inline void
send_to (End *to, const GstTfrcDatagram *datagram, guint64 delay_ns)
{
  InFlight *packet = g_new (InFlight, 1);

  packet->arrival_ns = virtual_ns + delay_ns;
  packet->size = datagram->size + datagram->payload_bytes;
  memcpy (packet->data, datagram->data, datagram->size);
  if (datagram->payload_bytes > 0)
    memcpy (packet->data + datagram->size, datagram->payload, datagram->payload_bytes);
  g_queue_push_tail (&to->coming, packet);
}

static inline void
deliver (End *end, const GstTfrcAddress *from)
{
  InFlight *packet;

  while ((packet = g_queue_peek_head (&end->coming)) && packet->arrival_ns <= virtual_ns) {
    GstTfrcReceivedPacket received = { .data = packet->data,
      .size = packet->size,
      .from = from,
      .local = end->address,
      .arrival_ns = virtual_ns,
      .arrival_wall_ns = wall_ns (),
      .read_ns = virtual_ns,
      .ttl = 60 };

    end->flow->klass->on_datagrams (end->flow, &received, 1, virtual_ns);
    g_free (g_queue_pop_head (&end->coming));
  }
}

/* Does what a port does now. */
static inline void
serve (End *end, End *peer)
{
  GstTfrcPolled polled;

  deliver (end, &peer->address);
  if (end->flow->klass->deadline (end->flow) > virtual_ns)
    return;
  end->flow->klass->on_time (end->flow, virtual_ns);
  for (;;) {
    gst_tfrc_polled_init (&polled);
    end->flow->klass->poll (end->flow, virtual_ns, &polled);
    if (polled.n == 0)
      return;
    for (guint i = 0; i < polled.n; i++) {
      transmit (peer, &polled.datagrams[i]);
      polled.datagrams[i].result = GST_TFRC_DATAGRAM_LEFT;
    }
    end->flow->klass->on_sent (end->flow, &polled, virtual_ns);
  }
}

#endif
