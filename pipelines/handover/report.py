# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report of a demo: tables, and pictures of the first seed.

Owns which measures each table shows, and the text around the tables.
"""

import statistics

import moves
import outcome
import picture
from batch.report import Heading, Picture, Table, markdown, write_html

TITLE = "A receiver moves to another link while a stream plays"
PAPER = "The paper: 114 packets lost after 70 -> 25 ms without adaptation, 19 with it (packets of 1000 bytes)."
COLUMNS = {
    "movie": (("packets lost", "missing"), ("late", "late"), ("of", "packets"), ("frames hit", "frames_hit"),
              ("longest delivery, s", "delivery_max_s"), ("adaptations completed", "handovers_completed")),
    "greedy": (("dropped in 1 s", "dropped_1s"), ("in 5 s", "dropped_5s"), ("overtaken in 5 s", "overtaken_5s"),
               ("Mbit/s over 1 s", "mbps_1s"), ("over 5 s", "mbps_5s"),
               ("adaptations completed", "handovers_completed")),
    "roaming": (("silence, s", "silence_s"), ("speaks after, s", "spoke_s"), ("then plays after, s", "playing_s"),
                ("in R of the new path", "playing_rtts"), ("movie's gap there, s", "movie_gap_s"),
                ("packets lost", "missing"), ("late", "late"), ("of", "packets")),
}
HEADINGS = {
    "movie": f"A movie of 640 kbit/s and a player that keeps {1000 * moves.PLAYOUT_S:g} ms, from the move on",
    "greedy": f"As fast as TFRC allows ({moves.PLAIN}), from the move on",
    "roaming": "From WiFi to a mobile network, with another address",
}


def median(values):
    """A text: the median, and the least and the most if these differ."""
    least, most = min(values), max(values)
    text = _number(statistics.median(values))
    return text if least == most else f"{text} ({_number(least)} .. {_number(most)})"


def _number(value):
    # Four digits, as rates are compared to a percent of the possible rate.
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _kind(row):
    return "roaming" if row["leaving"] else row["content"]


def _setting(row):
    protected = ", protected" if row["secure"] else ""
    if row["leaving"]:
        return (f"WiFi {row['leaving']}{protected}",)
    return (f"{row['before_ms']} -> {row['after_ms']} ms", picture.NAMES[row["adaptation"]] + protected)


def blocks(rows):
    """All tables as blocks of a report. Rows with the same settings differ in the seed."""
    parts = []
    for kind, columns in COLUMNS.items():
        groups = {}
        for row in rows:
            if _kind(row) == kind:
                groups.setdefault(_setting(row), []).append(row)
        if not groups:
            continue
        if any(row["secure"] for row in rows):
            columns = (*columns, ("packets refused", "refused"))
        first = ["access"] if kind == "roaming" else ["one-way delay", "what is done"]
        lines = [[*setting, *(median([row[name] for row in group]) for _, name in columns)]
                 for setting, group in groups.items()]
        parts += [Heading(HEADINGS[kind]), Table(first + [heading for heading, _ in columns], lines, align=True)]
        if kind == "greedy":
            parts.append(PAPER)
    return parts


def write(output, rows, pictures):
    """Writes report.md, and report.html with the pictures in it. Returns the text of report.md."""
    tables = blocks(rows)
    text = markdown(tables) + "\n"
    (output / "report.md").write_text(text, encoding="utf-8")
    write_html(output / "report.html", TITLE, [*tables, *(Picture(path, HEADINGS[path.stem]) for path in pictures)])
    return text


def _columns(runs):
    """picture's name -> heading -> adaptation -> the element of runs; for the first seed."""
    first = min((run.seed for run, _ in runs), default=None)
    result = {}
    for run, directory in runs:
        if run.seed == first:
            kind = "roaming" if run.leaving else run.content
            heading = f"WiFi {run.leaving}" if run.leaving else f"one-way delay {run.before_ms} -> {run.after_ms} ms"
            result.setdefault(kind, {}).setdefault(heading, {})[run.adaptation] = (run, directory)
    return result


def draw(output, runs):
    """Draws a picture of each kind and returns their paths. runs: pairs of a run and the directory
    of its logs."""
    paths = []
    for kind, columns in _columns(runs).items():
        paths.append(output / f"{kind}.png")
        drawn = {heading: {adaptation: outcome.series(*one) for adaptation, one in runs_of.items()}
                 for heading, runs_of in columns.items()}
        picture.draw(paths[-1], HEADINGS[kind], drawn)
    return paths
