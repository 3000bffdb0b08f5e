/* Where packets go: an address, a sink described by the user, a file. */
#ifndef VOD_REPLAY_TARGET_H
#define VOD_REPLAY_TARGET_H

#include <gst/gst.h>

/** One of these; the others are NULL. */
typedef struct
{
  const gchar *uri;
  const gchar *description; /* as for gst-launch */
  const gchar *path;        /* of a file, written as fast as possible */
} Target;

/** Floating; NULL on error, and perhaps without one if a plugin is missing. */
GstElement *target_make_sink (const Target *target, GError **error);

/** Whether packets are to be held back until they are due.  If so, it has the
 * sink not do it. */
gboolean target_needs_pacing (const Target *target, GstElement *sink);

#endif
