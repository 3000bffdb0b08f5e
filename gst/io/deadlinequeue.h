/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The deadline queue of the I/O loop: a binary heap of nodes that the caller owns.  A change takes
 * O(log n), the earliest deadline O(1). */
#ifndef GST_TFRC_DEADLINEQUEUE_H
#define GST_TFRC_DEADLINEQUEUE_H

#include <glib.h>

G_BEGIN_DECLS

/** One deadline, in a structure of the caller.  gst_tfrc_deadline_node_init() comes first; after
 * that the node is the queue's alone. */
typedef struct
{
  guint64 deadline_ns; /**< G_MAXUINT64: none, in no queue */
  guint position;      /**< in the heap */
} GstTfrcDeadlineNode;

/** A place in the heap, with the node's deadline: to compare two places, nobody has to touch the nodes,
 * most of which are in no cache of the processor. */
typedef struct
{
  guint64 deadline_ns;
  GstTfrcDeadlineNode *node;
} GstTfrcDeadlineEntry;

/** Not thread-safe: the owner locks. */
typedef struct
{
  GstTfrcDeadlineEntry *heap;
  guint length;
  guint capacity;
} GstTfrcDeadlineQueue;

/** Makes @a queue empty. */
void gst_tfrc_deadline_queue_init (GstTfrcDeadlineQueue *queue);

/** Empties the queue and frees its memory.  The nodes stay the caller's. */
void gst_tfrc_deadline_queue_clear (GstTfrcDeadlineQueue *queue);

/** Makes @a node a node without a deadline. */
void gst_tfrc_deadline_node_init (GstTfrcDeadlineNode *node);

/** Gives a node another deadline: inserts the node, moves it, or takes it out (G_MAXUINT64).  A
 * node must stay at its place in memory while it is in the queue. */
void gst_tfrc_deadline_queue_set (
    GstTfrcDeadlineQueue *queue, GstTfrcDeadlineNode *node, guint64 deadline_ns);

/** Returns the earliest deadline; G_MAXUINT64: the queue is empty. */
guint64 gst_tfrc_deadline_queue_next_ns (const GstTfrcDeadlineQueue *queue);

/** Returns the node with the earliest deadline, any of them if there are several, which stays in the
 * queue; NULL: no deadline is at @a now_ns or before. */
GstTfrcDeadlineNode *gst_tfrc_deadline_queue_get_due (
    const GstTfrcDeadlineQueue *queue, guint64 now_ns);

G_END_DECLS
#endif
