#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_reports.c to tests/fuzz/corpus/reports: a sender with true
reports, with false ones, with transport-wide feedback, and with feedback that is malformed."""
import pathlib
import struct

SEND, TAKE_BACK, SENDER_REPORT, REPORT, FEEDBACK, TIME, END, LIST = (
    b"\xf8", b"\x02", b"\x03", b"\x04", b"\x05", b"\x06", b"\x0f", b"\x17")


def wait(ns):
    return TIME + struct.pack("<I", ns)


def sender_report(ntp):
    return SENDER_REPORT + struct.pack("<Q", ntp)


def report(flags=0, fields=b""):
    return REPORT + bytes([flags]) + fields


def feedback(fci, rtt_ms=40):
    return FEEDBACK + bytes([len(fci) - 1]) + fci + bytes([0, rtt_ms])


def fci(ago, count, reference, chunks, deltas):
    return bytes([0, ago]) + struct.pack(">HI", count, reference << 8) + chunks + deltas


def listed(packets, rtt_ms=40):
    """packets: age, and when it arrived; None: now; LOST: not at all"""
    return LIST + bytes([len(packets) - 1, 0]) + b"".join(
        bytes([age << 2]) if at == LOST else bytes([age << 2 | 1]) if at is None
        else bytes([age << 2 | 3]) + struct.pack("<Q", at) for age, at in packets) + bytes([rtt_ms])


MS = 1000000
LOST = -1
START = b"\x00" + SEND + sender_report(1 << 40) + wait(40 * MS)
ROUND = SEND + wait(100 * MS) + SEND + wait(2000 * MS)
ARRIVED = SEND + wait(60 * MS) + feedback(fci(0, 1, 1, b"\x20\x01", b"\x04"))

SEEDS = {
    "reports": START + report() + (ROUND + report()) * 8,
    "losses": START + report() + b"".join(
        ROUND + report(2, struct.pack("<I", 3 * i)[:3]) for i in range(8)),
    "fractions": START + report() + (ROUND + report(4, b"\x40")) * 4,
    "false-reports": START + report(16, b"\x01\x02\x03\x04") + report(8, b"\xff\xff\xff\x7f") + ROUND
    + report(1, b"\xff\xff") + ROUND + report(2, b"\xff\xff\x7f") + ROUND + report(2, b"\x00\x00\x80") + ROUND + report(),
    "two-reporters": START + (ROUND + report() + ROUND + report(128)) * 3,
    "taken-back": START + (SEND + TAKE_BACK * 3 + wait(1500 * MS) + report()) * 4,
    "end": START + report() + ROUND + report() + END + ROUND + report() + b"\x07" + ROUND,
    "arrivals": START + ARRIVED * 20,
    "arrivals-lost": START + ARRIVED * 5 + SEND * 3 + wait(100 * MS)
    + feedback(fci(3, 4, 40, b"\xd1\x00\x00\x00", b"\x04\x05\x06\x07")) + ARRIVED * 5,
    "arrivals-jump": START + ARRIVED * 3 + SEND + feedback(fci(0, 1, 0xFFFFFF, b"\x40\x01", b"\x80\x00")) + ARRIVED * 3,
    "arrivals-malformed": START + feedback(b"\x00") + feedback(fci(0, 0, 0, b"", b""))
    + feedback(fci(0, 9000, 0, b"\x1f\xff" * 2, b"")) + feedback(fci(0, 1, 0, b"\x60\x01", b"")),
    "list": START + (SEND + wait(60 * MS) + listed([(2, None), (1, LOST), (0, None)])) * 20,
    "list-false": START + SEND + listed([(3, 1 << 60), (2, 0), (1, 1 << 59), (0, None)]) + SEND + wait(60 * MS)
    + listed([(0, 0), (3, 1 << 60)]) + SEND + listed([(0, (1 << 60) + 1)]) + SEND + listed([(63, None)]),
    "both": START + (ROUND + report() + ARRIVED) * 6,
}

corpus = pathlib.Path(__file__).parent / "corpus" / "reports"
corpus.mkdir(parents=True, exist_ok=True)
for name, data in SEEDS.items():
    (corpus / name).write_bytes(data)
