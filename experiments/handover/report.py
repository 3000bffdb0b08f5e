# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables and figures of the handovers, beside the paper's numbers."""

from batch import figures, style, tables
from batch.jobs import frame

from . import paper

NAMES = {"none": "plain TFRC", "paper": "paper", "direct": "direct", "slow-start": "slow start on the new link",
         "bound": "sender held at the link's rate"}
# Modes as the pictures name them
DRAWN = {"none": "plain TFRC", "paper": "adaptation as in the paper", "direct": "direct adaptation",
         "bound": "sender held at the link's rate"}
PAPERS_FIGURES = {"none": "fig1", "paper": "fig5", "direct": "fig5-direct"}
MEASURES = ("dropped_1s", "dropped_5s", "dropped_rest", "mbps_1s", "mbps_5s", "mbps_rest", "of_bound_1s", "of_bound_5s",
            "overtaken_5s", "held_s", "late_rest", "tcp_before_mbps", "tcp_rest_mbps", "handovers_completed",
            "handovers_abandoned", "notifications_lost")
SETTING = ("part", "delay1_ms", "delay2_ms", "handover_s", "rate2_bps", "bandwidth_known", "lose_s", "handovers")
HEADINGS = ["one-way delays, ms", "adaptation", "dropped in 1 s", "in 5 s", "Mbit/s over 1 s", "over 5 s",
            "of the bound, 1 s", "5 s"]
TABLED = ("dropped_1s", "dropped_5s", "mbps_1s", "mbps_5s", "of_bound_1s", "of_bound_5s")


def report(results, out, quick):
    every = runs([result for result in results if result.parameters["part"] != "figure"])
    cells = tables.over_seeds(every, (*SETTING, "adaptation"), MEASURES)
    tables.write_csv(out / "runs.csv", every.drop(columns=["cpu_s", "schedule"], errors="ignore"))
    tables.write_csv(out / "cells.csv", cells)
    _draw_over_time([result for result in results if result.parameters["part"] == "figure"], out)
    _draw_sweep(out / "fig6.svg", cells[cells["part"] == "sweep"])
    tables.write_report(out, "Fast link adaptation after a handover", *_introduction(every, quick), *_main(cells),
                        *_pictures(), *_left_out(cells))


def runs(results):
    """One row for each run. of_bound: the run's rate divided by the rate of the run with the same
    seed whose sender is held at the link's rate."""
    found = frame(results)
    for name, initial in (("rate2_bps", 5e6), ("bandwidth_known", False), ("lose_s", 0), ("handovers", 1)):
        found[name] = found[name].fillna(initial) if name in found else initial
    for length in ("1s", "5s", "rest"):
        found[f"mbps_{length}"] = found[f"received_{length}_bps"] / 1e6
    for name in ("tcp_before", "tcp_rest"):
        found[f"{name}_mbps"] = found[f"{name}_bps"] / 1e6 if f"{name}_bps" in found else float("nan")
    same = [*(name for name in SETTING if name != "bandwidth_known"), "seed"]
    bounds = found[found["adaptation"] == "bound"][[*same, "mbps_1s", "mbps_5s"]]
    found = found.merge(bounds, how="left", on=same, suffixes=("", "_bound"))
    for length in ("1s", "5s"):
        found[f"of_bound_{length}"] = found[f"mbps_{length}"] / found.pop(f"mbps_{length}_bound")
    return found


# ---- tables ----------------------------------------------------------------------------------------------------------


def _introduction(every, quick):
    seeds = every["seed"].nunique()
    return (
        "CN - R - {BS1, BS2} - MN, 5 Mbit/s and a drop-tail queue of one bandwidth-delay product on the last links; "
        f"{seeds} start{'s' if seeds > 1 else ''} of the stream{', a quick run' if quick else ''}. Medians, and in "
        "brackets the least and the most. Windows begin with the handover. Rates are those of what arrives, on either "
        "link, with all headers (1032 bytes a packet); more than 5 Mbit/s is what the old link's queue held. Packets "
        "that are only overtaken are not dropped.",
    )


def _links(row):
    return f"{row['delay1_ms']} → {row['delay2_ms']}"


def _table(cells, measures=TABLED, headings=HEADINGS, extra=()):
    """A table of cells. extra: pairs of a heading and a function of a row, for further columns at
    the left."""
    rows = [[*(text(row) for _, text in extra), _links(row), NAMES[row["adaptation"]],
             *(tables.spread(row, measure) for measure in measures)] for _, row in cells.iterrows()]
    return tables.markdown([*(heading for heading, _ in extra), *headings], rows)


def _main(cells):
    main = cells[cells["part"] == "main"]
    at_30 = main[main["handover_s"] == 30]
    beside = [[NAMES[name], _value(at_30, name, (70, 25), "dropped_5s"), paper.LOST.get(name),
               _range(paper.NS2_LOST_5S.get(name)), _range(paper.EMULATED_LOST_5S.get(name)),
               _value(at_30, name, (25, 70), "mbps_5s"), _range(paper.NS2_MBPS_5S.get(name))]
              for name in ("none", "paper", "direct")]
    yield "## Beside the paper"
    yield tables.markdown(["adaptation", "70 → 25 ms: dropped in 5 s", "paper", "ns-2", "emulated",
                           "25 → 70 ms: Mbit/s over 5 s", "ns-2"], beside)
    for handover_s, group in main.groupby("handover_s"):
        yield f"## Handover at {handover_s} s"
        yield _table(group)


def _value(cells, adaptation, case, measure):
    row = cells[(cells["adaptation"] == adaptation) & (cells["delay1_ms"] == case[0]) & (cells["delay2_ms"] == case[1])]
    return tables.spread(row.iloc[0], measure) if len(row) else None


def _range(pair):
    return None if pair is None else " – ".join(map(str, dict.fromkeys(pair)))


def _pictures():
    yield ("## Over time\n\nRed marks: packets dropped within 0.1 s. X_recv is what the sender was told, so it shows the values "
           "that hold the rate.")
    for name, figure in PAPERS_FIGURES.items():
        yield f"![{NAMES[name]}]({figure}.svg)"
    yield "## Every delay of the old link (Fig. 6)"
    yield "![Fig. 6](fig6.svg)"


def _left_out(cells):
    settings = [part for part in ("shared queue of 33", "queues of 10", "tfrcsink's defaults", "no marks")
                if part in set(cells["part"])]
    if not settings:
        return
    yield "## Other settings, handover at 30 s"
    yield _table(cells[cells["part"].isin(settings)], extra=[("setting", lambda row: row["part"])])
    yield "## The new link's rate is another"
    yield _table(cells[cells["part"] == "bandwidth"], extra=[
        ("Mbit/s", lambda row: row["rate2_bps"] / 1e6),
        ("known", lambda row: "yes" if row["bandwidth_known"] else "no")])
    yield "## A TCP flow on the new link"
    yield _table(cells[cells["part"] == "tcp"], ("dropped_1s", "dropped_5s", "mbps_5s", "mbps_rest", "tcp_before_mbps",
                                                 "tcp_rest_mbps"),
                 [*HEADINGS[:4], "Mbit/s over 5 s", "over 30 s", "TCP before, Mbit/s", "TCP over 30 s"])
    yield "## No notification reaches the sender"
    yield _table(cells[cells["part"] == "lost notifications"],
                 ("dropped_1s", "dropped_5s", "mbps_1s", "mbps_5s", "held_s", "handovers_completed"),
                 [*HEADINGS[:6], "told until, s", "completed"],
                 [("lost for, s", lambda row: row["lose_s"] if row["lose_s"] < 60 else "ever")])
    yield "## To and fro: ten handovers in 60 s"
    yield _table(cells[cells["part"] == "to and fro"], ("dropped_rest", "mbps_rest", "handovers_completed"),
                 [*HEADINGS[:2], "dropped", "Mbit/s", "completed"])
    yield "## Movies of 640 kbit/s, tfrcsink's defaults"
    movies = cells[cells["part"].str.startswith("movie ")]
    yield ("A place in the movie for each seed; the 30 s after the handover count. Late: packets that came after they were "
           "due at the player, which keeps 500 ms.")
    yield _table(movies, ("dropped_rest", "late_rest"), [*HEADINGS[:2], "dropped", "late"],
                 [("movie", lambda row: row["part"].removeprefix("movie ")),
                  ("handovers", lambda row: row["handovers"])])


# ---- figures ---------------------------------------------------------------------------------------------------------


def _draw_over_time(results, out):
    for adaptation, name in PAPERS_FIGURES.items():
        shown = [result for result in results if result.parameters["adaptation"] == adaptation]
        figure, axes = figures.panels(2, len(shown))
        for row, result in enumerate(shown):
            _draw_run(axes[2 * row], axes[2 * row + 1], result)
        style.legend(figure)
        figure.suptitle(DRAWN[adaptation])
        figures.save(figure, out / f"{name}.svg")


def _draw_run(rates, state, result):
    series = result.table("series")
    series = series[series["time_s"] > 20]
    links = f"{result.parameters['delay1_ms']} → {result.parameters['delay2_ms']} ms"
    for column, label, colour, width in (("x_recv_bps", "$X_{recv}$, what arrives", style.GREY, 2.4),
                                         ("x_inst_bps", "$X_{inst}$, after oscillation reduction", style.ORANGE, 0.8),
                                         ("x_bps", "$X$, the allowed rate", style.BLUE, 1.2)):
        rates.plot(series["time_s"], series[column] / 1e6, label=label, color=colour, linewidth=width)
    lost = series[series["dropped"] > 0]
    rates.plot(lost["time_s"], 0 * lost["time_s"] + 0.2, label="packets lost", **style.LOST)
    handover_s = result.parameters["handover_s"]
    lost_after = series[series["time_s"] > handover_s]["dropped"].sum()
    rates.set_title(f"{links}: {int(lost_after)} packets lost in {series['time_s'].max() - handover_s:.0f} s")
    rates.set_ylabel("Mbit/s")
    rates.set_ylim(0, 10)
    state.plot(series["time_s"], 1e3 * series["rtt_s"], color=style.BLUE, label="$R$, round-trip time")
    state.set_title(f"{links}: R and p")
    state.set_ylabel("R, ms", color=style.BLUE)
    state.set_ylim(0, 300)
    other = state.twinx()
    other.plot(series["time_s"], 1e3 * series["p"], color=style.RED, linestyle="--", label="$p$, loss event rate")
    other.set_ylabel("p, per mille", color=style.RED)
    other.set_ylim(0, 1.5)
    other.grid(False)
    other.spines["right"].set_visible(True)
    for axis in (rates, state):
        axis.axvline(handover_s, color=style.GREY, linewidth=0.8, linestyle=":")
        axis.set_xlabel("time, s")


def _draw_sweep(path, cells):
    figure, (lost, rate) = figures.panels(2)
    for adaptation, look in style.ADAPTATIONS.items():
        group = cells[cells["adaptation"] == adaptation]
        if len(group):
            figures.line(lost, group, "delay1_ms", "dropped_1s", look, label=DRAWN[adaptation])
            figures.line(rate, group, "delay1_ms", "mbps_1s", look, label=DRAWN[adaptation])
    lost.set_ylabel("packets dropped in the first second")
    rate.set_ylabel("Mbit/s in the first second")
    rate.set_ylim(0, 6)
    for axis in (lost, rate):
        axis.set_xlabel("delay of the old link, ms (new link: 25)")
    style.legend(figure)
    figures.save(figure, path)
