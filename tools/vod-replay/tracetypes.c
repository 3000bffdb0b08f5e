/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie as a list of frames, see tracetypes.h. */
#include "tracetypes.h"

#include <stdarg.h>

GQuark
trace_error_quark (void)
{
  return g_quark_from_static_string ("trace-error");
}

gboolean
trace_fail (const gchar *name, guint32 line, GError **error, const gchar *format, ...)
{
  va_list arguments;
  gchar *message;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (line > 0)
    g_set_error (error, TRACE_ERROR, 0, "%s:%u: %s", name, line, message);
  else
    g_set_error (error, TRACE_ERROR, 0, "%s: %s", name, message);
  g_free (message);
  return FALSE;
}

/* Returns n * num / den without overflow for any realistic n: at most MAX_FRAMES frames per
 * second, for years. */
guint64
trace_interval_start_ns (const Trace *trace, guint64 n)
{
  guint64 whole = n / trace->interval_den, part = n % trace->interval_den;

  return whole * trace->interval_num_ns + part * (trace->interval_num_ns / trace->interval_den)
      + part * (trace->interval_num_ns % trace->interval_den) / trace->interval_den;
}
