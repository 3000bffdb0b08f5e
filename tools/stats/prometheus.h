/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of elements as metrics for Prometheus: its text format, version 0.0.4 */
#ifndef STATS_PROMETHEUS_H
#define STATS_PROMETHEUS_H

#include <gst/gst.h>

#define PROMETHEUS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/** Appends the lines that stand in front of the samples of a metric.
 *
 * @param type "gauge" or "counter" */
void prometheus_add_head (GString *text, const gchar *name, const gchar *type, const gchar *help);

/** Appends a sample.
 *
 * @param labels with their braces, or "" */
void prometheus_add_sample (GString *text, const gchar *name, const gchar *labels, gdouble value);

/** Returns the value of a label with its escapes, for between the quotes; free it with g_free(). */
gchar *prometheus_escape (const gchar *value);

/** One stream: its labels, as above, and the statistics of its tfrcsink or tfrcsrc */
typedef struct
{
  const gchar *labels;
  const GstStructure *stats;
} PrometheusStream;

/** Appends the metrics of streams in base units (seconds, bytes, ratios).  A metric has a sample of
 * each stream whose statistics have its field; a metric without a sample is left out.
 *
 * @param prefix of the names, such as "tfrc_" */
void prometheus_add_streams (
    GString *text, const gchar *prefix, const PrometheusStream *streams, guint n_streams);

#endif
