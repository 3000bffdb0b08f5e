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

/* A handler without a detail hears every property, but is not found by the name of one. */
static gboolean
has_handler (gpointer object, guint signal, GQuark property)
{
  return g_signal_has_handler_pending (object, signal, property, FALSE)
      || g_signal_has_handler_pending (object, signal, 0, FALSE);
}

gboolean
gst_tfrc_notify_is_heard (GstElement *element, const gchar *property)
{
  GQuark name = g_quark_from_string (property);
  guint deep_notify = g_signal_lookup ("deep-notify", GST_TYPE_OBJECT);
  gboolean is_heard = has_handler (element, g_signal_lookup ("notify", G_TYPE_OBJECT), name);
  GstObject *bin = gst_object_get_parent (GST_OBJECT (element)), *next;

  for (; bin; bin = next) {
    is_heard |= has_handler (bin, deep_notify, name);
    next = gst_object_get_parent (bin);
    gst_object_unref (bin);
  }
  return is_heard;
}
