/* A line of a trace as fields, and numbers in them. */
#ifndef VOD_REPLAY_TRACEFIELDS_H
#define VOD_REPLAY_TRACEFIELDS_H

#include <glib.h>

#define TRACE_MAX_FIELDS 16

typedef struct
{
  const gchar *start;
  gsize length;
} TraceField;

/** Splits at `separator', or at white space if it is ' '.
 * Fields beyond TRACE_MAX_FIELDS are counted, but not stored. */
guint trace_fields_split (const gchar *line, gsize length, gchar separator, TraceField *fields);

/** Whether the field is a number without sign, and its value, which
 * saturates at G_MAXUINT64. */
gboolean trace_field_to_uint (const TraceField *field, guint64 *value);

/** A decimal number without sign and exponent, times `factor', rounded: times
 * in ms or s become ns without errors of binary fractions. */
gboolean trace_field_to_scaled (const TraceField *field, guint64 factor, guint64 *value);

#endif
