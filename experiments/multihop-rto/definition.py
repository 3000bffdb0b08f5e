# SPDX-License-Identifier: LGPL-2.1-or-later
"""The chain of congested links with every policy for t_RTO: whether 4R is what starves C1.

Owns the list of runs. The network and the measures are those of the experiment 'multihop'.
"""

import pandas

from batch import figures, style, tables
from batch.jobs import Job
from common.rto_policies import POLICIES, TITLES as POLICY_TITLES
from multihop import definition as multihop, equation

TITLE = "Several congested routers: what t_RTO does"
SEEDS = 3

# Scenarios, and their names in the picture. A policy holds for all TFRC flows of a run.
VARIED = {"C1 TFRC in Reno": "C1 amid Reno", "all TFRC": "C1 amid TFRC"}
# With Reno as C1, for comparison: the same cross traffic, with the standard t_RTO
COMPARED = ("all Reno", "C1 Reno in TFRC")
FULL = {"hops": (1, 5), "duration_s": 1000}
QUICK = {"hops": (1, 5), "duration_s": 100}
BUFFER_PACKETS = 12
BY = ("scenario", "tfrc_rto", "hops")
MEASURES = ("c1_kbps", "utilisation", "c1_loss_event_rate", "c1_rtt_s")


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    cases = [(scenario, policy) for scenario in VARIED for policy in POLICIES]
    cases += [(scenario, equation.STANDARD_RTO) for scenario in COMPARED]
    return [_job(size, scenario, policy, hops, seed) for scenario, policy in cases for hops in size["hops"] for seed in seeds]


def _job(size, scenario, policy, hops, seed):
    c1, cross = multihop.SCENARIOS[scenario]
    # 4r is the default, and left out: the run is one of the experiment 'multihop'.
    chosen = {} if policy == equation.STANDARD_RTO else {"tfrc_rto": policy}
    return Job("multihop", {"hops": hops, "buffer_packets": BUFFER_PACKETS, "c1": c1, "cross": cross,
                            "duration_s": size["duration_s"], **chosen, "seed": seed},
               cost=size["duration_s"] * hops * (1 + (cross == "tfrc") / 2))


def report(results, out, quick):
    every = multihop.runs(results)
    cells = tables.over_seeds(every, BY, MEASURES)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    tables.write_csv(out / "cells.csv", cells)
    _draw(out / "policies.svg", cells)
    tables.write_report(
        out, TITLE,
        f"The network of the experiment 'multihop', buffers of {BUFFER_PACKETS} packets, {every['duration_s'].max():g} s, "
        f"seeds {', '.join(map(str, sorted(every['seed'].unique())))}{'; a quick run' if quick else ''}. Medians, and in "
        "brackets the least and the most. The policy is that of all TFRC flows of a run; Reno's least timeout is 1 s.",
        "## Goodput of C1", _goodput_table(every, cells), "![Goodput of C1](policies.svg)",
        "## C1's rate beside the equation", *equation.report(every, out))


def _goodput_table(every, cells):
    """TFRC's goodput over that of Reno in its place: the ratio of each pair of runs with the same
    seed."""
    placed = equation.with_place(every)
    found = placed.merge(placed.loc[placed["c1"] == "reno", [*equation.PLACE, "c1_kbps"]], how="left",
                         on=list(equation.PLACE), suffixes=("", "_reno"))
    found["of_reno"] = found["c1_kbps"] / found["c1_kbps_reno"]
    ratios = tables.over_seeds(found, BY, ("of_reno",))
    rows = [[row["scenario"], row["tfrc_rto"] if row["scenario"] != "all Reno" else None, row["hops"],
             *(tables.spread(row, name) for name in MEASURES), tables.spread(ratio, "of_reno")]
            for (_, row), (_, ratio) in zip(cells.iterrows(), ratios.iterrows())]
    return tables.markdown(["scenario", "t_RTO", "N", "C1, kbit/s", "utilisation", "C1's loss events per packet",
                            "its mean RTT, s", "C1 / Reno in its place"], rows)


def _draw(path, cells):
    rows = [*POLICIES, "reno"]
    names = [*(f"TFRC, t_RTO {POLICY_TITLES[policy]}" for policy in POLICIES), "Reno in its place"]
    lengths = sorted(cells["hops"].unique())
    figure, axes = figures.row_panels(names, len(lengths), columns=len(VARIED), sharex=True)
    for axis, scenario, compared in zip(axes, VARIED, COMPARED):
        varied = cells[cells["scenario"] == scenario]
        shown = pandas.concat([varied.assign(row=varied["tfrc_rto"].map(rows.index)),
                               cells[cells["scenario"] == compared].assign(row=rows.index("reno"))])
        for index, (hops, look) in enumerate(zip(lengths, style.scale(len(lengths)))):
            here = shown[shown["hops"] == hops]
            figures.points(axis, here, "c1_kbps", here["row"], look, (index, len(lengths)),
                           label=f"{hops} hop{'s' if hops > 1 else ''}")
        axis.set_xscale("log")
        style.plain_ticks(axis.xaxis)
        axis.set_xlabel("goodput of C1, kbit/s")
        axis.set_title(VARIED[scenario])
    style.legend(figure)
    figures.save(figure, path)
