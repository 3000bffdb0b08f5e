# SPDX-License-Identifier: LGPL-2.1-or-later
"""What goes wrong in the soak test. A fault begins, lasts, and ends; then its streams recover."""

import dataclasses

GOOD = {"kbps": 2000, "delay_ms": 40, "loss": 0, "reordered": 0, "duplicated": 0, "damaged": 0, "forged": 0}
# Of a link that stays usable: what the links have besides the faults
WORN = GOOD | {"loss": 0.002, "reordered": 0.002, "duplicated": 0.001}

BETWEEN_INTERFACE_S = 20  # as the interface's fault meets all streams
REST_S = 5  # after a fault, in which only the interface's fault may touch its streams

LINK = {
    "rate": lambda random: {"kbps": random.choice((350, 500, 1000, 4000))},
    "delay": lambda random: {"delay_ms": random.choice((10, 120, 250))},
    "loss": lambda random: {"loss": 0.05},
    "reordering": lambda random: {"reordered": 0.05},
    "duplicates": lambda random: {"duplicated": 0.01},
    "damage": lambda random: {"damaged": 0.001},
    "forgeries": lambda random: {"forged": 0.05},
}
# Of one process: a sender, or a receiver
PROCESS = {
    "clock-step": lambda random: {"step_s": random.choice((-90, -1, -0.02, 0.02, 1, 90))},
    "descriptors": lambda random: {},
}
KINDS = (*LINK, "outage", "rebind", "killed", "stopped", "interface", *PROCESS)


@dataclasses.dataclass
class Fault:
    kind: str
    streams: tuple
    end_s: float
    change: dict = None  # of the link
    at_sender: bool = False  # or at the streams' receiver
    step_s: float = 0  # of the wall clock


def link_lines(streams, link):
    return [f"link {stream} {link['kbps']} {link['delay_ms']} {link['loss']} {link['reordered']} {link['duplicated']} "
            f"{link['damaged']} {link['forged']}" for stream in streams]


class Chooser:
    """Chooses faults at random: all of a run depends on the seed and on the time. Kinds come in turn,
    so that each comes often. Only the interface's fault meets streams that have another fault."""

    def __init__(self, random, streams, groups, protected):
        self._random = random
        self._streams = streams
        self._groups = groups  # of streams, each the streams of a receiving process
        self._protected = protected
        self._turn = 0
        self._interface_s = 0  # no earlier
        self._busy_until_s = [0] * streams

    def next(self, kinds, now_s):
        """A fault of the next of these kinds that begins now, or None if too few streams have recovered."""
        kind = kinds[self._turn % len(kinds)]
        self._turn += 1
        streams = self._choose(kind, now_s)
        if not streams:
            return None
        lasts_s, details = self._details(kind, streams)
        for stream in streams:
            self._busy_until_s[stream] = max(self._busy_until_s[stream], now_s + lasts_s + REST_S)
        return Fault(kind, tuple(streams), now_s + lasts_s, **details)

    def _choose(self, kind, now_s):
        rested = [stream for stream in range(self._streams) if self._busy_until_s[stream] <= now_s]
        if kind == "interface":
            if now_s < self._interface_s:
                return None
            self._interface_s = now_s + BETWEEN_INTERFACE_S
            return range(self._streams)
        if kind in ("killed", "stopped", *PROCESS):
            groups = [group for group in self._groups if set(group) <= set(rested)]
            return self._random.choice(groups) if groups else None
        if kind == "rebind":
            rested = [stream for stream in rested if stream in self._protected]
            return [self._random.choice(rested)] if rested else None
        return self._random.sample(rested, min(len(rested), max(1, self._streams // 10)))

    def _details(self, kind, streams):
        if kind in LINK:
            return self._random.uniform(4, 8), {"change": WORN | LINK[kind](self._random)}
        if kind in PROCESS:
            # Of the two groups of a sender's streams the first one stands for the sender.
            at_sender = streams[0] in (0, self._protected[0]) and self._random.random() < 0.7
            return self._random.uniform(2, 5), {"at_sender": at_sender} | PROCESS[kind](self._random)
        lasts_s = {"outage": (1, 10), "rebind": (0, 0), "killed": (1, 1), "stopped": (2, 20), "interface": (1, 3)}[kind]
        return self._random.uniform(*lasts_s), {}
