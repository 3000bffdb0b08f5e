# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figs 12 to 15: the effect of t_RTO on TFRC; and, beyond the paper, TFRC beside TCP at every
round-trip time and load."""

import numpy

from batch import figures, style, tables
from common.rto_policies import POLICIES, TITLES as POLICY_TITLES

from . import paper
from .runs import WIRE_BYTES

# The paper's names of the one-way delays at the bottleneck
RTTS_MS = {1: 10, 21: 50, 50: 110, 96: 200, 246: 500}
PAPERS_RTTS_MS = (10, 50, 110, 500)
# Linux's TCP has a smaller minimum RTO than the standard's second; runs with this value show the
# effect.
SHORT_MIN_RTO_S = 0.2
SHORT_MIN_RTO_DELAYS_MS = (1, 50)
SHORT_MIN_RTO_POLICIES = ("4r", "balanced")
# Fair: neither flow gets more than twice the rate of the other.
FAIR = (0.5, 2)
MEASURES = ("p", "ratio", "difference_ratio", "loss_difference_ratio", "tfrc_rate_bps", "tcp_rate_bps", "tfrc_rtt_s",
            "tfrc_rto_s", "tcp_rto_s", "tfrc_loss_event_rate", "tcp_loss_event_rate", "tcp_rtt_s", "tcp_indication_rate")
BY = ("rto_policy", "min_rto_s", "rtt_ms", "background")


def report(every, equation, out):
    all_cells = cells_of(every)
    tables.write_csv(out / "grid.csv", all_cells)
    cells = all_cells[all_cells["min_rto_s"] == 1]
    short = all_cells[all_cells["min_rto_s"] == SHORT_MIN_RTO_S]
    _draw_fig13(out / "fig13.svg", equation)
    _draw_grid(out / "grid.svg", cells)
    return ("## What t_RTO does (Figs 12 to 15)",
            "t_RTO of the equation and TCP's own, s, at each round-trip time; means over the loads. The experiment limits-rto "
            "has Fig. 12, t_RTO to sites on the Internet.", _rto_table(cells),
            "The equation with t_RTO = 4R over the equation with 1 s (Fig. 13), packets per second:",
            _equation_table(equation), "![Fig. 13](fig13.svg)", *differences(cells, equation, out),
            "## TFRC's throughput over TCP's, for every t_RTO",
            f"Fair is {FAIR[0]} to {FAIR[1]}; what is not, is bold.",
            *(text for policy in POLICIES for text in (f"**{policy}**", _grid_table(cells[cells["rto_policy"] == policy]))),
            _summary(cells), "![Grid](grid.svg)",
            f"With TCPs whose least RTO is {SHORT_MIN_RTO_S * 1000:g} ms, as Linux's is:",
            *(text for policy in SHORT_MIN_RTO_POLICIES
              for text in (f"**{policy}**", _grid_table(short[short["rto_policy"] == policy]))))


def cells_of(every):
    """Medians and ranges over seeds of the runs with a history of 8 loss intervals."""
    runs = every[every["history_length"] == 8].copy()
    runs["rtt_ms"] = runs["delay_ms"].map(RTTS_MS)
    return tables.over_seeds(runs, BY, MEASURES)


def differences(cells, equation, out):
    """Figs 14 and 15: t_RTO = 4R beside TCP at the paper's round-trip times."""
    standard = cells[(cells["rto_policy"] == "4r") & cells["rtt_ms"].isin(PAPERS_RTTS_MS)]
    _draw_by_rtt(out / "fig14.svg", standard, "difference_ratio", "throughput of TFRC and TCP")
    _draw_by_rtt(out / "fig15.svg", standard, "loss_difference_ratio", "loss event rates of TFRC and TCP")
    return ("TFRC with t_RTO = 4R beside TCP, difference ratios of throughput (Fig. 14). The paper at 10 ms: "
            f"{paper.PAPER['fig14'][10]}; at 500 ms: {paper.PAPER['fig14'][500]}.",
            _difference_table(standard, "difference_ratio"),
            f"The same of loss event rates (Fig. 15). The paper at 10 ms: {paper.PAPER['fig15'][10]}; at 500 ms: "
            f"{paper.PAPER['fig15'][500]}.", _difference_table(standard, "loss_difference_ratio"),
            "![Fig. 14](fig14.svg)\n![Fig. 15](fig15.svg)", *_ns2(standard), *_beside_equation(standard, equation))


def _rto_table(cells):
    rows = []
    for rtt_ms in sorted(set(cells["rtt_ms"])):
        here = cells[cells["rtt_ms"] == rtt_ms]
        rows.append([rtt_ms, here["tfrc_rtt_s"].mean(),
                     *(here.loc[here["rto_policy"] == policy, "tfrc_rto_s"].mean() for policy in POLICIES),
                     here["tcp_rto_s"].mean()])
    return tables.markdown(["RTT, ms", "R", *POLICIES, "TCP itself"], rows)


def _equation_table(equation):
    rows = []
    for p, rate, short, long in paper.EQUATION:
        rows.append([p, equation.packets_per_s(p, 0.1, 0.4), rate, equation.ratio(p, 0.01, 0.04, 1), short,
                     equation.ratio(p, 0.5, 1, 2), long])
    return tables.markdown(["p", "F(.1, .4)", "expected", "F(.01, .04) / F(.01, 1)", "expected", "F(.5, 1) / F(.5, 2)",
                            "expected"], rows)


def _draw_fig13(path, equation):
    figure, (axis,) = figures.panels()
    losses = numpy.linspace(0.001, 0.2, 100)
    axis.plot(losses, [equation.ratio(p, 0.01, 0.04, 1) - 1 for p in losses], color=style.BLUE,
              label="round-trip time 10 ms, t_RTO 40 ms and 1 s")
    axis.plot(losses, [1 - equation.ratio(p, 0.5, 1, 2) for p in losses], color=style.VIOLET, linestyle="--",
              label="round-trip time 500 ms, t_RTO 2 s and 1 s")
    axis.set(xlabel="loss event rate", ylabel="difference ratio of the equation")
    style.percent(axis.xaxis)
    style.legend(figure)
    figures.save(figure, path)


def _draw_by_rtt(path, cells, column, title):
    figure, (axis,) = figures.panels()
    for rtt_ms, look in zip(PAPERS_RTTS_MS, style.scale(len(PAPERS_RTTS_MS))):
        rows = cells[cells["rtt_ms"] == rtt_ms]
        if len(rows):
            figures.line(axis, rows, "tfrc_loss_event_rate", column, look, label=f"round-trip time {rtt_ms} ms")
    axis.axhline(0, color=style.GREY, linewidth=0.8)
    axis.set(xlabel="loss event rate of TFRC", ylabel="difference ratio", title=title)
    style.percent(axis.xaxis)
    style.legend(figure)
    figures.save(figure, path)


def _difference_table(cells, measure):
    rows = [[rtt_ms] + [tables.spread(row, measure) for _, row in here.sort_values("background").iterrows()]
            for rtt_ms, here in cells.groupby("rtt_ms")]
    return tables.markdown(["RTT, ms", *_loads(cells)], rows)


def _loads(cells):
    return [f"{load} flows" for load in sorted(set(cells["background"]))]


def _ns2(cells):
    rows = []
    for rtt_ms, (light, heavy) in paper.NS2_RATIO.items():
        here = cells[cells["rtt_ms"] == rtt_ms].sort_values("background")
        if len(here):
            rows.append([rtt_ms, here["ratio"].iloc[0], light, here["ratio"].iloc[-1], heavy])
    return ("The ratio of throughputs, TFRC / TCP, beside ns-2's:",
            tables.markdown(["RTT, ms", "lightest load", "ns-2", "heaviest load", "ns-2"], rows))


def _beside_equation(cells, equation):
    """A table that shows whether TFRC or TCP differs from the equation."""
    rows = []
    for rtt_ms, here in cells.groupby("rtt_ms"):
        here = here.sort_values("background")
        for row in (here.iloc[0], here.iloc[-1]):
            tfrc = _equation_bps(equation, row, "tfrc", row["tfrc_loss_event_rate"])
            tcp = _equation_bps(equation, row, "tcp", row["tcp_loss_event_rate"])
            indicated = _equation_bps(equation, row, "tcp", row["tcp_indication_rate"])
            rows.append([rtt_ms, row["background"], row["ratio"], tfrc / tcp, row["tfrc_rate_bps"] / tfrc,
                         row["tcp_rate_bps"] / tcp, row["tcp_indication_rate"] / row["tcp_loss_event_rate"],
                         row["tcp_rate_bps"] / indicated])
    return ("The same ratio as the equation has it for the loss events that the network made of each, and what each of the two "
            "gets of what the equation has for it: with those loss events, and TCP with its own loss indications, of which there "
            "are fewer:",
            tables.markdown(["RTT, ms", "flows", "TFRC / TCP", "by the equation", "TFRC / equation", "TCP / equation",
                             "TCP's indications / loss events", "TCP / equation with these"], rows))


def _equation_bps(equation, row, flow, p):
    return 8 * equation.rate_Bps(WIRE_BYTES, row[f"{flow}_rtt_s"], row[f"{flow}_rto_s"], p)


def _fair(ratio):
    return FAIR[0] <= ratio <= FAIR[1]


def _grid_table(cells):
    rows = [[rtt_ms] + [f"{ratio:.2f}" if _fair(ratio) else f"**{ratio:.2f}**"
                        for ratio in here.sort_values("background")["ratio"]]
            for rtt_ms, here in cells.groupby("rtt_ms")]
    return tables.markdown(["RTT, ms", *_loads(cells)], rows)


def _summary(cells):
    rows = []
    for policy in POLICIES:
        ratios = cells.loc[cells["rto_policy"] == policy, "ratio"]
        rows.append([policy, ratios.min(), ratios.max(), f"{sum(map(_fair, ratios))} of {len(ratios)}",
                     2 ** numpy.log2(ratios).abs().mean()])
    return tables.markdown(["t_RTO", "least", "most", "fair", "mean factor between the two"], rows)


def _draw_grid(path, cells):
    figure, axes = figures.panels(2, len(POLICIES) // 2, sharex=True, sharey=True)
    for axis, policy in zip(axes, POLICIES):
        of_policy = cells[cells["rto_policy"] == policy]
        for rtt_ms, look in zip(RTTS_MS.values(), style.scale(len(RTTS_MS))):
            rows = of_policy[of_policy["rtt_ms"] == rtt_ms]
            if len(rows):
                figures.line(axis, rows, "background", "ratio", look, label=f"round-trip time {rtt_ms} ms")
        style.fair_band(axis, FAIR)
        axis.set(title=f"t_RTO {POLICY_TITLES[policy]}", yscale="log", xlim=(0, None))
        style.plain_digits(axis.yaxis)
    for axis in axes[::2]:
        axis.set_ylabel("TFRC's rate over TCP's")
    for axis in axes[-2:]:
        axis.set_xlabel("background flows")
    style.legend(figure)
    figures.save(figure, path)
