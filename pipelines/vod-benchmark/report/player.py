"""What a player sees: the part of packets missing when they are played, under each condition and over each transport.

Owns the table and the figure of the experiment 'conditions'. Parts of packets are written in percent.
"""

import html

import conditions
from batch.style import pyplot
from batch.formats import percent_spread
from report import figures, summary
from report.tables import table

BUFFERS_S = (0.2, 0.5, 1, 2)
MISSED = tuple(f"missed_{buffer_s:g}" for buffer_s in BUFFERS_S)
DRAWN = ("missed_0.5", "missed_1")
HEADINGS = {name: f"missed at {name.removeprefix('missed_')} s" for name in MISSED}
_BESIDE = "tcp_throughput_bps"
_ROW_INCHES = 0.09  # of the figure, for each transport under each condition


def cells_of(frame):
    """Medians and ranges over seeds, in the order of the conditions."""
    cells = summary.over_seeds(frame, (*MISSED, "offered_bps", _BESIDE))
    return cells.sort_values("condition", key=lambda column: column.map(list(conditions.POINTS).index), kind="stable")


def tables(cells):
    """One table for each condition: transports in rows, buffers in columns."""
    text = ""
    for name, group in cells.groupby("condition", sort=False):
        condition = conditions.POINTS[name]
        beside = [_BESIDE] if condition.tcp else []
        text += f"<h4>{html.escape(name)}: {html.escape(condition.title)}</h4>" + table(
            ["transport", "seeds", *(f"{HEADINGS[measure]} [%]" for measure in MISSED),
             *("the TCP flow [Mbit/s]" for _ in beside)],
            [[figures.title_of(row["transport"]), row["seeds"], *(percent_spread(row, measure) for measure in MISSED),
              *(_mbps(row, measure) for measure in beside)] for _, row in group.iterrows()])
    return text


def _mbps(row, measure):
    return f"{row[measure] / 1e6:.2f} ({row[measure + '_min'] / 1e6:.2f} – {row[measure + '_max'] / 1e6:.2f})"


def figure(cells):
    """Medians with their ranges, the conditions one below the other. The colours are its own: all must differ here."""
    names = list(dict.fromkeys(cells["condition"]))
    shown = list(dict.fromkeys(cells["transport"]))
    height = 1.5 + _ROW_INCHES * len(names) * (len(shown) + 2)
    result, axes = pyplot.subplots(1, len(DRAWN), figsize=(11, height), sharey=True)
    for axis, measure in zip(axes, DRAWN):
        for index, transport in enumerate(shown):
            group = cells[cells["transport"] == transport]
            places = [names.index(name) + 0.8 * (index + 0.5) / len(shown) - 0.4 for name in group["condition"]]
            errors = [(group[measure] - group[measure + "_min"]) * 100, (group[measure + "_max"] - group[measure]) * 100]
            axis.errorbar(group[measure] * 100, places, xerr=[error.clip(lower=0) for error in errors], fmt="o",
                          markersize=3, linewidth=1, color=f"C{index}", label=figures.title_of(transport))
        axis.set_xscale("symlog", linthresh=100 * figures.LEAST_LOSS)
        axis.set_xlim(left=-0.2 * 100 * figures.LEAST_LOSS, right=130)
        axis.set_xlabel(f"{HEADINGS[measure]}, %")
        axis.grid(alpha=0.3)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    axes[0].legend(fontsize="x-small", loc="lower left", bbox_to_anchor=(0, 1), ncols=4)
    return result
