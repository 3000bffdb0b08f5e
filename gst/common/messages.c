/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages for the application, see messages.h. */
#include "messages.h"

#include "clock.h"

void
gst_tfrc_stats_add_delay (GstStructure *stats, const gchar *name, const GstTfrcHistogram *histogram)
{
  const struct
  {
    const gchar *suffix;
    guint64 value_ns;
  } fields[] = {
    { "mean", gst_tfrc_histogram_mean_ns (histogram) },
    { "p99", gst_tfrc_histogram_quantile_ns (histogram, 0.99) },
    { "max", histogram->max_ns },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (fields); i++) {
    gchar *field = g_strdup_printf ("%s-%s", name, fields[i].suffix);

    gst_structure_set (stats, field, G_TYPE_UINT64, fields[i].value_ns, NULL);
    g_free (field);
  }
}

void
gst_tfrc_message_post (GstElement *element, GstStructure *fields)
{
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), fields));
}

void
gst_tfrc_stats_post (GstElement *element)
{
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  gst_structure_set_name (stats, GST_TFRC_STATS_MESSAGE);
  gst_structure_set (stats, "time", G_TYPE_UINT64, gst_tfrc_clock_now_ns (), NULL);
  gst_tfrc_message_post (element, stats);
  g_object_notify (G_OBJECT (element), "stats");
}

void
gst_tfrc_stats_post_last (GstElement *element)
{
  guint interval_ms;

  g_object_get (element, "stats-update-interval", &interval_ms, NULL);
  if (interval_ms > 0)
    gst_tfrc_stats_post (element);
}
