/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of which packets of a sender left with ECT: how many of the packets up to a sequence
 * number did (RFC 6679 section 7.4.2).
 *
 * The record holds runs: packets in sequence that all have ECT, or all have not. */
#ifndef TFRC_ECN_RECORD_H
#define TFRC_ECN_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* A packet with ECT among others without makes two runs.  The sender has at most four of these
 * unreported while it probes, so that the record reaches far behind the oldest packet on its way. */
#define TFRC_ECN_RECORD_RUNS 64

typedef struct
{
  uint64_t first;      /* how many packets had left before this run */
  uint64_t ect_before; /* how many of them had ECT */
  bool ect;
} TfrcEcnRun;

/* Zero-initialise. */
typedef struct
{
  TfrcEcnRun runs[TFRC_ECN_RECORD_RUNS]; /* a ring */
  uint64_t n_runs;
  uint64_t sent;     /* packets that have left */
  uint64_t ect_sent; /* of these with ECT */
  uint16_t next_seq; /* valid once sent > 0 */
} TfrcEcnRecord;

/* A packet leaves.  Numbers that were left out before it count as packets without ECT. */
void tfrc_ecn_record_add (TfrcEcnRecord *record, uint16_t seq, bool ect);

/* Takes back the newest packet. */
void tfrc_ecn_record_cancel (TfrcEcnRecord *record);

/* Returns how many packets had left when the last one with ECT had left; 0: none has left. */
uint64_t tfrc_ecn_record_ect_end (const TfrcEcnRecord *record);

/* Counts the packets up to this number, with it.  Returns false if the number has not been sent, or
 * is older than the record. */
bool tfrc_ecn_record_count (
    const TfrcEcnRecord *record, uint16_t seq, uint64_t *sent, uint64_t *ect_sent);

#endif
