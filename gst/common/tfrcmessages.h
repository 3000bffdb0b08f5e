/* What both elements say to the application: statistics, and messages that
 * never come from the I/O loop's thread */
#ifndef TFRC_MESSAGES_H
#define TFRC_MESSAGES_H

#include <gst/gst.h>

#include "tfrchistogram.h"

G_BEGIN_DECLS

#define TFRC_STATS_MESSAGE "tfrc-stats"

/** Adds the fields NAME-mean, NAME-p99 and NAME-max, guint64 ns. */
void tfrc_stats_add_delay (GstStructure *stats, const gchar *name, const TfrcHistogram *histogram);

/** Adds a field "time" (monotonic, guint64 ns), posts @a stats as an element
 * message "tfrc-stats", and notifies the property "stats".  Takes @a stats.
 * Any thread but the I/O loop's. */
void tfrc_stats_post (GstElement *element, GstStructure *stats);

G_END_DECLS
#endif
