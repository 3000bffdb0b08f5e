/* Properties in a table, see settings.h. */
#include "settings.h"

#include <string.h>

static gpointer
find_field (gpointer settings, const GstTfrcSetting *table, GParamSpec *spec)
{
  for (; table->name; table++) {
    if (strcmp (table->name, spec->name) == 0)
      return (guint8 *) settings + table->offset;
  }
  return NULL;
}

static void
set_string (gchar **field, GParamSpec *spec, const GValue *value)
{
  g_free (*field);
  *field = g_value_dup_string (value);
  if (*field == NULL)
    *field = g_value_dup_string (g_param_spec_get_default_value (spec));
}

gboolean
gst_tfrc_settings_set (
    gpointer settings, const GstTfrcSetting *table, GParamSpec *spec, const GValue *value)
{
  gpointer field = find_field (settings, table, spec);

  if (field == NULL)
    return FALSE;
  switch (G_TYPE_FUNDAMENTAL (spec->value_type)) {
    case G_TYPE_STRING:
      set_string (field, spec, value);
      return TRUE;
    case G_TYPE_INT:
      *(gint *) field = g_value_get_int (value);
      return TRUE;
    case G_TYPE_ENUM:
      *(gint *) field = g_value_get_enum (value);
      return TRUE;
    case G_TYPE_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      return TRUE;
    case G_TYPE_UINT:
      *(guint *) field = g_value_get_uint (value);
      return TRUE;
    case G_TYPE_UINT64:
      *(guint64 *) field = g_value_get_uint64 (value);
      return TRUE;
    case G_TYPE_DOUBLE:
      *(gdouble *) field = g_value_get_double (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_tfrc_settings_get (
    gconstpointer settings, const GstTfrcSetting *table, GParamSpec *spec, GValue *value)
{
  gconstpointer field = find_field ((gpointer) settings, table, spec);

  if (field == NULL)
    return FALSE;
  switch (G_TYPE_FUNDAMENTAL (spec->value_type)) {
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar *const *) field);
      return TRUE;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) field);
      return TRUE;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      return TRUE;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      return TRUE;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      return TRUE;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      return TRUE;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) field);
      return TRUE;
    default:
      return FALSE;
  }
}

void
gst_tfrc_settings_init (gpointer settings, const GstTfrcSetting *table, GObject *object)
{
  const GstTfrcSetting *setting;

  for (setting = table; setting->name; setting++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), setting->name);

    gst_tfrc_settings_set (settings, table, spec, g_param_spec_get_default_value (spec));
  }
}

void
gst_tfrc_settings_clear (gpointer settings, const GstTfrcSetting *table, GObject *object)
{
  for (; table->name; table++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), table->name);

    if (spec->value_type == G_TYPE_STRING)
      g_clear_pointer ((gchar **) ((guint8 *) settings + table->offset), g_free);
  }
}
