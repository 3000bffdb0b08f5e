/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coalescing of packets, see coalescing.h. */
#include "coalescing.h"

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
