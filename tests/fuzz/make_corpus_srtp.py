#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_srtp.c to tests/fuzz/corpus: short lives of the two ends of a
protected stream, in the format that this target reads."""
import pathlib
import struct

GCM_128, GCM_256, ICM_128, ICM_256 = range(4)
TOLD_LESS = 4  # the receiver is told the rollover counter before
DATA, REPORT, REPORT_BACK = 0, 1, 3
REPAIR = 1  # more than DATA
CUT, LONGER, OTHER_KIND, OTHER_END = 4, 8, 16, 32


def life(*events, index=0):
    return struct.pack("<I", index)[:3] + b"".join(events)


def install(cipher, flags=0):
    return bytes([0, cipher | flags])


SWITCH = bytes([1, 0])
GRACE_OVER = bytes([2, 0, 255, 24])  # 4.3 s


def lose(n_times_64):
    return bytes([3, n_times_64])


def keep(what, more=0):
    return bytes([4, what | more << 2])


def deliver(what, more=0):
    return bytes([5, what | more << 2])


def deliver_kept(i):
    return bytes([6, i])


def damage(i, position, flip=0x80, how=0):
    return bytes([7, i & 3 | how, position, flip])


def arbitrary(data, size=None, to_sender=0, is_rtcp=0):
    """At most 64 bytes of data; the packet is 0 behind them."""
    return bytes([7, 128 | to_sender | is_rtcp << 1]) + struct.pack("<H", len(data) if size is None else size) + data


def each(cipher):
    """Data and reports in the three directions, kept, damaged, and delivered twice."""
    return life(install(cipher), SWITCH, keep(DATA), keep(REPORT), keep(REPORT_BACK),
                *[damage(i, position) for i in range(3) for position in (0, 1, 2, 9, 13, 20, 200, 255)],
                *[damage(i, position, how=how) for i in range(3) for position in (1, 15) for how in (CUT, LONGER)],
                damage(0, 1, how=OTHER_KIND | OTHER_END), damage(1, 1, how=OTHER_KIND | OTHER_END),
                *[deliver_kept(i) for i in (1, 2, 3, 1, 2, 3)], deliver(DATA), deliver(REPORT), deliver(REPORT_BACK))


def seeds():
    yield "empty", b""
    for cipher, name in enumerate(("gcm-128", "gcm-256", "icm-128", "icm-256")):
        yield name, each(cipher)
    yield "rollover", life(*[deliver(DATA), lose(250)] * 20, index=0xFFF0)
    yield "rollover-told-less", life(install(ICM_128, TOLD_LESS), SWITCH, *[deliver(DATA), lose(200)] * 8, index=0x30005)
    yield "rekey-late", life(install(GCM_256), *[lose(250)] * 15, SWITCH, deliver(DATA), index=0x8000)
    yield "in-flight", life(keep(DATA), install(ICM_256), keep(DATA), SWITCH, keep(DATA), keep(REPORT),
                            *[deliver_kept(i) for i in range(7, -1, -1)], GRACE_OVER, deliver(REPORT_BACK))
    yield "grace-over", life(keep(DATA), keep(REPORT_BACK), install(GCM_128), SWITCH, deliver(DATA), deliver(REPORT_BACK),
                             GRACE_OVER, *[deliver_kept(i) for i in range(8)])
    yield "unused", life(*[install(i % 4) for i in range(9)], SWITCH, *[deliver(DATA)] * 3, *[install(i % 4) + SWITCH for i in range(9)])
    yield "arbitrary", life(arbitrary(b""), arbitrary(b"\x80"), arbitrary(b"\x80\x21" + b"\xff" * 40),
                            arbitrary(b"\x9f\x21" + b"\xff" * 60, 480), arbitrary(b"\x80\xc8" + b"\xff" * 40, None, 1, 1))
    yield "repairs", life(*[deliver(DATA) + deliver(DATA, REPAIR)] * 40, keep(DATA, REPAIR), install(ICM_256), keep(DATA, REPAIR), SWITCH,
                          keep(DATA, REPAIR), keep(REPORT), *[deliver_kept(i) for i in range(7, -1, -1)], deliver(DATA, REPAIR),
                          *[damage(i, position) for i in range(4) for position in (1, 9, 11, 13, 255)], index=0xFFF8)
    # libsrtp on NSS keeps the additional data of such a report.
    report = bytes([0x80, 0xC8, 0, 6, 0, 0, 0, 9]) + bytes(56)
    yield "report-not-encrypted", life(*[arbitrary(report, size, 0, 1) for size in range(2063, 2070)], deliver(REPORT))


def main():
    directory = pathlib.Path(__file__).parent / "corpus" / "srtp"
    directory.mkdir(parents=True, exist_ok=True)
    for name, data in seeds():
        (directory / name).write_bytes(data)


if __name__ == "__main__":
    main()
