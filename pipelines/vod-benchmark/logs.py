# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the logs of one run: packets that were due, passed the wires, and were delivered; flows.

Owns the formats of the logs. The error for a wrong log names file and line. Times are whole
nanoseconds of the wall clock. Hashes identify packets, see tools/meter/packethash.h.
"""

from typing import NamedTuple

import numpy as np

DUE_HEADER = "due_ns,hash"
FRAMES_HEADER = "frame,type,first_packet,last_packet"
ARRIVALS_HEADER = "arrival_ns,hash"
WIRE_HEADER = "time_ns,direction,hash,proto,sport,dport"
FLOWS_HEADER = "time_ns,direction,proto,source,sport,destination,dport,packets,ip_bytes,payload_bytes"


class LogError(Exception):
    """A log is wrong; the text is for the user."""


class Packets(NamedTuple):
    """Packets in the order of their log."""
    time_ns: np.ndarray  # int64
    hash: np.ndarray  # uint64


class Wire(NamedTuple):
    """Packets that passed an interface, in the order of their log."""
    packets: Packets
    outgoing: np.ndarray  # bool
    dport: np.ndarray  # int64

    def _chosen(self, chosen):
        return Wire(Packets(self.packets.time_ns[chosen], self.packets.hash[chosen]), self.outgoing[chosen],
                    self.dport[chosen])

    def out(self):
        return self._chosen(self.outgoing).packets

    def into(self):
        return self._chosen(~self.outgoing).packets

    def to_port(self, dport):
        """The packets that were sent to this port, to tell apart movies with equal packets."""
        return self._chosen(self.dport == dport)


class Frames(NamedTuple):
    """The frames of a movie in coding order, and the numbers of the packets that carry each."""
    types: str
    first: np.ndarray  # int64
    last: np.ndarray  # int64


class FlowCount(NamedTuple):
    """The traffic of a flow in the interval that begins at time_ns."""
    time_ns: int
    outgoing: bool
    proto: str
    source: str
    sport: int
    destination: str
    dport: int
    packets: int
    ip_bytes: int
    payload_bytes: int


def _outgoing(text):
    if text not in ("in", "out"):
        raise ValueError(f"'{text}' is not a direction")
    return text == "out"


def _hash(text):
    if len(text) != 16:
        raise ValueError(f"'{text}' is not a hash")
    return int(text, 16)


def _read(path, header, readers):
    """The columns of a CSV file. readers: a function for each column, or None for a column to leave
    out."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from error
    if lines[0] != header:
        raise LogError(f"{path}:1: '{lines[0]}' instead of the header '{header}'")
    if lines[-1] != "":
        raise LogError(f"{path}:{len(lines)}: the line has no end: the log is not complete")
    columns = [[] for _ in readers]
    wanted = [(column, reader, number) for number, (column, reader) in enumerate(zip(columns, readers)) if reader]
    for number, line in enumerate(lines[1:-1], 2):
        fields = line.split(",")
        if len(fields) != len(readers):
            raise LogError(f"{path}:{number}: {len(fields)} columns instead of {len(readers)}")
        try:
            for column, reader, index in wanted:
                column.append(reader(fields[index]))
        except ValueError as error:
            raise LogError(f"{path}:{number}: {error}") from error
    return columns


def _packets(times, hashes):
    return Packets(np.array(times, dtype=np.int64), np.array(hashes, dtype=np.uint64))


def read_due(path):
    """The log of vod-replay: when each packet was due."""
    return _packets(*_read(path, DUE_HEADER, (int, _hash)))


def _type(text):
    if text not in tuple("IPB"):
        raise ValueError(f"'{text}' is not a frame type")
    return text


def read_frames(path):
    """The log of vod-replay --frames: which packets carry each frame."""
    _, types, first, last = _read(path, FRAMES_HEADER, (None, _type, int, int))
    return Frames("".join(types), np.array(first, dtype=np.int64), np.array(last, dtype=np.int64))


def read_arrivals(path):
    """The log of vod-receive: when each packet was delivered."""
    return _packets(*_read(path, ARRIVALS_HEADER, (int, _hash)))


def read_wire(path):
    """The log of wire-meter: when each packet passed."""
    times, outgoing, hashes, _, _, dports = _read(path, WIRE_HEADER, (int, _outgoing, _hash, None, None, int))
    return Wire(_packets(times, hashes), np.array(outgoing, dtype=bool), np.array(dports, dtype=np.int64))


def read_flows(path):
    """The log of wire-meter --flows, as FlowCounts."""
    columns = _read(path, FLOWS_HEADER, (int, _outgoing, str, str, int, str, int, int, int, int))
    return [FlowCount(*row) for row in zip(*columns)]
