/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bounds between a path that passes and one that fails, on both sides: see
 * lib/tfrc/ecn_judge.h. */
#include <gst/check/gstcheck.h>
#include <tfrc/ecn_judge.h>

typedef struct
{
  TfrcEcnTally tally; /* sent, ect_sent, ect0, ect1, ce, not_ect */
  TfrcEcnVerdictKind kind;
  TfrcEcnProblem problem;
} Case;

#define GOOD TFRC_ECN_GOOD, TFRC_ECN_PROBLEM_NONE
#define UNDECIDED TFRC_ECN_UNDECIDED, TFRC_ECN_PROBLEM_NONE
#define BLEACHED TFRC_ECN_BROKEN, TFRC_ECN_PROBLEM_BLEACHING
#define BLACK_HOLE TFRC_ECN_BROKEN, TFRC_ECN_PROBLEM_BLACK_HOLE
#define MANGLED TFRC_ECN_BROKEN, TFRC_ECN_PROBLEM_MANGLING
#define FALSE_REPORT TFRC_ECN_BROKEN, TFRC_ECN_PROBLEM_FALSE_REPORT
#define MAYBE_BLACK_HOLE TFRC_ECN_SUSPECT, TFRC_ECN_PROBLEM_BLACK_HOLE
#define MAYBE_MANGLED TFRC_ECN_SUSPECT, TFRC_ECN_PROBLEM_MANGLING

static void
check_cases (TfrcEcnVerdict (*judge) (const TfrcEcnTally *tally), const Case *cases, guint n)
{
  for (guint i = 0; i < n; i++) {
    TfrcEcnVerdict verdict = judge (&cases[i].tally);

    fail_unless (verdict.kind == cases[i].kind, "case %u: kind %d", i, verdict.kind);
    fail_unless (verdict.problem == cases[i].problem, "case %u: %s", i,
        tfrc_ecn_problem_to_string (verdict.problem));
  }
}

GST_START_TEST (probes_pass_and_fail_at_these_numbers)
{
  static const Case cases[] = {
    { { 0, 0, 0, 0, 0, 0 }, UNDECIDED },
    { { 9, 3, 0, 0, 0, 6 }, UNDECIDED },
    { { 16, 4, 4, 0, 0, 12 }, GOOD },
    { { 16, 4, 3, 0, 1, 12 }, GOOD },
    { { 16, 4, 3, 0, 0, 12 }, UNDECIDED },
    { { 16, 4, 1, 0, 0, 12 }, UNDECIDED },
    /* none of four: three quarters of the others have to come */
    { { 16, 4, 0, 0, 0, 12 }, BLACK_HOLE },
    { { 16, 4, 0, 0, 0, 9 }, BLACK_HOLE },
    { { 16, 4, 0, 0, 0, 8 }, UNDECIDED },
    { { 16, 4, 0, 0, 0, 13 }, BLEACHED },
    /* a quarter of eight */
    { { 32, 8, 2, 0, 0, 24 }, BLACK_HOLE },
    { { 32, 8, 2, 0, 0, 18 }, BLACK_HOLE },
    { { 32, 8, 2, 0, 0, 17 }, UNDECIDED },
    { { 32, 8, 3, 0, 0, 24 }, UNDECIDED },
    { { 32, 8, 5, 0, 0, 24 }, UNDECIDED },
    { { 32, 8, 6, 0, 0, 24 }, GOOD },
    /* half as many of 32 as of the others */
    { { 128, 32, 16, 0, 0, 96 }, GOOD },
    { { 128, 32, 15, 0, 0, 96 }, BLACK_HOLE },
    { { 128, 32, 7, 0, 0, 48 }, BLACK_HOLE },
    { { 128, 32, 8, 0, 0, 48 }, GOOD },
    /* CE on all of eight */
    { { 16, 4, 0, 0, 4, 12 }, UNDECIDED },
    { { 32, 8, 0, 0, 8, 24 }, MANGLED },
    { { 32, 8, 0, 0, 8, 18 }, MANGLED },
    { { 32, 8, 0, 0, 8, 17 }, UNDECIDED },
    { { 32, 8, 1, 0, 7, 24 }, GOOD },
    { { 128, 32, 0, 0, 32, 17 }, GOOD },
    /* ECT(1) on more than half */
    { { 16, 4, 2, 2, 0, 12 }, GOOD },
    { { 16, 4, 1, 3, 0, 12 }, MANGLED },
    /* contradictions */
    { { 16, 4, 13, 0, 0, 3 }, MANGLED },
    { { 16, 4, 12, 0, 0, 4 }, GOOD },
    { { 16, 4, 4, 0, 0, 21 }, GOOD },
    { { 16, 4, 4, 0, 0, 22 }, FALSE_REPORT },
  };

  check_cases (tfrc_ecn_judge_probes, cases, G_N_ELEMENTS (cases));
}

GST_END_TEST;

GST_START_TEST (use_passes_and_fails_at_these_numbers)
{
  static const Case cases[] = {
    { { 63, 63, 63, 0, 0, 0 }, UNDECIDED },
    { { 64, 64, 64, 0, 0, 0 }, GOOD },
    { { 64, 64, 32, 0, 20, 0 }, GOOD },
    /* more than 8 bleached packets, and more than a quarter */
    { { 9, 9, 1, 0, 0, 8 }, UNDECIDED },
    { { 9, 9, 0, 0, 0, 9 }, BLEACHED },
    { { 63, 63, 48, 0, 0, 15 }, UNDECIDED },
    { { 63, 63, 47, 0, 0, 16 }, BLEACHED },
    { { 64, 64, 48, 0, 0, 16 }, GOOD },
    /* packets that left without ECT before the window began */
    { { 30, 20, 20, 0, 0, 10 }, UNDECIDED },
    /* ECT(1) likewise */
    { { 64, 64, 48, 16, 0, 0 }, GOOD },
    { { 64, 64, 47, 17, 0, 0 }, MANGLED },
    /* 16 missing packets, and more than half */
    { { 15, 15, 0, 0, 0, 0 }, UNDECIDED },
    { { 16, 16, 0, 0, 0, 0 }, MAYBE_BLACK_HOLE },
    { { 31, 31, 15, 0, 0, 0 }, MAYBE_BLACK_HOLE },
    { { 32, 32, 16, 0, 0, 0 }, UNDECIDED },
    /* CE on 15 of 16 */
    { { 64, 64, 4, 0, 60, 0 }, MAYBE_MANGLED },
    { { 64, 64, 5, 0, 59, 0 }, GOOD },
    /* contradictions */
    { { 64, 64, 76, 0, 0, 0 }, GOOD },
    { { 64, 64, 77, 0, 0, 0 }, FALSE_REPORT },
    { { 64, 32, 42, 0, 0, 22 }, UNDECIDED },
    { { 64, 32, 43, 0, 0, 21 }, MANGLED },
  };

  check_cases (tfrc_ecn_judge_use, cases, G_N_ELEMENTS (cases));
}

GST_END_TEST;

static Suite *
ecnjudge_suite (void)
{
  Suite *suite = suite_create ("ecnjudge");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, probes_pass_and_fail_at_these_numbers);
  tcase_add_test (tcase, use_passes_and_fails_at_these_numbers);
  return suite;
}

GST_CHECK_MAIN (ecnjudge)
