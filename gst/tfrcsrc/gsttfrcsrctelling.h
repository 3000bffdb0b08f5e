/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsrc tells the application: the events of its stream as messages, signals and notifications,
 * and the statistics.  Settings are read from the element's properties. */
#ifndef GST_TFRC_SRC_TELLING_H
#define GST_TFRC_SRC_TELLING_H

#include "../stream/running.h"
#include "../stream/srcstream.h"

G_BEGIN_DECLS

/** For gst_tfrc_running_init() */
extern const GstTfrcTelling gst_tfrc_src_telling;

/** The stream's GstTfrcSrcEventsFunc: gst_tfrc_running_tell().
 * @param running GstTfrcRunning */
void gst_tfrc_src_telling_on_events (gpointer running);

/** Returns the property `stats' (docs/statistics.md), which the caller owns. */
GstStructure *gst_tfrc_src_stats_new (const GstTfrcSrcStreamStats *stats);

G_END_DECLS
#endif
