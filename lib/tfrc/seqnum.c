/* Extended sequence numbers, see seqnum.h. */
#include "seqnum.h"

#include <string.h>

/* Leaves room below, so that "one before the first" and late packets of the start need no special case. */
#define FIRST_EXTENDED UINT64_C (0x10000)

/* A restart changes what the low 16 bits of extended numbers mean; they stay equal to the wire's by skipping. */
static uint64_t
extend_above (uint64_t highest, uint16_t seq)
{
  return highest + (uint16_t) (seq - (uint16_t) highest);
}

void
tfrc_seq_init (TfrcSeqTracker * tracker)
{
  memset (tracker, 0, sizeof *tracker);
}

void
tfrc_seq_start (TfrcSeqTracker * tracker, uint16_t seq)
{
  tracker->highest = FIRST_EXTENDED + seq - 1;
  tracker->started = true;
}

TfrcSeqKind
tfrc_seq_update (TfrcSeqTracker * tracker, uint16_t seq, uint64_t * extended)
{
  uint16_t ahead;

  if (!tracker->started)
    tfrc_seq_start (tracker, seq);

  ahead = (uint16_t) (seq - (uint16_t) tracker->highest);
  if (ahead != 0 && ahead <= TFRC_SEQ_MAX_DISTANCE) {
    tracker->suspicious = false;
    *extended = tracker->highest = extend_above (tracker->highest, seq);
    return TFRC_SEQ_AHEAD;
  }
  if ((uint16_t) - ahead <= TFRC_SEQ_MAX_DISTANCE) {
    *extended = tracker->highest - (uint16_t) - ahead;
    return TFRC_SEQ_BEHIND;
  }
  if (tracker->suspicious && seq == tracker->restart) {
    tracker->suspicious = false;
    *extended = tracker->highest = extend_above (tracker->highest, seq);
    return TFRC_SEQ_RESTART;
  }
  tracker->suspicious = true;
  tracker->restart = (uint16_t) (seq + 1);
  return TFRC_SEQ_SUSPECT;
}
