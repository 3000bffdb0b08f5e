/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink's outbox in a simulation, see outbox.h. */
#include "outbox.h"

#include "../../gst/queue/outbox.h"

/* The sink's default is a number of packets that no movie reaches within its deadline. */
#define MAX_PACKETS 100000

struct SimOutbox
{
  GstTfrcOutbox outbox;
  GstTfrcPacketPool *packets;
  uint64_t delay_ns;
  uint64_t ahead_ns;
  uint64_t ahead_bytes;
};

SimOutbox *
sim_outbox_new (uint64_t delay_ns, uint64_t ahead_ns, uint64_t ahead_bytes)
{
  SimOutbox *self = g_new0 (SimOutbox, 1);

  gst_tfrc_outbox_init (&self->outbox, 0);
  gst_tfrc_outbox_set_limits (&self->outbox, MAX_PACKETS, 0, GST_TFRC_LEAKY_NONE);
  self->packets = gst_tfrc_packet_pool_new ();
  self->delay_ns = delay_ns;
  self->ahead_ns = ahead_ns;
  self->ahead_bytes = ahead_bytes;
  return self;
}

void
sim_outbox_free (SimOutbox *self)
{
  gst_tfrc_outbox_clear (&self->outbox);
  gst_tfrc_packet_pool_free (self->packets);
  g_free (self);
}

bool
sim_outbox_update (SimOutbox *self, const SimPath *path, uint64_t now_ns)
{
  bool is_measured = path->rtt_ns > 0;

  gst_tfrc_outbox_set_receiver (&self->outbox, FALSE, path->drain_rate_Bps, is_measured);
  gst_tfrc_outbox_set_credit (&self->outbox, path->used_until_ns, path->rtt_ns);
  gst_tfrc_outbox_set_deadline (
      &self->outbox, TRUE, gst_tfrc_deadline_slack_ns (self->delay_ns, path->queueing_ns));
  gst_tfrc_outbox_set_ahead (&self->outbox, is_measured ? self->ahead_ns : 0, self->ahead_bytes);
  gst_tfrc_outbox_drop_overdue (&self->outbox, now_ns);
  gst_tfrc_outbox_take_due (&self->outbox, now_ns);
  return gst_tfrc_outbox_drop_overdue (&self->outbox, now_ns);
}

void
sim_outbox_push (SimOutbox *self, const SimImportance *importance, uint32_t payload_bytes,
    uint64_t due_ns, uint64_t now_ns)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (self->packets);
  const GstTfrcImportance worth = { importance->kind, importance->picture, importance->group };

  gst_tfrc_packet_set_payload_bytes (packet, payload_bytes);
  gst_tfrc_packet_set_importance (packet, &worth);
  gst_tfrc_outbox_push (&self->outbox, packet, GST_TFRC_RTP_MEDIA, due_ns, now_ns);
}

uint64_t
sim_outbox_due_ns (const SimOutbox *self)
{
  return gst_tfrc_outbox_due_ns (&self->outbox);
}

bool
sim_outbox_peek (const SimOutbox *self, uint32_t *payload_bytes, uint64_t *due_ns)
{
  const GstTfrcOutgoing *next = gst_tfrc_outbox_peek (&self->outbox);

  if (next == NULL)
    return false;
  *payload_bytes = gst_tfrc_outgoing_get_payload_bytes (next);
  *due_ns = gst_tfrc_outgoing_get_due_ns (next);
  return true;
}

void
sim_outbox_pop (SimOutbox *self, uint64_t now_ns)
{
  GstTfrcOutgoing *outgoing;

  gst_tfrc_outbox_begin (&self->outbox);
  outgoing = gst_tfrc_outbox_take (&self->outbox);
  if (outgoing != NULL)
    gst_tfrc_outbox_on_left (&self->outbox, outgoing, now_ns);
}

uint64_t
sim_outbox_dropped (const SimOutbox *self)
{
  GstTfrcOutboxStats stats;

  gst_tfrc_outbox_get_stats (&self->outbox, 0, &stats);
  return stats.packets_dropped + stats.deadline.dropped;
}
