# SPDX-License-Identifier: LGPL-2.1-or-later
"""A receiver behind a NAT that gives it another port while the stream runs. The NAT is a relay on the
intruder's host, with one socket outside for each mapping. Data to an old mapping dies in silence."""
import heapq
import itertools
import os
import select
import socket
import threading
import time

from movie import Receiver, sender, wait_until
from network import ADDRESSES, udp_socket
from table import Effect, attack

REBINDINGS = int(os.environ.get("ATTACKS_REBINDINGS", "8"))
APART_S = 3.0


class Nat(threading.Thread):
    """The sender sends to the first mapping; both ways take half of R."""

    def __init__(self, port, rtt_s):
        super().__init__(daemon=True)
        self.rtt_s = rtt_s
        self.inside = udp_socket("intruder", port)
        self.receiver = ADDRESSES["receiver"], port
        self.mappings = [udp_socket("intruder", port + 1)]
        self.sender = None
        self.came = []  # (when, number of the mapping that data has come to)
        self._on_the_way = []
        self._count = itertools.count()
        self._ends = threading.Event()
        self.start()

    def rebind(self, port):
        self.mappings.append(udp_socket("intruder", port))

    def _pass(self, sock, packet, to):
        heapq.heappush(self._on_the_way, (time.monotonic() + self.rtt_s / 2, next(self._count), sock, packet, to))

    def run(self):
        while not self._ends.is_set():
            number = len(self.mappings) - 1
            mapping = self.mappings[number]
            wait = max(0.0, self._on_the_way[0][0] - time.monotonic()) if self._on_the_way else 0.01
            for sock in select.select([self.inside, mapping], [], [], min(wait, 0.01))[0]:
                packet, source = sock.recvfrom(2048)
                if sock is mapping:
                    self.sender = source
                    self._pass(self.inside, packet, self.receiver)
                    if len(packet) > 1000:
                        self.came.append((time.monotonic(), number))
                elif self.sender:
                    self._pass(mapping, packet, self.sender)
            while self._on_the_way and self._on_the_way[0][0] <= time.monotonic():
                _, _, sock, packet, to = heapq.heappop(self._on_the_way)
                try:
                    sock.sendto(packet, to)
                except OSError:
                    pass

    def close(self):
        self._ends.set()
        self.join()
        for sock in (self.inside, *self.mappings):
            sock.close()


def rebound(port, options, rate_bps, rtt_s, receiver_options=""):
    bound_s = 1 + 2 * rtt_s
    nat = Nat(port, rtt_s)
    receiver = Receiver(port, receiver_options)
    process, gaps = None, []
    try:
        receiver.wait_for_playing()
        process = sender(port + 2, f"host={ADDRESSES['intruder']} {options}", port + 1, rate_bps=rate_bps)
        wait_until(40, lambda: len(nat.came) >= 20, "data")
        time.sleep(3)
        for number in range(1, REBINDINGS + 1):
            nat.rebind(40000 + port * 16 % 20000 + number)
            start = time.monotonic()
            wait_until(20, lambda: nat.came[-1][1] == number, "data at the new port")  # pylint: disable=cell-var-from-loop
            gaps.append(next(when for when, mapping in nat.came if mapping == number) - start)
            time.sleep(APART_S)
    finally:
        if process:
            process.kill()
        receiver.kill()
        nat.close()
    good = sum(gap <= bound_s for gap in gaps)
    return Effect(f"back within {max(gaps):.2f} s, {good} of {len(gaps)} in time", good == len(gaps))


KEYS = "passphrase=only-the-two-ends-know-it"


def rebinding(name, sender_options, receiver_options, rate_bps, rtt_ms):
    @attack(f"a NAT gives the receiver another port, {name}, {rate_bps // 1000} kbit/s, R {rtt_ms} ms", "nobody",
            f"back within {1 + 2 * rtt_ms / 1000:.1f} s", 20 + 5 * REBINDINGS)
    def measure(port):
        return rebound(port, sender_options, rate_bps, rtt_ms / 1000, receiver_options)
    return measure


for rate in (100_000, 2_000_000):
    for rtt in (0, 50, 200):
        rebinding("plain", "allow-migration=always", "", rate, rtt)
        rebinding("with keys", KEYS, KEYS, rate, rtt)
