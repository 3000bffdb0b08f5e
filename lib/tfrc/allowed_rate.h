/* The rates of a sender (RFC 5348 sections 3.1, 4.2, 4.3, 4.5 and 4.6): what limits X and X_inst whatever decides them. */
#ifndef TFRC_ALLOWED_RATE_H
#define TFRC_ALLOWED_RATE_H

#include "sender_state.h"

/* s, the mean segment */
double tfrc_sender_segment_bytes (const TfrcSender *sender);

/* R, but for intervals that feedback covers: not shorter than feedback can come */
uint64_t tfrc_sender_feedback_interval_ns (const TfrcSender *sender);

/* W_init / R (section 4.2), or as configured */
double tfrc_sender_initial_rate_Bps (const TfrcSender *sender);

/* The configured maximum of X, or what bounds every rate */
double tfrc_sender_max_rate_Bps (const TfrcSender *sender);

/* Sets X, within s / t_mbi and the configured limits, and X_inst (section 4.5). */
void tfrc_sender_set_rate (TfrcSender *sender, double rate_Bps);

/* t_ipi (section 4.6), at least 1 */
uint64_t tfrc_sender_interval_ns (const TfrcSender *sender);

/* X_Bps of the throughput equation for the present p and R; 0 while p = 0 */
double tfrc_sender_equation_rate_Bps (const TfrcSender *sender);

#endif
