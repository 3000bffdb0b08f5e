# SPDX-License-Identifier: LGPL-2.1-or-later
"""A committed run of a kind of machine, and which figures of a later run are worse.

    results/scale/MACHINE/scale.csv        the rows of the run, one for each measurement
    results/scale/MACHINE/conditions.txt   how it was made

MACHINE names what decides the figures: processor, number of processors, kernel and GStreamer. So
virtual machines of one kind are one machine.
"""

import dataclasses
import os
import platform
import re
import shutil
import statistics

from batch import ROOT, report

from . import tables
from .cases import OUR_SINKS, OUR_SOURCE, Case

DIRECTORY = ROOT / "results" / "scale"
WORSE = 1.10  # how many times the recorded figure is told as a regression

# What does not depend on the machine's speed is compared as it is, and the rest as a ratio to a peer in the same round.
_OWN = {"switches": "switches a packet", "threads": "threads", "rss_kib": "RSS, KiB a stream"}
_BESIDE_PEER = {"cpu_us": "CPU", "late_p99_us": "99 % late"}


def machine(gstreamer):
    """The name of this kind of machine. gstreamer: a text with the version's number."""
    return name_of(_processor(), os.cpu_count(), platform.release(), gstreamer)


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.machine()


def name_of(processor, count, kernel, gstreamer):
    def series(text):
        return (re.findall(r"\d+\.\d+", text) or ["unknown"])[0]

    text = f"{processor} {count}cpu linux {series(kernel)} gst {series(gstreamer)}"
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def keep(out, name, directory=DIRECTORY):
    """Makes the run in a directory the record of a machine; returns the record's directory."""
    place = directory / name
    place.mkdir(parents=True, exist_ok=True)
    for file in ("scale.csv", "conditions.txt"):
        shutil.copyfile(out / file, place / file)
    return place


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure of a case. peer: that of which it is a ratio, or None."""

    case: Case
    peer: Case | None
    column: str

    @property
    def text(self):
        names = f"{self.case.name} / {self.peer.name}" if self.peer else self.case.name
        return f"{self.case.streams} x {self.case.rate_bps / 1e3:g} kbit/s, {names}: {(_OWN | _BESIDE_PEER)[self.column]}"


def figures(rows):
    """Each figure with its values, one a round, of the cases that kept up."""
    groups = {case: group for case, group in tables.by_case(rows).items()
              if tables.median(group, "of_nominal") >= tables.KEPT_UP}
    found = {}
    for case, group in groups.items():
        if case.element not in (*OUR_SINKS, OUR_SOURCE):
            continue
        for column in _OWN:
            found[Figure(case, None, column)] = tables.values_of(group, column)
        for peer in tables.peers_of(case, groups):
            for column in _BESIDE_PEER:
                found[Figure(case, peer, column)] = tables.ratios(group, groups[peer], column)
    return {figure: values for figure, values in found.items() if values}


@dataclasses.dataclass(frozen=True)
class Regression:
    figure: Figure
    before: list
    now: list

    @property
    def is_sure(self):
        """Not by chance alone: each round is worse than each recorded one."""
        return min(self.now) > max(self.before)


def regressions(recorded, rows):
    """The figures whose median is worse than the recorded one by more than a tenth, and the number of
    figures that both runs have."""
    before, now = figures(recorded), figures(rows)
    both = [figure for figure in before if figure in now]
    worse = [Regression(figure, before[figure], now[figure]) for figure in both
             if statistics.median(now[figure]) > WORSE * statistics.median(before[figure])]
    return worse, len(both)


def blocks(recorded, rows):
    """The comparison as a part of the report, and whether no figure is worse beyond doubt."""
    worse, count = regressions(recorded, rows)
    lines = [[each.figure.text, tables.spread(each.before), tables.spread(each.now),
              f"{100 * (statistics.median(each.now) / statistics.median(each.before) - 1):+.0f} %",
              "worse" if each.is_sure else "within the rounds' ranges"] for each in worse]
    texts = [f"{len(worse)} of {count} figures are worse by more than a tenth."]
    if lines:
        texts.append(report.Table(["figure", "recorded", "now", "change", "remark"], lines, align=True))
    return texts, count > 0 and not any(each.is_sure for each in worse)
