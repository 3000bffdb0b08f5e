/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limit of X while receiver reports control it.
 *
 * RFC 5348 doubles X in a round-trip time and hears of losses a round-trip time later.  Reports come
 * some seconds apart: a rate above the path's would lose packets for all that time.  So a higher rate
 * is tried for a short time, and holds for longer once a report says that nothing was lost.
 *
 * - The limit is a base rate, and twice the base during a trial.  A trial begins with a report, and
 *   lasts 0.4 s, or 4 R if that is longer.
 * - A trial has passed if the next report has no losses, or no larger share of losses than usual:
 *   half as many again as the last report without a trial.  Then the base is 0.8 times the
 *   rate at which packets left in the trial: a queue of 100 ms hides a quarter more than the path
 *   carries for 0.4 s.  Trials go on until one fails.
 * - A report in which more than 2 packets in 100 are lost ends the trials.  If no more bytes are lost
 *   than the trial has added, the base stays.  Otherwise the base becomes the rate of the equation
 *   for the losses of that report, but not less than 0.85 times the rate that has arrived (section
 *   4.3 has the factor), and not more than that rate.  Losses that do not depend on the rate do not
 *   make the base fall below the first rate, as far as the equation allows that rate.
 * - If more than half is lost, the path was down for a time: the base is halved, unless more arrived.
 * - Without trials the base grows to 3 % above the rate that has arrived from report to report.
 *   Trials begin again after a report with no more than 2 losses in 100, when the base is a quarter
 *   above what it was after the last report with more.
 *
 * X is at most twice the rate that has arrived (X_recv_set) all the same. */
#ifndef TFRC_REPORT_LIMIT_H
#define TFRC_REPORT_LIMIT_H

#include <stdint.h>

typedef struct
{
  double base_Bps;      /* INFINITY before the first report */
  double first_Bps;     /* the first base */
  double ceiling_Bps;   /* the base after the last report with many losses; 0: none yet */
  double usual_ratio;   /* of losses in the last report without a trial */
  double trial_Bps;     /* the limit during the trial */
  uint64_t begin_ns;    /* of the trial */
  uint64_t end_ns;      /* of the trial; 0: there was none */
  uint64_t trial_bytes; /* that left during the trial */
} TfrcReportLimit;

/* The contents of a report about the time since the report before */
typedef struct
{
  uint64_t packets; /* that were to arrive, at least 1 */
  uint64_t lost;    /* of these */
  uint64_t bytes;   /* of these packets */
  double x_recv_Bps;
  double equation_Bps;  /* the rate of the equation for the losses of this report alone */
  uint64_t elapsed_ns;  /* in which packets can have been lost */
  uint64_t measured_ns; /* in which packets can have come, that of x_recv_Bps */
  uint64_t rtt_ns;
  uint64_t now_ns;
} TfrcReportInterval;

/* The base is this rate, and a trial begins. */
void tfrc_report_limit_init (
    TfrcReportLimit *limit, double rate_Bps, uint64_t rtt_ns, uint64_t now_ns);

/* A packet leaves. */
void tfrc_report_limit_on_packet (TfrcReportLimit *limit, uint32_t bytes, uint64_t now_ns);

void tfrc_report_limit_on_report (TfrcReportLimit *limit, const TfrcReportInterval *interval);

/* Returns the limit of X. */
double tfrc_report_limit_Bps (const TfrcReportLimit *limit, uint64_t now_ns);

#endif
