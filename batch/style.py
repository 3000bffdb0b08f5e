# SPDX-License-Identifier: LGPL-2.1-or-later
"""The look of every plot: matplotlib's settings, and the colour, marker, line and place of every
transport and policy.

A transport or a policy looks the same in every picture: TFRC is blue, UDP orange, SRT green, TCP
red. Variants of one transport are shades of its colour with other markers. Legends stand beside the
data.
"""

import dataclasses
import os
import tempfile

# matplotlib wants a place for its caches even where there is no home directory.
os.environ.setdefault("MPLCONFIGDIR", os.path.join(tempfile.gettempdir(), f"tfrc-matplotlib-{os.getuid()}"))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402
from matplotlib.container import Container  # noqa: E402

DPI = 90
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
    "legend.fontsize": "small",
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "errorbar.capsize": 2,
    "figure.titlesize": "medium",
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
    "tcp": Look(RED, "o"),
    "reno": Look(RED, "o"),
    "cubic": Look("#7a1f3d", "s", "--"),
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


def fair_band(axis, limits):
    """Marks the ratios of two rates that count as fair, and the ratio of equal rates."""
    axis.axhspan(*limits, color="#e6f2e6", zorder=0, label=f"fair: {limits[0]:g} to {limits[1]:g}")
    axis.axhline(1, color=GREY, linewidth=0.7)


def legend(place, axes=None, **options):
    """Draws one legend at the right of a figure or of one axes. It has every label of the axes
    once."""
    figure = place if axes is None else None
    all_axes = figure.axes if figure else axes
    found = {}
    for axis in all_axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            found.setdefault(label, handle)
    if not found:
        return
    # Measurements come before lines of reference.
    labels = sorted(found, key=lambda label: not isinstance(found[label], Container))
    place.legend([found[label] for label in labels], labels, loc="upper left", bbox_to_anchor=(1.0, 0.97),
                 borderaxespad=0.3, **options)


def save(figure, path):
    """Writes a PNG; the same numbers make the same file."""
    figure.tight_layout()
    # bbox_inches: legends are outside of the axes. metadata: without matplotlib's name and version
    # in it, the file does not depend on the version.
    figure.savefig(path, dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    pyplot.close(figure)
