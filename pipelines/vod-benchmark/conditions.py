# SPDX-License-Identifier: LGPL-2.1-or-later
"""Network conditions, as data: what can happen to a movie besides a short queue.

Owns the points of the experiment 'conditions', with the network of each and the flow beside the
movie. Experiments without a condition are played under PLAIN, which changes nothing.
"""

import dataclasses

PACKET_BITS = 1344 * 8  # a packet of the movie over UDP, with its headers
LEAST_QUEUE = 20


@dataclasses.dataclass(frozen=True)
class Condition:
    """One point. Delays are those of the bottleneck in one direction. jitter_ms,
    backward_jitter_ms: how much longer than d2_ms a packet may take, evenly distributed; packets
    stay in order. step_d2_ms: the delay from the middle of the movie on. tcp: the congestion
    control of one greedy flow beside the movie. movie_bps: the mean rate of the trace to which the
    movie is scaled. movie, duration_s: another movie than the experiment's, and how long a run plays
    it. lanes: the number of seeds for which the emulated CPU has time."""

    title: str = ""
    rate_bps: int = 5_000_000
    d2_ms: int = 20
    queue: int = LEAST_QUEUE
    jitter_ms: int = 0
    backward_jitter_ms: int = 0
    step_d2_ms: int | None = None
    loss: float = 0.0
    aqm: str | None = None
    tcp: str | None = None
    movie_bps: int | None = None
    movie: str | None = None
    duration_s: int | None = None
    lanes: int = 5

    def cell(self):
        """The values of this condition for the parameters that every experiment has."""
        own = {"movie": self.movie, "duration_s": self.duration_s}
        return {"d2_ms": self.d2_ms, "queue": self.queue, "rate_bps": self.rate_bps, "tcp": int(self.tcp is not None),
                **{name: value for name, value in own.items() if value is not None}}

    def forward(self, d2_ms):
        """Keys of the testbed for the bottleneck towards the receiver, besides its rate and queue."""
        keys = _delay(d2_ms, self.jitter_ms)
        return keys | ({"loss": self.loss} if self.loss else {}) | ({"aqm": self.aqm} if self.aqm else {})

    def backward(self, d2_ms):
        return _delay(d2_ms, self.backward_jitter_ms)


def _delay(d2_ms, jitter_ms):
    if not jitter_ms:
        return {"delay": f"{d2_ms}ms"}
    # In the testbed's specs the delay is the middle of the jitter's range.
    return {"delay": f"{d2_ms + jitter_ms / 2:g}ms", "jitter": f"{jitter_ms / 2:g}ms", "ordered": True}


def _bdp(rate_bps, rtt_ms, times=1):
    """A number of bandwidth-delay products, in packets; at least the length of Table 1's queue."""
    return max(LEAST_QUEUE, round(times * rate_bps * rtt_ms / 1000 / PACKET_BITS))


def _wide(title, rtt_ms, **changes):
    """A condition at 5 Mbit/s with a queue of one bandwidth-delay product."""
    return Condition(title, d2_ms=rtt_ms // 2, queue=_bdp(5_000_000, rtt_ms), **changes)


_NARROW = {"rate_bps": 2_000_000, "d2_ms": 20, "queue": 20}
_SHARED = {"rate_bps": 10_000_000, "d2_ms": 25, "lanes": 1}
_DEEP = _bdp(10_000_000, 50, times=10)
# The kernel's default for codel; that for fq_codel is ten times as large.
_AQM_QUEUE = 1000
_RED_QUEUE = 60

PLAIN = Condition()

POINTS = {
    "alone": Condition("alone on Table 1's link: 2 Mbit/s, RTT 40 ms, queue 20", **_NARROW),
    "alone-1.2": Condition("the same, the movie scaled to 1.2 Mbit/s", movie_bps=1_200_000, lanes=3,
                           **_NARROW),
    "alone-2.2": Condition("the same, the movie scaled to 2.2 Mbit/s: more than the link has", movie_bps=2_200_000,
                           lanes=2, **_NARROW),
    # Five seeds of a fifth of the trace are the whole movie: few scenes decide what is missed.
    "peaks": Condition("a movie on Table 1's link whose peak second has 3.5 Mbit/s", movie="action-movie", duration_s=120,
                       lanes=3, **_NARROW),
    "jitter-10": _wide("5 Mbit/s, RTT 40 ms and 0 to 10 ms of jitter towards the receiver", 40, jitter_ms=10),
    "jitter-50": _wide("5 Mbit/s, RTT 120 ms and 0 to 50 ms of jitter towards the receiver", 120, jitter_ms=50),
    "jitter-feedback": _wide("5 Mbit/s, RTT 200 ms and 0 to 50 ms of jitter towards the sender", 200,
                             backward_jitter_ms=50),
    "step": _wide("5 Mbit/s, RTT 50 ms, in the middle of the movie 150 ms", 50, step_d2_ms=75),
    "loss-0.1": _wide("5 Mbit/s, RTT 120 ms, random loss of 0.1 %", 120, loss=0.001),
    "loss-0.5": _wide("5 Mbit/s, RTT 120 ms, random loss of 0.5 %", 120, loss=0.005),
    "loss-1": _wide("5 Mbit/s, RTT 120 ms, random loss of 1 %", 120, loss=0.01),
    "loss-2": _wide("5 Mbit/s, RTT 120 ms, random loss of 2 %", 120, loss=0.02),
    "loss-1-300": _wide("5 Mbit/s, RTT 300 ms, random loss of 1 %", 300, loss=0.01),
    "reno": Condition("beside TCP Reno: 2 Mbit/s, RTT 40 ms, queue 20", tcp="reno", **_NARROW),
    "cubic": Condition("beside TCP CUBIC: 2 Mbit/s, RTT 40 ms, queue 20", tcp="cubic", **_NARROW),
    "reno-deep": Condition("beside TCP Reno: 10 Mbit/s, RTT 50 ms, queue of 10 BDP", queue=_DEEP, tcp="reno", **_SHARED),
    "cubic-deep": Condition("beside TCP CUBIC: 10 Mbit/s, RTT 50 ms, queue of 10 BDP", queue=_DEEP, tcp="cubic",
                            **_SHARED),
    "fq_codel": Condition("beside TCP CUBIC: 10 Mbit/s, RTT 50 ms, fq_codel", queue=_AQM_QUEUE, aqm="fq_codel",
                          tcp="cubic", **_SHARED),
    "codel": Condition("beside TCP CUBIC: 10 Mbit/s, RTT 50 ms, codel", queue=_AQM_QUEUE, aqm="codel", tcp="cubic",
                       **_SHARED),
    "red": Condition("beside TCP CUBIC: 10 Mbit/s, RTT 50 ms, red with a queue of 60", queue=_RED_QUEUE, aqm="red",
                     tcp="cubic", **_SHARED),
}


def of(parameters):
    """The condition under which a run is played."""
    return POINTS[parameters["condition"]] if "condition" in parameters else PLAIN
