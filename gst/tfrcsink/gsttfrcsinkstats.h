/* The `stats' property of tfrcsink */
#ifndef GST_TFRC_SINK_STATS_H
#define GST_TFRC_SINK_STATS_H

#include <gst/gst.h>

#include "../session/sinkstream.h"

G_BEGIN_DECLS

/** Returns the statistics as a structure that the caller owns; all zero if
 * @a stats is NULL. */
GstStructure *gst_tfrc_sink_stats_new (const GstTfrcSinkStreamStats *stats);

const gchar *gst_tfrc_peer_state_get_name (GstTfrcPeerState state);

G_END_DECLS
#endif
