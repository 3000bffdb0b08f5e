/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The load of an I/O loop's thread: new streams go to another loop if the thread is busy.
 *
 * The processor time of the thread is measured over windows.  A thread that used more than
 * GST_TFRC_LOOP_BUSY_PERCENT of a processor in the last window is busy. */
#ifndef GST_TFRC_LOOPLOAD_H
#define GST_TFRC_LOOPLOAD_H

#include <glib.h>

G_BEGIN_DECLS

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
