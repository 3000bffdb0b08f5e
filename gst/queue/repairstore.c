/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a flow has sent and its receiver may still ask for, see repairstore.h. */
#include "repairstore.h"

#include <string.h>

#define S_NS 1e9

#define FIRST_SIZE 64

/* A repair that has left may be asked for again after R and a quarter: the receiver's next request comes R
 * after the first one if the repair was lost, and one that was sent beside feedback meanwhile is no news. */
#define AGAIN_IN_R 1.25

/* At least: below that, the hosts take longer than the path. */
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
    self->stats.bytes -= gst_tfrc_packet_get_payload_bytes (oldest->packet);
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
gst_tfrc_repair_store_set_receiver (
    GstTfrcRepairStore *self, guint64 playout_ns, guint64 rtt_ns, guint64 lost, gdouble rate_Bps)
{
  if (self->is_lost_known && lost > self->lost)
    self->credit = MIN (self->credit + 2.0 * (lost - self->lost), GST_TFRC_REPAIR_STORE_MAX_CREDIT);
  self->is_lost_known = TRUE;
  self->lost = lost;
  self->playout_ns = playout_ns;
  self->rtt_ns = rtt_ns;
  self->rate_Bps = rate_Bps;
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

/* A hole goes with the packet in front of it. */
static gboolean
is_oldest_gone (const GstTfrcRepairStore *self, guint64 now_ns)
{
  return self->n > 0
      && (self->stats.bytes > self->max_bytes || at (self, 0)->packet == NULL
          || now_ns > at (self, 0)->expires_ns);
}

void
gst_tfrc_repair_store_on_left (
    GstTfrcRepairStore *self, guint16 seq, GstTfrcPacket *packet, guint64 due_ns, guint64 now_ns)
{
  guint64 played_ns = MIN (MAX (due_ns, now_ns) + self->playout_ns,
      now_ns + MAX (self->playout_ns, GST_TFRC_REPAIR_STORE_AHEAD_NS));
  const GstTfrcStoredPacket stored = { packet, due_ns, played_ns + self->rtt_ns, 0 };

  if (self->max_bytes == 0)
    return;
  while (is_oldest_gone (self, now_ns))
    drop_oldest (self);
  fill_holes (self, seq);
  gst_tfrc_packet_ref (packet);
  append (self, &stored);
  self->stats.bytes += gst_tfrc_packet_get_payload_bytes (packet);
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
  gdouble rate_Bps = GST_TFRC_REPAIR_STORE_SHARE * self->rate_Bps;
  gdouble most = MAX (LEAST_SAVED_BYTES, rate_Bps * MAX_SAVED_S);
  gdouble elapsed_s = (now_ns - MIN (now_ns, self->refilled_ns)) / S_NS;

  if (self->refilled_ns == 0) {
    self->credit += GST_TFRC_REPAIR_STORE_FREE;
    self->bytes_allowed = most;
  } else {
    self->bytes_allowed = MIN (most, self->bytes_allowed + elapsed_s * rate_Bps);
    if (self->credit < GST_TFRC_REPAIR_STORE_FREE && self->rtt_ns > 0)
      self->credit = MIN (
          GST_TFRC_REPAIR_STORE_FREE, self->credit + elapsed_s * S_NS / self->rtt_ns);
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
  if (now_ns > stored->expires_ns)
    return &self->stats.late;
  if (self->credit < 1 || self->bytes_allowed < gst_tfrc_packet_get_payload_bytes (stored->packet))
    return &self->stats.over_budget;
  return NULL;
}

GstTfrcPacket *
gst_tfrc_repair_store_take (GstTfrcRepairStore *self, guint16 seq, guint64 now_ns, guint64 *due_ns)
{
  GstTfrcStoredPacket *stored = find (self, seq);
  guint64 *refusal;

  self->stats.requested++;
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

void
gst_tfrc_repair_store_on_repaired (GstTfrcRepairStore *self, guint16 seq, guint64 now_ns)
{
  GstTfrcStoredPacket *stored = find (self, seq);

  self->stats.sent++;
  if (stored)
    stored->again_ns = now_ns + MAX (LEAST_AGAIN_NS, (guint64) (AGAIN_IN_R * self->rtt_ns));
}

void
gst_tfrc_repair_store_get_stats (const GstTfrcRepairStore *self, GstTfrcRepairStoreStats *stats)
{
  *stats = self->stats;
}
