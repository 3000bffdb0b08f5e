/* What both elements say to the application: statistics, and messages that
 * never come from the I/O loop's thread */
#ifndef GST_TFRC_MESSAGES_H
#define GST_TFRC_MESSAGES_H

#include <gst/gst.h>

#include "histogram.h"

G_BEGIN_DECLS

#define GST_TFRC_STATS_MESSAGE "tfrc-stats"

/** Adds the fields NAME-mean, NAME-p99 and NAME-max, guint64 ns. */
void gst_tfrc_stats_add_delay (
    GstStructure *stats, const gchar *name, const GstTfrcHistogram *histogram);

/** Adds a field "time" (monotonic, guint64 ns), posts @a stats as an element
 * message "tfrc-stats", and notifies the property "stats".  Takes @a stats.
 * Any thread but the I/O loop's. */
void gst_tfrc_stats_post (GstElement *element, GstStructure *stats);

G_END_DECLS
#endif
