# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws a run over time: rate, RTT, loss event rate and sender delay, one above the other."""

from batch import figures, style
from gststats import rates

ROOM_ABOVE = 2.5  # X may be far above the other lines; the picture ends at this multiple of them


def _points(axis, points, start, scale, **style):
    """points: pairs of time and value."""
    if points:
        axis.plot(*zip(*(((time - start) / 1e9, value / scale) for time, value in points)), **style)


def _field(rows, field):
    return [(row["time"], row[field]) for row in rows if field in row]


def _losses(receiver):
    """The times at which the number of lost packets grew."""
    before = 0
    for row in receiver:
        lost = row.get("packets-lost", before)
        if lost > before:
            yield row["time"], 0
        before = lost


def _rates(axis, streams, looks, start, capacity, label):
    highest = capacity
    for number, ((sender, receiver), look) in enumerate(zip(streams, looks)):
        sent = rates(sender, "bytes-sent")
        received = rates(receiver, "bytes-received")
        _points(axis, _field(sender, "allowed-rate"), start, 1e3, color=look.colour, linestyle="--", linewidth=0.8,
                label=label(number, "X (allowed)"))
        _points(axis, sent, start, 1e3, color=look.colour, label=label(number, "sent"))
        _points(axis, received, start, 1e3, color=look.colour, linestyle=":", linewidth=1.6,
                label=label(number, "received"))
        highest = max([highest] + [rate for _, rate in sent + received])
    if capacity:
        axis.axhline(capacity / 1e3, color=style.BLACK, linewidth=0.6, label="bottleneck")
    axis.set_ylabel("rate, kbit/s")
    top = max(axis.get_ylim()[1], capacity / 1e3 * 1.1)
    axis.set_ylim(0, min(top, highest / 1e3 * ROOM_ABOVE) or 1)
    for number, ((_, receiver), look) in enumerate(zip(streams, looks)):
        mark = style.LOST if len(streams) == 1 else style.LOST | {"color": look.colour}
        _points(axis, list(_losses(receiver)), start, 1, clip_on=False, label=label(number, "packets lost"), **mark)


def draw(path, streams, capacity, title):
    """streams: pairs of the sender's and the receiver's statistics over time; capacity: bit/s, 0
    for none."""
    label = (lambda number, text: f"{number + 1}: {text}") if len(streams) > 1 else (lambda number, text: text)
    looks = [style.transport("tfrc")] if len(streams) == 1 else style.scale(len(streams))
    start = min([sender[0]["time"] for sender, _ in streams if sender], default=0)
    figure, axes = figures.panels(1, 4, sharex=True, figsize=(9, 9), gridspec_kw={"height_ratios": [2, 1, 1, 1]})
    _rates(axes[0], streams, looks, start, capacity, label)
    panels = (("rtt", 1e6, "RTT, ms"), ("loss-event-rate", 1, "loss event rate p"),
              ("queue-time", 1e6, "sender delay, ms"))
    for axis, (field, scale, name) in zip(axes[1:], panels):
        for (sender, _), look in zip(streams, looks):
            _points(axis, _field(sender, field), start, scale, color=look.colour)
        axis.set_ylabel(name)
        axis.set_ylim(bottom=0)
    axes[0].set_title(title)
    axes[-1].set_xlabel("time, s")
    style.legend(figure)
    style.save(figure, path)
