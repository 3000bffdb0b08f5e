/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deadline queue, see deadlinequeue.h. */
#include "deadlinequeue.h"

#define FIRST_CAPACITY 16
#define NO_DEADLINE G_MAXUINT64

void
gst_tfrc_deadline_queue_init (GstTfrcDeadlineQueue *queue)
{
  *queue = (GstTfrcDeadlineQueue){ NULL, 0, 0 };
}

void
gst_tfrc_deadline_queue_clear (GstTfrcDeadlineQueue *queue)
{
  for (guint i = 0; i < queue->length; i++)
    gst_tfrc_deadline_node_init (queue->heap[i].node);
  g_free (queue->heap);
  gst_tfrc_deadline_queue_init (queue);
}

void
gst_tfrc_deadline_node_init (GstTfrcDeadlineNode *node)
{
  *node = (GstTfrcDeadlineNode){ NO_DEADLINE, 0 };
}

static void
place (GstTfrcDeadlineQueue *queue, guint position, GstTfrcDeadlineEntry entry)
{
  queue->heap[position] = entry;
  entry.node->position = position;
}

/* Moves the hole at @position up to where @entry belongs, and puts it there. */
static void
sift_up (GstTfrcDeadlineQueue *queue, guint position, GstTfrcDeadlineEntry entry)
{
  while (position > 0) {
    GstTfrcDeadlineEntry parent = queue->heap[(position - 1) / 2];

    if (parent.deadline_ns <= entry.deadline_ns)
      break;
    place (queue, position, parent);
    position = (position - 1) / 2;
  }
  place (queue, position, entry);
}

/* Likewise down. */
static void
sift_down (GstTfrcDeadlineQueue *queue, guint position, GstTfrcDeadlineEntry entry)
{
  const GstTfrcDeadlineEntry *heap = queue->heap;

  for (;;) {
    guint child = 2 * position + 1;

    if (child >= queue->length)
      break;
    if (child + 1 < queue->length && heap[child + 1].deadline_ns < heap[child].deadline_ns)
      child++;
    if (entry.deadline_ns <= heap[child].deadline_ns)
      break;
    place (queue, position, heap[child]);
    position = child;
  }
  place (queue, position, entry);
}

static void
insert (GstTfrcDeadlineQueue *queue, GstTfrcDeadlineEntry entry)
{
  if (queue->length == queue->capacity) {
    queue->capacity = MAX (FIRST_CAPACITY, 2 * queue->capacity);
    queue->heap = g_renew (GstTfrcDeadlineEntry, queue->heap, queue->capacity);
  }
  queue->length++;
  sift_up (queue, queue->length - 1, entry);
}

static void
take_out (GstTfrcDeadlineQueue *queue, const GstTfrcDeadlineNode *node)
{
  GstTfrcDeadlineEntry last = queue->heap[--queue->length];

  if (last.node == node)
    return;
  if (last.deadline_ns < node->deadline_ns)
    sift_up (queue, node->position, last);
  else
    sift_down (queue, node->position, last);
}

void
gst_tfrc_deadline_queue_set (
    GstTfrcDeadlineQueue *queue, GstTfrcDeadlineNode *node, guint64 deadline_ns)
{
  const GstTfrcDeadlineEntry entry = { deadline_ns, node };
  guint64 before_ns = node->deadline_ns;

  if (deadline_ns == before_ns)
    return;
  if (deadline_ns == NO_DEADLINE) {
    take_out (queue, node);
    gst_tfrc_deadline_node_init (node);
    return;
  }
  node->deadline_ns = deadline_ns;
  if (before_ns == NO_DEADLINE)
    insert (queue, entry);
  else if (deadline_ns < before_ns)
    sift_up (queue, node->position, entry);
  else
    sift_down (queue, node->position, entry);
}

guint64
gst_tfrc_deadline_queue_next_ns (const GstTfrcDeadlineQueue *queue)
{
  return queue->length > 0 ? queue->heap[0].deadline_ns : NO_DEADLINE;
}

GstTfrcDeadlineNode *
gst_tfrc_deadline_queue_get_due (const GstTfrcDeadlineQueue *queue, guint64 now_ns)
{
  return queue->length > 0 && queue->heap[0].deadline_ns <= now_ns ? queue->heap[0].node : NULL;
}
