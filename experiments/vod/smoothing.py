# SPDX-License-Identifier: LGPL-2.1-or-later
"""Costs and gains of smoothing-time: many movies on one link, with several windows."""

from batch import figures, style, tables
from batch.formats import spread

from . import benchmark

MEASURES = ("iptd_mean", "iptd_max", "iplr")
LOADS = (12, 13, 14)  # the numbers of movies in the table of delay and loss


def smoothing(frame, out):
    tables.write_csv(out / "simulation-smoothing.csv", frame)
    # The tables have a row for each window, where other tables have a row for each transport.
    runs = benchmark.summary.of_runs(frame.assign(transport=frame["smoothing_ms"]), MEASURES)
    cells = benchmark.summary.over_seeds(runs, MEASURES)
    most = benchmark.summary.most(runs).sort_values("transport")
    _draw(cells, out / "simulation-smoothing.svg")
    loads = [load for load in LOADS if load in set(cells["movies"])]
    rows = []
    for _, row in most.iterrows():
        of_window = cells[cells["transport"] == row["transport"]].set_index("movies")
        rows.append([row["transport"], benchmark.summary.most_in_words(row),
                     spread(of_window.loc[loads[0]], "iptd_mean"), spread(of_window.loc[loads[0]], "iptd_max"),
                     *(spread(of_window.loc[load], "iplr") for load in loads)])
    return ["## Which smoothing-time",
            f"V for Vendettas over TFRC on 10 Mbit/s, d2 {frame['d2_ms'].iloc[0]} ms, queue {frame['queue'].iloc[0]}, "
            f"{frame['duration_s'].max():g} s, {frame['seed'].nunique()} seed(s), each with a movie of its own. Medians "
            "over seeds (least – most).",
            "![Smoothing](simulation-smoothing.svg)",
            tables.markdown(["smoothing-time, ms", "most movies", f"mean IPTD of {loads[0]}, s",
                             f"largest IPTD of {loads[0]}, s", *(f"IPLR of {load}" for load in loads)], rows)]


def _draw(cells, path):
    figure, axes = figures.panels(2)
    for axis, measure, heading in zip(axes, ("iplr", "iptd_mean"), ("packets lost (IPLR)", "mean delay, s (IPTD)")):
        windows = list(cells.groupby("transport"))
        for (smoothing_ms, group), look in zip(windows, style.scale(len(windows))):
            label = f"smoothed over {smoothing_ms:g} ms" if smoothing_ms else "not smoothed"
            figures.line(axis, group, "movies", measure, look, label=label)
        if measure == "iplr":
            figures.loss_axis(axis, benchmark.paper.IPLR_TARGET)
        style.whole_numbers(axis.xaxis)
        axis.set_xlabel("movies at once")
        axis.set_ylabel(heading)
    style.legend(figure)
    figures.save(figure, path)
