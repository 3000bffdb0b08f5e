#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of tests/fuzz/fuzz_sender.c and fuzz_receiver.c to tests/fuzz/corpus: short
lives of a sender and of a receiver, in the format that these two targets read."""
import pathlib
import struct

# ---- sender: configuration, then events ----------------------------------------------------------


def sender(*events, what=0, segment=1316, seq=65530, estimators=b"\x00", fields=b""):
    return struct.pack("<BHH", what, segment, seq) + estimators + fields + b"".join(events)


def duration(ns):
    """Codes a duration as one byte shifted by another; rounds ns down."""
    shift = max(ns.bit_length() - 8, 0)
    return struct.pack("<BB", ns >> shift, shift)


def wait(ms):
    return b"\x00" + duration(ms * 1000000)


def send_at_once(size):
    return b"\x01" + struct.pack("<I", size)[:3]


SEND, TIMEOUT, ALIVE = b"\x02", b"\x04", b"\x05"


def feedback(number, x_recv=100000, p=0.0, events=0, handover=None, link_errors=None, congestion_p=None):
    what = (handover is not None) << 6 | (link_errors is not None) << 7
    return (bytes([3, what]) + struct.pack("<IIBB", x_recv, int(p * 0xFFFFFFFF), number, events)
            + (b"" if handover is None else bytes([handover]))
            + (b"" if link_errors is None else
               struct.pack("<BI", link_errors, int((p if congestion_p is None else congestion_p) * 0xFFFFFFFF))))


def hostile_feedback(number, recv_data, delay, x_recv, p, events):
    return b"\x03\x37" + struct.pack("<IIIdII", recv_data, delay, x_recv, p, number, events)


def cancel(size):
    return b"\x06" + struct.pack("<H", size)


def limits(minimum, maximum):
    return b"\x07" + struct.pack("<dd", minimum, maximum)


def new_path(rtt_ms):
    return b"\x08" + duration(rtt_ms * 1000000)


def round_trips(n, first=0, **report):
    return b"".join(SEND * 3 + wait(50) + feedback(first + i, **report) for i in range(n))


def rising_round_trips(n, first=0):
    """Each round-trip time is 5 ms longer than the last, and each third feedback has a link error."""
    return b"".join(SEND * 3 + wait(50 + 5 * i) + feedback(first + i, p=0.01, events=1, link_errors=i // 3)
                    for i in range(n))


def estimators(rtt_method, rto_policy, samples=None, rise_ns=None):
    what = rtt_method | rto_policy << 2 | (samples is not None) << 5 | (rise_ns is not None) << 6
    return (bytes([what]) + (b"" if samples is None else bytes([samples]))
            + (b"" if rise_ns is None else duration(rise_ns)))


EWMA, ADAPTIVE, ADAPTIVE_BOUNDED = 0, 1, 2
FOUR_R, TCP, LINUX, BALANCED, ADAPTIVE_RTO = range(5)

# Flags of feedback in a handover
HON, NEW_LINK, SUPPRESS_ECHO, BANDWIDTH, NUMBER_1 = 1, 2, 4, 8, 16

NAN, INFINITY = float("nan"), float("inf")

SENDER = {
    "no-feedback": sender(SEND * 4, TIMEOUT * 10),
    "slow-start": sender(round_trips(8)),
    "loss": sender(round_trips(4), round_trips(8, 4, p=0.01, events=1)),
    "data-limited-loss": sender(round_trips(3), SEND, wait(200), feedback(3, 1000), SEND, wait(200),
                                feedback(4, 1000, 0.02, 1), SEND, wait(50), feedback(5, 9000, 0.02, 1)),
    "idle": sender(round_trips(5), TIMEOUT * 4, SEND, wait(50), feedback(5), TIMEOUT),
    "outage": sender(round_trips(4, p=0.001, events=1), (SEND + TIMEOUT) * 20, ALIVE + SEND, ALIVE,
                     round_trips(4, 4, p=0.001, events=1)),
    "without-state": sender(SEND, wait(50), b"\x03\x08" + bytes(10), SEND, wait(50), b"\x03\x08" + bytes(10)),
    "cancel": sender(SEND * 2, cancel(1316) * 3, SEND, wait(50), feedback(0), SEND, cancel(65535)),
    "any-size": sender(*(wait(3000) + send_at_once(size) for size in (0, 1, 1500, 65535, 65536)), segment=1),
    "limits": sender(round_trips(3), limits(1e5, 2e5), round_trips(3, 3), limits(0, 0), limits(NAN, -1),
                     limits(2, 1), limits(INFINITY, 1e300), SEND),
    "hostile-feedback": sender(SEND, wait(50), hostile_feedback(0, 0, 0, 0xFFFFFFFF, 1.0, 0), SEND,
                               hostile_feedback(1, 0xFFFFFFFF, 0xFFFFFFFF, 0, NAN, 0xFFFFFFFF),
                               hostile_feedback(2, 7, 1 << 31, 1, -0.0, 5),
                               hostile_feedback(0xFFFFFFFF, 0, 0, 1, 5e-324, 5), TIMEOUT),
    "wrap": sender(round_trips(2, 250), wait(4294967), SEND, wait(50), feedback(255), round_trips(2), seq=65535),
    "configured": sender(round_trips(6, p=0.1), what=0xFF, fields=struct.pack("<dddd", 5e4, 1e3, 1e6, 0.5)
                         + duration(1000000) + duration(10000000) + duration(500000)),
    "highest-rate": sender(send_at_once(1), wait(1), feedback(0), send_at_once(1) * 20, SEND, what=2, segment=94,
                           fields=struct.pack("<d", 125e9)),
    "refused-configuration": sender(SEND, segment=0),
    "handover": sender(round_trips(4, p=0.01, events=1), round_trips(3, 4, p=0.01, events=1, handover=NUMBER_1 | HON),
                       round_trips(2, 7, p=0.01, events=1, handover=NUMBER_1 | HON | NEW_LINK),
                       round_trips(8, 9, p=0.001, events=1)),
    "handover-as-in-the-paper": sender(round_trips(4, p=0.01, events=1), round_trips(3, 4, events=1, handover=HON),
                                       round_trips(3, 7, events=1), round_trips(8, 10, p=0.001, events=1)),
    "handover-data-limited": sender(round_trips(3), SEND, wait(200), feedback(3, 1000), SEND, wait(200),
                                    feedback(4, 1000, handover=HON), SEND, wait(50),
                                    feedback(5, 9000, handover=HON | NEW_LINK | BANDWIDTH), round_trips(3, 6)),
    "handover-first": sender(SEND, wait(50), feedback(0, handover=HON | SUPPRESS_ECHO), round_trips(3, 1)),
    "handover-then-nothing": sender(round_trips(4, p=0.01, events=1), SEND, wait(50),
                                    feedback(4, 0, handover=0xFF), SEND, TIMEOUT * 5),
    "handover-never-ends": sender(round_trips(4, p=0.01, events=1),
                                  round_trips(30, 4, p=0.01, events=1, handover=NUMBER_1 | HON)),
    "link-errors": sender(round_trips(4, p=0.01, events=2, congestion_p=0, link_errors=2),
                          round_trips(4, 4, p=0.02, events=4, congestion_p=0.005, link_errors=3),
                          round_trips(4, 8, p=0.02, events=4, congestion_p=0, link_errors=3),
                          round_trips(4, 12, p=0.001, events=4, congestion_p=0.005, link_errors=2),
                          round_trips(3, 16, p=0.02, events=5), round_trips(3, 19)),
    "link-errors-out-of-range": sender(SEND, wait(50), b"\x03\x84" + struct.pack("<IdBB", 1, 0.1, 0, 1)
                                       + struct.pack("<Bd", 1, NAN), round_trips(2)),
    "segments-shrink": bytes.fromhex("00fa7f009400010100000300a012c000c0a0000200"
                                     "022803000000a0000200000228000186a00002"),
    "adaptive-rtt": sender(rising_round_trips(12), estimators=estimators(ADAPTIVE, ADAPTIVE_RTO)),
    "bounded-rtt": sender(rising_round_trips(12), new_path(20), rising_round_trips(4, 12),
                          estimators=estimators(ADAPTIVE_BOUNDED, ADAPTIVE_RTO, 2, 0)),
    "adaptive-rtt-and-rto-of-tcp": sender(rising_round_trips(12), estimators=estimators(ADAPTIVE, TCP, 32)),
    "balanced-rto": sender(rising_round_trips(12), estimators=estimators(EWMA, BALANCED)),
    "refused-rto": sender(SEND, estimators=estimators(EWMA, ADAPTIVE_RTO)),
    "refused-samples": sender(SEND, estimators=estimators(ADAPTIVE, LINUX, 33)),
    "new-path": sender(new_path(20), round_trips(4), new_path(20), round_trips(4, 4), new_path(0),
                       round_trips(4, 8, p=0.001, events=1), new_path(400), TIMEOUT * 2,
                       round_trips(2, 12, p=0.001, events=1, handover=HON)),
}

# ---- receiver: configuration, then events --------------------------------------------------------


def receiver(*events, what=0, seq=0, fields=b""):
    return struct.pack("<BH", what, seq) + fields + b"".join(events)


NEXT, TIMER, REQUEST = b"\x01", b"\x06", b"\x09"


def in_order(n):
    return b"\x02" + bytes([n])


def lose(n):
    return b"\x03" + bytes([n])


def from_anywhere(seq, earlier=0):
    return b"\x04" + struct.pack("<HB", seq, earlier)


def late(n):
    return b"\x05" + bytes([n])


def describe(plain=False, ce=False, rtt=None, size=None, link=None, marks=0):
    what = plain | ce << 1 | (rtt is not None) << 2 | (size is not None) << 4 | (link is not None) << 5
    return (bytes([7, what]) + (struct.pack("<I", rtt) if rtt is not None else b"")
            + (struct.pack("<I", size)[:3] if size is not None else b"")
            + (bytes([marks, link]) if link is not None else b""))


def hand_over(link, suppress_echo=False, bandwidth=None):
    return (bytes([8, suppress_echo | (bandwidth is not None) << 1, link])
            + (struct.pack("<d", bandwidth) if bandwidth is not None else b""))


# Marks on data: echo, direct, and the number of the handover
ECHO, DIRECT = 1, 2


def number(n):
    return n << 2


def over_new_link(link, n, rtt=20000):
    """The events from the old link's last packet to the end of the adaptation."""
    return (describe(link=link) + (NEXT + TIMER) * 4 + describe(rtt=rtt, link=link, marks=ECHO | DIRECT | number(n))
            + (NEXT + TIMER) * 3 + describe(link=link) + in_order(99) + TIMER)


PERIODIC_LOSS = (in_order(60) + TIMER + lose(1)) * 12
UNEVEN = (60, 9, 200, 3, 3, 90, 200, 30, 9, 255, 4, 80, 60)
UNEVEN_LOSS = b"".join(in_order(n) + TIMER + lose(1) for n in UNEVEN) + in_order(255)

CI_REPLACE, CI_INCLUDE, MEAN_REPLACE, MEAN_INCLUDE = (method << 5 for method in range(1, 5))

RECEIVER = {
    "in-order": receiver((in_order(50) + TIMER) * 4),
    "without-rtt": receiver(describe(rtt=0), (NEXT + TIMER) * 4, describe(rtt=80000), NEXT + TIMER, in_order(99) + TIMER),
    "loss": receiver(in_order(100), TIMER, lose(1), in_order(3), TIMER, in_order(200), TIMER),
    "many-events": receiver(PERIODIC_LOSS, in_order(255), TIMER),
    "history-of-two": receiver(PERIODIC_LOSS, what=5, fields=b"\x02"),
    "history-of-32": receiver(PERIODIC_LOSS * 2, what=4, fields=b"\x20"),
    "refused-history": receiver(NEXT, what=4, fields=b"\x21"),
    "ci-replace": receiver(UNEVEN_LOSS, what=CI_REPLACE),
    "ci-include": receiver(UNEVEN_LOSS, what=CI_INCLUDE),
    "mean-replace": receiver(UNEVEN_LOSS, what=MEAN_REPLACE),
    "mean-include": receiver(UNEVEN_LOSS, what=MEAN_INCLUDE),
    "ci-of-two": receiver(UNEVEN_LOSS, what=CI_REPLACE | 4, fields=b"\x02"),
    "adaptive-rto": receiver(UNEVEN_LOSS, what=16, fields=bytes([ADAPTIVE_RTO << 1])),
    "refused-method": receiver(NEXT, what=5 << 5),
    "late": receiver(in_order(20), lose(1), in_order(5), TIMER, late(6), TIMER, in_order(9)),
    "late-splits-gap": receiver(in_order(20), lose(9), in_order(5), late(10), late(12), late(8), late(8), TIMER),
    "many-gaps": receiver((in_order(2) + lose(1)) * 60, late(150), late(30), late(3), TIMER),
    "first-lost": receiver(in_order(9), TIMER, what=2, seq=65533),
    "first-marked": receiver(describe(ce=True), NEXT + TIMER, describe(), in_order(90), TIMER),
    "mark-after-loss": receiver(in_order(20), lose(1), describe(ce=True), NEXT + TIMER, describe(), in_order(9)),
    "long-gap": receiver(in_order(20), b"\x00" + duration(10**12), from_anywhere(16000), in_order(9), TIMER),
    "long-gap-tiny-rtt": receiver(describe(rtt=1), in_order(20), b"\x00" + duration(10**14), from_anywhere(16000),
                                  in_order(9), TIMER),
    "wrap": receiver(from_anywhere(65500), in_order(90), TIMER, lose(1), in_order(9)),
    "restart": receiver(in_order(20), TIMER, from_anywhere(40000), NEXT, in_order(9), late(30), TIMER),
    "stray": receiver(in_order(20), TIMER, from_anywhere(40000), from_anywhere(21), in_order(9), TIMER),
    "silence": receiver(in_order(99), TIMER * 3, b"\x00" + duration(10**11), NEXT + TIMER, in_order(99), TIMER),
    "backwards": receiver(in_order(20), from_anywhere(21, 255), from_anywhere(22, 1), TIMER),
    "plain-rtp": receiver(describe(plain=True), in_order(20), lose(3), in_order(20), TIMER),
    "any-size": receiver(*(describe(size=size) + in_order(30) + TIMER for size in (0, 1, 65535, 65536)), lose(1),
                         describe(size=1), in_order(4)),
    "huge-rtt": receiver(NEXT + TIMER, describe(rtt=0xFFFFFFFF), in_order(20), TIMER, lose(1), in_order(20), TIMER),
    "no-floor": receiver(describe(rtt=1), (in_order(2) + TIMER) * 5, what=8, fields=duration(0)),
    "handover": receiver(PERIODIC_LOSS, hand_over(1), (NEXT + TIMER) * 4, over_new_link(1, 1), lose(1), in_order(9)),
    "handover-as-in-the-paper": receiver(PERIODIC_LOSS, hand_over(1), (NEXT + TIMER) * 4, over_new_link(1, 1),
                                         what=16, fields=b"\x01"),
    "handover-overtakes": receiver(PERIODIC_LOSS, hand_over(1), NEXT + TIMER, describe(link=1), lose(9), in_order(9),
                                   describe(), late(12), late(13), describe(ce=True), late(14), describe(),
                                   over_new_link(1, 1)),
    "handover-within-handover": receiver(PERIODIC_LOSS, hand_over(1), NEXT + TIMER, describe(link=1), NEXT + TIMER,
                                         hand_over(0), over_new_link(1, 1), over_new_link(0, 2)),
    "handover-and-restart": receiver(PERIODIC_LOSS, hand_over(1), describe(link=1), NEXT + TIMER,
                                     from_anywhere(40000), NEXT, over_new_link(1, 1)),
    "handover-with-bandwidth": receiver(in_order(99), TIMER, hand_over(1, bandwidth=1e6), over_new_link(1, 1),
                                        *(hand_over(2, bandwidth=b) for b in (125e9, 126e9, -1, NAN, INFINITY, 5e-324)),
                                        over_new_link(2, 0)),
    "handover-without-marks": receiver(PERIODIC_LOSS, hand_over(1, suppress_echo=True), describe(link=1),
                                       in_order(9) + TIMER, b"\x00" + duration(10**9), in_order(255), TIMER),
    "handover-to-silence": receiver(PERIODIC_LOSS, hand_over(1), TIMER * 30, NEXT, in_order(50), TIMER),
    "handover-before-data": receiver(hand_over(1), TIMER, describe(rtt=0), NEXT + TIMER, hand_over(2), TIMER * 3, NEXT),
    "handover-of-huge-rtt": receiver(describe(rtt=0xFFFFFFFF), in_order(50), TIMER, lose(1), in_order(20), TIMER,
                                     hand_over(1), over_new_link(1, 1, rtt=0xFFFFFFFF), what=16, fields=b"\x01"),
    **{f"classifier-{n}": receiver(PERIODIC_LOSS, describe(ce=True), NEXT + TIMER, describe(), lose(20), in_order(9),
                                   late(12), TIMER, b"\x00" + duration(10**9), from_anywhere(2000), in_order(9),
                                   hand_over(1), over_new_link(1, 1), lose(1), in_order(9), from_anywhere(40000),
                                   NEXT, in_order(50), lose(1), in_order(9), describe(plain=True), lose(1),
                                   in_order(9), TIMER, what=16, fields=bytes([n << 4])) for n in range(1, 5)},
    "requested": receiver(REQUEST + TIMER, in_order(50), REQUEST + TIMER, TIMER * 3, REQUEST + TIMER * 2, lose(1),
                          REQUEST * 2 + TIMER, hand_over(1), (REQUEST + TIMER) * 9, in_order(9), TIMER),
}

if __name__ == "__main__":
    for target, seeds in (("sender", SENDER), ("receiver", RECEIVER)):
        corpus = pathlib.Path(__file__).parent / "corpus" / target
        corpus.mkdir(parents=True, exist_ok=True)
        for name, seed in seeds.items():
            (corpus / name).write_bytes(seed)
