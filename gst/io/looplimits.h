/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a further I/O loop starts: the number of loops of a process, the number of streams that fill a
 * loop, and the load of a loop's thread.
 *
 * The processor time of the thread is measured over windows.  A thread that used more than
 * GST_TFRC_LOOP_BUSY_PERCENT of a processor in the last window is busy: new streams go to another loop. */
#ifndef GST_TFRC_LOOPLIMITS_H
#define GST_TFRC_LOOPLIMITS_H

#include <glib.h>

G_BEGIN_DECLS

/** The most that TFRC_THREADS can ask for */
#define GST_TFRC_IO_MAX_LOOPS 64

/** A loop with as many streams counts as full. */
#define GST_TFRC_IO_STREAMS_PER_LOOP 300

typedef struct
{
  guint loops;            /**< 1 to GST_TFRC_IO_MAX_LOOPS */
  guint streams_per_loop; /**< >= 1 */
} GstTfrcLoopLimits;

/** Reads the limits.
 *
 * @a loops is TFRC_THREADS in the environment, or the number of processors that the calling thread
 * may run on, as a thread that it starts may.  A value that is not a number from 1 to
 * GST_TFRC_IO_MAX_LOOPS is as none, and the first of these writes a warning.
 *
 * TFRC_TEST_STREAMS_PER_LOOP in the environment replaces GST_TFRC_IO_STREAMS_PER_LOOP, for tests:
 * with 1 each stream gets a loop of its own, up to @a loops.
 *
 * Any thread. */
void gst_tfrc_loop_limits_get (GstTfrcLoopLimits *limits);

#define GST_TFRC_LOOP_WINDOW_NS (250 * G_GUINT64_CONSTANT (1000000))
#define GST_TFRC_LOOP_BUSY_PERCENT 60

/** A thread that has not said that it is busy for this long sleeps, or its streams are idle. */
#define GST_TFRC_LOOP_BUSY_MEMORY_NS (4 * GST_TFRC_LOOP_WINDOW_NS)

typedef struct
{
  guint64 start_ns; /* of the window */
  guint64 start_cpu_ns;
  guint64 busy_until_ns;
} GstTfrcLoopLoad;

/** Begins the first window.
 * @param now_ns monotonic time
 * @param cpu_ns processor time that the thread has used so far */
void gst_tfrc_loop_load_init (GstTfrcLoopLoad *load, guint64 now_ns, guint64 cpu_ns);

/** Returns whether the window is over: then the caller reads the thread's processor time, which
 * takes a system call, and calls gst_tfrc_loop_load_on_window(). */
gboolean gst_tfrc_loop_load_is_due (const GstTfrcLoopLoad *load, guint64 now_ns);

/** Ends the window, and begins the next.
 * @param now_ns after the time of the last call */
void gst_tfrc_loop_load_on_window (GstTfrcLoopLoad *load, guint64 now_ns, guint64 cpu_ns);

gboolean gst_tfrc_loop_load_is_busy (const GstTfrcLoopLoad *load, guint64 now_ns);

G_END_DECLS
#endif
