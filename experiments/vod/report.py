# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables and figures of the simulated movies: Table 1 and Figs 4 to 6 beside the paper's words and
numbers, and simulations of the testbed's runs beside these runs. The names of the files begin with
simulation-, because results/vod has the testbed's files, too.
"""

import math

import pandas

from batch import figures, style, tables
from batch.formats import movie_title, spread

from . import benchmark
from .beside_tcp import MEASURES as TCP_MEASURES, beside_tcp
from .smoothing import smoothing

TABLE1_CELL = ["movie", "d2_ms", "queue", "transport"]
FIG4_CELL = ["movie", "d2_ms", "queue", "movies"]
RUN = list(benchmark.RUN)
MEASURES = ["packets", "lost", "iplr", "iptd_mean_s", "iptd_max_s", "sender_mean_s", "sender_max_s", "network_mean_s"]
# The program's measures and their names in the testbed's tables
NAMES = {name: name.removesuffix("_s") for name in MEASURES}
AGREEMENT = 0.2  # of mean IPTD
# Movie and d2 of Fig. 4 whose curves are drawn, with a queue of one bandwidth-delay product; the
# tables have all
DRAWN = ("v-for-vendetta", 20)


def rows_of(results, part):
    """A row for each job of a part, with the columns of the testbed's tables."""
    rows = [{"movie": p["movie"], "transport": p["transport"], "d2_ms": p["d2_ms"], "queue": p["queue"],
             "rate_bps": p["rate_bps"], "movies": int(result.measures["movies"]), "duration_s": p["duration_s"],
             "seed": p["seed"], "tcp": p.get("tcp", 0), "sack": 1, "smoothing_ms": p.get("smoothing_ms") or 0,
             **{NAMES[name]: result.measures[name] for name in MEASURES},
             **{name: result.measures[name] for name in TCP_MEASURES if name in result.measures}}
            for result in results if (p := result.parameters)["part"] == part]
    return pandas.DataFrame(rows)


# ---- Table 1 --------------------------------------------------------------------------------------------------------


def _paper_table1(movie, d2_ms, queue, transport, measure):
    """The paper's value, or None. The paper's TFRC is ns-2's, without our queue guard and burst
    limit; it stands beside both of our settings."""
    return benchmark.paper.TABLE1.get((movie, transport.removesuffix("-rfc"), d2_ms, queue), {}).get(measure)


def _order(frame):
    """A table: for how many movies TFRC loses less than UDP, and for how many it delays more."""
    pairs = frame.pivot_table(index=["movie", "d2_ms", "queue", "seed"], columns="transport",
                              values=["iplr", "iptd_mean"])
    rows = []
    for (movie, d2_ms, queue), group in pairs.groupby(level=[0, 1, 2]):
        lossy = group[group["iplr", "udp"] > 0]
        rows.append([movie, d2_ms, queue, len(group), len(lossy),
                     int((lossy["iplr", "tfrc"] < lossy["iplr", "udp"]).sum()),
                     int((group["iptd_mean", "tfrc"] > group["iptd_mean", "udp"]).sum())])
    return tables.markdown(["movie", "d2, ms", "queue", "seeds", "UDP loses", "and TFRC less",
                            "TFRC's mean IPTD is higher"], rows)


def _table1(frame, out):
    tables.write_csv(out / "simulation-table1.csv", frame)
    cells = tables.over_seeds(frame, TABLE1_CELL, ["iplr", "iptd_mean", "iptd_max"])
    figures.save(benchmark.figures.one_movie(cells, _paper_table1), out / "simulation-table1.svg")
    blocks = ["## Table 1: one movie alone on 2 Mbit/s",
              f"{frame['duration_s'].max():g} s of movie; each seed is another movie of the kind, the same for every "
              "transport and network. Median over seeds (least – most).", "![Table 1](simulation-table1.svg)"]
    for measure, name in (("iplr", "IPLR"), ("iptd_mean", "mean IPTD, s"), ("iptd_max", "largest IPTD, s")):
        theirs = {tuple(cell[name] for name in TABLE1_CELL): None for _, cell in cells.iterrows()}
        theirs = {cell: _paper_table1(*cell, measure) for cell in theirs}
        blocks.append(tables.beside_paper(cells, TABLE1_CELL, measure, theirs, name))
    return blocks + [f"The paper's claim: {benchmark.paper.CLAIMS['table1']} Of the same movies:", _order(frame)]


# ---- Fig. 4 ---------------------------------------------------------------------------------------------------------


def _fig4(frame, out):
    tables.write_csv(out / "simulation-fig4.csv", frame)
    runs = benchmark.summary.of_runs(frame, ("iptd_mean", "iplr"))
    cells = benchmark.summary.over_seeds(runs, ("iptd_mean", "iplr"))
    movie, d2_ms = DRAWN
    one = cells[(cells["movie"] == movie) & (cells["d2_ms"] == d2_ms) & (cells["queue"] == _bdp(d2_ms))]
    benchmark.sections.draw_movies(one, out / "simulation-fig4.svg")
    most = benchmark.summary.most(runs)
    _draw_most(most, out / "simulation-fig4-most.svg")
    most["text"] = [benchmark.summary.most_in_words(row) for _, row in most.iterrows()]
    return ["## Fig. 4: movies at once on 10 Mbit/s",
            f"{frame['duration_s'].max():g} s in which all play, {frame['seed'].nunique()} seed(s), each with a movie of "
            "its own. Means over the movies of a run; of those the median over seeds (least – most).",
            "![How many movies meet both targets](simulation-fig4-most.svg)",
            "A row without points was not played. Loss and delay on one of these networks:",
            "![Fig. 4](simulation-fig4.svg)",
            "The most movies up to which every number has mean IPTD <= 1 s and mean IPLR <= 1e-3 (\"< n\": not even the "
            "fewest; \"n+\": all that were tried):",
            _by_transport(most, ["movie", "d2_ms", "queue"], lambda row: row["text"]),
            f"The paper's claim: {benchmark.paper.CLAIMS['fig4']}",
            "IPLR:", _by_transport(cells, FIG4_CELL, lambda row: spread(row, "iplr")),
            "Mean IPTD, s:", _by_transport(cells, FIG4_CELL, lambda row: spread(row, "iptd_mean"))]


def _bdp(d2_ms):
    return benchmark.bdp_packets(benchmark.FIG4_RATE_BPS, d2_ms)


def _draw_most(most, path):
    """Draws how many movies meet the targets: a panel for each movie and delay, a row for each
    transport, and in it a point for each queue."""
    names = style.in_order(most["transport"])
    most = most.assign(bdp=[round(row["queue"] / _bdp(row["d2_ms"]), 1) for _, row in most.iterrows()])
    queues = sorted(most["bdp"].unique())
    groups = list(most.groupby(["movie", "d2_ms"], sort=False))
    figure, axes = figures.row_panels([benchmark.figures.title_of(name) for name in names], len(queues),
                                      rows=math.ceil(len(groups) / 2))
    least, largest = most["least_tried"].min(), most["most_tried"].max()
    ticks = range(least - 1, largest + 1)
    for axis, ((movie, d2_ms), group) in zip(axes, groups):
        group = group.assign(**{name: group[name].clip(lower=least - 1) for name in ("most", "most_min", "most_max")})
        for index, (queue, look) in enumerate(zip(queues, style.scale(len(queues)))):
            here = group[group["bdp"] == queue]
            figures.points(axis, here, "most", here["transport"].map(names.index), look, (index, len(queues)),
                           label=f"queue of {queue:g} bandwidth-delay product{'s' if queue > 1 else ''}")
        axis.set_title(f"{movie_title(movie)}, {d2_ms} ms")
        axis.set_xticks(ticks, ["fewer", *map(str, ticks[1:])])
        axis.set_xlim(least - 1.3, largest + 0.3)
        axis.set_xlabel("movies at once that meet both targets")
    style.legend(figure)
    figures.save(figure, path)


def _by_transport(cells, by, text):
    """A table with a column for each transport. text: a function of a row that gives the cell."""
    transports = list(dict.fromkeys(cells["transport"]))
    rows = []
    for cell, group in cells.groupby(by, sort=False):
        texts = {row["transport"]: text(row) for _, row in group.iterrows()}
        rows.append([*cell, *(texts.get(name, "–") for name in transports)])
    return tables.markdown([*by, *transports], rows)


# ---- beside the testbed ---------------------------------------------------------------------------------------------


def _testbed_runs(names):
    """The testbed's runs of these experiments, one row each: means over the movies that played
    together."""
    rows = pandas.concat(map(benchmark.testbed_rows, names)).drop_duplicates([*RUN, "number"])
    by_run = rows.groupby(RUN)
    means = by_run[["iplr", "iptd_mean", "sender_mean", "network_mean"]].mean()
    return means.join(by_run[["packets", "lost"]].sum()).join(by_run["iptd_max"].max()).reset_index()


def beside_testbed(frame, names=("table1", "levers", "fig4")):
    """Simulated runs with the testbed's measures (testbed_*) and the relative difference of mean
    IPTD."""
    theirs = _testbed_runs(names).rename(columns={name: f"testbed_{name}" for name in NAMES.values()})
    both = frame.merge(theirs, on=RUN)
    both["difference"] = both["iptd_mean"] / both["testbed_iptd_mean"] - 1
    both["agrees"] = both["difference"].abs() <= AGREEMENT
    return both


def _testbed(frame, out):
    both = beside_testbed(frame)
    tables.write_csv(out / "simulation-testbed.csv", both)
    rows = []
    for cell, group in both.groupby([name for name in RUN if name != "seed"], sort=False):
        worst = group.loc[group["difference"].abs().idxmax()]
        rows.append([*cell, len(group), group["iptd_mean"].median(), group["testbed_iptd_mean"].median(),
                     f"{100 * worst['difference']:+.2f} %", int(group["agrees"].sum()), int(group["lost"].sum()),
                     int(group["testbed_lost"].sum())])
    return ["## Beside the testbed",
            f"The same packets at the same times. The mean IPTD of {int(both['agrees'].sum())} of {len(both)} runs is "
            f"within {100 * AGREEMENT:.0f} % of the testbed's; the largest difference is that of one run.",
            tables.markdown(["movie", "transport", "d2, ms", "queue", "movies", "runs", "mean IPTD, s: simulation",
                             "testbed", "largest difference", f"within {100 * AGREEMENT:.0f} %", "lost: simulation",
                             "testbed"], rows)]


def report(results, out, quick):
    blocks = []
    for part, write in (("table1", _table1), ("fig4", _fig4), ("smoothing", smoothing), ("fig5", beside_tcp),
                        ("testbed", _testbed)):
        frame = rows_of(results, part)
        if len(frame):
            blocks += write(frame, out)
    tables.write_report(out, "Video on demand", *blocks)
