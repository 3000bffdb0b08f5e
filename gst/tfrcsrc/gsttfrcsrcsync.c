/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether what is downstream of tfrcsrc plays on time, see gsttfrcsrcsync.h. */
#include "gsttfrcsrcsync.h"

#include <gst/base/gstbasesink.h>

GType
gst_tfrc_tell_latency_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_TFRC_TELL_LATENCY_AUTO, "While something downstream synchronises to the clock", "auto" },
    { GST_TFRC_TELL_LATENCY_TRUE, "Always", "true" },
    { GST_TFRC_TELL_LATENCY_FALSE, "Never", "false" }, { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcTellLatency", values));
  return type;
}

/* The sink pads that were found, and those of them that have not been visited; all are references. */
typedef struct
{
  GHashTable *seen;
  GQueue to_visit;
} Search;

/* Elements may be linked in a circle, and to each other in several ways. */
static void
add_peer (Search *search, GstPad *pad)
{
  GstPad *peer = gst_pad_get_peer (pad);

  if (peer && g_hash_table_add (search->seen, peer))
    g_queue_push_tail (&search->to_visit, peer);
}

static void
add_peer_of_value (const GValue *pad, gpointer search)
{
  add_peer (search, g_value_get_object (pad));
}

/* Goes on at the other pads of the element, or at the other side of the wall of a bin. */
static void
add_linked (Search *search, GstPad *pad)
{
  GstIterator *links = gst_pad_iterate_internal_links (pad);

  if (links == NULL)
    return;
  while (gst_iterator_foreach (links, add_peer_of_value, search) == GST_ITERATOR_RESYNC)
    gst_iterator_resync (links);
  gst_iterator_free (links);
}

/* Returns whether the pad is that of a sink that waits for the clock. */
static gboolean
visit (Search *search, GstPad *pad)
{
  GstObject *parent = gst_object_get_parent (GST_OBJECT (pad));
  gboolean is_sink = parent && GST_IS_BASE_SINK (parent);
  gboolean waits = is_sink && gst_base_sink_get_sync (GST_BASE_SINK (parent));

  if (!is_sink)
    add_linked (search, pad);
  gst_clear_object (&parent);
  return waits;
}

gboolean
gst_tfrc_src_is_synchronised (GstPad *pad)
{
  Search search = {
    .seen = g_hash_table_new_full (NULL, NULL, gst_object_unref, NULL),
    .to_visit = G_QUEUE_INIT,
  };
  gboolean found = FALSE;

  add_peer (&search, pad);
  while (!found && !g_queue_is_empty (&search.to_visit))
    found = visit (&search, g_queue_pop_head (&search.to_visit));
  g_queue_clear (&search.to_visit);
  g_hash_table_unref (search.seen);
  return found;
}
