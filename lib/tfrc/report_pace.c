/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pace of reports, see report_pace.h. */
#include "report_pace.h"

#include "units.h"

void
tfrc_report_pace_init (TfrcReportPace *pace, uint64_t first_ns)
{
  for (unsigned i = 0; i < TFRC_REPORT_PACE_TIMES; i++)
    pace->intervals_ns[i] = first_ns;
  pace->next = 0;
}

void
tfrc_report_pace_on_report (TfrcReportPace *pace, uint64_t interval_ns)
{
  pace->intervals_ns[pace->next] = tfrc_min_ns (interval_ns, TFRC_REPORT_PACE_MOST_NS);
  pace->next = (pace->next + 1) % TFRC_REPORT_PACE_TIMES;
}

uint64_t
tfrc_report_pace_longest_ns (const TfrcReportPace *pace)
{
  uint64_t longest_ns = 0;

  for (unsigned i = 0; i < TFRC_REPORT_PACE_TIMES; i++)
    longest_ns = tfrc_max_ns (longest_ns, pace->intervals_ns[i]);
  return longest_ns;
}
