/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules by which a path passes or fails: what left is compared with what came (RFC 6679
 * sections 7.2.1, 7.4 and 7.4.2).
 *
 * All numbers are of packets between two reports.  A packet that is late between them counts with
 * the second report, so that single packets prove nothing. */
#ifndef TFRC_ECN_JUDGE_H
#define TFRC_ECN_JUDGE_H

#include <tfrc/ecn.h>

/* While the sender probes: this many packets with ECT decide if all of them have come.  RFC 6679
 * section 7.2.1 wants more than three before the path fails. */
#define TFRC_ECN_PROBES 4

/* This many decide if some have not come, or all have CE. */
#define TFRC_ECN_MORE_PROBES 8

/* After this number of probes the verdict is final. */
#define TFRC_ECN_MOST_PROBES 32

/* While all packets have ECT, this number of them is judged together. */
#define TFRC_ECN_WINDOW_PACKETS 64

typedef struct
{
  uint64_t sent, ect_sent;          /* packets that left, and of these with ECT */
  uint64_t ect0, ect1, ce, not_ect; /* packets that came */
} TfrcEcnTally;

typedef enum
{
  TFRC_ECN_UNDECIDED, /* more packets are needed */
  TFRC_ECN_GOOD,
  TFRC_ECN_SUSPECT, /* packets without ECT have to be compared */
  TFRC_ECN_BROKEN
} TfrcEcnVerdictKind;

typedef struct
{
  TfrcEcnVerdictKind kind;
  TfrcEcnProblem problem; /* SUSPECT and BROKEN */
} TfrcEcnVerdict;

/* Judges packets some of which left with ECT, others without. */
TfrcEcnVerdict tfrc_ecn_judge_probes (const TfrcEcnTally *tally);

/* Judges packets that left with ECT, but for some that had left before the first of these. */
TfrcEcnVerdict tfrc_ecn_judge_use (const TfrcEcnTally *tally);

#endif
