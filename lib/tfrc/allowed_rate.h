/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The allowed rate of a sender (RFC 5348 sections 3.1, 4.2, 4.3, 4.5 and 4.6): X and X_inst, their
 * limits, and all that they are calculated from.  sender_feedback.c changes it as section 4.3 says,
 * nofeedback_timer.c as section 4.4 says. */
#ifndef TFRC_ALLOWED_RATE_H
#define TFRC_ALLOWED_RATE_H

#include "queue_guard.h"
#include "recv_set.h"
#include "rtt.h"
#include "segment_size.h"

/* What the sender has learned of the path */
typedef struct
{
  TfrcRtt rtt;
  TfrcRecvSet recv_set;
  TfrcQueueGuard queue_guard;
} TfrcSenderPath;

typedef struct
{
  const TfrcSenderConfig *config;
  TfrcSenderPath path;
  TfrcSegmentSize segment_size;

  double x_Bps;          /* X */
  double x_inst_Bps;     /* X_inst */
  double x_eq_Bps;       /* X_Bps of the equation; 0 while p = 0 */
  double recv_limit_Bps; /* recv_limit; INFINITY before it is known */
  double p;              /* the loss event rate in use; without a loss response, that reported */
  uint64_t tld_ns;       /* time last doubled */

  uint64_t report_interval_ns; /* the time between two RTCP packets that stand for feedback; 0:
                                  feedback comes as often as RFC 5348 has it */
  double report_limit_Bps;     /* limit of X from receiver reports; INFINITY: none */
} TfrcAllowedRate;

/* Section 4.2: X is s bytes per second, or W_init / R with an initial R.
 * config: is in use as long as the rate is */
void tfrc_allowed_rate_init (TfrcAllowedRate *rate, const TfrcSenderConfig *config);

/* Section 4.2, on the first feedback: tld = now, and X_recv_set has one item, Infinity. */
void tfrc_allowed_rate_begin (TfrcAllowedRate *rate, uint64_t now_ns);

/* ---- what the rate is calculated from ------------------------------------ */

static inline bool
tfrc_allowed_rate_knows_rtt (const TfrcAllowedRate *rate)
{
  return tfrc_rtt_is_known (&rate->path.rtt);
}

/* R; 0 while it is not known */
static inline uint64_t
tfrc_allowed_rate_rtt_ns (const TfrcAllowedRate *rate)
{
  return tfrc_rtt_ns (&rate->path.rtt);
}

/* p */
static inline double
tfrc_allowed_rate_p (const TfrcAllowedRate *rate)
{
  return rate->p;
}

/* s, the mean segment size in bytes */
double tfrc_allowed_rate_segment_bytes (const TfrcAllowedRate *rate);

/* max (R, feedback floor): the shortest interval that feedback covers */
uint64_t tfrc_allowed_rate_feedback_interval_ns (const TfrcAllowedRate *rate);

/* The longest interval that feedback covers while data arrives: feedback waits for packets. */
uint64_t tfrc_allowed_rate_longest_interval_ns (const TfrcAllowedRate *rate);

/* The time between two RTCP packets that stand for feedback; 0: none do */
static inline uint64_t
tfrc_allowed_rate_report_interval_ns (const TfrcAllowedRate *rate)
{
  return rate->report_interval_ns;
}

/* W_init / R (section 4.2), or the configured initial rate */
double tfrc_allowed_rate_initial_Bps (const TfrcAllowedRate *rate);

/* W_init / R with the initial window of RFC 3390 whatever is configured, and R at least as long as this */
double tfrc_allowed_rate_least_initial_Bps (const TfrcAllowedRate *rate, uint64_t least_rtt_ns);

/* The configured maximum of X, or the upper limit of all rates */
double tfrc_allowed_rate_max_Bps (const TfrcAllowedRate *rate);

/* max (X_recv_set); INFINITY while the initial value is a member */
static inline double
tfrc_allowed_rate_x_recv_Bps (const TfrcAllowedRate *rate)
{
  return tfrc_recv_set_max (&rate->path.recv_set);
}

/* X_Bps of the throughput equation for this p and the present R; 0 for p = 0 */
double tfrc_allowed_rate_equation_Bps (const TfrcAllowedRate *rate, double p);

/* The p at which the equation gives gain times the rate that p gives; R is known. */
double tfrc_allowed_rate_p_of_gain (const TfrcAllowedRate *rate, double p, double gain);

/* Section 6.3.1: the first loss interval for this X_recv at the present R */
double tfrc_allowed_rate_first_interval (const TfrcAllowedRate *rate, double x_recv_Bps);

/* ---- X ------------------------------------------------------------------- */

static inline double
tfrc_allowed_rate_x_Bps (const TfrcAllowedRate *rate)
{
  return rate->x_Bps;
}

static inline double
tfrc_allowed_rate_x_inst_Bps (const TfrcAllowedRate *rate)
{
  return rate->x_inst_Bps;
}

/* X_Bps, the equation's rate for the present p; 0 while p = 0 */
static inline double
tfrc_allowed_rate_x_eq_Bps (const TfrcAllowedRate *rate)
{
  return rate->x_eq_Bps;
}

/* t_ipi (section 4.6) in nanoseconds, at least 1 */
uint64_t tfrc_allowed_rate_interval_ns (const TfrcAllowedRate *rate);

/* Sets X, within s / t_mbi and the configured limits, and sets X_inst (section 4.5). */
void tfrc_allowed_rate_set (TfrcAllowedRate *rate, double rate_Bps);

/* The time by which feedback may miss the R that it is to be apart, and count as if it had not: R / 4; 0
 * with strict rules. */
uint64_t tfrc_allowed_rate_slack_ns (const TfrcAllowedRate *rate);

/* Step 4 of section 4.3 in slow start: may X double now?  Once in an R; the time counts from now on. */
bool tfrc_allowed_rate_may_double (TfrcAllowedRate *rate, uint64_t now_ns);

/* Sets recv_limit, and X_recv_set so that step 4 of section 4.3 finds the same limit.  X stays. */
void tfrc_allowed_rate_set_recv_limit (
    TfrcAllowedRate *rate, double recv_limit_Bps, uint64_t now_ns);

/* A packet leaves: its size counts for s. */
void tfrc_allowed_rate_on_packet (TfrcAllowedRate *rate, uint32_t size_bytes);

/* ---- receiver reports in the place of feedback --------------------------- */

/* From now on reports stand for feedback, this time apart. */
void tfrc_allowed_rate_follow_reports (TfrcAllowedRate *rate, uint64_t interval_ns);

/* Reports stand for feedback no longer.  Their limit holds until X is set. */
void tfrc_allowed_rate_leave_reports (TfrcAllowedRate *rate);

/* The limit of X from reports; INFINITY: none */
static inline double
tfrc_allowed_rate_report_limit_Bps (const TfrcAllowedRate *rate)
{
  return rate->report_limit_Bps;
}

/* Sets the limit from reports: of X now, and of every X from now on. */
void tfrc_allowed_rate_limit_by_reports (TfrcAllowedRate *rate, double limit_Bps);

/* ---- what the program is told -------------------------------------------- */

/* Fill in the fields that this file knows of. */
void tfrc_allowed_rate_fill_stats (const TfrcAllowedRate *rate, TfrcSenderStats *stats);
void tfrc_allowed_rate_fill_trace (const TfrcAllowedRate *rate, TfrcTraceRecord *record);

#endif
