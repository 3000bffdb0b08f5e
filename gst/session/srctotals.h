/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counts of a source's former senders.  The statistics of a session end with its sender; a
 * source's totals do not.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_SRCTOTALS_H
#define GST_TFRC_SRCTOTALS_H

#include "srcsession.h"

G_BEGIN_DECLS

/** All zero: there was no sender. */
typedef struct
{
  TfrcReceiverStats receiver; /* counts only */
  guint64 messages_dropped;
} GstTfrcSrcTotals;

/** The session ends: its counts become part of the totals. */
void gst_tfrc_src_totals_end_session (GstTfrcSrcTotals *self, const GstTfrcSrcSession *session);

/** Adds the counts of former senders to those of the present one. */
void gst_tfrc_src_totals_add_to (const GstTfrcSrcTotals *self, GstTfrcSrcSessionStats *stats);

G_END_DECLS
#endif
