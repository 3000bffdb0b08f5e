/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics as JSON, see statsjson.h. */
#include "statsjson.h"

#include <math.h>

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

JsonNode *
stats_json_node (const GstStructure *stats)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  gint i;

  for (i = 0; i < gst_structure_n_fields (stats); i++) {
    const gchar *name = gst_structure_nth_field_name (stats, i);

    json_object_set_member (object, name, node_of (gst_structure_get_value (stats, name)));
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
    return stats_json_node (gst_value_get_structure (value));
  if (GST_VALUE_HOLDS_ARRAY (value) || is_value_array (value))
    return node_of_array (value);
  text = g_strdup_value_contents (value);
  node = node_of_string (text);
  g_free (text);
  return node;
}
