#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_keys.c to tests/fuzz/corpus: short lives of the two ends of a
key exchange, in the format that this target reads."""
import pathlib

PSK, RSA, RSA_R = range(3)
RAISED_TTL, INTERVAL = 64, 128
ATTACKER, CUT, OTHER_END = 1, 2, 4
STEP = bytes([0, 10])  # 10 ms
SECOND = bytes([1, 50])
LONG = bytes([2, 100])  # 30 s
DROP = bytes([5, 0])
REKEY, REKEY_SOURCE = bytes([9, 0]), bytes([10, 0])
RESTART_SINK, RESTART_SOURCE = bytes([11, 1]), bytes([11, 0])
RAISE = bytes([12, 0])


def record(i):
    return bytes([3, i])


def damage(i, how=0, position=0, flip=0):
    return bytes([4, i, how, position & 255, position >> 8, flip])


def replay(i, how=0, position=0, flip=0):
    return bytes([6, i, how, position & 255, position >> 8, flip])


def invent(to_sink, data, behind=False, attacker=False, words=0):
    return bytes([7, to_sink | behind << 1 | words << 2, len(data), 1]) + data + bytes([attacker])


def cookie(to_sink, number, flags, attacker=False):
    """A packet without a message that has cookies, of 100 bytes"""
    return invent(to_sink, bytes([0, 0, 0, number, 0, 0, 0, flags]) + bytes([number]) * 16, True, attacker, 20)


def refuse(reason):
    return bytes([8, reason])


def link(how):
    return bytes([13, how])


def life(first, *events):
    return bytes([first]) + b"".join(events)


def seeds():
    yield "empty", b""
    for mode, name in enumerate(("psk", "rsa", "rsa-r")):
        yield name, life(mode, SECOND, REKEY, SECOND, REKEY_SOURCE, SECOND, LONG)
        yield f"{name}-raised-ttl", life(mode | RAISED_TTL | INTERVAL, SECOND, LONG, REKEY, STEP, RAISE, SECOND, LONG)
        yield f"{name}-interval", life(mode | INTERVAL, link(14), LONG, link(1), LONG, link(0), LONG)
        yield f"{name}-restarts", life(mode, SECOND, RESTART_SOURCE, SECOND, RESTART_SINK, SECOND, RESTART_SOURCE, REKEY, SECOND)
        yield f"{name}-damaged", life(mode, STEP, *[damage(i, how, position, 1) for i in range(3) for how in range(8)
                                                     for position in (0, 9, 21, 60)], SECOND)
        yield f"{name}-replayed", life(mode, record(0), record(1), STEP, SECOND, *[replay(i, how) for i in range(2) for how in (0, 1, 4, 5)],
                                       SECOND, REKEY, STEP, replay(0), RESTART_SOURCE, replay(0), replay(1), SECOND)
        yield f"{name}-held-back", life(mode, record(0), record(1), DROP, LONG, LONG, LONG, replay(0), replay(1), SECOND)
        # The tokens of a host are used up, so that the source gives cookies.
        yield f"{name}-cookies", life(mode, STEP, *[damage(which, how, position, 1 + i) for how in (ATTACKER, 0) for position in (21, 60)
                                                           for i in range(45) for which in range(2 if mode == RSA else 1)],
                                      *[cookie(end, number, flags) for end in (0, 1) for number in (1, 2) for flags in (1, 2, 3, 7)],
                                      STEP, SECOND, SECOND, REKEY, *[cookie(0, number, 2, True) for number in range(9)], SECOND, SECOND)
        yield f"{name}-refused", life(mode, *[refuse(i) for i in range(9)], SECOND, REKEY, link(1), *[refuse(i) for i in range(9)], LONG)
        yield f"{name}-invented", life(mode, *[invent(end, b"\x00\x00\x00\x01\x00\x10\x00\x00\x01" + bytes([kind]) * 20, True, end == 0)
                                               for end in (0, 1) for kind in range(10)], invent(0, b"\x80\x21"), invent(1, b"\x80\xc8"), SECOND)


def main():
    directory = pathlib.Path(__file__).parent / "corpus" / "keys"
    directory.mkdir(parents=True, exist_ok=True)
    for name, data in seeds():
        (directory / name).write_bytes(data)


if __name__ == "__main__":
    main()
