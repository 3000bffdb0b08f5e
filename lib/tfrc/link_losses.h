/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Could the losses of the last 1000 to 2000 packets be those of a damaged link?  Such a link loses a small
 * part of the packets, the same part whether the stream is slow or fast.  A queue that overflows, however
 * short, loses more of them when the stream is faster.
 *
 * Both tests are statistical, with a limit of three standard deviations on one side. */
#ifndef TFRC_LINK_LOSSES_H
#define TFRC_LINK_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  double packets; /* sent, as far as arrivals and gaps tell */
  double lost;
} TfrcLossShare;

typedef struct
{
  double allowance;    /* the part of the packets that a link may damage */
  TfrcLossShare now;   /* of the round-trip time that has begun at since_ns */
  uint64_t since_ns;   /* 0: none has begun */
  double mean_packets; /* in a round-trip time, weighted */
  TfrcLossShare slow;  /* of the round-trip times with fewer packets than the mean */
  TfrcLossShare fast;  /* of the others */
} TfrcLinkLosses;

/* allowance: 0..1 */
void tfrc_link_losses_init (TfrcLinkLosses *losses, double allowance);

static inline double
tfrc_link_losses_allowance (const TfrcLinkLosses *losses)
{
  return losses->allowance;
}

/* A packet has arrived.  rtt_ns: R; 0: unknown */
void tfrc_link_losses_on_packet (TfrcLinkLosses *losses, uint64_t rtt_ns, uint64_t now_ns);

/* This many packets are lost. */
void tfrc_link_losses_on_loss (TfrcLinkLosses *losses, uint32_t count);

/* Are the losses within the allowance, and independent of the stream's rate? */
bool tfrc_link_losses_are_likely (const TfrcLinkLosses *losses);

#endif
