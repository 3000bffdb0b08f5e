/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Methods that make R of the samples, see rtt_method.h. */
#include "rtt_method.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* ---- the most recent samples ------------------------------------------- */

void
tfrc_rtt_samples_init (TfrcRttSamples *samples, uint32_t k)
{
  memset (samples, 0, sizeof *samples);
  samples->k = k;
}

bool
tfrc_rtt_samples_add (TfrcRttSamples *samples, uint64_t sample_ns, uint64_t rise_ns)
{
  /* Whole nanoseconds: a rise of exactly Lt does not count. */
  bool rises = samples->known > 0
      && tfrc_sub_ns (sample_ns, samples->sample_ns[samples->newest]) > rise_ns;

  samples->newest = samples->known > 0 ? (samples->newest + 1) % samples->k : 0;
  samples->sample_ns[samples->newest] = sample_ns;
  if (samples->known < samples->k)
    samples->known++;
  return rises;
}

void
tfrc_rtt_samples_range (const TfrcRttSamples *samples, TfrcRttInput *input)
{
  uint64_t shortest_ns = samples->sample_ns[0], longest_ns = samples->sample_ns[0];

  for (uint32_t i = 1; i < samples->known; i++) {
    shortest_ns = tfrc_min_ns (shortest_ns, samples->sample_ns[i]);
    longest_ns = tfrc_max_ns (longest_ns, samples->sample_ns[i]);
  }
  input->shortest_s = tfrc_ns_to_s (shortest_ns);
  input->longest_s = tfrc_ns_to_s (longest_ns);
}

/* ---- methods ----------------------------------------------------------- */

double
tfrc_rtt_moving_average_s (double average_s, double sample_s)
{
  return TFRC_RTT_FILTER * average_s + (1 - TFRC_RTT_FILTER) * sample_s;
}

static double
spread_s (const TfrcRttInput *input)
{
  return input->longest_s - input->shortest_s;
}

/* RFC 5348 section 4.3 step 2 */
static double
ewma (const TfrcRttInput *input)
{
  return input->average_s;
}

/* Enhanced TFRC, eq. 3.  The old R already contains earlier additions.  The RTT field of a data
 * packet limits R. */
static double
adaptive (const TfrcRttInput *input)
{
  double r_s = tfrc_rtt_moving_average_s (input->old_r_s, input->sample_s);

  if (input->rises)
    r_s += spread_s (input);
  return fmin (r_s, tfrc_ns_to_s (TFRC_MAX_RTT_NS));
}

/* The average plus the spread.  The spread does not enter the average, so that additions do not
 * add up. */
static double
adaptive_bounded (const TfrcRttInput *input)
{
  if (!input->rises)
    return input->average_s;
  return fmax (input->average_s, fmin (input->average_s + spread_s (input), input->longest_s));
}

static const TfrcRttFunc methods[] = {
  [TFRC_RTT_METHOD_EWMA] = ewma,
  [TFRC_RTT_METHOD_ADAPTIVE] = adaptive,
  [TFRC_RTT_METHOD_ADAPTIVE_BOUNDED] = adaptive_bounded,
};

TfrcRttFunc
tfrc_rtt_method_find (TfrcRttMethod method)
{
  return (unsigned) method < sizeof methods / sizeof methods[0] ? methods[method] : NULL;
}
