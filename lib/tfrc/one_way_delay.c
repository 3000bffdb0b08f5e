/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One-way delays of data packets, see one_way_delay.h. */
#include "one_way_delay.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* Weight of a new delay in the mean, and of a new deviation in the mean deviation: those of ZigZag
 * (Cen, Cosman and Voelker 2003), alpha and 2 alpha */
#define MEAN_WEIGHT (1.0 / 32)
#define DEVIATION_WEIGHT (1.0 / 16)

/* J of RFC 3550, section 6.4.1.  A queue grows over many packets, so that its growth counts for little. */
#define JITTER_WEIGHT (1.0 / 16)

/* The least and the greatest delay are those of one to two such times. */
#define PERIOD_NS (30 * TFRC_NS_PER_S)

void
tfrc_one_way_delay_init (TfrcOneWayDelay *delays)
{
  memset (delays, 0, sizeof *delays);
  tfrc_windowed_max_init (&delays->least);
  tfrc_windowed_max_init (&delays->greatest);
}

TfrcDelaySample
tfrc_one_way_delay_measure (const TfrcOneWayDelay *delays, const TfrcData *data, uint64_t now_ns)
{
  TfrcDelaySample sample = { 0 };

  sample.clocks_us = (uint32_t) (now_ns / TFRC_NS_PER_US) - data->send_time_us;
  sample.rtt_us = data->rtt_us;
  sample.arrival_ns = now_ns;
  if (delays->packets != 0)
    sample.delay_ns = delays->newest.delay_ns
        + (int32_t) (sample.clocks_us - delays->newest.clocks_us) * (double) TFRC_NS_PER_US;
  return sample;
}

/* Keeps one packet of each round-trip time. */
static void
keep_for_rise (TfrcOneWayDelay *delays, const TfrcDelaySample *sample)
{
  if (sample->rtt_us == 0)
    return;
  if (delays->rtts > 0
      && tfrc_sub_ns (sample->arrival_ns, delays->last_of_rtt.arrival_ns)
          < sample->rtt_us * TFRC_NS_PER_US)
    return;
  delays->before_rtt = delays->last_of_rtt;
  delays->last_of_rtt = *sample;
  if (delays->rtts < 2)
    delays->rtts++;
}

void
tfrc_one_way_delay_add (TfrcOneWayDelay *delays, const TfrcDelaySample *sample)
{
  double delay_ns = sample->delay_ns;

  if (delays->packets == 0)
    delays->mean_ns = delay_ns;
  else
    delays->jitter_ns += JITTER_WEIGHT
        * (fabs (delay_ns - delays->newest.delay_ns) - delays->jitter_ns);
  delays->mean_ns += MEAN_WEIGHT * (delay_ns - delays->mean_ns);
  delays->deviation_ns += DEVIATION_WEIGHT
      * (fabs (delay_ns - delays->mean_ns) - delays->deviation_ns);
  delays->least_ns = -tfrc_windowed_max_update (
      &delays->least, -delay_ns, PERIOD_NS, sample->arrival_ns);
  delays->greatest_ns = tfrc_windowed_max_update (
      &delays->greatest, delay_ns, PERIOD_NS, sample->arrival_ns);
  keep_for_rise (delays, sample);
  delays->newest = *sample;
  delays->packets++;
}

bool
tfrc_one_way_delay_covers_rtt (const TfrcOneWayDelay *delays)
{
  return delays->rtts == 2;
}

double
tfrc_one_way_delay_rise_ns (const TfrcOneWayDelay *delays)
{
  return delays->newest.delay_ns - delays->before_rtt.delay_ns;
}
