/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets and their pool, see packet.h. */
#include "packet.h"

#include <string.h>

#include "../common/threads.h"

GST_TFRC_DECLARE_MUTEX (GstTfrcPacketPoolMutex, gst_tfrc_packet_pool_mutex)

struct _GstTfrcPacketPool
{
  GstTfrcPacketPoolMutex lock;
  /* of GstTfrcPacket, by free_link; the newest first: its memory is in the cache */
  GQueue free GST_TFRC_GUARDED_BY (gst_tfrc_packet_pool_mutex);
  guint in_use GST_TFRC_GUARDED_BY (gst_tfrc_packet_pool_mutex);
  /* nobody takes packets any more */
  gboolean is_closed GST_TFRC_GUARDED_BY (gst_tfrc_packet_pool_mutex);
  /* in this trim interval */
  guint returned GST_TFRC_GUARDED_BY (gst_tfrc_packet_pool_mutex);
  /* most packets in use at one time in this trim interval */
  guint peak GST_TFRC_GUARDED_BY (gst_tfrc_packet_pool_mutex);
  /* most in the interval before */
  guint last_peak GST_TFRC_GUARDED_BY (gst_tfrc_packet_pool_mutex);
  guint64 allocated GST_TFRC_GUARDED_BY (gst_tfrc_packet_pool_mutex);
};

/* ---- packets ------------------------------------------------------------ */

static void
reset_packet (GstTfrcPacket *packet, GstTfrcPacketPool *pool)
{
  const GstTfrcImportance unknown = GST_TFRC_IMPORTANCE_INIT;

  memset (packet, 0, G_STRUCT_OFFSET (GstTfrcPacket, payload));
  packet->pool = pool;
  packet->references = 1;
  packet->importance = unknown;
  packet->free_link.data = packet;
}

static void give_back (GstTfrcPacketPool *pool, GstTfrcPacket *packet);

GstTfrcPacket *
gst_tfrc_packet_ref (GstTfrcPacket *packet)
{
  g_atomic_int_inc (&packet->references);
  return packet;
}

void
gst_tfrc_packet_unref (GstTfrcPacket *packet)
{
  if (packet == NULL || !g_atomic_int_dec_and_test (&packet->references))
    return;
  if (packet->pool)
    give_back (packet->pool, packet);
  else
    g_free (packet);
}

/* ---- pool --------------------------------------------------------------- */

GstTfrcPacketPool *
gst_tfrc_packet_pool_new (void)
{
  GstTfrcPacketPool *pool = g_new0 (GstTfrcPacketPool, 1);

  gst_tfrc_packet_pool_mutex_init (&pool->lock);
  g_queue_init (&pool->free);
  return pool;
}

/* Frees packets until at most this number is left. */
static void
trim_to (GstTfrcPacketPool *pool, guint n) GST_TFRC_REQUIRES (gst_tfrc_packet_pool_mutex)
{
  while (pool->free.length > n)
    g_free (g_queue_pop_tail_link (&pool->free)->data);
}

static void
destroy (GstTfrcPacketPool *pool) GST_TFRC_EXCLUDES (gst_tfrc_packet_pool_mutex)
{
  gst_tfrc_packet_pool_mutex_clear (&pool->lock);
  g_free (pool);
}

void
gst_tfrc_packet_pool_free (GstTfrcPacketPool *pool)
{
  gboolean is_unused;

  if (pool == NULL)
    return;
  gst_tfrc_packet_pool_mutex_lock (&pool->lock);
  trim_to (pool, 0);
  pool->is_closed = TRUE;
  is_unused = pool->in_use == 0;
  gst_tfrc_packet_pool_mutex_unlock (&pool->lock);
  if (is_unused)
    destroy (pool);
}

GstTfrcPacket *
gst_tfrc_packet_pool_take (GstTfrcPacketPool *pool)
{
  GstTfrcPacket *packet;
  GList *link;

  gst_tfrc_packet_pool_mutex_lock (&pool->lock);
  link = g_queue_pop_head_link (&pool->free);
  pool->allocated += link == NULL;
  pool->in_use++;
  pool->peak = MAX (pool->peak, pool->in_use);
  gst_tfrc_packet_pool_mutex_unlock (&pool->lock);
  packet = link ? link->data : g_new (GstTfrcPacket, 1);
  reset_packet (packet, pool);
  return packet;
}

/* Keeps what the stream has needed of late. */
static void
maybe_trim (GstTfrcPacketPool *pool) GST_TFRC_REQUIRES (gst_tfrc_packet_pool_mutex)
{
  guint most;

  if (++pool->returned < GST_TFRC_PACKET_POOL_TRIM_INTERVAL)
    return;
  most = MAX (pool->peak, pool->last_peak);
  trim_to (pool, most - MIN (most, pool->in_use));
  pool->last_peak = pool->peak;
  pool->peak = pool->in_use;
  pool->returned = 0;
}

static void
give_back (GstTfrcPacketPool *pool, GstTfrcPacket *packet)
{
  gboolean is_unused;

  gst_tfrc_packet_pool_mutex_lock (&pool->lock);
  pool->in_use--;
  g_queue_push_head_link (&pool->free, &packet->free_link);
  maybe_trim (pool);
  trim_to (pool, pool->is_closed ? 0 : GST_TFRC_PACKET_POOL_MAX_FREE);
  is_unused = pool->is_closed && pool->in_use == 0;
  gst_tfrc_packet_pool_mutex_unlock (&pool->lock);
  if (is_unused)
    destroy (pool);
}

void
gst_tfrc_packet_pool_trim (GstTfrcPacketPool *pool)
{
  gst_tfrc_packet_pool_mutex_lock (&pool->lock);
  trim_to (pool, 0);
  gst_tfrc_packet_pool_mutex_unlock (&pool->lock);
}

void
gst_tfrc_packet_pool_get_stats (GstTfrcPacketPool *pool, GstTfrcPacketPoolStats *stats)
{
  memset (stats, 0, sizeof *stats);
  gst_tfrc_packet_pool_mutex_lock (&pool->lock);
  stats->in_use = pool->in_use;
  stats->free = pool->free.length;
  stats->allocated = pool->allocated;
  gst_tfrc_packet_pool_mutex_unlock (&pool->lock);
}
