/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of ECN's states and problems, for messages and statistics, see <tfrc/ecn.h>. */
#include <tfrc/ecn.h>

const char *
tfrc_ecn_state_to_string (TfrcEcnState state)
{
  static const char *const names[] = {
    [TFRC_ECN_OFF] = "off",
    [TFRC_ECN_PROBING] = "probing",
    [TFRC_ECN_CAPABLE] = "capable",
    [TFRC_ECN_FAILED] = "failed",
  };

  return (unsigned) state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

const char *
tfrc_ecn_problem_to_string (TfrcEcnProblem problem)
{
  static const char *const names[] = {
    [TFRC_ECN_PROBLEM_NONE] = "none",
    [TFRC_ECN_PROBLEM_BLEACHING] = "bleaching",
    [TFRC_ECN_PROBLEM_BLACK_HOLE] = "black-hole",
    [TFRC_ECN_PROBLEM_MANGLING] = "mangling",
    [TFRC_ECN_PROBLEM_FALSE_REPORT] = "false-report",
    [TFRC_ECN_PROBLEM_REFUSED] = "refused",
  };

  return (unsigned) problem < sizeof names / sizeof names[0] ? names[problem] : "unknown";
}
