# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws one movie over tfrcsink and over plain UDP through the same bottleneck: rate, round-trip time, sender delay.

Owns the picture of README.md: which runs it shows, and the meaning of each line. The command
'timeline' of pipelines/vod-benchmark.sh draws it. All lines come from the packets in the logs, and
from no statistics of a transport:

    rate             packets of 1316 bytes that left the sender, mean over RATE_WINDOW_S
    round-trip time  from when a packet left until it arrived, and d2 back: the way back is never limited
    sender delay     from when a packet was due until it left
    lost             packets that left and never arrived
"""

import numpy as np

import analysis
import experiments
import logs
import scenario
from batch import style
from batch.figures import panels

POINTS = (("movie", "v-for-vendetta"), ("d2_ms", "20"), ("queue", "20"))
TRANSPORTS = ("tfrc", "udp")
SEEDS = (3,)
DURATION_S = 60
RATE_WINDOW_S = 0.2
NAMES = {"tfrc": "TFRC (tfrcsink)", "udp": "plain UDP (udpsink)"}


def runs(seeds=None, duration_s=None):
    """The runs of the picture: one transport each, on the network of Table 1."""
    return list(experiments.runs("table1", seeds=(seeds or SEEDS)[:1], points=POINTS, transport=TRANSPORTS,
                                 duration_s=[duration_s or DURATION_S]))


def journey_of(run, raw, traces):
    """The packets of a run's only movie, from the logs in the directory raw."""
    _, _, (stream,) = scenario.build(run, traces)
    wires = [logs.read_wire(raw / f"wire-{end}{stream.lane}.csv") for end in "ab"]
    return analysis.join(logs.read_due(raw / stream.due_log), logs.read_arrivals(raw / stream.receive_log), *wires)


def rate(left_s, duration_s, window_s=RATE_WINDOW_S):
    """Mean rates of the packets that left, in consecutive windows: (the middle of each window, s;
    bit/s of payload)."""
    edges = np.arange(round(duration_s / window_s) + 1) * window_s
    counts, _ = np.histogram(left_s[~np.isnan(left_s)], edges)
    return edges[:-1] + window_s / 2, counts * analysis.PACKET_BYTES * 8 / window_s


def draw(path, journeys, parameters):
    """Draws the picture.

    journeys: the Journey of each transport. parameters: the parameters that the runs share."""
    figure, (rates, rtts, delays) = panels(1, 3, sharex=True, figsize=(8.5, 6.5),
                                           gridspec_kw={"height_ratios": [3, 2, 2]})
    back_ms = parameters["d2_ms"]
    for place, transport in enumerate(style.in_order(journeys)):
        journey, look = journeys[transport], style.transport(transport)
        # The first transport lies above the others.
        drawn = {"color": look.colour, "linewidth": 1, "zorder": 3 - place}
        lost_s = journey.left_s[(journey.copies > 0) & np.isnan(journey.arrived_s)]
        times_s, sent_bps = rate(journey.left_s, parameters["duration_s"])
        rates.plot(times_s, sent_bps / 1e6, label=NAMES[transport], **drawn)
        rates.plot(lost_s, np.full(len(lost_s), 0.05), label=f"{len(lost_s)} of {len(journey.due_s)} packets lost",
                   **style.LOST | {"color": look.colour, "zorder": 4})
        rtts.plot(journey.left_s, (journey.arrived_s - journey.left_s) * 1e3 + back_ms, **drawn)
        delays.plot(journey.due_s, (journey.left_s - journey.due_s) * 1e3, **drawn)
    rates.axhline(parameters["rate_bps"] / 1e6, color=style.BLACK, linewidth=0.6, linestyle="--",
                  label="rate of the bottleneck")
    rates.set_ylabel(f"sending rate, Mbit/s\n(mean over {RATE_WINDOW_S:g} s)")
    rtts.set_ylabel("round-trip time, ms")
    delays.set_ylabel("sender delay, ms")
    delays.set_xlabel("time, s")
    for axis in (rates, rtts, delays):
        axis.set_xlim(0, parameters["duration_s"])
        axis.set_ylim(bottom=0)
    rates.set_title(f"The same movie through {parameters['rate_bps'] / 1e6:g} Mbit/s with a queue of "
                    f"{parameters['queue']} packets")
    style.legend(figure)
    style.save(figure, path)
