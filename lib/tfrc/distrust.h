/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's distrust of its receiver (docs/decisions/trust.md).
 *
 * feedback_record.h refuses feedback that cannot be true.  What passes can be false all the same: the
 * receiver lies to get more than its share, or another host has forged the feedback.  RFC 5348 would
 * follow it.  The functions here replace each of its numbers by what can be believed, so that
 * sender_feedback.c reads as section 4.3 of the RFC.  With `off' they believe all. */
#ifndef TFRC_DISTRUST_H
#define TFRC_DISTRUST_H

#include <tfrc/tfrc.h>

#include "rtt.h"
#include "sent_record.h"
#include "units.h"

typedef struct
{
  bool off;
  TfrcSentRecord sent;
  uint64_t sent_interval_ns; /* the interval that the last feedback covered; 0: there was none */
  double most_Bps;           /* twice the highest rate that was sent, at the last feedback */
  bool doubts_rtt;           /* the last sample was far above R */
  /* the time at which one packet may leave whatever X is, because feedback has cut X;
   * TFRC_TIME_NEVER: no such packet */
  uint64_t probe_ns;
} TfrcDistrust;

/* The sender's state when feedback comes about a packet that left at t_new_ns */
typedef struct
{
  uint64_t interval_ns;         /* max (R, feedback floor) */
  uint64_t longest_interval_ns; /* the longest interval that feedback covers */
  bool rtt_is_known;
  double segment_bytes;
  uint64_t t_new_ns, now_ns;
} TfrcDistrustContext;

void tfrc_distrust_init (TfrcDistrust *distrust, bool off);

/* ---- X_recv ------------------------------------------------------------- */

/* A packet leaves.  interval_ns: the interval that feedback covers */
static inline void
tfrc_distrust_on_packet (
    TfrcDistrust *distrust, uint32_t bytes, uint64_t interval_ns, uint64_t now_ns)
{
  tfrc_sent_record_on_packet (&distrust->sent, bytes, interval_ns, now_ns);
}

/* A packet of tfrc_distrust_on_packet() did not leave after all. */
void tfrc_distrust_cancel (TfrcDistrust *distrust, uint32_t bytes);

/* Returns the X_recv to use: no receiver receives faster than the sender has sent.  To be called once
 * for each feedback.  Sets most_Bps, twice the highest rate that was sent in an interval that the
 * feedback can cover. */
uint32_t tfrc_distrust_x_recv_Bps (
    TfrcDistrust *distrust, uint32_t x_recv_Bps, const TfrcDistrustContext *context);

/* Twice the highest rate that was sent in an interval that the last feedback can cover */
static inline double
tfrc_distrust_most_Bps (const TfrcDistrust *distrust)
{
  return distrust->most_Bps;
}

/* Returns the number of bytes that had left before that time, see tfrc_sent_record_bytes_before(). */
static inline double
tfrc_distrust_bytes_before (const TfrcDistrust *distrust, uint64_t time_ns)
{
  return tfrc_sent_record_bytes_before (&distrust->sent, time_ns);
}

/* Returns recv_limit.  X_recv_set begins with Infinity, and a p of nearly 0 would leave X without any
 * limit: the limit is then most_Bps, or the initial rate. */
double tfrc_distrust_recv_limit_Bps (
    const TfrcDistrust *distrust, double recv_limit_Bps, double initial_rate_Bps);

/* ---- p -------------------------------------------------------------------- */

/* Returns the loss event rate to use.  A receiver that has reported loss events, which still stand,
 * cannot come back to p = 0, unless a handover starts a new history: p stays p_before then.
 *
 * reported: p of the feedback, or its p without link errors
 * hold_end_ns: when the last hold of the rate ends by itself */
double tfrc_distrust_p (const TfrcDistrust *distrust, double reported, double p_before,
    const TfrcFeedback *feedback, uint64_t hold_end_ns, uint64_t now_ns);

/* ---- R -------------------------------------------------------------------- */

/* Is the sample of R used?  A forged packet can claim any age of a packet that was sent.  With a long
 * R the next feedback comes late, so R would be wrong for many times as long.  A sample far above R
 * is used if the sample before was as long.  R is known.  To be called once for each sample. */
bool tfrc_distrust_takes_sample (TfrcDistrust *distrust, uint64_t rtt_ns, uint64_t sample_ns);

/* Does this sample, the second one, refute the first?  The first is used as it is, and may be forged.
 * Then the second sample is far below it. */
bool tfrc_distrust_refutes_first_sample (
    const TfrcDistrust *distrust, uint64_t rtt_ns, uint64_t sample_ns);

/* ---- a cut of X ------------------------------------------------------------ */

/* Feedback has changed X.  At a rate near 0 the next packet can be minutes away, and with it the
 * feedback that would raise the rate.  So after a deep cut one packet may leave an interval later.
 * Feedback about that packet is newer than the feedback that has cut X, whatever its number.
 *
 * ipi_ns: between packets at the new X.  interval_ns: max (R, feedback floor) */
void tfrc_distrust_on_rate (TfrcDistrust *distrust, double x_before_Bps, double x_Bps,
    uint64_t ipi_ns, uint64_t interval_ns, uint64_t now_ns);

/* Returns when the next packet may leave.  paced_ns: when X allows it */
static inline uint64_t
tfrc_distrust_next_ns (const TfrcDistrust *distrust, uint64_t paced_ns)
{
  return tfrc_min_ns (distrust->probe_ns, paced_ns);
}

/* A packet leaves.  Returns whether it is the packet that may leave whatever X is. */
static inline bool
tfrc_distrust_uses_probe (TfrcDistrust *distrust, uint64_t now_ns)
{
  if (now_ns < distrust->probe_ns)
    return false;
  distrust->probe_ns = TFRC_TIME_NEVER;
  return true;
}

#endif
