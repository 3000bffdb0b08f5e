/* Deadline queue, see tfrcdeadlinequeue.h. */
#include "tfrcdeadlinequeue.h"

#define FIRST_CAPACITY 16
#define NO_DEADLINE G_MAXUINT64

void
tfrc_deadline_queue_init (TfrcDeadlineQueue *queue)
{
  *queue = (TfrcDeadlineQueue){ NULL, 0, 0 };
}

void
tfrc_deadline_queue_clear (TfrcDeadlineQueue *queue)
{
  for (guint i = 0; i < queue->length; i++)
    tfrc_deadline_node_init (queue->heap[i]);
  g_free (queue->heap);
  tfrc_deadline_queue_init (queue);
}

void
tfrc_deadline_node_init (TfrcDeadlineNode *node)
{
  *node = (TfrcDeadlineNode){ NO_DEADLINE, 0 };
}

static void
place (TfrcDeadlineQueue *queue, guint position, TfrcDeadlineNode *node)
{
  queue->heap[position] = node;
  node->position = position;
}

/* Moves the hole at @position up to where @node belongs, and puts it there. */
static void
sift_up (TfrcDeadlineQueue *queue, guint position, TfrcDeadlineNode *node)
{
  while (position > 0) {
    TfrcDeadlineNode *parent = queue->heap[(position - 1) / 2];

    if (parent->deadline_ns <= node->deadline_ns)
      break;
    place (queue, position, parent);
    position = (position - 1) / 2;
  }
  place (queue, position, node);
}

/* Likewise down. */
static void
sift_down (TfrcDeadlineQueue *queue, guint position, TfrcDeadlineNode *node)
{
  for (;;) {
    guint child = 2 * position + 1;

    if (child >= queue->length)
      break;
    if (child + 1 < queue->length
        && queue->heap[child + 1]->deadline_ns < queue->heap[child]->deadline_ns)
      child++;
    if (node->deadline_ns <= queue->heap[child]->deadline_ns)
      break;
    place (queue, position, queue->heap[child]);
    position = child;
  }
  place (queue, position, node);
}

static void
insert (TfrcDeadlineQueue *queue, TfrcDeadlineNode *node)
{
  if (queue->length == queue->capacity) {
    queue->capacity = MAX (FIRST_CAPACITY, 2 * queue->capacity);
    queue->heap = g_renew (TfrcDeadlineNode *, queue->heap, queue->capacity);
  }
  queue->length++;
  sift_up (queue, queue->length - 1, node);
}

static void
take_out (TfrcDeadlineQueue *queue, TfrcDeadlineNode *node)
{
  TfrcDeadlineNode *last = queue->heap[--queue->length];

  if (last == node)
    return;
  if (last->deadline_ns < node->deadline_ns)
    sift_up (queue, node->position, last);
  else
    sift_down (queue, node->position, last);
}

void
tfrc_deadline_queue_set (TfrcDeadlineQueue *queue, TfrcDeadlineNode *node, guint64 deadline_ns)
{
  guint64 before_ns = node->deadline_ns;

  if (deadline_ns == before_ns)
    return;
  if (deadline_ns == NO_DEADLINE) {
    take_out (queue, node);
    tfrc_deadline_node_init (node);
    return;
  }
  node->deadline_ns = deadline_ns;
  if (before_ns == NO_DEADLINE)
    insert (queue, node);
  else if (deadline_ns < before_ns)
    sift_up (queue, node->position, node);
  else
    sift_down (queue, node->position, node);
}

TfrcDeadlineNode *
tfrc_deadline_queue_peek (const TfrcDeadlineQueue *queue)
{
  return queue->length > 0 ? queue->heap[0] : NULL;
}
