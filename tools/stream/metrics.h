/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics for Prometheus: its text format, version 0.0.4 */
#ifndef STREAM_METRICS_H
#define STREAM_METRICS_H

#include <gst/gst.h>

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/** Returns the metrics of a stream, with base units (seconds, bytes, ratios).
 *
 * @param stats statistics of tfrcsink or tfrcsrc. A metric whose field is not there is left out.
 * @return the text, which the caller frees with g_free() */
gchar *metrics_format (const GstStructure *stats);

#endif
