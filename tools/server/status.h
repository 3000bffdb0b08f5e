/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The server's answers, as JSON */
#ifndef SERVER_STATUS_H
#define SERVER_STATUS_H

#include "streams.h"

G_BEGIN_DECLS

/** What the server is: name, version, the most streams at the same time, the UDP port for calls, and whether it draws QR
 * codes.
 *
 * @param media_port 0: nobody can call
 * @return a text, as of the functions below, which the caller frees with g_free() */
gchar *status_server (guint max_streams, guint16 media_port, gboolean has_qr);

/** @param movies array of Movie */
gchar *status_movies (const GPtrArray *movies);

/** One object: number, state, movie, host, port, times (ISO 8601), error, and the statistics with
 * the names and units of docs/statistics.md. */
gchar *status_stream (const StreamStatus *status);

/** An array of such objects.  @param list array of StreamStatus */
gchar *status_streams (const GPtrArray *list);

G_END_DECLS
#endif
