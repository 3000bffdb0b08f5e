/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of an element as a table: one row describes one property, and nothing else does.
 *
 * The table gives GObject the GParamSpecs, and the element its defaults, its setter and its getter.
 * Most properties are settings: fields of one struct of the element.  The others have functions, or are
 * known to the stream alone. */
#ifndef GST_TFRC_PROPERTIES_H
#define GST_TFRC_PROPERTIES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** When an application may change a property.  A value that is set later than that takes effect
 * when the element leaves READY the next time. */
typedef enum
{
  GST_TFRC_CHANGE_NEVER,  /**< the property can only be read */
  GST_TFRC_CHANGE_READY,  /**< in NULL and READY */
  GST_TFRC_CHANGE_PLAYING /**< in every state */
} GstTfrcPropertyChange;

/** Range and default of a number; the member that belongs to the property's type counts. */
typedef union
{
  struct
  {
    gint min, max, value;
  } of_int;
  struct
  {
    guint min, max, value;
  } of_uint;
  struct
  {
    guint64 min, max, value;
  } of_uint64;
  struct
  {
    gdouble min, max, value;
  } of_double;
  gboolean of_boolean;    /**< default */
  gint of_enum;           /**< default */
  const gchar *of_string; /**< default, may be NULL */
} GstTfrcPropertyRange;

/** One property.  The macros below fill in type and range, and where the value is. */
typedef struct
{
  const gchar *name; /**< NULL ends the table */
  const gchar *nick;
  const gchar *blurb; /**< with the unit */
  GstTfrcPropertyChange change;

  gboolean is_secret; /**< a string that can be set and not be read, and that no URI has */

  GType type;                 /**< fundamental */
  GType (*get_type) (void);   /**< the type itself, of an enumeration, a boxed type or an object */
  GstTfrcPropertyRange range; /**< and default */

  gboolean has_field;
  gsize field; /**< offset in the settings, of a gchar * (owned), gint (also for enumerations and
                * booleans), guint, guint64, gdouble or GObject * (a reference) */

  /** Computes the value from the settings, in place of a field.  With the object's lock held. */
  void (*get) (gconstpointer settings, GValue *value);

  /** Of a string property without a field: sets other properties.  Without the object's lock, on the
   * thread of g_object_set(). */
  void (*set) (GstElement *element, const gchar *value);

  /** Returns whether a string property may have this text, otherwise FALSE with @a error set; NULL:
   * any text.  The element checks the text when it starts, and a URI when it is set. */
  gboolean (*check) (const gchar *text, GError **error);

  guint live; /**< what in a running stream depends on it: the element's bits; 0: nothing */
} GstTfrcProperty;

#define GST_TFRC_PROPERTY_STRING(value) .type = G_TYPE_STRING, .range.of_string = (value)
#define GST_TFRC_PROPERTY_INT(min, max, value) \
  .type = G_TYPE_INT, .range.of_int = { (min), (max), (value) }
#define GST_TFRC_PROPERTY_UINT(min, max, value) \
  .type = G_TYPE_UINT, .range.of_uint = { (min), (max), (value) }
#define GST_TFRC_PROPERTY_UINT64(min, max, value) \
  .type = G_TYPE_UINT64, .range.of_uint64 = { (min), (max), (value) }
#define GST_TFRC_PROPERTY_DOUBLE(min, max, value) \
  .type = G_TYPE_DOUBLE, .range.of_double = { (min), (max), (value) }
#define GST_TFRC_PROPERTY_BOOLEAN(value) .type = G_TYPE_BOOLEAN, .range.of_boolean = (value)
#define GST_TFRC_PROPERTY_ENUM(function, value) \
  .type = G_TYPE_ENUM, .get_type = (function), .range.of_enum = (value)
#define GST_TFRC_PROPERTY_BOXED(function) .type = G_TYPE_BOXED, .get_type = (function)

#define GST_TFRC_PROPERTY_OBJECT(function) .type = G_TYPE_OBJECT, .get_type = (function)

/** The value is this field of the settings' struct. */
#define GST_TFRC_PROPERTY_FIELD(Struct, member) \
  .has_field = TRUE, .field = G_STRUCT_OFFSET (Struct, member)

/** Installs the properties.  Row i gets the id i + 1. */
void gst_tfrc_properties_install (GObjectClass *klass, const GstTfrcProperty *table);

/** Asks the row's `check' of an installed property.  Any thread. */
gboolean gst_tfrc_properties_check (GParamSpec *spec, const gchar *text, GError **error);

/** Sets every field of the settings to its default, and frees the strings and objects in them. */
void gst_tfrc_properties_init (const GstTfrcProperty *table, gpointer settings);
void gst_tfrc_properties_clear (const GstTfrcProperty *table, gpointer settings);

/** For the element's GObjectClass.set_property and get_property.  A string that is set to NULL
 * gets its default.  Fields are read and written under the object's lock.  Any thread.
 * @return the row's `live': the element gives the stream that runs the new value, or gets the value
 *   from the stream instead of from the settings */
guint gst_tfrc_properties_set (const GstTfrcProperty *table, gpointer settings, GObject *object,
    guint id, const GValue *value, GParamSpec *spec);
guint gst_tfrc_properties_get (const GstTfrcProperty *table, gpointer settings, GObject *object,
    guint id, GValue *value, GParamSpec *spec);

G_END_DECLS
#endif
