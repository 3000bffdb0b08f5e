# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calls to a sender that listens."""
import os
import struct
import time

import packets
from movie import Stream
from network import ADDRESSES
from protected import Flood
from single_packet import effect_since
from table import Effect, attack

COOKIE_AT = 16
OBSERVED_S = 5


def call(stream_id):
    """A call without a cookie that is the listener's."""
    return struct.pack("!BBH4s4sI8sHH", 0x85, packets.APP, 6 + len(stream_id) // 4, packets.random_ssrc(), b"TFRC", 7, os.urandom(8),
                       len(stream_id), 0) + stream_id


class Called(Stream):
    """A movie from a tfrcsink that listens to a tfrcsrc that calls."""

    def __init__(self, port):
        super().__init__(port, "mode=listener", f"mode=caller address={ADDRESSES['sender']} streamid=film", receiver=False)
        self.sender.wait_for_playing()
        self.start_receiver()
        self.wait_for_packets(60)


@attack("calls to a sender that listens", "off path, a flood", "nothing missed", 30)
def calls(port):
    with Called(port) as stream:
        with Flood(stream.source, call(b"film"), COOKIE_AT) as flood:
            effect = effect_since(stream, time.monotonic(), OBSERVED_S, worst=0)
            other = stream.start_receiver()
            other.wait_for_playing()
            start = time.monotonic()
            stream.wait_for_packets(1)
            took = other.came[0][0] - start
        callers, received = stream.sender.number("callers-accepted"), stream.sender.number("calls-received")
    return Effect(f"{effect.text}, {flood.per_s:.0f} calls a second, another caller starts after {max(took, 0):.2f} s, "
                  f"{callers:.0f} callers",
                  effect.ok and flood.per_s > 0 and received > 0 and callers <= 2, effect.share)
