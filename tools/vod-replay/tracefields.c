/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of a line of a trace, and numbers in fields.  Lines are not null-terminated strings:
 * the file stays as it was read. */
#include "tracefields.h"

static gboolean
separates (gchar c, gchar separator)
{
  return separator == ' ' ? g_ascii_isspace (c) : c == separator;
}

static void
strip (TraceField *field)
{
  while (field->length > 0 && g_ascii_isspace (field->start[0])) {
    field->start++;
    field->length--;
  }
  while (field->length > 0 && g_ascii_isspace (field->start[field->length - 1]))
    field->length--;
}

guint
trace_fields_split (const gchar *line, gsize length, gchar separator, TraceField *fields)
{
  TraceField rest = { line, length };
  guint n = 0;

  strip (&rest);
  while (rest.length > 0 || (separator != ' ' && n > 0)) {
    TraceField field = { rest.start, 0 };
    gboolean last;

    while (field.length < rest.length && !separates (rest.start[field.length], separator))
      field.length++;
    last = field.length == rest.length;
    rest.start += field.length + !last;
    rest.length -= field.length + !last;
    strip (&field);
    if (separator == ' ')
      strip (&rest);
    if (n < TRACE_MAX_FIELDS)
      fields[n] = field;
    n++;
    if (last)
      break;
  }
  return n;
}

/* Reads the digits at the start of the text into a number.  Returns how many digits there are. */
static gsize
read_digits (const gchar *text, gsize length, guint64 *value)
{
  gsize i;

  *value = 0;
  for (i = 0; i < length && g_ascii_isdigit (text[i]); i++)
    if (!g_uint64_checked_mul (value, *value, 10)
        || !g_uint64_checked_add (value, *value, text[i] - '0'))
      *value = G_MAXUINT64;
  return i;
}

gboolean
trace_field_to_uint (const TraceField *field, guint64 *value)
{
  return field->length > 0 && read_digits (field->start, field->length, value) == field->length;
}

gboolean
trace_field_to_scaled (const TraceField *field, guint64 factor, guint64 *value)
{
  guint64 fraction, unit = 1;
  gsize at = read_digits (field->start, field->length, value), digits, i;

  if (at == 0)
    return FALSE;
  if (!g_uint64_checked_mul (value, *value, factor))
    *value = G_MAXUINT64;
  if (at == field->length)
    return TRUE;
  if (field->start[at++] != '.')
    return FALSE;
  /* nine digits are enough for s in ns */
  digits = read_digits (field->start + at, MIN (field->length - at, 9), &fraction);
  for (i = 0; i < digits; i++)
    unit *= 10;
  if (!g_uint64_checked_add (value, *value, (fraction * factor + unit / 2) / unit))
    *value = G_MAXUINT64;
  for (at += digits; at < field->length; at++)
    if (!g_ascii_isdigit (field->start[at]))
      return FALSE;
  return TRUE;
}
