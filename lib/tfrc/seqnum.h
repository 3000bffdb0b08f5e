/* Sequence numbers: from the 16 bits on the wire to numbers that do not wrap (RFC 5348 section 3.2.1; RFC 3550
 * appendix A.1, which also tells a restarted or stray sender from a gap). */
#ifndef TFRC_SEQNUM_H
#define TFRC_SEQNUM_H

#include <stdbool.h>
#include <stdint.h>

/* A number no further from the highest than this is used at once, and so is the most that one wrong number can do to
 * the numbers around it.  RFC 3550 has MAX_DROPOUT 3000 and MAX_MISORDER 100.  A dropout of 3000 packets is half a minute
 * of a movie, which one packet must not cost.  A longer gap costs nothing here, as both packets that prove it are used. */
#define TFRC_SEQ_MAX_JUMP 100

/* A longer jump ahead than this is no outage of the path, in which packets were lost, but another sequence. */
#define TFRC_SEQ_MAX_OUTAGE 0x4000

/* Where a number lies, seen from the highest */
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

/* Tells where seq lies, and changes nothing.  The tracker has been started. */
TfrcSeqKind tfrc_seq_classify (const TfrcSeqTracker *tracker, uint16_t seq);

/* The packet with this number, which is not TFRC_SEQ_ELSEWHERE, is used.
 * Returns its extended number, which is the highest from now on if it lies ahead. */
uint64_t tfrc_seq_accept (TfrcSeqTracker *tracker, uint16_t seq);

/* The sequence goes on at seq, wherever that lies.  Returns its extended number: the
 * next one above the highest with these low 16 bits. */
uint64_t tfrc_seq_restart (TfrcSeqTracker *tracker, uint16_t seq);

#endif
