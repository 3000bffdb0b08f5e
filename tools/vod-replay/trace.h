/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie as a list of frame sizes, read from a file and checked.
 *
 * Formats:
 *   csv  the project's format: comments (#), the header "frame,type,time_ms,bytes",
 *        then a line for each frame in display order, unless the user says that
 *        the lines are in coding order;
 *   asu  format of the library at trace.eas.asu.edu: verbose, "number type time_ms
 *        size" and possibly more (PSNR), or "time_ms type size"; or terse,
 *        only the size;
 *   st   a size in bits on each line after the comments, or EvalVid's sender
 *        trace "number type bytes packets time_s", in which type H is a header and
 *        belongs to the frame after it.
 * Except in csv, white space separates fields, and a file may start with lines that do not begin
 * with a number.  A trace without types becomes one I frame, followed by P frames. */
#ifndef VOD_REPLAY_TRACE_H
#define VOD_REPLAY_TRACE_H

#include "tracetypes.h"

/** Loads a trace from a file.  Errors name the file and the line. */
Trace *trace_load (const gchar *path, const TraceOptions *options, GError **error);

/** Parses a trace in memory; `name' is for messages. */
Trace *trace_parse (const gchar *name, const gchar *text, gsize length, const TraceOptions *options,
    GError **error);

void trace_free (Trace *trace);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Trace, trace_free)
#endif
