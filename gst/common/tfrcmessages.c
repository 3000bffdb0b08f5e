/* Messages of both elements, see tfrcmessages.h. */
#include "tfrcmessages.h"

#include "tfrcclock.h"

void
tfrc_stats_add_delay (GstStructure *stats, const gchar *name, const TfrcHistogram *histogram)
{
  const struct
  {
    const gchar *suffix;
    guint64 value_ns;
  } fields[] = {
    { "mean", tfrc_histogram_mean_ns (histogram) },
    { "p99", tfrc_histogram_quantile_ns (histogram, 0.99) },
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
tfrc_stats_post (GstElement *element, GstStructure *stats)
{
  gst_structure_set_name (stats, TFRC_STATS_MESSAGE);
  gst_structure_set (stats, "time", G_TYPE_UINT64, tfrc_clock_now_ns (), NULL);
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), stats));
  g_object_notify (G_OBJECT (element), "stats");
}
