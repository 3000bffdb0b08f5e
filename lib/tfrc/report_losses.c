/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* p from receiver reports, see report_losses.h. */
#include "report_losses.h"

#include <math.h>

#include "units.h"

#define HISTORY_LENGTH 8 /* n of section 5.4 */

void
tfrc_report_losses_init (TfrcReportLosses *losses)
{
  tfrc_loss_intervals_init (
      &losses->intervals, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, HISTORY_LENGTH, true);
  losses->seq = 0;
}

uint64_t
tfrc_report_losses_events (uint64_t lost, uint64_t elapsed_ns, uint64_t rtt_ns)
{
  uint64_t round_trips = rtt_ns == 0 ? lost : (elapsed_ns + rtt_ns - 1) / rtt_ns;
  uint64_t events = lost < round_trips ? lost : round_trips;

  return events > 0 ? events : 1;
}

void
tfrc_report_losses_on_report (
    TfrcReportLosses *losses, uint64_t packets, uint64_t events, double first_interval)
{
  TfrcLossIntervals *intervals = &losses->intervals;
  uint64_t start, length;

  losses->seq += packets;
  if (events == 0)
    return;
  if (tfrc_loss_intervals_events (intervals) == 0) {
    tfrc_loss_intervals_first_event (intervals, first_interval, losses->seq, 0);
    return;
  }
  start = tfrc_loss_intervals_start_seq (intervals);
  length = (losses->seq - start) / events;
  losses->seq = start + (length > 0 ? length : 1);
  tfrc_loss_intervals_new_event (intervals, losses->seq, 0);
}

double
tfrc_report_losses_p (const TfrcReportLosses *losses)
{
  double mean = tfrc_loss_intervals_mean (&losses->intervals, losses->seq);

  return mean > 0 ? fmin (1 / mean, 1) : 0;
}
