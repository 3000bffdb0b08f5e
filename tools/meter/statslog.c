/* Statistics of elements as JSON, see statslog.h. */
#include "statslog.h"

#include <math.h>

#include <json-glib/json-glib.h>

static JsonNode *node_of (const GValue *value);

static JsonNode *
node_of_double (gdouble number)
{
  JsonNode *node = json_node_new (JSON_NODE_VALUE);

  /* JSON has no infinity. */
  if (isfinite (number))
    return json_node_init_double (node, number);
  return json_node_init_null (node);
}

/* JSON-GLib's integers are signed. */
static JsonNode *
node_of_unsigned (guint64 number)
{
  if (number > G_MAXINT64)
    return node_of_double (number);
  return json_node_init_int (json_node_new (JSON_NODE_VALUE), number);
}

static JsonNode *
node_of_string (const gchar *text)
{
  return json_node_init_string (json_node_new (JSON_NODE_VALUE), text ? text : "");
}

static JsonNode *
node_of_structure (const GstStructure *s)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  gint i;

  for (i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *name = gst_structure_nth_field_name (s, i);

    json_object_set_member (object, name, node_of (gst_structure_get_value (s, name)));
  }
  json_node_take_object (node, object);
  return node;
}

/* Several elements still use this type for lists of statistics, with one entry for each peer. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS;

static void
add_value_array (JsonArray *nodes, const GValueArray *array)
{
  guint i;

  for (i = 0; array != NULL && i < array->n_values; i++)
    json_array_add_element (nodes, node_of (&array->values[i]));
}

static gboolean
is_value_array (const GValue *value)
{
  return G_VALUE_HOLDS (value, g_value_array_get_type ());
}

G_GNUC_END_IGNORE_DEPRECATIONS;

static JsonNode *
node_of_array (const GValue *value)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);
  JsonArray *nodes = json_array_new ();
  guint i;

  if (is_value_array (value))
    add_value_array (nodes, g_value_get_boxed (value));
  else
    for (i = 0; i < gst_value_array_get_size (value); i++)
      json_array_add_element (nodes, node_of (gst_value_array_get_value (value, i)));
  json_node_take_array (node, nodes);
  return node;
}

static JsonNode *
node_of (const GValue *value)
{
  GValue converted = G_VALUE_INIT;
  JsonNode *node;
  gchar *text;

  if (G_VALUE_HOLDS_BOOLEAN (value))
    return json_node_init_boolean (json_node_new (JSON_NODE_VALUE), g_value_get_boolean (value));
  if (G_VALUE_HOLDS_UINT64 (value))
    return node_of_unsigned (g_value_get_uint64 (value));
  if (G_VALUE_HOLDS_INT (value) || G_VALUE_HOLDS_UINT (value) || G_VALUE_HOLDS_LONG (value)
      || G_VALUE_HOLDS_INT64 (value)) {
    g_value_init (&converted, G_TYPE_INT64);
    g_value_transform (value, &converted);
    node = json_node_init_int (json_node_new (JSON_NODE_VALUE), g_value_get_int64 (&converted));
    g_value_unset (&converted);
    return node;
  }
  if (G_VALUE_HOLDS_DOUBLE (value))
    return node_of_double (g_value_get_double (value));
  if (G_VALUE_HOLDS_FLOAT (value))
    return node_of_double (g_value_get_float (value));
  if (G_VALUE_HOLDS_STRING (value))
    return node_of_string (g_value_get_string (value));
  if (GST_VALUE_HOLDS_STRUCTURE (value))
    return node_of_structure (gst_value_get_structure (value));
  if (GST_VALUE_HOLDS_ARRAY (value) || is_value_array (value))
    return node_of_array (value);
  text = g_strdup_value_contents (value);
  node = node_of_string (text);
  g_free (text);
  return node;
}

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
  json_object_set_member (line, "element", node_of_string (GST_OBJECT_NAME (element)));
  json_object_set_member (
      line, "factory", node_of_string (factory ? GST_OBJECT_NAME (factory) : ""));
  json_object_set_member (line, "stats", node_of_structure (stats));
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
