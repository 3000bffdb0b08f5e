/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bodies of POST /streams, what to play and to whom, and of PATCH /streams/ID */
#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** The longest body that is read.  json-glib reads nested arrays by recursion, so that this limits
 * the stack as well. */
#define REQUEST_MAX_BYTES 4096

typedef struct
{
  gchar *movie;
  gchar *host;
  guint16 port;
  GstStructure *properties; /**< of tfrcsink: a gint64, a gboolean or a string each; may have a
                               passphrase */
  GstElement *listener; /**< of a call (door.h), which stays the caller's; NULL: the server sends to
                               host and port */
  guint64 caller_id;    /**< of a call */
} Request;

/** Reads a request.  Names of properties are checked, their values are not.
 *
 * @param text from outside: may be anything
 * @return FALSE with @a error set (SERVER_ERROR_BAD_REQUEST) if the text is not a request.  Otherwise
 *   the caller ends with request_clear(). */
gboolean request_parse (Request *request, const gchar *text, gsize bytes, GError **error);

/** The body of PATCH /streams/ID: what of a stream is to change */
typedef struct
{
  gboolean has_paused, paused;
  gboolean has_position;
  guint64 position_ns; /**< from the beginning of the movie */
} Change;

/** Reads a change, which says at least one thing.
 *
 * @param text from outside: may be anything
 * @return FALSE with @a error set (SERVER_ERROR_BAD_REQUEST) if the text is no change */
gboolean change_parse (Change *change, const gchar *text, gsize bytes, GError **error);

/** Returns whether the request says that the receiver sends nothing back. */
gboolean request_is_unresponsive (const Request *request);

/** Returns whether the request has a passphrase, which is not empty. */
gboolean request_has_passphrase (const Request *request);

void request_clear (Request *request);

G_END_DECLS
#endif
