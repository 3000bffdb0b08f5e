"""What is drawn and tabled of the simulated movies: Table 1 and Fig. 4 beside the paper's words and numbers, and every
run of the testbed beside the testbed's. Files are called simulation-*, as results/vod has the testbed's by those
names, too.
"""

import pandas

from common import figures, tables

from . import benchmark

TABLE1_CELL = ["movie", "d2_ms", "queue", "transport"]
RUN = list(benchmark.RUN)
MEASURES = ["packets", "lost", "iplr", "iptd_mean_s", "iptd_max_s", "sender_mean_s", "sender_max_s", "network_mean_s"]
# As the testbed's tables name them
NAMES = {name: name.removesuffix("_s") for name in MEASURES}
MOST_LOSS = 0.1  # that figures have room for
AGREEMENT = 0.2  # of mean IPTD


def rows_of(results, part):
    """A row for each job of a part, with the columns of the testbed's tables."""
    rows = [{"movie": p["movie"], "transport": p["transport"], "d2_ms": p["d2_ms"], "queue": p["queue"],
             "rate_bps": p["rate_bps"], "movies": int(result.measures["movies"]), "duration_s": p["duration_s"],
             "seed": p["seed"], **{NAMES[name]: result.measures[name] for name in MEASURES}}
            for result in results if (p := result.parameters)["part"] == part]
    return pandas.DataFrame(rows)


# ---- Table 1 --------------------------------------------------------------------------------------------------------


def _paper_table1(cell, measure):
    """The paper's TFRC is ns-2's, without our queue guard and burst limit: it stands beside both of ours."""
    movie, d2_ms, queue, transport = cell
    transport = transport.removesuffix("-rfc")
    return benchmark.paper.TABLE1.get((movie, transport, d2_ms, queue), {}).get(measure)


def _order(frame):
    """In how many of the same movies TFRC loses less than UDP, and delays more."""
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
    groups = list(cells.groupby(["movie", "d2_ms"], sort=False))
    figure, axes = figures.panels(2, len(groups))
    for row, ((movie, d2_ms), group) in enumerate(groups):
        for axis, measure, name in zip(axes[2 * row:], ("iplr", "iptd_mean"), ("IPLR", "mean IPTD, s")):
            group = group.reset_index(drop=True)
            labels = [f"{transport}\nqueue {queue}" for transport, queue in zip(group["transport"], group["queue"])]
            benchmark.figures.bars(axis, group, measure, logarithmic=measure == "iplr")
            axis.set_xticks(range(len(group)), labels, rotation=45, ha="right", fontsize="x-small")
            theirs = [_paper_table1(tuple(cell[name] for name in TABLE1_CELL), measure) for _, cell in group.iterrows()]
            figures.paper(axis, range(len(group)), [float("nan") if value is None else value for value in theirs],
                          linestyle="none")
            if measure == "iplr":
                axis.set_ylim(0, MOST_LOSS)
            axis.set_ylabel(name)
            axis.set_title(f"{movie}, d2 = {d2_ms} ms")
    axes[0].legend()
    figures.save(figure, out / "simulation-table1.png")
    blocks = ["## Table 1: one movie alone on 2 Mbit/s",
              f"{frame['duration_s'].max():g} s of movie; each seed is another movie of the kind, the same for every "
              "transport and network. Median over seeds (least – most).", "![Table 1](simulation-table1.png)"]
    for measure, name in (("iplr", "IPLR"), ("iptd_mean", "mean IPTD, s"), ("iptd_max", "largest IPTD, s")):
        theirs = {tuple(cell[name] for name in TABLE1_CELL): None for _, cell in cells.iterrows()}
        theirs = {cell: _paper_table1(cell, measure) for cell in theirs}
        blocks.append(tables.beside_paper(cells, TABLE1_CELL, measure, theirs, name))
    return blocks + [f"The paper's claim: {benchmark.paper.CLAIMS['table1']} Of the same movies:", _order(frame)]


# ---- Fig. 4 ---------------------------------------------------------------------------------------------------------


def _fig4(frame, out):
    tables.write_csv(out / "simulation-fig4.csv", frame)
    cells = benchmark.summary.over_movies(frame.assign(tcp=0, sack=1), ("iptd_mean", "iplr"))
    groups = list(cells.groupby(["movie", "queue"], sort=False))
    figure, axes = figures.panels(2, len(groups))
    for row, ((movie, queue), group) in enumerate(groups):
        delay, loss = axes[2 * row:2 * row + 2]
        benchmark.figures.lines(delay, group, "movies", "iptd_mean", half="iptd_mean_ci")
        benchmark.figures.lines(loss, group, "movies", "iplr", half="iplr_ci")
        benchmark.figures.loss_axis(loss, benchmark.paper.IPLR_TARGET)
        loss.set_ylim(0, MOST_LOSS)
        delay.set_ylabel("mean IPTD, s")
        delay.set_title(f"{movie}, queue {queue}")
        delay.set_xlabel("movies")
        loss.set_xlabel("movies")
    axes[0].legend()
    figures.save(figure, out / "simulation-fig4.png")
    most = benchmark.summary.most_movies(cells)
    tried = [f"{row.most}" if row.most else f"< {row.least_tried}" for row in most.itertuples()]
    wide = most.assign(text=tried).pivot_table(index=["movie", "queue"], columns="transport", values="text",
                                               aggfunc="first", sort=False)
    return ["## Fig. 4: movies at once on 10 Mbit/s",
            f"{frame['duration_s'].max():g} s in which all play, {frame['seed'].nunique()} seed(s), d2 20 ms: a mean "
            "over movies for each seed, and over seeds with its 95 % confidence interval.",
            "![Fig. 4](simulation-fig4.png)",
            "The most movies up to which every number has mean IPTD <= 1 s and mean IPLR <= 1e-3:",
            tables.markdown([*wide.index.names, *wide.columns],
                            [[*index, *row] for index, row in zip(wide.index, wide.values)]),
            f"The paper's claim: {benchmark.paper.CLAIMS['fig4']}",
            tables.markdown(["movie", "queue", "movies", "transport", "mean IPTD, s", "±", "IPLR", "±"],
                            [[row["movie"], row["queue"], row["movies"], row["transport"], row["iptd_mean"],
                              row["iptd_mean_ci"], row["iplr"], row["iplr_ci"]] for _, row in cells.iterrows()])]


# ---- beside the testbed ---------------------------------------------------------------------------------------------


def _testbed_runs(names):
    """The testbed's runs of these experiments, one row each: means over the movies that played together."""
    rows = pandas.concat(map(benchmark.testbed_rows, names)).drop_duplicates([*RUN, "number"])
    by_run = rows.groupby(RUN)
    means = by_run[["iplr", "iptd_mean", "sender_mean", "network_mean"]].mean()
    return means.join(by_run[["packets", "lost"]].sum()).join(by_run["iptd_max"].max()).reset_index()


def beside_testbed(frame, names=("table1", "levers", "fig4")):
    """Simulated runs with the testbed's measures (testbed_*) and the relative difference of mean IPTD."""
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
    for part, write in (("table1", _table1), ("fig4", _fig4), ("testbed", _testbed)):
        frame = rows_of(results, part)
        if len(frame):
            blocks += write(frame, out)
    tables.write_report(out, "Video on demand", *blocks)
