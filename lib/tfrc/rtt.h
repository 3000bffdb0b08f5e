/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip time and retransmission timeout (RFC 5348 section 4.3 steps 1-3); the long-term
 * mean of the square root of the round-trip time, for oscillation reduction (section 4.5); and
 * t_RTO of the throughput equation (section 3.1). */
#ifndef TFRC_RTT_H
#define TFRC_RTT_H

#include "rtt_method.h"
#include "units.h"

/* t_RTO = 4 R: the policy of section 3.1 */
#define TFRC_RTO_RTTS 4.0

typedef struct
{
  TfrcRttMethod method;
  TfrcRtoPolicy rto_policy;
  uint32_t samples; /* k of enhanced TFRC, eq. 3: 2..TFRC_MAX_RTT_SAMPLES */
  uint64_t rise_ns; /* Lt of eq. 3 */
} TfrcRttConfig;

typedef struct
{
  TfrcRttConfig config;
  TfrcRttSamples samples;
  double r_s;            /* R; 0: no sample yet */
  double average_s;      /* A, the moving average of the samples: R of RFC 5348 */
  double d_s;            /* D: RTTVAR (RFC 6298 section 2), about A */
  double r_sample_s;     /* R_sample */
  double r_sqmean;       /* R_sqmean, in sqrt (s) */
  double adaptive_rto_s; /* t_RTO of TFRC_RTO_POLICY_ADAPTIVE */
  uint64_t least_ns;     /* the least and the greatest sample; 0: none yet */
  uint64_t greatest_ns;
} TfrcRtt;

/* config: of a method that tfrc_rtt_method_find() knows */
void tfrc_rtt_init (TfrcRtt *rtt, const TfrcRttConfig *config);

/* Steps 1 and 2: takes a sample, which is clamped to TFRC_MIN_RTT_NS .. TFRC_MAX_RTT_NS.
 * link_error: the feedback with this sample reports a packet that a link has damaged.  Enhanced
 * TFRC, section 3.1, then computes R as if the samples rose, and t_RTO with eq. 4. */
void tfrc_rtt_on_sample (TfrcRtt *rtt, uint64_t sample_ns, bool link_error);

/* Forgets R and the samples, because the path has changed: R is not known until the next sample,
 * which sets it. */
void tfrc_rtt_reset (TfrcRtt *rtt);

static inline bool
tfrc_rtt_is_known (const TfrcRtt *rtt)
{
  return rtt->r_s > 0;
}

/* R; 0 while it is not known */
static inline uint64_t
tfrc_rtt_ns (const TfrcRtt *rtt)
{
  return tfrc_s_to_nearest_ns (rtt->r_s);
}

/* R as the equation uses it, unrounded; 0 while it is not known */
static inline double
tfrc_rtt_s (const TfrcRtt *rtt)
{
  return rtt->r_s;
}

/* R_sample of the last sample, within the limits of tfrc_rtt_on_sample(); 0: none */
static inline double
tfrc_rtt_sample_s (const TfrcRtt *rtt)
{
  return rtt->r_sample_s;
}

/* D: RTTVAR of RFC 6298; 0 while R is not known */
static inline double
tfrc_rtt_variation_s (const TfrcRtt *rtt)
{
  return rtt->d_s;
}

/* The least and the greatest sample since the path is this one, within the limits of tfrc_rtt_on_sample(); 0:
 * none */
static inline uint64_t
tfrc_rtt_least_ns (const TfrcRtt *rtt)
{
  return rtt->least_ns;
}

static inline uint64_t
tfrc_rtt_greatest_ns (const TfrcRtt *rtt)
{
  return rtt->greatest_ns;
}

/* A, the average of the samples: R without the addition of eq. 3; 0 while R is not known */
uint64_t tfrc_rtt_average_ns (const TfrcRtt *rtt);

/* t_RTO of the throughput equation; 0 while R is not known */
double tfrc_rtt_rto_s (const TfrcRtt *rtt);

/* t_RTO of the policy for this R and D.  TFRC_RTO_POLICY_ADAPTIVE: 4 R, as before any link error */
double tfrc_rto_s (TfrcRtoPolicy policy, double r_s, double d_s);
bool tfrc_rto_policy_is_valid (TfrcRtoPolicy policy);

/* R_sqmean / sqrt (R_sample), the factor of section 4.5; 1 while R is not known */
double tfrc_rtt_oscillation_factor (const TfrcRtt *rtt);

#endif
