/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress line and the summary, see progress.h */
#include "progress.h"

guint64
progress_count (const GstStructure *stats, const gchar *field)
{
  guint64 count = 0;

  gst_structure_get_uint64 (stats, field, &count);
  return count;
}

/* A time that is not known is 0 or is missing. */
static void
add_time (GString *line, const GstStructure *stats, const gchar *name, const gchar *field)
{
  guint64 time_ns = progress_count (stats, field);

  if (time_ns > 0)
    g_string_append_printf (line, ", %s %.1f ms", name, (gdouble) time_ns / 1e6);
  else
    g_string_append_printf (line, ", %s -", name);
}

/* What the receiver has asked for once more, and what of it was sent or has come again */
static void
add_repairs (GString *line, const GstStructure *stats)
{
  guint64 requested = progress_count (stats, "packets-requested");

  if (requested > 0)
    g_string_append_printf (line,
        ", %" G_GUINT64_FORMAT " requested, %" G_GUINT64_FORMAT " repaired", requested,
        progress_count (stats, "packets-repaired"));
}

/* Of a sink that listens */
static void
add_callers (GString *line, const GstStructure *stats)
{
  guint callers;

  if (gst_structure_get_uint (stats, "callers-accepted", &callers))
    g_string_append_printf (line, "%u receivers, ", callers);
}

static void
add_counts (GString *line, const Program *program, const GstStructure *stats)
{
  add_callers (line, stats);
  g_string_append_printf (line, "%" G_GUINT64_FORMAT " packets %s, %" G_GUINT64_FORMAT " lost",
      progress_count (stats, program->packets), program->verb,
      progress_count (stats, "packets-lost"));
  add_repairs (line, stats);
}

/* What would have been late, and has not left */
static void
add_late (GString *line, const GstStructure *stats)
{
  guint64 late = progress_count (stats, "packets-past-deadline");

  if (late > 0)
    g_string_append_printf (line, ", %" G_GUINT64_FORMAT " past their deadline", late);
}

/* A sink that listens has no time of its own. */
static void
add_times (GString *line, const Program *program, const GstStructure *stats)
{
  if (gst_structure_has_field (stats, "callers"))
    return;
  add_time (line, stats, "RTT", "rtt");
  add_time (line, stats, program->delay_name, program->delay);
}

gchar *
progress_format (const Program *program, const GstStructure *stats, gint64 now_us, gint64 start_us,
    ProgressMark *mark)
{
  GString *line = g_string_new (NULL);
  guint64 bytes = progress_count (stats, program->bytes);
  gint64 since_us = now_us - (mark->time_us != 0 ? mark->time_us : start_us);
  /* A source that has begun with another stream counts from 0 again. */
  gdouble bits = bytes > mark->bytes ? 8.0 * (gdouble) (bytes - mark->bytes) : 0;

  g_string_append_printf (line, "%.0f s: %.0f kbit/s, ", (gdouble) (now_us - start_us) / 1e6,
      since_us > 0 ? bits / (gdouble) since_us * 1e3 : 0);
  add_counts (line, program, stats);
  add_late (line, stats);
  add_times (line, program, stats);
  mark->time_us = now_us;
  mark->bytes = bytes;
  return g_string_free (line, FALSE);
}

gchar *
progress_summary (const Program *program, const GstStructure *stats, gint64 now_us, gint64 start_us)
{
  GString *line = g_string_new (NULL);
  guint64 dropped = progress_count (stats, "packets-dropped")
      + progress_count (stats, "queue-dropped");

  add_counts (line, program, stats);
  if (dropped > 0)
    g_string_append_printf (line, ", %" G_GUINT64_FORMAT " dropped", dropped);
  add_late (line, stats);
  g_string_append_printf (line, ", %" G_GUINT64_FORMAT " bytes in %.1f s",
      progress_count (stats, program->bytes), (gdouble) (now_us - start_us) / 1e6);
  add_times (line, program, stats);
  return g_string_free (line, FALSE);
}

/* Rounded up to what a person would choose: less than 50 ms makes no difference. */
gchar *
progress_advice (const GstStructure *stats, guint latency_ms)
{
  const guint64 step_ns = 50 * GST_MSECOND;
  guint64 late = progress_count (stats, "packets-past-latency");
  guint64 wanted_ns = latency_ms * GST_MSECOND + progress_count (stats, "past-latency-p99");

  if (late == 0)
    return NULL;
  return g_strdup_printf (
      "%" G_GUINT64_FORMAT " packets came later than latency=%u has them played, "
      "up to %.0f ms; latency=%" G_GUINT64_FORMAT " would have had 99 %% of them in time",
      late, latency_ms, (gdouble) progress_count (stats, "past-latency-max") / 1e6,
      (wanted_ns + step_ns - 1) / step_ns * 50);
}
