/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The look-ahead queue, see lookahead.h. */
#include "lookahead.h"

/* A packet of the queue holds a running time in due_ns, as two's complement: the timeline can be
 * later than the packet. */
static gint64
running_time_ns (const GstTfrcPacket *packet)
{
  return (gint64) packet->due_ns;
}

void
gst_tfrc_lookahead_init (GstTfrcLookahead *queue)
{
  g_queue_init (&queue->packets);
  queue->timeline_ns = 0;
  queue->is_stopped = FALSE;
}

void
gst_tfrc_lookahead_clear (GstTfrcLookahead *queue)
{
  GstTfrcPacket *packet;

  while ((packet = gst_tfrc_lookahead_pop (queue)) != NULL)
    gst_tfrc_packet_unref (packet);
}

void
gst_tfrc_lookahead_set_timeline (GstTfrcLookahead *queue, gint64 timeline_ns)
{
  queue->timeline_ns = timeline_ns;
}

void
gst_tfrc_lookahead_set_stopped (GstTfrcLookahead *queue, gboolean is_stopped)
{
  queue->is_stopped = is_stopped;
}

void
gst_tfrc_lookahead_push (GstTfrcLookahead *queue, GstTfrcPacket *packet, guint64 due_ns)
{
  const GstTfrcPacket *last = g_queue_peek_tail (&queue->packets);
  gint64 time_ns = (gint64) due_ns - queue->timeline_ns;

  if (last)
    time_ns = MAX (time_ns, running_time_ns (last));
  packet->due_ns = (guint64) time_ns;
  g_queue_push_tail_link (&queue->packets, &packet->queue_link);
}

static guint64
to_monotonic_ns (const GstTfrcLookahead *queue, const GstTfrcPacket *packet)
{
  return (guint64) MAX (0, running_time_ns (packet) + queue->timeline_ns);
}

GstTfrcPacket *
gst_tfrc_lookahead_pop (GstTfrcLookahead *queue)
{
  GList *link = g_queue_pop_head_link (&queue->packets);
  GstTfrcPacket *packet = link ? link->data : NULL;

  if (packet)
    packet->due_ns = to_monotonic_ns (queue, packet);
  return packet;
}

guint
gst_tfrc_lookahead_length (const GstTfrcLookahead *queue)
{
  return queue->packets.length;
}

guint64
gst_tfrc_lookahead_due_ns (const GstTfrcLookahead *queue)
{
  const GList *earliest = queue->packets.head;

  return earliest && !queue->is_stopped ? to_monotonic_ns (queue, earliest->data) : G_MAXUINT64;
}
