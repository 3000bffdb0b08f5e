# SPDX-License-Identifier: LGPL-2.1-or-later
"""One section for each experiment: its tables and its figure.

A section is a function of (frame, directory) that draws NAME.png into the directory and returns
blocks of a report (see batch/report.py); frame is the experiment's CSV.
"""

import math

import ccid3 as judge
import paper
from batch import figures as panels
from batch import style
from batch.formats import number, percent_spread, spread
from batch.report import Heading, Picture, Table
from report import figures, player, summary

ISOLATED_MEASURES = ("iplr", "iptd_mean", "iptd_p99", "iptd_max", "sender_mean", "network_mean", "iptd_ipdv_mean",
                     "rate_cov_0.1", "rate_cov_1")
NAMES = {"iplr": "IPLR", "iptd_mean": "mean IPTD [s]", "iptd_p99": "99 % IPTD [s]", "iptd_max": "max IPTD [s]",
         "sender_mean": "in the sender [s]", "network_mean": "in the network [s]", "iptd_ipdv_mean": "IPDV [s]",
         "rate_cov_0.1": "CoV 0.1 s", "rate_cov_1": "CoV 1 s", "iplr_pooled": "IPLR, all seeds"}
CCID3_MEASURES = (("utilisation", "use of the link"), ("loss_ratio", "loss"), ("share", "share beside Reno"))
# The measures of the paper's Table 1
COMPARED = ("iplr", "iptd_mean", "iptd_max")


def _drawn(directory, name, figure, text):
    style.save(figure, directory / f"{name}.png")
    return Picture(directory / f"{name}.png", text)


def _player(row):
    """The last columns of every table of movies."""
    return [percent_spread(row, measure) for measure in player.MISSED if measure in row]


def _player_headings(cells):
    return [f"{heading} [%]" for measure, heading in player.HEADINGS.items() if measure in cells]


def _side_by_side(cells):
    """The paper's numbers, those of the ideal queue, and ours."""
    headings = ["movie", "d2 [ms]", "queue", "transport", "figure", "paper", "ideal queue", "ours: median (range)",
                "all seeds"]
    rows = []
    for _, row in cells.iterrows():
        key = (row["movie"], row["transport"], row["d2_ms"], row["queue"])
        if key not in paper.TABLE1:
            continue
        for measure in COMPARED:
            rows.append([row["movie"], row["d2_ms"], row["queue"], figures.title_of(row["transport"]), NAMES[measure],
                         number(paper.TABLE1[key].get(measure)), number(paper.IDEAL_QUEUE.get(key, {}).get(measure)),
                         spread(row, measure), number(row.get("iplr_pooled")) if measure == "iplr" else ""])
    if not rows:
        return ["None of these cells is in the paper's Table 1."]
    return [f"Paper: {paper.PAPER}. Ideal queue: {paper.IDEAL}.", Table(headings, rows)]


def table1(frame, directory):
    cells = summary.over_seeds(frame, (*ISOLATED_MEASURES, *player.MISSED))
    return _side_by_side(cells) + _one_movie("table1", cells, directory)


def levers(frame, directory):
    return _one_movie("levers", summary.over_seeds(frame, (*ISOLATED_MEASURES, *player.MISSED)), directory)


def _one_movie(name, cells, directory):
    """Every measure of every transport, on each network."""
    measures = [measure for measure in ISOLATED_MEASURES if measure in cells]
    blocks = []
    for (movie, d2_ms, queue), group in cells.groupby(["movie", "d2_ms", "queue"], sort=False):
        where = f"{movie}, d2 = {d2_ms} ms, queue {queue}"
        blocks += [Heading(where, 4), Table(
            ["transport", "seeds", NAMES["iplr_pooled"]] + [NAMES[measure] for measure in measures] +
            _player_headings(group),
            [[figures.title_of(row["transport"]), row["seeds"], number(row.get("iplr_pooled"))] +
             [spread(row, measure) for measure in measures] + _player(row) for _, row in group.iterrows()])]
    figure = figures.one_movie(cells, _paper_table1)
    picture = _drawn(directory, name, figure, "loss and mean delay of every transport on every network")
    return [Heading("All transports", 3), "Medians over seeds, with the range.", picture, *blocks]


def _paper_table1(movie, d2_ms, queue, transport, measure):
    """The paper's value, or None."""
    return paper.TABLE1.get((movie, transport, d2_ms, queue), {}).get(measure)


def fig3(frame, directory):
    cells = summary.over_seeds(frame, ("iplr", "iptd_mean", *player.MISSED))
    figure, (axis,) = panels.panels(figsize=(6, 3.8))
    figures.lines(axis, cells, "queue", "iplr")
    panels.loss_axis(axis, paper.IPLR_TARGET)
    style.ticks_at(axis.xaxis, cells["queue"])
    axis.set(xlabel="queue, packets", ylabel="IPLR")
    style.legend(figure)
    rows = [[row["queue"], figures.title_of(row["transport"]), row["seeds"], spread(row, "iplr"),
             number(row.get("iplr_pooled")), spread(row, "iptd_mean"), *_player(row)] for _, row in cells.iterrows()]
    return [_drawn(directory, "fig3", figure, "loss against the queue"), Table(
        ["queue", "transport", "seeds", "IPLR: median (range)", "IPLR, all seeds", "mean IPTD [s]",
         *_player_headings(cells)], rows)]


def draw_movies(cells, path):
    """Draws mean delay and loss against the number of movies that play at once."""
    groups = list(cells.groupby(["movie", "d2_ms", "queue"], sort=False))
    figure, axes = panels.panels(2, len(groups))
    for index, ((movie, d2_ms, queue), group) in enumerate(groups):
        delay, loss = axes[2 * index:2 * index + 2]
        for axis, measure in ((delay, "iptd_mean"), (loss, "iplr")):
            figures.lines(axis, group, "movies", measure)
            style.ticks_at(axis.xaxis, cells["movies"])
            axis.set_xlim(cells["movies"].min() - 0.5, cells["movies"].max() + 0.5)
            axis.set_xlabel("movies at once")
        delay.axhline(paper.IPTD_TARGET_S, color=style.BLACK, linewidth=0.7, linestyle="--")
        delay.set_ylabel("mean delay, s (IPTD)")
        delay.set_ylim(bottom=0)
        delay.set_title(figures.network_title(movie, d2_ms, queue), loc="left")
        panels.loss_axis(loss)
        loss.axhline(paper.IPLR_TARGET, color=style.BLACK, linewidth=0.7, linestyle="--", label="target")
        loss.set_ylabel("packets lost (IPLR)")
    style.legend(figure)
    style.save(figure, path)


def fig4(frame, directory):
    runs = summary.of_runs(frame, ("iptd_mean", "iplr", *player.MISSED))
    cells = summary.over_seeds(runs, ("iptd_mean", "iplr", "movies_meeting", *player.MISSED))
    draw_movies(cells, directory / "fig4.png")
    most = [[row["movie"], row["d2_ms"], row["queue"], figures.title_of(row["transport"]), row["seeds"],
             summary.most_in_words(row), number(row["one_by_one"])] for _, row in summary.most(runs).iterrows()]
    means = [[row["movie"], row["d2_ms"], row["queue"], row["movies"], figures.title_of(row["transport"]), row["seeds"],
              spread(row, "iptd_mean"), spread(row, "iplr"), spread(row, "movies_meeting"), *_player(row)]
             for _, row in cells.iterrows()]
    return [
        Picture(directory / "fig4.png", "mean delay and loss against the number of movies"),
        Heading("How many movies", 3),
        "The most movies up to which every number tried has mean IPTD ≤ 1 s and mean IPLR ≤ 10⁻³: median over seeds (least – "
        "most). “< n”: not even the fewest tried meet the targets. “n+”: all that were tried meet them. The last column has "
        "the most single movies that met both targets at once.",
        Table(["movie", "d2 [ms]", "queue", "transport", "seeds", "movies in the mean", "movies one by one"], most),
        Heading("Means over movies: median (least – most) over seeds", 3),
        Table(["movie", "d2 [ms]", "queue", "movies", "transport", "seeds", "mean IPTD [s]", "IPLR",
               "movies that met both", *_player_headings(cells)], means)]


def _beside_tcp(name, measures, of_movie):
    """The section on one pair of measures (column, heading) against the number of TCP flows."""

    def section(frame, directory):
        cells = summary.over_seeds(frame, [*(column for column, _ in measures), *(player.MISSED if of_movie else ())])
        groups = list(cells.groupby("sack", sort=False))
        figure, axes = panels.panels(len(measures), len(groups))
        for index, (sack, group) in enumerate(groups):
            row_of_axes = axes[len(measures) * index:len(measures) * (index + 1)]
            for axis, (column, heading) in zip(row_of_axes, measures):
                bits = column.endswith("_bps")
                figures.lines(axis, group, "tcp", column, scale=1e-6 if bits else 1)
                style.ticks_at(axis.xaxis, cells["tcp"])
                axis.set_xlabel("TCP flows")
                if column.endswith("iplr"):
                    panels.loss_axis(axis, paper.IPLR_TARGET)
                else:
                    axis.set_ylim(bottom=0)
                axis.set_ylabel(heading.replace("bit/s", "Mbit/s") if bits else heading)
            row_of_axes[0].set_title(f"TCP Reno, SACK {'on' if sack else 'off'}", loc="left")
        style.legend(figure)
        rows = [["on" if row["sack"] else "off", row["tcp"], figures.title_of(row["transport"]), row["seeds"]] +
                [spread(row, column) for column, _ in measures] + _player(row) for _, row in cells.iterrows()]
        return [_drawn(directory, name, figure, " and ".join(heading for _, heading in measures)), Table(
            ["SACK", "TCP flows", "movie over", "seeds"] + [heading for _, heading in measures] +
            _player_headings(cells), rows)]

    return section


def ccid3(frame, directory):
    """Both senders side by side on each link, and whether ours fills the link as well and loses no
    more."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    cells = judge.compare(rows)
    figure, axes = panels.panels(len(CCID3_MEASURES), figsize=(10, 3.4))
    names = [f"{cell['rate_bps'] // 1_000_000} Mbit/s" + (", Reno" if cell["tcp"] else "") for cell in cells]
    for axis, (measure, heading) in zip(axes, CCID3_MEASURES):
        # A flow alone has no share.
        shown = [(name, cell) for name, cell in zip(names, cells)
                 if any(cell[f"{measure}_{flow}"] is not None for flow in judge.FLOWS)]
        for index, (flow, title) in enumerate(judge.TITLES.items()):
            # A sender that was not played has no bar.
            values, least, most = ([math.nan if cell[name] is None else cell[name] for _, cell in shown]
                                   for name in (f"{measure}_{flow}{suffix}" for suffix in ("", "_min", "_max")))
            errors = [[middle - low for middle, low in zip(values, least)],
                      [high - middle for middle, high in zip(values, most)]]
            places = [place + 0.4 * index - 0.2 for place in range(len(shown))]
            axis.bar(places, values, width=0.4, yerr=errors, capsize=2, label=title, color=style.transport(flow).colour)
            if measure == "loss_ratio":
                panels.mark_zeros(axis, places, values)
        axis.set_xticks(range(len(shown)), [name for name, _ in shown], rotation=30, ha="right", fontsize="small")
        axis.set_ylabel(heading)
        axis.grid(False, axis="x")
    style.legend(figure)
    blocks = [_drawn(directory, "ccid3", figure, "use of the link, loss and share of both senders")]
    for name, cell in zip(names, cells):
        blocks.append(Heading(name, 3))
        if "fills" in cell:
            blocks.append(f"Fills the link as well: {'yes' if cell['fills'] else 'no'}. Loses no more: "
                          f"{'yes' if cell['loses'] else 'no'}.")
        blocks.append(Table(
            ["median over seeds (range)", *(f"{title}, {cell[f'seeds_{flow}']} seeds" for flow, title in judge.TITLES.items())],
            [[measure] + [spread(cell, f"{measure}_{flow}") for flow in judge.TITLES] for measure in judge.MEASURES]))
    return blocks


def conditions(frame, directory):
    """The packets that a player misses under each condition."""
    cells = player.cells_of(frame)
    return [_drawn(directory, "conditions", player.figure(cells), "packets missing at the player under each condition"),
            "Medians over seeds, with the range, of the part of packets that were lost or late.", *player.tables(cells)]


SECTIONS = {
    "table1": table1,
    "levers": levers,
    "fig3": fig3,
    "fig4": fig4,
    "fig5": _beside_tcp("fig5", (("iplr", "IPLR of the movie"), ("iptd_mean", "mean IPTD of the movie, s")),
                        of_movie=True),
    "fig6": _beside_tcp("fig6", (("tcp_iplr", "IPLR of one TCP flow"),
                                 ("tcp_throughput_bps", "throughput of one TCP flow, bit/s")), of_movie=False),
    "conditions": conditions,
    "ccid3": ccid3,
}
