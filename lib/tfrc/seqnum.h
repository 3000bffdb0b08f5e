/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sequence numbers: from the 16 bits on the wire to numbers that do not wrap (RFC 5348 section
 * 3.2.1; RFC 3550 appendix A.1, which also tells a restarted or stray sender from a gap). */
#ifndef TFRC_SEQNUM_H
#define TFRC_SEQNUM_H

#include <stdbool.h>
#include <stdint.h>

/* A number at most this far from the highest is used at once.  So one wrong number affects at
 * most this many numbers around it.  RFC 3550 has MAX_DROPOUT 3000 and MAX_MISORDER 100.  A
 * dropout of 3000 packets is half a minute of a movie, which one packet must not cost.  A longer
 * gap does no harm here, because both packets that prove it are used. */
#define TFRC_SEQ_MAX_JUMP 100

/* A longer jump ahead than this is another sequence, and not an outage with lost packets. */
#define TFRC_SEQ_MAX_OUTAGE 0x4000

/* The position of a number, relative to the highest */
typedef enum
{
  TFRC_SEQ_AHEAD,      /* above every other */
  TFRC_SEQ_BEHIND,     /* not above the highest */
  TFRC_SEQ_FAR_AHEAD,  /* more than TFRC_SEQ_MAX_JUMP ahead, as after an outage */
  TFRC_SEQ_FAR_BEHIND, /* more than TFRC_SEQ_MAX_JUMP behind, as very late packets and copies are */
  TFRC_SEQ_ELSEWHERE   /* more than TFRC_SEQ_MAX_OUTAGE away in both directions */
} TfrcSeqKind;

typedef struct
{
  uint64_t highest; /* extended; valid once started */
  bool started;
} TfrcSeqTracker;

void tfrc_seq_init (TfrcSeqTracker *tracker);

/* Starts the sequence so that seq is the next one expected. */
void tfrc_seq_start (TfrcSeqTracker *tracker, uint16_t seq);

/* The highest number, extended.  The tracker has been started. */
static inline uint64_t
tfrc_seq_highest (const TfrcSeqTracker *tracker)
{
  return tracker->highest;
}

/* Returns the position of seq, and changes nothing.  The tracker has been started. */
TfrcSeqKind tfrc_seq_classify (const TfrcSeqTracker *tracker, uint16_t seq);

/* Uses the packet with this number, which is not TFRC_SEQ_ELSEWHERE.  Returns its extended
 * number, which becomes the highest if it lies ahead. */
uint64_t tfrc_seq_accept (TfrcSeqTracker *tracker, uint16_t seq);

/* Continues the sequence at seq, wherever seq lies.  Returns its extended number: the next
 * number above the highest with these low 16 bits. */
uint64_t tfrc_seq_restart (TfrcSeqTracker *tracker, uint16_t seq);

#endif
