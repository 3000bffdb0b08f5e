#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_calls.c to tests/fuzz/corpus/calls: the events of its act()."""
import pathlib
import struct

RAW_CALL, RAW_ANSWER, CALL, DECIDE, SEND, WAIT, MAXIMUM = range(7)
WITH_COOKIE = 1
ACCEPT, REFUSE, MOVE, FORGET = range(4)


def packet(subtype, words):
    """An APP packet named TFRC, behind the port and the number of its words."""
    whole = struct.pack("!BBHI4s", 0x80 | subtype, 204, 2 + len(words) // 4, 5, b"TFRC") + words
    return bytes((0, len(whole) // 4)) + whole


def answer(kind, content):
    return bytes((RAW_ANSWER,)) + packet(6, struct.pack("!IHH", 0, kind, len(content)) + content + bytes(-len(content) % 4))


def call(port, flags):
    return bytes((CALL, port, flags))


def decide(port, what):
    return bytes((DECIDE, port, what))


WAITS = call(1, 0) + bytes((SEND,)) + call(1, WITH_COOKIE)

SEEDS = {
    "raw": bytes((RAW_CALL,)) + packet(5, struct.pack("!I8sHH", 9, bytes(8), 4, 0) + b"film"),
    "accepted": WAITS + decide(1, ACCEPT) + call(1, WITH_COOKIE) + bytes((SEND,)) + decide(1, MOVE | 9 << 2) + call(9, WITH_COOKIE),
    "refused": WAITS + decide(1, REFUSE) + bytes((SEND, WAIT, 49)) + call(1, WITH_COOKIE) + bytes((SEND, WAIT, 2)) + call(1, WITH_COOKIE),
    "full": b"".join(call(port, WITH_COOKIE) for port in range(20)) + bytes((SEND, MAXIMUM, 1)) + decide(3, FORGET),
    "replaced": WAITS + decide(1, ACCEPT) + call(1, WITH_COOKIE | 0x10) + bytes((SEND,)),
    "answers": answer(0, b"cookie!!") + bytes((WAIT, 1)) + answer(1, b"") + bytes((WAIT, 200)),
    "no": answer(2, b"there is no such film") + bytes((WAIT, 20)),
}


def main():
    corpus = pathlib.Path(__file__).parent / "corpus" / "calls"
    corpus.mkdir(exist_ok=True)
    for name, seed in SEEDS.items():
        (corpus / name).write_bytes(seed)


if __name__ == "__main__":
    main()
