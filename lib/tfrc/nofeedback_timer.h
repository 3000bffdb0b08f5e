/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nofeedback timer of a sender (RFC 5348 section 4.4). */
#ifndef TFRC_NOFEEDBACK_TIMER_H
#define TFRC_NOFEEDBACK_TIMER_H

#include "allowed_rate.h"

typedef struct
{
  uint64_t expires_ns;       /* TFRC_TIME_NEVER: it does not run */
  uint64_t set_ns;           /* when it was set */
  uint64_t stopped_until_ns; /* when the caller was last found to have been stopped; 0: never */
  uint64_t expirations;      /* that have cut X */
  bool backed_off;           /* the timer has cut X since the last feedback */
} TfrcNofeedbackTimer;

void tfrc_nofeedback_timer_init (TfrcNofeedbackTimer *timer);

/* RTO: max (4 R, 2 s / X) for this X (section 4.3 step 3); while R is not known at least the 2 s of
 * section 4.2 */
uint64_t tfrc_nofeedback_timer_rto_ns (const TfrcAllowedRate *rate, double x_Bps);

/* Sets the timer to expire after_ns later than now_ns. */
void tfrc_nofeedback_timer_set (TfrcNofeedbackTimer *timer, uint64_t now_ns, uint64_t after_ns);

/* Feedback has come: sets the timer (section 4.3 step 6), and the cuts are over. */
void tfrc_nofeedback_timer_on_feedback (
    TfrcNofeedbackTimer *timer, uint64_t now_ns, uint64_t rto_ns);

/* A packet leaves: sets the timer if it is not running.  first: no packet has left before */
void tfrc_nofeedback_timer_on_packet (
    TfrcNofeedbackTimer *timer, const TfrcAllowedRate *rate, bool first, uint64_t now_ns);

/* To be called before the timer is served or set again.  A timer that is overdue by more than R
 * shows that the program was stopped.  The program then does not know when the feedback came
 * that it delivers about packets that left before. */
void tfrc_nofeedback_timer_notice_stop (
    TfrcNofeedbackTimer *timer, const TfrcAllowedRate *rate, uint64_t now_ns);

/* Was the program stopped after the packet of this time had left, or while it was leaving? */
static inline bool
tfrc_nofeedback_timer_was_stopped_since (const TfrcNofeedbackTimer *timer, uint64_t send_ns)
{
  return send_ns < timer->stopped_until_ns;
}

typedef enum
{
  TFRC_NOFEEDBACK_NOTHING, /* the timer has not expired */
  TFRC_NOFEEDBACK_SPARED,  /* an idle sender keeps X */
  TFRC_NOFEEDBACK_CUT      /* X is cut */
} TfrcNofeedbackOutcome;

/* Serves the timer: if it has expired, does what section 4.4 says.  last_send_ns: when the last packet
 * left */
TfrcNofeedbackOutcome tfrc_nofeedback_timer_serve (
    TfrcNofeedbackTimer *timer, TfrcAllowedRate *rate, uint64_t last_send_ns, uint64_t now_ns);

/* When the timer expires; TFRC_TIME_NEVER: it does not run */
static inline uint64_t
tfrc_nofeedback_timer_expires_ns (const TfrcNofeedbackTimer *timer)
{
  return timer->expires_ns;
}

/* The number of expirations that have cut X */
static inline uint64_t
tfrc_nofeedback_timer_expirations (const TfrcNofeedbackTimer *timer)
{
  return timer->expirations;
}

/* Has the timer cut X since the last feedback? */
static inline bool
tfrc_nofeedback_timer_has_backed_off (const TfrcNofeedbackTimer *timer)
{
  return timer->backed_off;
}

#endif
