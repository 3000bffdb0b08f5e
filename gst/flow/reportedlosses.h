/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receiver reports say was lost, in all. Their own sum has 24 bits and a sign, and stands still at its highest value
 * (RFC 3550 section 6.4.1): from then on the fraction of each report counts. No lock. */
#ifndef GST_TFRC_REPORTEDLOSSES_H
#define GST_TFRC_REPORTEDLOSSES_H

#include <glib.h>
#include <tfrc/wire.h>

G_BEGIN_DECLS

/** Zero-initialised: no report has come. */
typedef struct
{
  guint64 packets;
  guint32 highest_seq; /* of the last report */
} GstTfrcReportedLosses;

void gst_tfrc_reported_losses_on_report (GstTfrcReportedLosses *self, const TfrcWireReport *report);

/** Returns the packets that were lost so far. */
guint64 gst_tfrc_reported_losses_get (const GstTfrcReportedLosses *self);

G_END_DECLS

#endif
