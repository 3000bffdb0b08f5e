/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The deadline of a send queue, see deadline.h. */
#include "deadline.h"

#include <string.h>

void
gst_tfrc_deadline_init (GstTfrcDeadline *self)
{
  memset (self, 0, sizeof *self);
  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    self->candidates[i] = g_ptr_array_new ();
}

void
gst_tfrc_deadline_clear (GstTfrcDeadline *self)
{
  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    g_ptr_array_free (self->candidates[i], TRUE);
}

void
gst_tfrc_deadline_set (GstTfrcDeadline *self, gboolean is_on, guint64 slack_ns)
{
  slack_ns = MAX (slack_ns, GST_TFRC_DEADLINE_LEAST_SLACK_NS);
  if (!self->is_on || slack_ns < self->slack_ns)
    self->searched_rate_Bps = 0;
  self->is_on = is_on;
  self->slack_ns = slack_ns;
}

gboolean
gst_tfrc_deadline_is_on (const GstTfrcDeadline *self)
{
  return self->is_on;
}

void
gst_tfrc_deadline_forget (GstTfrcDeadline *self)
{
  memset (self->pictures, 0, sizeof self->pictures);
  memset (self->groups, 0, sizeof self->groups);
  self->next_search_ns = 0;
}

/* ---- pictures and groups that are incomplete ---------------------------------- */

static gboolean
holds (const guint32 *ring, guint n, guint32 number)
{
  for (guint i = 0; i < n; i++)
    if (ring[i] == number)
      return number != 0;
  return FALSE;
}

static gboolean
is_picture (const GstTfrcImportance *importance)
{
  return importance->class == GST_TFRC_CLASS_RANDOM_ACCESS
      || importance->class == GST_TFRC_CLASS_REFERENCE
      || importance->class == GST_TFRC_CLASS_NON_REFERENCE;
}

static gboolean
is_incomplete (const GstTfrcDeadline *self, const GstTfrcImportance *importance)
{
  return holds (self->pictures, GST_TFRC_DEADLINE_PICTURES, importance->picture)
      || (is_picture (importance)
          && holds (self->groups, GST_TFRC_DEADLINE_GROUPS, importance->group));
}

static void
note_loss (GstTfrcDeadline *self, const GstTfrcImportance *importance)
{
  self->dropped[importance->class]++;
  if (is_incomplete (self, importance))
    return;
  if (importance->picture != 0)
    self->pictures[self->n_pictures++ % GST_TFRC_DEADLINE_PICTURES] = importance->picture;
  if (importance->class == GST_TFRC_CLASS_RANDOM_ACCESS && importance->group != 0)
    self->groups[self->n_groups++ % GST_TFRC_DEADLINE_GROUPS] = importance->group;
}

gboolean
gst_tfrc_deadline_refuses (GstTfrcDeadline *self, const GstTfrcPacket *packet)
{
  const GstTfrcImportance *importance = gst_tfrc_packet_get_importance (packet);

  if (!self->is_on || !is_incomplete (self, importance))
    return FALSE;
  note_loss (self, importance);
  return TRUE;
}

/* ---- what cannot be in time ------------------------------------------------------ */

static const GstTfrcImportance *
importance_of (const GstTfrcOutgoing *outgoing)
{
  return gst_tfrc_packet_get_importance (gst_tfrc_outgoing_get_packet (outgoing));
}

static guint64
expiry_of (const GstTfrcDeadline *self, const GstTfrcOutgoing *outgoing)
{
  return gst_tfrc_outgoing_get_due_ns (outgoing) + self->slack_ns;
}

/* When the packet is dropped. One that has a number leaves all the same: the receiver would take the number
 * for a loss, and the rate would fall. */
static guint64
expires_ns (const GstTfrcDeadline *self, const GstTfrcOutgoing *outgoing)
{
  return gst_tfrc_outgoing_has_rtp_seq (outgoing) ? G_MAXUINT64 : expiry_of (self, outgoing) + 1;
}

static guint64
time_left_ns (const GstTfrcDeadline *self, const GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  guint64 expiry_ns = expiry_of (self, outgoing);

  return expiry_ns - MIN (now_ns, expiry_ns);
}

static void
drop (GstTfrcDeadline *self, GstTfrcSendQueue *queue, GstTfrcOutgoing *outgoing)
{
  note_loss (self, importance_of (outgoing));
  gst_tfrc_send_queue_remove (queue, outgoing);
  gst_tfrc_outgoing_free (outgoing);
}

/* A packet with a number leaves. Tables and sound are small, and worth more than any picture. */
static gboolean
may_be_spared (const GstTfrcOutgoing *outgoing)
{
  guint8 class = importance_of (outgoing)->class;

  return !gst_tfrc_outgoing_has_rtp_seq (outgoing) && class != GST_TFRC_CLASS_TABLES
      && class != GST_TFRC_CLASS_AUDIO;
}

static gpointer
last_of (const GPtrArray *candidates)
{
  return candidates->len > 0 ? candidates->pdata[candidates->len - 1] : NULL;
}

/* Drops the last picture, or packet, of the least class. In one group fewer pictures depend on a later one.
 * Returns its bytes; 0: there is none. */
static gsize
drop_least (GstTfrcDeadline *self, GstTfrcSendQueue *queue)
{
  gsize bytes = 0;
  guint class = GST_TFRC_CLASSES;
  guint32 picture = 0;
  GstTfrcOutgoing *last = NULL;

  while (last == NULL && class > 0)
    last = last_of (self->candidates[--class]);
  while (last && (bytes == 0 || (picture != 0 && importance_of (last)->picture == picture))) {
    picture = importance_of (last)->picture;
    bytes += gst_tfrc_outgoing_get_payload_bytes (last);
    g_ptr_array_set_size (self->candidates[class], self->candidates[class]->len - 1);
    drop (self, queue, last);
    last = last_of (self->candidates[class]);
  }
  return bytes;
}

/* Goes through the queue in the order in which it leaves. Where what comes before a packet and the packet
 * itself take longer than the packet has, the least important of these is dropped. */
static void
search (GstTfrcDeadline *self, GstTfrcSendQueue *queue, guint64 now_ns)
{
  gdouble ns_per_byte = 1e9 / queue->drain_rate_Bps;
  gsize bytes = 0, dropped;
  GstTfrcOutgoing *next = gst_tfrc_send_queue_first (queue), *outgoing;

  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    g_ptr_array_set_size (self->candidates[i], 0);
  while ((outgoing = next) != NULL) {
    guint64 left_ns = time_left_ns (self, outgoing, now_ns);

    self->looked_at++;
    next = gst_tfrc_send_queue_next (outgoing);
    if (may_be_spared (outgoing) && is_incomplete (self, importance_of (outgoing))) {
      drop (self, queue, outgoing);
      continue;
    }
    bytes += gst_tfrc_outgoing_get_payload_bytes (outgoing);
    if (may_be_spared (outgoing))
      g_ptr_array_add (self->candidates[importance_of (outgoing)->class], outgoing);
    while (bytes * ns_per_byte > left_ns && (dropped = drop_least (self, queue)) > 0)
      bytes -= dropped;
  }
  self->searched_rate_Bps = queue->drain_rate_Bps;
  self->next_search_ns = now_ns + self->slack_ns / GST_TFRC_DEADLINE_SEARCHES;
}

/* Each packet is looked at when it is the last one. Those in the middle have to be looked at again only if
 * the rate or the slack has fallen. The first feedback raises the rate by far, so before it no packet is
 * dropped for the rate. */
static gboolean
has_to_search (const GstTfrcDeadline *self, const GstTfrcSendQueue *queue, guint64 now_ns)
{
  const GstTfrcOutgoing *last = gst_tfrc_send_queue_last (queue);

  if (last == NULL || !queue->drain_rate_is_measured || queue->drain_rate_Bps <= 0
      || now_ns < self->next_search_ns)
    return FALSE;
  return queue->drain_rate_Bps < self->searched_rate_Bps || self->searched_rate_Bps == 0
      || queue->bytes * 1e9 / queue->drain_rate_Bps > time_left_ns (self, last, now_ns);
}

guint
gst_tfrc_deadline_drop (GstTfrcDeadline *self, GstTfrcSendQueue *queue, guint64 now_ns)
{
  guint before = gst_tfrc_send_queue_length (queue);
  GstTfrcOutgoing *first;

  if (!self->is_on)
    return 0;
  while ((first = gst_tfrc_send_queue_first (queue)) != NULL && now_ns >= expires_ns (self, first))
    drop (self, queue, first);
  if (has_to_search (self, queue, now_ns))
    search (self, queue, now_ns);
  return before - gst_tfrc_send_queue_length (queue);
}

guint64
gst_tfrc_deadline_expiry_ns (const GstTfrcDeadline *self, const GstTfrcSendQueue *queue)
{
  const GstTfrcOutgoing *first = gst_tfrc_send_queue_peek (queue);

  return self->is_on && first ? expires_ns (self, first) : G_MAXUINT64;
}

/* ---- queries ----------------------------------------------------------------------- */

void
gst_tfrc_deadline_get_stats (const GstTfrcDeadline *self, GstTfrcDeadlineStats *stats)
{
  stats->is_on = self->is_on;
  stats->slack_ns = self->is_on ? self->slack_ns : 0;
  memcpy (stats->dropped, self->dropped, sizeof stats->dropped);
  stats->looked_at = self->looked_at;
}

guint64
gst_tfrc_deadline_get_dropped (const GstTfrcDeadlineStats *stats)
{
  guint64 n = 0;

  for (guint i = 0; i < GST_TFRC_CLASSES; i++)
    n += stats->dropped[i];
  return n;
}
