# SPDX-License-Identifier: LGPL-2.1-or-later
"""What happened to a stream during a move: measures, and series over time, from the logs of a run.

Owns the meaning of each measure. Hashes identify packets, so that an overtaken packet does not
count as lost. The time of a loss is the time at which the packet left, as the queues are next to
the sender. Time 0 is the move.
"""

import json
import pathlib
import struct

import numpy as np

import logs
import moves
import pcap
from batch import runner

WINDOWS_S = (1, 5)
FRAME_S = 0.04
# Packets that are due this long before the move count, too, as they may be under way at the move.
JUDGED_BEFORE_S = 0.5
HASHED_BYTES = 1316
RTCP_TYPES = range(192, 224)
REFUSALS = [f"packets-refused-{reason}" for reason in ("authentication", "replay", "plaintext", "no-key")]


class Seen:
    """The packets that left the sender, in that order; seconds since the move, NaN for never."""

    def __init__(self, sent, arrivals, origin_ns, packet_bytes):
        self.packet_bytes = packet_bytes
        self.hash, self.left_s = sent.hash, _seconds(sent.time_ns, origin_ns)
        self.arrived_s = _first_time(arrivals, self.hash, origin_ns)
        self.lost = np.isnan(self.arrived_s)
        arrived = np.flatnonzero(~self.lost)
        by_time = arrived[np.argsort(self.arrived_s[arrived], kind="stable")]
        self.overtaken = np.zeros(len(self.hash), dtype=bool)
        self.overtaken[by_time] = by_time < np.maximum.accumulate(by_time)

    def window(self, length_s):
        """dropped, overtaken, and Mbit/s on the wire within length_s after the move."""
        dropped = self.lost & _within(self.left_s, length_s)
        arrived = ~self.lost & _within(self.arrived_s, length_s)
        return {"dropped": int(np.count_nonzero(dropped)), "overtaken": int(np.count_nonzero(arrived & self.overtaken)),
                "mbps": float(np.count_nonzero(arrived)) * self.packet_bytes * 8 / length_s / 1e6}


def _seconds(times_ns, origin_ns):
    return (times_ns - origin_ns) / 1e9


def _within(times_s, length_s):
    return (times_s >= 0) & (times_s < length_s)


def _first_time(packets, hashes, origin_ns):
    """The time at which each of these hashes was first seen among the packets."""
    order = np.lexsort((packets.time_ns, packets.hash))
    known, times_s = packets.hash[order], _seconds(packets.time_ns[order], origin_ns)
    if not len(known):
        return np.full(len(hashes), np.nan)
    place = np.minimum(np.searchsorted(known, hashes, "left"), len(known) - 1)
    return np.where(known[place] == hashes, times_s[place], np.nan)


def _facts(directory):
    with open(directory / "run.json", encoding="utf-8") as file:
        return json.load(file)


def move_ns(run, directory):
    """The time of the move: when the events that change the routes are done. They take a
    millisecond or two."""
    facts = _facts(directory)
    at_s = facts["events_done_s"][0] if facts["events_done_s"] else run.move_s
    return facts["started_realtime_ns"] + int(at_s * 1e9)


def seen(run, directory, origin_ns):
    wires = [logs.read_wire(directory / f"wire-{link}.csv").into() for link in moves.links(run)]
    arrivals = logs.Packets(*(np.concatenate(column) for column in zip(*wires)))
    sent = logs.read_wire(directory / "wire-trunk.csv").out()
    # Challenges of a path may be as long as the stream's packets.
    if run.secure:
        own = ~np.isin(sent.hash, _long_rtcp(directory) if run.leaving else [])
    else:
        own = np.isin(sent.hash, logs.read_due(directory / "due.csv").hash)
    return Seen(logs.Packets(sent.time_ns[own], sent.hash[own]), arrivals, origin_ns, moves.packet_bytes(run))


def _long_rtcp(directory):
    """Hashes of the RTCP packets that the sender's meter counts. The second byte is never encrypted."""
    return np.array([_hash(packet.payload[-HASHED_BYTES:]) for packet in pcap.read(directory / "pcap" / "cn-trunk.pcap")
                     if len(packet.payload) >= HASHED_BYTES and packet.payload[1] in RTCP_TYPES], dtype=np.uint64)


def _hash(content):
    """As in tools/meter/packethash.h."""
    value = 0xCBF29CE484222325
    for word in struct.unpack("<164QI", content):
        value = (value ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        value ^= value >> 32
    return value


def measure(run, directory):
    """One row of measures."""
    directory = pathlib.Path(directory)
    try:
        return _measure(run, directory)
    except (logs.LogError, pcap.PcapError, OSError) as error:
        raise runner.RunFailed(str(error)) from error
    except (KeyError, ValueError, IndexError, StopIteration) as error:
        raise runner.RunFailed(f"{directory}: its logs are not complete ({error!r})") from error


def _measure(run, directory):
    origin_ns = move_ns(run, directory)
    stream = seen(run, directory, origin_ns)
    if not np.any(stream.left_s < 0):
        raise runner.RunFailed("nothing was sent before the move")
    row = {name: getattr(run, name) for name in ("content", "before_ms", "after_ms", "adaptation", "leaving", "secure",
                                                "seed")}
    for length_s in WINDOWS_S:
        row |= {f"{name}_{length_s}s": value for name, value in stream.window(length_s).items()}
    row["dropped"] = int(np.count_nonzero(stream.lost & (stream.left_s >= -JUDGED_BEFORE_S)))
    if run.content == "movie":
        row |= _frames(directory, origin_ns)
    ends = _ends(directory)
    if run.leaving:
        row |= _roaming(directory, stream, _due_s(run, directory, stream, ends, origin_ns), origin_ns)
    return row | ends


def _frames(directory, origin_ns):
    """The frames that a player misses from the move on. The player starts PLAYOUT_S after the first
    packet has come."""
    due = logs.read_due(directory / "due.csv")
    due_s = _seconds(due.time_ns, origin_ns)
    delivered_s = _first_time(logs.read_arrivals(directory / "received.csv"), due.hash, origin_ns)
    judged = due_s >= -JUDGED_BEFORE_S
    missing = judged & np.isnan(delivered_s)
    first = np.nanargmin(delivered_s)  # of those that have come: the movie's first packet may be lost
    late = judged & (delivered_s - due_s > delivered_s[first] - due_s[first] + moves.PLAYOUT_S)
    # A frame's packets are due within its interval.
    frames = np.floor((due_s - due_s[0]) / FRAME_S)
    return {"packets": int(np.count_nonzero(judged)), "missing": int(np.count_nonzero(missing)),
            "late": int(np.count_nonzero(late)), "frames": len(np.unique(frames[judged])),
            "frames_late": len(np.unique(frames[late])), "frames_hit": len(np.unique(frames[late | missing])),
            "delivery_max_s": float(np.nanmax((delivered_s - due_s)[judged]))}


def _due_s(run, directory, stream, ends, origin_ns):
    """When each packet that left was due. Nobody but the receiver can read which of the movie's packets
    a protected one is, but no packet changes its place."""
    due = logs.read_due(directory / "due.csv")
    if not run.secure:
        return _first_time(due, stream.hash, origin_ns)
    if ends["packets_dropped_by_sender"] or len(due.time_ns) < len(stream.hash):
        raise runner.RunFailed("the sender has left packets out, so that protected packets cannot be counted")
    return _seconds(due.time_ns[:len(stream.hash)], origin_ns)


def _roaming(directory, stream, due_s, origin_ns):
    """How long nothing arrived, and how much of that time passed after the receiver had first sent
    from its new address."""
    arrived_s = np.sort(stream.arrived_s[~stream.lost])
    arrived_s = arrived_s[arrived_s >= np.max(arrived_s[arrived_s < 0])]
    spoke_ns = next(packet.time_ns for packet in pcap.read(directory / "pcap" / "mn-mobile.pcap")
                    if packet.source == moves.MOBILE_ADDRESS)
    spoke_s = (spoke_ns - origin_ns) / 1e9
    came_s = _first_time(logs.read_wire(directory / "wire-mobile.csv").into(), stream.hash, origin_ns)
    first = int(np.nanargmin(came_s))
    answered_s = float(came_s[first]) - spoke_s
    # While no packet of the movie is due, none can arrive.
    rate_bps, delay_ms = moves.ACCESS["mobile"]
    return {"silence_s": float(np.max(np.diff(arrived_s))), "spoke_s": spoke_s, "playing_s": answered_s,
            "playing_rtts": answered_s / moves.base_rtt_s(delay_ms, rate_bps),
            "movie_gap_s": float(due_s[first] - due_s[first - 1])}


def read_stats(path, factory):
    """Pairs of time and statistics of the element of this factory."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise logs.LogError(f"{path}:{number}: {error}") from error
            if row["factory"] == factory:
                rows.append((row["time_ns"], row["stats"]))
    if not rows:
        raise logs.LogError(f"{path}: nothing from {factory}")
    return rows


def _ends(directory):
    """The last statistics of both elements."""
    receiver = read_stats(directory / "receiver.jsonl", "tfrcsrc")[-1][1]
    sender = read_stats(directory / "sender.jsonl", "tfrcsink")[-1][1]
    refused = sum(end.get(field, 0) for end in (sender, receiver) for field in REFUSALS)
    return {"refused": refused, "handovers": receiver["handovers"], "handovers_completed": receiver["handovers-completed"],
            "migrations": sender["migrations"], "packets_dropped_by_sender": sender["packets-dropped"]}


# ---- over time -------------------------------------------------------------------------------------------------------

SENDER = {"allowed-rate": None, "receive-rate": None, "rtt": 1e-9, "loss-event-rate": 1}  # None: as on the wire


def series(run, directory):
    """name -> (times, values), for drawing: rates in bit/s on the wire, times in seconds."""
    directory = pathlib.Path(directory)
    origin_ns = move_ns(run, directory)
    stream = seen(run, directory, origin_ns)
    result = {"lost": (stream.left_s[stream.lost], np.arange(1, np.count_nonzero(stream.lost) + 1))}
    rows = read_stats(directory / "sender.jsonl", "tfrcsink")
    times_s = np.array([(time_ns - origin_ns) / 1e9 for time_ns, _ in rows])
    for name, scale in SENDER.items():
        scale = scale or stream.packet_bytes / moves.PAYLOAD_BYTES
        result[name] = (times_s, np.array([stats[name] for _, stats in rows]) * scale)
    rows = read_stats(directory / "receiver.jsonl", "tfrcsrc")
    result["phase"] = (np.array([(time_ns - origin_ns) / 1e9 for time_ns, _ in rows]),
                       [stats["handover-phase"] for _, stats in rows])
    return result
