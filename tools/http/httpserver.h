/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An HTTP server that no client can fill or lock up: what a request may have, and its answer */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _HttpServer HttpServer;

/** Answers a request with http_answer() or http_refuse().
 *
 * @param message its request body is complete, and has at most max_body_bytes
 * @param path without escapes */
typedef void (*HttpHandler) (SoupServerMessage *message, const gchar *path, gpointer data);

typedef struct
{
  const gchar *name;     /**< of the header Server */
  gsize max_body_bytes;  /**< of a request; 0: requests have no body */
  guint max_connections; /**< at the same time; 0: 32 */
  guint deadline_ms;     /**< of a connection, with its request and the answer; 0: 10 000 */
  HttpHandler handle;    /**< on the thread of the default main context */
  gpointer data;         /**< for handle() */
} HttpConfig;

/** Starts to listen.
 *
 * What a client can cost is bounded: a connection has one request and one answer; requests with a
 * body that is too long or of unknown length, or with a head of more than 16 KiB, are refused before
 * their body is read, and so are methods that HTTP does not know. Requests for a part of an answer
 * (Range) get the whole.
 *
 * A page of another server, which a browser shows, can make no request: one with an Origin that is not
 * the Host is refused (403), and so is a POST whose type is not application/json (415).
 *
 * @param address a numeric address of this host. If it is a loopback address, requests for hosts
 *   with other names than localhost are refused: a page of a browser reaches a server of this host
 *   by a name that its owner lets point here (DNS rebinding).
 * @param port 0 is any free port
 * @return NULL with @a error set (G_IO_ERROR); http_server_free() frees it */
HttpServer *http_server_new (
    const HttpConfig *config, const gchar *address, guint16 port, GError **error);

/** Returns http://ADDRESS:PORT, which the caller frees with g_free(). */
gchar *http_server_dup_uri (const HttpServer *server);

/** Stops listening, and closes all connections.
 *
 * @param server may be NULL */
void http_server_free (HttpServer *server);

/** Answers a request.
 *
 * @param code HTTP status
 * @param type of the body
 * @param body is taken over */
void http_answer (SoupServerMessage *message, guint code, const gchar *type, gchar *body);

/** Answers with the JSON {"error": why}. */
void http_refuse (SoupServerMessage *message, guint code, const gchar *why);

/** Refuses the method (405).  @param allowed the methods that the path has, separated by ", " */
void http_refuse_method (SoupServerMessage *message, const gchar *allowed);

G_END_DECLS
#endif
