# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fraction of packets, and of frames, that a player misses, under each condition and over each
transport.

Owns the table and the figure of the experiment 'conditions'. Fractions are written in percent.
"""

import conditions
import pictures
from batch import figures as panels
from batch import style
from batch.formats import percent_spread
from batch.report import Heading, Table
from report import figures, summary

BUFFERS_S = (0.2, 0.5, 1, 2)
MISSED = tuple(f"missed_{buffer_s:g}" for buffer_s in BUFFERS_S)
DRAWN = ("missed_0.5", "missed_1")
HEADINGS = {name: f"missed at {name.removeprefix('missed_')} s" for name in MISSED}
# Of runs with a log of frames: all frames for three buffers, and those of each type for one
FRAMES = {**{pictures.names(buffer_s)[0]: f"frames at {buffer_s:g} s" for buffer_s in (0.5, 1, 2)},
          **{name: f"{kind} frames at 1 s" for name, kind in zip(pictures.names(1)[1:], pictures.TYPES)}}
_BESIDE = "tcp_throughput_bps"


def cells_of(frame):
    """Medians and ranges over seeds, in the order of the conditions."""
    cells = summary.over_seeds(frame, (*MISSED, *FRAMES, "offered_bps", _BESIDE))
    return cells.sort_values("condition", key=lambda column: column.map(list(conditions.POINTS).index), kind="stable")


def tables(cells):
    """A heading and a table for each condition: transports in rows, buffers in columns."""
    blocks = []
    for name, group in cells.groupby("condition", sort=False):
        condition = conditions.POINTS[name]
        beside = [_BESIDE] if condition.tcp else []
        frames = [measure for measure in FRAMES if measure in group and group[measure].notna().any()]
        blocks += [Heading(f"{name}: {condition.title}", 4), Table(
            ["transport", "seeds", *(f"{HEADINGS[measure]} [%]" for measure in MISSED),
             *(f"{FRAMES[measure]} [%]" for measure in frames), *("the TCP flow [Mbit/s]" for _ in beside)],
            [[figures.title_of(row["transport"]), row["seeds"], *(percent_spread(row, measure) for measure in (*MISSED, *frames)),
              *(_mbps(row, measure) for measure in beside)] for _, row in group.iterrows()])]
    return blocks


def _mbps(row, measure):
    return f"{row[measure] / 1e6:.2f} ({row[measure + '_min'] / 1e6:.2f} – {row[measure + '_max'] / 1e6:.2f})"


def figure(cells):
    """Draws medians with their ranges, the conditions one below the other."""
    names = list(dict.fromkeys(cells["condition"]))
    shown = style.in_order(cells["transport"])
    result, axes = panels.row_panels(names, len(shown), columns=len(DRAWN))
    least = 100 * panels.LEAST_LOSS
    rows = cells["condition"].map(names.index)
    for axis, measure in zip(axes, DRAWN):
        panels.transport_points(axis, cells, measure, rows, figures.title_of, shown, scale=100)
        axis.set_xscale("symlog", linthresh=least, linscale=0.5)
        axis.set_xlim(left=-0.3 * least, right=130)
        axis.set_xticks([0, 0.01, 0.1, 1, 10, 100], ["0", "0.01", "0.1", "1", "10", "100"])
        axis.set_xlabel(f"{HEADINGS[measure]}, %")
    style.legend(result)
    return result
