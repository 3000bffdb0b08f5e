#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_keypackets.c to tests/fuzz/corpus/keypackets: the messages of
make_corpus_mikey.py for the target to cut, and key packets behind their lengths."""
import pathlib
import struct

from make_corpus_mikey import SEEDS

PACKETS, MESSAGE = b"\x00", b"\x01"
FRAGMENT_BYTES, REVERSED, REPEATED = 1200, 1, 2
LONG = bytes(range(250)) * 12


def packet(number, total, offset, data):
    padded = data + bytes(-len(data) % 4)
    return struct.pack(">BBHI4sIHH", 0x84, 204, (20 + len(padded)) // 4 - 1, 7, b"TFRC", number, total, offset) + padded


def cut(number, message):
    return [packet(number, len(message), at, message[at:at + FRAGMENT_BYTES]) for at in range(0, len(message), FRAGMENT_BYTES)]


def packets(*all_of_them):
    return PACKETS + b"".join(struct.pack("<H", len(one)) + one for one in all_of_them)


def seeds():
    for name, message in SEEDS.items():
        yield name, MESSAGE + b"\x00" + message
    for order in (0, REVERSED, REPEATED, REVERSED | REPEATED):
        yield f"long-{order}", MESSAGE + bytes([order]) + LONG
    yield "one", packets(*cut(1, SEEDS["psk"]))
    yield "three", packets(*cut(1, LONG))
    yield "two-messages", packets(*cut(1, LONG)[:2], *cut(2, SEEDS["rsa"]), *cut(1, LONG)[2:])
    yield "empty-asks", packets(packet(0, 0, 0, b""), packet(0, 0, 0, bytes(40)), packet(1, 0, 0, b""))
    yield "bad-offset", packets(packet(1, 3000, 4, bytes(1200)))
    yield "bad-total", packets(packet(1, 65535, 0, bytes(1200)))
    yield "short", packets(packet(1, 3000, 0, bytes(100)), cut(1, LONG)[0][:19])


if __name__ == "__main__":
    corpus = pathlib.Path(__file__).parent / "corpus" / "keypackets"
    corpus.mkdir(parents=True, exist_ok=True)
    for name, seed in seeds():
        (corpus / name).write_bytes(seed)
