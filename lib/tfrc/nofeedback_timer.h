/* The nofeedback timer of a sender (RFC 5348 section 4.4). */
#ifndef TFRC_NOFEEDBACK_TIMER_H
#define TFRC_NOFEEDBACK_TIMER_H

#include "sender_state.h"

/* max (4 R, 2 s / X) (section 4.3 step 3); without R at least the 2 s that section 4.2 begins with */
uint64_t tfrc_sender_rto_ns (const TfrcSender *sender);

void tfrc_sender_set_nofeedback_timer (TfrcSender *sender, uint64_t now_ns, uint64_t after_ns);

/* A packet leaves: the timer is set if it stands still. */
void tfrc_sender_nofeedback_on_packet (TfrcSender *sender, uint64_t now_ns);

/* To be called before the timer is served or set again.  A timer that is overdue by more than R shows that the caller was
 * stopped: the caller does not know when feedback came that it delivers from now on, about packets that left before. */
void tfrc_sender_notice_stop (TfrcSender *sender, uint64_t now_ns);

#endif
