#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_keypackets.c to tests/fuzz/corpus/keypackets: the messages of
make_corpus_mikey.py for the target to cut, and key packets behind their lengths."""
import pathlib
import struct

from make_corpus_mikey import SEEDS

PACKETS, MESSAGE = b"\x00", b"\x01"
FRAGMENT_BYTES, REVERSED, REPEATED, WITH_COOKIE = 1200, 1, 2, 4
COMES_BACK, IS_GIVEN = 1, 2  # the lowest bits of the offset
COOKIE = bytes(range(0xC0, 0xC8))
LONG = bytes(range(250)) * 12


def packet(number, total, offset, data):
    padded = data + bytes(-len(data) % 4)
    return struct.pack(">BBHI4sIHH", 0x84, 204, (20 + len(padded)) // 4 - 1, 7, b"TFRC", number, total, offset) + padded


def cut(number, message, cookie=b""):
    return [packet(number, len(message), at | (COMES_BACK if cookie else 0), cookie + message[at:at + FRAGMENT_BYTES])
            for at in range(0, len(message), FRAGMENT_BYTES)]


def packets(*all_of_them):
    return PACKETS + b"".join(struct.pack("<H", len(one)) + one for one in all_of_them)


def seeds():
    for name, message in SEEDS.items():
        yield name, MESSAGE + b"\x00" + message
    for order in (0, REVERSED, REPEATED, REVERSED | REPEATED, WITH_COOKIE, WITH_COOKIE | REVERSED | REPEATED):
        yield f"long-{order}", MESSAGE + bytes([order]) + LONG
    yield "one", packets(*cut(1, SEEDS["psk"]))
    yield "three", packets(*cut(1, LONG))
    yield "two-messages", packets(*cut(1, LONG)[:2], *cut(2, SEEDS["rsa"]), *cut(1, LONG)[2:])
    yield "empty-asks", packets(packet(0, 0, 0, b""), packet(0, 0, 0, bytes(40)), packet(1, 0, 0, b""))
    yield "with-cookie", packets(*cut(1, LONG, COOKIE))
    yield "cookie-in-a-part", packets(*cut(1, LONG, COOKIE)[:2], *cut(1, LONG)[2:])
    yield "cookies-given", packets(packet(7, 0, IS_GIVEN, COOKIE), packet(8, 0, IS_GIVEN, COOKIE + bytes(1192)),
                                   packet(9, 0, IS_GIVEN | COMES_BACK, COOKIE + COOKIE[::-1] + bytes(1192)))
    yield "cookies-cut", packets(packet(7, 0, IS_GIVEN, COOKIE[:4]), packet(9, 0, IS_GIVEN | COMES_BACK, COOKIE + COOKIE[:4]),
                                 packet(1, 6, COMES_BACK, COOKIE[:4]), packet(1, 6, IS_GIVEN, COOKIE + bytes(8)), packet(1, 0, 4, COOKIE))
    yield "bad-offset", packets(packet(1, 3000, 4, bytes(1200)))
    yield "bad-total", packets(packet(1, 65535, 0, bytes(1200)))
    yield "short", packets(packet(1, 3000, 0, bytes(100)), cut(1, LONG)[0][:19])


if __name__ == "__main__":
    corpus = pathlib.Path(__file__).parent / "corpus" / "keypackets"
    corpus.mkdir(parents=True, exist_ok=True)
    for name, seed in seeds():
        (corpus / name).write_bytes(seed)
