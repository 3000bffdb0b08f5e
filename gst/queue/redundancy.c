/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a flow sends beside the movie, see redundancy.h. */
#include "redundancy.h"

#include "../common/log.h"

/* What was dropped may be asked for again. */
static void
on_freed (gpointer user, const GstTfrcOutgoing *outgoing)
{
  GstTfrcRedundancy *self = user;

  if (gst_tfrc_outgoing_get_fec (outgoing))
    self->fec_waiting--;
  else
    gst_tfrc_repair_store_on_dropped (
        &self->repairs, gst_tfrc_outgoing_get_original_seq (outgoing));
}

void
gst_tfrc_redundancy_init (
    GstTfrcRedundancy *self, GstTfrcOutgoingPool *pool, GstTfrcSendQueue *queue)
{
  gst_tfrc_outgoing_pool_init (pool, on_freed, self);
  self->pool = pool;
  self->queue = queue;
}

void
gst_tfrc_redundancy_clear (GstTfrcRedundancy *self)
{
  gst_tfrc_repair_store_clear (&self->repairs);
  gst_tfrc_fec_encoder_clear (&self->encoder);
}

/* ---- repairs ------------------------------------------------------------------- */

/* Takes over the entry. */
static void
push (GstTfrcRedundancy *self, GstTfrcOutgoing *outgoing, guint64 due_ns, guint64 now_ns)
{
  gst_tfrc_outgoing_set_due_ns (outgoing, due_ns);
  gst_tfrc_outgoing_set_queued_ns (outgoing, now_ns);
  gst_tfrc_send_queue_push_repair (self->queue, outgoing);
}

/* Takes over the reference. */
static gboolean
push_repair (
    GstTfrcRedundancy *self, GstTfrcPacket *packet, guint16 seq, guint64 due_ns, guint64 now_ns)
{
  if (packet == NULL)
    return FALSE;
  push (self, gst_tfrc_outgoing_new_repair (self->pool, packet, seq), due_ns, now_ns);
  gst_tfrc_log (flow, LOG, "packet %u is repaired, %.1f ms after it was due", seq,
      (now_ns - MIN (now_ns, due_ns)) / 1e6);
  return TRUE;
}

gboolean
gst_tfrc_redundancy_repair (GstTfrcRedundancy *self, guint16 seq, guint64 now_ns)
{
  guint64 due_ns;
  GstTfrcPacket *packet = gst_tfrc_repair_store_take (&self->repairs, seq, now_ns, &due_ns);

  return push_repair (self, packet, seq, due_ns, now_ns);
}

gboolean
gst_tfrc_redundancy_repair_newest (GstTfrcRedundancy *self, guint64 now_ns)
{
  guint64 due_ns;
  guint16 seq;
  GstTfrcPacket *packet = gst_tfrc_repair_store_take_newest (&self->repairs, &seq, now_ns, &due_ns);

  return push_repair (self, packet, seq, due_ns, now_ns);
}

/* ---- what has left --------------------------------------------------------------- */

/* A movie that waits needs the rate itself. */
static gboolean
has_room_for_fec (const GstTfrcRedundancy *self, guint64 now_ns)
{
  return gst_tfrc_send_queue_age_ns (self->queue, now_ns) <= self->fec_max_wait_ns;
}

/* A FEC packet is due with the packet that completes its group, and leaves behind all that are due then. */
static void
push_fec (GstTfrcRedundancy *self, guint64 due_ns, guint64 now_ns)
{
  GstTfrcPacket *packet;
  TfrcWireFec fec;

  while ((packet = gst_tfrc_fec_encoder_take (&self->encoder, &fec)) != NULL) {
    self->fec_completed++;
    if (!has_room_for_fec (self, now_ns)) {
      gst_tfrc_packet_unref (packet);
      continue;
    }
    push (self, gst_tfrc_outgoing_new_fec (self->pool, packet, &fec), due_ns, now_ns);
    self->fec_waiting++;
    gst_tfrc_log (flow, LOG, "FEC of a %s of %u packets from %u on", fec.is_row ? "row" : "column",
        fec.count, fec.first_seq);
  }
}

static void
on_movie_left (GstTfrcRedundancy *self, GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  GstTfrcPacket *packet = gst_tfrc_outgoing_get_packet (outgoing);
  guint16 seq = gst_tfrc_outgoing_get_rtp_seq (outgoing);
  guint64 due_ns = gst_tfrc_outgoing_get_due_ns (outgoing);

  gst_tfrc_repair_store_on_left (&self->repairs, seq, packet, due_ns, now_ns);
  gst_tfrc_fec_encoder_on_left (
      &self->encoder, seq, gst_tfrc_outgoing_get_timestamp (outgoing), packet);
  push_fec (self, due_ns, now_ns);
}

void
gst_tfrc_redundancy_on_left (GstTfrcRedundancy *self, GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  if (!gst_tfrc_outgoing_is_repair (outgoing))
    on_movie_left (self, outgoing, now_ns);
  else if (gst_tfrc_outgoing_get_fec (outgoing))
    self->fec_sent++;
  else
    gst_tfrc_repair_store_on_repaired (
        &self->repairs, gst_tfrc_outgoing_get_original_seq (outgoing), now_ns);
}

void
gst_tfrc_redundancy_get_fec_stats (const GstTfrcRedundancy *self, GstTfrcFecStats *stats)
{
  stats->layout = *gst_tfrc_fec_encoder_get_layout (&self->encoder);
  stats->sent = self->fec_sent;
  stats->dropped = self->fec_completed - self->fec_sent - self->fec_waiting;
}
