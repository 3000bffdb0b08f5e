/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of elements as JSON, see statslog.h. */
#include "statslog.h"

#include "tools/stats/statsjson.h"

static GstStructure *
get_stats (GstElement *element)
{
  GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats");
  GstStructure *stats = NULL;

  if (property != NULL && property->value_type == GST_TYPE_STRUCTURE
      && (property->flags & G_PARAM_READABLE))
    g_object_get (element, "stats", &stats, NULL);
  return stats;
}

static void
write_line (FILE *file, guint64 time_ns, GstElement *element, const GstStructure *stats)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  JsonObject *line = json_object_new ();
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  gchar *text;

  json_object_set_int_member (line, "time_ns", time_ns);
  json_object_set_string_member (line, "element", GST_OBJECT_NAME (element));
  json_object_set_string_member (line, "factory", factory ? GST_OBJECT_NAME (factory) : "");
  json_object_set_member (line, "stats", stats_json_node (stats));
  json_node_take_object (node, line);
  text = json_to_string (node, FALSE);
  fprintf (file, "%s\n", text);
  g_free (text);
  json_node_unref (node);
}

void
stats_log_write (MeterLog *log, GstBin *bin)
{
  guint64 time_ns = meter_now_ns ();
  GstIterator *elements;
  GValue item = G_VALUE_INIT;

  if (log->file == NULL)
    return;
  elements = gst_bin_iterate_recurse (bin);
  /* If the bin changes meanwhile, the remaining elements are missing from this round. */
  while (gst_iterator_next (elements, &item) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object (&item);
    GstStructure *stats = get_stats (element);

    if (stats != NULL) {
      write_line (log->file, time_ns, element, stats);
      gst_structure_free (stats);
    }
    g_value_reset (&item);
  }
  g_value_unset (&item);
  gst_iterator_free (elements);
}
