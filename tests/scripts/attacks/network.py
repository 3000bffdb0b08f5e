# SPDX-License-Identifier: LGPL-2.1-or-later
"""The hosts of attacks.sh: network namespaces, sockets in them, forged packets and a tap.

attacks.sh makes the namespaces: a router with a sender, a receiver and an intruder behind it."""
import contextlib
import ctypes
import os
import socket
import struct
import threading
import time

ADDRESSES = {"sender": "10.98.1.2", "receiver": "10.98.2.2", "intruder": "10.98.3.2"}
ETH_P_ALL, ETH_P_IP = 3, 0x0800  # only ETH_P_ALL shows outgoing packets, too
ICMP_UNREACHABLE, ICMP_PORT, ICMP_FRAGMENTATION_NEEDED = 3, 3, 4
SO_ATTACH_FILTER = 26
CLONE_NEWNET = 0x40000000
PER_S = 200  # of packets of one attacker

_libc = ctypes.CDLL(None, use_errno=True)
_entering = threading.Lock()


def namespace(host):
    """The name of a host's namespace, as `ip netns` knows it."""
    return f"attacks-{host}-{os.environ['ATTACKS_ID']}"


@contextlib.contextmanager
def inside(host):
    """In this context the thread is in the host's namespace. A socket that it opens there stays in
    that namespace."""
    with _entering, open("/proc/thread-self/ns/net") as own, open(f"/run/netns/{namespace(host)}") as other:
        if _libc.setns(other.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
        try:
            yield
        finally:
            if _libc.setns(own.fileno(), CLONE_NEWNET):
                os._exit(70)  # as the thread would go on in the wrong network


def udp_socket(host, port, timeout=None):
    """A UDP socket of the host, bound to a port of its address; timeout in seconds."""
    with inside(host):
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    sock.bind((ADDRESSES[host], port))
    sock.settimeout(timeout)
    return sock


def udp_overflows(host):
    """The number of packets that found the receive buffer of a UDP socket of the host full."""
    with inside(host), open("/proc/thread-self/net/snmp") as counters:
        names, values = (line.split() for line in counters if line.startswith("Udp:"))
    return int(values[names.index("RcvbufErrors")])


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ip(source, target, protocol, payload):
    """An IPv4 packet; the kernel fills in length, identification and checksum."""
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0,
                       socket.inet_aton(source), socket.inet_aton(target)) + payload


def udp(source, target, payload):
    """An IPv4 packet with UDP; source and target are (address, port)."""
    header = struct.pack("!HHHH", source[1], target[1], 8 + len(payload), 0)  # 0: no checksum
    return ip(source[0], target[0], socket.IPPROTO_UDP, header + payload)


def icmp_unreachable(source, quoted, code, mtu=0):
    """An ICMP error about the IPv4 packet `quoted`, to its source; source is an address."""
    target = socket.inet_ntoa(quoted[12:16])
    rest = struct.pack("!HH", 0, mtu) + quoted[:28]
    head = struct.pack("!BB", ICMP_UNREACHABLE, code)
    return ip(source, target, socket.IPPROTO_ICMP, head + struct.pack("!H", checksum(head + b"\0\0" + rest)) + rest)


class Forger:
    """Sends packets with any source address from a host."""

    def __init__(self, host):
        with inside(host):
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)

    def send(self, source, target, payload):
        self.socket.sendto(udp(source, target, payload), (target[0], 0))

    def send_ip(self, packet):
        self.socket.sendto(packet, (socket.inet_ntoa(packet[16:20]), 0))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Repeat(threading.Thread):
    """Calls send() PER_S times a second until the context ends."""

    def __init__(self, send):
        super().__init__(daemon=True)
        self.send = send
        self.ended = threading.Event()
        self.calls = 0

    def run(self):
        start = time.monotonic()
        while not self.ended.is_set():
            for _ in range(int((time.monotonic() - start) * PER_S) - self.calls):
                self.send()
                self.calls += 1
            time.sleep(0.002)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()


def _port_filter(port):
    """Classic BPF: IPv4 with UDP from or to the port, no later fragment. The link header is cut off already."""
    program = [
        (0x30, 0, 0, 9), (0x15, 0, 8, 17),           # protocol is UDP
        (0x28, 0, 0, 6), (0x45, 6, 0, 0x1FFF),       # offset of the fragment is 0
        (0xB1, 0, 0, 0),                             # X: length of the IP header
        (0x48, 0, 0, 0), (0x15, 2, 0, port),         # source port, or
        (0x48, 0, 0, 2), (0x15, 0, 1, port),         # target port
        (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0)]       # taken, left
    return b"".join(struct.pack("=HBBI", *step) for step in program), len(program)


class Tap:
    """An observer between the router and a host. It sees the IPv4 packets of one UDP port."""

    def __init__(self, host, port):
        program, length = _port_filter(port)
        code = ctypes.create_string_buffer(program)
        with inside("router"):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER,
                               struct.pack("@HP", length, ctypes.addressof(code)))
        self.socket.bind((f"to-{host}", ETH_P_ALL))
        self.socket.settimeout(20)

    def packets(self):
        while True:
            packet, (_, protocol, *_) = self.socket.recvfrom(65536)
            if protocol == ETH_P_IP:
                yield packet

    def payloads(self, source):
        """UDP payloads from an address."""
        address = socket.inet_aton(source)
        for packet in self.packets():
            if packet[12:16] == address:
                yield packet[28:]

    def fresh(self, source, wanted):
        """The next UDP payload from the address for which wanted(payload) holds. Payloads from
        before the call do not count."""
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.socket.recv(65536)
        self.socket.settimeout(20)
        return next(payload for payload in self.payloads(source) if wanted(payload))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
