/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pace of a receiver's reports.  RFC 5348 expects feedback in every round-trip time, but RTCP
 * comes only as often as RFC 3550 section 6.2 lets it, so the sender is told its pace. */
#ifndef TFRC_REPORT_PACE_H
#define TFRC_REPORT_PACE_H

#include <stdint.h>

#define TFRC_REPORT_PACE_TIMES 4

/* The longest interval that is believed */
#define TFRC_REPORT_PACE_MOST_NS (30 * UINT64_C (1000000000))

typedef struct
{
  uint64_t intervals_ns[TFRC_REPORT_PACE_TIMES]; /* a ring: the newest intervals */
  unsigned next;
} TfrcReportPace;

/* first_ns: counts as the interval until enough intervals have been seen */
void tfrc_report_pace_init (TfrcReportPace *pace, uint64_t first_ns);

/* A report has come, interval_ns after the report before. */
void tfrc_report_pace_on_report (TfrcReportPace *pace, uint64_t interval_ns);

/* Returns the longest of the newest intervals. */
uint64_t tfrc_report_pace_longest_ns (const TfrcReportPace *pace);

#endif
