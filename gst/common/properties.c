/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of an element as a table, see properties.h. */
#include "properties.h"

#include <string.h>

/* ---- installing ---------------------------------------------------------- */

static GParamFlags
flags_of (const GstTfrcProperty *row)
{
  switch (row->change) {
    case GST_TFRC_CHANGE_NEVER:
      break;
    case GST_TFRC_CHANGE_READY:
      return (row->is_secret ? G_PARAM_WRITABLE : G_PARAM_READWRITE) | G_PARAM_STATIC_STRINGS
          | GST_PARAM_MUTABLE_READY;
    case GST_TFRC_CHANGE_PLAYING:
      return G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  }
  return G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
}

static GParamSpec *
enum_spec (const GstTfrcProperty *row)
{
  GType type = row->get_type ();

  gst_type_mark_as_plugin_api (type, 0);
  return g_param_spec_enum (
      row->name, row->nick, row->blurb, type, row->range.of_enum, flags_of (row));
}

#define NUMBER_SPEC(type) \
  g_param_spec_##type (row->name, row->nick, row->blurb, row->range.of_##type.min, \
      row->range.of_##type.max, row->range.of_##type.value, flags)

static GParamSpec *
spec_of (const GstTfrcProperty *row)
{
  GParamFlags flags = flags_of (row);

  switch (row->type) {
    case G_TYPE_STRING:
      return g_param_spec_string (row->name, row->nick, row->blurb, row->range.of_string, flags);
    case G_TYPE_INT:
      return NUMBER_SPEC (int);
    case G_TYPE_UINT:
      return NUMBER_SPEC (uint);
    case G_TYPE_UINT64:
      return NUMBER_SPEC (uint64);
    case G_TYPE_DOUBLE:
      return NUMBER_SPEC (double);
    case G_TYPE_BOOLEAN:
      return g_param_spec_boolean (row->name, row->nick, row->blurb, row->range.of_boolean, flags);
    case G_TYPE_ENUM:
      return enum_spec (row);
    case G_TYPE_OBJECT:
      return g_param_spec_object (row->name, row->nick, row->blurb, row->get_type (), flags);
    default:
      return g_param_spec_boxed (row->name, row->nick, row->blurb, row->get_type (), flags);
  }
}

static GQuark
row_quark (void)
{
  return g_quark_from_static_string ("tfrc-property-row");
}

void
gst_tfrc_properties_install (GObjectClass *klass, const GstTfrcProperty *table)
{
  for (guint i = 0; table[i].name; i++) {
    GParamSpec *spec = spec_of (&table[i]);

    g_param_spec_set_qdata (spec, row_quark (), (gpointer) &table[i]);
    g_object_class_install_property (klass, i + 1, spec);
  }
}

gboolean
gst_tfrc_properties_check (GParamSpec *spec, const gchar *text, GError **error)
{
  const GstTfrcProperty *row = g_param_spec_get_qdata (spec, row_quark ());

  return row == NULL || row->check == NULL || row->check (text, error);
}

/* ---- fields -------------------------------------------------------------- */

static gpointer
field_of (const GstTfrcProperty *row, gpointer settings)
{
  return (guint8 *) settings + row->field;
}

static void
set_string (const GstTfrcProperty *row, gchar **field, const gchar *value)
{
  gchar *copy = g_strdup (value);

  if (row->is_secret && *field)
    explicit_bzero (*field, strlen (*field));
  g_free (*field);
  *field = copy;
}

void
gst_tfrc_properties_clear (const GstTfrcProperty *table, gpointer settings)
{
  for (const GstTfrcProperty *row = table; row->name; row++) {
    if (row->has_field && row->type == G_TYPE_STRING)
      set_string (row, field_of (row, settings), NULL);
    if (row->has_field && row->type == G_TYPE_OBJECT)
      g_clear_object ((GObject **) field_of (row, settings));
  }
}

static void
set_field (const GstTfrcProperty *row, gpointer field, const GValue *value)
{
  switch (row->type) {
    case G_TYPE_STRING:
      set_string (row, field,
          g_value_get_string (value) ? g_value_get_string (value) : row->range.of_string);
      break;
    case G_TYPE_INT:
      *(gint *) field = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      *(guint *) field = g_value_get_uint (value);
      break;
    case G_TYPE_UINT64:
      *(guint64 *) field = g_value_get_uint64 (value);
      break;
    case G_TYPE_DOUBLE:
      *(gdouble *) field = g_value_get_double (value);
      break;
    case G_TYPE_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      break;
    case G_TYPE_ENUM:
      *(gint *) field = g_value_get_enum (value);
      break;
    case G_TYPE_OBJECT:
      g_set_object ((GObject **) field, g_value_get_object (value));
      break;
  }
}

void
gst_tfrc_properties_init (const GstTfrcProperty *table, gpointer settings)
{
  for (const GstTfrcProperty *row = table; row->name; row++) {
    GParamSpec *spec;

    if (!row->has_field)
      continue;
    spec = g_param_spec_ref_sink (spec_of (row));
    set_field (row, field_of (row, settings), g_param_spec_get_default_value (spec));
    g_param_spec_unref (spec);
  }
}

static void
get_field (const GstTfrcProperty *row, gconstpointer field, GValue *value)
{
  switch (row->type) {
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar *const *) field);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) field);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) field);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case G_TYPE_OBJECT:
      g_value_set_object (value, *(GObject *const *) field);
      break;
  }
}

/* ---- dispatch ------------------------------------------------------------ */

static const GstTfrcProperty *
row_with_id (const GstTfrcProperty *table, guint id)
{
  const GstTfrcProperty *row = table;

  while (row->name && row != table + id - 1)
    row++;
  return row->name ? row : NULL;
}

guint
gst_tfrc_properties_set (const GstTfrcProperty *table, gpointer settings, GObject *object, guint id,
    const GValue *value, GParamSpec *spec)
{
  const GstTfrcProperty *row = row_with_id (table, id);

  if (row == NULL) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    return 0;
  }
  if (row->set) {
    row->set (GST_ELEMENT (object), g_value_get_string (value));
  } else {
    GST_OBJECT_LOCK (object);
    set_field (row, field_of (row, settings), value);
    GST_OBJECT_UNLOCK (object);
  }
  return row->live;
}

guint
gst_tfrc_properties_get (const GstTfrcProperty *table, gpointer settings, GObject *object, guint id,
    GValue *value, GParamSpec *spec)
{
  const GstTfrcProperty *row = row_with_id (table, id);

  if (row == NULL) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    return 0;
  }
  GST_OBJECT_LOCK (object);
  if (row->get)
    row->get (settings, value);
  else if (row->has_field)
    get_field (row, field_of (row, settings), value);
  GST_OBJECT_UNLOCK (object);
  return row->live;
}
