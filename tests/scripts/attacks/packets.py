# SPDX-License-Identifier: LGPL-2.1-or-later
"""Packets of docs/wire-format.md: forged packets, changed packets, and the parts that a receiver
reads."""
import random
import struct

MP2T, REPAIR, SR, RR, SDES, BYE, APP, FEEDBACK = 33, 97, 200, 201, 202, 203, 204, 205
HANDOVER, NEW_LINK, BANDWIDTH, CLASSIFIED, ECN = 1, 4, 8, 0x40, 0x80  # flags of the state
CHALLENGE, RESPONSE = 2, 3
NACK, TRANSPORT = 1, 15  # FMT of requests, and of transport-wide feedback
US, ALL_ONES = 1_000_000, 0xFFFFFFFF
HEADER_BYTES = 24
TS_PACKET = b"\x47\x1f\xff\x10" + bytes(184)
FALSE_NUMBER = 2 ** 32 - 1  # the number of a packet that is not part of the movie


def random_ssrc():
    return random.randbytes(4)


# ---- data

def is_data(payload):
    return len(payload) > HEADER_BYTES and payload[1] & 0x7F == MP2T


def is_repair(payload):
    return len(payload) > HEADER_BYTES and payload[1] & 0x7F == REPAIR


def sequence_number(data):
    return struct.unpack("!H", data[2:4])[0]


def ssrc_of_data(data):
    return data[8:12]


def rtt_us(data):
    return int.from_bytes(data[17:20], "big")


def send_time_us(data):
    return struct.unpack("!I", data[20:24])[0]


def payload_bytes(data):
    words, = struct.unpack("!H", data[14:16])
    return len(data) - 16 - 4 * words


def elements(data):
    """id: content of the elements with one-byte headers."""
    words, = struct.unpack("!H", data[14:16])
    at, end, found = 16, 16 + 4 * words, {}
    while at < end and data[at] >> 4 != 15:
        size = (data[at] & 15) + 1 if data[at] else 0
        found[data[at] >> 4] = data[at + 1:at + 1 + size]
        at += 1 + size
    return found


def transport_number(data):
    """The number that TFRC counts by: element 3, or without it the sequence number."""
    return int.from_bytes(elements(data).get(3, data[2:4]), "big")


def original(repair):
    """Number and payload of the packet that a repair carries."""
    content = repair[len(repair) - payload_bytes(repair):]
    return int.from_bytes(content[:2], "big"), content[2:]


def next_ssrc(ssrc):
    """The SSRC of the repairs of a movie."""
    return ((int.from_bytes(ssrc, "big") + 1) % 2 ** 32).to_bytes(4, "big")


def with_transport(data, number):
    """The same data packet, which has element 1 alone, with element 3."""
    return data[:14] + struct.pack("!H", 3) + data[16:24] + struct.pack("!BHB", 0x31, number % 65536, 0) + data[24:]


def repair_of(data, seq, transport, send_time_s):
    """A repair, with the number `seq` of its own, of a data packet that has element 1 alone or elements 1 and 3."""
    payload = data[len(data) - payload_bytes(data):]
    head = struct.pack("!BBH", 0x90, REPAIR, seq % 65536) + data[4:8] + next_ssrc(ssrc_of_data(data)) + data[12:20] + \
        struct.pack("!I", int(send_time_s * US) % 2 ** 32)
    return with_transport(head[:14] + struct.pack("!H", 2) + head[16:] + data[2:4] + payload, transport)


def changed_data(data, seq_by=0, rtt=None, send_time_by=0, ssrc=None):
    """The same packet with another sequence number, R (us), send time (us) or SSRC."""
    packet = bytearray(data)
    packet[2:4] = struct.pack("!H", (sequence_number(data) + seq_by) % 65536)
    if rtt is not None:
        packet[17:20] = rtt.to_bytes(3, "big")
    packet[20:24] = struct.pack("!I", (send_time_us(data) + send_time_by) % 2 ** 32)
    if ssrc is not None:
        packet[8:12] = ssrc
    return bytes(packet)


def data_with(payload, seq, ssrc, send_time_s, rtt=0):
    """A data packet that leaves when it is due; send_time_s is any clock in seconds, rtt in us."""
    return struct.pack("!BBHI4sHH", 0x90, MP2T, seq % 65536, int(send_time_s * 90000) % 2 ** 32, ssrc, 0xBEDE, 2) + \
        b"\x16" + rtt.to_bytes(3, "big") + struct.pack("!I", int(send_time_s * US) % 2 ** 32) + payload


def data(seq, ssrc, send_time_s, rtt=0, ts_packets=7):
    """A data packet of a sender that does not exist."""
    false = TS_PACKET[:4] + struct.pack("!I", FALSE_NUMBER) + TS_PACKET[8:]
    return data_with(false + TS_PACKET * (ts_packets - 1), seq, ssrc, send_time_s, rtt)


def plain_data(seq, ssrc):
    """RTP of a sender that does not know TFRC."""
    return struct.pack("!BBHI4s", 0x80, MP2T, seq % 65536, 90 * seq % 2 ** 32, ssrc) + TS_PACKET


def two_in_sequence(packet):
    """A packet and its successor, which make a stream plausible."""
    return packet, changed_data(packet, seq_by=1)


# ---- RTCP

def is_feedback(payload):
    return len(payload) >= 28 and payload[1] == FEEDBACK


def is_sender_report(payload):
    return len(payload) >= 28 and payload[1] == SR


def sdes(ssrc):
    return struct.pack("!BBH4sBB5sB", 0x81, SDES, 3, ssrc, 1, 5, b"a@b.c", 0)


def empty_report(ssrc):
    return struct.pack("!BBH4s", 0x80, RR, 1, ssrc)


def bye(ssrc):
    return empty_report(ssrc) + struct.pack("!BBH4s", 0x81, BYE, 1, ssrc)


def sender_report(ssrc, wall_s, media_s=0):
    """A sender report alone, without SDES: 28 bytes. What data_with() sends at media_s has the report's time stamp."""
    return struct.pack("!BBH4sIIIII", 0x80, SR, 6, ssrc, int(wall_s) % 2 ** 32, 0, int(media_s * 90000) % 2 ** 32, 1, 188)


def receiver_report(ssrc, media, highest_seq, last_sr=0, lost=0):
    """A receiver report with one block and SDES. last_sr is the middle of the last SR's NTP time,
    or 0. lost: fraction and sum, as one word."""
    return struct.pack("!BBH4s4sIIIII", 0x81, RR, 7, ssrc, media, lost, highest_seq & ALL_ONES, 0, last_sr, 0) + sdes(ssrc)


def transport_feedback(ssrc, media, first, count, number):
    """Transport-wide feedback: these packets have come, one each 250 us."""
    rest = struct.pack("!HHIH", first & 0xFFFF, count, number & 0xFF, 0x2000 | count) + bytes([1]) * count
    rest += bytes(-len(rest) % 4)
    return struct.pack("!BBH4s4s", 0x80 | TRANSPORT, FEEDBACK, 2 + len(rest) // 4, ssrc, media) + rest


def nack(ssrc, media, numbers):
    """A request for packets with these 16-bit numbers, in their order: at most 16 pairs."""
    pairs = []
    for number in numbers:
        behind = (number - pairs[-1][0]) % 65536 if pairs else 0
        if 0 < behind <= 16:
            pairs[-1][1] |= 1 << behind - 1
        else:
            pairs.append([number % 65536, 0])
    assert 0 < len(pairs) <= 16
    return struct.pack("!BBH4s4s", 0x80 | NACK, FEEDBACK, 2 + len(pairs), ssrc, media) + \
        b"".join(struct.pack("!HH", *pair) for pair in pairs)


def asked_for(compound):
    """The numbers that the requests of a compound name."""
    numbers, at = [], 0
    while at + 12 <= len(compound):
        size = 4 + 4 * int.from_bytes(compound[at + 2:at + 4], "big")
        if compound[at:at + 2] == bytes((0x80 | NACK, FEEDBACK)):
            for first, following in struct.iter_unpack("!HH", compound[at + 12:at + size]):
                numbers += [first] + [(first + 1 + bit) % 65536 for bit in range(16) if following >> bit & 1]
        at += size
    return numbers


def path_packet(subtype, ssrc):
    return struct.pack("!BBH4s4s8s", 0x80 | subtype, APP, 4, ssrc, b"TFRC", random.randbytes(8))


def feedback(ssrc, media, fields):
    """Feedback and state packet. fields: t_recvdata, t_delay (us), x_recv (byte/s), p (0..1), seq,
    lost, events, number, flags; also ce, ttl, and the words that flags announce."""
    words = fields.get("words", ())
    p = min(int(fields["p"] * 2 ** 32), ALL_ONES)
    return struct.pack("!BBH4s4sIIII", 0x82, FEEDBACK, 6, ssrc, media, fields["t_recvdata"] & ALL_ONES,
                       int(fields["t_delay"]) & ALL_ONES, min(int(fields["x_recv"]), ALL_ONES), p) + \
        struct.pack(f"!BBH4s4sIIIIIBBH{len(words)}I", 0x80, APP, 8 + len(words), ssrc, b"TFRC", fields["seq"] & ALL_ONES,
                    fields["lost"] & ALL_ONES, fields["events"] & ALL_ONES, fields.get("ce", 0) & ALL_ONES,
                    fields["number"] & ALL_ONES, fields["flags"], fields.get("ttl", 64), 0, *words)


def changed_feedback(payload, number_by=0, t_recvdata_by=0, x_recv=None, p=None, flags=None):
    """The same feedback and state packet with another number, t_recvdata (us), X_recv (byte/s), p
    (times 2^32) or flags."""
    changed = bytearray(payload)
    for offset, by in ((12, t_recvdata_by), (56, number_by)):
        value, = struct.unpack_from("!I", payload, offset)
        struct.pack_into("!I", changed, offset, (value + by) & ALL_ONES)
    for offset, size, value in ((20, 4, x_recv), (24, 4, p), (60, 1, flags)):
        if value is not None:
            changed[offset:offset + size] = value.to_bytes(size, "big")
    return bytes(changed)


def with_random_ssrcs(payload, *offsets):
    changed = bytearray(payload)
    for offset in offsets:
        changed[offset:offset + 4] = random_ssrc()
    return bytes(changed)


def all_lost(payload):
    """The same feedback with the highest number, reporting that all packets were lost."""
    changed = bytearray(payload)
    changed[20:28] = struct.pack("!II", 1, ALL_ONES)  # X_recv, p
    changed[28 + 28:28 + 32] = struct.pack("!I", 0x7FFFFFFF)  # number
    return bytes(changed)


def is_challenge(payload):
    return len(payload) >= 20 and payload[0] == 0x80 | CHALLENGE and payload[1] == APP


def response(ssrc, challenge):
    return struct.pack("!BBH4s4s8s", 0x80 | RESPONSE, APP, 4, ssrc, b"TFRC", challenge[12:20])
