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
# What follows from several measures of a run. The medians of two measures may be of different runs.
DERIVED = ("gap", "gap_of_prediction", "correlation", "predictor_of_interval")
# Ratios of columns, of each run
RATIOS = {"bound_of_tfrc": ("f_bound_bps", "tfrc_rate_bps"), "f_of_tfrc": ("f_tfrc_bps", "tfrc_rate_bps"),
          "tcp_of_tfrc": ("tcp_rate_bps", "tfrc_rate_bps"), "f_of_tcp": ("f_tcp_bps", "tcp_rate_bps"),
          "f_tcp_of_tfrc": ("f_tcp_bps", "tfrc_rate_bps"), "p_tfrc_of_p_tcp": ("tfrc_loss_event_rate", "tcp_loss_event_rate")}
TABLED = ("bound_of_tfrc", "f_of_tfrc", "tcp_of_tfrc", "f_of_tcp")
# The rate that the equation gives for a flow's losses has the flow's colour, but another line.
DRAWN = {"tcp_of_tfrc": ("TCP", style.transport("tcp")),
         "f_tcp_of_tfrc": ("equation, TCP's loss indications: $f(p_{tcp})$", style.Look(style.RED, "^", "--")),
         "f_of_tfrc": (r"equation, mean loss interval: $f(1/E[\theta])$", style.Look(style.BLUE, "^", "--")),
         "bound_of_tfrc": (r"equation, mean of what TFRC uses: $f(E[1/\hat\theta])$", style.Look(style.BLUE, "D", ":"))}
X_LABELS = {"p": "packet loss rate", "tfrc_loss_event_rate": "loss event rate of TFRC",
            "tcp_loss_event_rate": "loss event rate of TCP"}


def report(every, out):
    runs = every[(every["rto_policy"] == "tcp") & (every["delay_ms"] == PAPERS_DELAY_MS)]
    gap = runs["mean_inverse_predictor"] - 1 / runs["mean_predictor"]
    runs = runs.assign(**{name: runs[a] / runs[b] for name, (a, b) in RATIOS.items()}, gap=gap,
                       gap_of_prediction=gap / runs["predicted_gap"],
                       predictor_of_interval=runs["mean_predictor"] / runs["mean_interval"],
                       correlation=runs["covariance"] / numpy.sqrt(runs["var_interval"] * runs["var_predictor"]))
    cells = tables.over_seeds(runs, ("history_length", "background"), (*MEASURES, *RATIOS, *DERIVED))
    tables.write_csv(out / "bounds.csv", cells)
    _draw_all(cells, out)
    return ("## What the equation makes of loss event intervals (Figs 6 to 11)",
            "15 Mbit/s, round-trip time 110 ms, TFRC with TCP's t_RTO. Rates in kbit/s; f has the mean round-trip time and "
            "t_RTO of the flows, p_tcp counts TCP's loss indications as its equation does (fast recoveries and series of "
            "timeouts).", _rates_table(cells), "Ratios of these rates.", _ratios_table(cells),
            "A difference ratio is 0 for equal values, 1 for twice the other and -1 for half of it.",
            "![Fig. 6](fig6.svg)\n![Fig. 7](fig7.svg)\n![Fig. 8](fig8.svg)\n![Fig. 9](fig9.svg)\n![Fig. 10](fig10.svg)\n"
            "![Fig. 11](fig11.svg)",
            "The intervals themselves, and how well VAR[theta^]/E[theta^]^3 (eq. 16) predicts E[1/theta^] - 1/E[theta^].",
            _gap_table(cells), *_statements(cells))


def _rates_table(cells):
    rows = [[row["history_length"], row["background"], row["p"], row["tfrc_loss_event_rate"], row["tcp_indication_rate"],
             *(row[name] / 1e3 for name in ("tfrc_rate_bps", "f_bound_bps", "f_tfrc_bps", "tcp_rate_bps", "f_tcp_bps"))]
            for _, row in cells.iterrows()]
    return tables.markdown(["L", "background", "packet loss", "p_tfrc", "p_tcp", "TFRC", "f(E[1/theta^])",
                            "f(1/E[theta])", "TCP", "f(p_tcp)"], rows)


def _ratios_table(cells):
    rows = [[row["history_length"], row["background"], tables.spread(row, "tfrc_loss_event_rate"),
             *(tables.spread(row, name) for name in TABLED)] for _, row in cells.iterrows()]
    return tables.markdown(["L", "background", "p_tfrc", "f(E[1/theta^]) / TFRC", "f(1/E[theta]) / TFRC", "TCP / TFRC",
                            "f(p_tcp) / TCP"], rows)


def _gap_table(cells):
    rows = [[row["history_length"], row["background"],
             *(row[name] for name in ("mean_interval", "mean_predictor", "correlation", "gap", "predicted_gap"))]
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


# ---- figures --------------------------------------------------------------------------------------------------------


def _draw_all(cells, out):
    by_length = {length: cells[cells["history_length"] == length] for length in HISTORY_LENGTHS}
    of_lengths = [(f"{length:g} loss intervals", look, by_length[length])
                  for length, look in zip(by_length, style.scale(len(by_length)))]
    of_eight = {column: (*line, by_length[8]) for column, line in DRAWN.items()}
    for name, length in (("fig6", 8), ("fig7", 16)):
        bounds = [(*DRAWN[column], by_length[length], column) for column in ("f_of_tfrc", "bound_of_tfrc")]
        _draw(out / f"{name}.svg", bounds, "TFRC's rate", title=f"{length} loss intervals")
    _draw(out / "fig8.svg", [(*line, "tcp_of_tfrc") for line in of_lengths], "TFRC's rate", title="TCP's rate")
    _draw(out / "fig9.svg", [(*of_eight["f_tcp_of_tfrc"], "f_of_tcp")], "TCP's rate", x="tcp_loss_event_rate")
    _draw(out / "fig10.svg", [(*line, column) for column, line in of_eight.items()], "TFRC's rate", x="p")
    _draw(out / "fig11.svg", [(*line, "p_tfrc_of_p_tcp") for line in of_lengths], "TCP's loss event rate",
          title="TFRC's loss event rate")


def _draw(path, lines, zero, x="tfrc_loss_event_rate", title=""):
    """Draws difference ratios. lines: label, look, cells and the column with the ratio, for each line.
    zero: what a difference of zero is equal to."""
    figure, (axis,) = figures.panels()
    for label, look, cells, column in lines:
        # The same for the range as for the median, as a larger ratio has a larger difference.
        differences = cells.assign(**{column + end: cells[column + end].map(lambda ratio: difference_ratio(ratio, 1))
                                      for end in ("", "_min", "_max")})
        figures.line(axis, differences, x, column, look, label=label)
    colour = style.transport("tcp" if zero.startswith("TCP") else "tfrc").colour
    axis.axhline(0, color=colour, linewidth=0.8, label=zero)
    axis.set(xlabel=X_LABELS[x], ylabel=f"difference ratio to {zero}", title=title)
    style.percent(axis.xaxis)
    style.legend(figure)
    figures.save(figure, path)
