#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_serverindex.c to tests/fuzz/corpus/serverindex: small transport
streams with video, with sound alone, without tables, with a clock that goes back, and no stream."""
import pathlib

PMT, VIDEO, SOUND = 0x1000, 0x100, 0x110
IDR = b"\0\0\0\1\x67\x64\0\x1e\0\0\1\x68\xee\0\0\1\x65\x88\x84"
P = b"\0\0\1\x41\x9a\x24"


def packet(pid, payload, *, start=True, random_access=False):
    field = bytes([0x40 if random_access else 0]) if random_access or len(payload) < 183 else b""
    stuffing = 184 - len(payload) - len(field) - 1
    adaptation = bytes([len(field) + stuffing]) + field + b"\xff" * stuffing if stuffing >= 0 else b""
    return bytes([0x47, (0x40 if start else 0) | pid >> 8, pid & 0xFF, 0x30 if adaptation else 0x10]) + adaptation + payload


def section(table, number, data):
    body = bytes([table, 0xB0, 9 + len(data), number >> 8, number & 0xFF, 0xC1, 0, 0]) + data
    crc = 0xFFFFFFFF
    for byte in body:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return b"\0" + body + crc.to_bytes(4, "big")


def tables(*streams):
    entries = b"".join(bytes([kind, 0xE0 | pid >> 8, pid & 0xFF, 0xF0, 0]) for kind, pid in streams)
    pmt = bytes([0xE0 | streams[0][1] >> 8, streams[0][1] & 0xFF, 0xF0, 0]) + entries
    return (packet(0, section(0, 1, bytes([0, 1, 0xE0 | PMT >> 8, PMT & 0xFF])))
            + packet(PMT, section(2, 1, pmt)))


def pes(pts, data):
    pts &= (1 << 33) - 1
    stamp = bytes([0x21 | pts >> 29 & 0x0E, pts >> 22 & 0xFF, pts >> 14 & 0xFE | 1, pts >> 7 & 0xFF, pts << 1 & 0xFE | 1])
    return b"\0\0\1\xe0\0\0\x80\x80\x05" + stamp + data


def picture(pts, idr):
    return packet(VIDEO, pes(pts, IDR if idr else P), random_access=idr)


def main():
    both = tables((0x1B, VIDEO), (0x0F, SOUND))
    group = [both + picture(0, True) + picture(3600, False), both + picture(90000, True) + picture(93600, False)]
    seeds = {
        "video": b"".join(group),
        "without-tables": b"".join(group)[376:],
        "sound": tables((0x0F, SOUND)) + b"".join(packet(SOUND, pes(at * 50000, b"sound")) for at in range(4)),
        "clock-goes-back": group[1] + group[0],
        "clock-wraps": both + picture(-90000, True) + picture(90000, True),
        "garbage-between": group[0] + b"garbage" + group[1],
        "cut": b"".join(group)[:-100],
        "other-packets": b"".join(b"time" + (group[0] + group[1])[at:at + 188] for at in range(0, 1504, 188)),
        "text": b"no transport stream " * 40,
        "empty": b"",
    }
    folder = pathlib.Path(__file__).parent / "corpus" / "serverindex"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
