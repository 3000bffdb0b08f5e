# SPDX-License-Identifier: LGPL-2.1-or-later
"""The MPEG transport stream of a trace: its number of packets, and when each packet is due.

Owns two models, which a test compares with the programs. The model of the overhead is that of
GStreamer's mpegtsmux with a single H.264 stream. The rule that spreads packets over time is that of
vod-replay. Times are exact, in ns from the start.
"""

TS_PACKET_BYTES = 188
TS_PAYLOAD_BYTES = 184
PACKET_BYTES = 1316  # seven TS packets, which fill one UDP datagram
PES_HEADER_BYTES = 14  # start code, stream, length, flags, PTS
DTS_BYTES = 5  # if the DTS differs from the PTS
PCR_BYTES = 8  # an adaptation field with a PCR
FLAGS_BYTES = 2  # an adaptation field without a PCR, for the flag of random access
# A PCR comes with the first frame that is more than PCR_AFTER_MS after the frame with the last PCR.
# The rule for tables is the same.
PCR_AFTER_MS = 40
TABLES_AFTER_MS = 100  # one TS packet of PAT and one of PMT


def ts_packets(trace, frames):
    """The number of TS packets of each frame, with the tables before the frame. The frames are in
    the order of sending."""
    delay = max(position - frame for position, frame in enumerate(frames))
    counts = []
    pcr_ms = tables_ms = -1
    for position, frame in enumerate(frames):
        now_ms = position * trace.interval_ms
        payload_bytes = PES_HEADER_BYTES + trace.sizes_bytes[frame]
        adaptation_bytes = 0
        if frame + delay != position:
            payload_bytes += DTS_BYTES
        if now_ms > pcr_ms:
            adaptation_bytes = PCR_BYTES
            pcr_ms = now_ms + PCR_AFTER_MS
        elif trace.types[frame] == "I":
            adaptation_bytes = FLAGS_BYTES
        payload_bytes += adaptation_bytes
        count = -(-payload_bytes // TS_PAYLOAD_BYTES)
        # The last TS packet may need one byte of stuffing. If it has an adaptation field, mpegtsmux
        # puts the byte there. Otherwise mpegtsmux adds no field, but moves a byte of the frame into
        # another TS packet.
        last_has_field = count == 1 and adaptation_bytes
        if payload_bytes % TS_PAYLOAD_BYTES == TS_PAYLOAD_BYTES - 1 and not last_has_field:
            count += 1
        if now_ms > tables_ms:
            count += 2
            tables_ms = max(tables_ms, 0) + TABLES_AFTER_MS
        counts.append(count)
    return counts


def bitrate_bps(counts, interval_ms):
    """The transport stream's mean rate."""
    return sum(counts) * TS_PACKET_BYTES * 8 * 1000 / (len(counts) * interval_ms)


def due_times_ns(counts, interval_ms):
    """The time at which each packet of seven TS packets is due.

    A frame's TS packets are spread evenly over the frame's interval. A packet is due at the time of
    its seventh TS packet. TS packets that do not fill a packet wait for those of the next frame;
    after the last frame null packets fill the packet at once.
    """
    interval_ns = interval_ms * 1_000_000
    per_packet = PACKET_BYTES // TS_PACKET_BYTES
    times_ns = []
    rest = 0
    for number, count in enumerate(counts):
        start_ns = number * interval_ns
        times_ns += [start_ns + index * interval_ns // count for index in range(per_packet - 1 - rest, count, per_packet)]
        rest = (rest + count) % per_packet
    if rest:
        times_ns.append((len(counts) - 1) * interval_ns + (counts[-1] - 1) * interval_ns // counts[-1])
    return times_ns


def sending_order(trace, order):
    return trace.coding_order() if order == "coding" else range(len(trace))


def packets_of(trace, order="coding"):
    """Due times of all packets of a trace. order: 'coding' or 'display', the order in which frames
    are sent."""
    return due_times_ns(ts_packets(trace, sending_order(trace, order)), trace.interval_ms)
