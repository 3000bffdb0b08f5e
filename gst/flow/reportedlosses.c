/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receiver reports say was lost, see reportedlosses.h. */
#include "reportedlosses.h"

#define MOST_REPORTED 0x7fffff

/* A receiver that got packets twice says that it lost less than none. */
void
gst_tfrc_reported_losses_on_report (GstTfrcReportedLosses *self, const TfrcWireReport *report)
{
  if (report->packets_lost < MOST_REPORTED || self->packets < MOST_REPORTED)
    self->packets = (guint64) MAX (0, report->packets_lost);
  else
    self->packets += (guint16) (report->highest_seq - self->highest_seq)
        * (guint) report->fraction_lost / 256;
  self->highest_seq = report->highest_seq;
}

guint64
gst_tfrc_reported_losses_get (const GstTfrcReportedLosses *self)
{
  return self->packets;
}
