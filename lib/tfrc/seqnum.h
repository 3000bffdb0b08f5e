/* Sequence numbers: from the 16 bits on the wire to numbers that do not wrap (RFC 5348 section 3.2.1; RFC 3550
 * appendix A.1, which also tells a restarted or stray sender from a gap). */
#ifndef TFRC_SEQNUM_H
#define TFRC_SEQNUM_H

#include <stdbool.h>
#include <stdint.h>

/* Further ahead or behind than this a number is suspect: no gap, no late packet. */
#define TFRC_SEQ_MAX_DISTANCE 0x4000

typedef enum
{
  TFRC_SEQ_AHEAD,               /* above every other */
  TFRC_SEQ_BEHIND,              /* not above the highest */
  TFRC_SEQ_SUSPECT,             /* too far from the highest */
  TFRC_SEQ_RESTART              /* follows a suspect one: the sender has restarted here */
} TfrcSeqKind;

typedef struct
{
  uint64_t highest;             /* extended; valid once started */
  uint16_t restart;             /* what would follow the last suspect number */
  bool started;
  bool suspicious;              /* the last number was suspect */
} TfrcSeqTracker;

void tfrc_seq_init (TfrcSeqTracker * tracker);

/* Starts the sequence so that seq is the next one expected. */
void tfrc_seq_start (TfrcSeqTracker * tracker, uint16_t seq);

/* Classifies seq; *extended is set but for TFRC_SEQ_SUSPECT.  A restarted sequence
 * continues above highest, at the next number with these low 16 bits. */
TfrcSeqKind tfrc_seq_update (TfrcSeqTracker * tracker, uint16_t seq, uint64_t * extended);

#endif
