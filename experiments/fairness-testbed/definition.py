# SPDX-License-Identifier: LGPL-2.1-or-later
"""Some cells of the fairness experiment with real pipelines and the kernel's own Reno and CUBIC,
beside simulations of the same cells.

Owns the list of cells, and the table that compares testbed and simulation. PLUGIN_BUILD_DIR
(build/) names the build directory of the pipelines, which has to be built before.
"""

from batch import tables
from batch.jobs import Job
from common import testbed_run
from fairness import definition as fairness
from fairness.report import NAMES, fair, flows_of, queue_name

TITLE = "TFRC beside the kernel's TCP"
SEEDS = 3

PROGRAM = "fairness-testbed/pair.py"
POLICY = "balanced"
# Round-trip time, queue, congestion control. These are a selection, because a second of the testbed
# costs a second of CPU.
CELLS = (
    *((20, {"queue": "droptail", "queue_bdp": bdp}, "reno") for bdp in (0.5, 1, 2)),
    *((rtt_ms, {"queue": "droptail", "queue_bdp": 1}, "reno") for rtt_ms in (50, 100, 200)),
    *((rtt_ms, {"queue": "droptail", "queue_bdp": 1}, "cubic") for rtt_ms in (20, 200)),
    *((20, {"queue": queue}, "reno") for queue in fairness.MANAGED),
)
QUICK_CELLS = CELLS[:1]
# TCP starts on a path that TFRC has used alone.
LATE = {"rtt_ms": 200, "queue": "droptail", "queue_bdp": 1, "tcp": "reno", **fairness.LATE}
QUICK_TIMES_S = (2, 6)
BY = ("rtt_ms", "queue", "tcp", "tcp_start_s", "by")
MEASURES = ("ratio", "utilisation", "tfrc_p")


def jobs(quick, seeds):
    found = []
    for rtt_ms, queue, tcp in QUICK_CELLS if quick else CELLS:
        warmup_s, duration_s = QUICK_TIMES_S if quick else fairness.TIMES_S[rtt_ms]
        cell = {"rtt_ms": rtt_ms, **queue, "tcp": tcp, "rto_policy": POLICY, "settings": "rfc", "warmup_s": warmup_s,
                "duration_s": duration_s}
        found += [job for seed in seeds for job in _both(cell | {"seed": seed})]
    if not quick:
        found += [job for seed in seeds for job in _both(LATE | {"rto_policy": POLICY, "settings": "rfc", "seed": seed})]
    return found


def _both(parameters):
    seconds = parameters["warmup_s"] + parameters["duration_s"]
    return [Job(PROGRAM, parameters, cost=100 * seconds, depends=testbed_run.programs()),
            Job("fairness", parameters, cost=seconds)]


def _row(result):
    row = {**result.parameters, **result.measures, "queue": queue_name(result.parameters),
           "tcp_start_s": result.parameters.get("tcp_start_s", 0)}
    return row | ({"by": "kernel"} if result.program == PROGRAM else {"by": "ns-3", **flows_of(result)})


def report(results, out, quick):
    import pandas

    every = pandas.DataFrame([_row(result) for result in results])
    cells = tables.over_seeds(every, BY, MEASURES)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    tables.write_csv(out / "cells.csv", cells)
    rows = []
    for _, row in cells.iterrows():
        ratio = tables.spread(row, "ratio")
        rows.append([row["rtt_ms"], row["queue"], NAMES[row["tcp"]], row["tcp_start_s"], row["by"], row["seeds"],
                     ratio if fair(row["ratio"]) else f"**{ratio}**",
                     *(tables.spread(row, name) for name in MEASURES[1:])])
    tables.write_report(
        out, TITLE,
        "One greedy TFRC flow (RFC 5348 without queue guard, t_RTO `balanced`) beside one TCP flow at 10 Mbit/s: tfrcsink, "
        "tfrcsrc and the kernel's TCP on the testbed, and ns-3 with the same cells, seeds and times"
        f"{'; a quick run' if quick else ''}. Ratio: TFRC's rate over TCP's, delivered, with all headers; what arrives twice "
        "counts twice on the testbed. p: TFRC's loss events per packet, as its receiver counts them, and in ns-3 as the network "
        "made them. Medians, least and most; **bold**: not within 0.5 to 2.",
        tables.markdown(["RTT, ms", "queue", "TCP", "TCP starts at, s", "by", "runs", "ratio", "utilisation", "p of TFRC"],
                        rows))
