/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coalescing of wake-ups: if packets come often, it pays to read several of them at a time.
 *
 * The I/O loop reads a packet at once if packets are rare.  If, on average, two packets or more come
 * in a cell of its grid, a wake-up for each of them costs more than it is worth: the loop then
 * sleeps to the end of the cell after it has read, and the packets of all streams that come meanwhile
 * share a wake-up.  The kernel's time stamps tell when each of them has come. */
#ifndef GST_TFRC_COALESCING_H
#define GST_TFRC_COALESCING_H

#include <glib.h>

G_BEGIN_DECLS

/** Packets in a cell from which on they share wake-ups */
#define GST_TFRC_COALESCING_PACKETS 2

/** Used by one thread.  All zero at first. */
typedef struct
{
  guint64 last_ns; /* when packets were last read */
  guint64 gap_ns;  /* between packets, a moving average */
} GstTfrcCoalescing;

/** Packets have been read.
 * @param n of all streams together, >= 1
 * @param now_ns monotonic time of the reading, not before that of the last call
 * @param cell_ns width of the grid
 * @return whether the loop is to let the next packets wait for each other */
gboolean gst_tfrc_coalescing_on_packets (
    GstTfrcCoalescing *self, guint n, guint64 now_ns, guint64 cell_ns);

G_END_DECLS
#endif
