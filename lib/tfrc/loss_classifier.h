/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells link errors from congestion (enhanced TFRC, section 3.1): one function for each value of
 * TfrcLossClassifier.  A new classifier is a new function and a new line of the table in
 * loss_classifier.c.
 *
 * The forward delay stands for the round-trip time of the paper: only a queue of the forward path
 * drops data.  Without delays that reach back a round-trip time, a loss is congestion. */
#ifndef TFRC_LOSS_CLASSIFIER_H
#define TFRC_LOSS_CLASSIFIER_H

#include "link_losses.h"
#include "one_way_delay.h"

typedef struct
{
  TfrcLossClassifier method;
  TfrcOneWayDelay delays; /* of the packets before the newest one */
  TfrcDelaySample newest; /* of the newest packet: the first one after a gap */
  bool is_newest_known;   /* newest is valid: the packet's send time is believed */
  bool in_spike;          /* SPIKE: a queue has held the packets before the newest one */
  double loss_rate;       /* packets lost lately, as a part of all packets */
  TfrcLinkLosses losses;  /* EMPTY_QUEUE */
} TfrcLossClassifierState;

/* Is there such a classifier? TFRC_LOSS_CLASSIFIER_NONE is one. */
bool tfrc_loss_classifier_is_valid (TfrcLossClassifier method);

/* method: a valid one.  allowance: the part of the packets that a link may damage, 0..1 */
void tfrc_loss_classifier_init (
    TfrcLossClassifierState *state, TfrcLossClassifier method, double allowance);

/* Forgets all delays: the next packet comes over another path, or from another clock. */
void tfrc_loss_classifier_reset (TfrcLossClassifierState *state);

/* A packet has arrived above all others, with a delay that is known. most_ns: a delay that differs
 * by more from the packet's before is that of another clock or another path */
void tfrc_loss_classifier_on_packet (
    TfrcLossClassifierState *state, const TfrcData *data, uint64_t most_ns, uint64_t now_ns);

/* A packet has arrived above all others, and its delay is not known. */
void tfrc_loss_classifier_on_unknown (TfrcLossClassifierState *state);

/* The number of packets whose delays are comparable with that of the next one */
static inline uint64_t
tfrc_loss_classifier_delays (const TfrcLossClassifierState *state)
{
  return tfrc_one_way_delay_packets (&state->delays);
}

/* Tells whether a link has lost the packets, this many in a row, that are missing before the newest
 * packet. To be called once for each gap. */
bool tfrc_loss_classifier_is_link_error (TfrcLossClassifierState *state, uint32_t count);

#endif
