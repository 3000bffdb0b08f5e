/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The look-ahead queue: packets that the pipeline has handed over before they are due.
 *
 * Times in this queue are running times of the sink: they stand still while the pipeline is paused.
 * The timeline says where running time 0 is on the monotonic clock. When the timeline moves, all
 * packets of the queue move with it.
 *
 * The queue has no lock: the stream that owns the queue locks. */
#ifndef GST_TFRC_LOOKAHEAD_H
#define GST_TFRC_LOOKAHEAD_H

#include "outgoing.h"

G_BEGIN_DECLS

typedef struct
{
  GQueue packets;      /* of GstTfrcOutgoing, earliest first; due_ns is on the timeline */
  gint64 timeline_ns;  /* running time 0, on the monotonic clock */
  gboolean is_stopped; /* the pipeline is paused: no packet becomes due */
} GstTfrcLookahead;

/** Makes an empty queue, whose timeline is the monotonic clock. */
void gst_tfrc_lookahead_init (GstTfrcLookahead *queue);

/** Drops all packets. The timeline stays. */
void gst_tfrc_lookahead_clear (GstTfrcLookahead *queue);

/** Moves the timeline, and all packets with the timeline.
 * @param timeline_ns running time 0, monotonic; may be negative */
void gst_tfrc_lookahead_set_timeline (GstTfrcLookahead *queue, gint64 timeline_ns);

/** While the queue is stopped no packet becomes due. */
void gst_tfrc_lookahead_set_stopped (GstTfrcLookahead *queue, gboolean is_stopped);

/** Appends a packet and takes over the entry. A packet is due no earlier than the packet before it.
 * @param due_ns monotonic, on the present timeline */
void gst_tfrc_lookahead_push (GstTfrcLookahead *queue, GstTfrcOutgoing *outgoing, guint64 due_ns);

/** Takes the earliest packet, whose due_ns is monotonic then.
 * @return the entry, now the caller's; NULL if the queue is empty */
GstTfrcOutgoing *gst_tfrc_lookahead_pop (GstTfrcLookahead *queue);

guint gst_tfrc_lookahead_length (const GstTfrcLookahead *queue);

/** Returns the payload of the earliest packet; 0: there is none. */
gsize gst_tfrc_lookahead_first_bytes (const GstTfrcLookahead *queue);

/** Returns when the earliest packet is due, monotonic; G_MAXUINT64 if the queue is empty or
 * stopped. */
guint64 gst_tfrc_lookahead_due_ns (const GstTfrcLookahead *queue);

G_END_DECLS
#endif
