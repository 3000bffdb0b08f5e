/* The deadline queue of the I/O loop: a binary heap of intrusive nodes, in
 * which every change takes O(log n) and the earliest deadline is at hand. */
#ifndef GST_TFRC_DEADLINEQUEUE_H
#define GST_TFRC_DEADLINEQUEUE_H

#include <glib.h>

G_BEGIN_DECLS

/** One deadline.  The caller owns it; embed it in what is to be called.  Set
 * it up with gst_tfrc_deadline_node_init(), and then change it only through the
 * queue. */
typedef struct
{
  guint64 deadline_ns; /**< G_MAXUINT64: none, in no queue */
  guint position;      /**< in the heap */
} GstTfrcDeadlineNode;

/** Not thread-safe: whoever owns it also locks it. */
typedef struct
{
  GstTfrcDeadlineNode **heap;
  guint length;
  guint capacity;
} GstTfrcDeadlineQueue;

/** Makes @a queue empty. */
void gst_tfrc_deadline_queue_init (GstTfrcDeadlineQueue *queue);

/** Frees what @a queue holds, not the nodes, which it forgets. */
void gst_tfrc_deadline_queue_clear (GstTfrcDeadlineQueue *queue);

/** Makes @a node a node without a deadline. */
void gst_tfrc_deadline_node_init (GstTfrcDeadlineNode *node);

/** Gives @a node another deadline: inserts it, moves it, or, for G_MAXUINT64,
 * takes it out.  The node must stay where it is while it is in the queue. */
void gst_tfrc_deadline_queue_set (
    GstTfrcDeadlineQueue *queue, GstTfrcDeadlineNode *node, guint64 deadline_ns);

/** Returns the node with the earliest deadline, any of them if there are
 * several, or NULL if the queue is empty. */
GstTfrcDeadlineNode *gst_tfrc_deadline_queue_peek (const GstTfrcDeadlineQueue *queue);

G_END_DECLS
#endif
