# SPDX-License-Identifier: LGPL-2.1-or-later
"""The measures of one movie within a run, from the logs that the run left.

Owns which logs belong to which movie, and which part of them counts: packets that are due while all
movies play, without the last seconds, whose packets are still under way at the end of the run.
analysis.py and metrics.py define the measures.
"""

import csv
import pathlib

import analysis
import logs
import pictures
import scenario
import transports
from batch import store

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ("analysis.py", "logs.py", "measures.py", "metrics.py", "pictures.py")

# Names from analysis.stream_measures, in the order of a table's columns; seconds, ratios, packets,
# bit/s
STREAM = (
    "packets", "lost", "iplr", "iptd_from", "iptd_mean", "iptd_p50", "iptd_p99", "iptd_max", "sender_mean",
    "sender_max", "recovery_mean", "network_mean", "network_max", "hold_mean", "delivery_mean", "delivery_p99",
    "delivery_max", "iptd_pdv_p99", "iptd_ipdv_mean", "delivery_ipdv_mean", "late_0.2", "late_0.5", "late_1", "late_2",
    "offered_cov_0.1", "offered_cov_1", "rate_cov_0.1", "rate_cov_1", "offered_bps", "goodput_bps", "unsent",
    "network_lost", "discarded", "retransmissions", "ambiguous", "foreign", "duplicates",
    "missed_0.2", "missed_0.5", "missed_1", "missed_2")
# Names from pictures.missed_measures; of runs that have a log of frames
FRAMES = tuple(name for buffer_s in analysis.FRAME_BUFFERS_S for name in pictures.names(buffer_s))


class BadLogs(Exception):
    """A run's logs give no measures; the text is the reason, for the user."""


def digest():
    """A hash of the code that computes measures."""
    return store.digest_of(HERE / name for name in SOURCES)


class RunLogs:
    """The logs of one run. The logs of the wires are read once for all movies."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self._kept = {}

    def _once(self, read, name):
        if name not in self._kept:
            self._kept[name] = read(self.directory / name)
        return self._kept[name]

    def wires(self, lane):
        return [self._once(logs.read_wire, f"wire-{end}{lane}.csv") for end in "ab"]

    def flows(self, lane):
        return [self._once(logs.read_flows, f"flows-{end}{lane}.csv") for end in "ab"]

    def movie(self, parameters, stream, alone_s):
        """The measures of a movie that plays for alone_s before all others do."""
        try:
            journey = analysis.join(logs.read_due(self.directory / stream.due_log),
                                    logs.read_arrivals(self.directory / stream.receive_log), *self.wires(stream.lane))
            packet_s = transports.PAYLOAD_BYTES * 8 / parameters["rate_bps"]
            frames = self.directory / stream.frames_log
            found = analysis.stream_measures(journey, path_s=parameters["d2_ms"] / 1e3 + packet_s, skip_start_s=alone_s,
                                             skip_end_s=scenario.UNCOUNTED_END_S,
                                             frames=logs.read_frames(frames) if frames.exists() else None)
            result = {name: found.get(name) for name in (*STREAM, *FRAMES)}
            if parameters["tcp"]:
                begin_ns = journey.origin_ns + int(alone_s * 1e9)
                result |= self._tcp(parameters, stream.lane, begin_ns, begin_ns + int(parameters["duration_s"] * 1e9))
            return result
        except logs.LogError as error:
            raise BadLogs(str(error)) from error

    def _tcp(self, parameters, lane, begin_ns, end_ns):
        """The measures of one TCP flow, and of all. The one is the flow of the first process with
        the lowest source port: a choice that does not depend on any measure."""
        every = analysis.flow_measures(*self.flows(lane), begin_ns, end_ns)
        flows = [flow for flow in every if flow["proto"] == "tcp" and flow["dport"] in scenario.tcp_ports(parameters)]
        carrying = []
        for port, count in scenario.tcp_ports(parameters).items():
            # Each process has one more connection, for control; it has sent the fewest packets.
            own = sorted((flow for flow in flows if flow["dport"] == port), key=lambda flow: -flow["packets_sent"])
            if len(own) < count + 1:
                raise BadLogs(f"{len(own)} of {count + 1} TCP connections to port {port}")
            carrying += sorted(own[:count], key=lambda flow: flow["sport"])
        missing = sum(flow["packets_sent"] - flow["packets_arrived"] for flow in every)
        under_way = max(0, missing - self._network_lost(lane))
        one = carrying[0]
        return {"tcp_iplr": _loss([one], carrying, under_way), "tcp_throughput_bps": one["throughput_bps"],
                "tcp_all_iplr": _loss(carrying, carrying, under_way),
                "tcp_all_throughput_bps": sum(flow["throughput_bps"] for flow in carrying)}

    def _network_lost(self, lane):
        """What the bottleneck's queue and line have lost of all packets towards the receiver."""
        path = self.directory / "links.csv"
        try:
            with open(path, newline="") as file:
                return next(int(row["dropped"]) + int(row["lost"]) for row in csv.DictReader(file)
                            if (row["link"], row["direction"]) == (f"bottleneck{lane}", "forward"))
        except (OSError, KeyError, ValueError, StopIteration) as error:
            raise BadLogs(f"{path}: no losses of the bottleneck ({error!r})") from error


def _loss(flows, carrying, under_way):
    """The part of the packets of these flows that the network has lost. Of the flows that carry data,
    which go on until the meters end, under_way packets have not come by then: neither lost nor arrived.
    Each flow has had as many of these as its part of all packets."""
    sent = sum(flow["packets_sent"] for flow in flows)
    own = under_way * sent / sum(flow["packets_sent"] for flow in carrying)
    return max(0.0, sent - own - sum(flow["packets_arrived"] for flow in flows)) / (sent - own)
