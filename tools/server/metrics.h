/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of the server and its streams for Prometheus */
#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

#include "streams.h"

G_BEGIN_DECLS

/** Returns all metrics, with base units (seconds, bytes, ratios).
 *
 * A stream has series of its own while it plays.  When it has ended, it only counts: a client could
 * cause any number of series otherwise.
 *
 * @param list array of StreamStatus
 * @param limit how many streams may play
 * @return the text, which the caller frees with g_free() */
gchar *metrics_format (const GPtrArray *list, const StreamTotals *totals, guint limit);

G_END_DECLS
#endif
