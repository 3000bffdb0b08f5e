/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver's queue in virtual time. */
#ifndef REORDERTEST_H
#define REORDERTEST_H

#include <gst/check/gstcheck.h>
#include "gst/queue/reorder.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define WINDOW (200 * MS)
#define NOW (1000 * GST_SECOND)
#define FIRST G_GUINT64_CONSTANT (65536 + 100)
#define NEVER G_MAXUINT64

static GstTfrcReorder *queue;
static guint freed;

static inline void
count_freed (gpointer data)
{
  freed++;
}

static inline void
setup (void)
{
  gst_tfrc_reorder_free (queue); /* of the previous run within a test */
  freed = 0;
  queue = gst_tfrc_reorder_new (WINDOW, 0, count_freed);
}

static inline void
teardown (void)
{
  g_clear_pointer (&queue, gst_tfrc_reorder_free);
}

static inline GstTfrcReorderStats
stats (void)
{
  GstTfrcReorderStats stats;

  gst_tfrc_reorder_get_stats (queue, &stats);
  return stats;
}

static inline void
push_due (guint seq, guint64 at_ns, guint64 due_ns)
{
  gst_tfrc_reorder_push (queue, FIRST + seq, NOW + at_ns, NOW + due_ns, GUINT_TO_POINTER (seq));
}

static inline void
push_at (guint seq, guint64 at_ns)
{
  push_due (seq, at_ns, at_ns);
}

static inline void
push (guint seq)
{
  push_at (seq, 0);
}

static inline void
assert_nothing_at (guint64 at_ns)
{
  GstTfrcReorderItem item;

  fail_if (gst_tfrc_reorder_pop (queue, NOW + at_ns, &item));
}

static inline GstTfrcReorderItem
pop_at (guint64 at_ns)
{
  GstTfrcReorderItem item;

  fail_unless (gst_tfrc_reorder_pop (queue, NOW + at_ns, &item));
  return item;
}

static inline void
assert_pop_at (guint64 at_ns, guint seq, gboolean discont)
{
  GstTfrcReorderItem item = pop_at (at_ns);

  fail_unless_equals_int (GPOINTER_TO_UINT (item.data), seq);
  fail_unless_equals_uint64 (item.seq, FIRST + seq);
  fail_unless (item.discont == discont);
}

static inline void
assert_pop (guint seq, gboolean discont)
{
  assert_pop_at (0, seq, discont);
}

#endif
