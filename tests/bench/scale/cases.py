# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is measured: elements, their launch lines and their receivers."""

import dataclasses

PORT = 21000
PACKET_BITS = 1316 * 8
_SOURCE = "benchsrc stream={{n}} rate={rate} ! "
_END = " ! fakesink sync=false async=false"


@dataclasses.dataclass(frozen=True)
class Sink:
    """line: with {rate} and {host}; {{n}} and {{port}} are left for each pipeline. mode: of
    bench-scale-receiver; empty: nothing is sent. partner: the line of the pipelines that receive,
    if bench-scale-receiver cannot, with {sender}. listens: one pipeline serves all streams, which
    are callers."""

    line: str
    mode: str
    partner: str = ""
    listens: bool = False


SINKS = {
    "tfrcsink": Sink(_SOURCE + f"tfrcsink host={{host}} port={PORT}", "tfrc"),
    "tfrcsink mode=listener": Sink(_SOURCE + f"tfrcsink mode=listener port={PORT} max-callers=4000", "call", listens=True),
    "udpsink": Sink(_SOURCE + f"udpsink host={{host}} port={PORT} sync=true", "udp"),
    "srtsink": Sink(_SOURCE + "srtsink uri=srt://{host}:{{port}}?mode=caller", "srt",
                    "srtsrc uri=srt://0.0.0.0:{{port}}?mode=listener" + _END),
    "srtsink mode=listener": Sink(_SOURCE + f"srtsink uri=srt://:{PORT}?mode=listener wait-for-connection=false", "srtcall",
                                  f"srtsrc uri=srt://{{sender}}:{PORT}?mode=caller" + _END, listens=True),
    "fakesink": Sink(_SOURCE + "fakesink sync=true", ""),
}
BASELINE = "fakesink"
OURS = "tfrcsink"
OUR_SINKS = (OURS, "tfrcsink mode=listener")

# Launch line, and the mode of bench-scale-feeder
SOURCES = {
    "tfrcsrc": ("tfrcsrc port={{port}}" + _END, "tfrc"),
    "udpsrc": ("udpsrc port={{port}}" + _END, "udp"),
}
OUR_SOURCE = "tfrcsrc"


@dataclasses.dataclass(frozen=True)
class Case:
    """One measurement. streams: of a sink that listens, its callers. rtt_ms: by which feedback to tfrcsink is delayed; 0 for
    other elements."""

    element: str
    streams: int
    rate_bps: int
    rtt_ms: int = 0

    @property
    def is_source(self):
        return self.element in SOURCES

    @property
    def name(self):
        """The element, and the round-trip time if there is one."""
        return f"{self.element}, RTT {self.rtt_ms} ms" if self.rtt_ms else self.element


def cases_of(streams, rates, peers, rtts, sources):
    """Groups of cases that are measured one after the other: those with the same number of streams
    and the same rate."""
    groups = []
    for rate in rates:
        for count in streams:
            sinks = [Case(OURS, count, rate, rtt) for rtt in rtts]
            others = [Case(peer, count, rate, max(rtts) if SINKS[peer].mode == "call" else 0) for peer in (*peers, BASELINE)]
            groups.append(sinks + others)
        for count in sources:
            groups.append([Case(element, count, rate) for element in SOURCES])
    return groups
