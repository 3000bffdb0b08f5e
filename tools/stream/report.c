/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages of a program, see report.h */
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "tools/stats/statsjson.h"

struct _Report
{
  const Program *program;
  const Options *options;
  GstElement *element;
  FILE *file; /* NULL: no statistics are asked for */
  gboolean is_terminal, has_open_line;
  gint64 start_us;
  ProgressMark mark;
  guint timer;
};

/* ---- standard error -------------------------------------------------------- */

/* On a terminal, a progress line takes the place of the one before. */
static void
end_line (Report *report)
{
  if (report->has_open_line)
    fputc ('\n', stderr);
  report->has_open_line = FALSE;
}

void
report_say (Report *report, const gchar *format, ...)
{
  va_list args;
  gchar *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  end_line (report);
  fprintf (stderr, "%s: %s\n", report->program->name, text);
  g_free (text);
}

static void
print_progress (Report *report, const GstStructure *stats, gint64 now_us)
{
  gchar *line = progress_format (report->program, stats, now_us, report->start_us, &report->mark);

  if (report->is_terminal)
    fprintf (stderr, "\r%s\033[K", line);
  else
    fprintf (stderr, "%s\n", line);
  report->has_open_line = report->is_terminal;
  g_free (line);
}

/* ---- the file -------------------------------------------------------------- */

static void
write_json (Report *report, const GstStructure *stats, gboolean is_last)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *line = json_object_new ();
  gchar *text;

  json_object_set_int_member (line, "time_ns", g_get_real_time () * 1000);
  json_object_set_string_member (line, "element", report->program->factory);
  json_object_set_boolean_member (line, "last", is_last);
  json_object_set_member (line, "stats", stats_json_node (stats));
  json_node_take_object (node, line);
  text = json_to_string (node, FALSE);
  fprintf (report->file, "%s\n", text);
  g_free (text);
  json_node_unref (node);
}

static gboolean
write_field (GQuark field, const GValue *value, gpointer file)
{
  gchar *text = G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value)
                                             : gst_value_serialize (value);

  fprintf (file, "%s: %s\n", g_quark_to_string (field), text != NULL ? text : "");
  g_free (text);
  return TRUE;
}

/* A line for each field; an empty line ends the block. */
static void
write_text (Report *report, const GstStructure *stats)
{
  fprintf (report->file, "time_ns: %" G_GINT64_FORMAT "\n", g_get_real_time () * 1000);
  gst_structure_foreach (stats, write_field, report->file);
  fputc ('\n', report->file);
}

static void
write_stats (Report *report, const GstStructure *stats, gboolean is_last)
{
  if (report->file == NULL)
    return;
  if (report->options->stats_are_json)
    write_json (report, stats, is_last);
  else
    write_text (report, stats);
  fflush (report->file);
}

static gboolean
open_file (Report *report, GError **error)
{
  const gchar *path = report->options->stats_path;

  if (path == NULL)
    return TRUE;
  report->file = strcmp (path, "-") == 0 ? stdout : fopen (path, "we");
  if (report->file != NULL)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "cannot write %s: %s", path,
      g_strerror (errno));
  return FALSE;
}

/* Returns whether everything that was written has arrived. */
static gboolean
close_file (Report *report)
{
  FILE *file = report->file;
  gboolean ok;

  report->file = NULL;
  if (file == NULL)
    return TRUE;
  ok = !ferror (file) && fflush (file) == 0;
  return (file == stdout || fclose (file) == 0) && ok;
}

/* ---- the whole ------------------------------------------------------------- */

Report *
report_new (const Program *program, const Options *options, GstElement *element, GError **error)
{
  Report *report = g_new0 (Report, 1);

  report->program = program;
  report->options = options;
  report->element = element;
  report->is_terminal = isatty (STDERR_FILENO);
  report->start_us = g_get_monotonic_time ();
  if (!open_file (report, error))
    g_clear_pointer (&report, report_free);
  return report;
}

static gboolean
on_interval (gpointer data)
{
  Report *report = data;
  GstStructure *stats;

  g_object_get (report->element, "stats", &stats, NULL);
  if (!report->options->quiet)
    print_progress (report, stats, g_get_monotonic_time ());
  write_stats (report, stats, FALSE);
  gst_structure_free (stats);
  return G_SOURCE_CONTINUE;
}

void
report_start (Report *report)
{
  report->timer = g_timeout_add ((guint) (report->options->interval_s * 1e3), on_interval, report);
}

/* Of a receiver; a file has what was late all the same. */
static void
advise (Report *report, const GstStructure *stats)
{
  gchar *advice;
  guint latency_ms;

  if (!g_object_class_find_property (G_OBJECT_GET_CLASS (report->element), "latency"))
    return;
  g_object_get (report->element, "latency", &latency_ms, NULL);
  advice = progress_advice (stats, latency_ms);
  if (advice != NULL)
    report_say (report, "%s", advice);
  g_free (advice);
}

gboolean
report_finish (Report *report)
{
  GstStructure *stats;
  gchar *summary;
  gboolean ok;

  g_object_get (report->element, "stats", &stats, NULL);
  write_stats (report, stats, TRUE);
  summary = progress_summary (report->program, stats, g_get_monotonic_time (), report->start_us);
  if (report->options->quiet)
    end_line (report);
  else
    report_say (report, "%s", summary);
  if (!report->options->quiet)
    advise (report, stats);
  ok = close_file (report);
  if (!ok)
    report_say (report, "cannot write %s", report->options->stats_path);
  g_free (summary);
  gst_structure_free (stats);
  return ok;
}

void
report_free (Report *report)
{
  if (report == NULL)
    return;
  if (report->timer != 0)
    g_source_remove (report->timer);
  close_file (report);
  g_free (report);
}
