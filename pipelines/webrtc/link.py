#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""link.py A B SEED KBIT:SECONDS...: a path between the network namespaces A and B, until standard input ends.

A (10.9.0.1) and B (10.9.0.2) have a TUN device each. A packet from A waits in a drop-tail queue of QUEUE
packets for a link, which has the given rates one after the other, then takes DELAY_S, and is lost with
the probability LOSS. A packet from B has the delay alone. Time counts from the first UDP packet of 1000
bytes or more from A. The program prints "ready", "started", and at the end JSON: for each packet of BIG
bytes or more from A its time, protocol ("udp" or "tcp"), bytes, and how long it waited in the queue, or
null if it was dropped or lost. Needs root."""

import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import struct
import subprocess
import sys
import time

QUEUE = 50
DELAY_S = 0.020
LOSS = 0.001
BIG = 300  # bytes; less is RTCP, ICE or an ACK
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
MOST_BYTES = 2000
UDP, TCP = 17, 6
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000


def enter(namespace):
    with open(f"/run/netns/{namespace}", "rb") as file:
        if LIBC.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")


def open_tun(namespace, address):
    enter(namespace)
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH", b"path", IFF_TUN | IFF_NO_PI))
    for command in (f"address add {address}/24 dev path", "link set path up"):
        subprocess.run(["ip", *command.split()], check=True)
    return file


class Forward:
    """The queue and the link from A to B."""

    def __init__(self, seed, schedule):
        self.chance = random.Random(seed)
        self.schedule = schedule
        self.start_s = None
        self.free_s = 0
        self.leaving = []  # when the packets in the queue leave it
        self.log = []

    def _rate_bps(self, now_s):
        since_s = 0 if self.start_s is None else now_s - self.start_s
        for kbit, seconds in self.schedule:
            if since_s < seconds:
                break
            since_s -= seconds
        return kbit * 1000

    def enter(self, packet, now_s):
        """Returns when the packet arrives; None: never."""
        protocol = packet[9]
        if self.start_s is None and protocol == UDP and len(packet) >= 1000:
            self.start_s = now_s
            print("started", flush=True)
        self.leaving = [leaves for leaves in self.leaving if leaves > now_s]
        arrival_s = None
        if len(self.leaving) < QUEUE:
            self.free_s = max(self.free_s, now_s) + 8 * len(packet) / self._rate_bps(now_s)
            self.leaving.append(self.free_s)
            if self.chance.random() >= LOSS:
                arrival_s = self.free_s + DELAY_S
        if self.start_s is not None and len(packet) >= BIG:
            waited = None if arrival_s is None else round(arrival_s - DELAY_S - now_s, 5)
            self.log.append((round(now_s - self.start_s, 5), "udp" if protocol == UDP else "tcp", len(packet), waited))
        return arrival_s


def main(a, b, seed, schedule):
    ends = [open_tun(a, "10.9.0.1"), open_tun(b, "10.9.0.2")]
    forward = Forward(seed, schedule)
    due, count = [], 0
    poll = select.poll()
    for file in (*ends, sys.stdin.fileno()):
        poll.register(file, select.POLLIN)
    print("ready", flush=True)
    while True:
        wait_ms = max(0, due[0][0] - time.monotonic()) * 1000 if due else None
        ready = [file for file, _ in poll.poll(wait_ms)]
        if sys.stdin.fileno() in ready:
            break
        now_s = time.monotonic()
        for file in ready:
            packet = os.read(file, MOST_BYTES)
            if packet[0] >> 4 != 4:  # IPv6 announces itself
                continue
            arrival_s = forward.enter(packet, now_s) if file == ends[0] else now_s + DELAY_S
            if arrival_s is not None:
                count += 1
                heapq.heappush(due, (arrival_s, count, ends[1 - ends.index(file)], packet))
        while due and due[0][0] <= time.monotonic():
            _, _, file, packet = heapq.heappop(due)
            os.write(file, packet)
    print(json.dumps(forward.log))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), [tuple(map(float, part.split(":"))) for part in sys.argv[4:]])
