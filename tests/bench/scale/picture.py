# SPDX-License-Identifier: LGPL-2.1-or-later
"""The plot: what a packet costs and how late it leaves, against the number of streams."""

from batch import figures, style

from . import tables
from .cases import SINKS

_LOOKS = {("tfrcsink", 0): style.transport("tfrc"), ("udpsink", 0): style.transport("udp"),
          ("srtsink", 0): style.transport("srt"), ("fakesink", 0): style.Look(style.GREY, "x", ":")}
_DELAYED = style.transport("tfrc-rfc")
_PANELS = {"cpu_us": "CPU time of a packet, µs", "switches": "voluntary switches of a packet",
           "late_p99_us": "99 % leave at most so late, µs", "rss_kib": "RSS of a stream, KiB"}


def _line(axis, cases, groups, column, look):
    cells = [(case.streams, tables.values_of(groups[case], column), tables.median(groups[case], column)) for case in cases]
    cells = [cell for cell in cells if cell[1]]
    if not cells:
        return
    streams, values, middles = zip(*cells)
    errors = [[middle - min(each) for middle, each in zip(middles, values)],
              [max(each) - middle for middle, each in zip(middles, values)]]
    axis.errorbar(streams, middles, yerr=errors, label=cases[0].name, **look.line_options())


def draw(path, rows):
    """A row of panels for each rate. Draws nothing without rows of sinks; returns whether there is
    a picture."""
    groups = {case: group for case, group in tables.by_case(rows).items() if case.element in SINKS}
    rates = sorted({case.rate_bps for case in groups})
    if not rates:
        return False
    figure, axes = figures.panels(len(_PANELS), len(rates))
    for index, axis in enumerate(axes):
        rate, column = rates[index // len(_PANELS)], list(_PANELS)[index % len(_PANELS)]
        here = sorted((case for case in groups if case.rate_bps == rate), key=lambda case: case.streams)
        for name in dict.fromkeys((case.element, case.rtt_ms) for case in here):
            _line(axis, [case for case in here if (case.element, case.rtt_ms) == name], groups, column,
                  _LOOKS.get(name, _DELAYED))
        axis.set_xscale("log")
        style.ticks_at(axis.xaxis, [case.streams for case in here])
        axis.set_ylim(bottom=0)
        axis.set_xlabel("streams")
        axis.set_title(f"{_PANELS[column]}; {rate / 1e6:g} Mbit/s")
    style.legend(figure)
    style.save(figure, path)
    return True
