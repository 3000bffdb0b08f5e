# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws what a viewer sees over each transport: one moment side by side, and the pictures of each second."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # for the package 'batch'

from batch import figures, style  # noqa: E402

WIDTH_INCHES = 9.6


def share(shown):
    """The part of the pictures in percent; 100 only of all."""
    part = 100 * sum(shown) / len(shown)
    return f"{min(part, 99.9) if sum(shown) < len(shown) else part:.1f} %"


def _seconds(movie, shown):
    """For each second of the movie the part of its pictures that were shown, in percent."""
    seconds = {}
    for number, good in enumerate(shown):
        seconds.setdefault(int(movie.time_s(number)), []).append(good)
    return [100 * sum(pictures) / len(pictures) for _, pictures in sorted(seconds.items())]


def _picture(axis, label, shown, colour, picture):
    axis.set_title(f"{label}: {share(shown)}", color=colour, fontsize=15, fontweight="bold")
    axis.set_axis_off()
    if picture is not None:
        axis.imshow(picture, interpolation="antialiased")


def _strip(axis, label, values, colour, tcp, moment_s):
    axis.set_title(label, loc="left", pad=3, color=colour, fontweight="bold")
    if tcp[1] > tcp[0]:
        axis.axvspan(*tcp, color="#e4e4e4", zorder=0, linewidth=0)
    axis.stairs(values, fill=True, color=colour)
    axis.axvline(moment_s, color=style.BLACK, linewidth=1.2, linestyle="--")
    axis.set_xlim(0, len(values))
    axis.set_ylim(0, 105)
    axis.set_yticks([0, 100], ["0", "100 %"])


def draw(path, movie, results, moment, tcp, conditions):
    """results: (name, title, shown) of each transport, in the order of moment.seen."""
    figure = style.pyplot.figure(figsize=(WIDTH_INCHES, 2.9 + 0.95 * len(results)))
    grid = figure.add_gridspec(1 + len(results), len(results), height_ratios=[2.9] + [1] * len(results))
    moment_s = movie.time_s(moment.number)
    strip = None
    for column, ((name, label, shown), picture) in enumerate(zip(results, moment.seen)):
        colour = style.transport(name).colour
        _picture(figure.add_subplot(grid[0, column]), label, shown, colour, picture)
        strip = figure.add_subplot(grid[1 + column, :], sharex=strip)
        _strip(strip, label, _seconds(movie, shown), colour, tcp, moment_s)
        strip.tick_params(labelbottom=column == len(results) - 1)
        if column == 0 and tcp[1] > tcp[0]:
            strip.set_title("grey: one TCP flow shares the link", loc="center", pad=3)
        if column == 0:
            strip.set_title(f"dashed: the moment above, {moment_s:.1f} s", loc="right", pad=3)
    strip.set_xlabel(f"pictures of each second that were shown, over the seconds of the movie\n{conditions}")
    figure.suptitle("What a viewer sees of the same movie on the same path: pictures shown in time and undamaged", y=1.03, fontsize=11)
    figures.save(figure, path)
