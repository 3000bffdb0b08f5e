/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv, the rate at which data arrives (RFC 5348 section 6.2 step 2).  The interval goes back
 * to the most recent expiration of the feedback timer that was at least one round-trip time ago. */
#ifndef TFRC_RECEIVE_RATE_H
#define TFRC_RECEIVE_RATE_H

#include <stdint.h>

#define TFRC_RECEIVE_RATE_MARKS 16

typedef struct
{
  struct
  {
    uint64_t time_ns;
    uint64_t bytes;                 /* received until time_ns */
  } marks[TFRC_RECEIVE_RATE_MARKS]; /* oldest first */
  unsigned n;
  uint64_t bytes; /* received so far */
} TfrcReceiveRate;

void tfrc_receive_rate_init (TfrcReceiveRate *rate);

void tfrc_receive_rate_on_bytes (TfrcReceiveRate *rate, uint32_t bytes);

/* Takes back bytes of tfrc_receive_rate_on_bytes(): the packet was a duplicate. */
void tfrc_receive_rate_cancel (TfrcReceiveRate *rate, uint32_t bytes);

/* The number of bytes received so far */
static inline uint64_t
tfrc_receive_rate_bytes (const TfrcReceiveRate *rate)
{
  return rate->bytes;
}

/* The feedback timer expires now.  The record keeps at least window_ns, at any rate of
 * expirations.  With more expirations in a window than marks, the marks that are kept are at most a
 * quarter of the window apart, or as far as the expirations. */
void tfrc_receive_rate_mark (TfrcReceiveRate *rate, uint64_t window_ns, uint64_t now_ns);

/* Data arrives after a time without any data, in which the timer would have expired many times:
 * only the window_ns before now count.  To be called before the data is counted. */
void tfrc_receive_rate_resume (TfrcReceiveRate *rate, uint64_t window_ns, uint64_t now_ns);

/* Returns X_recv in bytes per second, over at least window_ns > 0 before now. */
double tfrc_receive_rate_Bps (const TfrcReceiveRate *rate, uint64_t window_ns, uint64_t now_ns);

#endif
