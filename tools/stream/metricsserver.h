/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An HTTP server for Prometheus: GET /metrics */
#ifndef STREAM_METRICSSERVER_H
#define STREAM_METRICSSERVER_H

#include <gst/gst.h>

typedef struct _MetricsServer MetricsServer;

/** Listens for requests, which are answered by the default main context.
 *
 * @param element tfrcsink or tfrcsrc, whose statistics are read for each request
 * @param address numeric address; NULL is 127.0.0.1
 * @param port TCP port; 0 is any free port
 * @return NULL with an error; otherwise metrics_server_free() frees it */
MetricsServer *metrics_server_new (
    GstElement *element, const gchar *address, guint16 port, GError **error);

/** Returns where the metrics are, as a URI, which the caller frees with g_free(). */
gchar *metrics_server_dup_uri (const MetricsServer *server);

/** @param server may be NULL */
void metrics_server_free (MetricsServer *server);

#endif
