# SPDX-License-Identifier: LGPL-2.1-or-later
"""Key packets and the key exchange of both ends, without socket and clock, from
docs/wire-format.md."""
import os
import struct

import mikey
from srtp import Direction, Position, Refused

FRAGMENT_BYTES = 1200
EMPTY = 2  # the number of a key packet without a message that says that the keys have come
COMES_BACK, IS_GIVEN, FLAGS = 1, 2, 15  # in the offset: which cookies stand before the fragment
COOKIE_BYTES = 8


def key_packet(ssrc, number, total=0, offset=0, fragment=b"", returned=b"", given=b""):
    flags = (COMES_BACK if returned else 0) | (IS_GIVEN if given else 0)
    data = returned + given + fragment + bytes(-len(fragment) % 4)
    return struct.pack("!BBH4s4sIHH", 0x84, 204, 4 + len(data) // 4, ssrc, b"TFRC", number, total, offset | flags) + data


def fragments(ssrc, number, message, cookie=b""):
    return [key_packet(ssrc, number, len(message), at, message[at:at + FRAGMENT_BYTES], cookie)
            for at in range(0, len(message), FRAGMENT_BYTES)]


def parse(packet):
    """Number, total, offset, the cookie that comes back, the one that is given, and the rest."""
    number, total, offset = struct.unpack_from("!IHH", packet, 12)
    rest, cookies = packet[20:], []
    for flag in COMES_BACK, IS_GIVEN:
        size = COOKIE_BYTES if offset & flag else 0
        cookies.append(rest[:size])
        rest = rest[size:]
    return number, total, offset & ~FLAGS, *cookies, rest


def is_key_packet(packet):
    return len(packet) >= 20 and packet[:2] == b"\x84\xcc" and packet[8:12] == b"TFRC"


def is_rtcp(packet):
    return 192 <= packet[1] <= 223


def positions_of(offer):
    """SSRC: Position, of the movie and of its repairs."""
    return {offer.ssrc: Position(offer.rollover), mikey.ssrc_of_repairs(offer.ssrc): Position(offer.rollover_of_repairs)}


class Assembly:
    """Joins the fragments of a message."""

    def __init__(self):
        self._which, self._parts = None, {}

    def add(self, packet):
        """The message once all of it has come, else None."""
        number, total, offset, _, _, data = parse(packet)
        if (number, total) != self._which:
            self._which, self._parts = (number, total), {}
        self._parts[offset] = data[:min(FRAGMENT_BYTES, total - offset)]
        if not total or sum(map(len, self._parts.values())) < total:
            return None
        return b"".join(self._parts[at] for at in sorted(self._parts))


class Sender:
    """The sender's end of a stream with a passphrase."""

    def __init__(self, passphrase, ssrc, rollover=0):
        self.ssrc = ssrc
        self._offer, self._message = mikey.make_offer(mikey.key_of_passphrase(passphrase), ssrc, rollover)
        self._assembly = Assembly()
        self._positions = positions_of(self._offer)
        self._own = Direction(*self._offer.stream_keys(1), self._positions)
        self._peer = None
        self._number, self.cookie = int.from_bytes(os.urandom(4), "big"), b""
        self.is_proven = False  # a packet of the receiver has come with the agreed keys

    @property
    def is_answered(self):
        return self._peer is not None

    def exchange(self):
        """The packets of the key exchange that are due at the times of offers."""
        if self.is_proven:
            return []
        if self.is_answered:
            return [self.protect(key_packet(self.ssrc, EMPTY))]
        return fragments(self.ssrc, self._number, self._message, self.cookie)

    def protect(self, packet):
        return self._own.protect_rtcp(packet) if is_rtcp(packet) else self._own.protect(packet)

    def take(self, packet):
        """A packet of the receiver: the RTCP compound in it, or None."""
        if is_key_packet(packet):
            number, _, _, _, given, _ = parse(packet)
            if given and number == self._number:
                self.cookie = given
            message = self._assembly.add(packet)
            if message and not self.is_answered:
                rand = mikey.read_verification(self._offer, message)
                self._own = Direction(*self._offer.stream_keys(1, rand), self._positions)
                self._peer = Direction(*self._offer.stream_keys(2, rand))
            return None
        if not self.is_answered:
            return None
        try:
            compound = self._peer.unprotect_rtcp(packet)
        except Refused:
            return None
        self.is_proven = True
        return None if is_key_packet(compound) else compound


class Receiver:
    """The receiver's end of a stream with a passphrase, or with the RSA keys of both ends
    (private_key, sender_key)."""

    def __init__(self, ssrc, passphrase=None, private_key=None, sender_key=None, gives_cookies=False):
        self.ssrc = ssrc
        self._cookie = os.urandom(COOKIE_BYTES) if gives_cookies else b""  # there is one sender
        self.cookies_given = 0
        self._psk = mikey.key_of_passphrase(passphrase) if passphrase else None
        self._private_key, self._sender_key = private_key, sender_key
        self._assembly = Assembly()
        self._offered, self._answer = None, []
        self._own = self._peer = self._provisional = None
        self._held = []
        self.is_proven = False  # a packet of the sender has come with the agreed keys

    @property
    def is_keyed(self):
        return self._own is not None

    def protect(self, compound):
        return self._own.protect_rtcp(compound)

    def take(self, packet):
        """A packet of the sender: (the packets that can be used now, the packets that answer)."""
        if is_key_packet(packet):
            number, total, _, returned, _, _ = parse(packet)
            if total and returned != self._cookie:
                self.cookies_given += 1
                return [], [key_packet(self.ssrc, number, given=self._cookie)]
            message = self._assembly.add(packet)
            return [], self._answered(message) if message else []
        if not self.is_keyed:
            return [], []
        try:
            clear = self._unprotect(self._peer, packet)
        except Refused:
            if not self.is_proven:
                self._held.append(packet)
            return [], []
        usable = [clear]
        if not self.is_proven:
            self.is_proven = True
            usable = self._provisionals() + usable
        return [packet for packet in usable if not is_key_packet(packet)], []

    def _answered(self, message):
        if message != self._offered:
            offer = mikey.read_offer(message, self._psk, self._private_key, self._sender_key)
            rand = os.urandom(16)
            self._offered = message
            self._answer = fragments(self.ssrc, 1, mikey.verification(offer, rand))
            positions = positions_of(offer)
            self._provisional = Direction(*offer.stream_keys(1), positions)
            self._peer = Direction(*offer.stream_keys(1, rand), positions)
            self._own = Direction(*offer.stream_keys(2, rand))
        return self._answer

    @staticmethod
    def _unprotect(direction, packet):
        return direction.unprotect_rtcp(packet) if is_rtcp(packet) else direction.unprotect(packet)

    def _provisionals(self):
        """What was held for the proof, if its provisional keys are right."""
        usable = []
        for packet in self._held:
            try:
                usable.append(self._unprotect(self._provisional, packet))
            except Refused:
                pass
        self._held.clear()
        return usable
