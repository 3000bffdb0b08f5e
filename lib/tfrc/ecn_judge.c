/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules by which a path passes or fails, see ecn_judge.h. */
#include "ecn_judge.h"

/* The most packets that may have been late or in doubt at the first report */
#define LATE_PACKETS 8

/* Fewer missing packets than this in a window are ordinary loss. */
#define MANY_MISSING 16

static TfrcEcnVerdict
verdict (TfrcEcnVerdictKind kind, TfrcEcnProblem problem)
{
  TfrcEcnVerdict result = { kind, problem };

  return result;
}

static TfrcEcnVerdict
undecided (void)
{
  return verdict (TFRC_ECN_UNDECIDED, TFRC_ECN_PROBLEM_NONE);
}

static TfrcEcnVerdict
good (void)
{
  return verdict (TFRC_ECN_GOOD, TFRC_ECN_PROBLEM_NONE);
}

static TfrcEcnVerdict
broken (TfrcEcnProblem problem)
{
  return verdict (TFRC_ECN_BROKEN, problem);
}

static uint64_t
excess (uint64_t a, uint64_t b)
{
  return a > b ? a - b : 0;
}

/* Packets that came with ECT or CE */
static uint64_t
marked (const TfrcEcnTally *tally)
{
  return tally->ect0 + tally->ect1 + tally->ce;
}

static uint64_t
not_ect_sent (const TfrcEcnTally *tally)
{
  return tally->sent - tally->ect_sent;
}

static bool
is_more_than (uint64_t came, uint64_t left)
{
  return came > left + left / 16 + LATE_PACKETS;
}

/* Counters that no honest path and receiver can report, however packets are lost */
static TfrcEcnProblem
find_contradiction (const TfrcEcnTally *tally)
{
  if (is_more_than (marked (tally) + tally->not_ect, tally->sent))
    return TFRC_ECN_PROBLEM_FALSE_REPORT;
  if (is_more_than (marked (tally), tally->ect_sent))
    return TFRC_ECN_PROBLEM_MANGLING;
  return TFRC_ECN_PROBLEM_NONE;
}

/* ---- probes ------------------------------------------------------------- */

/* Returns whether most of the packets without ECT have come.  If they have not, the others say
 * nothing about ECT. */
static bool
others_come (const TfrcEcnTally *tally)
{
  return 4 * tally->not_ect >= 3 * not_ect_sent (tally);
}

/* The packets with ECT came as packets without, or did not come. */
static TfrcEcnProblem
problem_of_missing (const TfrcEcnTally *tally)
{
  return tally->not_ect > not_ect_sent (tally) ? TFRC_ECN_PROBLEM_BLEACHING
                                               : TFRC_ECN_PROBLEM_BLACK_HOLE;
}

/* Returns whether so few packets with ECT have come that chance cannot explain their loss. */
static bool
probes_are_missing (const TfrcEcnTally *tally)
{
  if (tally->ect_sent >= TFRC_ECN_MOST_PROBES)
    return 2 * marked (tally) * not_ect_sent (tally) < tally->ect_sent * tally->not_ect;
  if (tally->ect_sent >= TFRC_ECN_MORE_PROBES)
    return 4 * marked (tally) <= tally->ect_sent && others_come (tally);
  return marked (tally) == 0 && others_come (tally);
}

/* A queue that marks all packets with ECT would have dropped the others. */
static bool
all_have_ce (const TfrcEcnTally *tally)
{
  return tally->ce > 0 && tally->ce == marked (tally);
}

TfrcEcnVerdict
tfrc_ecn_judge_probes (const TfrcEcnTally *tally)
{
  TfrcEcnProblem contradiction = find_contradiction (tally);

  if (contradiction != TFRC_ECN_PROBLEM_NONE)
    return broken (contradiction);
  if (tally->ect_sent < TFRC_ECN_PROBES)
    return undecided ();
  if (2 * tally->ect1 > tally->ect_sent)
    return broken (TFRC_ECN_PROBLEM_MANGLING);
  if (probes_are_missing (tally))
    return broken (problem_of_missing (tally));
  if (all_have_ce (tally)) {
    if (tally->ect_sent >= TFRC_ECN_MORE_PROBES && others_come (tally))
      return broken (TFRC_ECN_PROBLEM_MANGLING);
    return tally->ect_sent >= TFRC_ECN_MOST_PROBES ? good () : undecided ();
  }
  if (marked (tally) >= tally->ect_sent || tally->ect_sent >= TFRC_ECN_MOST_PROBES
      || (tally->ect_sent >= TFRC_ECN_MORE_PROBES && 4 * marked (tally) >= 3 * tally->ect_sent))
    return good ();
  return undecided ();
}

/* ---- use ---------------------------------------------------------------- */

static bool
is_substantial (uint64_t packets, const TfrcEcnTally *tally)
{
  return packets > LATE_PACKETS && 4 * packets > tally->ect_sent;
}

TfrcEcnVerdict
tfrc_ecn_judge_use (const TfrcEcnTally *tally)
{
  uint64_t came = marked (tally) + tally->not_ect;
  uint64_t missing = excess (tally->sent, came);
  TfrcEcnProblem contradiction = find_contradiction (tally);

  if (contradiction != TFRC_ECN_PROBLEM_NONE)
    return broken (contradiction);
  if (is_substantial (excess (tally->not_ect, not_ect_sent (tally)), tally))
    return broken (TFRC_ECN_PROBLEM_BLEACHING);
  if (is_substantial (tally->ect1, tally))
    return broken (TFRC_ECN_PROBLEM_MANGLING);
  if (missing >= MANY_MISSING && 2 * missing > tally->sent)
    return verdict (TFRC_ECN_SUSPECT, TFRC_ECN_PROBLEM_BLACK_HOLE);
  if (tally->ect_sent < TFRC_ECN_WINDOW_PACKETS)
    return undecided ();
  if (16 * tally->ce >= 15 * came)
    return verdict (TFRC_ECN_SUSPECT, TFRC_ECN_PROBLEM_MANGLING);
  return good ();
}
