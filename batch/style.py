# SPDX-License-Identifier: LGPL-2.1-or-later
"""The look of every plot: matplotlib's settings, and the colour, marker, line and place of every
transport and policy.

A transport or a policy looks the same in every picture: TFRC is blue, UDP orange, SRT green, TCP
red. Variants of one transport are shades of its colour with other markers. Legends stand beside the
data.

Reports in the repository have SVG, which stays sharp at every size, with letters as outlines, so
that it looks the same without the font. Programs for users write PNG, which every viewer opens. The
background is white in both, because pages with a dark background show pictures as they are.
"""

import dataclasses
import os
import pathlib
import tempfile

# matplotlib wants a place for its caches even where there is no home directory.
os.environ.setdefault("MPLCONFIGDIR", os.path.join(tempfile.gettempdir(), f"tfrc-matplotlib-{os.getuid()}"))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402
from matplotlib.container import Container  # noqa: E402

DPI = 90
NARROW_INCHES = 6  # a legend beside such a figure leaves both as wide as a page shows them
pyplot.rcParams.update({
    # The fonts that come with matplotlib, so that every machine draws the same.
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": "medium",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "errorbar.capsize": 2,
    "figure.titlesize": "medium",
    # The identifiers within an SVG are random without it.
    "svg.hashsalt": "tfrc",
})


@dataclasses.dataclass(frozen=True)
class Look:
    """How one transport or policy is drawn in every picture."""

    colour: str
    marker: str = "o"
    line: str = "-"

    def line_options(self):
        """Keyword arguments of plot() and errorbar()."""
        return {"color": self.colour, "marker": self.marker, "linestyle": self.line}

    def point_options(self):
        """Keyword arguments of plot() and errorbar() for points without a line."""
        return self.line_options() | {"linestyle": "none"}


BLACK, GREY = "#222222", "#888888"
BLUE, SKY, ORANGE, GREEN, RED, VIOLET = "#0072b2", "#56b4e9", "#e08214", "#1b9e4b", "#c1272d", "#9467bd"

# Every legend and every panel has this order.
TRANSPORTS = {
    "tfrc": Look(BLUE, "o"),
    "tfrc-live": Look("#0a2f8f", "p"),
    "tfrc-stored": Look("#3d8bfd", "h"),
    "tfrc-enhanced": Look("#7a4fbf", "H"),
    "tfrc-180ms": Look("#1f4e9c", "d", ":"),
    "tfrc-fec-180ms": Look("#00a0a0", "*", ":"),
    "tfrc-rfc": Look(SKY, "v", "--"),
    "tfrc-burst": Look("#2a9d8f", "^", "--"),
    "tfrc-guard": Look("#264478", "s", "--"),
    "tfrc-peak": Look("#003f5c", "D", "-."),
    "tfrc-smooth-300": Look("#5e7ce2", "P", "-."),
    "tfrc-smooth": Look("#6a4fb3", "X", ":"),
    "ccid3": Look("#8c6d4f", "s"),
    "udp": Look(ORANGE, "o"),
    "udp-shaped-link": Look("#b35806", "^", "--"),
    "udp-shaped-peak": Look("#f2b84b", "v", "-."),
    "rtp": Look("#7f7f7f", "d"),
    "srt": Look(GREEN, "o"),
    "srt-180ms": Look("#66c287", "v", "--"),
    "srt-900ms": Look("#0b6623", "^", "-."),
    "srt-limited": Look("#8a9a1b", "s", "--"),
    "rist": Look("#b5479e", "D"),
    "rist-180ms": Look("#d98cc7", "v", "--"),
    "rist-900ms": Look("#7d2a6b", "^", "-."),
    # Other markers than SRT's, as red and green look alike to many.
    "tcp": Look(RED, "s"),
    "reno": Look(RED, "s"),
    "cubic": Look("#7a1f3d", "D", "--"),
}

# How TFRC adapts to a handover. 'none' is RFC 5348 alone; 'bound' is a sender that knows the link's
# rate.
ADAPTATIONS = {
    "none": Look(SKY, "v", "--"),
    "paper": Look(VIOLET, "D", "-."),
    "direct": Look(BLUE, "o"),
    "bound": Look(GREY, "x", ":"),
}

# Values from papers and from ns-2
REFERENCE = {"color": BLACK, "marker": "s", "markerfacecolor": "none", "linestyle": "--", "linewidth": 1}
LOST = {"color": RED, "marker": "|", "linestyle": "none", "markersize": 9}
_MARKERS = "osv^DPX*dh<>"


def transport(name):
    """The look of a transport; black for an unknown name."""
    return TRANSPORTS.get(name, Look(BLACK, "*"))


def in_order(names):
    """Transports in the order of every panel; unknown names come last, in the order given."""
    known = list(TRANSPORTS)
    return sorted(dict.fromkeys(names), key=lambda name: known.index(name) if name in known else len(known))


def scale(count):
    """Looks for values of one quantity, such as round-trip times, from light to dark."""
    shades = matplotlib.colormaps["viridis_r"]
    return [Look(matplotlib.colors.to_hex(shades(0.2 + 0.75 * index / max(1, count - 1))), _MARKERS[index % len(_MARKERS)])
            for index in range(count)]


def whole_numbers(axis):
    """Puts the ticks of an axis (axes.xaxis or .yaxis) at whole numbers alone."""
    axis.set_major_locator(ticker.MaxNLocator(integer=True, min_n_ticks=1))
    axis.set_major_formatter(ticker.FormatStrFormatter("%d"))


def ticks_at(axis, values):
    """Puts one tick at each of the values, in plain digits, also on a logarithmic axis. Meant for
    few values."""
    axis.set_major_locator(ticker.FixedLocator(sorted(set(values))))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(ticker.NullLocator())


def plain_ticks(axis):
    """Writes the ticks of an axis in plain digits, and removes the smaller ticks between them."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(ticker.NullLocator())


def plain_digits(axis):
    """Writes the ticks of a logarithmic axis as 0.5, 1, 2, 5, not as powers of ten."""
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def fair_band(axis, limits, across=False):
    """Marks the ratios of two rates that count as fair, and the ratio of equal rates. across: the
    x-axis has the ratios, not the y-axis."""
    band, middle = (axis.axvspan, axis.axvline) if across else (axis.axhspan, axis.axhline)
    band(*limits, color="#d5ead5", zorder=0, label=f"fair: {limits[0]:g} to {limits[1]:g}")
    middle(1, color=GREY, linewidth=0.7)


def percent(axis):
    """Writes the ticks of an axis of fractions in percent."""
    axis.set_major_locator(ticker.MaxNLocator(nbins=8, steps=(1, 2, 5, 10)))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{100 * value:g} %"))


def legend(figure):
    """Draws one legend that has every label of the axes once: at the right of a narrow figure, below
    a wide one."""
    found = {}
    for axis in figure.axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            found.setdefault(label, handle)
    if not found:
        return
    # Measurements come before lines of reference.
    labels = sorted(found, key=lambda label: not isinstance(found[label], Container))
    handles = [found[label] for label in labels]
    if figure.get_figwidth() < NARROW_INCHES:
        figure.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 0.97), borderaxespad=0.3)
        return
    for columns in range(len(labels), 0, -1):
        drawn = figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=0.3, ncol=columns)
        if columns == 1 or drawn.get_window_extent(figure.canvas.get_renderer()).width <= figure.bbox.width:
            return
        drawn.remove()


def save(figure, path):
    """Writes a picture in the format that the end of the path names, .svg or .png; the same numbers
    make the same file."""
    figure.tight_layout()
    # bbox_inches: legends are outside of the axes. metadata: without the date and matplotlib's name
    # and version in it, the file does not depend on them.
    names = ("Date", "Creator", "Format", "Type") if pathlib.Path(path).suffix == ".svg" else ("Software",)
    figure.savefig(path, dpi=DPI, bbox_inches="tight", pad_inches=0.05, metadata=dict.fromkeys(names))
    pyplot.close(figure)
