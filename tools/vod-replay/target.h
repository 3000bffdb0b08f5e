/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Destinations of packets: an address, a sink described by the user, or a file */
#ifndef VOD_REPLAY_TARGET_H
#define VOD_REPLAY_TARGET_H

#include <gst/gst.h>

/** Exactly one field is set; the others are NULL. */
typedef struct
{
  const gchar *uri;
  const gchar *description; /* as for gst-launch-1.0 */
  const gchar *path;        /* of a file, which is written as fast as possible */
} Target;

/** Returns a floating reference.  Returns NULL on error; @error may stay unset if a plugin is
 * missing. */
GstElement *target_make_sink (const Target *target, GError **error);

/** Returns whether the caller has to hold packets back until they are due.  If so, switches off
 * the sink's own wait. */
gboolean target_needs_pacing (const Target *target, GstElement *sink);

#endif
