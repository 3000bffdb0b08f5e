/* The `stats' property of tfrcsrc */
#ifndef GST_TFRC_SRC_STATS_H
#define GST_TFRC_SRC_STATS_H

#include "../session/srcstream.h"

G_BEGIN_DECLS

/** Returns the statistics as a structure that the caller owns; all zero if
 * @a stats is NULL. */
GstStructure *gst_tfrc_src_stats_new (const GstTfrcSrcStreamStats *stats);

G_END_DECLS
#endif
