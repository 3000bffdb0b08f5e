/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A bound on reading from a socket to which little should come.
 *
 * A flood of packets can have the loop read without end.  With a budget the loop reads
 * GST_TFRC_READ_BUDGET packets and ICMP errors in a millisecond.  What is beyond waits in the socket
 * until the next millisecond, and the kernel drops what the socket has no room for. */
#ifndef GST_TFRC_READBUDGET_H
#define GST_TFRC_READBUDGET_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_READ_BUDGET 128
#define GST_TFRC_READ_PERIOD_NS G_GUINT64_CONSTANT (1000000)

/** Of one socket, used by one thread.  All zero at first. */
typedef struct
{
  guint64 end_ns; /* of the present period; periods begin at multiples of their length */
  guint n_read;   /* in this period */
} GstTfrcReadBudget;

/** Packets or errors have been read.
 * @param n >= 1
 * @param now_ns monotonic time of the reading, not before that of the last call
 * @return when the socket may be read again, monotonic; 0: at once */
guint64 gst_tfrc_read_budget_on_read (GstTfrcReadBudget *self, guint n, guint64 now_ns);

G_END_DECLS
#endif
