/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rates of a sender (RFC 5348 sections 3.1, 4.2, 4.3, 4.5 and 4.6): X, X_inst and their
 * limits.  sender_reports.h has the rate of the equation. */
#ifndef TFRC_ALLOWED_RATE_H
#define TFRC_ALLOWED_RATE_H

#include "sender_reports.h"
#include "sender_state.h"

/* s, the mean segment size in bytes */
double tfrc_sender_segment_bytes (const TfrcSender *sender);

/* max (R, feedback floor): the shortest interval that feedback covers */
uint64_t tfrc_sender_feedback_interval_ns (const TfrcSender *sender);

/* The longest interval that feedback covers while data arrives: feedback waits for packets. */
uint64_t tfrc_sender_longest_interval_ns (const TfrcSender *sender);

/* W_init / R (section 4.2), or the configured initial rate */
double tfrc_sender_initial_rate_Bps (const TfrcSender *sender);

/* The configured maximum of X, or the upper limit of all rates */
double tfrc_sender_max_rate_Bps (const TfrcSender *sender);

/* Sets X, within s / t_mbi and the configured limits, and sets X_inst (section 4.5). */
void tfrc_sender_set_rate (TfrcSender *sender, double rate_Bps);

/* t_ipi (section 4.6) in nanoseconds, at least 1 */
uint64_t tfrc_sender_interval_ns (const TfrcSender *sender);

#endif
