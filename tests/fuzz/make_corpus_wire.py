#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_wire.c to tests/fuzz/corpus/wire: each kind of packet of
docs/wire-format.md, packets of foreign peers, and one malformed packet for each reason to refuse
one."""
import pathlib
import struct

SENDER, RECEIVER = 0x11223344, 0xA1B2C3D4


def rtp(extension=b"", payload=b"\x47\x1f\xff\x10", profile=0xBEDE, csrcs=(), padding=0):
    first = 0x80 | len(csrcs) | (0x10 if extension else 0) | (0x20 if padding else 0)
    packet = struct.pack(">BBHII", first, 33, 0x1234, 0xDEADBEEF, SENDER)
    packet += b"".join(struct.pack(">I", csrc) for csrc in csrcs)
    if extension:
        packet += struct.pack(">HH", profile, len(extension) // 4) + extension
    return packet + payload + (bytes(padding - 1) + bytes([padding]) if padding else b"")


def rtcp(packet_type, count, body, padding=b""):
    assert len(body + padding) % 4 == 0
    first = 0x80 | count | (0x20 if padding else 0)
    return struct.pack(">BBH", first, packet_type, len(body + padding) // 4) + body + padding


def ssrc(value):
    return struct.pack(">I", value)


def sdes(source, cname):
    item = b"\x01" + bytes([len(cname)]) + cname + b"\x00"
    return rtcp(202, 1, ssrc(source) + item + bytes(-len(item) % 4))


RTT_SENDTS = b"\x16" + (100000).to_bytes(3, "big") + ssrc(0x89ABCDEF)
FLAGS = b"\x21\x01\x40"
FEEDBACK_BODY = ssrc(RECEIVER) + ssrc(SENDER) + struct.pack(">4I", 0x89ABCDEF, 10000, 250000, 1 << 29)
FEEDBACK = rtcp(205, 2, FEEDBACK_BODY)
STATE = rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + struct.pack(">5IBBH", 0x11234, 25, 7, 3, 256, 3, 63, 0))
CLASSIFIED = struct.pack(">5IBBH", 0x11234, 25, 7, 3, 256, 0x40, 63, 0) + struct.pack(">2I", 1 << 28, 19)
ECN = struct.pack(">5IBBH", 0x11234, 25, 7, 3, 256, 0x80, 63, 0) + struct.pack(">3I", 0x1200, 1, 17)
ECN_STATE = rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + ECN)
BOTH = struct.pack(">5IBBH", 0x11234, 25, 7, 3, 256, 0xc0, 63, 0) + struct.pack(">5I", 1 << 28, 19, 0x1200, 1, 17)
CLASSIFIED_STATE = rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + CLASSIFIED)
PLAYOUT = struct.pack(">5IBBH", 0x11234, 25, 7, 3, 256, 3, 63, 500) + struct.pack(">3I", 100000, 10000, 1 << 22)
EVERYTHING = BOTH[:-22] + struct.pack(">H", 500) + BOTH[-20:] + struct.pack(">3I", 100000, 10000, 1 << 22)
SR = rtcp(200, 0, ssrc(SENDER) + struct.pack(">QIII", 0xE800000180000000, 0xDEADBEEF, 1000, 1316000))
CLOCK = rtcp(204, 1, ssrc(SENDER) + b"TFRC" + ssrc(0x01020304))
BLOCK = struct.pack(">IIIIII", SENDER, 0x40FFFFFE, 0x11234, 90, 0x18000, 0x8000)
RR = rtcp(201, 0, ssrc(RECEIVER))
RR_BLOCK = rtcp(201, 1, ssrc(RECEIVER) + BLOCK)
PLI = rtcp(206, 1, ssrc(RECEIVER) + ssrc(SENDER))
NACK = rtcp(205, 1, ssrc(RECEIVER) + ssrc(SENDER) + struct.pack(">4H", 0xFFFF, 0x8005, 100, 0))
BYE = rtcp(203, 1, ssrc(RECEIVER))

SEEDS = {
    "data": rtp(RTT_SENDTS),
    "data-flags": rtp(RTT_SENDTS + FLAGS + b"\x00"),
    "data-plain": rtp(),
    "data-csrc-padding": rtp(RTT_SENDTS, csrcs=(1, 2), padding=4),
    "data-two-byte-extension": rtp(b"\x01\x07" + bytes(10), profile=0x1000),
    "data-other-elements": rtp(b"\x50\xaa\x00" + RTT_SENDTS + b"\xf0"),
    "data-repair": rtp(RTT_SENDTS + b"\x31\x12\x34\x00", b"\xff\xfe\x47\x1f"),
    "nack": NACK,
    "nack-beside-feedback": FEEDBACK + STATE + NACK,
    "nack-out-of-order": rtcp(205, 1, ssrc(RECEIVER) + ssrc(SENDER) + struct.pack(">4H", 0xFFFF, 0x8005, 1, 0)),
    "nack-empty": rtcp(205, 1, ssrc(RECEIVER) + ssrc(SENDER)),
    "pli": PLI,
    "pli-beside-feedback": FEEDBACK + STATE + NACK + PLI,
    "pli-too-short": rtcp(206, 1, ssrc(RECEIVER)),
    "feedback": FEEDBACK,
    "feedback-state": FEEDBACK + STATE,
    "feedback-state-ecn": FEEDBACK + ECN_STATE,
    "feedback-state-ecn-classified": FEEDBACK + rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + BOTH),
    "feedback-state-ecn-longer": FEEDBACK + rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + ECN + bytes(8)),
    "feedback-state-classified": FEEDBACK + CLASSIFIED_STATE,
    "feedback-state-classified-longer": FEEDBACK + rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + CLASSIFIED + bytes(8)),
    "feedback-state-playout": FEEDBACK + rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + PLAYOUT),
    "feedback-state-all-words": FEEDBACK + rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + EVERYTHING),
    "feedback-p-one": FEEDBACK[:-4] + b"\xff\xff\xff\xff",
    "sender-report": SR + sdes(SENDER, b"a@host") + CLOCK,
    "receiver-report": RR + sdes(RECEIVER, b"recv"),
    "receiver-report-block": RR_BLOCK + sdes(RECEIVER, b"recv"),
    "bye": RR + sdes(RECEIVER, b"recv") + BYE,
    "bye-reason": RR + rtcp(203, 1, ssrc(RECEIVER) + b"\x03bye"),
    "padded": RR + rtcp(201, 0, ssrc(RECEIVER), b"\x00\x00\x00\x04"),
    "unknown-packets": RR + rtcp(207, 0, ssrc(RECEIVER)) + rtcp(206, 15, ssrc(RECEIVER) + ssrc(SENDER)),
    "path-challenge": rtcp(204, 2, ssrc(SENDER) + b"TFRC" + bytes(range(8))),
    "path-challenge-padded": rtcp(204, 2, ssrc(SENDER) + b"TFRC" + bytes(range(8)) + bytes(44)),
    "path-response": rtcp(204, 3, ssrc(RECEIVER) + b"TFRC" + bytes(range(8))),
    "unknown-subtype": RR + rtcp(204, 4, ssrc(RECEIVER) + b"TFRC"),
    "bad-too-short": FEEDBACK[:3],
    "bad-version": b"\x40" + FEEDBACK[1:],
    "bad-length": FEEDBACK[:20],
    "bad-padding": rtcp(201, 0, ssrc(RECEIVER), b"\x00\x00\x00\x03"),
    "bad-ecn": FEEDBACK + rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + ECN[:-4]),
    "bad-ecn-classified": FEEDBACK + rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + BOTH[:-4]),
    "bad-classified": FEEDBACK + rtcp(204, 0, ssrc(RECEIVER) + b"TFRC" + CLASSIFIED[:-4]),
    "bad-extension": rtp(b"\x53" + bytes(3)),
    "bad-field": rtcp(205, 2, FEEDBACK_BODY + bytes(4)),
    "not-ours": rtcp(207, 0, ssrc(RECEIVER)),
}

if __name__ == "__main__":
    corpus = pathlib.Path(__file__).parent / "corpus" / "wire"
    corpus.mkdir(parents=True, exist_ok=True)
    for name, packet in SEEDS.items():
        (corpus / name).write_bytes(packet)
