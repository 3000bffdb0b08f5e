"""What becomes of a trace in an MPEG transport stream, and when its packets are due.

Owns the model of the overhead, which is what GStreamer's mpegtsmux makes of a single H.264 stream, and the rule by which
packets are spread, which is that of vod-replay: a test compares them. Times are in ns from the start, exact.
"""

TS_PACKET_BYTES = 188
TS_PAYLOAD_BYTES = 184
PACKET_BYTES = 1316  # seven of them: what one UDP datagram takes
PES_HEADER_BYTES = 14  # start code, stream, length, flags, PTS
DTS_BYTES = 5  # where it is not the PTS
PCR_BYTES = 8  # the adaptation field that holds one
FLAGS_BYTES = 2  # one without, for the flag of random access
# Both come with the first frame that is later than so long after the last.
PCR_AFTER_MS = 40
TABLES_AFTER_MS = 100  # one TS packet of PAT and one of PMT


def ts_packets(trace, frames):
    """How many TS packets come with each of these frames, which are in the order of sending; with tables before it."""
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
        # A last TS packet that one byte would have to be stuffed into: mpegtsmux has room for it in an adaptation field that
        # is there already; it does not begin one, but moves a byte of the frame into another TS packet.
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
    """When each packet of seven TS packets is due.

    A frame's TS packets are spread evenly over the frame's interval, and the seventh of a packet's makes it complete. A
    rest waits for the next frame's; null packets complete that of the last frame at once.
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
    """Due times of all packets of a trace, its frames sent in coding order or as they are displayed."""
    return due_times_ns(ts_packets(trace, sending_order(trace, order)), trace.interval_ms)
