/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1): which
 * packets have arrived, and when.
 *
 *      0                   1                   2                   3
 *     |      base sequence number     |      packet status count      |
 *     |                 reference time                | fb pkt. count |
 *     |          packet chunks, 16 bits each ...      | receive deltas ...
 *
 * A feedback is checked as a whole before the first of its packets is returned. */
#ifndef TFRC_WIRE_ARRIVALS_H
#define TFRC_WIRE_ARRIVALS_H

#include <tfrc/wire.h>

/* The unit of the reference time, and of a delta */
#define TFRC_WIRE_ARRIVALS_REFERENCE_NS (64 * UINT64_C (1000000))
#define TFRC_WIRE_ARRIVALS_DELTA_NS 250000

#define TFRC_WIRE_ARRIVALS_REFERENCE_BITS 24

typedef struct
{
  uint16_t base_seq;
  uint16_t count;          /* of packets, 1..TFRC_ARRIVALS_PACKETS */
  uint32_t reference_time; /* 24 bits */

  /* where the next packet stands */
  const uint8_t *chunk, *delta;
  unsigned symbols_left; /* of the chunk */
} TfrcWireArrivals;

/* One packet of the feedback */
typedef struct
{
  bool arrived;
  int32_t delta; /* of the arrival before, or of the reference time; 250 us */
} TfrcWireArrivalOf;

/* Checks the feedback.  Returns TFRC_WIRE_OK, TFRC_WIRE_TOO_SHORT (the chunks or the deltas end
 * before the packets do) or TFRC_WIRE_BAD_FIELD. */
TfrcWireResult tfrc_wire_parse_arrivals (
    const uint8_t *fci, size_t size, TfrcWireArrivals *arrivals);

/* Returns the next packet.  The caller asks for no more than `count'. */
TfrcWireArrivalOf tfrc_wire_next_arrival (TfrcWireArrivals *arrivals);

#endif
