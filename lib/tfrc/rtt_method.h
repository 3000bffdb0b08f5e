/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Methods that make R of the samples: one function for each value of TfrcRttMethod.  A new method
 * is a new function and a new line of the table in rtt_method.c.
 *
 * Enhanced TFRC: Reddy, Reddy and Padmavathamma, Efficient Traffic Engineering Strategies for
 * Improving the Performance of TCP Friendly Rate Control Protocol, 2017, eq. 3 and 4. */
#ifndef TFRC_RTT_METHOD_H
#define TFRC_RTT_METHOD_H

#include <tfrc/tfrc.h>

/* q, the filter constant of R (RFC 5348 section 4.3 step 2) */
#define TFRC_RTT_FILTER 0.9

/* The k most recent samples */
typedef struct
{
  uint32_t k;      /* 2..TFRC_MAX_RTT_SAMPLES */
  uint32_t known;  /* samples so far, at most k */
  uint32_t newest; /* index of the newest sample; valid once known > 0 */
  uint64_t sample_ns[TFRC_MAX_RTT_SAMPLES];
} TfrcRttSamples;

void tfrc_rtt_samples_init (TfrcRttSamples *samples, uint32_t k);

/* Adds the newest sample.  Returns whether the samples rise: whether this sample is longer than the
 * sample before it by more than rise_ns. */
bool tfrc_rtt_samples_add (TfrcRttSamples *samples, uint64_t sample_ns, uint64_t rise_ns);

/* The inputs of a method when a sample has come that is not the first.  All times are in seconds. */
typedef struct
{
  double old_r_s;    /* R before the sample */
  double sample_s;   /* the sample */
  double average_s;  /* A, the moving average of all samples, this one included */
  double shortest_s; /* of the k most recent samples, this one included */
  double longest_s;
  bool rises; /* the samples rise, or the receiver has reported a link error */
} TfrcRttInput;

/* Returns the new R in seconds. */
typedef double (*TfrcRttFunc) (const TfrcRttInput *input);

/* Returns the method's function; NULL: there is no such method. */
TfrcRttFunc tfrc_rtt_method_find (TfrcRttMethod method);

/* Returns the moving average after a sample, q average + (1 - q) sample. */
double tfrc_rtt_moving_average_s (double average_s, double sample_s);

/* Sets shortest_s and longest_s.  At least one sample is known. */
void tfrc_rtt_samples_range (const TfrcRttSamples *samples, TfrcRttInput *input);

#endif
