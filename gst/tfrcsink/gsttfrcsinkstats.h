/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of a stream to one receiver, as tfrcsink tells them. */
#ifndef GST_TFRC_SINK_STATS_H
#define GST_TFRC_SINK_STATS_H

#include "../stream/sinkstream.h"

G_BEGIN_DECLS

/** Returns the property `stats' (docs/statistics.md), which the caller owns. */
GstStructure *gst_tfrc_sink_stats_new (const GstTfrcSinkStreamStats *stats);

/** Adds what the deadline has dropped, in all and by class. */
void gst_tfrc_sink_stats_add_deadline (GstStructure *s, const GstTfrcDeadlineStats *deadline);

G_END_DECLS
#endif
