/* Round-trip time and retransmission timeout (RFC 5348 section 4.3 steps 1-3); the long-term
 * mean of the square root of the round-trip time, for oscillation reduction (section 4.5); and
 * t_RTO of the throughput equation (section 3.1). */
#ifndef TFRC_RTT_H
#define TFRC_RTT_H

#include <tfrc/tfrc.h>

/* t_RTO = 4 R: the policy of section 3.1 */
#define TFRC_RTO_RTTS 4.0

typedef struct
{
  TfrcRttMethod method;
  TfrcRtoPolicy rto_policy;
  double r_s;        /* R; 0: no sample yet */
  double d_s;        /* D: RTTVAR (RFC 6298 section 2), about R */
  double r_sample_s; /* R_sample */
  double r_sqmean;   /* R_sqmean, in sqrt (s) */
} TfrcRtt;

void tfrc_rtt_init (TfrcRtt *rtt, TfrcRttMethod method, TfrcRtoPolicy rto_policy);

/* Steps 1 and 2: takes a sample, which is clamped to TFRC_MIN_RTT_NS .. TFRC_MAX_RTT_NS. */
void tfrc_rtt_on_sample (TfrcRtt *rtt, uint64_t sample_ns);

/* Forgets R, because the path has changed: R is not known until the next sample, which sets it. */
void tfrc_rtt_reset (TfrcRtt *rtt);

bool tfrc_rtt_is_known (const TfrcRtt *rtt);

/* R; 0 while it is not known */
uint64_t tfrc_rtt_ns (const TfrcRtt *rtt);

/* t_RTO of the throughput equation; 0 while R is not known */
double tfrc_rtt_rto_s (const TfrcRtt *rtt);

/* t_RTO of the policy for this R and D */
double tfrc_rto_s (TfrcRtoPolicy policy, double r_s, double d_s);
bool tfrc_rto_policy_is_valid (TfrcRtoPolicy policy);

/* R_sqmean / sqrt (R_sample), the factor of section 4.5; 1 while R is not known */
double tfrc_rtt_oscillation_factor (const TfrcRtt *rtt);

#endif
