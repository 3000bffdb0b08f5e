# SPDX-License-Identifier: LGPL-2.1-or-later
"""Greedy TFRC beside the kernel's Reno with SACK and without, as in the claim of the VoD paper.

Owns the list of cells and the table. Without SACK, Linux recovers as NewReno (RFC 6582); it has no
option for the Reno before that.
"""

from batch import tables
from batch.jobs import Job
from common import testbed_run
from fairness.report import fair

TITLE = "Greedy TFRC beside Reno with SACK and without"
SEEDS = 3

PROGRAM = "fairness-testbed/pair.py"
# Round-trip time in ms: (seconds before the measurement, seconds of the measurement)
TIMES_S = {20: (5, 25), 100: (15, 45), 200: (30, 60)}
QUICK_TIMES_S = {20: (2, 6)}
NAMES = {1: "SACK", 0: "NewReno"}
# What TCP lost is not among them: with a queue in flight at both ends of the measurement, its counts differ by more.
MEASURES = ("ratio", "utilisation", "tfrc_lost")


def jobs(quick, seeds):
    return [Job(PROGRAM, {"rtt_ms": rtt_ms, "queue": "droptail", "queue_bdp": 1, "tcp": "reno", "sack": sack,
                          "rto_policy": "4r", "settings": "rfc", "warmup_s": warmup_s, "duration_s": duration_s, "seed": seed},
                cost=100 * (warmup_s + duration_s), depends=testbed_run.programs(), exact=False)
            for seed in seeds for rtt_ms, (warmup_s, duration_s) in (QUICK_TIMES_S if quick else TIMES_S).items()
            for sack in NAMES]


def report(results, out, quick):
    import pandas

    every = pandas.DataFrame([{**result.parameters, **result.measures} for result in results])
    cells = tables.over_seeds(every, ("rtt_ms", "sack"), MEASURES)
    rows = []
    for _, row in cells.iterrows():
        ratio = tables.spread(row, "ratio")
        rows.append([row["rtt_ms"], NAMES[row["sack"]], row["seeds"], ratio if fair(row["ratio"]) else f"**{ratio}**",
                     *(tables.spread(row, name) for name in MEASURES[1:])])
    tables.write_report(
        out, TITLE,
        "One flow of TFRC (RFC 5348, t_RTO of 4R, no queue guard and no burst limit) beside one of the kernel's Reno at 10 Mbit/s, "
        f"drop-tail of 1 BDP, on the testbed{'; a quick run' if quick else ''}. Ratio: TFRC's rate over TCP's, delivered, with all "
        "headers. Lost: of the packets that were sent. Medians, least and most; **bold**: not within 0.5 to 2.",
        tables.markdown(["RTT, ms", "TCP", "runs", "ratio", "utilisation", "lost of TFRC"], rows))
