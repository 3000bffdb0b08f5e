/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The UDP port of the server: receivers call it and ask for a movie by its name, and each gets a stream of its
 * own (streams.h) over this port. All functions run on the thread of the main loop. */
#ifndef SERVER_DOOR_H
#define SERVER_DOOR_H

#include "streams.h"

G_BEGIN_DECLS

typedef struct _Door Door;

/** Opens the port.
 *
 * @param streams stays the caller's, and has to live longer
 * @param address of this host; "::" is all of them
 * @return NULL with @a error set if the port cannot be opened.  Free the object with door_free(). */
Door *door_new (Streams *streams, const gchar *address, guint16 port, GError **error);

/** Closes the port, which ends the streams of its callers.  NULL is allowed. */
void door_free (Door *door);

/** Returns what a receiver calls without the movie's name, as tfrc://[::]:5004; free it with g_free(). */
gchar *door_dup_uri (const Door *door);

G_END_DECLS
#endif
