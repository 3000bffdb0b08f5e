/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the thread of an I/O loop spaces its work.
 *
 * The busy guard tells whether a thread with real-time priority leaves enough of the processor to
 * others.  Such a thread runs before all ordinary threads.  A flood of packets can keep the thread at
 * work without end, so that nothing else runs on its processor.  So the guard weighs the thread's work
 * against its rest: the thread may work for GST_TFRC_BUSY_LIMIT_NS without rest, and in the long run
 * for GST_TFRC_BUSY_PER_REST times as long as it rests.
 *
 * The read budget bounds the reading from a socket to which little should come.  A flood of packets
 * can have the loop read without end.  With a budget the loop reads GST_TFRC_READ_BUDGET packets and
 * ICMP errors in a millisecond.  What is beyond waits in the socket until the next millisecond, and
 * the kernel drops what the socket has no room for.
 *
 * Coalescing lets packets that come often share wake-ups.  The loop reads a packet at once if packets
 * are rare.  If, on average, two packets or more come in a cell of its grid, a wake-up for each of them
 * costs more than it is worth: the loop then sleeps to the end of the cell after it has read, and the
 * packets of all streams that come meanwhile share a wake-up.  The kernel's time stamps tell when each
 * of them has come. */
#ifndef GST_TFRC_LOOPPACE_H
#define GST_TFRC_LOOPPACE_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_BUSY_LIMIT_NS (50 * G_GUINT64_CONSTANT (1000000))
#define GST_TFRC_BUSY_PER_REST 4 /* 80 % of a processor */

/** Used by the thread alone. */
typedef struct
{
  guint64 now_ns; /* at the last call */
  guint64 cpu_ns;
  guint64 debt_ns; /* work that no rest has balanced yet */
} GstTfrcBusyGuard;

/** Begins.
 * @param now_ns monotonic time
 * @param cpu_ns processor time that the thread has used so far; time in which the thread is
 *   stopped, or other threads run, does not count */
void gst_tfrc_busy_guard_init (GstTfrcBusyGuard *guard, guint64 now_ns, guint64 cpu_ns);

/** The thread has woken up, or would have slept.
 * @return TRUE if the thread has worked too much */
gboolean gst_tfrc_busy_guard_on_wakeup (GstTfrcBusyGuard *guard, guint64 now_ns, guint64 cpu_ns);

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
