/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue guard: while the path's queue grows, the sender sends at most the rate that the path
 * delivers.
 *
 * RFC 5348 lets a sender double the rate that was received (section 4.3 step 4), and the sender
 * learns of a queue that overflows only afterwards.  A movie is silent between its scenes, so each
 * scene would start at twice the path's rate.  The guard is a limit on X_inst beside the limits of
 * the RFC, so it only ever makes a sender slower.
 *
 * A queue shows as R_sample above the recent minimum of R_sample.  Jitter and the queues of others
 * show in the same way.  The guard knows the sender's own queue by its behaviour:
 *  - It empties no faster than the sender stays below the path's rate: R that falls faster was
 *    jitter.
 *  - It ends while little is sent: a delay that R still has in a quiet time is jitter.  These two
 *    rules hold only for a path that has lost no packets lately.  Where queues overflow, movies of
 *    others make short queues as well, and the guard gives way to those.
 *  - It forms at the path's rate: at the start of a stream, while X grows, X_recv does not later
 *    outgrow the rate received in the queue.  If it does, the delay was jitter.
 *  - It becomes shorter while less is sent than the path has delivered lately.  If most of it stays,
 *    others such as TCP fill it, and the equation alone rules until it has been empty and for a while
 *    afterwards.
 *
 * A limit begins with a queue that grows: less arrives than is sent.  From then on X_recv is the
 * path's rate, unless the sender is data-limited: the X_recv of a movie that has no more to send is
 * the movie's own rate.
 *
 *              queue that grows           queue, the third in a row
 *    +------+ ---------------> +-----------+ -----------------> +-------+
 *    | FREE |                  | SEARCHING |                    | KNOWN |
 *    +------+ <--------------- +-----------+                    +-------+
 *      ^  ^    it was jitter        |                            |    |
 *      |  |                         |           it was jitter    |    |
 *      |  +-------------------------(----------------------------+    |
 *      |                            | queue of others                 | queue of others
 *      |  empty, and 10 s later     v                                 |
 *      |                       +----------+                           |
 *      +---------------------- | YIELDING | <-------------------------+
 *                              +----------+
 *
 * YIELDING: no limit.  FREE: 1.5 times the recent maximum of X_recv, after the first 10 s.
 * SEARCHING: limit from the greatest X_recv in the queue.  KNOWN: limit from the mean X_recv in the
 * queue.  Without a queue the limit rises to 1.2 X_recv. */
#ifndef TFRC_QUEUE_GUARD_H
#define TFRC_QUEUE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "windowed_max.h"

/* The number of feedback packets whose X_recv is remembered: about one per round-trip time */
#define TFRC_QUEUE_GUARD_MEMORY 8

/* The values of one feedback packet */
typedef struct
{
  double x_recv_Bps;
  double r_sample_s; /* R_sample of the last packet received */
  uint64_t sent_ns;  /* when that packet left */
  double sent_bytes; /* bytes that had left before that packet */
  bool new_loss_event;
  bool data_limited;    /* the interval that X_recv covers (RFC 5348 section 8.2.1) */
  double segment_bytes; /* s */
  uint64_t now_ns;
} TfrcQueueGuardSample;

typedef struct
{
  double x_recv_Bps[TFRC_QUEUE_GUARD_MEMORY]; /* that showed the path's rate, as a ring */
  unsigned next;                              /* index for the next value */
  unsigned in_queue;         /* number of samples of this queue that showed the path's rate */
  bool known;                /* path_Bps comes from enough samples */
  bool was_queue;            /* the last sample showed a queue */
  bool foreign;              /* others fill the queue, until it is empty */
  TfrcWindowedMax least_r;   /* of -R_sample */
  TfrcWindowedMax most_recv; /* of X_recv */
  /* of R_sample above the least one, at times when the sender has no queue */
  TfrcWindowedMax jitter;
  TfrcQueueGuardSample last;
  uint64_t quiet_ns;   /* the time since which X_recv is small; 0: it is not small */
  double own_s;        /* the longest queue that can be the sender's own */
  uint64_t foreign_ns; /* the time since which the queue is longer; 0: it is not */
  uint64_t yields_until_ns;
  uint64_t loss_ns; /* of the latest loss event; 0: none yet */
  /* the rate that the path delivers, as the queue has shown it; 0: not shown yet */
  double path_Bps;
  double queue_Bps;  /* greatest X_recv in that queue */
  double evidence_s; /* the longest queue, in s, from which the limit was computed */
  double limit_Bps;  /* in SEARCHING and KNOWN; else INFINITY */
  uint64_t begun_ns; /* time of the first feedback with X_recv; 0: none yet */
  /* the rate that the recent maximum of X_recv allows, in all states but YIELDING; else
   * INFINITY */
  double free_Bps;
} TfrcQueueGuard;

void tfrc_queue_guard_init (TfrcQueueGuard *guard);

/* Handles feedback with a sample of R. */
void tfrc_queue_guard_on_feedback (TfrcQueueGuard *guard, const TfrcQueueGuardSample *sample);

/* Returns the limit of X_inst; INFINITY if there is none. */
double tfrc_queue_guard_limit_Bps (const TfrcQueueGuard *guard);

#endif
