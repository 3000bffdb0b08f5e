/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nofeedback timer of a sender (RFC 5348 section 4.4). */
#ifndef TFRC_NOFEEDBACK_TIMER_H
#define TFRC_NOFEEDBACK_TIMER_H

#include "sender_state.h"

/* max (4 R, 2 s / X) for this X (section 4.3 step 3); while R is not known at least the 2 s of section 4.2 */
uint64_t tfrc_sender_rto_ns (const TfrcSender *sender, double x_Bps);

void tfrc_sender_set_nofeedback_timer (TfrcSender *sender, uint64_t now_ns, uint64_t after_ns);

/* A packet leaves: sets the timer if it is not running. */
void tfrc_sender_nofeedback_on_packet (TfrcSender *sender, uint64_t now_ns);

/* To be called before the timer is served or set again.  A timer that is overdue by more than R
 * shows that the program was stopped.  The program then does not know when the feedback came
 * that it delivers about packets that left before. */
void tfrc_sender_notice_stop (TfrcSender *sender, uint64_t now_ns);

#endif
