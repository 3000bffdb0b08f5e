/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces from strings, for the tests of vod-replay. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "trace.h"

static const TraceOptions from_content = { 0 };

static inline Trace *
parse_as (const gchar *name, const gchar *text, const TraceOptions *options)
{
  GError *error = NULL;
  Trace *trace = trace_parse (name, text, strlen (text), options, &error);

  fail_unless (trace != NULL, "%s", error ? error->message : "no error set");
  fail_unless (error == NULL);
  return trace;
}

static inline Trace *
parse (const gchar *text)
{
  return parse_as ("movie", text, &from_content);
}

/* Frames in coding order as "I0:100 P3:50": type, place in display, bytes. */
static inline void
fail_unless_frames (const Trace *trace, const gchar *expected)
{
  GString *actual = g_string_new (NULL);
  guint i;

  for (i = 0; i < trace->n_frames; i++)
    g_string_append_printf (actual, "%s%c%u:%u", i ? " " : "", "IPB"[trace->frames[i].type],
        trace -> frames[i].display, trace->frames[i].bytes);
  fail_unless_equals_string (actual->str, expected);
  g_string_free (actual, TRUE);
}
