"""What the figures are drawn with, from the same summaries as the tables."""

import transports

# The same colour everywhere
COLOURS = {name: f"C{index}" for index, name in enumerate(transports.TRANSPORTS)}
# IPLR has zeros, which a logarithmic axis has no place for: below this it is linear.
LEAST_LOSS = 1e-4


def title_of(transport):
    known = transports.TRANSPORTS.get(transport)
    return known.title if known else transport


def loss_axis(axis, target=None):
    axis.set_yscale("symlog", linthresh=LEAST_LOSS)
    axis.set_ylim(bottom=0)
    axis.set_ylabel("IPLR")
    if target:
        axis.axhline(target, color="black", linewidth=0.6, linestyle="--")


def lines(axis, cells, x, y, low=None, high=None, half=None):
    """One line for each transport; the range between the columns low and high, or ± half, as error bars."""
    for transport, group in cells.groupby("transport", sort=False):
        group = group.sort_values(x)
        errors = None
        if low:
            errors = [(group[y] - group[low]).clip(lower=0), (group[high] - group[y]).clip(lower=0)]
        elif half:
            errors = group[half].fillna(0)
        axis.errorbar(group[x], group[y], yerr=errors, label=title_of(transport), color=COLOURS.get(transport),
                      marker="o", markersize=3, linewidth=1.2, capsize=2)
    axis.grid(alpha=0.3)


def bars(axis, cells, measure, logarithmic=False):
    """Medians of the transports, with their range."""
    positions = range(len(cells))
    errors = [(cells[measure] - cells[measure + "_min"]).clip(lower=0),
              (cells[measure + "_max"] - cells[measure]).clip(lower=0)]
    colours = [COLOURS.get(name) for name in cells["transport"]]
    axis.bar(positions, cells[measure], yerr=errors, capsize=2, color=colours)
    axis.set_xticks(list(positions), cells["transport"], rotation=45, ha="right", fontsize="x-small")
    axis.grid(alpha=0.3, axis="y")
    if logarithmic:
        loss_axis(axis)
