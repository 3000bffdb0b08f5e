/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The look-ahead queue, see lookahead.h. */
#include "lookahead.h"

/* A packet of the queue holds a running time in due_ns, as two's complement: the timeline can be
 * later than the packet. */
static gint64
running_time_ns (const GstTfrcOutgoing *outgoing)
{
  return (gint64) gst_tfrc_outgoing_get_due_ns (outgoing);
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
  GstTfrcOutgoing *outgoing;

  while ((outgoing = gst_tfrc_lookahead_pop (queue)) != NULL)
    gst_tfrc_outgoing_free (outgoing);
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
gst_tfrc_lookahead_push (GstTfrcLookahead *queue, GstTfrcOutgoing *outgoing, guint64 due_ns)
{
  const GstTfrcOutgoing *last = g_queue_peek_tail (&queue->packets);
  gint64 time_ns = (gint64) due_ns - queue->timeline_ns;

  if (last)
    time_ns = MAX (time_ns, running_time_ns (last));
  gst_tfrc_outgoing_set_due_ns (outgoing, (guint64) time_ns);
  g_queue_push_tail_link (&queue->packets, gst_tfrc_outgoing_get_link (outgoing));
}

static guint64
to_monotonic_ns (const GstTfrcLookahead *queue, const GstTfrcOutgoing *outgoing)
{
  return (guint64) MAX (0, running_time_ns (outgoing) + queue->timeline_ns);
}

GstTfrcOutgoing *
gst_tfrc_lookahead_pop (GstTfrcLookahead *queue)
{
  GList *link = g_queue_pop_head_link (&queue->packets);
  GstTfrcOutgoing *outgoing = link ? link->data : NULL;

  if (outgoing)
    gst_tfrc_outgoing_set_due_ns (outgoing, to_monotonic_ns (queue, outgoing));
  return outgoing;
}

guint
gst_tfrc_lookahead_length (const GstTfrcLookahead *queue)
{
  return queue->packets.length;
}

gsize
gst_tfrc_lookahead_first_bytes (const GstTfrcLookahead *queue)
{
  const GList *earliest = queue->packets.head;

  return earliest ? gst_tfrc_outgoing_get_payload_bytes (earliest->data) : 0;
}

guint64
gst_tfrc_lookahead_due_ns (const GstTfrcLookahead *queue)
{
  const GList *earliest = queue->packets.head;

  return earliest && !queue->is_stopped ? to_monotonic_ns (queue, earliest->data) : G_MAXUINT64;
}
