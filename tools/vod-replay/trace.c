/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads frame-size traces and checks their lines. */
#include "trace.h"

#include <string.h>

#include "tracefields.h"
#include "traceformat.h"
#include "traceorder.h"

/* One year, more than any movie lasts; larger times would overflow products. */
#define MAX_TIME_NS (366 * 86400 * TRACE_NS_PER_S)
#define MAX_FRAMES (100u * 1000 * 1000)

typedef struct
{
  const gchar *name;
  const TraceOptions *options;
  gchar separator;
  const TraceColumns *columns; /* NULL before the first frame */
  TraceUnit said_unit;         /* from the comments */
  gboolean header_seen;
  guint32 line;
  GArray *frames;
  guint64 first_number;
  guint32 header_bytes; /* size of an H line, added to the frame after it */
} Reader;

#define FAIL(reader, error, ...) trace_fail ((reader)->name, (reader)->line, error, __VA_ARGS__)

/* ---- lines without a frame ---------------------------------------------- */

/* Finds the unit: "Size [bit]", "Length (bytes)" or "sizes in bits", but not "kbit/s". */
static void
read_comment (Reader *reader, const gchar *line, gsize length)
{
  static const gchar *const bytes[] = { "(byte", "[byte", "in byte" };
  static const gchar *const bits[] = { "(bit)", "(bits)", "[bit", "in bits" };
  gchar *text = g_ascii_strdown (line, length);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (bytes); i++)
    if (reader->said_unit == TRACE_UNIT_AUTO && strstr (text, bytes[i]))
      reader->said_unit = TRACE_UNIT_BYTES;
  for (i = 0; i < G_N_ELEMENTS (bits); i++)
    if (reader->said_unit == TRACE_UNIT_AUTO && strstr (text, bits[i]))
      reader->said_unit = TRACE_UNIT_BITS;
  g_free (text);
}

static gboolean
read_csv_header (Reader *reader, const gchar *line, gsize length, GError **error)
{
  if (length != strlen (TRACE_CSV_HEADER) || memcmp (line, TRACE_CSV_HEADER, length) != 0)
    return FAIL (reader, error, "expected the header \"" TRACE_CSV_HEADER "\"");
  reader->header_seen = TRUE;
  return TRUE;
}

/* ---- a frame ------------------------------------------------------------- */

static gboolean
read_type (const Reader *reader, const TraceField *field, TraceFrame *frame, gboolean *header,
    GError **error)
{
  static const gchar types[] = "IPB";
  const gchar *type = NULL;
  gchar letter = field->length > 0 ? g_ascii_toupper (field->start[0]) : 0;

  *header = field->length == 1 && letter == 'H' && reader->columns->has_headers;
  if (*header)
    return TRUE;
  if (letter != 0
      && (field->length == 1
          || (field->length == 3 && g_ascii_strncasecmp (field->start, "IDR", 3) == 0)))
    type = strchr (types, letter);
  if (type == NULL)
    return FAIL (reader, error, "frame type \"%.*s\" is none of I, P, B",
        (int) MIN (field->length, 20), field->start);
  frame->type = type - types;
  return TRUE;
}

static gboolean
read_number (Reader *reader, const TraceField *field, GError **error)
{
  guint64 number;

  if (!trace_field_to_uint (field, &number))
    return FAIL (reader, error, "frame number \"%.*s\" is not a whole number",
        (int) MIN (field->length, 20), field->start);
  /* Numbers of the other formats may count layers and headers.  In coding order, numbers may be
   * those of display. */
  if (!reader->columns->counts || reader->options->order == TRACE_ORDER_CODING)
    return TRUE;
  if (reader->frames->len == 0)
    reader->first_number = number;
  if (number - reader->first_number != reader->frames->len)
    return FAIL (reader, error,
        "frame %" G_GUINT64_FORMAT " where %" G_GUINT64_FORMAT " should stand", number,
        reader->first_number + reader->frames->len);
  return TRUE;
}

static gboolean
read_time (const Reader *reader, const TraceField *field, TraceFrame *frame, GError **error)
{
  if (!trace_field_to_scaled (field, reader->columns->ns_per_time, &frame->time_ns)
      || frame->time_ns > MAX_TIME_NS)
    return FAIL (reader, error, "time \"%.*s\" is not a time in %s", (int) MIN (field->length, 20),
        field->start, reader->columns->ns_per_time == TRACE_NS_PER_S ? "s" : "ms");
  return TRUE;
}

static TraceUnit
unit_of (const Reader *reader)
{
  if (reader->options->unit != TRACE_UNIT_AUTO)
    return reader->options->unit;
  if (reader->columns->unit_is_sure || reader->said_unit == TRACE_UNIT_AUTO)
    return reader->columns->unit;
  return reader->said_unit;
}

static gboolean
read_size (const Reader *reader, const TraceField *field, TraceFrame *frame, GError **error)
{
  guint64 size;

  if (!trace_field_to_uint (field, &size))
    return FAIL (reader, error, "frame size \"%.*s\" is not a whole number",
        (int) MIN (field->length, 20), field->start);
  if (unit_of (reader) == TRACE_UNIT_BITS)
    size = size / 8 + (size % 8 != 0);
  if (size > TRACE_MAX_FRAME_BYTES - reader->header_bytes)
    return FAIL (reader, error,
        "a frame of %" G_GUINT64_FORMAT " bytes; no more than %u are possible", size,
        TRACE_MAX_FRAME_BYTES);
  frame->bytes = (guint32) size + reader->header_bytes;
  return TRUE;
}

static gboolean
read_frame (Reader *reader, const gchar *line, gsize length, GError **error)
{
  TraceField fields[TRACE_MAX_FIELDS];
  TraceFrame frame = { .type = FRAME_TYPE_P, .line = reader->line };
  guint n = trace_fields_split (line, length, reader->separator, fields);
  const TraceColumns *columns;
  gboolean header = FALSE;

  if (reader->columns == NULL)
    reader->columns = trace_columns_of (reader->options->format, n);
  columns = reader->columns;
  if (n < columns->fields || (n > columns->fields && !columns->more_fields))
    return FAIL (
        reader, error, "%u fields instead of the %u of \"%s\"", n, columns->fields, columns->form);
  if (columns->number > 0 && !read_number (reader, &fields[columns->number - 1], error))
    return FALSE;
  if (columns->type > 0 && !read_type (reader, &fields[columns->type - 1], &frame, &header, error))
    return FALSE;
  if (columns->time > 0 && !read_time (reader, &fields[columns->time - 1], &frame, error))
    return FALSE;
  if (!read_size (reader, &fields[columns->size - 1], &frame, error))
    return FALSE;
  reader->header_bytes = header ? frame.bytes : 0;
  if (header)
    return TRUE;
  if (columns->type == 0 && reader->frames->len == 0)
    frame.type = FRAME_TYPE_I;
  if (reader->frames->len >= MAX_FRAMES)
    return FAIL (reader, error, "more than %u frames", MAX_FRAMES);
  g_array_append_val (reader->frames, frame);
  return TRUE;
}

/* ---- the file ------------------------------------------------------------ */

static gboolean
read_line (Reader *reader, TraceOptions *options, const gchar *line, gsize length, GError **error)
{
  if (length > 0 && line[0] == '#') {
    read_comment (reader, line, length);
    return TRUE;
  }
  if (options->format == TRACE_FORMAT_AUTO)
    options->format = trace_guess_format (reader->name, line, length);
  if (options->format == TRACE_FORMAT_CSV) {
    reader->separator = ',';
    if (!reader->header_seen)
      return read_csv_header (reader, line, length, error);
  } else if (reader->columns == NULL && !g_ascii_isdigit (line[0])) {
    read_comment (reader, line, length); /* names of the columns */
    return TRUE;
  }
  return read_frame (reader, line, length, error);
}

static gboolean
read_lines (Reader *reader, TraceOptions *options, const gchar *text, gsize length, GError **error)
{
  const gchar *end = text + length;

  while (text < end) {
    const gchar *newline = memchr (text, '\n', end - text);
    const gchar *stop = newline != NULL ? newline : end;
    const gchar *line = text;

    reader->line++;
    text = newline != NULL ? newline + 1 : end;
    while (line < stop && g_ascii_isspace (*line))
      line++;
    while (line < stop && g_ascii_isspace (stop[-1]))
      stop--;
    if (line < stop && !read_line (reader, options, line, stop - line, error))
      return FALSE;
  }
  reader->line = 0;
  return reader->frames->len > 0 || FAIL (reader, error, "has no frames");
}

/* The first picture has to be one that decoding can start from. */
static gboolean
check_start (const Trace *trace, GError **error)
{
  const TraceFrame *first = &trace->frames[0];

  if (first->type != FRAME_TYPE_I || first->bytes == 0)
    return trace_fail (trace->name, first->line, error,
        "the first frame is %s instead of an I frame",
        first->bytes == 0                 ? "empty"
            : first->type == FRAME_TYPE_P ? "a P frame"
                                          : "a B frame");
  if (first->display != 0)
    return trace_fail (trace->name, first->line, error,
        "%u frames are displayed before the first I frame", first->display);
  return TRUE;
}

Trace *
trace_parse (
    const gchar *name, const gchar *text, gsize length, const TraceOptions *options, GError **error)
{
  TraceOptions chosen = *options;
  Reader reader = { .name = name, .options = &chosen, .separator = ' ' };
  Trace *trace = NULL;

  reader.frames = g_array_new (FALSE, FALSE, sizeof (TraceFrame));
  if (read_lines (&reader, &chosen, text, length, error)) {
    trace = g_new0 (Trace, 1);
    trace->name = g_strdup (name);
    trace->n_frames = reader.frames->len;
    trace->frames = (TraceFrame *) g_array_free (reader.frames, FALSE);
    reader.frames = NULL;
    if (!trace_arrange (trace, reader.columns->time > 0, options, error)
        || !check_start (trace, error))
      g_clear_pointer (&trace, trace_free);
  }
  if (reader.frames != NULL)
    g_array_free (reader.frames, TRUE);
  return trace;
}

Trace *
trace_load (const gchar *path, const TraceOptions *options, GError **error)
{
  gchar *text;
  gsize length;
  Trace *trace;

  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;
  trace = trace_parse (path, text, length, options, error);
  g_free (text);
  return trace;
}

void
trace_free (Trace *trace)
{
  g_free (trace->name);
  g_free (trace->frames);
  g_free (trace);
}
