/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property `stats' of tfrcsrc; docs/statistics.md says what the fields mean. */
#ifndef GST_TFRC_SRC_STATS_H
#define GST_TFRC_SRC_STATS_H

#include "gsttfrcsrcobject.h"

G_BEGIN_DECLS

/** Returns the statistics as a structure that the caller owns.  Without a stream, the counts are 0
 * and the choices are those of the properties.  Any thread. */
GstStructure *gst_tfrc_src_get_stats (GstTfrcSrc *self);

G_END_DECLS
#endif
