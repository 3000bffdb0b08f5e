# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of figures: panels, our medians with the range over seeds, the paper's values, axes of
losses.

    figure, axes = figures.panels(2)
    figures.line(axes[0], cells, "hops", "c1_bps", label="TFRC", look=style.transport("tfrc"))
    figures.paper(axes[0], [1, 2], [4e5, 2e5])
    figures.save(figure, out / "fig2.svg")
"""

from . import style
from .style import pyplot, save  # noqa: F401 (save is for definitions)

# Two panels are as wide as a page of a repository's site shows a picture without making it smaller.
PANEL_INCHES = (4.25, 3.0)
WIDTH_INCHES = 2 * PANEL_INCHES[0]
POINT_INCHES = 0.09  # the height of a point in a row, see row_panels()
# Loss ratios have zeros, for which a logarithmic axis has no place: below this value it is linear.
LEAST_LOSS = 1e-4


def panels(columns=1, rows=1, **options):
    """A figure and a flat list of its axes; options are those of pyplot.subplots."""
    size = (PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows)
    figure, axes = pyplot.subplots(rows, columns, squeeze=False, **{"figsize": size, **options})
    return figure, list(axes.flat)


def row_panels(names, points, columns=2, rows=1, **options):
    """A figure and a flat list of its axes, whose y-axis has a row for each name, the first at the
    top. points: the number of points in each row, which points() draws below each other. options:
    those of pyplot.subplots."""
    height = rows * (0.7 + POINT_INCHES * len(names) * (points + 1))
    figure, axes = panels(columns, rows, figsize=(WIDTH_INCHES, height), sharey=True, **options)
    for axis in axes:
        for place in range(1, len(names), 2):
            axis.axhspan(place - 0.5, place + 0.5, color="#f2f2f2", zorder=0)
        axis.grid(False, axis="y")
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    return figure, axes


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


def points(axis, cells, measure, rows, look, place=(0, 1), scale=1, **options):
    """Draws medians with their range on axes of row_panels(). rows: the row of each cell, a number.
    place: which of how many points of its row this is. options: those of errorbar()."""
    axis.errorbar(cells[measure] * scale, in_rows(rows, place), xerr=errors(cells, measure, scale),
                  **{**look.point_options(), "linewidth": 1, **options})


def in_rows(rows, place):
    """The y of points in these rows; place as in points()."""
    index, count = place
    return [row + 0.8 * (index + 0.5) / count - 0.4 for row in rows]


def paper(axis, x, y, label="paper", **options):
    """Draws the paper's values: hollow markers and a dashed line."""
    return axis.plot(x, y, **{**style.REFERENCE, "label": label, **options})


def loss_axis(axis, target=None, across=False):
    """Makes the y-axis one of loss ratios, from 0 to 0.1 or to 1. Call this after the data have
    been drawn. target: a ratio that a line marks. across: the x-axis, not the y-axis."""
    name = "x" if across else "y"
    most = 0.1 if getattr(axis.dataLim, f"{name}max") <= 0.1 else 1
    powers = [LEAST_LOSS * 10**n for n in range(5) if LEAST_LOSS * 10**n <= most * 1.01]
    getattr(axis, f"set_{name}scale")("symlog", linthresh=LEAST_LOSS, linscale=0.5)
    getattr(axis, f"set_{name}ticks")([0, *powers], ["0", *(f"{power:g}" for power in powers)])
    getattr(axis, f"{name}axis").set_minor_locator(style.ticker.NullLocator())
    getattr(axis, f"set_{name}lim")(-LEAST_LOSS / 4, most)
    if target:
        mark = axis.axvline if across else axis.axhline
        mark(target, color=style.BLACK, linewidth=0.7, linestyle="--", label=f"target {target:g}")


def mark_zeros(axis, positions, values):
    """Writes 0 at the place of each bar of losses that has no height."""
    for position, value in zip(positions, values):
        if value == 0:
            axis.annotate("0", (position, 0), xytext=(0, 1), textcoords="offset points", ha="center", va="bottom",
                          fontsize="small", color=style.BLACK,
                          bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"})


def transport_lines(axis, cells, x, y, title_of, scale=1):
    """One line for each transport, in the order of style.TRANSPORTS; the range over seeds as error
    bars. title_of: a function that makes the name for readers of a transport's name."""
    for name in style.in_order(cells["transport"]):
        group = cells[cells["transport"] == name].sort_values(x)
        axis.errorbar(group[x], group[y] * scale, yerr=errors(group, y, scale), label=title_of(name),
                      **style.transport(name).line_options())


def transport_points(axis, cells, measure, rows, title_of, transports, scale=1):
    """One point in each row for each of the transports, with the range over seeds. rows: the row of
    each cell as a Series with the index of cells. title_of: as for transport_lines()."""
    for index, name in enumerate(transports):
        group = cells[cells["transport"] == name]
        points(axis, group, measure, rows[group.index], style.transport(name), (index, len(transports)), scale,
               label=title_of(name))
