# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many packets a handover costs when streams start at different times of the queue's cycle.

The twenty starts of the experiment 'handover' are all within one second. A TFRC flow that fills a
drop-tail queue loses packets, slows down and fills the queue again, and one such cycle takes longer
than a second. Here the starts are a second apart, so that the handover comes at every phase.
"""

from batch import tables
from batch.jobs import Job
from handover import definition as handover
from handover.report import NAMES, runs

TITLE = "Handovers at every phase of the queue"
SEEDS = 20  # each seed is another start of the stream

STARTS = 20
APART_S = 1
HANDOVERS_S = (30, 50)  # the paper's, and one at which the losses of every start are long past
# The method of another paper, which the handover paper compares with: both ends know at once, and the
# sender probes the new link as if the stream were new.
ADAPTATIONS = (*handover.ADAPTATIONS, "slow-start")
BY = ("handover_s", "delay1_ms", "delay2_ms", "adaptation")
MEASURES = ("dropped_1s", "dropped_5s", "mbps_1s", "mbps_5s")


def jobs(quick, seeds):
    return [_job(case, adaptation, handover_s, seed)
            for handover_s in HANDOVERS_S[:1 if quick else None] for case in handover.CASES
            for adaptation in ADAPTATIONS for seed in seeds]


def _job(case, adaptation, handover_s, seed):
    delay1_ms, delay2_ms = case
    duration_s = handover_s + handover.MEASURED_S
    return Job(handover.PROGRAM, {"part": "starts", "delay1_ms": delay1_ms, "delay2_ms": delay2_ms,
                                  "adaptation": adaptation, "start_s": (seed - 1) % STARTS * APART_S,
                                  "handover_s": handover_s, "duration_s": duration_s, "seed": seed}, cost=duration_s)


def report(results, out, quick):
    every = runs(results)
    cells = tables.over_seeds(every, BY, MEASURES)
    tables.write_csv(out / "runs.csv", every[["handover_s", "delay1_ms", "delay2_ms", "adaptation", "start_s", "seed",
                                              *MEASURES]])
    tables.write_csv(out / "cells.csv", cells)
    rows = [[row["handover_s"], f"{row['delay1_ms']} → {row['delay2_ms']}", NAMES[row["adaptation"]], row["seeds"],
             *(tables.spread(row, name) for name in MEASURES)] for _, row in cells.iterrows()]
    tables.write_report(
        out, TITLE,
        f"The network of the experiment 'handover'. Streams start {APART_S} s apart, from 0 to "
        f"{every['start_s'].max():g} s{'; a quick run' if quick else ''}. Medians, and in brackets the least and the most "
        "of all starts. Windows begin with the handover. Rates are those of what arrives, on either link, with all "
        "headers (1032 bytes a packet).",
        tables.markdown(["handover at, s", "one-way delays, ms", "adaptation", "starts", "dropped in 1 s", "in 5 s",
                         "Mbit/s over 1 s", "over 5 s"], rows),
        "## Packets dropped in 5 s, by start", _by_start(every))


def _by_start(every):
    """One row for each start: the packets that plain TFRC drops from the high to the low
    round-trip time. The starts are the phases of the queue at the handover."""
    plain = every[(every["adaptation"] == "none") & (every["delay1_ms"] > every["delay2_ms"])]
    by_start = plain.pivot_table(index="start_s", columns="handover_s", values="dropped_5s", aggfunc="median")
    headings = ["start, s", *(f"handover at {handover_s} s" for handover_s in by_start.columns)]
    return tables.markdown(headings, [[start_s, *row] for start_s, row in by_start.iterrows()])
