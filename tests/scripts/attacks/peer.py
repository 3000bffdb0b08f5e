# SPDX-License-Identifier: LGPL-2.1-or-later
"""A receiver of TFRC in Python. It is honest except for the lies that a test adds.

Each peer has a bottleneck of its own: packets pass a queue of QUEUE packets at a rate, then take
DELAY_S. So the host's load hardly changes the path of the sender under test, and any number of
peers can run side by side."""
import collections
import heapq
import math
import random
import socket
import struct
import threading
import time

import modes
import packets
from network import ADDRESSES, udp_socket

QUEUE = 20
DELAY_S = 0.1
WEIGHTS = (1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2)  # RFC 5348, 5.4


def equation(p, rtt_s, segment_bytes=1316):
    """RFC 5348, 3.1, with t_RTO = 4 R: bytes per second."""
    if p <= 0:
        return math.inf
    return segment_bytes / (rtt_s * (math.sqrt(2 * p / 3) + 12 * math.sqrt(3 * p / 8) * p * (1 + 32 * p * p)))


def loss_event_rate(intervals):
    """RFC 5348, 5.4; intervals in packets, the open one first."""
    def mean(some):
        return sum(w * i for w, i in zip(WEIGHTS, some)) / sum(WEIGHTS[:len(some)])
    if len(intervals) < 2:
        return 0.0
    return 1 / max(mean(intervals[:8]), mean(intervals[1:9]), 1)


def bytes_by_equation(seconds, rtt_s, packets_per_event, intervals=8):
    """The bytes that the equation allows after a loss history with these intervals, while no more
    packet is lost. p falls as slowly as section 5.4 allows."""
    sent, step = 0.0, 0.01
    for _ in range(int(seconds / step)):
        p = loss_event_rate([sent / 1316] + [packets_per_event] * intervals)
        sent += equation(p, rtt_s) * step
    return sent


class Peer:
    """lie(fields, peer): changes the feedback that is about to leave, or returns False to suppress
    it."""

    def __init__(self, port, rate_bps=2_000_000, delay_s=DELAY_S, drop=0.0):
        self.socket = udp_socket("receiver", port, 0.002)
        self.sender = (ADDRESSES["sender"], port)
        self.rate_bps, self.delay_s, self.drop = rate_bps, delay_s, drop
        self.lie = None
        self.on_tick = None       # called with the peer a few hundred times a second
        self.ssrc, self.media = packets.random_ssrc(), None
        self.keys = modes.keys_of_peer(self.ssrc)
        self.got = []             # (when, bytes of the movie) at the network's end: what the sender has sent
        self.repairs = []         # (when, original number) of those of them that are repairs
        self.last_sr = 0
        self._busy_until = 0.0
        self._on_the_way = []     # heap of (when it comes, number, packet)
        self._count = 0
        self._highest = None      # transport sequence number
        self.newest_seq = None    # of the movie: 16 bits
        self._lost, self._events, self._event_start = 0, 0, -math.inf
        self._intervals = collections.deque([0], maxlen=9)
        self._number = 0
        self._since_feedback = 0
        self._bytes = collections.deque()  # (when, bytes) of the last R
        self._newest = None                # (when, send time)
        self._feedback_s = 0.0
        self._rtt_s = delay_s
        self._ends = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    # ---- measuring

    def sent(self, since, until):
        """Bytes of the movie that the sender has sent between two times."""
        return sum(size for when, size in self.got if since <= when < until)

    def most_sent(self, window_s):
        """The largest rate, in bytes per second, over any time of this length."""
        best = total = first = 0
        for i, (when, size) in enumerate(self.got):
            total += size
            while self.got[first][0] <= when - window_s:
                total -= self.got[first][1]
                first += 1
            best = max(best, total)
        return best / window_s

    # ---- the network

    def _run(self):
        with self.socket:
            while not self._ends:
                try:
                    payload, address = self.socket.recvfrom(2048)
                    if address == self.sender:
                        for clear in self._unprotected(payload):
                            self._on_packet(clear, time.monotonic())
                except (socket.timeout, ConnectionError):
                    pass
                now = time.monotonic()
                while self._on_the_way and self._on_the_way[0][0] <= now:
                    when, _, packet = heapq.heappop(self._on_the_way)
                    self._on_arrival(packet, when)
                if self._newest and self._since_feedback and now >= self._feedback_s:
                    self._send_feedback(now)
                if self.on_tick:
                    self.on_tick(self)

    def _unprotected(self, payload):
        if not self.keys:
            return [payload]
        usable, answers = self.keys.take(payload)
        for answer in answers:
            self.socket.sendto(answer, self.sender)
        return usable

    def _on_packet(self, payload, now):
        if packets.is_data(payload) or packets.is_repair(payload):
            self.got.append((now, packets.payload_bytes(payload)))
            if packets.is_repair(payload):
                self.repairs.append((now, packets.original(payload)[0]))
            self._busy_until = max(self._busy_until, now)
            wire_s = (len(payload) + 28) * 8 / self.rate_bps
            if (self._busy_until - now) / wire_s > QUEUE or random.random() < self.drop:
                return
            self._busy_until += wire_s
        elif not packets.is_sender_report(payload):
            return
        self._count += 1
        heapq.heappush(self._on_the_way, (max(self._busy_until, now) + self.delay_s, self._count, payload))

    # ---- honest

    def _on_arrival(self, payload, now):
        if packets.is_sender_report(payload):
            seconds, fraction = struct.unpack("!II", payload[8:16])
            self.last_sr = (seconds & 0xFFFF) << 16 | fraction >> 16
            if self.media:
                self.send(self.receiver_report())
            return
        if packets.is_data(payload):
            self.media, self.newest_seq = packets.ssrc_of_data(payload), packets.sequence_number(payload)
        rtt = packets.rtt_us(payload)
        self._rtt_s = rtt / packets.US or self._rtt_s
        self._bytes.append((now, packets.payload_bytes(payload)))
        self._newest = now, packets.send_time_us(payload)
        self._since_feedback += 1
        self._on_number(packets.transport_number(payload), now)
        if self._number == 0:
            self._feedback_s = now

    def _on_number(self, seq, now):
        if self._highest is None:
            self._highest = seq - 1
        gap = ((seq - self._highest + 0x8000) % 0x10000) - 0x8000  # the queue reorders nothing
        self._highest += gap
        self._lost += max(gap - 1, 0)
        if gap > 1 and now > self._event_start + self._rtt_s:
            self._events += 1
            self._event_start = now
            self._intervals.appendleft(0)
            self._feedback_s = now
        self._intervals[0] += max(gap, 1)

    def fields(self, now):
        """The fields of true feedback at this time."""
        window = max(self._rtt_s, 0.01)
        while self._bytes and self._bytes[0][0] < now - window:
            self._bytes.popleft()
        when, send_time = self._newest
        return {"t_recvdata": send_time, "t_delay": max(now - when, 0) * packets.US,
                "x_recv": sum(size for _, size in self._bytes) / window, "p": loss_event_rate(list(self._intervals)),
                "seq": self._highest, "lost": self._lost, "events": self._events, "number": self._number, "flags": 0}

    def _send_feedback(self, now):
        self._feedback_s = now + max(self._rtt_s, 0.01)
        self._since_feedback = 0
        fields = self.fields(now)
        self._number += 1
        if self.lie and self.lie(fields, self) is False:
            return
        self.send(packets.feedback(self.ssrc, self.media, fields))

    # ---- for lies

    def send_feedback(self):
        """Sends feedback now, although it is not due."""
        if self._newest:
            self._send_feedback(time.monotonic())

    def highest_seq(self):
        """The extended highest transport sequence number, 0 before any packet has come."""
        return self._highest or 0

    def receiver_report(self):
        return packets.receiver_report(self.ssrc, self.media, self.highest_seq(), self.last_sr)

    def send(self, payload):
        if self.keys:
            if not self.keys.is_keyed:
                return
            payload = self.keys.protect(payload)
        try:
            self.socket.sendto(payload, self.sender)
        except OSError:
            pass  # an ICMP error for an earlier packet

    def close(self):
        self._ends = True
        self._thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
