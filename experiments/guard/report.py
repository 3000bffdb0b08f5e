# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables and figures of the movies: RFC 5348 beside tfrcsink's defaults, in each row and for each
movie."""

from batch import figures, style, tables
from batch.formats import movie_title
from batch.jobs import frame
from common.sink_settings import TFRCSINK_TEXT

SENDERS = {"defaults": "tfrcsink's defaults", "rfc": "RFC 5348"}
LOOKS = {"defaults": style.transport("tfrc"), "rfc": style.transport("tfrc-rfc")}
BY = ["row", "movie", "sender"]
# Column of the tables: the program's measure, and its factor
MEASURES = {
    "wait_mean_ms": ("wait_mean_s", 1e3), "wait_max_s": ("wait_max_s", 1),
    "late_500ms_percent": ("late_500ms", 100), "late_1s_percent": ("late_1s", 100),
    "settled_wait_mean_ms": ("settled_wait_mean_s", 1e3), "settled_wait_max_s": ("settled_wait_max_s", 1),
    "settled_late_500ms_percent": ("settled_late_500ms", 100), "settled_late_1s_percent": ("settled_late_1s", 100),
    "lost_percent": ("lost", 100), "tcp_mbps": ("tcp_bps", 1e-6),
}
WAITS = {"wait_mean_ms": "mean wait, ms", "wait_max_s": "longest, s", "late_500ms_percent": "> 0.5 s, %",
         "late_1s_percent": "> 1 s, %"}
LOSSES = {"lost_percent": "lost, %", "tcp_mbps": "TCP, Mbit/s"}
# The same measures without the start of the movie
SETTLED = {f"settled_{name}": heading for name, heading in WAITS.items()}


def runs(results):
    """One row for each run, in the units of the tables."""
    found = frame(results)
    found.insert(2, "sender", ["defaults" if guard is True else "rfc" for guard in found["queue_guard"]])
    for name, (measure, scale) in MEASURES.items():
        found[name] = scale * found.pop(measure)
    # A parameter that a job does not have is zero.
    options = ["jitter_ms", "feedback_jitter_ms", "step_s", "step_rtt_ms", "loss", "tcp", "tcp_lead_s",
               "jitter_reorders", "burst_limit_ms", "initial_window"]
    for name in options:
        found[name] = found[name].fillna(0) if name in found else 0
    found.loc[found["tcp"] == 0, "tcp_mbps"] = float("nan")
    return found.drop(columns=["queue_guard", "schedule"])


def report(results, out, quick):
    every = runs(results)
    cells = tables.over_seeds(every, BY, MEASURES)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    tables.write_csv(out / "cells.csv", cells)
    _draw(out / "waits.svg", cells)
    tables.write_report(
        out, "Queue guard and burst limit", *_introduction(every, quick),
        "![Waits and losses](waits.svg)", "## Rows", _rows(every),
        *(block for movie, group in cells.groupby("movie", sort=False) for block in _movie(movie, group)))


def _introduction(every, quick):
    seeds = every["seed"].nunique()
    return (
        f"{every['duration_s'].max():g} s of a movie of 640 kbit/s through one drop-tail link, by RFC 5348 as it is "
        f"(rfc) and with {TFRCSINK_TEXT} (defaults). "
        f"{seeds} seed{'s' if seeds > 1 else ''}{', a quick run' if quick else ''}: a place where the movie begins, "
        "and random numbers, which are the same for both. Medians over seeds, and in brackets the least and the most.",
        "Waits are those in the sender, from when a packet was due until it left; the parts that waited longer than "
        "0.5 s and 1 s are of all packets. Settled: without what was due in the first 10 s. Lost is what the "
        "queue refused and what was lost at random. TCP counts all headers. Packets that had not left a minute after "
        f"the movie's end: {int(every['unsent'].sum())}.",
    )


def _rows(every):
    def text(row):
        jitter = [f"{row[name]:g} ms of {what}" for name, what in
                  (("jitter_ms", "data"), ("feedback_jitter_ms", "feedback")) if row[name]]
        reorders = ", which reorders" if row["jitter_reorders"] else ""
        lead = f", {row['tcp_lead_s']:g} s before the movie" if row["tcp_lead_s"] else ""
        then = f", from {row['step_s']:g} s on {row['step_rtt_ms']:g}" if row["step_s"] else ""
        return [row["row"], row["rate_bps"] / 1e6, row["queue"], f"{row['rtt_ms']:g}{then}",
                " and ".join(jitter) + reorders or None, f"{100 * row['loss']:g} %" if row["loss"] else None,
                f"{int(row['tcp'])}{lead}" if row["tcp"] else None]

    return tables.markdown(["row", "Mbit/s", "queue", "RTT, ms", "jitter up to", "random loss", "Reno flows"],
                           [text(row) for _, row in every.drop_duplicates("row").iterrows()])


def _movie(movie, cells):
    yield f"## {movie}"
    yield _table(cells, WAITS | LOSSES)
    yield f"### {movie}, settled"
    yield _table(cells, SETTLED)


def _table(cells, columns):
    return tables.markdown(["row", "", *columns.values()],
                           [[row["row"], row["sender"], *(tables.spread(row, name) for name in columns)]
                            for _, row in cells.iterrows()])


def _draw(path, cells):
    """Draws points with ranges; the two senders of a row are below each other."""
    rows = list(dict.fromkeys(cells["row"]))
    movies = list(dict.fromkeys(cells["movie"]))
    measures = {"settled_wait_mean_ms": "mean wait, settled, ms",
                "settled_late_500ms_percent": "waits > 0.5 s, settled, %", "lost_percent": "lost, %"}
    figure, axes = figures.row_panels(rows, len(SENDERS), columns=len(measures), rows=len(movies))
    for number, axis in enumerate(axes):
        movie, measure = movies[number // len(measures)], list(measures)[number % len(measures)]
        for index, (sender, name) in enumerate(SENDERS.items()):
            group = cells[(cells["movie"] == movie) & (cells["sender"] == sender)]
            figures.points(axis, group, measure, group["row"].map(rows.index), LOOKS[sender], (index, len(SENDERS)), label=name)
        axis.set_xscale("symlog", linthresh=0.1, linscale=0.5)
        most = cells[measure + "_max"].max()
        axis.set_xlim(-0.03, 2 * max(most, 1))
        axis.set_xticks([0, *(tick for tick in (0.1, 1, 10, 100, 10000) if tick <= 2 * max(most, 1))])
        style.plain_ticks(axis.xaxis)
        axis.set_xlabel(measures[measure])
        axis.set_title(movie_title(movie), loc="left")
    style.legend(figure)
    figures.save(figure, path)
