/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The movies of a folder.  A movie is a regular file right in the folder: neither a symbolic link
 * nor a file in a folder below is one, so that no name leads out of the folder. */
#ifndef SERVER_MOVIES_H
#define SERVER_MOVIES_H

#include <glib.h>

#include "feeder.h"

G_BEGIN_DECLS

typedef enum
{
  MOVIE_TRANSPORT_STREAM, /**< .ts: played as it is */
  MOVIE_MP4               /**< .mp4: goes into a transport stream without transcoding */
} MovieFormat;

typedef struct
{
  gchar *name;      /**< UTF-8, without control characters and slashes */
  guint64 bytes;    /**< of all renditions */
  guint renditions; /**< how many there are; 0: the movie is one file */
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
 *   SERVER_ERROR_BAD_REQUEST if no movie can have this name, SERVER_ERROR_NOT_FOUND if there is no such
 *   movie. */
guint movies_open (
    Movies *movies, const gchar *name, MovieFormat *format, FeederFile *files, GError **error);

G_END_DECLS
#endif
