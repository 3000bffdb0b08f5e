# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the output of vod-replay with its trace, down to the bits of the transport stream.

Has an MPEG-TS reader of its own, so that the check does not depend on GStreamer's code. Usage:
    vod-replay.py stream TRACE FILE.ts LOG [loops=N] [burst]     the stream and the log, in every detail
    vod-replay.py receive LOG COMMAND...                         runs COMMAND, with {port} replaced, and receives from it
"""

import signal
import socket
import struct
import subprocess
import sys
import time
from collections import namedtuple

TS_PACKET = 188
DATAGRAM = 7 * TS_PACKET
NULL_PID = 0x1FFF
TICKS_PER_S = 90000
INTERVAL_NS = 40_000_000
INTERVAL_TICKS = 3600
LARGEST_PCR_GAP_TICKS = TICKS_PER_S // 10  # ISO/IEC 13818-1, 2.7.2

Packet = namedtuple("Packet", "pid start counter payload pcr random_access")
AccessUnit = namedtuple("AccessUnit", "first_packet pts dts pcr random_access data")


def check(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def crc32(data):
    """The CRC of MPEG-2 sections: 0 over a section with its CRC."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc


def packet_hash(payload):
    """The name of a packet, as in tools/meter/packethash.h."""
    value = 0xCBF29CE484222325
    for word in struct.unpack("<164QI", payload):
        value = (value ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        value ^= value >> 32
    return f"{value:016x}"


def read_packet(data):
    check(data[0] == 0x47 and not data[1] & 0x80, "a TS packet without sync byte or with an error")
    at, pcr, random_access = 4, None, False
    if data[3] & 0x20:
        at += 1 + data[4]
        check(at <= TS_PACKET, "an adaptation field longer than its packet")
        random_access = data[4] > 0 and bool(data[5] & 0x40)
        if data[4] > 0 and data[5] & 0x10:
            high, low = struct.unpack(">IH", data[6:12])
            check(low & 0x1FF == 0, "a PCR between two ticks")
            pcr = high << 1 | low >> 15
    payload = data[at:] if data[3] & 0x10 else b""
    return Packet((data[1] & 0x1F) << 8 | data[2], bool(data[1] & 0x40), data[3] & 0x0F, payload, pcr, random_access)


def read_packets(data):
    packets = [read_packet(data[at : at + TS_PACKET]) for at in range(0, len(data), TS_PACKET)]
    counters = {}
    for packet in packets:
        if packet.pid != NULL_PID and packet.payload:
            expected = (counters.get(packet.pid, packet.counter - 1) + 1) % 16
            check(packet.counter == expected, f"continuity counter {packet.counter}, not {expected}, of {packet.pid:#x}")
            counters[packet.pid] = packet.counter
    return packets


def read_section(packet):
    section = packet.payload[1 + packet.payload[0] :]
    length = 3 + ((section[1] & 0x0F) << 8 | section[2])
    check(crc32(section[:length]) == 0, f"CRC of the section of {packet.pid:#x}")
    return section[: length - 4]


def find_video(packets):
    """PID of the one stream of the one program, from every PAT and PMT."""
    pats = {read_section(packet) for packet in packets if packet.pid == 0}
    check(len(pats) == 1, f"{len(pats)} different PATs")
    pat = pats.pop()
    pmt_pid = struct.unpack(">H", pat[10:12])[0] & 0x1FFF
    pmts = {read_section(packet) for packet in packets if packet.pid == pmt_pid}
    check(len(pmts) == 1, f"{len(pmts)} different PMTs")
    pmt = pmts.pop()
    at = 12 + (struct.unpack(">H", pmt[10:12])[0] & 0x0FFF)
    pid = struct.unpack(">H", pmt[at + 1 : at + 3])[0] & 0x1FFF
    check(pmt[at] == 0x1B, f"stream type {pmt[at]:#x} instead of H.264")
    check(struct.unpack(">H", pmt[8:10])[0] & 0x1FFF == pid, "the PCR is not the video's")
    return pid, pmt_pid


def time_stamp(data):
    return (data[0] >> 1 & 7) << 30 | struct.unpack(">H", data[1:3])[0] >> 1 << 15 | struct.unpack(">H", data[3:5])[0] >> 1


def access_unit(first_packet, packet, data):
    check(data[:3] == b"\0\0\1" and data[3] & 0xF0 == 0xE0, "a PES packet that is no video")
    pts = time_stamp(data[9:])
    dts = time_stamp(data[14:]) if data[7] & 0x40 else pts
    return AccessUnit(first_packet, pts, dts, packet.pcr, packet.random_access, data[9 + data[8] :])


def access_units(packets, video, pmt_pid):
    """The access units, each with the number of its first TS packet; tables before it belong to
    it."""
    units, begun, tables = [], None, None
    for number, packet in enumerate(packets):
        if packet.pid in (0, pmt_pid):
            tables = number if tables is None else tables
        elif packet.pid == video:
            if packet.start:
                if begun:
                    units.append(access_unit(*begun))
                begun = [number if tables is None else tables, packet, b""]
                tables = None
            begun[2] += packet.payload
        else:
            check(packet.pid == NULL_PID, f"PID {packet.pid:#x}")
    units.append(access_unit(*begun))
    return units


def display_places(types):
    """The places in display order of frames in coding order. B frames are displayed before the
    frame that they follow, but none before the first frame."""
    places, followed = [], None
    for at, kind in enumerate(types):
        places.append(at)
        if kind != "B":
            followed = at
        elif followed:
            places[followed], places[at] = at, places[followed]
    return places


def read_trace(name, in_coding_order):
    """(display, type, bytes) in coding order: B frames after the frame displayed behind them."""
    with open(name) as file:
        rows = [line.strip().split(",") for line in file if not line.startswith("#")][1:]
    if in_coding_order:
        places = display_places([row[1] for row in rows])
        return [(place, row[1], int(row[3])) for place, row in zip(places, rows)]
    coded, waiting = [], []
    for display, row in enumerate(rows):
        waiting.append((display, row[1], int(row[3])))
        if row[1] != "B":
            coded += waiting[-1:] + waiting[:-1]
            waiting = []
    return coded + waiting


def check_units(units, trace, loops):
    """Checks sizes and times. The places of skipped frames stay empty."""
    expected = [
        (position + loop * len(trace), display + loop * len(trace), kind, size)
        for loop in range(loops)
        for position, (display, kind, size) in enumerate(trace)
        if size > 0
    ]
    check([len(unit.data) for unit in units] == [size for *_, size in expected], "sizes of access units")
    zero = units[0].dts
    pcr_offset, last_pcr = zero - units[0].pcr, units[0].pcr
    check(0 < pcr_offset < TICKS_PER_S, f"the first PCR is {pcr_offset} ticks before the first DTS")
    for unit, (position, display, kind, _) in zip(units, expected):
        check(unit.dts - zero == position * INTERVAL_TICKS, f"DTS of frame {position}")
        check(unit.pts - zero == (display + 1) * INTERVAL_TICKS, f"PTS of frame {position}")
        check(unit.random_access == (kind == "I"), f"random access at frame {position}")
        if unit.pcr is not None:
            check(unit.dts - unit.pcr == pcr_offset, f"PCR of frame {position}")
            check(unit.pcr - last_pcr <= LARGEST_PCR_GAP_TICKS, f"PCR is late at frame {position}")
            last_pcr = unit.pcr
    return [position for position, *_ in expected]


def due_times(units, positions, n_packets, burst):
    """The due time of every datagram after the first frame's start, from the places of the frames'
    TS packets."""
    dues = []
    ends = [unit.first_packet for unit in units[1:]] + [n_packets]
    for unit, position, end in zip(units, positions, ends):
        count = end - unit.first_packet
        spread = 0 if burst else INTERVAL_NS
        dues += [position * INTERVAL_NS + spread * index // count for index in range(count)]
    dues += [dues[-1]] * (-len(dues) % 7)
    return dues[6::7]


def read_log(name):
    with open(name) as file:
        check(file.readline() == "due_ns,hash\n", "header of the log")
        return [(int(due), name) for due, name in (line.split(",") for line in file.read().splitlines())]


def check_frames(log_name, units, trace, n_packets, loops):
    """Checks which datagrams the log says that each frame is in."""
    ends = [unit.first_packet for unit in units[1:]] + [n_packets]
    frames = [(display + loop * len(trace), kind) for loop in range(loops) for display, kind, size in trace if size > 0]
    rows = [f"{display},{kind},{unit.first_packet // 7},{(end - 1) // 7}"
            for (display, kind), unit, end in zip(frames, units, ends)]
    with open(f"{log_name}.frames") as file:
        check(file.read().splitlines() == ["frame,type,first_packet,last_packet", *rows], "frames in the log")


def check_stream(trace_name, stream_name, log_name, loops=1, burst=False, in_coding_order=False):
    with open(stream_name, "rb") as file:
        data = file.read()
    check(len(data) % DATAGRAM == 0, "size of the stream")
    packets = read_packets(data)
    n_packets = len(packets)
    while packets[n_packets - 1].pid == NULL_PID:
        n_packets -= 1
    check(len(packets) - n_packets < 7, "more null packets than a datagram takes")
    units = access_units(packets[:n_packets], *find_video(packets))
    positions = check_units(units, read_trace(trace_name, in_coding_order), loops)

    log = read_log(log_name)
    hashes = [packet_hash(data[at : at + DATAGRAM]) for at in range(0, len(data), DATAGRAM)]
    check([name for _, name in log] == hashes, "hashes in the log")
    check(len(set(hashes)) == len(hashes), "two packets are the same")
    dues = due_times(units, positions, n_packets, burst)
    check([due - log[0][0] for due, _ in log] == [due - dues[0] for due in dues], "due times in the log")
    check_frames(log_name, units, read_trace(trace_name, in_coding_order), n_packets, loops)


def receive(log_name, command):
    """Runs a replay without end, interrupts it after a while, and compares the received packets
    with the log."""
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("127.0.0.1", 0))
    receiver.settimeout(30)
    port = str(receiver.getsockname()[1])
    process = subprocess.Popen([argument.replace("{port}", port) for argument in command])
    arrivals = []
    try:
        while len(arrivals) < 50:
            payload = receiver.recv(2048)
            arrivals.append((time.time_ns(), packet_hash(payload)))
        process.send_signal(signal.SIGINT)
        status = process.wait(30)
        receiver.setblocking(False)
        while True:
            arrivals.append((None, packet_hash(receiver.recv(2048))))
    except BlockingIOError:
        pass
    finally:
        process.kill()
    check(status == 0, f"status {status} after an interrupt")
    log = read_log(log_name)
    check([name for _, name in arrivals] == [name for _, name in log], "what was logged is what was sent")
    # Real time comes from two clocks, which are read one after the other.
    early_ns = max(due - arrival for (arrival, _), (due, _) in zip(arrivals, log) if arrival is not None)
    check(early_ns < 1_000_000, f"a packet was {early_ns} ns early")


def main():
    if sys.argv[1] == "receive":
        receive(sys.argv[2], sys.argv[3:])
    else:
        loops = [int(option[6:]) for option in sys.argv[5:] if option.startswith("loops=")]
        check_stream(
            *sys.argv[2:5],
            loops=loops[0] if loops else 1,
            burst="burst" in sys.argv[5:],
            in_coding_order="coding" in sys.argv[5:],
        )


if __name__ == "__main__":
    main()
