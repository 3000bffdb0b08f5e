# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of figures: panels, our medians with the range over seeds, the paper's values, axes of
losses.

    figure, axes = figures.panels(2)
    figures.line(axes[0], cells, "hops", "c1_bps", label="TFRC", look=style.transport("tfrc"))
    figures.paper(axes[0], [1, 2], [4e5, 2e5])
    figures.save(figure, out / "fig2.png")
"""

from . import style
from .style import pyplot, save  # noqa: F401 (save is for definitions)

PANEL_INCHES = (4.4, 3.2)
# Loss ratios have zeros, for which a logarithmic axis has no place: below this value it is linear.
LEAST_LOSS = 1e-4


def panels(columns=1, rows=1, **options):
    """A figure and a flat list of its axes; options are those of pyplot.subplots."""
    size = (PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows)
    figure, axes = pyplot.subplots(rows, columns, squeeze=False, **{"figsize": size, **options})
    return figure, list(axes.flat)


def errors(cells, measure, scale=1):
    """The distances from a median to the least and the most, as errorbar takes them; None if the
    cells have no range."""
    if measure + "_min" not in cells:
        return None
    return [((cells[measure] - cells[measure + "_min"]) * scale).clip(lower=0),
            ((cells[measure + "_max"] - cells[measure]) * scale).clip(lower=0)]


def line(axis, cells, x, y, look=None, **options):
    """Draws medians over seeds (see tables.over_seeds) with their range as error bars. options:
    those of errorbar()."""
    cells = cells.sort_values(x)
    drawn = look.line_options() if look else {"marker": "o"}
    return axis.errorbar(cells[x], cells[y], yerr=errors(cells, y), **{**drawn, **options})


def paper(axis, x, y, label="paper", **options):
    """Draws the paper's values: hollow markers and a dashed line."""
    return axis.plot(x, y, **{**style.REFERENCE, "label": label, **options})


def loss_axis(axis, target=None, bars=False):
    """Makes the y-axis one of loss ratios, from 0 to 0.1 or to 1. Call this after the data have
    been drawn. target: a ratio that a line marks. bars: the axis begins at zero, not below the
    points at zero."""
    most = 0.1 if axis.dataLim.ymax <= 0.1 else 1
    axis.set_yscale("symlog", linthresh=LEAST_LOSS, linscale=0.5)
    powers = [LEAST_LOSS * 10**n for n in range(5) if LEAST_LOSS * 10**n <= most * 1.01]
    axis.set_yticks([0, *powers], ["none", *(f"{power:g}" for power in powers)])
    axis.yaxis.set_minor_locator(style.ticker.NullLocator())
    axis.set_ylim(0 if bars else -LEAST_LOSS / 4, most)
    if target:
        axis.axhline(target, color=style.BLACK, linewidth=0.7, linestyle="--", label=f"target {target:g}")


def mark_zeros(axis, positions, values):
    """Writes 0 at the place of each bar of losses that has no height."""
    for position, value in zip(positions, values):
        if value == 0:
            axis.annotate("0", (position, 0), xytext=(0, 1), textcoords="offset points", ha="center", va="bottom",
                          fontsize="small", color=style.BLACK,
                          bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"})


def transport_lines(axis, cells, x, y, title_of, scale=1):
    """One line for each transport, in the order of style.TRANSPORTS; the range over seeds as error
    bars."""
    for name in style.in_order(cells["transport"]):
        group = cells[cells["transport"] == name].sort_values(x)
        axis.errorbar(group[x], group[y] * scale, yerr=errors(group, y, scale), label=title_of(name),
                      **style.transport(name).line_options())


def transport_bars(axis, cells, measure, names=None):
    """Medians of the transports with their range; one place for each of names, in the order of
    style.TRANSPORTS. Returns the places and the values of the bars."""
    names = style.in_order(names if names is not None else cells["transport"])
    cells = cells.sort_values("transport", key=lambda column: column.map(names.index), kind="stable")
    positions = [names.index(name) for name in cells["transport"]]
    axis.bar(positions, cells[measure], yerr=errors(cells, measure), capsize=2,
             color=[style.transport(name).colour for name in cells["transport"]])
    axis.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", fontsize="small")
    axis.set_xlim(-0.6, len(names) - 0.4)
    axis.grid(False, axis="x")
    return positions, list(cells[measure])
