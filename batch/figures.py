"""How figures look, and what is drawn in many of them: our medians with the range over seeds, the paper's values.

    figure, axes = figures.panels(2)
    figures.line(axes[0], cells, "hops", "c1_bps", label="TFRC")
    figures.paper(axes[0], [1, 2], [4e5, 2e5])
    figures.save(figure, out / "fig2.png")
"""

from .style import pyplot, save  # noqa: F401 (for definitions)

PANEL_INCHES = (4.8, 3.4)
STYLE = {
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.titlesize": "medium",
    "legend.fontsize": "small",
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "errorbar.capsize": 2,
    # The fonts that come with matplotlib, so that every machine draws the same.
    "font.family": "DejaVu Sans",
}
pyplot.rcParams.update(STYLE)


def panels(columns=1, rows=1, **options):
    """A figure and a flat list of its axes; options are those of pyplot.subplots."""
    figure, axes = pyplot.subplots(rows, columns, squeeze=False,
                                   figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows), **options)
    return figure, list(axes.flat)


def line(axis, cells, x, y, **options):
    """Medians over seeds as tables.over_seeds gives them; the range as error bars. options are errorbar's."""
    cells = cells.sort_values(x)
    errors = None
    if y + "_min" in cells:
        errors = [(cells[y] - cells[y + "_min"]).clip(lower=0), (cells[y + "_max"] - cells[y]).clip(lower=0)]
    return axis.errorbar(cells[x], cells[y], yerr=errors, **{"marker": "o", **options})


def paper(axis, x, y, label="paper", **options):
    """The paper's values: hollow, dashed."""
    return axis.plot(x, y, **{"marker": "s", "markerfacecolor": "none", "linestyle": "--", "color": "black",
                              "label": label, **options})
