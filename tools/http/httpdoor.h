/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connections of an HTTP server: a bounded number, each for a bounded time */
#ifndef HTTP_DOOR_H
#define HTTP_DOOR_H

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _HttpDoor HttpDoor;

/** Listens, and hands each connection to libsoup, which closes it after one request.
 *
 * A connection that is still there after @a deadline_ms is shut down. If @a max_connections are
 * open, a new one takes the place of the oldest: so clients that hold connections cannot lock out
 * one that asks and leaves.
 *
 * @param server takes the connections on the thread of the default main context
 * @param address a numeric address of this host
 * @param port 0 is any free port
 * @return NULL with @a error set (G_IO_ERROR) if it cannot listen there; http_door_free() frees it */
HttpDoor *http_door_new (SoupServer *server, const gchar *address, guint16 port,
    guint max_connections, guint deadline_ms, GError **error);

/** Returns the address with the port that was chosen. */
GInetSocketAddress *http_door_get_address (const HttpDoor *door);

/** Returns whether a connection was not shut down.
 *
 * @param remote the object that libsoup's messages of the connection return */
gboolean http_door_is_open (const HttpDoor *door, const GSocketAddress *remote);

/** Tells a client that no more comes; the client can still send. */
void http_door_end_output (const HttpDoor *door, const GSocketAddress *remote);

/** Stops listening, and shuts all connections down. */
void http_door_free (HttpDoor *door);

G_END_DECLS
#endif
