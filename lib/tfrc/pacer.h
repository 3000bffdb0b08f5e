/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pacing of packets (RFC 5348 sections 4.6 and 8.3): nominal send times, credit for unused
 * ones, and t_delta.
 *
 * The interval t_ipi is an argument of every call and no state.  So a new rate applies from the
 * last packet on, and not from the next one. */
#ifndef TFRC_PACER_H
#define TFRC_PACER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  uint64_t burst_limit_ns;  /* the longest time for which credit is kept */
  uint64_t credit_floor_ns; /* a shorter round-trip time counts as this time */
  uint64_t granularity_ns;  /* t_gran */
} TfrcPacerConfig;

typedef struct
{
  TfrcPacerConfig config;
  /* the nominal times are valid: a packet has been sent, and no packet was released since */
  bool started;
  uint64_t nominal_ns; /* t_i of the last packet, within the burst limit */
  /* the same without the burst limit.  It tells whether the sender is data-limited, which a tight
   * burst limit must not hide. */
  uint64_t unlimited_nominal_ns;
  /* the t_i of section 4.6 with credit for one R, which waiting does not use up */
  uint64_t used_until_ns;
  bool spends; /* the credit that the burst limit withholds is spent, at twice X */
} TfrcPacer;

void tfrc_pacer_init (TfrcPacer *pacer, const TfrcPacerConfig *config);

/* Returns t_(i+1) - t_delta: 0 before the first packet. rtt_ns: 0 while R is not known */
uint64_t tfrc_pacer_next_ns (const TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns);

/* A packet leaves. */
void tfrc_pacer_on_packet (TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns, uint64_t now_ns);

/* X is about to change.  Time in which X allowed no packet is used, whatever X becomes.  ipi_ns: of the X so far */
void tfrc_pacer_on_new_rate (TfrcPacer *pacer, uint64_t ipi_ns, uint64_t now_ns);

/* Has the sender sent all that it is allowed to send (section 8.2.1)? */
bool tfrc_pacer_is_exhausted (
    const TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns, uint64_t now_ns);

/* Lets packets that wait spend the credit that the burst limit withholds: they leave at twice X until that credit is used
 * up. No more than R's worth of packets leaves beyond what X allows, as section 4.6 says. */
void tfrc_pacer_spend_credit (TfrcPacer *pacer, bool spend);

/* Returns up to when the sending time is used, without the burst limit: credit is the time since then, R at most.
 * UINT64_MAX: there is no credit. */
uint64_t tfrc_pacer_used_until_ns (const TfrcPacer *pacer);

/* Allows one packet now. */
void tfrc_pacer_release (TfrcPacer *pacer, uint64_t ipi_ns, uint64_t now_ns);

#endif
