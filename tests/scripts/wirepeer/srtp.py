# SPDX-License-Identifier: LGPL-2.1-or-later
"""SRTP and SRTCP with AEAD_AES_128_GCM: RFC 3711, RFC 7714."""
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

TAG_BYTES = 16
IS_ENCRYPTED = 1 << 31


class Refused(Exception):
    """The packet is not of these keys, or too short."""


def header_bytes(data):
    """The RTP header with CSRCs and extension."""
    size = 12 + 4 * (data[0] & 15)
    if data[0] & 0x10:
        size += 4 + 4 * struct.unpack_from("!H", data, size + 2)[0]
    return size


def exclusive_or(one, other):
    return bytes(x ^ y for x, y in zip(one, other))


class Position:
    """Where a stream of data is. New keys do not change it."""

    def __init__(self, rollover=0):
        self.rollover, self.highest = rollover, None

    def rollover_of(self, number):
        """The rollover counter of a sequence number: RFC 3711, 3.3.1."""
        if self.highest is None:
            return self.rollover
        if self.highest < 0x8000:
            return self.rollover - (number - self.highest > 0x8000)
        return self.rollover + (self.highest - 0x8000 > number)

    def took(self, rollover, number):
        if self.highest is None or (rollover, number) > (self.rollover, self.highest):
            self.rollover, self.highest = rollover, number


class Direction:
    """The session keys of one crypto session. It protects the packets of one end, or unprotects
    them. positions: SSRC: where its data is. RTCP needs none."""

    def __init__(self, master_key, master_salt, positions=()):
        def derived(label, size):  # RFC 3711, 4.3; the salt has zeros behind it (RFC 7714, 11)
            x = bytearray(master_salt + bytes(4))
            x[7] ^= label
            return Cipher(algorithms.AES(master_key), modes.CTR(bytes(x))).encryptor().update(bytes(size))
        self._data, self._data_salt = AESGCM(derived(0, 16)), derived(2, 12)
        self._rtcp, self._rtcp_salt = AESGCM(derived(3, 16)), derived(5, 12)
        self._positions, self._index = positions, 0

    def _data_nonce(self, ssrc, rollover, number):
        return exclusive_or(self._data_salt, b"\0\0" + ssrc + struct.pack("!IH", rollover, number))

    def _rtcp_nonce(self, ssrc, index):
        return exclusive_or(self._rtcp_salt, b"\0\0" + ssrc + struct.pack("!HI", 0, index))

    def protect(self, data):
        number, = struct.unpack_from("!H", data, 2)
        position = self._positions[data[8:12]]
        rollover, size = position.rollover_of(number), header_bytes(data)
        position.took(rollover, number)
        return data[:size] + self._data.encrypt(self._data_nonce(data[8:12], rollover, number), data[size:], data[:size])

    def unprotect(self, packet):
        try:
            number, = struct.unpack_from("!H", packet, 2)
            position = self._positions[packet[8:12]]
            rollover, size = position.rollover_of(number), header_bytes(packet)
            text = self._data.decrypt(self._data_nonce(packet[8:12], rollover, number), packet[size:], packet[:size])
        except (InvalidTag, struct.error, ValueError, KeyError) as error:
            raise Refused from error
        position.took(rollover, number)
        return packet[:size] + text

    def protect_rtcp(self, compound):
        self._index += 1
        index = struct.pack("!I", IS_ENCRYPTED | self._index)
        nonce = self._rtcp_nonce(compound[4:8], self._index)
        return compound[:8] + self._rtcp.encrypt(nonce, compound[8:], compound[:8] + index) + index

    def unprotect_rtcp(self, packet):
        if len(packet) < 8 + TAG_BYTES + 4:
            raise Refused
        index = packet[-4:]
        nonce = self._rtcp_nonce(packet[4:8], int.from_bytes(index, "big") & ~IS_ENCRYPTED)
        try:
            return packet[:8] + self._rtcp.decrypt(nonce, packet[8:-4], packet[:8] + index)
        except (InvalidTag, ValueError) as error:
            raise Refused from error
