# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws traces over time: rates and decisions, round-trip time, loss event rate and the sender's
queue, one above the other."""

from batch import figures, style

ROOM_ABOVE = 2.5  # X may be far above the other lines; the picture ends at this multiple of them
BITS = 8e-3  # kbit/s of a byte/s
RATE_COLOURS = (style.GREY, style.BLUE, style.ORANGE)  # of X, what is sent, and X_recv
WINDOW_S = 1  # over which a count of bytes becomes a rate

# Marks at the lower edge of the rates: label, events, look
MARKS = (
    ("nofeedback timer", ("nofeedback",), {"marker": "v", "color": style.BLACK}),
    ("feedback refused", ("refused",), {"marker": "x", "color": style.BLACK}),
    ("not all of the feedback used", ("limited",), {"marker": "1", "color": style.BLACK}),
)
# Events that a line through all panels marks
CHANGES = ("handover", "hold", "new-path")


def pairs(traces):
    """(sender, receiver) of each stream, either of which may be None: the first sender with the first
    receiver, and so on."""
    senders = [trace for trace in traces if trace.role == "sender"]
    receivers = [trace for trace in traces if trace.role == "receiver"]
    count = max(len(senders), len(receivers))
    return list(zip(senders + [None] * (count - len(senders)), receivers + [None] * (count - len(receivers))))


def rates(points):
    """How fast a count of bytes grew: the time and the mean rate, byte/s, over the window before that
    time. points: times and counts."""
    found, first = [], 0
    for time_s, count in points:
        while time_s - points[first][0] > WINDOW_S:
            first += 1
        elapsed = time_s - points[first][0]
        if elapsed > 0:
            found.append((time_s, (count - points[first][1]) / elapsed))
    return found


def losses(trace):
    """The times at which the number of lost packets grew."""
    found, before = [], 0
    for time_s, lost in trace.points("packets_lost"):
        if lost > before:
            found.append(time_s)
        before = lost
    return found


def _points(trace, field, **options):
    return trace.points(field, **options) if trace else []


class _Picture:
    def __init__(self, streams):
        self.streams = streams
        self.start_s = min((trace.start_s for pair in streams for trace in pair if trace), default=0)
        self.looks = [style.transport("tfrc")] if len(streams) == 1 else style.scale(len(streams))
        self.figure, self.axes = figures.panels(1, 4, sharex=True, figsize=(figures.WIDTH_INCHES, 9),
                                                gridspec_kw={"height_ratios": [2, 1, 1, 1]})

    def label(self, number, text):
        return f"{number + 1}: {text}" if len(self.streams) > 1 else text

    def draw(self, axis, points, scale=1, **options):
        if points:
            axis.plot(*zip(*((time_s - self.start_s, value * scale) for time_s, value in points)), **options)

    def mark(self, axis, times, **options):
        if times:
            axis.plot([time_s - self.start_s for time_s in times], [0] * len(times), clip_on=False, linestyle="none", **options)

    def rates(self, axis, capacity_bps):
        highest = capacity_bps / 1e3
        for number, ((sender, receiver), look) in enumerate(zip(self.streams, self.looks)):
            sent = rates(_points(sender, "bytes_sent"))
            received = _points(sender, "X_recv_Bps", names=("feedback",)) or _points(receiver, "X_recv_Bps")
            # The colours of one stream are those of its rates; of several streams, those of the streams.
            colours = RATE_COLOURS if len(self.streams) == 1 else [look.colour] * len(RATE_COLOURS)
            rates_of = ((_points(sender, "X_Bps"), "X (allowed)", "--", 0.8), (sent, "sent", "-", 1.2),
                        (received, "X_recv (received)", ":", 1.6))
            for (points, name, line, width), colour in zip(rates_of, colours):
                self.draw(axis, points, BITS, color=colour, linestyle=line, linewidth=width, label=self.label(number, name))
            highest = max([highest] + [rate * BITS for _, rate in sent + received])
        if capacity_bps:
            axis.axhline(capacity_bps / 1e3, color=style.BLACK, linewidth=0.6, label="bottleneck")
        axis.set_ylabel("rate, kbit/s")
        top = max(axis.get_ylim()[1], capacity_bps / 1e3 * 1.1)
        axis.set_ylim(0, min(top, highest * ROOM_ABOVE) or 1)

    def decisions(self, axis):
        for number, ((sender, receiver), look) in enumerate(zip(self.streams, self.looks)):
            mark = style.LOST if len(self.streams) == 1 else style.LOST | {"color": look.colour}
            lost = {name: value for name, value in mark.items() if name != "linestyle"}
            self.mark(axis, losses(receiver) if receiver else [], label=self.label(number, "packets lost"), **lost)
            for label, names, options in MARKS:
                self.mark(axis, sender.times(*names) if sender else [], label=self.label(number, label), **options)
        changes = [time_s for pair in self.streams for trace in pair if trace for time_s in trace.times(*CHANGES)]
        for time_s in changes:
            for each in self.axes:
                each.axvline(time_s - self.start_s, color=style.BLACK, linewidth=0.4, linestyle=":")

    def line(self, axis, field, name):
        for (sender, receiver), look in zip(self.streams, self.looks):
            self.draw(axis, _points(sender, field) or _points(receiver, field), color=look.colour)
        axis.set_ylabel(name)
        axis.set_ylim(bottom=0)


def draw(path, streams, capacity_bps, title):
    """streams: pairs of the traces of sender and receiver, see pairs(). capacity_bps: 0 for none."""
    picture = _Picture(streams)
    axes = picture.axes
    picture.rates(axes[0], capacity_bps)
    picture.decisions(axes[0])
    picture.line(axes[1], "R_ms", "R, ms")
    picture.line(axes[2], "p", "loss event rate p")
    picture.line(axes[3], "queue_ms", "sender's queue, ms")
    axes[0].set_title(title)
    axes[-1].set_xlabel("time, s")
    style.legend(picture.figure)
    style.save(picture.figure, path)
