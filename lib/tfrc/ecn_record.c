/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of packets that left with ECT, see ecn_record.h. */
#include "ecn_record.h"

static unsigned
newest (const TfrcEcnRecord *record)
{
  return (unsigned) ((record->n_runs - 1) % TFRC_ECN_RECORD_RUNS);
}

static void
add_packets (TfrcEcnRecord *record, uint64_t n, bool ect)
{
  if (record->n_runs == 0 || record->runs[newest (record)].ect != ect) {
    const TfrcEcnRun run = { record->sent, record->ect_sent, ect };

    record->n_runs++;
    record->runs[newest (record)] = run;
  }
  record->sent += n;
  record->ect_sent += ect ? n : 0;
}

void
tfrc_ecn_record_add (TfrcEcnRecord *record, uint16_t seq, bool ect)
{
  uint16_t left_out = record->sent > 0 ? (uint16_t) (seq - record->next_seq) : 0;

  if (left_out > 0)
    add_packets (record, left_out, false);
  add_packets (record, 1, ect);
  record->next_seq = (uint16_t) (seq + 1);
}

void
tfrc_ecn_record_cancel (TfrcEcnRecord *record)
{
  const TfrcEcnRun *run;

  if (record->sent == 0)
    return;
  run = &record->runs[newest (record)];
  record->sent--;
  record->next_seq--;
  record->ect_sent -= run->ect;
  if (run->first == record->sent)
    record->n_runs--;
}

uint64_t
tfrc_ecn_record_ect_end (const TfrcEcnRecord *record)
{
  const TfrcEcnRun *run;

  if (record->ect_sent == 0)
    return 0;
  run = &record->runs[newest (record)];
  return run->ect ? record->sent : run->first;
}

bool
tfrc_ecn_record_count (
    const TfrcEcnRecord *record, uint16_t seq, uint64_t *sent, uint64_t *ect_sent)
{
  uint16_t newer = (uint16_t) (record->next_seq - 1 - seq);
  uint64_t n = record->n_runs < TFRC_ECN_RECORD_RUNS ? record->n_runs : TFRC_ECN_RECORD_RUNS;

  if (newer >= record->sent)
    return false;
  *sent = record->sent - newer;
  for (uint64_t i = 1; i <= n; i++) {
    const TfrcEcnRun *run = &record->runs[(record->n_runs - i) % TFRC_ECN_RECORD_RUNS];

    if (run->first < *sent) {
      *ect_sent = run->ect_before + (run->ect ? *sent - run->first : 0);
      return true;
    }
  }
  return false;
}
