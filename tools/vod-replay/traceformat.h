/* The formats of traces: what stands where in a line. */
#ifndef VOD_REPLAY_TRACEFORMAT_H
#define VOD_REPLAY_TRACEFORMAT_H

#include "tracetypes.h"

#define TRACE_NS_PER_MS G_GUINT64_CONSTANT (1000000)
#define TRACE_NS_PER_S G_GUINT64_CONSTANT (1000000000)
#define TRACE_CSV_HEADER "frame,type,time_ms,bytes"

/* Fields count from 1; 0: there is none. */
typedef struct
{
  guint number, type, time, size;
  guint fields;
  gboolean more_fields;  /* may follow */
  gboolean counts;       /* numbers grow by one */
  gboolean has_headers;  /* as frames of type H */
  gboolean unit_is_sure; /* whatever comments say */
  TraceUnit unit;
  guint64 ns_per_time;
  const gchar *form; /* for messages */
} TraceColumns;

/** By the first line that is no comment, and the file's name. */
TraceFormat trace_guess_format (const gchar *name, const gchar *line, gsize length);

/** By the number of fields of the first frame; never NULL, except for
 * TRACE_FORMAT_AUTO. */
const TraceColumns *trace_columns_of (TraceFormat format, guint n_fields);

#endif
