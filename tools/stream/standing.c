/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The standing of a stream, see standing.h */
#include "standing.h"

#include "progress.h"

void
standing_get (Standing *standing, const Program *program, GstElement *element)
{
  GstStructure *stats;
  const gchar *state;
  guint callers;

  g_object_get (element, "stats", &stats, NULL);
  state = gst_structure_get_string (stats, "peer-state");
  standing->dropped = progress_count (stats, "packets-dropped");
  if (state != NULL) {
    standing->has_met_peer = !g_str_equal (state, "waiting");
    standing->waits_for_receiver = !g_str_equal (state, "connected");
  } else {
    standing->has_met_peer = progress_count (stats, program->packets) > 0;
    standing->waits_for_receiver = gst_structure_get_uint (stats, "callers-accepted", &callers)
        && callers == 0;
  }
  gst_structure_free (stats);
}
