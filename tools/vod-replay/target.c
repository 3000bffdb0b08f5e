/* Where packets go, see target.h. */
#include "target.h"

GstElement *
target_make_sink (const Target * target, GError ** error)
{
  GstElement *sink;

  if (target->description != NULL)
    return gst_parse_bin_from_description (target->description, TRUE, error);
  if (target->uri != NULL)
    return gst_element_make_from_uri (GST_URI_SINK, target->uri, NULL, error);
  sink = gst_element_factory_make ("filesink", NULL);
  if (sink != NULL)
    g_object_set (sink, "location", target->path, "sync", FALSE, NULL);
  return sink;
}

static void
prepend_element (const GValue * item, gpointer list)
{
  *(GList **) list = g_list_prepend (*(GList **) list,
      g_value_get_object (item));
}

/* The sink, or all elements that it consists of. */
static GList *
elements_of (GstElement * sink)
{
  GList *elements = NULL;
  GstIterator *iterator;

  if (!GST_IS_BIN (sink))
    return g_list_prepend (NULL, sink);
  iterator = gst_bin_iterate_recurse (GST_BIN (sink));
  gst_iterator_foreach (iterator, prepend_element, &elements);
  gst_iterator_free (iterator);
  return elements;
}

static gboolean
has_tfrc_sink (GList * elements)
{
  for (; elements != NULL; elements = elements->next) {
    GstElementFactory *factory = gst_element_get_factory (elements->data);

    if (factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), "tfrcsink"))
      return TRUE;
  }
  return FALSE;
}

/* clocksync has waited already: to wait once more would only add latency. */
static void
do_not_synchronise (GList * elements)
{
  for (; elements != NULL; elements = elements->next)
    if (GST_OBJECT_FLAG_IS_SET (elements->data, GST_ELEMENT_FLAG_SINK)
        && g_object_class_find_property (G_OBJECT_GET_CLASS (elements->data),
            "sync"))
      g_object_set (elements->data, "sync", FALSE, NULL);
}

gboolean
target_needs_pacing (const Target * target, GstElement * sink)
{
  GList *elements;
  gboolean needed;

  if (target->path != NULL)
    return FALSE;
  elements = elements_of (sink);
  needed = !has_tfrc_sink (elements);
  if (needed)
    do_not_synchronise (elements);
  g_list_free (elements);
  return needed;
}
