/* Properties that are nothing but settings, in a table: where each one lies in
 * the struct that holds them.  Defaults are those of the GParamSpecs. */
#ifndef GST_TFRC_SETTINGS_H
#define GST_TFRC_SETTINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** One property.  The field at @a offset is of its C type: gchar * (owned),
 * gint (also for enums and booleans), guint, guint64 or gdouble. */
typedef struct
{
  const gchar *name; /**< NULL ends the table */
  gsize offset;
} GstTfrcSetting;

/** Sets every setting to its default.  @a object has the properties. */
void gst_tfrc_settings_init (gpointer settings, const GstTfrcSetting *table, GObject *object);

/** Frees strings. */
void gst_tfrc_settings_clear (gpointer settings, const GstTfrcSetting *table, GObject *object);

/** Copies a value in or out, of the property that @a spec describes; a string
 * set to NULL gets its default.
 * @return FALSE if that property is not in the table.  The caller locks. */
gboolean gst_tfrc_settings_set (
    gpointer settings, const GstTfrcSetting *table, GParamSpec *spec, const GValue *value);
gboolean gst_tfrc_settings_get (
    gconstpointer settings, const GstTfrcSetting *table, GParamSpec *spec, GValue *value);

G_END_DECLS
#endif
