# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares a received MPEG transport stream with the one that was sent, TS packet by TS packet."""

from collections import namedtuple

TS_PACKET = 188
RTP_PACKET = 7  # TS packets that travel, and are lost, together
# The search for a foreign packet is a pass over the whole sent stream. After this number of foreign
# packets all that do not match at once count as foreign, too.
FOREIGN_MAX = 1000

# identical: both streams have the same bytes. missing: TS packets of the sent stream that did not
# arrive. foreign: received TS packets that were never sent. end: where in the sent stream, in
# bytes, the last match ended.
Comparison = namedtuple("Comparison", "identical sent received missing foreign end")


def _find(sent, needle, start):
    """The position of needle in sent, at or after start and on a packet boundary; -1 if not
    found."""
    while True:
        start = sent.find(needle, start)
        if start < 0 or start % TS_PACKET == 0:
            return start
        start += 1


def _locate(sent, received, position, start):
    """Finds, after a gap, the received data at position in the sent stream, at or after start; -1
    if it is not there.

    Searches for a whole RTP payload first, since single packets (padding) may look alike. Then
    searches for a single packet, in case the next gap follows sooner.
    """
    for length in (RTP_PACKET, 1):
        found = _find(sent, received[position : position + length * TS_PACKET], start)
        if found >= 0:
            return found
    return -1


def compare(sent, received, cut=False):
    """Compares two streams, given as bytes. cut: sending was stopped early, and packets of the sent
    stream after the last received one are not missing."""
    at = foreign = position = 0
    while position < len(received):
        packet = received[position : position + TS_PACKET]
        if sent[at : at + TS_PACKET] != packet:
            found = _locate(sent, received, position, at) if foreign < FOREIGN_MAX else -1
            if found < 0:
                foreign += 1
                position += TS_PACKET
                continue
            at = found
        at += len(packet)
        position += TS_PACKET
    total = -(-at // TS_PACKET) if cut else -(-len(sent) // TS_PACKET)
    arrived = -(-len(received) // TS_PACKET)
    reference = sent[:at] if cut else sent
    return Comparison(reference == received, total, arrived, total - (arrived - foreign), foreign, at)
