/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of both elements, and what their statistics share */
#ifndef GST_TFRC_MESSAGES_H
#define GST_TFRC_MESSAGES_H

#include <gst/gst.h>

#include "histogram.h"

G_BEGIN_DECLS

/** The name of the structure of the property `stats', whose fields tell the element */
#define GST_TFRC_STATS_NAME "application/x-tfrc-statistics"

#define GST_TFRC_STATS_MESSAGE "tfrc-stats"

/** Adds the fields NAME-mean, NAME-p99 and NAME-max (guint64, ns) to @a stats. */
void gst_tfrc_stats_add_delay (
    GstStructure *stats, const gchar *name, const GstTfrcHistogram *histogram);

/** Posts @a fields, which the function takes over, as an element message.  Runs the application's code: any
 * thread but the I/O loop's, without a lock held. */
void gst_tfrc_message_post (GstElement *element, GstStructure *fields);

/** Posts the property "stats" with a field "time" (monotonic, guint64 ns) as an element message
 * "tfrc-stats", and notifies the property.  The rules of gst_tfrc_message_post() hold. */
void gst_tfrc_stats_post (GstElement *element);

/** Does the same at the end of a stream, if the property "stats-update-interval" asks for statistics. */
void gst_tfrc_stats_post_last (GstElement *element);

/** Says whether anybody hears notifications of this property: handlers of the element's notify, and those of deep-notify of
 * the bins around it, for this property or for all. */
gboolean gst_tfrc_notify_is_heard (GstElement *element, const gchar *property);

G_END_DECLS
#endif
