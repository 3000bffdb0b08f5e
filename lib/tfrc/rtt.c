/* Round-trip time and retransmission timeout, see rtt.h. */
#include "rtt.h"

#include <math.h>
#include <string.h>

#include "equation.h"
#include "units.h"

#define Q 0.9                   /* filter constant of R, section 4.3 step 2 */
#define Q2 0.9                  /* filter constant of R_sqmean, section 4.5 */

void
tfrc_rtt_init (TfrcRtt * rtt, TfrcRttMethod method, TfrcRtoPolicy rto_policy)
{
  memset (rtt, 0, sizeof *rtt);
  rtt->method = method;
  rtt->rto_policy = rto_policy;
}

void
tfrc_rtt_on_sample (TfrcRtt * rtt, uint64_t sample_ns)
{
  double sample_s =
      tfrc_ns_to_s (tfrc_max_ns (TFRC_MIN_RTT_NS, tfrc_min_ns (sample_ns, TFRC_MAX_RTT_NS)));
  bool first = !tfrc_rtt_is_known (rtt);

  switch (rtt->method) {
    case TFRC_RTT_METHOD_EWMA:
      rtt->r_s = first ? sample_s : Q * rtt->r_s + (1 - Q) * sample_s;
      break;
  }
  rtt->r_sqmean = first ? sqrt (sample_s) : Q2 * rtt->r_sqmean + (1 - Q2) * sqrt (sample_s);
  rtt->r_sample_s = sample_s;
}

bool
tfrc_rtt_is_known (const TfrcRtt * rtt)
{
  return rtt->r_s > 0;
}

uint64_t
tfrc_rtt_ns (const TfrcRtt * rtt)
{
  return (uint64_t) (rtt->r_s * 1e9 + 0.5);
}

double
tfrc_rtt_rto_s (const TfrcRtt * rtt)
{
  switch (rtt->rto_policy) {
    case TFRC_RTO_POLICY_4R:
      break;
  }
  return TFRC_RTO_RTTS * rtt->r_s;
}

double
tfrc_rtt_oscillation_factor (const TfrcRtt * rtt)
{
  return tfrc_rtt_is_known (rtt) ? rtt->r_sqmean / sqrt (rtt->r_sample_s) : 1;
}
