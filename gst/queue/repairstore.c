/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a flow has sent and its receiver may still ask for, see repairstore.h. */
#include "repairstore.h"

#include <string.h>

#define S_NS 1e9

#define FIRST_SIZE 64

/* The least time between two repairs of a packet: below that, the hosts take longer than the path. */
#define LEAST_AGAIN_NS (10 * G_GUINT64_CONSTANT (1000000))

/* How much the budget of bytes can save up */
#define MAX_SAVED_S 1.0
#define LEAST_SAVED_BYTES (GST_TFRC_REPAIR_STORE_FREE * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES)

/* Numbers that were given up between two packets that left; more begin the store anew. */
#define MAX_HOLES 64

static GstTfrcStoredPacket *
at (const GstTfrcRepairStore *self, guint i)
{
  return &self->ring[(self->head + i) & (self->size - 1)];
}

static void
drop_oldest (GstTfrcRepairStore *self)
{
  GstTfrcStoredPacket *oldest = at (self, 0);

  if (oldest->packet) {
    self->stats.bytes -= GST_TFRC_PACKET_MEMORY_BYTES;
    gst_tfrc_packet_unref (oldest->packet);
  }
  self->head = (self->head + 1) & (self->size - 1);
  self->first_seq++;
  self->n--;
}

static void
drop_all (GstTfrcRepairStore *self)
{
  while (self->n > 0)
    drop_oldest (self);
}

void
gst_tfrc_repair_store_clear (GstTfrcRepairStore *self)
{
  drop_all (self);
  g_clear_pointer (&self->ring, g_free);
  self->size = self->head = 0;
}

void
gst_tfrc_repair_store_set_limit (GstTfrcRepairStore *self, gsize max_bytes)
{
  self->max_bytes = max_bytes;
  if (max_bytes == 0)
    gst_tfrc_repair_store_clear (self);
}

void
gst_tfrc_repair_store_set_receiver (GstTfrcRepairStore *self, const GstTfrcRepairReceiver *receiver)
{
  if (self->is_lost_known && receiver->lost > self->receiver.lost)
    self->credit = MIN (self->credit + 2.0 * (receiver->lost - self->receiver.lost),
        GST_TFRC_REPAIR_STORE_MAX_CREDIT);
  self->is_lost_known = TRUE;
  self->receiver = *receiver;
}

/* ---- what has left ------------------------------------------------------------ */

static void
grow (GstTfrcRepairStore *self)
{
  guint size = self->size == 0 ? FIRST_SIZE : 2 * self->size;
  GstTfrcStoredPacket *ring = g_new (GstTfrcStoredPacket, size);

  for (guint i = 0; i < self->n; i++)
    ring[i] = *at (self, i);
  g_free (self->ring);
  self->ring = ring;
  self->size = size;
  self->head = 0;
}

static void
append (GstTfrcRepairStore *self, const GstTfrcStoredPacket *stored)
{
  if (self->n == GST_TFRC_REPAIR_STORE_MAX_PACKETS)
    drop_oldest (self);
  if (self->n == self->size)
    grow (self);
  *at (self, self->n++) = *stored;
}

/* Afterwards the store ends in front of this number. */
static void
fill_holes (GstTfrcRepairStore *self, guint16 seq)
{
  const GstTfrcStoredPacket hole = { .packet = NULL };
  guint16 holes = (guint16) (seq - self->first_seq - self->n);

  if (self->n == 0 || holes > MAX_HOLES) {
    drop_all (self);
    self->first_seq = seq;
    return;
  }
  while (holes-- > 0)
    append (self, &hole);
}

/* When no repair can be in time any more, as far as the receiver is known now. */
static guint64
expires_ns (const GstTfrcRepairStore *self, const GstTfrcStoredPacket *stored)
{
  const GstTfrcRepairReceiver *receiver = &self->receiver;
  guint64 begin_ns = receiver->tells_playout ? stored->due_ns
                                             : MAX (stored->due_ns, stored->left_ns);
  guint64 longest_ns = MAX (receiver->playout_ns, GST_TFRC_REPAIR_STORE_AHEAD_NS);

  return MIN (begin_ns + receiver->playout_ns, stored->left_ns + longest_ns) + receiver->rtt_ns;
}

/* A hole goes with the packet in front of it. */
static gboolean
is_oldest_gone (const GstTfrcRepairStore *self, guint64 now_ns)
{
  return self->n > 0
      && (self->stats.bytes > self->max_bytes || at (self, 0)->packet == NULL
          || now_ns > expires_ns (self, at (self, 0)));
}

void
gst_tfrc_repair_store_on_left (
    GstTfrcRepairStore *self, guint16 seq, GstTfrcPacket *packet, guint64 due_ns, guint64 now_ns)
{
  const GstTfrcStoredPacket stored = { packet, due_ns, now_ns, 0 };

  if (self->max_bytes == 0)
    return;
  self->last_ns = now_ns;
  while (is_oldest_gone (self, now_ns))
    drop_oldest (self);
  fill_holes (self, seq);
  gst_tfrc_packet_ref (packet);
  append (self, &stored);
  self->stats.bytes += GST_TFRC_PACKET_MEMORY_BYTES;
}

/* ---- what is asked for ----------------------------------------------------------- */

static GstTfrcStoredPacket *
find (const GstTfrcRepairStore *self, guint16 seq)
{
  guint16 i = (guint16) (seq - self->first_seq);
  GstTfrcStoredPacket *stored = i < self->n ? at (self, i) : NULL;

  return stored && stored->packet ? stored : NULL;
}

static void
refill (GstTfrcRepairStore *self, guint64 now_ns)
{
  gdouble rate_Bps = GST_TFRC_REPAIR_STORE_SHARE * self->receiver.rate_Bps;
  gdouble most = MAX (LEAST_SAVED_BYTES, rate_Bps * MAX_SAVED_S);
  gdouble elapsed_s = (now_ns - MIN (now_ns, self->refilled_ns)) / S_NS;

  if (self->refilled_ns == 0) {
    self->credit += GST_TFRC_REPAIR_STORE_FREE;
    self->bytes_allowed = most;
  } else {
    self->bytes_allowed = MIN (most, self->bytes_allowed + elapsed_s * rate_Bps);
    if (self->credit < GST_TFRC_REPAIR_STORE_FREE && self->receiver.rtt_ns > 0)
      self->credit = MIN (
          GST_TFRC_REPAIR_STORE_FREE, self->credit + elapsed_s * S_NS / self->receiver.rtt_ns);
  }
  self->refilled_ns = now_ns;
}

/* Returns which count a refusal belongs to; NULL: the packet is to be sent again. */
static guint64 *
find_refusal (GstTfrcRepairStore *self, const GstTfrcStoredPacket *stored, guint64 now_ns)
{
  if (stored == NULL)
    return &self->stats.gone;
  if (now_ns < stored->again_ns)
    return &self->stats.too_soon;
  if (now_ns > expires_ns (self, stored))
    return &self->stats.late;
  if (self->credit < 1 || self->bytes_allowed < gst_tfrc_packet_get_payload_bytes (stored->packet))
    return &self->stats.over_budget;
  return NULL;
}

static GstTfrcPacket *
take (GstTfrcRepairStore *self, GstTfrcStoredPacket *stored, guint64 now_ns, guint64 *due_ns)
{
  guint64 *refusal;

  refill (self, now_ns);
  refusal = find_refusal (self, stored, now_ns);
  if (refusal) {
    (*refusal)++;
    return NULL;
  }
  self->credit--;
  self->bytes_allowed -= gst_tfrc_packet_get_payload_bytes (stored->packet);
  stored->again_ns = G_MAXUINT64;
  *due_ns = stored->due_ns;
  return gst_tfrc_packet_ref (stored->packet);
}

GstTfrcPacket *
gst_tfrc_repair_store_take (GstTfrcRepairStore *self, guint16 seq, guint64 now_ns, guint64 *due_ns)
{
  self->stats.requested++;
  return take (self, find (self, seq), now_ns, due_ns);
}

gboolean
gst_tfrc_repair_store_get_tail (const GstTfrcRepairStore *self, GstTfrcRepairTail *tail)
{
  if (self->n == 0 || self->stats.requested == 0)
    return FALSE;
  tail->last_ns = self->last_ns;
  tail->end_ns = expires_ns (self, at (self, self->n - 1));
  return TRUE;
}

GstTfrcPacket *
gst_tfrc_repair_store_take_newest (
    GstTfrcRepairStore *self, guint16 *seq, guint64 now_ns, guint64 *due_ns)
{
  *seq = (guint16) (self->first_seq + self->n - 1);
  self->last_ns = now_ns;
  return take (self, find (self, *seq), now_ns, due_ns);
}

void
gst_tfrc_repair_store_on_repaired (GstTfrcRepairStore *self, guint16 seq, guint64 now_ns)
{
  GstTfrcStoredPacket *stored = find (self, seq);

  self->stats.sent++;
  self->last_ns = now_ns;
  if (stored)
    stored->again_ns = now_ns + MAX (LEAST_AGAIN_NS, self->receiver.again_ns);
}

void
gst_tfrc_repair_store_on_dropped (GstTfrcRepairStore *self, guint16 seq)
{
  GstTfrcStoredPacket *stored = find (self, seq);

  if (stored == NULL || stored->again_ns != G_MAXUINT64)
    return;
  stored->again_ns = 0;
  self->credit++;
  self->bytes_allowed += gst_tfrc_packet_get_payload_bytes (stored->packet);
  self->stats.dropped++;
}

void
gst_tfrc_repair_store_get_stats (const GstTfrcRepairStore *self, GstTfrcRepairStoreStats *stats)
{
  *stats = self->stats;
}
