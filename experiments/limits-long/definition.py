# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figs 6 to 11 and Figs 14 and 15 of the limits paper with more seeds and longer runs.

The experiment 'limits' has every part, with one seed of 90 s. Its differences between TFRC and TCP
are small under low loss, so that one short run does not tell them from chance.
"""

from batch import tables
from limits import definition as limits, bounds, rto
from limits.analytic import Equation
from limits.runs import runs

TITLE = "The limits of equation-based control, three seeds"
SEEDS = 3

FULL = limits.FULL | {"delays": tuple(delay_ms for delay_ms, rtt_ms in rto.RTTS_MS.items() if rtt_ms in rto.PAPERS_RTTS_MS),
                      "duration_s": 300}
QUICK = limits.QUICK
FIG14_POLICY = "4r"


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    return ([job for seed in seeds for job in limits.bounds_jobs(size, seed)]
            + [job for seed in seeds for job in limits.grid_jobs(size, seed, (FIG14_POLICY,))])


def report(results, out, quick):
    equation = Equation()
    every = runs(results, equation)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    cells = rto.cells_of(every)
    tables.write_csv(out / "t_rto.csv", cells)
    tables.write_report(out, TITLE, *limits.introduction(results, quick), *bounds.report(every, out),
                        "## What t_RTO does (Figs 14 and 15)", *rto.differences(cells, equation, out))
