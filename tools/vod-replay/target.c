/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Destinations of packets, see target.h. */
#include "target.h"

#include <gst/base/gstbasesink.h>

/* Puts an element with a known pad in front of the described sink.  GStreamer's own search for
 * an unlinked pad also looks into bins such as ristsink. */
static GstElement *
make_described_sink (const gchar *description, GError **error)
{
  gchar *text = g_strdup_printf ("identity name=vod-replay-input silent=true ! "
                                 "%s",
      description);
  GstElement *bin = gst_parse_bin_from_description (text, FALSE, error);

  g_free (text);
  if (bin != NULL) {
    GstElement *input = gst_bin_get_by_name (GST_BIN (bin), "vod-replay-input");
    GstPad *pad = gst_element_get_static_pad (input, "sink");

    gst_element_add_pad (bin, gst_ghost_pad_new ("sink", pad));
    gst_object_unref (pad);
    gst_object_unref (input);
  }
  return bin;
}

GstElement *
target_make_sink (const Target *target, GError **error)
{
  GstElement *sink;

  if (target->description != NULL)
    return make_described_sink (target->description, error);
  if (target->uri != NULL)
    return gst_element_make_from_uri (GST_URI_SINK, target->uri, NULL, error);
  sink = gst_element_factory_make ("filesink", NULL);
  if (sink != NULL)
    g_object_set (sink, "location", target->path, "sync", FALSE, NULL);
  return sink;
}

static void
prepend_element (const GValue *item, gpointer list)
{
  *(GList **) list = g_list_prepend (*(GList **) list, g_value_get_object (item));
}

/* Returns the sink, or all elements inside it if it is a bin. */
static GList *
elements_of (GstElement *sink)
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
has_tfrc_sink (GList *elements)
{
  for (; elements != NULL; elements = elements->next) {
    GstElementFactory *factory = gst_element_get_factory (elements->data);

    if (factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), "tfrcsink"))
      return TRUE;
  }
  return FALSE;
}

/* Returns whether the sink limits its rate, for which it has to wait itself. */
static gboolean
has_max_bitrate (GstElement *sink)
{
  guint64 max_bitrate = 0;

  if (GST_IS_BASE_SINK (sink))
    g_object_get (sink, "max-bitrate", &max_bitrate, NULL);
  return max_bitrate > 0;
}

/* clocksync has already waited until packets are due; another wait would only add latency. */
static void
do_not_synchronise (GList *elements)
{
  for (; elements != NULL; elements = elements->next)
    if (GST_OBJECT_FLAG_IS_SET (elements->data, GST_ELEMENT_FLAG_SINK)
        && g_object_class_find_property (G_OBJECT_GET_CLASS (elements->data), "sync")
        && !has_max_bitrate (elements->data))
      g_object_set (elements->data, "sync", FALSE, NULL);
}

gboolean
target_needs_pacing (const Target *target, GstElement *sink)
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
