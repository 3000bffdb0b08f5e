# SPDX-License-Identifier: LGPL-2.1-or-later
"""pipelines/handover/outcome.py gives exactly these measures for logs of a move made by hand.

Packets are due, and leave, every 100 ms from 1 s before the move; the old link takes 200 ms and the new one 30 ms.
"""

import json
import pathlib
import struct
import sys

import moves
import outcome
from batch import runner

START_NS = 1_700_000_000_000_000_000
MOVE_S = 10
SECONDS = 4  # of stream, from 1 s before the move
OLD_S, NEW_S = 0.2, 0.03
LOST = (11, 31)  # 0.1 s and 2.1 s after the move
LATE = 15  # delivered 1 ms too late for a player with a buffer of 500 ms
CHALLENGE = 999  # as long as a packet of the stream, lost on the way
PROTECTED = 1 << 32  # added to the hash of a packet on the wires, if the stream is protected
# An RTCP packet of 1316 bytes, and its hash as tests/scripts/vod-replay.py computes it
LONG_RTCP, LONG_RTCP_HASH = bytes([0x82, 204]) + bytes(1314), 0x9F6490A78DD6CB31
RTT_S = moves.base_rtt_s(moves.ACCESS["mobile"][1], moves.ACCESS["mobile"][0])
MOVED = START_NS + MOVE_S * 10**9


def left_ns(packet):
    return MOVED + (packet - 10) * 100_000_000


def arrived_ns(packet):
    return left_ns(packet) + round((OLD_S if packet < 10 else NEW_S) * 1e9)


def delivered_ns(packet):
    if packet == LATE:
        return left_ns(packet) + round((OLD_S + moves.PLAYOUT_S) * 1e9) + 1_000_000
    return arrived_ns(packet)


def write(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in [header, *rows]))


def write_wire(path, direction, rows):
    write(path, "time_ns,direction,hash,proto,sport,dport",
          [f"{time_ns},{direction},{packet:016x},udp,1,5004" for time_ns, packet in sorted(rows)])


def write_stats(path, factory, stats):
    rows = [{"time_ns": START_NS, "factory": "other", "stats": {}},
            {"time_ns": MOVED, "factory": factory, "stats": stats}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_pcap(path, records):
    """records: time and source of IPv4 packets, and their UDP payload."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for time_ns, source, *payload in records:
        header = bytes([0x45, 0]) + struct.pack(">H", 92) + bytes(8) + bytes(map(int, source.split("."))) + bytes(4)
        packet = bytes(12) + b"\x08\x00" + header + b"".join(bytes(8) + part for part in payload)
        content += struct.pack("=IIII", time_ns // 10**9, time_ns % 10**9 // 1000, len(packet), len(packet)) + packet
    path.write_bytes(content)


def write_logs(directory, old, new, protected=0, lost=LOST):
    packets = range(10 * SECONDS)
    arriving = [packet for packet in packets if packet not in lost]
    directory.mkdir(parents=True)
    facts = {"started_realtime_ns": START_NS, "events_done_s": [MOVE_S]}
    (directory / "run.json").write_text(json.dumps(facts))
    write(directory / "due.csv", "due_ns,hash", [f"{left_ns(packet)},{packet:016x}" for packet in packets])
    write(directory / "received.csv", "arrival_ns,hash",
          [f"{delivered_ns(packet)},{packet:016x}" for packet in sorted(arriving, key=delivered_ns)])
    challenges = [] if protected and old == "old" else [(MOVED, LONG_RTCP_HASH if protected else CHALLENGE)]
    sent = [(left_ns(packet), packet + protected) for packet in packets] + challenges
    write_wire(directory / "wire-trunk.csv", "out", sent)
    for link, numbers in ((old, range(10)), (new, packets[10:])):
        arrivals = [(arrived_ns(packet), packet + protected) for packet in arriving if packet in numbers]
        write_wire(directory / f"wire-{link}.csv", "in", arrivals)
    write_stats(directory / "receiver.jsonl", "tfrcsrc", {"handovers": 1, "handovers-completed": 1})
    write_stats(directory / "sender.jsonl", "tfrcsink",
                {"migrations": 1, "packets-dropped": 0, "packets-refused-replay": 2, "packets-refused-no-key": 1})


def check(row, expected):
    for name, value in expected.items():
        assert abs(row[name] - value) < 1e-6, f"{name} is {row[name]}, not {value}"


def check_move(directory, protected=0):
    write_logs(directory, "old", "new", protected)
    run = moves.Run("movie", 70, 25, "direct", 1, MOVE_S, "movie.csv", secure=bool(protected))
    size = 1368 + (16 if protected else 0)
    # Of the old link's, packets 8 and 9 come after the move, 9 behind 10; of the new link's, 9 in a second, 28 in all.
    check(outcome.measure(run, directory), {
        "dropped_1s": 1, "dropped_5s": 2, "dropped": 2, "overtaken_1s": 1, "overtaken_5s": 1,
        "mbps_1s": (2 + 9) * size * 8 / 1e6, "mbps_5s": (2 + 28) * size * 8 / 5e6, "refused": 3,
        # From 0.5 s before the move on
        "packets": 35, "missing": 2, "late": 1, "frames": 35, "frames_late": 1, "frames_hit": 3,
        "delivery_max_s": OLD_S + moves.PLAYOUT_S + 0.001, "handovers_completed": 1, "migrations": 1})


def check_lost_first_packet(directory):
    """The player starts with the first packet that comes: the same packet is late as if the first had come."""
    write_logs(directory, "old", "new", lost=(0, *LOST))
    run = moves.Run("movie", 70, 25, "direct", 1, MOVE_S, "movie.csv")
    check(outcome.measure(run, directory), {"missing": 2, "late": 1, "frames_late": 1, "frames_hit": 3})


def check_roaming(directory, protected=0):
    write_logs(directory, "wifi", "mobile", protected)
    write_pcap(directory / "pcap" / "cn-trunk.pcap",
               [(MOVED, "10.77.0.2", LONG_RTCP[:60]), (MOVED, "10.77.0.2", LONG_RTCP)])
    write_pcap(directory / "pcap" / "mn-mobile.pcap",
               [(MOVED - 10**8, "10.77.0.1"), (MOVED - 2 * 10**7, moves.MOBILE_ADDRESS), (MOVED, moves.MOBILE_ADDRESS)])
    run = moves.Run("movie", 10, 50, "direct", 1, MOVE_S, "movie.csv", "fails", bool(protected))
    # The receiver speaks 20 ms before the move, and packet 10 comes 30 ms after the move. The two
    # lost packets cause the longest silences.
    check(outcome.measure(run, directory), {"spoke_s": -0.02, "playing_s": 0.05, "playing_rtts": 0.05 / RTT_S,
                                            "movie_gap_s": 0.1, "silence_s": 0.2})


def check_damage(directory):
    run = moves.Run("movie", 70, 25, "direct", 1, MOVE_S, "movie.csv")
    for name, content, said in (("wire-new.csv", "time\n", "wire-new.csv:1"), ("sender.jsonl", "{\n", "sender.jsonl:1"),
                                ("run.json", "{}", "not complete")):
        path = directory / name
        before = path.read_bytes()
        path.write_text(content)
        try:
            outcome.measure(run, directory)
            raise AssertionError(f"measured with a damaged {name}")
        except runner.RunFailed as error:
            assert said in str(error), error
        path.write_bytes(before)


def check_specs():
    """The testbed accepts the spec of every run, and the routes change at the same time."""
    import testbed

    every = [run for secure in (False, True) for run in
             moves.runs(moves.CONTENTS, moves.ADAPTATIONS, [1], 30, "movie.csv", secure)
             + moves.roaming([1], 30, "movie.csv", secure)]
    assert len(every) == 2 * (2 * 2 * 3 + 2)
    for run in every:
        topology = testbed.load(moves.build(run))
        assert {event.at_ns for event in topology.events} <= {30 * 10**9}, run.label()
    links = testbed.load(moves.build(every[0])).links
    # One bandwidth-delay product of 5 Mbit/s in packets of 1368 bytes, and half of 54 and 144 ms
    assert [links[name].shapes["forward"].queue_packets for name in ("old", "new")] == [25, 66]
    assert [links["trunk"].shapes["forward"].delay_ns + links[name].shapes["forward"].delay_ns
            for name in ("old", "new")] == [27 * 10**6, 72 * 10**6]


def main():
    scratch = pathlib.Path(sys.argv[1])
    check_move(scratch / "move")
    check_roaming(scratch / "roaming")
    check_move(scratch / "protected-move", PROTECTED)
    check_roaming(scratch / "protected-roaming", PROTECTED)
    check_lost_first_packet(scratch / "first-packet-lost")
    check_damage(scratch / "move")
    check_specs()


main()
