# SPDX-License-Identifier: LGPL-2.1-or-later
"""Medians over rounds, ratios of the same round, and the report."""

import csv
import statistics

from batch import report

from .cases import BASELINE, OUR_SINKS, OUR_SOURCE, SINKS, SOURCES, Case

# Column: heading
_SINK_COLUMNS = {
    "cpu_us": "CPU, µs a packet", "above_us": "above fakesink", "cpu_streaming_us": "streaming threads",
    "cpu_loop_us": "loop threads", "switches": "switches a packet", "threads": "threads", "rss_kib": "RSS, KiB a stream",
    "late_p50_us": "late: median, µs", "late_p99_us": "99 %, µs", "late_max_us": "most, µs", "bursts": "bursts", "missing": "missing",
    "set_up_s": "set-up, s", "tear_down_s": "tear-down, s", "of_nominal": "of nominal",
}
_SOURCE_COLUMNS = {name: _SINK_COLUMNS[name] for name in (
    "cpu_us", "cpu_streaming_us", "cpu_loop_us", "switches", "threads", "rss_kib", "set_up_s", "tear_down_s", "of_nominal")}
_SINK_RATIOS = {"cpu_us": "CPU", "above_us": "CPU above fakesink", "switches": "switches", "threads": "threads",
                "rss_kib": "RSS", "late_p99_us": "99 % late"}
_SOURCE_RATIOS = {name: _SINK_RATIOS[name] for name in ("cpu_us", "switches", "threads", "rss_kib")}
# Below this share of the nominal packets a process is overloaded, and its ratios mean little.
KEPT_UP = 0.97


def read(path):
    """The rows of a CSV file, with numbers for texts."""
    with open(path, newline="") as file:
        return [{name: value if name == "element" else float(value) if value else None for name, value in row.items()}
                for row in csv.DictReader(file)]


def case_of(row):
    return Case(row["element"], int(row["streams"]), int(row["rate_bps"]), int(row["rtt_ms"]))


def with_baseline(rows):
    """The rows with 'above_us': the CPU time of a packet less that of fakesink in the same round."""
    base = {(row["streams"], row["rate_bps"], row["round"]): row["cpu_us"] for row in rows if row["element"] == BASELINE}
    result = []
    for row in rows:
        least = base.get((row["streams"], row["rate_bps"], row["round"]))
        # Of a sink that listens there is one pipeline, of fakesink one for each stream.
        is_sink = row["element"] in SINKS and row["element"] != BASELINE and not SINKS[row["element"]].listens
        result.append({**row, "above_us": row["cpu_us"] - least if is_sink and least is not None else None})
    return result


def by_case(rows):
    groups = {}
    for row in rows:
        groups.setdefault(case_of(row), []).append(row)
    return groups


def values_of(rows, column):
    return [row[column] for row in rows if row.get(column) is not None]


def median(rows, column):
    values = values_of(rows, column)
    return statistics.median(values) if values else None


def ratios(ours, theirs, column):
    """Our value divided by theirs for each round in which both are positive."""
    other = {row["round"]: row.get(column) for row in theirs}
    pairs = [(row.get(column), other.get(row["round"])) for row in ours]
    return [mine / value for mine, value in pairs if mine is not None and value is not None and mine > 0 and value > 0]


def _rate(bps):
    return f"{bps / 1e6:g} Mbit/s" if bps >= 1e6 else f"{bps / 1e3:g} kbit/s"


def spread(values):
    """The median, and in brackets the least and the most; None without values."""
    if not values:
        return None
    middle = f"{statistics.median(values):.2f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.2f} – {max(values):.2f})"


def value_table(rows, elements, columns):
    """Medians: a row for each case."""
    groups = [(case, group) for case, group in by_case(rows).items() if case.element in elements]
    return report.Table(
        ["streams", "rate", "element", *columns.values()],
        [[case.streams, _rate(case.rate_bps), case.name, *(median(group, column) for column in columns)]
         for case, group in groups], align=True)


def peers_of(case, cases):
    """The cases with which one of ours is compared: the same streams of others' elements. A sink that listens is
    compared with others that listen, and is itself a peer of single sinks."""
    listens = not case.is_source and SINKS[case.element].listens
    return [other for other in cases
            if other.is_source == case.is_source and (other.streams, other.rate_bps) == (case.streams, case.rate_bps)
            and other.element not in (case.element, BASELINE) and (not listens or SINKS[other.element].listens)]


def ratio_table(rows, ours, columns):
    """Our elements divided by each other one: a row for each pair of cases."""
    groups = by_case(rows)
    lines = []
    for case, group in groups.items():
        for other in peers_of(case, groups) if case.element in ours else ():
            theirs = groups[other]
            least = min(median(group, "of_nominal"), median(theirs, "of_nominal"))
            lines.append([case.streams, _rate(case.rate_bps), f"{case.name} / {other.name}",
                          *(spread(ratios(group, theirs, column)) for column in columns),
                          "" if least >= KEPT_UP else f"overloaded: {least:.2f} of the packets"])
    return report.Table(["streams", "rate", "pair", *columns.values(), "remark"], lines, align=True)


def blocks(rows, conditions, picture=None, profiles=()):
    """The report. profiles: pairs of a case and the rows of its profile."""
    rows = with_baseline(rows)
    yield report.Items(tuple(conditions))
    for title, elements, ours, columns, compared in (
            ("Sinks", SINKS, OUR_SINKS, _SINK_COLUMNS, _SINK_RATIOS),
            ("Sources", SOURCES, (OUR_SOURCE,), _SOURCE_COLUMNS, _SOURCE_RATIOS)):
        if not any(row["element"] in elements for row in rows):
            continue
        yield report.Heading(f"{title}: ratios")
        yield "Medians of the ratios of each round, and in brackets the least and the most."
        yield ratio_table(rows, ours, compared)
        yield report.Heading(f"{title}: values")
        yield "Medians over the rounds."
        yield value_table(rows, elements, columns)
    if picture:
        yield report.Picture(picture, "cost of a packet and lateness against the number of streams")
    for case, symbols in profiles:
        yield report.Heading(f"{case.name}, {case.streams} streams of {_rate(case.rate_bps)}: most expensive functions")
        yield report.Table(["CPU, %", "function", "in"], symbols, align=True)
