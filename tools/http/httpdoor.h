/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connections of an HTTP server: how many, for how long, and with which requests */
#ifndef HTTP_DOOR_H
#define HTTP_DOOR_H

#include <libsoup/soup.h>

#include "httphead.h"

G_BEGIN_DECLS

typedef struct _HttpDoor HttpDoor;

typedef struct
{
  gsize max_body_bytes;  /**< of a request */
  guint max_connections; /**< at the same time */
  guint deadline_ms;     /**< of a connection, with its request and the answer */
} HttpDoorLimits;

/** Listens, and hands connections to libsoup, which closes each after one request.
 *
 * Before, it looks at the head of the request, and answers itself what must not reach libsoup. A
 * connection that is still there at its deadline is shut down. If max_connections are open, a new one
 * takes the place of the oldest: so clients that hold connections cannot lock out one that asks and
 * leaves.
 *
 * @param server takes the connections on the thread of the default main context
 * @param address a numeric address of this host; if it is a loopback address, requests for hosts with
 *   other names than localhost are refused
 * @param port 0 is any free port
 * @return NULL with @a error set (G_IO_ERROR) if it cannot listen there; http_door_free() frees it */
HttpDoor *http_door_new (SoupServer *server, const gchar *address, guint16 port,
    const HttpDoorLimits *limits, GError **error);

/** Returns the address with the port that was chosen. */
GInetSocketAddress *http_door_get_address (const HttpDoor *door);

/** Stops listening, and shuts all connections down. */
void http_door_free (HttpDoor *door);

G_END_DECLS
#endif
