/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip time and retransmission timeout, see rtt.h. */
#include "rtt.h"

#include <math.h>
#include <string.h>

#include "units.h"

#define Q2 0.9 /* filter constant of R_sqmean, section 4.5 */

/* RFC 6298 section 2 */
#define BETA (1 / 4.0) /* filter constant of RTTVAR */
#define K 4            /* factor of RTTVAR in the RTO */
#define TCP_MIN_RTO_S 1.0

/* TCP_RTO_MIN of Linux. tcp_rtt_estimator() applies it to the variation, and not to the sum, so
 * the RTO is always longer. */
#define LINUX_MIN_VARIATION_S 0.2

/* The wait is shorter than TCP's.  TCP loses packets in bursts, and each burst is one event.
 * Evenly spaced packets are lost one by one, so that p is higher.  The values are measured
 * (docs/decisions/loss.md). */
#define BALANCED_MIN_RTO_S 0.2
#define BALANCED_RTO_RTTS 2

void
tfrc_rtt_init (TfrcRtt *rtt, const TfrcRttConfig *config)
{
  TfrcRttConfig kept = *config; /* may be a part of rtt */

  memset (rtt, 0, sizeof *rtt);
  rtt->config = kept;
  tfrc_rtt_samples_init (&rtt->samples, kept.samples);
}

static void
on_first_sample (TfrcRtt *rtt, double sample_s)
{
  rtt->d_s = sample_s / 2;
  rtt->r_s = rtt->average_s = sample_s;
  rtt->r_sqmean = sqrt (sample_s);
  rtt->adaptive_rto_s = TFRC_RTO_RTTS * sample_s;
}

static void
on_further_sample (TfrcRtt *rtt, double sample_s, bool rises, bool link_error)
{
  TfrcRttInput input = { 0 };

  /* D is updated before A, because it is the deviation from the expected A. */
  rtt->d_s = (1 - BETA) * rtt->d_s + BETA * fabs (rtt->average_s - sample_s);
  rtt->average_s = tfrc_rtt_moving_average_s (rtt->average_s, sample_s);
  rtt->r_sqmean = Q2 * rtt->r_sqmean + (1 - Q2) * sqrt (sample_s);
  input.old_r_s = rtt->r_s;
  input.sample_s = sample_s;
  input.average_s = rtt->average_s;
  tfrc_rtt_samples_range (&rtt->samples, &input);
  input.rises = rises || link_error;
  rtt->r_s = tfrc_rtt_method_find (rtt->config.method) (&input);
  /* Enhanced TFRC, eq. 4 and eq. 3 */
  if (link_error)
    rtt->adaptive_rto_s *= rtt->r_s / input.old_r_s;
  else
    rtt->adaptive_rto_s = TFRC_RTO_RTTS * rtt->r_s;
}

void
tfrc_rtt_on_sample (TfrcRtt *rtt, uint64_t sample_ns, bool link_error)
{
  uint64_t used_ns = tfrc_max_ns (TFRC_MIN_RTT_NS, tfrc_min_ns (sample_ns, TFRC_MAX_RTT_NS));
  bool rises = tfrc_rtt_samples_add (&rtt->samples, used_ns, rtt->config.rise_ns);
  double sample_s = tfrc_ns_to_s (used_ns);

  rtt->least_ns = rtt->least_ns > 0 ? tfrc_min_ns (rtt->least_ns, used_ns) : used_ns;
  rtt->greatest_ns = tfrc_max_ns (rtt->greatest_ns, used_ns);
  if (tfrc_rtt_is_known (rtt))
    on_further_sample (rtt, sample_s, rises, link_error);
  else
    on_first_sample (rtt, sample_s);
  rtt->r_sample_s = sample_s;
}

void
tfrc_rtt_reset (TfrcRtt *rtt)
{
  tfrc_rtt_init (rtt, &rtt->config);
}

uint64_t
tfrc_rtt_average_ns (const TfrcRtt *rtt)
{
  return tfrc_s_to_nearest_ns (rtt->average_s);
}

double
tfrc_rtt_rto_s (const TfrcRtt *rtt)
{
  if (!tfrc_rtt_is_known (rtt))
    return 0;
  if (rtt->config.rto_policy == TFRC_RTO_POLICY_ADAPTIVE)
    return rtt->adaptive_rto_s;
  return tfrc_rto_s (rtt->config.rto_policy, rtt->r_s, rtt->d_s);
}

double
tfrc_rto_s (TfrcRtoPolicy policy, double r_s, double d_s)
{
  switch (policy) {
    case TFRC_RTO_POLICY_4R:
    case TFRC_RTO_POLICY_ADAPTIVE:
      break;
    case TFRC_RTO_POLICY_TCP:
      return fmax (TCP_MIN_RTO_S, r_s + K * d_s);
    case TFRC_RTO_POLICY_LINUX:
      return r_s + fmax (LINUX_MIN_VARIATION_S, K * d_s);
    case TFRC_RTO_POLICY_BALANCED:
      return fmax (BALANCED_MIN_RTO_S, BALANCED_RTO_RTTS * r_s);
  }
  return TFRC_RTO_RTTS * r_s;
}

bool
tfrc_rto_policy_is_valid (TfrcRtoPolicy policy)
{
  switch (policy) {
    case TFRC_RTO_POLICY_4R:
    case TFRC_RTO_POLICY_TCP:
    case TFRC_RTO_POLICY_LINUX:
    case TFRC_RTO_POLICY_BALANCED:
    case TFRC_RTO_POLICY_ADAPTIVE:
      return true;
  }
  return false;
}

double
tfrc_rtt_oscillation_factor (const TfrcRtt *rtt)
{
  return tfrc_rtt_is_known (rtt) ? rtt->r_sqmean / sqrt (rtt->r_sample_s) : 1;
}
