# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figs 5 and 6 in simulation: one movie beside greedy TCP flows, and one of these TCP flows."""

from batch import figures, style, tables
from batch.formats import spread

from . import benchmark

MEASURES = ["tcp_iplr", "tcp_throughput_bps", "tcp_all_iplr", "tcp_all_throughput_bps"]
COLUMNS = ["iplr", "iptd_mean"] + MEASURES
PANELS = (("iplr", "IPLR of the movie"), ("iptd_mean", "mean IPTD of the movie, s"),
          ("tcp_iplr", "IPLR of one TCP flow"), ("tcp_throughput_bps", "throughput of one TCP flow, bit/s"))
DRAWN = {"iplr": "packets of the movie lost (IPLR)", "iptd_mean": "mean delay of the movie, s (IPTD)",
         "tcp_iplr": "packets of one TCP flow lost", "tcp_throughput_bps": "rate of one TCP flow, Mbit/s"}
TABLED = (*PANELS, ("tcp_all_throughput_bps", "of all TCP flows, bit/s"))


def beside_tcp(frame, out):
    tables.write_csv(out / "simulation-fig5.csv", frame)
    runs = benchmark.summary.of_runs(frame, COLUMNS)
    cells = benchmark.summary.over_seeds(runs, COLUMNS)
    _draw(cells, out / "simulation-fig5.svg")
    theirs = _testbed()
    most = benchmark.summary.most(runs, "tcp")
    return ["## Figs 5 and 6: Cinderella Man beside greedy TCP flows on 15 Mbit/s",
            f"{frame['duration_s'].max():g} s, {frame['seed'].nunique()} seed(s), each with a movie of its own; TCP is "
            "Reno with SACK, its least RTO 0.2 s. Medians over seeds (least – most).",
            "![Figs 5 and 6](simulation-fig5.svg)",
            "The most TCP flows up to which the movie has mean IPTD <= 1 s and IPLR <= 1e-3:",
            tables.markdown(["movie over", "TCP flows"],
                            [[row["transport"], benchmark.summary.most_in_words(row)] for _, row in most.iterrows()]),
            f"The paper's claims: {benchmark.paper.CLAIMS['fig5']} {benchmark.paper.CLAIMS['fig6']}",
            tables.markdown(["TCP flows", "movie over", *(heading for _, heading in TABLED)],
                            [[row["tcp"], row["transport"], *(spread(row, name) for name, _ in TABLED)]
                             for _, row in cells.iterrows()]),
            "The same on the testbed, whose TCP is the kernel's Reno with SACK, and where tfrcsink repairs what is lost:",
            tables.markdown(["TCP flows", "movie over", "seeds", *(heading for _, heading in TABLED)],
                            [[row["tcp"], row["transport"], row["seeds"], *(spread(row, name) for name, _ in TABLED)]
                             for _, row in theirs.iterrows()])]


def _testbed():
    rows = benchmark.testbed_rows("fig5")
    return benchmark.summary.over_seeds(rows[rows["sack"] == 1].sort_values("tcp", kind="stable"), COLUMNS)


def _draw(cells, path):
    figure, axes = figures.panels(2, 2)
    for axis, (measure, heading) in zip(axes, DRAWN.items()):
        benchmark.figures.lines(axis, cells, "tcp", measure, scale=1e-6 if measure.endswith("_bps") else 1)
        if measure.endswith("iplr"):
            figures.loss_axis(axis, benchmark.paper.IPLR_TARGET)
        else:
            axis.set_yscale("log")
            style.plain_digits(axis.yaxis)
        style.whole_numbers(axis.xaxis)
        axis.set_ylabel(heading)
        axis.set_xlabel("TCP flows")
    style.legend(figure)
    figures.save(figure, path)
