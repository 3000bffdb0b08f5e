#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures of each packet of a stream, and of each flow beside it, from the logs of both ends.

Owns the joining. A packet is known by its hash in the logs of the sender (when it was due), of the wires at sender and
receiver, and of the receiver (when it was delivered). Its way has four parts:

    due [sender] its first copy leaves [recovery] the copy that arrives leaves [network] it arrives [hold] delivered

recovery is 0 unless the transport repeats packets. IPTD is the sum of the first three parts, as in
the paper: sender and network, without the time for which the receiver holds a packet. delivery is
the sum of all four. If packets cannot be recognised on the wires, as over TCP, the parts are
unknown: IPTD is then the delivery, and iptd_from says so.

As a program: analysis.py --due DUE.csv --arrivals ARRIVALS.csv [--wire-a A.csv --wire-b B.csv] prints JSON.
"""

import argparse
import json
import sys
from typing import NamedTuple

import numpy as np

import logs
import metrics
import pictures

PACKET_BYTES = 1316
BUFFERS_S = (0.2, 0.5, 1, 2)
FRAME_BUFFERS_S = (0.5, 1, 2)
COV_INTERVALS_S = (0.1, 1)
PARTS = ("sender", "recovery", "network", "hold", "iptd", "delivery")
NS = 1e9  # in a second; dividing by it rounds once


class Journey(NamedTuple):
    """The packets of one stream in the order in which they were due. Times are seconds since the
    first packet was due; NaN is never."""
    due_s: np.ndarray
    number: np.ndarray  # its place in the log of packets that were due, from 0
    left_s: np.ndarray  # the first copy, at the sender's interface
    copy_left_s: np.ndarray  # the copy that arrived
    arrived_s: np.ndarray  # at the receiver's interface, the first time
    delivered_s: np.ndarray  # to the application, the first time
    copies: np.ndarray  # the number of copies that left
    origin_ns: int
    copies_left_s: np.ndarray  # when each copy of any packet left
    ambiguous: int  # packets that share their hash with another, and are left out
    foreign: int  # deliveries of packets that were not sent
    duplicates: int  # deliveries of packets that had been delivered before
    on_wires: bool  # whether there are logs of the wires, and packets were recognised in them


class _Sightings:
    """The times at which packets were seen at one place, by hash."""

    def __init__(self, packets, origin_ns):
        order = np.lexsort((packets.time_ns, packets.hash))
        self.hash = packets.hash[order]
        self.time_s = (packets.time_ns[order] - origin_ns) / NS

    def of(self, hashes):
        """For each hash the range of its sightings, the earliest first."""
        return np.searchsorted(self.hash, hashes, "left"), np.searchsorted(self.hash, hashes, "right")

    def first(self, hashes):
        start, end = self.of(hashes)
        times = np.full(len(hashes), np.nan)
        seen = end > start
        times[seen] = self.time_s[start[seen]]
        return times, end - start


def _copies_that_arrived(sightings, hashes, left_s, copies, arrived_s):
    """The time at which the copy left that arrived first. This is the last copy that could have
    arrived by then, given the smallest network delay of the run."""
    arrived = ~np.isnan(arrived_s)
    fastest_s = np.min((arrived_s - left_s)[arrived & (copies == 1)], initial=np.inf)
    chosen = np.where(arrived, left_s, np.nan)
    start, end = sightings.of(hashes)
    for n in np.flatnonzero(arrived & (copies > 1)):
        times = sightings.time_s[start[n]:end[n]]
        possible = times[times <= arrived_s[n] - fastest_s + metrics.ROUNDING_S]
        chosen[n] = possible[-1] if len(possible) else times[0]
    return chosen


def join(due, arrivals, wire_a=None, wire_b=None):
    """A Journey from the logs of sender and receiver, and of the wires at both if these logs
    exist."""
    if not len(due.hash):
        raise logs.LogError("no packet was due")
    hashes, index, times = np.unique(due.hash, return_index=True, return_counts=True)
    own = np.sort(index[times == 1])
    own = own[np.argsort(due.time_ns[own], kind="stable")]
    own_hash = due.hash[own]
    origin_ns = int(np.min(due.time_ns))

    delivered_s, deliveries = _Sightings(arrivals, origin_ns).first(own_hash)
    nothing = np.full(len(own), np.nan)
    left_s, copy_left_s, arrived_s, copies = nothing, nothing, nothing, np.zeros(len(own), dtype=np.int64)
    copies_left_s = np.array([])
    if wire_a is not None and wire_b is not None:
        at_a = _Sightings(wire_a.out(), origin_ns)
        left_s, copies = at_a.first(own_hash)
        arrived_s, _ = _Sightings(wire_b.into(), origin_ns).first(own_hash)
        copy_left_s = _copies_that_arrived(at_a, own_hash, left_s, copies, arrived_s)
        copies_left_s = np.sort(at_a.time_s[np.isin(at_a.hash, own_hash)])
    return Journey(
        due_s=(due.time_ns[own] - origin_ns) / NS, number=own, left_s=left_s, copy_left_s=copy_left_s, arrived_s=arrived_s,
        delivered_s=delivered_s, copies=copies, origin_ns=origin_ns, copies_left_s=copies_left_s,
        ambiguous=len(due.hash) - len(own), foreign=int(np.count_nonzero(~np.isin(arrivals.hash, hashes))),
        duplicates=int(np.sum(np.maximum(deliveries - 1, 0))), on_wires=bool(np.any(copies > 0)))


def _within(journey, start_s, end_s):
    """The part of the journey with the packets that were due from start to end."""
    chosen = (journey.due_s >= start_s) & (journey.due_s <= end_s)
    per_packet = ("due_s", "number", "left_s", "copy_left_s", "arrived_s", "delivered_s", "copies")
    return journey._replace(**{name: getattr(journey, name)[chosen] for name in per_packet})


def _counts(j):
    lost = np.isnan(j.delivered_s)
    counts = {"packets": len(j.due_s), "lost": int(np.count_nonzero(lost)), "iplr": float(np.mean(lost)),
              "ambiguous": j.ambiguous, "foreign": j.foreign, "duplicates": j.duplicates,
              "unsent": None, "network_lost": None, "discarded": None, "retransmissions": None}
    if j.on_wires:
        left, arrived = j.copies > 0, ~np.isnan(j.arrived_s)
        counts.update(
            unsent=int(np.count_nonzero(~left)), network_lost=int(np.count_nonzero(left & ~arrived)),
            discarded=int(np.count_nonzero(arrived & lost)), retransmissions=int(np.sum(np.maximum(j.copies - 1, 0))))
    return counts


def _parts(j):
    # All parts are of packets that arrived, so that the means of the parts add up to the mean of
    # the whole.
    parts = {"sender": np.where(np.isnan(j.arrived_s), np.nan, j.left_s - j.due_s),
             "recovery": j.copy_left_s - j.left_s, "network": j.arrived_s - j.copy_left_s,
             "hold": j.delivered_s - j.arrived_s, "delivery": j.delivered_s - j.due_s}
    parts["iptd"] = j.arrived_s - j.due_s if j.on_wires else parts["delivery"]
    return {name: np.round(delays_s, 9) for name, delays_s in parts.items()}


def stream_measures(journey, path_s=None, skip_start_s=0.0, skip_end_s=0.0, buffers_s=BUFFERS_S, frames=None):
    """All measures of one stream, as a flat dict; seconds, ratios, counts and bit/s of payload.
    frames: the log of frames, for measures of frames.

    path_s is the delay of a packet in an empty network; by default the smallest delay that was
    seen. Packets due in the first skip_start_s and the last skip_end_s seconds are left out.
    """
    start_s, end_s = float(journey.due_s[0]) + skip_start_s, float(journey.due_s[-1]) - skip_end_s
    j = _within(journey, start_s, end_s)
    if not len(j.due_s):
        raise logs.LogError(f"no packet was due from {start_s:g} to {end_s:g} s")
    parts = _parts(j)
    if path_s is None:
        path_s = metrics.delay_measures("path", parts["network" if j.on_wires else "delivery"])["path_min"] or 0.0

    result = _counts(j)
    result["iptd_from"] = "wire" if j.on_wires else "delivery"
    for name in PARTS:
        result.update(metrics.delay_measures(name, parts[name]))
    for name in ("iptd", "delivery"):
        result.update(metrics.variation_measures(name, parts[name]))
    for measures in (metrics.late_measures, metrics.missed_measures):
        result.update(measures(parts["delivery"], path_s, buffers_s))
    if frames is not None:
        result.update(pictures.missed_measures(
            frames, journey.number, np.round(journey.delivered_s - journey.due_s, 9), path_s, FRAME_BUFFERS_S,
            (j.number[0], j.number[-1]), metrics.ROUNDING_S))

    span_s = end_s - start_s
    for interval_s in COV_INTERVALS_S:
        result[f"offered_cov_{interval_s:g}"] = metrics.rate_cov(j.due_s, 1, start_s, end_s, interval_s)
        result[f"rate_cov_{interval_s:g}"] = metrics.rate_cov(
            j.copies_left_s, 1, start_s, end_s, interval_s) if j.on_wires else None
    bits = PACKET_BYTES * 8
    result["path_s"] = path_s
    result["duration_s"] = span_s
    result["offered_bps"] = len(j.due_s) * bits / span_s if span_s > 0 else None
    result["goodput_bps"] = (len(j.due_s) - result["lost"]) * bits / span_s if span_s > 0 else None
    return result


def flow_measures(flows_a, flows_b, start_ns=None, end_ns=None):
    """The measures of each flow from the sender's interface to the receiver's: a list of dicts, the
    largest flow first.

    Loss is over the whole run, and what is under way when the meters end counts as lost; over a part of
    the run, packets under way at its first edge would count, too. Rates are over the intervals of 100 ms
    that lie between start_ns and end_ns; by default from the flow's first interval to its last at the receiver.
    """
    interval_ns = 100_000_000
    found = {}
    for row in flows_a:
        if row.outgoing:
            found.setdefault(row[2:7], ([], []))[0].append(row)
    for row in flows_b:
        if not row.outgoing and row[2:7] in found:
            found[row[2:7]][1].append(row)

    results = []
    for (proto, source, sport, destination, dport), (sent, arrived) in found.items():
        packets_sent, packets_arrived = (sum(row.packets for row in rows) for rows in (sent, arrived))
        times = [row.time_ns for row in arrived]
        start = start_ns if start_ns is not None else min(times, default=0)
        end = end_ns if end_ns is not None else max(times, default=0) + interval_ns
        inside = [row for row in arrived if start <= row.time_ns and row.time_ns + interval_ns <= end]
        # Only whole intervals count, none that an edge cuts.
        first, last = -(-start // interval_ns), end // interval_ns
        seconds = (last - first) * interval_ns / NS
        result = {
            "proto": proto, "source": source, "sport": sport, "destination": destination, "dport": dport,
            "packets_sent": packets_sent, "packets_arrived": packets_arrived,
            "loss_ratio": (packets_sent - packets_arrived) / packets_sent,
            "throughput_bps": sum(row.payload_bytes for row in inside) * 8 / seconds if seconds > 0 else None,
            "wire_bps": sum(row.ip_bytes for row in inside) * 8 / seconds if seconds > 0 else None}
        for interval_s in COV_INTERVALS_S:
            result[f"rate_cov_{interval_s:g}"] = metrics.rate_cov(
                [(row.time_ns - first * interval_ns) / NS for row in sent], [row.payload_bytes for row in sent],
                0.0, seconds, interval_s)
        results.append(result)
    return sorted(results, key=lambda result: -result["packets_sent"])


def main():
    parser = argparse.ArgumentParser(description="Prints what happened to the packets of one stream, as JSON.")
    parser.add_argument("--due", required=True, help="log of vod-replay")
    parser.add_argument("--arrivals", required=True, help="log of vod-receive")
    parser.add_argument("--wire-a", help="log of wire-meter at the sender's interface")
    parser.add_argument("--wire-b", help="and at the receiver's")
    parser.add_argument("--frames", help="log of vod-replay --frames")
    parser.add_argument("--flows-a", help="log of wire-meter --flows at the sender's interface")
    parser.add_argument("--flows-b", help="and at the receiver's")
    parser.add_argument("--path", type=float, metavar="S", help="delay of the empty network")
    parser.add_argument("--skip-start", type=float, default=0.0, metavar="S", help="leave out packets due at first")
    parser.add_argument("--skip-end", type=float, default=0.0, metavar="S", help="and at last")
    o = parser.parse_args()
    for kind in ("wire", "flows"):
        if bool(getattr(o, kind + "_a")) != bool(getattr(o, kind + "_b")):
            parser.error(f"--{kind}-a and --{kind}-b go together")
    try:
        wires = [logs.read_wire(path) for path in (o.wire_a, o.wire_b) if path]
        journey = join(logs.read_due(o.due), logs.read_arrivals(o.arrivals), *wires)
        frames = logs.read_frames(o.frames) if o.frames else None
        result = {"stream": stream_measures(journey, o.path, o.skip_start, o.skip_end, frames=frames)}
        if o.flows_a:
            result["flows"] = flow_measures(logs.read_flows(o.flows_a), logs.read_flows(o.flows_b))
    except logs.LogError as error:
        sys.exit(f"analysis.py: {error}")
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
