/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the thread of an I/O loop spaces its work, see looppace.h. */
#include "looppace.h"

/* ---- busy guard -------------------------------------------------------------- */

void
gst_tfrc_busy_guard_init (GstTfrcBusyGuard *guard, guint64 now_ns, guint64 cpu_ns)
{
  guard->now_ns = now_ns;
  guard->cpu_ns = cpu_ns;
  guard->debt_ns = 0;
}

gboolean
gst_tfrc_busy_guard_on_wakeup (GstTfrcBusyGuard *guard, guint64 now_ns, guint64 cpu_ns)
{
  guint64 passed_ns = now_ns - guard->now_ns;
  guint64 work_ns = cpu_ns - guard->cpu_ns;
  /* The two clocks are read one after the other. */
  guint64 rest_ns = passed_ns - MIN (work_ns, passed_ns);

  /* A rest of this length balances every debt. */
  rest_ns = MIN (rest_ns, GST_TFRC_BUSY_LIMIT_NS);
  guard->debt_ns += work_ns;
  guard->debt_ns -= MIN (rest_ns * GST_TFRC_BUSY_PER_REST, guard->debt_ns);
  guard->now_ns = now_ns;
  guard->cpu_ns = cpu_ns;
  return guard->debt_ns > GST_TFRC_BUSY_LIMIT_NS;
}

/* ---- read budget ------------------------------------------------------------- */

guint64
gst_tfrc_read_budget_on_read (GstTfrcReadBudget *self, guint n, guint64 now_ns)
{
  if (now_ns >= self->end_ns) {
    self->end_ns = now_ns - now_ns % GST_TFRC_READ_PERIOD_NS + GST_TFRC_READ_PERIOD_NS;
    self->n_read = 0;
  }
  self->n_read += n;
  return self->n_read >= GST_TFRC_READ_BUDGET ? self->end_ns : 0;
}

/* ---- coalescing -------------------------------------------------------------- */

/* Of the moving average: long enough that a burst of one stream does not count as many streams, and
 * that one quiet cell does not count as silence. */
#define WEIGHT 16

/* A longer silence says no more, and is forgotten sooner. */
#define MAX_GAP_CELLS 16

gboolean
gst_tfrc_coalescing_on_packets (GstTfrcCoalescing *self, guint n, guint64 now_ns, guint64 cell_ns)
{
  guint64 gap_ns = MIN (now_ns - self->last_ns, MAX_GAP_CELLS * cell_ns);

  if (self->last_ns == 0)
    self->gap_ns = gap_ns;
  self->last_ns = now_ns;
  /* n gaps of this mean, up to WEIGHT of them */
  n = MIN (n, WEIGHT);
  self->gap_ns = (self->gap_ns * (WEIGHT - n) + gap_ns) / WEIGHT;
  return self->gap_ns * GST_TFRC_COALESCING_PACKETS <= cell_ns;
}
