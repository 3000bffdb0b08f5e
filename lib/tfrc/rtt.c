/* Round-trip time and retransmission timeout, see rtt.h. */
#include "rtt.h"

#include <math.h>
#include <string.h>

#include "units.h"

#define Q 0.9  /* filter constant of R, section 4.3 step 2 */
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
tfrc_rtt_init (TfrcRtt *rtt, TfrcRttMethod method, TfrcRtoPolicy rto_policy)
{
  memset (rtt, 0, sizeof *rtt);
  rtt->method = method;
  rtt->rto_policy = rto_policy;
}

void
tfrc_rtt_on_sample (TfrcRtt *rtt, uint64_t sample_ns)
{
  double sample_s = tfrc_ns_to_s (
      tfrc_max_ns (TFRC_MIN_RTT_NS, tfrc_min_ns (sample_ns, TFRC_MAX_RTT_NS)));
  bool first = !tfrc_rtt_is_known (rtt);

  /* D is updated before R, because it is the deviation from the expected R. */
  rtt->d_s = first ? sample_s / 2 : (1 - BETA) * rtt->d_s + BETA * fabs (rtt->r_s - sample_s);
  switch (rtt->method) {
    case TFRC_RTT_METHOD_ADAPTIVE:
    case TFRC_RTT_METHOD_ADAPTIVE_BOUNDED:
    case TFRC_RTT_METHOD_EWMA:
      rtt->r_s = first ? sample_s : Q * rtt->r_s + (1 - Q) * sample_s;
      break;
  }
  rtt->r_sqmean = first ? sqrt (sample_s) : Q2 * rtt->r_sqmean + (1 - Q2) * sqrt (sample_s);
  rtt->r_sample_s = sample_s;
}

void
tfrc_rtt_reset (TfrcRtt *rtt)
{
  tfrc_rtt_init (rtt, rtt->method, rtt->rto_policy);
}

bool
tfrc_rtt_is_known (const TfrcRtt *rtt)
{
  return rtt->r_s > 0;
}

uint64_t
tfrc_rtt_ns (const TfrcRtt *rtt)
{
  return (uint64_t) (rtt->r_s * 1e9 + 0.5);
}

double
tfrc_rtt_rto_s (const TfrcRtt *rtt)
{
  return tfrc_rtt_is_known (rtt) ? tfrc_rto_s (rtt->rto_policy, rtt->r_s, rtt->d_s) : 0;
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
      return true;
    case TFRC_RTO_POLICY_ADAPTIVE:
      break;
  }
  return false;
}

double
tfrc_rtt_oscillation_factor (const TfrcRtt *rtt)
{
  return tfrc_rtt_is_known (rtt) ? rtt->r_sqmean / sqrt (rtt->r_sample_s) : 1;
}
