# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws moves over time: both directions side by side, with and without adaptation."""

import numpy as np

import moves
from batch import style
from batch.figures import panels

NAMES = {"none": "plain TFRC", "paper": "adaptation as in the paper", "direct": "adaptation (direct)"}
PHASES = ("normal", "started", "old-link", "new-link", "echo")
FROM_S, TO_S = -3, 6
FINE_S = (-0.1, 1.0)
# Statistic, label, scale
PANELS = (("rtt", "R, ms", 1e3), ("loss-event-rate", "p", 1), ("lost", "packets lost", 1))
LOST_ROW = 3  # below the rates


def _draw(axis, series, scale=1, **style):
    times, values = series
    chosen = (times >= FROM_S) & (times <= TO_S)
    axis.plot(times[chosen], values[chosen] * scale, **style)


def _draw_lost(axis, series, **style):
    """Draws the lost packets, counted from the begin of the picture."""
    times, _ = series
    chosen = times[(times >= FROM_S) & (times <= TO_S)]
    axis.step([FROM_S, *chosen, TO_S], [*range(len(chosen) + 1), len(chosen)], where="post", **style)


def _draw_phases(axis, series, **style):
    times, phases = series
    axis.step(times, [PHASES.index(phase) for phase in phases], where="post", **style)
    axis.set_yticks(range(len(PHASES)), PHASES)
    axis.set_xlim(*FINE_S)


def _column(axes, runs, rate_bps):
    rates, phases = axes[0], axes[-1]
    for adaptation, series in runs.items():
        colour, name = style.ADAPTATIONS[adaptation].colour, NAMES[adaptation]
        _draw(rates, series["allowed-rate"], 1e-6, color=colour, label=f"X: {name}")
        _draw(rates, series["receive-rate"], 1e-6, color=colour, linestyle=":", label=f"X_recv: {name}")
        for axis, (name, label, scale) in zip(axes[1:], PANELS):
            if name == "lost":
                _draw_lost(axis, series[name], color=colour)
            else:
                _draw(axis, series[name], scale, color=colour)
            axis.set_ylabel(label)
        if adaptation != "none":
            _draw_phases(phases, series["phase"], color=colour)
    rates.axhline(rate_bps / 1e6, color=style.BLACK, linewidth=0.6, label="rate of both links")
    rates.set_ylabel("Mbit/s")
    phases.set_ylabel("phase (finer time)")
    phases.set_xlabel("s after the move")


def draw(path, title, columns, rate_bps=moves.RATE_BPS):
    """columns: heading -> {adaptation: series}."""
    figure, axes = panels(len(columns), len(PANELS) + 2, figsize=(5 * len(columns), 10),
                          gridspec_kw={"height_ratios": [2] + [1] * (len(PANELS) + 1)})
    axes = np.array(axes).reshape(len(PANELS) + 2, len(columns))
    for number, (heading, runs) in enumerate(columns.items()):
        _column(axes[:, number], runs, rate_bps)
        axes[0, number].set_title(heading)
    for axis in axes.flat:
        axis.axvline(0, color=style.GREY, linewidth=0.8, linestyle=":")
    for row in axes[:-1]:
        for axis in row:
            axis.set_xlim(FROM_S, TO_S)
    # The same scale in both directions
    for row in axes[:-1]:
        top = max(axis.get_ylim()[1] for axis in row)
        for axis in row:
            axis.set_ylim(0, top)
    for axis in axes[LOST_ROW]:
        axis.set_ylim(0, max(1, axis.get_ylim()[1]))
        style.whole_numbers(axis.yaxis)
    style.legend(figure)
    figure.suptitle(title)
    style.save(figure, path)
