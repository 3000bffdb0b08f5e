#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of the targets path, smoother, packetizer, pcrpace, tsclassifier, sinksession,
srcsession, srcstream and uri to tests/fuzz/corpus, in the formats that tests/fuzz/fuzz_NAME.c read."""
import pathlib
import struct

MS = 1000000


def duration(ns):
    """Codes a duration as one byte shifted by another; rounds ns down."""
    shift = max(ns.bit_length() - 8, 0)
    return struct.pack("<BB", ns >> shift, shift)


# ---- path: size and R, then events ---------------------------------------------------------------

WAIT_50MS = b"\x00" + duration(50 * MS)
PATH_START = b"\xa5" + duration(50 * MS)


def path_received(size):
    return b"\x01" + struct.pack("<H", size)


def path_response(full, right=True):
    return bytes([2, full | (0 if right else 2)])


RESTART, PATH_NEXT, PATH_SERVE = b"\x03", b"\x04", b"\x05"
PATH = {
    "valid": PATH_START + path_received(64) + PATH_SERVE + WAIT_50MS + path_response(0) + PATH_SERVE + WAIT_50MS
    + path_response(1),
    "no-answer": PATH_START + path_received(1400) + PATH_NEXT * 12,
    "too-little-to-ask": PATH_START + path_received(6) + PATH_NEXT * 3 + path_received(1) + PATH_NEXT * 3,
    "wrong-answers": PATH_START + path_received(64) + PATH_SERVE + path_response(0, False) + path_response(1, False),
    "reached-and-no-more": PATH_START + path_received(64) + PATH_SERVE + path_response(0) + PATH_NEXT * 8,
    "restarted": PATH_START + path_received(64) + PATH_NEXT * 3 + RESTART + PATH_NEXT * 3 + path_response(0) + RESTART,
    "no-rtt": b"\xa5\x00\x00" + path_received(64) + PATH_NEXT * 9,
}

# ---- smoother: window, then events ---------------------------------------------------------------

WINDOW = duration(1500 * MS)
TAKE, BACK, RESET = b"\x03", b"\x04", b"\x06"


def offer(size):
    return b"\x01" + struct.pack("<H", size)


def pictures(n, packets=20):
    return (bytes([2, packets]) + WAIT_50MS + b"\x05\x10") * n


SMOOTHER = {
    "movie": WINDOW + pictures(30) + b"\x05\xff\x05\xff",
    "taken-early": WINDOW + bytes([2, 50]) + TAKE * 30 + WAIT_50MS + pictures(3) + TAKE * 30,
    "refused": WINDOW + bytes([2, 5]) + (TAKE + BACK) * 6 + WAIT_50MS + TAKE + WAIT_50MS + BACK + b"\x05\x09",
    "any-size": WINDOW + b"".join(offer(size) for size in (0, 1, 65535, 1316)) + b"\x05\x04",
    "idle": WINDOW + pictures(2) + b"\x00\xff\x29" + pictures(2) + RESET + pictures(1),
    "least-window": duration(1016) + pictures(2),
    "refused-window": b"\x01\x00" + offer(1),
}

# ---- packetizer: four lengths of cuts (3 n + 1), then bytes --------------------------------------


def ts(n, size=188, sync=b"\x47"):
    return b"".join(sync + bytes([i + 1]) * 3 + b"\x10" * (size - 4) for i in range(n))


CUTS = bytes([62, 100, 0, 255])
PACKETIZER = {
    "clean": CUTS + ts(8),
    "starts-inside": CUTS + b"\x10" * 100 + ts(6),
    "damaged": CUTS + ts(4) + b"\x47" * 3 + b"\x00" * 50 + ts(5),
    "sync-bytes-inside": CUTS + ts(4)[:300] + b"\x47" * 400 + ts(4),
    "m2ts": CUTS + b"\x00" * 4 + ts(4, 192),
    "error-protected": CUTS + ts(4, 204),
    "short": CUTS + ts(2)[:375],
    "only-sync": b"\x00\x00\x00\x00" + b"\x47" * 700,
    "no-ts": CUTS + b"text " * 150,
    "byte-by-byte": bytes(4) + ts(3) + b"x" + ts(3),
    "null-packets": CUTS + (ts(2) + b"\x47\x1f\xff\x10" + b"\xff" * 184) * 5,
}

# ---- pcrpace: events -----------------------------------------------------------------------------


def plain(n, choice=6):
    """n: a power of two"""
    return bytes([0, n.bit_length() - 1, choice])


def pcr(ticks, choice=6):
    return b"\1" + struct.pack("<Q", ticks)[:6] + bytes([choice])


def step(ms, choice=6):
    return b"\2" + struct.pack("<HB", ms * 27, choice)


PCR_FINISH, PCR_CLEAR = b"\4", b"\5"
PCRPACE = {
    "even": pcr(0) + (plain(8) + step(40)) * 5 + PCR_FINISH,
    "in-the-middle": pcr(0, 27) + (plain(4, 4) + step(20, 33)) * 5 + PCR_FINISH,
    "wraps": pcr((300 << 33) - 27000) + plain(4) + step(40) + plain(4) + step(40) + PCR_FINISH,
    "jumps": pcr(0) + plain(4) + step(40) + plain(4) + pcr(10**9) + plain(4) + step(40) + pcr(27000) + PCR_FINISH,
    "told-jump": pcr(0) + plain(4) + step(40) + plain(4) + step(40, 0x80 + 6) + plain(4) + step(40) + PCR_FINISH,
    "without-references": plain(4096) + PCR_FINISH,
    "none-behind": pcr(0) + plain(4) + step(40) + plain(4096) + step(1000) + plain(8) + step(40) + PCR_FINISH,
    "other-programs": pcr(0) + (plain(1) + step(10, 6 + 0x40)) * 70 + PCR_FINISH,
    "ends-early": pcr(0) + PCR_FINISH + plain(4) + PCR_FINISH + step(40) + plain(4) + PCR_FINISH,
    "begins-anew": pcr(0) + plain(8) + PCR_CLEAR + plain(4) + pcr(5 * 10**6) + plain(4) + step(40),
    "any-bytes": b"\3G\0\0 \xb7\x10" + bytes(182) + b"\3short",
}

# ---- tsclassifier: events -------------------------------------------------------------------------


def any_packet(bytes_):
    return b"\0" + bytes_.ljust(188, b"\xff")


def section(pmt, version, number, data):
    return bytes([1, pmt | version << 1, number]) + struct.pack("<H", len(data)) + data


def of_stream(stream, payload, flags=1):
    return bytes([2, stream | flags << 2, len(payload)]) + payload


PES = b"\0\0\1\xe0\0\0\x80\x80\5\x21\0\1\0\1"
CLASSIFIER_RESET = b"\3"
SECOND_PROGRAM = section(0, 1, 1, b"\0\1\xf0\0\0\2\xf0\1")
TSCLASSIFIER = {
    "h264": of_stream(0, PES + b"\0\0\0\1\x09\xf0\0\0\1\x67\x64\0\0\1\x06\x06\1\xc4\x80\0\0\1\x61\x88\x84", 3) + of_stream(0, b"x" * 90, 0)
    + of_stream(0, PES + b"\0\0\1\1\x9e\x24") + of_stream(0, PES + b"\0\0\1\x41\x9a\x24"),
    "h265": of_stream(1, PES + b"\0\0\1\x40\1\0\0\1\x26\1\xaf") + of_stream(1, PES + b"\0\0\1\2\1\xd0") + of_stream(1, PES + b"\0\0\1\0\2\xe0"),
    "mpeg2": of_stream(2, PES + b"\0\0\1\xb3\x16\0\0\1\0\0\x0f\xff\xf8") + of_stream(2, PES + b"\0\0\1\0\0\x1f\xff"),
    "audio": of_stream(3, PES + b"\x0b\x77" * 20) + of_stream(3, b"\x0b\x77" * 40, 0),
    "cut": b"".join(of_stream(0, bytes([byte]), i == 0) for i, byte in enumerate(PES + b"\0\0\1\x67\0\0\1\x65\x88")),
    "scrambled": of_stream(0, b"noise" * 8, 1 + 2 + 16) + of_stream(0, b"noise" * 8, 16) + of_stream(0, b"noise" * 8, 1 + 16 + 4),
    "clock": of_stream(0, b"", 8) + of_stream(0, b"", 2) + of_stream(0, PES + b"\0\0\1\x61\x88"),
    "another-pmt": section(1, 1, 1, b"\xe1\0\xf0\6\x09\4\0\5\xe3\0\x24\xe1\0\xf0\0\x06\xe1\3\xf0\6\5\4Opus")
    + of_stream(0, PES + b"\0\0\1\2\1\xd0") + of_stream(3, PES),
    "two-programs": SECOND_PROGRAM + section(1, 2, 2, b"\xe1\0\xf0\0\x1b\xe1\0\xf0\0") + of_stream(0, PES) + section(0, 2, 1, b"\0\2\xf0\0"),
    "long-table": section(1, 3, 1, b"\xe1\0\xf0\0" + (b"\x0f\xe1\3\xf0\xc0" + b"\x0a\xbe" + b"e" * 190) * 3) + of_stream(3, PES),
    "after-a-flush": of_stream(0, PES + b"\0\0\1\x65\x88") + CLASSIFIER_RESET + of_stream(0, b"x" * 50, 0) + of_stream(0, PES + b"\0\0\1\x41\x9a"),
    "raw": any_packet(b"\x47\x50\0\x10\xb0\2\xb0\x0d") + any_packet(b"\x47\x1f\xff\x10") + any_packet(b"\x47\x81\0\x30\xff")
    + any_packet(b"\x47\x41\0\x30\7\x50") + any_packet(b"\x47\x41\0\x10" + PES + b"\0\0\1\x65"),
}

# ---- sinksession: configuration, then events -----------------------------------------------------

GUARD = b"\x00"


def sink(kind, address=0):
    return bytes([kind + 12 * address])


def round_trips(n, address=0, p=0, what=0, fields=b""):
    return (sink(2) + bytes([address, what]) + struct.pack("<IB", 100000, p) + fields) * n


def feedback(address, what=0, x_recv=100000, p=0, fields=b""):
    return sink(3, address) + bytes([what]) + struct.pack("<IB", x_recv, p) + fields


def response(address, what=0):
    return sink(5, address) + bytes([what])


SINK_WAIT = sink(0) + duration(50 * MS)
NEXT, SERVE, LEAVE = sink(8), sink(11), sink(10)
SINKSESSION = {
    "runs": GUARD + round_trips(8),
    "loss": GUARD + round_trips(4) + round_trips(6, p=5, what=8, fields=b"\x01"),
    "without-guard": b"\x01" + round_trips(8),
    "no-feedback": GUARD + sink(1) + struct.pack("<I", 1316)[:3] + bytes(2) + NEXT * 12,
    "moves": GUARD + round_trips(3) + feedback(2) + SERVE + SINK_WAIT + response(2) + SERVE + SINK_WAIT + response(2)
    + round_trips(3, address=2),
    "moves-and-back": GUARD + round_trips(3) + feedback(2) + SERVE + response(2) + NEXT * 14 + round_trips(2),
    "another-port": GUARD + round_trips(3) + feedback(1) + SERVE + response(1) + SERVE + round_trips(2, address=1),
    "many-probed-paths": GUARD + round_trips(2) + b"".join(feedback(n) + SERVE for n in (1, 2, 3, 4, 5, 6, 2)) + NEXT * 9,
    "enhanced": b"\x06\x6d" + round_trips(4)
    + round_trips(6, p=5, what=24 + 32, fields=b"\x01\x40\x02\x01\x04\x00\x00\x00"),
    "refused-choices": b"\x06\x04" + round_trips(2),
    "never-moves": b"\x40" + round_trips(3) + feedback(2) + SERVE + response(2),
    "handover": GUARD + round_trips(3) + round_trips(3, what=16, fields=b"\x01") + round_trips(2, what=16, fields=b"\x03")
    + round_trips(3),
    "ecn": GUARD + round_trips(2) + round_trips(40, what=16, fields=b"\x80\x01\x00\x01\x00\x00"),
    "ecn-works": GUARD + round_trips(2) + round_trips(40, what=16, fields=b"\x80\x01\x01\x00\x00\x00"),
    "ecn-lies": GUARD + round_trips(2) + round_trips(9, what=16, fields=b"\x80\x01\x01\x00\x01\x00")
    + round_trips(3, what=16, fields=b"\x80\x00\x01\x00\x01\x00") + round_trips(3, what=16, fields=b"\x80\x09\xff\xff\xff\x01"),
    "bye": GUARD + round_trips(3) + LEAVE + sink(6) + round_trips(2),
    "peer-leaves": GUARD + round_trips(3) + sink(6) + NEXT * 4 + round_trips(1),
    "reports": GUARD + round_trips(1) + (NEXT * 3 + sink(4) + b"\x01") * 4,
    "hostile": GUARD + round_trips(2) + feedback(0, 0x6F, 0xFFFFFFFF, 255, b"\xff" * 30) + feedback(0, 0x80) + SERVE,
    "limits": GUARD + round_trips(2) + sink(9) + struct.pack("<QQ", 10**6, 0)[:5] + struct.pack("<Q", 2 * 10**6)[:5]
    + round_trips(3) + sink(9) + bytes(10) + round_trips(2),
    "raw": GUARD + round_trips(1) + sink(7) + b"\x1c\x82\xcd\x00\x06" + bytes(24) + sink(7, 2) + b"\x04\x80\xc9\x00\x00",
}

# ---- srcsession: configuration, then events ------------------------------------------------------

SRC = b"\x00"
SRC_WAIT = b"\x00" + duration(50 * MS)
SRC_NEXT, POP, REPORT, CHALLENGE, SRC_BYE = b"\x08", b"\x0b", b"\x06\x00", b"\x07\x05", b"\x06\xe0"


def data(n):
    return bytes([1, n])


def lost(n):
    return bytes([2, n])


def late(n):
    return bytes([3, n])


def jump(seq):
    return b"\x04" + struct.pack("<H", seq)


SRCSESSION = {
    "runs": SRC + REPORT + (data(50) + SRC_NEXT + POP) * 5,
    "loss": SRC + REPORT + data(20) + lost(3) + data(20) + SRC_NEXT + POP + lost(1) + data(20) + SRC_NEXT * 3 + POP,
    "classified": b"\x20\x11" + REPORT + data(50) + lost(1) + data(50) + lost(3) + data(50) + SRC_NEXT * 3 + POP,
    "late": SRC + data(20) + lost(5) + late(4) + late(3) + late(4) + POP + data(200) + POP,
    "restart": SRC + data(20) + jump(40000) + jump(40001) + data(20) + POP,
    "arrival-order": b"\x10" + data(10) + lost(2) + late(3) + POP,
    "small-queue": b"\x08" + duration(5 * MS) + data(40) + lost(2) + late(1) + data(40) + POP,
    "clock-steps": SRC + REPORT + data(50) + b"\x16" + duration(10**12) + data(50) + b"\x0a" + duration(10**12) + data(50),
    "challenge": SRC + data(20) + CHALLENGE + SRC_NEXT + CHALLENGE * 2 + SRC_NEXT,
    "handover": SRC + REPORT + data(50) + b"\x09\x01" + bytes(5) + SRC_NEXT + b"\x05\x60\x05\x01" + data(50) + SRC_NEXT * 3,
    "bye": SRC + REPORT + data(20) + SRC_BYE + SRC_NEXT * 2 + data(5),
    "plain-rtp": SRC + b"\x05\x01" + data(50) + SRC_NEXT * 2 + POP,
    "idle": SRC + REPORT + data(5) + SRC_NEXT * 8,
    "refused": b"\x01\x00",  # a history of no interval
}

# ---- srcstream: configuration, then events; a byte selects the sender: address, SSRC, flags ------

KEEP, HONEST, ONE_HOST, ONE_ADDRESS = 1, 16, 64, 128
PLAIN, ELSEWHERE, WRONG = 32, 32, 64
STREAM_NEXT, STREAM_POP = b"\x01", b"\x0c"


def who(address, ssrc=0, what=0):
    return address | ssrc << 3 | what


def stream(*events, what=0):
    return bytes([what]) + b"".join(events)


def some_data(sender, n=4):
    return bytes([2, sender, n])


def packet(sender, step=1):
    return bytes([3, sender]) + struct.pack("<H", step)


def sender_report(sender):
    return bytes([4, sender])


def goodbye(sender):
    return bytes([5, sender])


def answer(sender, which=0):
    return bytes([7, sender, which])


def pause(ms):
    return b"\x00" + duration(ms * MS)


def stall(ms):
    return b"\x0a" + duration(ms * MS)


A, B, FORGER = who(0), who(2, 1), who(0, 2)
VALIDATED = some_data(A) + answer(A) + some_data(A, 20)
SRCSTREAM = {
    "runs": stream(VALIDATED, sender_report(A), some_data(A, 100), STREAM_NEXT * 4, STREAM_POP),
    "plain-rtp": stream(some_data(A | PLAIN, 50), STREAM_NEXT * 3, goodbye(A), STREAM_NEXT * 3),
    "unresponsive": stream(some_data(A, 50), STREAM_NEXT * 8, some_data(A, 50), goodbye(A), STREAM_NEXT * 4),
    "wrong-answers": stream(some_data(A), some_data(B), answer(A | WRONG), answer(B | ELSEWHERE), answer(who(3)),
                            STREAM_NEXT * 4),
    "bye": stream(VALIDATED, goodbye(A), STREAM_NEXT * 4, some_data(A), STREAM_NEXT * 4),
    "bye-forged": stream(some_data(A), pause(50), some_data(A, 20), goodbye(A), STREAM_NEXT, some_data(B), STREAM_NEXT * 8,
                         some_data(A), what=HONEST),
    "bye-keep-listening": stream(VALIDATED, goodbye(A), STREAM_NEXT * 4, some_data(B), answer(B), goodbye(B), STREAM_NEXT * 4,
                                 VALIDATED, what=KEEP),
    "next-peer": stream(VALIDATED, some_data(B), answer(B), STREAM_NEXT * 12, some_data(B), some_data(A), some_data(B),
                         STREAM_NEXT * 4),
    "not-validated-gives-way": stream(some_data(B | PLAIN), some_data(A), answer(A), some_data(B | PLAIN)),
    "same-address": stream(VALIDATED, some_data(FORGER), answer(FORGER), some_data(FORGER), goodbye(A)),
    "same-address-forged": stream(some_data(A), some_data(FORGER), answer(FORGER), pause(3000), some_data(FORGER),
                                  STREAM_NEXT * 9, what=HONEST),
    "many-senders": stream(*(some_data(who(i % 6, i // 6), 12) for i in range(24)), STREAM_NEXT * 20, what=KEEP),
    "rival": stream(some_data(A), some_data(B), answer(B), some_data(B), pause(3000), some_data(B), STREAM_NEXT * 9, what=HONEST),
    "flood": stream(*(packet(who(i % 2, i // 2 % 4)) for i in range(48)), STREAM_NEXT * 9),
    "reports": stream((sender_report(A) + pause(3900)) * 4, answer(A), some_data(A)),
    "probe": stream(STREAM_NEXT * 6, answer(A), some_data(A), pause(6000), STREAM_NEXT * 6, what=ONE_ADDRESS | KEEP),
    "one-host": stream(some_data(B), some_data(who(1)), answer(who(1)), STREAM_NEXT * 3, what=ONE_HOST),
    "reports-to-another-port": stream(some_data(who(1) | PLAIN, 23), sender_report(A), STREAM_NEXT * 6, what=HONEST),
    "reports-from-another-port-before-tfrc": stream(some_data(A | PLAIN, 1), packet(A, 122), packet(who(1), 257),
                                                    sender_report(who(1)), goodbye(A), some_data(A, 215), what=HONEST),
    "challenged": stream(VALIDATED, bytes([6, A]) * 25, STREAM_NEXT),
    "jump": stream(VALIDATED, packet(A, 12000), packet(A, 53537), packet(A, 30000), packet(A), STREAM_POP),
    "together": stream(stall(0), some_data(A), goodbye(A), some_data(B), sender_report(B), STREAM_NEXT * 6),
    "bye-forged-in-a-stall": stream(some_data(A), stall(300), goodbye(A), some_data(A, 230), STREAM_NEXT, what=HONEST),
    "bye-forged-before-validation": stream(some_data(A | PLAIN), goodbye(A), some_data(A, 215), what=HONEST),
    "rival-in-a-stall": stream(some_data(A), some_data(B), answer(B), pause(2000), stall(1500), some_data(B),
                               STREAM_NEXT * 9, what=HONEST),
    "migration": stream(VALIDATED, b"\x0b\x03" + bytes(5), some_data(A, 20), pause(1500), some_data(A, 5), STREAM_NEXT * 4),
    "refused": stream(VALIDATED, STREAM_NEXT * 3, what=8),
    "arrival-order": stream(VALIDATED, packet(A, 5), packet(A, 65533), some_data(A), STREAM_POP, packet(A, 65530), STREAM_POP, what=2),
}

URI = {
    "plain": b"tfrc://192.0.2.1:5004",
    "address": b"tfrc://[2001:db8::1]:6000?ttl=3",
    "scope": b"tfrc://[fe80::1%25eth0]",
    "every-key": b"tfrc://?host=h&port=7&ttl=-1&latency=50&max-bitrate=2000000&keep=true&leaky=downstream",
    "bad-escape": b"tfrc://h?a%=1",
    "escapes": b"tfrc://h%20x?host=%22%00&ttl=%ff",
    "rest": b"TFRC://user:pw@h:1/path?ttl=1&ttl=2#fragment",
    "ports": b"tfrc://h:65536?port=0x10",
    "other": b"udp://h:1",
    "behind-the-scheme": b"[::1]:7?ttl=3&keep=0",
    "query": b"?max_bitrate=1&max-bitrate=2&leaky=upstream",
}

if __name__ == "__main__":
    for target, seeds in (("path", PATH), ("smoother", SMOOTHER), ("packetizer", PACKETIZER), ("pcrpace", PCRPACE),
                          ("tsclassifier", TSCLASSIFIER), ("sinksession", SINKSESSION),
                          ("srcsession", SRCSESSION), ("srcstream", SRCSTREAM), ("uri", URI)):
        corpus = pathlib.Path(__file__).parent / "corpus" / target
        corpus.mkdir(parents=True, exist_ok=True)
        for name, seed in seeds.items():
            (corpus / name).write_bytes(seed)
