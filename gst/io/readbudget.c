/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The read budget, see readbudget.h. */
#include "readbudget.h"

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
