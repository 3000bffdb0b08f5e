/* The queue guard: while the path's queue grows, no more is sent than the path delivers.
 *
 * RFC 5348 lets a sender double what was received (section 4.3 step 4), and hears of a queue that overflows only
 * afterwards.  A movie, which is silent between its scenes, would begin each of them at twice the path's rate.  The
 * guard is a limit on X_inst beside those of the RFC, so that a sender is only ever slower with it. */
#ifndef TFRC_QUEUE_GUARD_H
#define TFRC_QUEUE_GUARD_H

#include <stdint.h>

/* Feedback packets whose X_recv is remembered: about so many round-trip times */
#define TFRC_QUEUE_GUARD_MEMORY 8

typedef struct
{
  double x_recv_Bps[TFRC_QUEUE_GUARD_MEMORY];   /* the latest, as a ring */
  unsigned next;                /* where the next one goes */
  double least_s;               /* least R_sample of this period, and of the one before */
  double previous_least_s;
  uint64_t period_ns;           /* when this period began */
  double limit_Bps;
} TfrcQueueGuard;

void tfrc_queue_guard_init (TfrcQueueGuard * guard);

/* Feedback: what was received, and R_sample of the last packet of it.  segment_bytes is s. */
void tfrc_queue_guard_on_feedback (TfrcQueueGuard * guard, double x_recv_Bps, double r_sample_s,
    double segment_bytes, uint64_t now_ns);

/* What X_inst must not exceed; INFINITY before a queue has been seen */
double tfrc_queue_guard_limit_Bps (const TfrcQueueGuard * guard);

#endif
