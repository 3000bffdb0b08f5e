/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats of traces, see trace.h. */
#include "traceformat.h"

#include <string.h>

static const TraceColumns csv = { .number = 1,
  .type = 2,
  .time = 3,
  .size = 4,
  .fields = 4,
  .counts = TRUE,
  .unit_is_sure = TRUE,
  .unit = TRACE_UNIT_BYTES,
  .ns_per_time = TRACE_NS_PER_MS,
  .form = TRACE_CSV_HEADER };

static const TraceColumns asu_verbose = { .number = 1,
  .type = 2,
  .time = 3,
  .size = 4,
  .fields = 4,
  .more_fields = TRUE,
  .unit = TRACE_UNIT_BYTES,
  .ns_per_time = TRACE_NS_PER_MS,
  .form = "number type time_ms size" };

static const TraceColumns asu_unnumbered = { .time = 1,
  .type = 2,
  .size = 3,
  .fields = 3,
  .unit = TRACE_UNIT_BYTES,
  .ns_per_time = TRACE_NS_PER_MS,
  .form = "time_ms type size" };

static const TraceColumns asu_terse = {
  .size = 1, .fields = 1, .unit = TRACE_UNIT_BYTES, .form = "size"
};

static const TraceColumns st_sizes = {
  .size = 1, .fields = 1, .unit = TRACE_UNIT_BITS, .form = "size"
};

static const TraceColumns st_sender = { .number = 1,
  .type = 2,
  .size = 3,
  .time = 5,
  .fields = 5,
  .has_headers = TRUE,
  .unit_is_sure = TRUE,
  .unit = TRACE_UNIT_BYTES,
  .ns_per_time = TRACE_NS_PER_S,
  .form = "number type bytes packets time_s" };

TraceFormat
trace_guess_format (const gchar *name, const gchar *line, gsize length)
{
  const gchar *base = strrchr (name, '/');

  if (memchr (line, ',', length) != NULL)
    return TRACE_FORMAT_CSV;
  base = base != NULL ? base + 1 : name;
  return g_str_has_prefix (base, "st_") ? TRACE_FORMAT_ST : TRACE_FORMAT_ASU;
}

const TraceColumns *
trace_columns_of (TraceFormat format, guint n_fields)
{
  switch (format) {
    case TRACE_FORMAT_CSV:
      return &csv;
    case TRACE_FORMAT_ST:
      return n_fields == 1 ? &st_sizes : &st_sender;
    case TRACE_FORMAT_ASU:
      return n_fields == 1 ? &asu_terse : n_fields == 3 ? &asu_unnumbered : &asu_verbose;
    case TRACE_FORMAT_AUTO:
      break;
  }
  return NULL;
}
