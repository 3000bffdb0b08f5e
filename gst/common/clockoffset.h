/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lead of the monotonic clock, which TFRC uses, over the pipeline's clock */
#ifndef GST_TFRC_CLOCKOFFSET_H
#define GST_TFRC_CLOCKOFFSET_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** Zero-initialise. */
typedef struct
{
  gboolean is_known;
  gint64 offset_ns; /**< monotonic time minus the pipeline's time */
} GstTfrcClockOffset;

/** Takes a reading of the pipeline's clock between two readings of the monotonic clock. The offset
 * changes no further than the readings demand: a thread that is interrupted between them moves
 * nothing. */
void gst_tfrc_clock_offset_update (
    GstTfrcClockOffset *offset, guint64 before_ns, GstClockTime clock_ns, guint64 after_ns);

/** Reads both clocks, and updates the offset.
 * @return FALSE if the element has no clock */
gboolean gst_tfrc_clock_offset_read (GstTfrcClockOffset *offset, GstElement *element);

G_END_DECLS
#endif
