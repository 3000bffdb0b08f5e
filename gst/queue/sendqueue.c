/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue, see sendqueue.h. */
#include "sendqueue.h"

#include <string.h>

void
gst_tfrc_send_queue_init (GstTfrcSendQueue *queue)
{
  memset (queue, 0, sizeof *queue);
  g_queue_init (&queue->packets);
}

void
gst_tfrc_send_queue_clear (GstTfrcSendQueue *queue)
{
  GstTfrcOutgoing *outgoing;

  while ((outgoing = gst_tfrc_send_queue_pop (queue)) != NULL)
    gst_tfrc_outgoing_free (outgoing);
  if (queue->smoother)
    tfrc_smoother_reset (queue->smoother);
}

/* A packet that came before it was due runs ahead, as fast as TFRC allows: to spread it would hold the movie
 * below X, and there is time anyway. A repair is late already. */
static gboolean
is_smoothed (const GstTfrcSendQueue *queue, const GstTfrcOutgoing *outgoing)
{
  return queue->smoother && !gst_tfrc_outgoing_is_repair (outgoing)
      && gst_tfrc_outgoing_get_due_ns (outgoing) <= gst_tfrc_outgoing_get_queued_ns (outgoing);
}

void
gst_tfrc_send_queue_push (GstTfrcSendQueue *queue, GstTfrcOutgoing *outgoing)
{
  g_queue_push_tail_link (&queue->packets, gst_tfrc_outgoing_get_link (outgoing));
  queue->bytes += gst_tfrc_outgoing_get_payload_bytes (outgoing);
  if (is_smoothed (queue, outgoing))
    tfrc_smoother_offer (queue->smoother, gst_tfrc_outgoing_get_payload_bytes (outgoing),
        gst_tfrc_outgoing_get_queued_ns (outgoing));
}

/* A repair is tried before the other packets of its picture, in the order of the requests, and forward error
 * correction behind them. Behind what has a transport number already: with three packets in front of it, that would
 * count as lost. */
static gboolean
goes_before (const GstTfrcOutgoing *waiting, const GstTfrcOutgoing *repair)
{
  guint64 due_ns = gst_tfrc_outgoing_get_due_ns (waiting);
  guint64 repair_due_ns = gst_tfrc_outgoing_get_due_ns (repair);

  return gst_tfrc_outgoing_has_rtp_seq (waiting) || due_ns < repair_due_ns
      || (due_ns == repair_due_ns
          && (gst_tfrc_outgoing_is_repair (waiting) || gst_tfrc_outgoing_get_fec (repair) != NULL));
}

/* Repairs are due before what waits, and there are few: the place is near the head. */
void
gst_tfrc_send_queue_push_repair (GstTfrcSendQueue *queue, GstTfrcOutgoing *repair)
{
  GList *next = queue->packets.head;

  while (next && goes_before (next->data, repair))
    next = next->next;
  g_queue_insert_before_link (&queue->packets, next, gst_tfrc_outgoing_get_link (repair));
  queue->bytes += gst_tfrc_outgoing_get_payload_bytes (repair);
}

void
gst_tfrc_send_queue_push_back (GstTfrcSendQueue *queue, GstTfrcOutgoing *outgoing)
{
  g_queue_push_head_link (&queue->packets, gst_tfrc_outgoing_get_link (outgoing));
  queue->bytes += gst_tfrc_outgoing_get_payload_bytes (outgoing);
  if (is_smoothed (queue, outgoing))
    tfrc_smoother_cancel (queue->smoother, gst_tfrc_outgoing_get_payload_bytes (outgoing));
}

GstTfrcOutgoing *
gst_tfrc_send_queue_pop (GstTfrcSendQueue *queue)
{
  GstTfrcOutgoing *oldest = gst_tfrc_send_queue_first (queue);

  if (oldest)
    gst_tfrc_send_queue_remove (queue, oldest);
  return oldest;
}

void
gst_tfrc_send_queue_remove (GstTfrcSendQueue *queue, GstTfrcOutgoing *outgoing)
{
  g_queue_unlink (&queue->packets, gst_tfrc_outgoing_get_link (outgoing));
  queue->bytes -= gst_tfrc_outgoing_get_payload_bytes (outgoing);
  if (is_smoothed (queue, outgoing))
    tfrc_smoother_take (queue->smoother, gst_tfrc_outgoing_get_payload_bytes (outgoing));
}

/* Those that have a number are the first: they have been sealed, and have come back. */
static GstTfrcOutgoing *
oldest_without_number (const GstTfrcSendQueue *queue)
{
  GstTfrcOutgoing *oldest = gst_tfrc_send_queue_first (queue);

  while (oldest && gst_tfrc_outgoing_has_rtp_seq (oldest))
    oldest = gst_tfrc_send_queue_next (oldest);
  return oldest;
}

GstTfrcOutgoing *
gst_tfrc_send_queue_take_oldest (GstTfrcSendQueue *queue)
{
  GstTfrcOutgoing *oldest = oldest_without_number (queue);

  if (oldest)
    gst_tfrc_send_queue_remove (queue, oldest);
  return oldest;
}

GstTfrcOutgoing *
gst_tfrc_send_queue_first (const GstTfrcSendQueue *queue)
{
  return queue->packets.head ? queue->packets.head->data : NULL;
}

GstTfrcOutgoing *
gst_tfrc_send_queue_last (const GstTfrcSendQueue *queue)
{
  return queue->packets.tail ? queue->packets.tail->data : NULL;
}

GstTfrcOutgoing *
gst_tfrc_send_queue_next (GstTfrcOutgoing *outgoing)
{
  GList *next = gst_tfrc_outgoing_get_link (outgoing)->next;

  return next ? next->data : NULL;
}

guint
gst_tfrc_send_queue_length (const GstTfrcSendQueue *queue)
{
  return queue->packets.length;
}

gsize
gst_tfrc_send_queue_get_bytes (const GstTfrcSendQueue *queue)
{
  return queue->bytes;
}

gdouble
gst_tfrc_send_queue_get_rate_Bps (const GstTfrcSendQueue *queue)
{
  return queue->drain_rate_is_measured ? queue->drain_rate_Bps : 0;
}

guint64
gst_tfrc_send_queue_get_credit_ns (const GstTfrcSendQueue *queue, guint64 now_ns)
{
  return MIN (now_ns - MIN (now_ns, queue->used_until_ns), queue->most_credit_ns);
}

guint64
gst_tfrc_send_queue_next_ns (const GstTfrcSendQueue *queue)
{
  const GstTfrcOutgoing *oldest = gst_tfrc_send_queue_first (queue);

  if (oldest == NULL)
    return G_MAXUINT64;
  return is_smoothed (queue, oldest) ? tfrc_smoother_next_ns (queue->smoother) : 0;
}

/* ---- the limit of time --------------------------------------------------- */

static guint64
waits_since_ns (const GstTfrcSendQueue *queue, const GstTfrcOutgoing *outgoing)
{
  guint64 due_ns = gst_tfrc_outgoing_get_due_ns (outgoing);

  return queue->live && !gst_tfrc_outgoing_is_repair (outgoing)
      ? due_ns
      : MAX (due_ns, gst_tfrc_outgoing_get_queued_ns (outgoing));
}

guint64
gst_tfrc_send_queue_wait_ns (
    const GstTfrcSendQueue *queue, const GstTfrcOutgoing *outgoing, guint64 now_ns)
{
  return now_ns - MIN (now_ns, waits_since_ns (queue, outgoing));
}

/* How long new packets wait says how far the movie is behind. Repairs wait beside them. */
static GstTfrcOutgoing *
oldest_new (const GstTfrcSendQueue *queue)
{
  GstTfrcOutgoing *oldest = gst_tfrc_send_queue_first (queue);

  while (oldest && gst_tfrc_outgoing_is_repair (oldest))
    oldest = gst_tfrc_send_queue_next (oldest);
  return oldest;
}

guint64
gst_tfrc_send_queue_age_ns (const GstTfrcSendQueue *queue, guint64 now_ns)
{
  const GstTfrcOutgoing *oldest = oldest_new (queue);

  return oldest ? gst_tfrc_send_queue_wait_ns (queue, oldest, now_ns) : 0;
}

/* Input that can wait loses no packets: a full queue stops the pipeline. */
static gboolean
drops_overdue (const GstTfrcSendQueue *queue)
{
  return queue->max_time_ns > 0
      && (queue->leaky != GST_TFRC_LEAKY_NONE || queue->live || queue->absent);
}

guint64
gst_tfrc_send_queue_expiry_ns (const GstTfrcSendQueue *queue)
{
  const GstTfrcOutgoing *oldest = oldest_without_number (queue);

  return oldest && drops_overdue (queue) ? waits_since_ns (queue, oldest) + queue->max_time_ns
                                         : G_MAXUINT64;
}

guint
gst_tfrc_send_queue_drop_overdue (GstTfrcSendQueue *queue, guint64 now_ns)
{
  guint n = 0;

  while (now_ns >= gst_tfrc_send_queue_expiry_ns (queue)) {
    GstTfrcOutgoing *overdue = gst_tfrc_send_queue_take_oldest (queue);

    n += !gst_tfrc_outgoing_is_repair (overdue);
    gst_tfrc_outgoing_free (overdue);
  }
  return n;
}

/* ---- room for a new packet ----------------------------------------------- */

static gboolean
is_overdue (const GstTfrcSendQueue *queue, guint64 now_ns)
{
  return queue->max_time_ns > 0 && queue->packets.length > 0
      && gst_tfrc_send_queue_age_ns (queue, now_ns) >= queue->max_time_ns;
}

/* The time that this number of bytes takes to leave, in ns; 0 if the rate is not known */
static gdouble
drain_time_ns (const GstTfrcSendQueue *queue, gsize bytes)
{
  return queue->drain_rate_Bps > 0 ? bytes * 1e9 / queue->drain_rate_Bps : 0;
}

/* Would a new packet, at the present rate, wait for the limit or longer? The new packet waits for
 * all others, and for up to one packet's time after the packet that left last. */
static gboolean
is_backlogged (const GstTfrcSendQueue *queue)
{
  return queue->max_time_ns > 0 && queue->packets.length > 0
      && drain_time_ns (queue, queue->bytes + GST_TFRC_PACKET_MAX_PAYLOAD_BYTES)
      >= queue->max_time_ns;
}

/* Does a wait of this queue make the pipeline wait? With a deadline a packet that waited in the pipeline
 * would be late all the same, and nobody could choose what is dropped. */
static gboolean
stops_for_time (const GstTfrcSendQueue *queue, guint64 now_ns)
{
  return !queue->has_deadline && (is_backlogged (queue) || is_overdue (queue, now_ns));
}

/* The first feedback raises the rate by far. A pipeline waits for the first feedback; packets are
 * dropped for the rate only after that. */
GstTfrcAdmission
gst_tfrc_send_queue_admission (const GstTfrcSendQueue *queue, guint64 now_ns)
{
  gboolean full = queue->packets.length >= queue->max_packets;

  switch (queue->leaky) {
    case GST_TFRC_LEAKY_UPSTREAM:
      return full || (queue->drain_rate_is_measured && is_backlogged (queue)) ? GST_TFRC_DROP_NEW
                                                                              : GST_TFRC_ADMIT;
    case GST_TFRC_LEAKY_DOWNSTREAM:
      return full ? GST_TFRC_DROP_OLDEST : GST_TFRC_ADMIT;
    case GST_TFRC_LEAKY_NONE:
      break;
  }
  return full || stops_for_time (queue, now_ns) ? GST_TFRC_ADMIT_LATER : GST_TFRC_ADMIT;
}

gboolean
gst_tfrc_send_queue_is_low (const GstTfrcSendQueue *queue, guint64 now_ns)
{
  guint64 low_ns = queue->max_time_ns - queue->max_time_ns / 4;

  if (queue->packets.length > queue->max_packets - queue->max_packets / 4)
    return FALSE;
  if (queue->max_time_ns == 0 || queue->has_deadline)
    return TRUE;
  /* Where packets are dropped in time, their age says nothing about room. */
  return drain_time_ns (queue, queue->bytes) <= low_ns
      && (drops_overdue (queue) || gst_tfrc_send_queue_age_ns (queue, now_ns) <= low_ns);
}
