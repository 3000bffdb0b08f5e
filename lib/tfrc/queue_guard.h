/* The queue guard: while the path's queue grows, no more is sent than the path delivers.
 *
 * RFC 5348 lets a sender double what was received (section 4.3 step 4), and hears of a queue that overflows only
 * afterwards.  A movie, which is silent between its scenes, would begin each of them at twice the path's rate.  The
 * guard is a limit on X_inst beside those of the RFC, so that a sender is only ever slower with it.
 *
 * A queue shows as R_sample above the least one of late.  So do jitter and the queues of others.  The guard tells them
 * apart by what only a queue of one's own does:
 *  - it empties no faster than the sender stays below the path's rate: R that falls faster was jitter;
 *  - it ends while little is sent: what R still has in a quiet time is jitter.  Both hold only for a path that has lost
 *    nothing lately: where queues overflow, movies of others make short ones as well, and it is well to give way to those;
 *  - it forms at the rate that the path has: at the start of a stream, while X grows, what is received in it is not
 *    outgrown later.  If it is, the delay was jitter;
 *  - it does not last while less is sent than the path has lately delivered: then others, such as TCP, keep it full, and
 *    the equation alone rules for a while.
 *
 *              queue                      queue, the third in a row
 *    +------+ ---------------> +-----------+ -----------------> +-------+
 *    | FREE |                  | SEARCHING |                    | KNOWN |
 *    +------+ <--------------- +-----------+                    +-------+
 *      ^  ^    it was jitter        |                            |    |
 *      |  |                         |           it was jitter    |    |
 *      |  +-------------------------(----------------------------+    |
 *      |                            | queue of others                 | queue of others
 *      |           10 s             v                                 |
 *      |                       +----------+                           |
 *      +---------------------- | YIELDING | <-------------------------+
 *                              +----------+
 *
 * YIELDING: no limit.  FREE: 1.5 times the greatest X_recv of late, after the first 10 s.  SEARCHING: limit from the greatest
 * X_recv in the queue.  KNOWN: limit from the mean X_recv in the queue.  Without a queue the limit rises to 1.2 X_recv. */
#ifndef TFRC_QUEUE_GUARD_H
#define TFRC_QUEUE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "windowed_max.h"

/* Feedback packets whose X_recv is remembered: about so many round-trip times */
#define TFRC_QUEUE_GUARD_MEMORY 8

/* What one feedback packet tells */
typedef struct
{
  double x_recv_Bps;
  double r_sample_s; /* R_sample of the last packet received */
  uint64_t sent_ns;  /* when that packet left */
  double sent_bytes; /* what had left before that packet */
  bool new_loss_event;
  double segment_bytes; /* s */
  uint64_t now_ns;
} TfrcQueueGuardSample;

typedef struct
{
  double x_recv_Bps[TFRC_QUEUE_GUARD_MEMORY]; /* the latest, as a ring */
  unsigned next;                              /* where the next one goes */
  TfrcWindowedMax least_r;                    /* of -R_sample */
  TfrcWindowedMax most_recv;                  /* of X_recv */
  TfrcWindowedMax jitter; /* of R_sample above the least one where no queue of ours can be */
  TfrcQueueGuardSample last;
  uint64_t quiet_ns;   /* since when X_recv is small; 0: it is not */
  uint64_t foreign_ns; /* since when R stays high though X_recv is not; 0: it does not */
  double foreign_s;    /* least R_sample meanwhile */
  uint64_t yields_until_ns;
  uint64_t loss_ns;  /* of the latest loss event; 0: none yet */
  unsigned in_queue; /* samples in a row that showed a queue */
  double path_Bps;   /* what the path delivers, as far as the queue has shown; 0: nothing yet */
  bool known;        /* path_Bps is from samples enough */
  double queue_Bps;  /* greatest X_recv in that queue */
  double evidence_s; /* the longest queue that the limit was made of */
  double limit_Bps;  /* SEARCHING, KNOWN; else INFINITY */
  uint64_t begun_ns; /* of the first feedback with X_recv; 0: none yet */
  double
      free_Bps; /* what the greatest X_recv of late allows, in any state but YIELDING; else INFINITY */
} TfrcQueueGuard;

void tfrc_queue_guard_init (TfrcQueueGuard *guard);

/* Feedback with a sample of R */
void tfrc_queue_guard_on_feedback (TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample);

/* What X_inst must not exceed; INFINITY if there is no limit */
double tfrc_queue_guard_limit_Bps (const TfrcQueueGuard *guard);

#endif
