/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Movies that are no transport streams, as transport streams: each is remuxed once, into a file that all of its viewers
 * read, the first of them while it grows (growing.h).  The files have no names and a common limit.  One that nobody
 * reads any more stays until its room is needed, if it is complete.
 *
 * All functions run on the thread of the main loop. */
#ifndef SERVER_REMUXES_H
#define SERVER_REMUXES_H

#include "growing.h"

G_BEGIN_DECLS

typedef struct _Remuxes Remuxes;

/** @param folder where the files are
 * @param max_bytes of all files together */
Remuxes *remuxes_new (const gchar *folder, guint64 max_bytes);

/** Ends what is under way; files that are read stay until their readers have gone. */
void remuxes_free (Remuxes *remuxes);

/** Returns the transport stream of a movie, which is begun unless it is there.
 *
 * @param fd of the movie, which the caller may close afterwards.  A file that has changed (its size or time) is another
 *   movie.
 * @return a reference; NULL with @a error set: SERVER_ERROR_BUSY if there is no room beside the movies that play,
 *   SERVER_ERROR_FAILED if the movie is larger than all room, or if the file or the pipeline cannot be made */
Growing *remuxes_open (Remuxes *remuxes, int fd, GError **error);

/** Stops and drops what is not complete and has no reader. */
void remuxes_tidy (Remuxes *remuxes);

G_END_DECLS
#endif
