/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outbox of a flow, see outbox.h. */
#include "outbox.h"

#include <string.h>

#include "../common/log.h"

/* Of what runs ahead the send queue holds what leaves in this time, and a packet at least beside the one that
 * leaves: the rest stays where a pause, a flush or another timeline still reaches it. The thread of the loop
 * wakes up as often for fast streams (gst/flow/grouping.h). */
#define EARLY_NS 20e6
#define LEAST_EARLY_BYTES (2 * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES)

gboolean
gst_tfrc_outbox_init (GstTfrcOutbox *self, guint64 smoothing_ns)
{
  memset (self, 0, sizeof *self);
  gst_tfrc_redundancy_init (&self->redundancy, &self->entries, &self->queue);
  gst_tfrc_lookahead_init (&self->lookahead);
  gst_tfrc_send_queue_init (&self->queue);
  gst_tfrc_deadline_init (&self->deadline);
  gst_tfrc_ahead_init (&self->ahead);
  self->is_timed = TRUE;
  gst_tfrc_histogram_init (&self->delay);
  return smoothing_ns == 0 || tfrc_smoother_new (&self->queue.smoother, smoothing_ns) == TFRC_OK;
}

void
gst_tfrc_outbox_clear (GstTfrcOutbox *self)
{
  gst_tfrc_lookahead_clear (&self->lookahead);
  gst_tfrc_send_queue_clear (&self->queue);
  gst_tfrc_deadline_clear (&self->deadline);
  gst_tfrc_ahead_clear (&self->ahead);
  gst_tfrc_redundancy_clear (&self->redundancy);
  gst_tfrc_outgoing_pool_clear (&self->entries);
  tfrc_smoother_free (self->queue.smoother);
}

/* ---- settings -------------------------------------------------------------- */

void
gst_tfrc_outbox_set_limits (
    GstTfrcOutbox *self, guint max_packets, guint64 max_time_ns, GstTfrcLeaky leaky)
{
  self->queue.max_packets = max_packets;
  self->queue.max_time_ns = max_time_ns;
  self->queue.leaky = leaky;
}

void
gst_tfrc_outbox_set_timeline (GstTfrcOutbox *self, gint64 timeline_ns)
{
  gst_tfrc_lookahead_set_timeline (&self->lookahead, timeline_ns);
}

void
gst_tfrc_outbox_set_paused (GstTfrcOutbox *self, gboolean paused)
{
  gst_tfrc_lookahead_set_stopped (&self->lookahead, paused);
}

void
gst_tfrc_outbox_set_live (GstTfrcOutbox *self, gboolean live)
{
  self->queue.live = live;
}

void
gst_tfrc_outbox_set_timed (GstTfrcOutbox *self, gboolean timed)
{
  self->is_timed = timed;
  if (!timed)
    gst_tfrc_outbox_set_deadline (self, FALSE, 0);
}

void
gst_tfrc_outbox_set_deadline (GstTfrcOutbox *self, gboolean is_on, guint64 slack_ns)
{
  gst_tfrc_deadline_set (&self->deadline, is_on && self->is_timed, slack_ns);
  self->queue.has_deadline = gst_tfrc_deadline_is_on (&self->deadline);
}

void
gst_tfrc_outbox_catch_up (GstTfrcOutbox *self, guint32 group, guint64 now_ns)
{
  gst_tfrc_deadline_catch_up (&self->deadline, group, now_ns);
}

/* Live input cannot be read faster than it comes. */
void
gst_tfrc_outbox_set_ahead (GstTfrcOutbox *self, guint64 window_ns, guint64 max_bytes)
{
  gboolean is_stored = self->is_timed && !self->queue.live;

  gst_tfrc_ahead_set (&self->ahead, is_stored ? window_ns : 0, max_bytes);
}

void
gst_tfrc_outbox_set_repairs (GstTfrcOutbox *self, gsize max_bytes)
{
  gst_tfrc_repair_store_set_limit (&self->redundancy.repairs, max_bytes);
}

void
gst_tfrc_outbox_set_repair_receiver (GstTfrcOutbox *self, const GstTfrcRepairReceiver *receiver)
{
  gst_tfrc_repair_store_set_receiver (&self->redundancy.repairs, receiver);
}

void
gst_tfrc_outbox_set_fec (GstTfrcOutbox *self, const GstTfrcFecLayout *layout, guint64 max_wait_ns)
{
  self->redundancy.fec_max_wait_ns = max_wait_ns;
  gst_tfrc_fec_encoder_set_layout (&self->redundancy.encoder, layout);
}

guint64
gst_tfrc_outbox_get_ahead_ns (const GstTfrcOutbox *self)
{
  return gst_tfrc_ahead_get_window_ns (&self->ahead);
}

gboolean
gst_tfrc_outbox_set_receiver (
    GstTfrcOutbox *self, gboolean absent, gdouble drain_rate_Bps, gboolean is_measured)
{
  gboolean changes = absent != self->queue.absent;

  self->queue.absent = absent;
  self->queue.drain_rate_Bps = absent ? 0 : drain_rate_Bps;
  self->queue.drain_rate_is_measured = is_measured;
  return changes;
}

void
gst_tfrc_outbox_set_credit (GstTfrcOutbox *self, guint64 used_until_ns, guint64 most_ns)
{
  self->queue.used_until_ns = used_until_ns;
  self->queue.most_credit_ns = most_ns;
}

/* ---- in ---------------------------------------------------------------------- */

/* With a deadline it is not the pipeline that gives way, but what matters least. */
static gboolean
make_room (GstTfrcOutbox *self)
{
  guint n = self->queue.has_deadline ? gst_tfrc_deadline_make_room (&self->deadline, &self->queue)
                                     : 0;

  if (n > 0)
    gst_tfrc_log (flow, DEBUG, "the queue is full: the %u least important packets are dropped", n);
  return n > 0;
}

/* Says what happens to a packet that is due now. The packet is counted if it is dropped. */
static GstTfrcAdmission
admit_due (GstTfrcOutbox *self, guint64 now_ns)
{
  GstTfrcAdmission admission;

  gst_tfrc_outbox_drop_overdue (self, now_ns);
  while (
      (admission = gst_tfrc_send_queue_admission (&self->queue, now_ns)) == GST_TFRC_DROP_OLDEST) {
    GstTfrcOutgoing *oldest = gst_tfrc_send_queue_take_oldest (&self->queue);

    if (oldest == NULL)
      return GST_TFRC_ADMIT;
    self->dropped += !gst_tfrc_outgoing_is_repair (oldest);
    gst_tfrc_outgoing_free (oldest);
  }
  if (admission == GST_TFRC_DROP_NEW)
    self->dropped++;
  return admission == GST_TFRC_ADMIT_LATER && make_room (self) ? GST_TFRC_ADMIT : admission;
}

/* Takes over the entry, whose due_ns is set. The wait for room may have made it overdue. */
static void
queue_packet (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  if (gst_tfrc_deadline_refuses (&self->deadline, gst_tfrc_outgoing_get_packet (outgoing))) {
    gst_tfrc_outgoing_free (outgoing);
    return;
  }
  gst_tfrc_deadline_on_packet (&self->deadline, gst_tfrc_outgoing_get_packet (outgoing));
  gst_tfrc_outgoing_set_queued_ns (outgoing, now_ns);
  gst_tfrc_ahead_on_packet (&self->ahead, gst_tfrc_outgoing_get_due_ns (outgoing),
      gst_tfrc_outgoing_get_payload_bytes (outgoing), now_ns);
  gst_tfrc_send_queue_push (&self->queue, outgoing);
  gst_tfrc_outbox_drop_overdue (self, now_ns);
}

/* A packet that is due goes to the send queue, unless other packets are before it. */
static gboolean
goes_ahead (const GstTfrcOutbox *self, guint64 due_ns, guint64 now_ns)
{
  return due_ns > now_ns || gst_tfrc_lookahead_length (&self->lookahead) > 0;
}

GstTfrcAdmission
gst_tfrc_outbox_admit (GstTfrcOutbox *self, guint64 due_ns, guint64 now_ns)
{
  gst_tfrc_outbox_take_due (self, now_ns);
  if (!goes_ahead (self, due_ns, now_ns))
    return admit_due (self, now_ns);
  return self->is_full || gst_tfrc_lookahead_length (&self->lookahead) >= self->queue.max_packets
      ? GST_TFRC_ADMIT_LATER
      : GST_TFRC_ADMIT;
}

/* Without a smoother a packet behind others changes no deadline. */
gboolean
gst_tfrc_outbox_push (
    GstTfrcOutbox *self, GstTfrcPacket *packet, guint stream, guint64 due_ns, guint64 now_ns)
{
  GstTfrcOutgoing *outgoing = gst_tfrc_outgoing_new (&self->entries, packet, stream);

  if (goes_ahead (self, due_ns, now_ns)) {
    gst_tfrc_lookahead_push (&self->lookahead, outgoing, due_ns);
    return gst_tfrc_lookahead_length (&self->lookahead) == 1;
  }
  gst_tfrc_outgoing_set_due_ns (outgoing, due_ns);
  queue_packet (self, outgoing, now_ns);
  return gst_tfrc_send_queue_length (&self->queue) == 1 || self->queue.smoother != NULL;
}

gboolean
gst_tfrc_outbox_repair (GstTfrcOutbox *self, guint16 seq, guint64 now_ns)
{
  return gst_tfrc_redundancy_repair (&self->redundancy, seq, now_ns);
}

gboolean
gst_tfrc_outbox_get_tail (const GstTfrcOutbox *self, GstTfrcRepairTail *tail)
{
  return gst_tfrc_send_queue_length (&self->queue) == 0 && self->in_flight == 0
      && gst_tfrc_repair_store_get_tail (&self->redundancy.repairs, tail);
}

gboolean
gst_tfrc_outbox_repair_newest (GstTfrcOutbox *self, guint64 now_ns)
{
  return gst_tfrc_redundancy_repair_newest (&self->redundancy, now_ns);
}

guint
gst_tfrc_outbox_flush (GstTfrcOutbox *self)
{
  guint n = gst_tfrc_lookahead_length (&self->lookahead)
      + gst_tfrc_send_queue_length (&self->queue);

  gst_tfrc_lookahead_clear (&self->lookahead);
  gst_tfrc_send_queue_clear (&self->queue);
  gst_tfrc_deadline_forget (&self->deadline);
  gst_tfrc_redundancy_clear (&self->redundancy);
  self->is_full = FALSE;
  self->flushes++;
  return n;
}

void
gst_tfrc_outbox_count_dropped (GstTfrcOutbox *self, guint n)
{
  self->dropped += n;
}

/* ---- time -------------------------------------------------------------------- */

gboolean
gst_tfrc_outbox_drop_overdue (GstTfrcOutbox *self, guint64 now_ns)
{
  guint n = gst_tfrc_send_queue_drop_overdue (&self->queue, now_ns);
  guint late = gst_tfrc_deadline_drop (&self->deadline, &self->queue, now_ns);

  self->dropped += n;
  if (n > 0)
    gst_tfrc_log (flow, DEBUG,
        "%u packets waited for too long: %" G_GUINT64_FORMAT " dropped in all", n, self->dropped);
  if (late > 0)
    gst_tfrc_log (flow, DEBUG,
        "%u packets would be late and are dropped; %u wait, which take %.0f ms at %.0f kbit/s",
        late, gst_tfrc_send_queue_length (&self->queue),
        self->queue.drain_rate_Bps > 0 ? self->queue.bytes * 1e3 / self->queue.drain_rate_Bps : 0,
        self->queue.drain_rate_Bps * 8e-3);
  return gst_tfrc_deadline_is_pressed (&self->deadline);
}

/* When the next packet goes to the send queue. */
static guint64
takes_ns (const GstTfrcOutbox *self)
{
  guint64 due_ns = gst_tfrc_lookahead_due_ns (&self->lookahead);
  gdouble early_bytes = self->queue.drain_rate_Bps * EARLY_NS / 1e9;

  if (due_ns == G_MAXUINT64 || self->queue.bytes >= MAX (early_bytes, LEAST_EARLY_BYTES))
    return due_ns;
  return gst_tfrc_ahead_opens_ns (
      &self->ahead, due_ns, gst_tfrc_lookahead_first_bytes (&self->lookahead));
}

void
gst_tfrc_outbox_take_due (GstTfrcOutbox *self, guint64 now_ns)
{
  self->is_full = FALSE;
  gst_tfrc_ahead_on_time (&self->ahead, now_ns);
  while (now_ns >= takes_ns (self)) {
    GstTfrcAdmission admission = admit_due (self, now_ns);

    if (admission == GST_TFRC_ADMIT_LATER) {
      self->is_full = TRUE;
      return;
    }
    if (admission == GST_TFRC_ADMIT)
      queue_packet (self, gst_tfrc_lookahead_pop (&self->lookahead), now_ns);
    else
      gst_tfrc_outgoing_free (gst_tfrc_lookahead_pop (&self->lookahead));
  }
}

guint64
gst_tfrc_outbox_due_ns (const GstTfrcOutbox *self)
{
  return self->is_full ? G_MAXUINT64 : takes_ns (self);
}

guint64
gst_tfrc_outbox_expiry_ns (const GstTfrcOutbox *self)
{
  return MIN (gst_tfrc_send_queue_expiry_ns (&self->queue),
      gst_tfrc_deadline_expiry_ns (&self->deadline, &self->queue));
}

/* ---- out --------------------------------------------------------------------- */

const GstTfrcOutgoing *
gst_tfrc_outbox_peek (const GstTfrcOutbox *self)
{
  return gst_tfrc_send_queue_first (&self->queue);
}

guint64
gst_tfrc_outbox_next_ns (const GstTfrcOutbox *self)
{
  return gst_tfrc_send_queue_next_ns (&self->queue);
}

void
gst_tfrc_outbox_begin (GstTfrcOutbox *self)
{
  self->flushes_at_take = self->flushes;
}

GstTfrcOutgoing *
gst_tfrc_outbox_take (GstTfrcOutbox *self)
{
  GstTfrcOutgoing *outgoing = gst_tfrc_send_queue_pop (&self->queue);

  if (outgoing)
    self->in_flight++;
  return outgoing;
}

void
gst_tfrc_outbox_put_back (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing)
{
  self->in_flight--;
  gst_tfrc_send_queue_push_back (&self->queue, outgoing);
}

static void
account_media (GstTfrcOutbox *self, const GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  const GstTfrcSendQueue *queue = &self->queue;
  guint64 due_ns = gst_tfrc_outgoing_get_due_ns (outgoing);

  gst_tfrc_histogram_add (&self->delay, now_ns - MIN (now_ns, due_ns));
  if (queue->max_time_ns > 0
      && gst_tfrc_send_queue_wait_ns (queue, outgoing, now_ns) > queue->max_time_ns)
    self->overdue++;
}

void
gst_tfrc_outbox_on_left (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  self->in_flight--;
  self->has_sent = TRUE;
  if (!gst_tfrc_outgoing_is_repair (outgoing))
    account_media (self, outgoing, now_ns);
  gst_tfrc_redundancy_on_left (&self->redundancy, outgoing, now_ns);
  gst_tfrc_outgoing_free (outgoing);
}

void
gst_tfrc_outbox_on_not_left (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing)
{
  if (self->flushes == self->flushes_at_take) {
    gst_tfrc_outbox_put_back (self, outgoing);
    return;
  }
  self->in_flight--;
  gst_tfrc_outgoing_free (outgoing);
}

void
gst_tfrc_outbox_on_given_up (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing)
{
  self->in_flight--;
  self->dropped += !gst_tfrc_outgoing_is_repair (outgoing);
  gst_tfrc_outgoing_free (outgoing);
}

/* ---- queries ------------------------------------------------------------------ */

gboolean
gst_tfrc_outbox_is_empty (const GstTfrcOutbox *self)
{
  return gst_tfrc_lookahead_length (&self->lookahead) == 0
      && gst_tfrc_send_queue_length (&self->queue) == 0 && self->in_flight == 0;
}

gboolean
gst_tfrc_outbox_has_room (const GstTfrcOutbox *self, guint64 now_ns)
{
  guint max_packets = self->queue.max_packets;

  return !self->is_full && gst_tfrc_send_queue_is_low (&self->queue, now_ns)
      && gst_tfrc_lookahead_length (&self->lookahead) <= max_packets - max_packets / 4;
}

gboolean
gst_tfrc_outbox_is_receiver_absent (const GstTfrcOutbox *self)
{
  return self->queue.absent;
}

gboolean
gst_tfrc_outbox_has_sent (const GstTfrcOutbox *self)
{
  return self->has_sent;
}

guint64
gst_tfrc_outbox_get_dropped (const GstTfrcOutbox *self)
{
  return self->dropped + gst_tfrc_outbox_get_past_deadline (self);
}

guint64
gst_tfrc_outbox_get_past_deadline (const GstTfrcOutbox *self)
{
  return gst_tfrc_deadline_get_dropped (&self->deadline);
}

guint64
gst_tfrc_outbox_live_wait_ns (const GstTfrcOutbox *self, guint64 now_ns)
{
  return self->queue.live ? gst_tfrc_send_queue_age_ns (&self->queue, now_ns) : 0;
}

void
gst_tfrc_outbox_get_stats (const GstTfrcOutbox *self, guint64 now_ns, GstTfrcOutboxStats *stats)
{
  const GstTfrcSendQueue *queue = &self->queue;

  stats->delay = self->delay;
  stats->lookahead_packets = gst_tfrc_lookahead_length (&self->lookahead);
  stats->queue_packets = gst_tfrc_send_queue_length (queue);
  stats->queue_bytes = queue->bytes;
  stats->queue_time_ns = gst_tfrc_send_queue_age_ns (queue, now_ns);
  stats->smoothing_rate_Bps = queue->smoother ? tfrc_smoother_get_rate_Bps (queue->smoother, now_ns)
                                              : 0;
  stats->packets_dropped = self->dropped;
  stats->packets_overdue = self->overdue;
  stats->ahead_ns = gst_tfrc_ahead_get_lead_ns (&self->ahead, now_ns);
  gst_tfrc_repair_store_get_stats (&self->redundancy.repairs, &stats->repairs);
  gst_tfrc_redundancy_get_fec_stats (&self->redundancy, &stats->fec);
  gst_tfrc_deadline_get_stats (&self->deadline, &stats->deadline);
}
