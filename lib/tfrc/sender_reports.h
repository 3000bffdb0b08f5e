/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender does differently while receiver reports stand for its feedback (reports.c) */
#ifndef TFRC_SENDER_REPORTS_H
#define TFRC_SENDER_REPORTS_H

#include <tfrc/sender.h>

/* Reports come this far apart from now on.  first: the report begins a series, so that its numbers are
 * compared with none before */
void tfrc_sender_follow_reports (TfrcSender *sender, uint64_t interval_ns, bool first);

/* Reports stand for feedback no longer: the next feedback is compared with none of theirs. */
void tfrc_sender_leave_reports (TfrcSender *sender);

/* Limits X. */
void tfrc_sender_limit_by_reports (TfrcSender *sender, double limit_Bps, uint64_t now_ns);

/* Returns X after the first report: as if R were least_rtt_ns at least, unless the program has set the
 * initial rate. */
double tfrc_sender_first_reports_rate_Bps (const TfrcSender *sender, uint64_t least_rtt_ns);

/* X_Bps of the throughput equation for this p and the present R; 0 for p = 0 */
double tfrc_sender_equation_rate_Bps (const TfrcSender *sender, double p);

/* Section 6.3.1, which a receiver of reports leaves to the sender: the first loss interval for this X_recv
 * at the present R */
double tfrc_sender_first_interval (const TfrcSender *sender, double x_recv_Bps);

#endif
