/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Returns whether a thread with real-time priority leaves enough of the processor to others.
 *
 * Such a thread runs before all ordinary threads.  A flood of packets can keep the thread at work
 * without end, so that nothing else runs on its processor.  So the guard weighs the thread's work
 * against its rest: the thread may work for GST_TFRC_BUSY_LIMIT_NS without rest, and in the long
 * run for GST_TFRC_BUSY_PER_REST times as long as it rests. */
#ifndef GST_TFRC_BUSYGUARD_H
#define GST_TFRC_BUSYGUARD_H

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

G_END_DECLS
#endif
