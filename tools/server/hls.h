/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder with a movie in segments of HLS: index.m3u8, or the only file *.m3u8, is the playlist */
#ifndef SERVER_HLS_H
#define SERVER_HLS_H

#include <glib.h>

G_BEGIN_DECLS

/** Returns whether a folder has a playlist, which may be wrong. */
gboolean hls_has_playlist (int folder);

/** Reads the playlist of a folder, and looks for its segments.
 *
 * @param folder a descriptor; stays the caller's
 * @param bytes set to the size of all segments; may be NULL
 * @param duration_ns as of playlist_parse()
 * @return the names of the segments in their order, as of playlist_parse(), which are those of
 *   regular files.  NULL with @a error set (SERVER_ERROR_FAILED) if the playlist cannot be played.
 */
gchar **hls_read (int folder, guint64 *bytes, guint64 *duration_ns, GError **error);

G_END_DECLS
#endif
