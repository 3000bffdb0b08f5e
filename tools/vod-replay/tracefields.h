/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of a line of a trace, and numbers in fields */
#ifndef VOD_REPLAY_TRACEFIELDS_H
#define VOD_REPLAY_TRACEFIELDS_H

#include <glib.h>

#define TRACE_MAX_FIELDS 16

typedef struct
{
  const gchar *start;
  gsize length;
} TraceField;

/** Splits a line at `separator', or at white space if it is ' '.  Returns the number of fields;
 * those beyond TRACE_MAX_FIELDS are counted, but not stored. */
guint trace_fields_split (const gchar *line, gsize length, gchar separator, TraceField *fields);

/** Returns whether the field is a number without sign.  Sets its value, which saturates at
 * G_MAXUINT64. */
gboolean trace_field_to_uint (const TraceField *field, guint64 *value);

/** Reads a decimal number without sign and exponent, multiplies it by `factor' and rounds it.
 * Times in ms or s become ns without errors of binary fractions. */
gboolean trace_field_to_scaled (const TraceField *field, guint64 factor, guint64 *value);

#endif
