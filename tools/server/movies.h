/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The movies of a folder.  A movie is a regular file right in the folder, or a folder in it with a
 * playlist and its segments (hls.h).  Symbolic links are not followed, so that no name leads out of
 * the folder. */
#ifndef SERVER_MOVIES_H
#define SERVER_MOVIES_H

#include <glib.h>

#include "feeder.h"

G_BEGIN_DECLS

typedef enum
{
  MOVIE_TRANSPORT_STREAM, /**< .ts, or segments: played as it is */
  MOVIE_MP4,              /**< .mp4: goes into a transport stream without transcoding */
  MOVIE_MATROSKA          /**< .mkv, .webm: the same */
} MovieFormat;

typedef struct
{
  gchar *name;                       /**< UTF-8, without control characters and slashes */
  guint64 bytes;                     /**< of all renditions, or segments; 0: they cannot be read */
  guint renditions;                  /**< how many there are; 0: the movie has none */
  gboolean is_protected, needs_user; /**< for its owner to set */
  gchar *error; /**< why the movie cannot be played, if that is known; else NULL */
} Movie;

typedef struct _Movies Movies;

/** Opens a folder.  @return NULL with @a error set (G_FILE_ERROR) if that is not possible.  Free
 * the object with movies_free(). */
Movies *movies_new (const gchar *folder, GError **error);

void movies_free (Movies *movies);

/** Lists the movies by name.  Files that are renditions of one movie (tools/server/renditions.h) are
 * listed as that movie, and as they are.
 *
 * @return an array of Movie; free it with g_ptr_array_unref().  NULL with @a error set
 *   (G_FILE_ERROR) if the folder cannot be read. */
GPtrArray *movies_list (Movies *movies, GError **error);

/** Opens a movie for reading.
 *
 * @param name a name of the list, from outside: may be anything
 * @param format where to store the format
 * @param files room for LADDER_MOST_RENDITIONS: set to the movie's file, or to its renditions
 * @return how many files, which the caller closes with renditions_close().  0 with @a error set:
 *   SERVER_ERROR_BAD_REQUEST if no movie can have this name, SERVER_ERROR_NOT_FOUND if there is no
 *   such movie, SERVER_ERROR_FAILED if it cannot be read, or if it is known that it cannot be played. */
guint movies_open (
    Movies *movies, const gchar *name, MovieFormat *format, FeederFile *files, GError **error);

G_END_DECLS
#endif
