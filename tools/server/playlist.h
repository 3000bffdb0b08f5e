/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A media playlist of HLS (RFC 8216) with a whole movie, whose segments are transport streams in the
 * folder of the playlist */
#ifndef SERVER_PLAYLIST_H
#define SERVER_PLAYLIST_H

#include <glib.h>

G_BEGIN_DECLS

/** The longest playlist that is read, and the most segments in it: 36 hours of segments of 4 s */
#define PLAYLIST_MAX_BYTES (4 << 20)
#define PLAYLIST_MAX_SEGMENTS 32768

/** Reads a playlist.
 *
 * @param text may be anything
 * @param duration_ns set to how long all segments last (EXTINF); 0: of one of them that is not told.  May be NULL
 * @return the names of the segments in their order, which are plain (names.h), ended by NULL; free
 *   them with g_strfreev().  NULL with @a error set (SERVER_ERROR_FAILED) if the playlist is
 *   malformed, or of a kind that cannot be played: of renditions, not complete, with segments that
 *   are elsewhere, encrypted, parts of a file, or no transport streams.  The message has the number
 *   of the line and says what to do. */
gchar **playlist_parse (const gchar *text, gsize bytes, guint64 *duration_ns, GError **error);

G_END_DECLS
#endif
