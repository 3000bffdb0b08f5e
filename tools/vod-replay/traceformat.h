/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats of traces: the position of each field in a line */
#ifndef VOD_REPLAY_TRACEFORMAT_H
#define VOD_REPLAY_TRACEFORMAT_H

#include "tracetypes.h"

#define TRACE_NS_PER_MS G_GUINT64_CONSTANT (1000000)
#define TRACE_NS_PER_S G_GUINT64_CONSTANT (1000000000)
#define TRACE_CSV_HEADER "frame,type,time_ms,bytes"

/* Field numbers count from 1; 0: no such field. */
typedef struct
{
  guint number, type, time, size;
  guint fields;
  gboolean more_fields;  /* more fields may follow */
  gboolean counts;       /* each number is one more than the last */
  gboolean has_headers;  /* headers are frames of type H */
  gboolean unit_is_sure; /* comments do not change the unit */
  TraceUnit unit;
  guint64 ns_per_time;
  const gchar *form; /* for messages */
} TraceColumns;

/** Guesses the format from the file's name and the first line that is not a comment. */
TraceFormat trace_guess_format (const gchar *name, const gchar *line, gsize length);

/** Returns the columns for the number of fields in the first frame.  Returns NULL only for
 * TRACE_FORMAT_AUTO. */
const TraceColumns *trace_columns_of (TraceFormat format, guint n_fields);

#endif
