/* Statistics of elements as JSON, see statslog.h. */
#include "statslog.h"

#include <inttypes.h>
#include <math.h>

static void write_value (FILE *file, const GValue *value);

static void
write_string (FILE *file, const gchar *text)
{
  const guchar *c;

  fputc ('"', file);
  for (c = (const guchar *) (text ? text : ""); *c != 0; c++) {
    if (*c == '"' || *c == '\\')
      fprintf (file, "\\%c", *c);
    else if (*c < 0x20)
      fprintf (file, "\\u%04x", *c);
    else
      fputc (*c, file);
  }
  fputc ('"', file);
}

/* JSON knows no infinity, and its decimal point is no matter of locale. */
static void
write_double (FILE *file, gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (number))
    fputs (g_ascii_dtostr (text, sizeof text, number), file);
  else
    fputs ("null", file);
}

static void
write_structure (FILE *file, const GstStructure *s)
{
  gint i;

  fputc ('{', file);
  for (i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *name = gst_structure_nth_field_name (s, i);

    if (i > 0)
      fputs (", ", file);
    write_string (file, name);
    fputs (": ", file);
    write_value (file, gst_structure_get_value (s, name));
  }
  fputc ('}', file);
}

/* Lists of statistics, one for each peer, are still of this type in several
 * elements. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS;

static void
write_value_array (FILE *file, const GValueArray *array)
{
  guint i;

  fputc ('[', file);
  for (i = 0; array != NULL && i < array->n_values; i++) {
    if (i > 0)
      fputs (", ", file);
    write_value (file, &array->values[i]);
  }
  fputc (']', file);
}

static gboolean
is_value_array (const GValue *value)
{
  return G_VALUE_HOLDS (value, g_value_array_get_type ());
}

G_GNUC_END_IGNORE_DEPRECATIONS;

static void
write_gst_array (FILE *file, const GValue *array)
{
  guint i;

  fputc ('[', file);
  for (i = 0; i < gst_value_array_get_size (array); i++) {
    if (i > 0)
      fputs (", ", file);
    write_value (file, gst_value_array_get_value (array, i));
  }
  fputc (']', file);
}

static void
write_value (FILE *file, const GValue *value)
{
  GValue converted = G_VALUE_INIT;

  if (G_VALUE_HOLDS_BOOLEAN (value)) {
    fputs (g_value_get_boolean (value) ? "true" : "false", file);
  } else if (G_VALUE_HOLDS_UINT64 (value)) {
    fprintf (file, "%" PRIu64, g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_INT (value) || G_VALUE_HOLDS_UINT (value) || G_VALUE_HOLDS_LONG (value)
      || G_VALUE_HOLDS_INT64 (value)) {
    g_value_init (&converted, G_TYPE_INT64);
    g_value_transform (value, &converted);
    fprintf (file, "%" PRId64, g_value_get_int64 (&converted));
    g_value_unset (&converted);
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    write_double (file, g_value_get_double (value));
  } else if (G_VALUE_HOLDS_FLOAT (value)) {
    write_double (file, g_value_get_float (value));
  } else if (G_VALUE_HOLDS_STRING (value)) {
    write_string (file, g_value_get_string (value));
  } else if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    write_structure (file, gst_value_get_structure (value));
  } else if (GST_VALUE_HOLDS_ARRAY (value)) {
    write_gst_array (file, value);
  } else if (is_value_array (value)) {
    write_value_array (file, g_value_get_boxed (value));
  } else {
    gchar *text = g_strdup_value_contents (value);

    write_string (file, text);
    g_free (text);
  }
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

  fprintf (file, "{\"time_ns\": %" PRIu64 ", \"element\": ", time_ns);
  write_string (file, GST_OBJECT_NAME (element));
  fputs (", \"factory\": ", file);
  write_string (file, factory ? GST_OBJECT_NAME (factory) : "");
  fputs (", \"stats\": ", file);
  write_structure (file, stats);
  fputs ("}\n", file);
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
  /* A bin that changes meanwhile costs the rest of this line, no more. */
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
