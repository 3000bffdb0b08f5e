/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* p from receiver reports.
 *
 * RFC 5348 counts loss events: the losses of a round-trip time are one.  A report has only the number
 * of lost packets of some seconds.  That number, and the number of round-trip times if that is
 * smaller, is the most events that there can have been, and this number is assumed.
 *
 * All events of a report happened before the sender could answer.  So a report with losses closes one
 * loss interval, which has the packets since the last report with losses, divided by the events.
 * The average is that of RFC 5348 section 5.4, with history discounting.  The first interval is that
 * of section 6.3.1. */
#ifndef TFRC_REPORT_LOSSES_H
#define TFRC_REPORT_LOSSES_H

#include "loss_intervals.h"

typedef struct
{
  TfrcLossIntervals intervals;
  uint64_t seq; /* counts packets, of which each closed interval has as many as it counts */
} TfrcReportLosses;

void tfrc_report_losses_init (TfrcReportLosses *losses);

/* Returns how many loss events there were at most, at least 1. */
uint64_t tfrc_report_losses_events (uint64_t lost, uint64_t elapsed_ns, uint64_t rtt_ns);

/* A report about this number of packets, 1 or more, has come.
 * events: 0: no packet was lost.  first_interval: the synthetic first interval, >= 1 */
void tfrc_report_losses_on_report (
    TfrcReportLosses *losses, uint64_t packets, uint64_t events, double first_interval);

/* Returns p, 0..1. */
double tfrc_report_losses_p (const TfrcReportLosses *losses);

#endif
