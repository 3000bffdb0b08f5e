/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The HTTP interface of the server */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "movies.h"
#include "streams.h"

G_BEGIN_DECLS

typedef struct _Http Http;

/** Starts to listen.
 *
 * @param media_port UDP port for calls, which clients are told; 0: nobody can call
 * @param address numeric; if it is a loopback address, requests for other hosts are refused
 * @param port 0 is any free port
 * @return NULL with @a error set (G_IO_ERROR) if the server cannot listen there.  Free the object
 *   with http_free().  Requests are answered on the thread of the main loop. */
Http *http_new (Movies *movies, Streams *streams, guint16 media_port, const gchar *address,
    guint16 port, GError **error);

/** Returns http://ADDRESS:PORT, which the caller frees with g_free(). */
gchar *http_dup_uri (const Http *http);

/** Stops listening, and closes all connections. */
void http_free (Http *http);

G_END_DECLS
#endif
