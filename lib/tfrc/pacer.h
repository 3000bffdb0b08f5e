/* When packets may leave (RFC 5348 sections 4.6 and 8.3): nominal send times, credit for unused ones, and t_delta.
 *
 * The interval t_ipi is an argument of every call instead of state, so that a new rate applies from the last packet
 * on, not only after the next one. */
#ifndef TFRC_PACER_H
#define TFRC_PACER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  uint64_t burst_limit_ns; /* credit is kept for at most this */
  uint64_t granularity_ns; /* t_gran */
  bool started; /* the nominal times hold: a packet has been sent, and since then none released */
  uint64_t nominal_ns; /* t_i of the last packet, within the burst limit */
  uint64_t
      unlimited_nominal_ns; /* the same with a whole round-trip time of credit: tells whether the sender
                                           is data-limited, which a tight burst limit must not hide */
} TfrcPacer;

void tfrc_pacer_init (TfrcPacer *pacer, uint64_t burst_limit_ns, uint64_t granularity_ns);

/* t_(i+1) - t_delta: 0 before the first packet.  rtt_ns is 0 while it is not known. */
uint64_t tfrc_pacer_next_ns (const TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns);

/* A packet leaves. */
void tfrc_pacer_on_packet (TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns, uint64_t now_ns);

/* Has the sender sent all that it is allowed to (section 8.2.1)? */
bool tfrc_pacer_is_exhausted (
    const TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns, uint64_t now_ns);

/* Allows one packet now. */
void tfrc_pacer_release (TfrcPacer *pacer, uint64_t ipi_ns, uint64_t now_ns);

#endif
