/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice of packets that carry ECT(0): the states of RFC 6679 sections 7.2.1, 7.3.1 and 7.4.1,
 * see <tfrc/ecn.h>. ecn_judge.c has the rules by which a path passes or fails. */
#include <tfrc/ecn.h>

#include <stdlib.h>
#include <string.h>

#include "ecn_judge.h"
#include "ecn_record.h"
#include "struct_size.h"
#include "units.h"

/* While the sender probes, one packet in this number carries ECT: section 7.2.1 asks for a small
 * fraction. */
#define PROBE_DISTANCE 4

/* The most probes that may be under way without a report that covers them */
#define MAX_UNREPORTED_PROBES 4

#define FIRST_RETRY_NS (60 * TFRC_NS_PER_S)
#define LONGEST_RETRY_NS (600 * TFRC_NS_PER_S)

/* After this time with ECT a path counts as one that works, so earlier suspicions are forgotten. */
#define PROVEN_NS (10 * TFRC_NS_PER_S)

/* The path fails after this number of suspicions in a row, although the probes before each of them
 * arrived (section 7.4.1: "if multiple initiations have been successful"). */
#define MAX_SUSPICIONS 3

/* A report, and what had left of the packets that the report covers */
typedef struct
{
  TfrcEcnReport report;
  uint64_t sent, ect_sent;
} Account;

struct TfrcEcn
{
  TfrcEcnRecord record;
  TfrcEcnState state;
  TfrcEcnProblem problem;
  bool refused;
  bool has_last; /* a report of this receiver has come */
  Account last;  /* the newest report */
  bool has_base;
  Account base;        /* the report from which on packets are judged */
  uint64_t base_sent;  /* PROBING: packets that the base has to cover */
  uint64_t capable_ns; /* CAPABLE: since when */
  unsigned suspicions; /* in a row */
  uint64_t backoff_ns; /* the length of the next FAILED */
  uint64_t retry_ns;   /* FAILED: until then */
  uint64_t failures;
};

/* ---- life -------------------------------------------------------------- */

TfrcResult
tfrc_ecn_new (TfrcEcn **ecn)
{
  if (ecn == NULL)
    return TFRC_ERROR_ARGUMENT;
  *ecn = calloc (1, sizeof **ecn);
  if (*ecn == NULL)
    return TFRC_ERROR_NO_MEMORY;
  (*ecn)->backoff_ns = FIRST_RETRY_NS;
  return TFRC_OK;
}

void
tfrc_ecn_free (TfrcEcn *ecn)
{
  free (ecn);
}

/* ---- changes of the state ---------------------------------------------- */

static void
set_off (TfrcEcn *ecn)
{
  ecn->state = TFRC_ECN_OFF;
  ecn->has_last = ecn->has_base = false;
}

static void
set_base (TfrcEcn *ecn)
{
  ecn->base = ecn->last;
  ecn->has_base = true;
}

/* The packets that had left before have to be out of the way: they took another path, or were
 * without control packets. */
static void
begin_probing (TfrcEcn *ecn, uint64_t base_sent)
{
  ecn->state = TFRC_ECN_PROBING;
  ecn->base_sent = base_sent;
  ecn->has_base = false;
  if (ecn->has_last && ecn->last.sent >= base_sent)
    set_base (ecn);
}

static void
set_capable (TfrcEcn *ecn, uint64_t now_ns)
{
  ecn->state = TFRC_ECN_CAPABLE;
  ecn->problem = TFRC_ECN_PROBLEM_NONE;
  ecn->capable_ns = now_ns;
  set_base (ecn);
}

static void
set_failed (TfrcEcn *ecn, TfrcEcnProblem problem, uint64_t now_ns)
{
  ecn->state = TFRC_ECN_FAILED;
  ecn->problem = problem;
  ecn->failures++;
  ecn->suspicions = 0;
  ecn->retry_ns = tfrc_add_ns (now_ns, ecn->backoff_ns);
  ecn->backoff_ns = tfrc_min_ns (2 * ecn->backoff_ns, LONGEST_RETRY_NS);
}

static void
forget_failures (TfrcEcn *ecn)
{
  ecn->suspicions = 0;
  ecn->backoff_ns = FIRST_RETRY_NS;
}

/* Packets without ECT have to show what the reason is. */
static void
suspect (TfrcEcn *ecn, TfrcEcnProblem problem, uint64_t now_ns)
{
  if (tfrc_sub_ns (now_ns, ecn->capable_ns) >= PROVEN_NS)
    forget_failures (ecn);
  ecn->suspicions++;
  if (ecn->suspicions >= MAX_SUSPICIONS)
    set_failed (ecn, problem, now_ns);
  else
    begin_probing (ecn, tfrc_ecn_record_ect_end (&ecn->record));
}

/* ---- packets that leave ------------------------------------------------ */

/* At a black hole this costs at most three probes that a report covers and four that no report
 * covers yet: the fourth that is reported missing makes the path fail. */
static bool
is_time_to_probe (const TfrcEcn *ecn)
{
  const TfrcEcnRecord *record = &ecn->record;
  uint64_t ect_end = tfrc_ecn_record_ect_end (record);

  return ecn->has_base
      && (ect_end <= ecn->base.sent || record->sent + 1 - ect_end >= PROBE_DISTANCE)
      && record->ect_sent - ecn->last.ect_sent < MAX_UNREPORTED_PROBES;
}

static bool
wants_ect (TfrcEcn *ecn, uint64_t now_ns)
{
  switch (ecn->state) {
    case TFRC_ECN_OFF:
      return false;
    case TFRC_ECN_FAILED:
      if (now_ns < ecn->retry_ns)
        return false;
      begin_probing (ecn, tfrc_ecn_record_ect_end (&ecn->record));
      return is_time_to_probe (ecn);
    case TFRC_ECN_PROBING:
      return is_time_to_probe (ecn);
    case TFRC_ECN_CAPABLE:
      return true;
  }
  return false;
}

bool
tfrc_ecn_on_packet (TfrcEcn *ecn, uint16_t seq, uint64_t now_ns)
{
  bool ect;

  if (ecn == NULL)
    return false;
  ect = wants_ect (ecn, now_ns);
  tfrc_ecn_record_add (&ecn->record, seq, ect);
  return ect;
}

void
tfrc_ecn_cancel (TfrcEcn *ecn)
{
  if (ecn != NULL)
    tfrc_ecn_record_cancel (&ecn->record);
}

void
tfrc_ecn_refuse (TfrcEcn *ecn)
{
  if (ecn == NULL)
    return;
  set_off (ecn);
  ecn->refused = true;
  ecn->problem = TFRC_ECN_PROBLEM_REFUSED;
}

/* ---- reports ----------------------------------------------------------- */

static bool
has_grown (uint32_t counter, uint32_t before)
{
  return (int32_t) (counter - before) >= 0;
}

static bool
may_follow (const Account *account, const Account *before)
{
  const TfrcEcnReport *report = &account->report, *last = &before->report;

  return account->sent >= before->sent && has_grown (report->ect0, last->ect0)
      && has_grown (report->ect1, last->ect1) && has_grown (report->ce, last->ce)
      && has_grown (report->not_ect, last->not_ect);
}

static TfrcEcnTally
tally_since_base (const TfrcEcn *ecn)
{
  const Account *base = &ecn->base, *last = &ecn->last;
  TfrcEcnTally tally = {
    .sent = last->sent - base->sent,
    .ect_sent = last->ect_sent - base->ect_sent,
    .ect0 = (uint32_t) (last->report.ect0 - base->report.ect0),
    .ect1 = (uint32_t) (last->report.ect1 - base->report.ect1),
    .ce = (uint32_t) (last->report.ce - base->report.ce),
    .not_ect = (uint32_t) (last->report.not_ect - base->report.not_ect),
  };

  return tally;
}

static void
judge_probing (TfrcEcn *ecn, uint64_t now_ns)
{
  TfrcEcnTally tally;
  TfrcEcnVerdict verdict;

  if (!ecn->has_base) {
    if (ecn->last.sent >= ecn->base_sent)
      set_base (ecn);
    return;
  }
  tally = tally_since_base (ecn);
  verdict = tfrc_ecn_judge_probes (&tally);
  if (verdict.kind == TFRC_ECN_GOOD)
    set_capable (ecn, now_ns);
  else if (verdict.kind == TFRC_ECN_BROKEN)
    set_failed (ecn, verdict.problem, now_ns);
}

static void
judge_capable (TfrcEcn *ecn, uint64_t now_ns)
{
  TfrcEcnTally tally = tally_since_base (ecn);
  TfrcEcnVerdict verdict = tfrc_ecn_judge_use (&tally);

  switch (verdict.kind) {
    case TFRC_ECN_UNDECIDED:
      break;
    case TFRC_ECN_GOOD:
      set_base (ecn);
      if (tfrc_sub_ns (now_ns, ecn->capable_ns) >= PROVEN_NS)
        forget_failures (ecn);
      break;
    case TFRC_ECN_SUSPECT:
      suspect (ecn, verdict.problem, now_ns);
      break;
    case TFRC_ECN_BROKEN:
      set_failed (ecn, verdict.problem, now_ns);
      break;
  }
}

/* A report that cannot be true changes nothing but the state. */
static void
use_report (TfrcEcn *ecn, const TfrcEcnReport *report, uint64_t now_ns)
{
  Account account = { *report, 0, 0 };

  if (!tfrc_ecn_record_count (&ecn->record, report->highest_seq, &account.sent, &account.ect_sent)
      || (ecn->has_last && !may_follow (&account, &ecn->last))) {
    if (ecn->state == TFRC_ECN_PROBING || ecn->state == TFRC_ECN_CAPABLE)
      set_failed (ecn, TFRC_ECN_PROBLEM_FALSE_REPORT, now_ns);
    ecn->has_last = false;
    return;
  }
  ecn->last = account;
  ecn->has_last = true;
  switch (ecn->state) {
    case TFRC_ECN_OFF:
      begin_probing (ecn, tfrc_ecn_record_ect_end (&ecn->record));
      break;
    case TFRC_ECN_PROBING:
      judge_probing (ecn, now_ns);
      break;
    case TFRC_ECN_CAPABLE:
      judge_capable (ecn, now_ns);
      break;
    case TFRC_ECN_FAILED:
      break;
  }
}

TfrcResult
tfrc_ecn_on_report (TfrcEcn *ecn, const TfrcEcnReport *report, uint64_t now_ns)
{
  if (report != NULL && (report->reserved[0] | report->reserved[1] | report->reserved[2]) != 0)
    return TFRC_ERROR_ARGUMENT;
  if (ecn == NULL || ecn->refused)
    return TFRC_OK;
  if (report == NULL)
    set_off (ecn);
  else
    use_report (ecn, report, now_ns);
  return TFRC_OK;
}

/* Where all that has left was reported there is nothing to report: the sender is idle. */
void
tfrc_ecn_on_silence (TfrcEcn *ecn, uint64_t now_ns)
{
  if (ecn != NULL && ecn->state == TFRC_ECN_CAPABLE && ecn->record.sent > ecn->last.sent)
    suspect (ecn, TFRC_ECN_PROBLEM_BLACK_HOLE, now_ns);
}

void
tfrc_ecn_on_new_path (TfrcEcn *ecn)
{
  if (ecn == NULL || ecn->state == TFRC_ECN_OFF)
    return;
  forget_failures (ecn);
  begin_probing (ecn, ecn->record.sent);
}

void
tfrc_ecn_on_new_receiver (TfrcEcn *ecn)
{
  if (ecn == NULL)
    return;
  forget_failures (ecn);
  set_off (ecn);
}

/* ---- state ------------------------------------------------------------- */

TfrcEcnState
tfrc_ecn_get_state (const TfrcEcn *ecn)
{
  return ecn != NULL ? ecn->state : TFRC_ECN_OFF;
}

TfrcEcnProblem
tfrc_ecn_get_problem (const TfrcEcn *ecn)
{
  return ecn != NULL ? ecn->problem : TFRC_ECN_PROBLEM_NONE;
}

TfrcResult
tfrc_ecn_get_stats_sized (const TfrcEcn *ecn, TfrcEcnStats *stats, size_t size)
{
  TfrcEcnStats known = { 0 };

  if (ecn != NULL) {
    known.state = ecn->state;
    known.problem = ecn->problem;
    known.ect_sent = ecn->record.ect_sent;
    known.failures = ecn->failures;
    known.retry_ns = ecn->state == TFRC_ECN_FAILED ? ecn->retry_ns : 0;
    if (ecn->has_last)
      known.report = ecn->last.report;
  }
  return tfrc_struct_write (stats, size, &known, sizeof known, TFRC_ECN_STATS_FIRST_SIZE);
}
