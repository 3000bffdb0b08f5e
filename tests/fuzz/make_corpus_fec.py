#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_fec.c to tests/fuzz/corpus/fec: rows and columns with packets missing, FEC packets
with false headers, and a restart."""
import pathlib
import struct

START = 100000  # fuzz_fec.c


def packet(number, size=188):
    return b"\x04" + struct.pack("<HIH", number, number * 1500, size)


def next_packet():
    return b"\x02"


def near_fec(number, count, offset=1, movie=True):
    return b"\x01" + struct.pack("<HHBBB", number, 188, movie, offset - 1, count - 1)


def header(first, count, offset=1, flags=0x40):
    return b"\x00" + struct.pack(">HHB3xIBBBB", first & 0xFFFF, 188, 0x80 | 33, 0, flags, offset, count, 0) + b"\x24\x05"


RESTART = b"\x03\x00"
ROW = b"".join(packet(i) for i in range(8)) + near_fec(4, 4)

SEEDS = {
    "rows": ROW + b"".join(packet(i) for i in range(8, 40) if i % 4) + b"".join(near_fec(i, 4) for i in range(8, 40, 4)),
    "columns": ROW + b"".join(packet(i) for i in range(8, 48) if i % 10) + b"".join(near_fec(8 + i, 4, 10) for i in range(10)),
    "both": ROW + b"".join(packet(i) for i in range(8, 28) if i not in (9, 10, 14)) + b"".join(
        near_fec(i, 5) for i in range(8, 28, 5)) + b"".join(near_fec(8 + i, 4, 5) for i in range(5)),
    "headers": ROW + header(START + 8, 4) + packet(9) + packet(10) + packet(11) + header(START, 255, 255) + header(
        START + 8, 4, 0) + header(START + 8, 4, 1, 0x48) + header(START + 700, 4),
    "restart": ROW + RESTART + ROW + near_fec(5, 1, movie=False) + RESTART,
    "newest": next_packet() * 300 + near_fec(200, 12, 20) + next_packet() * 4 + near_fec(304, 1),
}

if __name__ == "__main__":
    corpus = pathlib.Path(__file__).parent / "corpus" / "fec"
    corpus.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (corpus / name).write_bytes(data)
