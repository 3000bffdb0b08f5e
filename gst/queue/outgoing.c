/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A packet on its way out of one flow, see outgoing.h. */
#include "outgoing.h"

#include <string.h>

#define TIMESTAMP_AT 4 /* RFC 3550 section 5.1 */

void
gst_tfrc_outgoing_pool_init (
    GstTfrcOutgoingPool *pool, GstTfrcRepairFreed repair_freed, gpointer user)
{
  g_queue_init (&pool->free);
  pool->repair_freed = repair_freed;
  pool->user = user;
}

void
gst_tfrc_outgoing_pool_clear (GstTfrcOutgoingPool *pool)
{
  GList *link;

  while ((link = g_queue_pop_head_link (&pool->free)) != NULL)
    g_free (link->data);
}

GstTfrcOutgoing *
gst_tfrc_outgoing_new (GstTfrcOutgoingPool *pool, GstTfrcPacket *packet, guint stream)
{
  GList *link = g_queue_pop_head_link (&pool->free);
  GstTfrcOutgoing *self = link ? link->data : g_new (GstTfrcOutgoing, 1);

  memset (self, 0, G_STRUCT_OFFSET (GstTfrcOutgoing, header));
  self->pool = pool;
  self->packet = packet;
  self->payload_bytes = gst_tfrc_packet_get_payload_bytes (packet);
  self->queue_link.data = self;
  self->stream = (guint8) stream;
  return self;
}

GstTfrcOutgoing *
gst_tfrc_outgoing_new_repair (
    GstTfrcOutgoingPool *pool, GstTfrcPacket *packet, guint16 original_seq)
{
  GstTfrcOutgoing *self = gst_tfrc_outgoing_new (pool, packet, GST_TFRC_RTP_REPAIR);

  self->original_seq = original_seq;
  return self;
}

GstTfrcOutgoing *
gst_tfrc_outgoing_new_fec (GstTfrcOutgoingPool *pool, GstTfrcPacket *packet, const TfrcWireFec *fec)
{
  GstTfrcOutgoing *self = gst_tfrc_outgoing_new (pool, packet, GST_TFRC_RTP_REPAIR);

  self->is_fec = TRUE;
  self->fec = *fec;
  return self;
}

void
gst_tfrc_outgoing_free (GstTfrcOutgoing *self)
{
  GstTfrcOutgoingPool *pool;

  if (self == NULL)
    return;
  pool = self->pool;
  if (gst_tfrc_outgoing_is_repair (self) && pool->repair_freed)
    pool->repair_freed (pool->user, self);
  gst_tfrc_packet_unref (self->packet);
  g_free (self->sealed);
  if (pool->free.length < GST_TFRC_OUTGOING_POOL_MAX_FREE)
    g_queue_push_head_link (&pool->free, &self->queue_link);
  else
    g_free (self);
}

void
gst_tfrc_outgoing_seal (GstTfrcOutgoing *self, const guint8 *datagram, gsize size)
{
  g_free (self->sealed);
  self->sealed = g_memdup2 (datagram, size);
  self->sealed_bytes = (guint16) size;
}

/* Protection leaves the header as it is (RFC 3711 section 3.1). */
guint32
gst_tfrc_outgoing_get_timestamp (const GstTfrcOutgoing *self)
{
  const guint8 *at = (self->sealed ? self->sealed : self->header) + TIMESTAMP_AT;

  return (guint32) at[0] << 24 | (guint32) at[1] << 16 | (guint32) at[2] << 8 | at[3];
}
