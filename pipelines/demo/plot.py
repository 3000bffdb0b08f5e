"""Draws a run over time: rate, RTT, loss event rate and sender delay, one above the other."""

import os
import tempfile

# matplotlib wants a place for its caches even where there is no home directory.
os.environ.setdefault("MPLCONFIGDIR", os.path.join(tempfile.gettempdir(), f"tfrc-matplotlib-{os.getuid()}"))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from gststats import rates  # noqa: E402

ROOM_ABOVE = 2.5  # X may be far above what is sent; beyond so many times the rest it leaves the picture


def _points(axis, points, start, scale, **style):
    """points: pairs of time and value."""
    if points:
        axis.plot(*zip(*(((time - start) / 1e9, value / scale) for time, value in points)), **style)


def _field(rows, field):
    return [(row["time"], row[field]) for row in rows if field in row]


def _rates(axis, streams, start, capacity, label):
    highest = capacity
    for number, (sender, receiver) in enumerate(streams):
        color = f"C{number}"
        sent = rates(sender, "bytes-sent")
        received = rates(receiver, "bytes-received")
        _points(axis, _field(sender, "allowed-rate"), start, 1e3, color=color, linestyle="--", linewidth=0.8,
                label=label(number, "X (allowed)"))
        _points(axis, sent, start, 1e3, color=color, linewidth=1.2, label=label(number, "sent"))
        _points(axis, received, start, 1e3, color=color, linestyle=":", linewidth=1.6,
                label=label(number, "received"))
        highest = max([highest] + [rate for _, rate in sent + received])
    if capacity:
        axis.axhline(capacity / 1e3, color="black", linewidth=0.6, label="bottleneck")
    axis.set_ylabel("rate, kbit/s")
    top = max(axis.get_ylim()[1], capacity / 1e3 * 1.1)
    axis.set_ylim(0, min(top, highest / 1e3 * ROOM_ABOVE) or 1)
    axis.legend(loc="upper right", fontsize="small", ncol=4)


def draw(path, streams, capacity, title):
    """streams: pairs of the sender's and the receiver's statistics over time; capacity: bit/s, 0 for none."""
    label = (lambda number, text: f"{number + 1}: {text}") if len(streams) > 1 else (lambda number, text: text)
    start = min([sender[0]["time"] for sender, _ in streams if sender], default=0)
    figure, axes = pyplot.subplots(4, 1, sharex=True, figsize=(11, 11), gridspec_kw={"height_ratios": [2, 1, 1, 1]})
    _rates(axes[0], streams, start, capacity, label)
    panels = (("rtt", 1e6, "RTT, ms"), ("loss-event-rate", 1, "loss event rate p"),
              ("queue-time", 1e6, "sender delay, ms"))
    for axis, (field, scale, name) in zip(axes[1:], panels):
        for number, (sender, _) in enumerate(streams):
            _points(axis, _field(sender, field), start, scale, color=f"C{number}", linewidth=1.2)
        axis.set_ylabel(name)
        axis.set_ylim(bottom=0)
    for axis in axes:
        axis.grid(alpha=0.3)
    axes[0].set_title(title, fontsize="medium")
    axes[-1].set_xlabel("time, s")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)
