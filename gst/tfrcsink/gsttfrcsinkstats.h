/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property `stats' of tfrcsink; docs/statistics.md says what the fields mean. */
#ifndef GST_TFRC_SINK_STATS_H
#define GST_TFRC_SINK_STATS_H

#include "gsttfrcsinkobject.h"

G_BEGIN_DECLS

/** Returns the statistics as a structure that the caller owns.  Without a stream, the counts are 0
 * and the choices are those of the properties.  Any thread. */
GstStructure *gst_tfrc_sink_get_stats (GstTfrcSink *self);

G_END_DECLS
#endif
