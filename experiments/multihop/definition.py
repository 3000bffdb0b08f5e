# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fairness and friendliness over several congested routers: the multihop paper's three scenarios.

Owns the list of runs, and their tables and figures beside the paper's numbers.
"""

from batch import figures, style, tables
from batch.jobs import Job, frame

from . import equation, paper

TITLE = "Several congested routers"
SEEDS = 3

# Scenario: the control of C1, and the control of all cross traffic
SCENARIOS = {
    "all TFRC": ("tfrc", "tfrc"),
    "all Reno": ("reno", "reno"),
    "C1 TFRC in Reno": ("tfrc", "reno"),
    "C1 Reno in TFRC": ("reno", "tfrc"),
}
FIGURES = {
    "fig2": (("all Reno", "all TFRC"), "C1 and cross traffic alike"),
    "fig3": (("C1 TFRC in Reno",), "C1 is TFRC, the cross traffic Reno"),
    "fig4": (("C1 Reno in TFRC",), "C1 is Reno, the cross traffic TFRC"),
}
FULL = {"hops": range(1, 11), "buffers": (12, 24), "duration_s": 1000}
QUICK = {"hops": (1, 3, 5), "buffers": (12,), "duration_s": 200}

BY = ("scenario", "buffer_packets", "hops")
MEASURES = ("c1_kbps", "utilisation", "c1_loss_rate", "c1_loss_event_rate", "c1_rtt_s", "queue_delay_mean_s")
# TFRC is blue and Reno is red, as everywhere. Where C1 differs from the cross traffic, it has
# another shade and another marker.
LOOKS = {"all TFRC": style.transport("tfrc"), "all Reno": style.transport("reno"),
         "C1 TFRC in Reno": style.Look(style.SKY, "^"), "C1 Reno in TFRC": style.Look("#e07a7f", "v")}


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    return [Job("multihop", {"hops": hops, "buffer_packets": buffer_packets, "c1": c1, "cross": cross,
                             "duration_s": size["duration_s"], "seed": seed},
                cost=size["duration_s"] * hops * (1 + (cross == "tfrc") / 2))
            for c1, cross in SCENARIOS.values() for buffer_packets in size["buffers"] for hops in size["hops"]
            for seed in seeds]


def scenario_of(c1, cross):
    return next(name for name, controls in SCENARIOS.items() if controls == (c1, cross))


def runs(results):
    """One row for each run, with its scenario."""
    found = frame(results)
    found.insert(0, "scenario", [scenario_of(*controls) for controls in zip(found["c1"], found["cross"])])
    found["c1_kbps"] = found["c1_bps"] / 1e3
    found["tfrc_rto"] = found["tfrc_rto"].fillna(equation.STANDARD_RTO) if "tfrc_rto" in found else equation.STANDARD_RTO
    return found


def report(results, out, quick):
    every = runs(results)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    cells = tables.over_seeds(every, BY, MEASURES)
    tables.write_csv(out / "cells.csv", cells)
    for name, (scenarios, title) in FIGURES.items():
        _draw_goodput(out / f"{name}.svg", cells, scenarios, title)
    _draw_utilisation(out / "utilisation.svg", cells)
    tables.write_report(
        out, TITLE, *_introduction(every, quick), "## Goodput of C1, kbit/s", _goodput_table(cells),
        "![Fig. 2](fig2.svg)\n![Fig. 3](fig3.svg)\n![Fig. 4](fig4.svg)", "## Utilisation", _utilisation_table(cells),
        "![Utilisation](utilisation.svg)", "## What TCP gets for what TFRC gets", *_ratios(cells),
        "## Loss", _loss_table(cells), "## C1's rate beside the equation", *equation.report(every, out))


def _introduction(every, quick):
    return (
        f"C1 over N links of 1 Mbit/s, beside one flow forward and one back over each; {every['duration_s'].max():g} s, of "
        f"which what C1 has missed (10 s) is not counted; seeds {', '.join(map(str, sorted(every['seed'].unique())))}{'; a quick run' if quick else ''}. Medians, "
        "and in brackets the least and the most. Goodput is what was delivered once, counted with all headers (1500 bytes a "
        "packet); utilisation is that of C1 and the mean of C2, C4, .. C2N, for 1 Mbit/s.",
        "ns-2: ns-2.35 with its own agents, in place of the paper's curves, of which only the points that "
        "its text names are known (paper). ns-2's TFRC is not RFC 5348's: size and order are to compare.",
    )


def _of(table, scenario, hops):
    return table.get(scenario, {}).get(hops)


def _ns2(table, row):
    return _of(table, row["scenario"], row["hops"]) if row["buffer_packets"] == paper.NS2_BUFFER_PACKETS else None


def _beside(cells, measure, ns2, theirs):
    rows = [[row["scenario"], row["buffer_packets"], row["hops"], tables.spread(row, measure), _ns2(ns2, row),
             _of(theirs, row["scenario"], row["hops"])] for _, row in cells.iterrows()]
    return tables.markdown(["scenario", "buffer", "N", "ours", "ns-2", "paper"], rows)


def _goodput_table(cells):
    return _beside(cells, "c1_kbps", paper.NS2_C1_KBPS, paper.C1_KBPS)


def _utilisation_table(cells):
    return _beside(cells, "utilisation", paper.NS2_UTILISATION, paper.UTILISATION)


def _ratios(cells):
    """Ratios of C1's goodput: Reno's over TFRC's, each among flows of its own kind; and, for each
    kind, the goodput in the other kind's traffic over the goodput among its own kind."""
    found = cells.set_index(list(BY))["c1_kbps"]
    rows = []
    for (buffer_packets, hops), _ in cells.groupby(["buffer_packets", "hops"]):
        reno, tfrc, tfrc_in_reno, reno_in_tfrc = (
            found.get((name, buffer_packets, hops))
            for name in ("all Reno", "all TFRC", "C1 TFRC in Reno", "C1 Reno in TFRC"))
        ns2 = {name: _of(values, *key) for key, values, name in (
            (("all Reno", hops), paper.NS2_C1_KBPS, "reno"), (("all TFRC", hops), paper.NS2_C1_KBPS, "tfrc"))}
        comparable = buffer_packets == paper.NS2_BUFFER_PACKETS and None not in ns2.values()
        rows.append([buffer_packets, hops, reno / tfrc, ns2["reno"] / ns2["tfrc"] if comparable else None,
                     tfrc_in_reno / reno, reno_in_tfrc / tfrc])
    headings = ["buffer", "N", "C1 all Reno / all TFRC", "ns-2", "C1 TFRC / Reno, in Reno", "C1 Reno / TFRC, in TFRC"]
    yield (f"The paper has C1 among Reno with more than {paper.LEAST_RATIO['ratio']} times of what it has among TFRC, from "
           f"{paper.LEAST_RATIO['hops']} hops on.")
    yield tables.markdown(headings, rows)


def _loss_table(cells):
    rows = [[row["scenario"], row["buffer_packets"], row["hops"], row["c1_loss_rate"], row["c1_loss_event_rate"],
             row["c1_rtt_s"], row["queue_delay_mean_s"]] for _, row in cells.iterrows()]
    return tables.markdown(["scenario", "buffer", "N", "C1's packets lost", "its loss events per packet",
                            "its mean RTT, s", "delay in the first queue, s"], rows)


def _draw_goodput(path, cells, scenarios, title):
    figure, (axis,) = figures.panels()
    for scenario in scenarios:
        _draw_lines(axis, cells[cells["scenario"] == scenario], scenario, "c1_kbps")
        ns2 = paper.NS2_C1_KBPS[scenario]
        figures.paper(axis, list(ns2), list(ns2.values()), f"{scenario}, ns-2, buffer {paper.NS2_BUFFER_PACKETS}",
                      linestyle="none", color=LOOKS[scenario].colour, markersize=7)
    axis.axhline(paper.FAIR_KBPS, color=style.GREY, linewidth=0.8, linestyle="--", label="a fair share")
    axis.set_yscale("log")
    style.plain_digits(axis.yaxis)
    axis.set_xlabel("hops N")
    style.whole_numbers(axis.xaxis)
    axis.set_ylabel("goodput of C1, kbit/s")
    axis.set_title(title)
    style.legend(figure)
    figures.save(figure, path)


def _draw_lines(axis, cells, scenario, measure):
    for (buffer_packets, group), line in zip(cells.groupby("buffer_packets"), ("-", ":")):
        figures.line(axis, group, "hops", measure, LOOKS[scenario], label=f"{scenario}, buffer {buffer_packets}",
                     linestyle=line)


def _draw_utilisation(path, cells):
    by_buffer = list(cells.groupby("buffer_packets"))
    figure, axes = figures.panels(len(by_buffer), sharey=True)
    for axis, (buffer_packets, group) in zip(axes, by_buffer):
        for scenario in SCENARIOS:
            figures.line(axis, group[group["scenario"] == scenario], "hops", "utilisation", LOOKS[scenario], label=scenario)
            theirs = paper.UTILISATION[scenario]
            figures.paper(axis, list(theirs), list(theirs.values()), None, linestyle="none", color=LOOKS[scenario].colour,
                          markersize=7)
        figures.paper(axis, [], [], "hollow: the paper's text", linestyle="none", markersize=7)
        axis.set_xlabel("hops N")
        style.whole_numbers(axis.xaxis)
        axis.set_title(f"buffer of {buffer_packets} packets")
    axes[0].set_ylabel("utilisation")
    axes[0].set_ylim(0.5, 1.05)
    style.legend(figure)
    figures.save(figure, path)
