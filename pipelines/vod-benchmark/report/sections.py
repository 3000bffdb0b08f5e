"""One section for each experiment: its tables and its figure.

A section is a function of (frame, directory) that draws NAME.png into the directory and returns HTML; frame is the
experiment's CSV.
"""

import html

import ccid3 as judge
import paper
from batch.style import pyplot, save
from batch.formats import number, percent_spread, spread
from report import figures, player, summary
from report.tables import table

ISOLATED_MEASURES = ("iplr", "iptd_mean", "iptd_p99", "iptd_max", "sender_mean", "network_mean", "iptd_ipdv_mean",
                     "rate_cov_0.1", "rate_cov_1")
NAMES = {"iplr": "IPLR", "iptd_mean": "mean IPTD [s]", "iptd_p99": "99 % IPTD [s]", "iptd_max": "max IPTD [s]",
         "sender_mean": "in the sender [s]", "network_mean": "in the network [s]", "iptd_ipdv_mean": "IPDV [s]",
         "rate_cov_0.1": "CoV 0.1 s", "rate_cov_1": "CoV 1 s", "iplr_pooled": "IPLR, all seeds"}
CCID3_MEASURES = (("utilisation", "use of the link"), ("loss_ratio", "loss"), ("share", "share beside Reno"))
# What the paper's Table 1 has
COMPARED = ("iplr", "iptd_mean", "iptd_max")


def _drawn(directory, name, figure):
    save(figure, directory / f"{name}.png")
    return f'<p><img src="{name}.png" alt="{html.escape(name)}"></p>'


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
        return "<p>None of these cells is in the paper's Table 1.</p>"
    return f"<p>Paper: {html.escape(paper.PAPER)}. Ideal queue: {html.escape(paper.IDEAL)}.</p>" + table(headings, rows)


def table1(frame, directory):
    cells = summary.over_seeds(frame, (*ISOLATED_MEASURES, *player.MISSED))
    return _side_by_side(cells) + _one_movie("table1", cells, directory)


def levers(frame, directory):
    return _one_movie("levers", summary.over_seeds(frame, (*ISOLATED_MEASURES, *player.MISSED)), directory)


def _one_movie(name, cells, directory):
    """Every measure of every transport, on each network."""
    measures = [measure for measure in ISOLATED_MEASURES if measure in cells]
    text = "<h3>All transports</h3><p>Medians over seeds, with the range.</p>"
    groups = list(cells.groupby(["movie", "d2_ms", "queue"], sort=False))
    figure, axes = pyplot.subplots(len(groups), 2, figsize=(11, 3.2 * len(groups)), squeeze=False)
    for (key, group), pair in zip(groups, axes):
        movie, d2_ms, queue = key
        where = f"{movie}, d2 = {d2_ms} ms, queue {queue}"
        text += f"<h4>{html.escape(where)}</h4>" + table(
            ["transport", "seeds", NAMES["iplr_pooled"]] + [NAMES[measure] for measure in measures] +
            _player_headings(group),
            [[figures.title_of(row["transport"]), row["seeds"], number(row.get("iplr_pooled"))] +
             [spread(row, measure) for measure in measures] + _player(row) for _, row in group.iterrows()])
        figures.bars(pair[0], group, "iplr", logarithmic=True)
        figures.bars(pair[1], group, "iptd_mean")
        pair[1].set_ylabel("mean IPTD, s")
        pair[0].set_title(where, fontsize="small")
    return text + _drawn(directory, name, figure)


def fig3(frame, directory):
    cells = summary.over_seeds(frame, ("iplr", "iptd_mean", *player.MISSED))
    figure, axis = pyplot.subplots(figsize=(7, 4.5))
    figures.lines(axis, cells, "queue", "iplr", low="iplr_min", high="iplr_max")
    figures.loss_axis(axis, paper.IPLR_TARGET)
    axis.set_xlabel("queue, packets")
    axis.legend(fontsize="small")
    rows = [[row["queue"], figures.title_of(row["transport"]), row["seeds"], spread(row, "iplr"),
             number(row.get("iplr_pooled")), spread(row, "iptd_mean"), *_player(row)] for _, row in cells.iterrows()]
    return _drawn(directory, "fig3", figure) + table(
        ["queue", "transport", "seeds", "IPLR: median (range)", "IPLR, all seeds", "mean IPTD [s]",
         *_player_headings(cells)], rows)


def fig4(frame, directory):
    runs = summary.of_runs(frame, ("iptd_mean", "iplr", *player.MISSED))
    cells = summary.over_seeds(runs, ("iptd_mean", "iplr", "movies_meeting", *player.MISSED))
    groups = list(cells.groupby(["movie", "d2_ms", "queue"], sort=False))
    figure, axes = pyplot.subplots(len(groups), 2, figsize=(11, 3.4 * len(groups)), squeeze=False)
    for ((movie, d2_ms, queue), group), pair in zip(groups, axes):
        for axis, measure in zip(pair, ("iptd_mean", "iplr")):
            figures.lines(axis, group, "movies", measure, low=measure + "_min", high=measure + "_max")
            axis.set_xlabel("movies")
        pair[0].set_ylabel("mean IPTD, s")
        pair[0].set_title(f"{movie}, d2 = {d2_ms} ms, queue {queue}", fontsize="small")
        figures.loss_axis(pair[1], paper.IPLR_TARGET)
    axes[0][0].legend(fontsize="x-small")
    text = _drawn(directory, "fig4", figure)
    text += ("<h3>How many movies</h3><p>The most movies up to which every number tried has mean IPTD &le; 1 s and mean "
             "IPLR &le; 10<sup>-3</sup>: median over seeds (least – most); “&lt; n”: not even the fewest tried, “n+”: "
             "all that were tried. And the most single movies that met both at once.</p>")
    text += table(
        ["movie", "d2 [ms]", "queue", "transport", "seeds", "movies in the mean", "movies one by one"],
        [[row["movie"], row["d2_ms"], row["queue"], figures.title_of(row["transport"]), row["seeds"],
          summary.most_in_words(row), number(row["one_by_one"])] for _, row in summary.most(runs).iterrows()])
    text += "<h3>Means over movies: median (least – most) over seeds</h3>"
    return text + table(
        ["movie", "d2 [ms]", "queue", "movies", "transport", "seeds", "mean IPTD [s]", "IPLR",
         "movies that met both", *_player_headings(cells)],
        [[row["movie"], row["d2_ms"], row["queue"], row["movies"], figures.title_of(row["transport"]), row["seeds"],
          spread(row, "iptd_mean"), spread(row, "iplr"), spread(row, "movies_meeting"), *_player(row)]
         for _, row in cells.iterrows()])


def _beside_tcp(name, measures, of_movie):
    """The section on one pair of measures (column, heading) against the number of TCP flows."""

    def section(frame, directory):
        cells = summary.over_seeds(frame, [*(column for column, _ in measures), *(player.MISSED if of_movie else ())])
        groups = list(cells.groupby("sack", sort=False))
        figure, axes = pyplot.subplots(len(groups), len(measures), figsize=(11, 3.6 * len(groups)), squeeze=False)
        for (sack, group), pair in zip(groups, axes):
            for axis, (column, heading) in zip(pair, measures):
                figures.lines(axis, group, "tcp", column, low=column + "_min", high=column + "_max")
                axis.set_xlabel("TCP flows")
                if column.endswith("iplr"):
                    figures.loss_axis(axis, paper.IPLR_TARGET)
                else:
                    axis.set_ylim(bottom=0)
                axis.set_ylabel(heading)
            pair[0].set_title(f"TCP Reno, SACK {'on' if sack else 'off'}", fontsize="small")
        axes[0][0].legend(fontsize="small")
        rows = [["on" if row["sack"] else "off", row["tcp"], figures.title_of(row["transport"]), row["seeds"]] +
                [spread(row, column) for column, _ in measures] + _player(row) for _, row in cells.iterrows()]
        return _drawn(directory, name, figure) + table(
            ["SACK", "TCP flows", "movie over", "seeds"] + [heading for _, heading in measures] +
            _player_headings(cells), rows)

    return section


def ccid3(frame, directory):
    """Both senders side by side on each link, and whether ours holds what is asked of it."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    cells = judge.compare(rows)
    figure, axes = pyplot.subplots(1, len(CCID3_MEASURES), figsize=(11, 3.6))
    names = [f"{cell['rate_bps'] // 1_000_000} Mbit/s" + (", Reno" if cell["tcp"] else "") for cell in cells]
    for axis, (measure, heading) in zip(axes, CCID3_MEASURES):
        for index, (flow, title) in enumerate(judge.TITLES.items()):
            values, least, most = ([cell[f"{measure}_{flow}{suffix}"] or 0 for cell in cells] for suffix in ("", "_min", "_max"))
            errors = [[middle - low for middle, low in zip(values, least)],
                      [high - middle for middle, high in zip(values, most)]]
            axis.bar([place + 0.4 * index - 0.2 for place in range(len(cells))], values, width=0.4, yerr=errors,
                     capsize=2, label=title)
        axis.set_xticks(range(len(cells)), names, rotation=30, ha="right", fontsize="x-small")
        axis.set_ylabel(heading)
        axis.grid(alpha=0.3, axis="y")
    axes[0].legend(fontsize="x-small")
    text = _drawn(directory, "ccid3", figure)
    for name, cell in zip(names, cells):
        verdict = ""
        if "fills" in cell:
            verdict = (f"<p>Fills the link as well: {'yes' if cell['fills'] else 'no'}. Loses no more: "
                       f"{'yes' if cell['loses'] else 'no'}.</p>")
        text += f"<h3>{html.escape(name)}</h3>" + verdict + table(
            ["median over seeds (range)", *(f"{title}, {cell[f'seeds_{flow}']} seeds" for flow, title in judge.TITLES.items())],
            [[measure] + [spread(cell, f"{measure}_{flow}") for flow in judge.TITLES] for measure in judge.MEASURES])
    return text


def conditions(frame, directory):
    """What a player sees under each condition."""
    cells = player.cells_of(frame)
    return (_drawn(directory, "conditions", player.figure(cells)) +
            "<p>Medians over seeds, with the range, of the part of packets that were lost or late.</p>" +
            player.tables(cells))


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
