/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many pipelines of one kind in a process */
#ifndef BENCH_PIPELINES_H
#define BENCH_PIPELINES_H

#include <gst/gst.h>

#define BENCH_FIRST_PORT 21000

typedef struct
{
  GstElement **items;
  guint n;
  guint errors; /* error messages of the pipelines; atomic */
} BenchPipelines;

/* Makes @n pipelines from @line.  In each of them "{n}" becomes its number from @first on, and "{port}"
 * BENCH_FIRST_PORT plus that number.  Ends the process if the line is wrong. */
BenchPipelines *bench_pipelines_new (const gchar *line, guint first, guint n);

/* Sets all to a state, and waits until they have reached the state.  Ends the process if one fails. */
void bench_pipelines_set_state (BenchPipelines *pipelines, GstState state);

/* Gives all of them the same base time instead of one that each makes for itself. */
void bench_pipelines_set_base_time (BenchPipelines *pipelines, GstClockTime base_ns);

/* Returns the number of buffers that the pipelines' sinks have rendered. */
guint64 bench_pipelines_rendered (BenchPipelines *pipelines);

/* Stops and frees them. */
void bench_pipelines_free (BenchPipelines *pipelines);

#endif
