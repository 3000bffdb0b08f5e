# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads a capture of IPv4 packets on Ethernet, as tcpdump writes it on this machine."""

import ipaddress
import struct
from typing import NamedTuple

_FILE = struct.Struct("=IHHiIII")
_RECORD = struct.Struct("=IIII")
_ETHERNET_BYTES = 14
_IPV4_BYTES = 20
_UDP_BYTES = 8
_NS = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}  # magic number: ns in a unit of the fraction of a second


class PcapError(Exception):
    pass


class Packet(NamedTuple):
    time_ns: int
    source: str
    ip_bytes: int
    payload: bytes  # of UDP


def read(path):
    """The IPv4 packets, in order."""
    with open(path, "rb") as file:
        content = file.read()
    if len(content) < _FILE.size or _FILE.unpack_from(content)[0] not in _NS:
        raise PcapError(f"{path}: not a capture")
    unit_ns = _NS[_FILE.unpack_from(content)[0]]
    place, packets = _FILE.size, []
    while place + _RECORD.size <= len(content):
        seconds, fraction, captured, _ = _RECORD.unpack_from(content, place)
        packet = content[place + _RECORD.size:place + _RECORD.size + captured]
        place += _RECORD.size + captured
        header = packet[_ETHERNET_BYTES:_ETHERNET_BYTES + _IPV4_BYTES]
        if packet[12:14] == b"\x08\x00" and len(header) == _IPV4_BYTES:
            packets.append(Packet(seconds * 10**9 + fraction * unit_ns, str(ipaddress.IPv4Address(header[12:16])),
                                  struct.unpack(">H", header[2:4])[0],
                                  packet[_ETHERNET_BYTES + _IPV4_BYTES + _UDP_BYTES:]))
    return packets
