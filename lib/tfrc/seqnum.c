/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extended sequence numbers, see seqnum.h. */
#include "seqnum.h"

#include <string.h>

/* The start leaves room below, so that "one before the first" and late packets at the start need
 * no special case. */
#define FIRST_EXTENDED UINT64_C (0x10000)

void
tfrc_seq_init (TfrcSeqTracker *tracker)
{
  memset (tracker, 0, sizeof *tracker);
}

void
tfrc_seq_start (TfrcSeqTracker *tracker, uint16_t seq)
{
  tracker->highest = FIRST_EXTENDED + seq - 1;
  tracker->started = true;
}

TfrcSeqKind
tfrc_seq_classify (const TfrcSeqTracker *tracker, uint16_t seq)
{
  uint16_t ahead = (uint16_t) (seq - (uint16_t) tracker->highest);
  uint16_t behind = (uint16_t) -ahead;

  if (behind <= TFRC_SEQ_MAX_OUTAGE)
    return behind <= TFRC_SEQ_MAX_JUMP ? TFRC_SEQ_BEHIND : TFRC_SEQ_FAR_BEHIND;
  if (ahead <= TFRC_SEQ_MAX_OUTAGE)
    return ahead <= TFRC_SEQ_MAX_JUMP ? TFRC_SEQ_AHEAD : TFRC_SEQ_FAR_AHEAD;
  return TFRC_SEQ_ELSEWHERE;
}

uint64_t
tfrc_seq_accept (TfrcSeqTracker *tracker, uint16_t seq)
{
  uint16_t behind = (uint16_t) ((uint16_t) tracker->highest - seq);

  if (behind <= TFRC_SEQ_MAX_OUTAGE)
    return tracker->highest - behind;
  return tfrc_seq_restart (tracker, seq);
}

/* A restart skips numbers, so that the low 16 bits of extended numbers stay equal to those on
 * the wire. */
uint64_t
tfrc_seq_restart (TfrcSeqTracker *tracker, uint16_t seq)
{
  tracker->highest += (uint16_t) (seq - (uint16_t) tracker->highest);
  return tracker->highest;
}
