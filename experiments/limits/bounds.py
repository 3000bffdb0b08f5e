# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figs 6 to 11: the rate that the equation gives for the loss event intervals, beside the rates
that TFRC and TCP really have."""

import numpy

from batch import figures, style, tables

from . import paper
from .analytic import difference_ratio

HISTORY_LENGTHS = (8, 16)
PAPERS_DELAY_MS = 50
MEASURES = ("p", "tfrc_loss_event_rate", "tcp_loss_event_rate", "tcp_indication_rate", "tfrc_rate_bps", "tcp_rate_bps",
            "f_tfrc_bps", "f_bound_bps", "f_tcp_bps", "mean_interval", "mean_predictor", "var_interval", "var_predictor",
            "covariance", "mean_inverse_predictor", "predicted_gap")
# Ratios of columns, of each run
RATIOS = {"bound_of_tfrc": ("f_bound_bps", "tfrc_rate_bps"), "f_of_tfrc": ("f_tfrc_bps", "tfrc_rate_bps"),
          "tcp_of_tfrc": ("tcp_rate_bps", "tfrc_rate_bps"), "f_of_tcp": ("f_tcp_bps", "tcp_rate_bps")}
# The rate that the equation gives for a flow's losses has the flow's colour, but another line.
DRAWN = {"tcp_rate_bps": ("TCP", style.transport("tcp")),
         "f_tcp_bps": ("f(p_tcp)", style.Look(style.transport("tcp").colour, "^", "--")),
         "f_tfrc_bps": ("f(p_tfrc) = f(1/E[theta])", style.Look(style.transport("tfrc").colour, "^", "--")),
         "f_bound_bps": ("f(E[1/theta^])", style.Look(style.transport("tfrc").colour, "D", ":"))}
X_LABELS = {"tfrc_loss_event_rate": "loss event rate of TFRC", "tcp_loss_event_rate": "loss event rate of TCP"}


def report(every, out):
    runs = every[(every["rto_policy"] == "tcp") & (every["delay_ms"] == PAPERS_DELAY_MS)]
    runs = runs.assign(**{name: runs[a] / runs[b] for name, (a, b) in RATIOS.items()})
    cells = tables.over_seeds(runs, ("history_length", "background"), (*MEASURES, *RATIOS))
    tables.write_csv(out / "bounds.csv", cells)
    for name, length in (("fig6", 8), ("fig7", 16)):
        _draw_bounds(out / f"{name}.png", cells[cells["history_length"] == length], length)
    _draw(out / "fig8.png", cells, "tcp_rate_bps", "tfrc_rate_bps", "TCP and TFRC, throughput")
    _draw(out / "fig9.png", cells[cells["history_length"] == 8], "f_tcp_bps", "tcp_rate_bps", "f(p_tcp) and TCP",
          x="tcp_loss_event_rate")
    _draw_fig10(out / "fig10.png", cells[cells["history_length"] == 8])
    _draw(out / "fig11.png", cells, "tfrc_loss_event_rate", "tcp_loss_event_rate", "p_tfrc and p_tcp")
    return ("## What the equation makes of loss event intervals (Figs 6 to 11)",
            "15 Mbit/s, round-trip time 110 ms, TFRC with TCP's t_RTO. Rates in kbit/s; f has the mean round-trip time and "
            "t_RTO of the flows, p_tcp counts TCP's loss indications as its equation does (fast recoveries and series of "
            "timeouts).", _rates_table(cells), "Ratios of these rates.", _ratios_table(cells),
            "![Fig. 6](fig6.png)\n![Fig. 7](fig7.png)\n![Fig. 8](fig8.png)\n![Fig. 9](fig9.png)\n![Fig. 10](fig10.png)\n"
            "![Fig. 11](fig11.png)",
            "The intervals themselves, and how well VAR[theta^]/E[theta^]^3 (eq. 16) predicts E[1/theta^] - 1/E[theta^].",
            _gap_table(cells), *_statements(cells))


def _ratios(cells, a, b):
    return [difference_ratio(first, second) for first, second in zip(cells[a], cells[b])]


def _rates_table(cells):
    rows = [[row["history_length"], row["background"], row["p"], row["tfrc_loss_event_rate"], row["tcp_indication_rate"],
             *(row[name] / 1e3 for name in ("tfrc_rate_bps", "f_bound_bps", "f_tfrc_bps", "tcp_rate_bps", "f_tcp_bps"))]
            for _, row in cells.iterrows()]
    return tables.markdown(["L", "background", "packet loss", "p_tfrc", "p_tcp", "TFRC", "f(E[1/theta^])",
                            "f(1/E[theta])", "TCP", "f(p_tcp)"], rows)


def _ratios_table(cells):
    rows = [[row["history_length"], row["background"], tables.spread(row, "tfrc_loss_event_rate"),
             *(tables.spread(row, name) for name in RATIOS)] for _, row in cells.iterrows()]
    return tables.markdown(["L", "background", "p_tfrc", "f(E[1/theta^]) / TFRC", "f(1/E[theta]) / TFRC", "TCP / TFRC",
                            "f(p_tcp) / TCP"], rows)


def _gap_table(cells):
    rows = [[row["history_length"], row["background"], row["mean_interval"], row["mean_predictor"],
             row["covariance"] / numpy.sqrt(row["var_interval"] * row["var_predictor"]),
             row["mean_inverse_predictor"] - 1 / row["mean_predictor"], row["predicted_gap"]]
            for _, row in cells.iterrows()]
    return tables.markdown(["L", "background", "E[theta]", "E[theta^]", "correlation of theta and theta^",
                            "E[1/theta^] - 1/E[theta^]", "predicted"], rows)


def _statements(cells):
    """The paper's findings, with the number of cells that agree with each."""
    low = cells[cells["p"] < 0.03]
    high = cells[cells["p"] >= 0.03]
    nearer = (numpy.log(cells["f_bound_bps"] / cells["tfrc_rate_bps"]).abs()
              <= numpy.log(cells["f_tfrc_bps"] / cells["tfrc_rate_bps"]).abs())
    return (
        f"- f(E[1/theta^]) is nearer to TFRC's throughput than f(1/E[theta]) in {nearer.sum()} of {len(cells)} cells. The "
        f"paper: {paper.PAPER['fig6']}.\n"
        f"- f(E[1/theta^]) is above TFRC's throughput in {(high['f_bound_bps'] >= high['tfrc_rate_bps']).sum()} of "
        f"{len(high)} cells with a packet loss rate from 3 % on, and in "
        f"{(low['f_bound_bps'] >= low['tfrc_rate_bps']).sum()} of {len(low)} below.\n"
        f"- Fig. 8, the paper: {paper.PAPER['fig8']}. Fig. 9: {paper.PAPER['fig9']}.",
    )


def _draw_bounds(path, cells, length):
    figure, (axis,) = figures.panels()
    for column in ("f_tfrc_bps", "f_bound_bps"):
        label, look = DRAWN[column]
        axis.plot(cells["tfrc_loss_event_rate"], _ratios(cells, column, "tfrc_rate_bps"), label=label, **look.line_options())
    axis.axhline(0, color=style.BLUE, linewidth=0.8, label="TFRC")
    axis.set(xlabel="loss event rate of TFRC", ylabel="difference ratio to TFRC", title=f"L = {length}")
    style.legend(figure)
    figures.save(figure, path)


def _draw(path, cells, a, b, label, x="tfrc_loss_event_rate"):
    figure, (axis,) = figures.panels()
    by_length = list(cells.groupby("history_length"))
    for (length, rows), look in zip(by_length, style.scale(len(by_length))):
        axis.plot(rows[x], _ratios(rows, a, b), label=f"L = {length}", **look.line_options())
    axis.set(xlabel=X_LABELS[x], ylabel="difference ratio", title=label)
    style.legend(figure)
    figures.save(figure, path)


def _draw_fig10(path, cells):
    figure, (axis,) = figures.panels()
    for column, (label, look) in DRAWN.items():
        axis.plot(cells["p"], _ratios(cells, column, "tfrc_rate_bps"), label=label, **look.line_options())
    axis.axhline(0, color=style.BLUE, linewidth=0.8, label="TFRC")
    axis.set(xlabel="packet loss rate", ylabel="difference ratio to TFRC")
    style.legend(figure)
    figures.save(figure, path)
