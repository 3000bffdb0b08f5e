# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tables of docs/results.md with the benchmark's results.

Each table stands between two comments, <!-- NAME --> and <!-- /NAME -->. The text between the
comments is replaced.
"""

import pathlib

import ccid3
import conditions
import paper
from batch.formats import number, percent_spread, spread
from batch.tables import markdown
from report import figures, player, summary


class PageError(Exception):
    """The tables cannot be put into a file; the text is the reason, for the user."""


MOVIE, QUEUE = "v-for-vendetta", 20


def _table1(frame):
    """One movie alone: loss and delay, with the paper's values in a row below."""
    chosen = frame[(frame["movie"] == MOVIE) & (frame["queue"] == QUEUE)].copy()
    chosen["iptd_mean"] *= 1000
    cells = summary.over_seeds(chosen, ("iplr", "iptd_mean"))
    delays = sorted(cells["d2_ms"].unique())
    headings = ["transport", "seeds"]
    for d2_ms in delays:
        headings += [f"{d2_ms} ms: IPLR", "mean IPTD, ms"]
    rows = []
    for transport, group in cells.groupby("transport", sort=False):
        by_delay = {row["d2_ms"]: row for _, row in group.iterrows()}
        rows.append([figures.title_of(transport), summary.seeds_text(group)] + [
            spread(by_delay[d2_ms], measure) if d2_ms in by_delay else "–"
            for d2_ms in delays for measure in ("iplr", "iptd_mean")])
    theirs = [paper.TABLE1[MOVIE, "tfrc", d2_ms, QUEUE] for d2_ms in delays]
    rows.append(["TFRC in the paper", ""] + [number(value) for cell in theirs
                                             for value in (cell["iplr"], 1000 * cell["iptd_mean"])])
    return markdown(headings, rows)


PLAYER_TRANSPORTS = ("tfrc", "tfrc-live", "tfrc-stored", "udp", "srt-180ms", "srt-900ms", "rist", "tcp")
PLAYER_MEASURES = ("missed_0.5", "missed_1")


def _player(frame):
    """Conditions in rows, transports in columns: two buffers in each cell."""
    cells = player.cells_of(frame[frame["transport"].isin(PLAYER_TRANSPORTS)])
    shown = [transport for transport in PLAYER_TRANSPORTS if transport in set(cells["transport"])]
    rows = []
    for name, group in cells.groupby("condition", sort=False):
        by_transport = {row["transport"]: row for _, row in group.iterrows()}
        rows.append([conditions.POINTS[name].title, summary.seeds_text(group)] + [
            "; ".join(percent_spread(by_transport[transport], measure) for measure in PLAYER_MEASURES)
            if transport in by_transport else "–" for transport in shown])
    return markdown(["condition", "seeds", *map(figures.title_of, shown)], rows)


JUDGED_BPS = 5_000_000


def _ccid3(frame):
    """The kernel's sender and ours alone, and the share of each beside TCP Reno."""
    rows = frame[frame["rate_bps"] == JUDGED_BPS].astype(object)
    alone, beside = ccid3.compare(rows.where(rows.notna(), None).to_dict("records"))
    for flow in ccid3.TITLES:
        for suffix in ("", "_min", "_max"):
            alone[f"rtt_ms_{flow}{suffix}"] = 1000 * alone[f"rtt_s_{flow}{suffix}"]
    return markdown(["sender", "seeds", "alone: use of the link", "loss", "R, ms", "share beside TCP Reno"],
                     [[title, alone[f"seeds_{flow}"], *(spread(alone, f"{name}_{flow}") for name in
                                                        ("utilisation", "loss_ratio", "rtt_ms")),
                       spread(beside, f"share_{flow}")] for flow, title in ccid3.TITLES.items()])


# Name of a table -> its CSV file, and the function that makes the table.
TABLES = {"table1": ("table1.csv", _table1), "player": ("conditions.csv", _player),
          "ccid3": ("ccid3.csv", _ccid3)}


def tables(source):
    """Name -> Markdown, for each table whose CSV file is in the directory."""
    paths = {name: pathlib.Path(source) / file for name, (file, _) in TABLES.items()}
    return {name: TABLES[name][1](summary.load(path)) + "\n" for name, path in paths.items() if path.is_file()}


def replaced(text, new_tables):
    """The text of the page with these tables."""
    for name, new in new_tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1 or text.index(end) < text.index(begin):
            raise PageError(f"there is not one place between {begin.strip()} and {end.strip()}")
        text = text[:text.index(begin) + len(begin)] + new + text[text.index(end):]
    return text
