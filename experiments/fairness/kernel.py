# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cells of the fairness experiment that are played twice: with real pipelines and the kernel's TCP
on the testbed, and in ns-3.

Owns the jobs of such a cell, and the table that compares both. PLUGIN_BUILD_DIR (build/) names the
build directory of the pipelines, which has to be built before.
"""

from batch import tables
from batch.jobs import Job
from common import testbed_run

from . import definition as fairness
from .report import NAMES, fair, flows_of, queue_name

PROGRAM = "fairness-testbed/pair.py"
BY = ("rtt_ms", "queue", "flows", "tcp", "tcp_start_s", "settings", "by")
MEASURES = ("ratio", "jain", "utilisation", "tfrc_p")


def both(parameters):
    """The two jobs of a cell with one seed."""
    seconds = parameters["warmup_s"] + parameters["duration_s"]
    simulated = parameters | fairness.SETTINGS[parameters["settings"]]
    return [Job(PROGRAM, parameters, cost=100 * seconds, depends=testbed_run.programs(), exact=False),
            Job("fairness", simulated, cost=seconds)]


def _row(result):
    row = {**result.parameters, **result.measures, "queue": queue_name(result.parameters),
           "flows": f"{result.parameters.get('tfrc_flows', 1)}+{result.parameters.get('tcp_flows', 1)}",
           "tcp_start_s": result.parameters.get("tcp_start_s", 0)}
    return row | ({"by": "kernel"} if result.program == PROGRAM else {"by": "ns-3", **flows_of(result)})


def report(results, out, title, quick):
    """Writes runs.csv, cells.csv and the report."""
    import pandas

    every = pandas.DataFrame([_row(result) for result in results])
    cells = tables.over_seeds(every, BY, MEASURES)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    tables.write_csv(out / "cells.csv", cells)
    rows = []
    for _, row in cells.iterrows():
        ratio = tables.spread(row, "ratio")
        rows.append([row["rtt_ms"], row["queue"], row["flows"], NAMES[row["tcp"]], row["tcp_start_s"], row["settings"], row["by"],
                     row["seeds"], ratio if fair(row["ratio"]) else f"**{ratio}**",
                     *(tables.spread(row, name) for name in MEASURES[1:])])
    tables.write_report(
        out, title,
        "Greedy TFRC flows beside flows of TCP at 10 Mbit/s: tfrcsink, tfrcsrc and the kernel's TCP on the testbed, and ns-3 with "
        f"the same cells, seeds and times{'; a quick run' if quick else ''}. All TFRC flows have t_RTO `balanced`. TFRC `default`: "
        "tfrcsink's defaults; `rfc`: RFC 5348 alone. Ratio: mean rate of a TFRC flow over that of a "
        "TCP flow, delivered, with all headers; what arrives twice counts twice on the testbed. Jain's index: of all flows' "
        "rates. p: TFRC's loss events per packet, as its receivers count them, and in ns-3 as the network made them. Medians, "
        "least and most; **bold**: not within 0.5 to 2.",
        tables.markdown(["RTT, ms", "queue", "flows", "TCP", "TCP starts at, s", "TFRC", "by", "runs", "ratio", "Jain's index",
                         "utilisation", "p of TFRC"], rows))
