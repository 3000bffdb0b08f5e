/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits: the number of I/O loops of a process, and the number of streams that fill a loop */
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

G_END_DECLS
#endif
