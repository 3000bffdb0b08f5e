/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress line and the summary of a stream */
#ifndef STREAM_PROGRESS_H
#define STREAM_PROGRESS_H

#include "program.h"

/** The progress of a stream when its statistics were read before; all 0 at the start */
typedef struct
{
  gint64 time_us;
  guint64 bytes;
} ProgressMark;

/** Returns a count of the statistics.
 *
 * @param field a field of docs/statistics.md
 * @return 0 if the field does not exist or is no uint64 */
guint64 progress_count (const GstStructure *stats, const gchar *field);

/** Returns what has been going on since the mark, on one line without its end, and moves the mark.
 *
 * @param stats statistics of the program's element
 * @param now_us monotonic time
 * @param start_us monotonic time at which the program began
 * @return the text, which the caller frees with g_free() */
gchar *progress_format (const Program *program, const GstStructure *stats, gint64 now_us,
    gint64 start_us, ProgressMark *mark);

/** Returns the totals of the whole stream, as progress_format() does. */
gchar *progress_summary (
    const Program *program, const GstStructure *stats, gint64 now_us, gint64 start_us);

/** Returns what a larger latency of a receiver would have saved, for a player.
 *
 * @param stats of tfrcsrc
 * @param latency_ms its property
 * @return the text, which the caller frees with g_free(); NULL: every packet was in time */
gchar *progress_advice (const GstStructure *stats, guint latency_ms);

#endif
