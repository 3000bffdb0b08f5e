/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One-way delays of data packets, for the loss classifiers.
 *
 * The receiver knows the arrival on its own clock and the send time on the sender's clock.  The
 * difference is the one-way delay plus an unknown constant, so all delays here are differences
 * from the first one.  Clocks drift and routes change, so the least and the greatest delay are
 * those of a recent window. */
#ifndef TFRC_ONE_WAY_DELAY_H
#define TFRC_ONE_WAY_DELAY_H

#include <tfrc/tfrc.h>

#include "windowed_max.h"

/* The delay of one packet */
typedef struct
{
  double delay_ns;    /* differs from the first packet's delay by this */
  uint32_t clocks_us; /* arrival - send time, wraps */
  uint32_t rtt_us;    /* R; 0: unknown */
  uint64_t arrival_ns;
} TfrcDelaySample;

typedef struct
{
  uint64_t packets; /* 0: the other fields are not valid */
  TfrcDelaySample newest;
  double mean_ns;               /* weighted, see one_way_delay.c */
  double deviation_ns;          /* mean deviation, weighted */
  double jitter_ns;             /* mean difference of two delays in a row (RFC 3550, 6.4.1) */
  double least_ns, greatest_ns; /* of the last 30 to 60 s */
  TfrcWindowedMax least, greatest;
  /* One packet of each round-trip time: the last such packet, and the one before it.  The one
   * before came one to two round-trip times before the newest packet. */
  uint32_t rtts; /* number of such packets, at most 2 */
  TfrcDelaySample last_of_rtt, before_rtt;
} TfrcOneWayDelay;

void tfrc_one_way_delay_init (TfrcOneWayDelay *delays);

/* The number of packets whose delays have been added */
static inline uint64_t
tfrc_one_way_delay_packets (const TfrcOneWayDelay *delays)
{
  return delays->packets;
}

/* Returns the delay of a packet that has come after all others.  The packet has TFRC's control
 * information, and is believed. */
TfrcDelaySample tfrc_one_way_delay_measure (
    const TfrcOneWayDelay *delays, const TfrcData *data, uint64_t now_ns);

/* Adds the delay of the packet that was measured last. */
void tfrc_one_way_delay_add (TfrcOneWayDelay *delays, const TfrcDelaySample *sample);

/* Do the delays reach back one round-trip time at least? */
bool tfrc_one_way_delay_covers_rtt (const TfrcOneWayDelay *delays);

/* By how much the delay has risen in the last round-trip time, or in up to two of them; below 0:
 * fallen.  The delays must cover a round-trip time. */
double tfrc_one_way_delay_rise_ns (const TfrcOneWayDelay *delays);

#endif
