/* The property `stats' of tfrcsrc; docs/statistics.md says what the fields mean. */
#ifndef GST_TFRC_SRC_STATS_H
#define GST_TFRC_SRC_STATS_H

#include "gsttfrcsrcobject.h"

G_BEGIN_DECLS

/** Returns the statistics as a structure that the caller owns.  Any thread. */
GstStructure *gst_tfrc_src_get_stats (GstTfrcSrc *self);

/** Returns these statistics as a structure that the caller owns.  With NULL all fields are zero. */
GstStructure *gst_tfrc_src_stats_new (const GstTfrcSrcStreamStats *stats);

G_END_DECLS
#endif
