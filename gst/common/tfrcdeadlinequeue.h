/* The deadline queue of the I/O loop: a binary heap of intrusive nodes, in
 * which every change takes O(log n) and the earliest deadline is at hand. */
#ifndef TFRC_DEADLINE_QUEUE_H
#define TFRC_DEADLINE_QUEUE_H

#include <glib.h>

G_BEGIN_DECLS

/** One deadline.  The caller owns it; embed it in what is to be called.  Set
 * it up with tfrc_deadline_node_init(), and then change it only through the
 * queue. */
typedef struct
{
  guint64 deadline_ns; /**< G_MAXUINT64: none, in no queue */
  guint position;      /**< in the heap */
} TfrcDeadlineNode;

/** Not thread-safe: whoever owns it also locks it. */
typedef struct
{
  TfrcDeadlineNode **heap;
  guint length;
  guint capacity;
} TfrcDeadlineQueue;

/** Makes @a queue empty. */
void tfrc_deadline_queue_init (TfrcDeadlineQueue *queue);

/** Frees what @a queue holds, not the nodes, which it forgets. */
void tfrc_deadline_queue_clear (TfrcDeadlineQueue *queue);

/** Makes @a node a node without a deadline. */
void tfrc_deadline_node_init (TfrcDeadlineNode *node);

/** Gives @a node another deadline: inserts it, moves it, or, for G_MAXUINT64,
 * takes it out.  The node must stay where it is while it is in the queue. */
void tfrc_deadline_queue_set (
    TfrcDeadlineQueue *queue, TfrcDeadlineNode *node, guint64 deadline_ns);

/** Returns the node with the earliest deadline, any of them if there are
 * several, or NULL if the queue is empty. */
TfrcDeadlineNode *tfrc_deadline_queue_peek (const TfrcDeadlineQueue *queue);

G_END_DECLS
#endif
