/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One more stream of a process, which starts when the process is asked, and stops at once */
#ifndef SOAK_SPARE_STREAM_H
#define SOAK_SPARE_STREAM_H

#include <gst/gst.h>

typedef struct _SoakSpareStream SoakSpareStream;

/* Makes the pipeline, which needs descriptors of its own, and does not start it.  @line: as that of
 * bench_pipelines_new(). */
SoakSpareStream *soak_spare_stream_new (const gchar *line, guint number);
void soak_spare_stream_free (SoakSpareStream *spare);

/* Starts the stream, stops it, and prints a line of JSON: whether it started, and the error. */
void soak_spare_stream_try (SoakSpareStream *spare);

#endif
