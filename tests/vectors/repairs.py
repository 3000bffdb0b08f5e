# SPDX-License-Identifier: LGPL-2.1-or-later
"""Packets that ask for repairs (generic NACK, RFC 4585 section 6.2.1), repairs (RFC 4588 section 4) and forward error
correction (SMPTE ST 2022-1, RFC 2733), put together field by field from the RFCs and docs/wire-format.md."""

import hashlib


def fields(*values):
    """Bytes of (bits, value) one behind the other."""
    number = size = 0
    for bits, value in values:
        assert 0 <= value < 1 << bits, (bits, value)
        number, size = number << bits | value, size + bits
    assert size % 8 == 0
    return number.to_bytes(size // 8, "big")


def random_number(name, bits):
    return int.from_bytes(hashlib.shake_128(name.encode()).digest(8), "big") % (1 << bits)


# ---- requests


def pairs_of(numbers):
    """PID and the numbers that its BLP names: those of the 16 behind it that follow in the list, in rising order."""
    rest = list(numbers)
    while rest:
        pid, behind = rest.pop(0), []
        while rest and 0 < (rest[0] - pid) % 65536 <= 16 and (rest[0] - pid) % 65536 > (behind or [0])[-1]:
            behind.append((rest.pop(0) - pid) % 65536)
        yield pid, behind


def nack(ssrc, media, numbers):
    pairs = list(pairs_of(numbers))
    # version, padding, FMT, PT, length in words less one, both SSRCs
    head = fields((2, 2), (1, 0), (5, 1), (8, 205), (16, 2 + len(pairs)), (32, ssrc), (32, media))
    # "the least significant bit of the BLP is bit 1: packet (PID + 1)"
    return head + b"".join(fields((16, pid), *((1, bit in behind) for bit in range(16, 0, -1))) for pid, behind in pairs)


LISTS = (
    [0], [65535], [7, 8], [7, 23], [7, 24], [7, 23, 24], [65535, 0], [65530, 65535, 0, 10], [100, 200, 300],
    list(range(1000, 1017)), list(range(1000, 1018)), list(range(65400, 65536)) + list(range(136)),
    [17 * i for i in range(16)], [1, 3, 5, 7, 9, 11, 13, 15, 17], [40000, 40016, 40017, 40033],
)


def nack_rows():
    for i, numbers in enumerate(LISTS):
        ssrc, media = random_number("receiver %d" % i, 32), random_number("movie %d" % i, 32) & ~1
        assert len(list(pairs_of(numbers))) <= 16
        yield ssrc, media, "".join("%04x" % number for number in numbers), nack(ssrc, media, numbers).hex()


# ---- repairs


def header(payload_type, seq, timestamp, movie, rtt_us, send_time_us, ttl, transport):
    """RTP's header and extension, with the second element only if there is a TTL."""
    elements = [(4, 1), (4, 7 - 1), (24, rtt_us), (32, send_time_us)]
    if ttl:
        elements += [(4, 2), (4, 2 - 1), (8, 0), (8, ttl)]
    elements += [(4, 3), (4, 2 - 1), (16, transport)]
    used = sum(bits for bits, _ in elements)
    elements += [(8, 0)] * (-used % 32 // 8)
    words = sum(bits for bits, _ in elements) // 32
    # version, padding, extension, CSRCs, marker, payload type
    return fields((2, 2), (1, 0), (1, 1), (4, 0), (1, 0), (7, payload_type), (16, seq), (32, timestamp),
                  (32, (movie + 1) % 2 ** 32), (16, 0xBEDE), (16, words), *elements)


def repair(*row):
    *of_header, original, payload = row
    return header(97, *of_header) + fields((16, original)) + payload


def repair_rows():
    for i in range(24):
        name = "repair %d" % i
        seq, original, transport = (random_number(name + part, 16) for part in ("seq", "original", "transport"))
        if i == 0:
            seq, original, transport = 0, 65535, 0
        timestamp, movie, send_time_us = (random_number(name + part, 32) for part in ("timestamp", "movie", "send time"))
        rtt_us, ttl = random_number(name + "rtt", 24), random_number(name + "ttl", 8) if i % 2 else 0
        payload = hashlib.shake_128(name.encode()).digest(i)
        row = seq, timestamp, movie & ~1, rtt_us, send_time_us, ttl, transport, original
        yield *row, payload.hex(), repair(*row, payload).hex()


# ---- forward error correction


def fec(*row):
    *of_header, first, length, payload_type, recovered, is_row, offset, count, payload = row
    # SNBase, length recovery, E, PT recovery, mask, TS recovery, N, D, type, index, offset, NA, SNBase's upper bits
    own = fields((16, first), (16, length), (1, 1), (7, payload_type), (24, 0), (32, recovered), (1, 0), (1, is_row), (3, 0),
                 (3, 0), (8, offset), (8, count), (8, 0))
    return header(96, *of_header) + own + payload


def fec_rows():
    for i in range(24):
        name = "fec %d" % i
        seq, first, transport, length = (random_number(name + part, 16) for part in ("seq", "first", "transport", "length"))
        timestamp, movie, send_time_us, recovered = (
            random_number(name + part, 32) for part in ("timestamp", "movie", "send time", "recovered"))
        rtt_us, ttl = random_number(name + "rtt", 24), random_number(name + "ttl", 8) if i % 2 else 0
        is_row = i % 3 == 0
        offset = 1 if is_row else 1 + random_number(name + "offset", 8) % 255
        row = (seq, timestamp, movie & ~1, rtt_us, send_time_us, ttl, transport, first, length, random_number(name + "pt", 7),
               recovered, int(is_row), offset, 1 + random_number(name + "count", 8) % 255)
        payload = hashlib.shake_128(name.encode()).digest(i)
        yield *row, payload.hex(), fec(*row, payload).hex()


def check_by_hand():
    # PID 65535, and of those behind it the first, the third and the sixteenth
    assert nack(0x01020304, 0x0a0b0c0e, [65535, 0, 2, 15]).hex() == "81cd0003010203040a0b0c0effff8005"
    assert repair(3, 0x10203040, 0x0a0b0c0e, 0x010203, 0x04050607, 0, 0x1234, 0xfffe, b"\x47").hex() == \
        "9061000310203040" "0a0b0c0f" "bede0003" "1601020304050607" "31123400" "fffe" "47"
    assert fec(3, 0x10203040, 0x0a0b0c0e, 0x010203, 0x04050607, 0, 0x1234, 0xfffe, 0x0524, 33, 0xdeadbeef, 1, 1, 10,
               b"\x47").hex() == \
        "9060000310203040" "0a0b0c0f" "bede0003" "1601020304050607" "31123400" "fffe0524a1000000" "deadbeef40010a00" "47"
    assert len(repair(3, 0, 0, 0, 0, 64, 1, 2, b"")) == 34  # "at byte 32 with element 2", and two bytes of it
