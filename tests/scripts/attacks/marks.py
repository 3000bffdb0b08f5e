# SPDX-License-Identifier: LGPL-2.1-or-later
"""A path that sets CE on every packet to the receiver, though no packet left with ECT. The rate is
compared with that of the same stream over a path that marks nothing."""
import contextlib
import select
import socket
import struct
import threading
import time

from movie import Receiver, sender, wait_until
from network import ADDRESSES, udp_socket
from table import Effect, attack

NOT_ECT, CE = 0, 3
MAX_BPS = 4_000_000
SECONDS = 8
LEAST = 0.9
BOUND = f"{LEAST} x the rate without marks"


class Path:
    """A host that passes packets on, those to the receiver with this ECN field."""

    def __init__(self, port, receiver_port, field):
        self.socket = udp_socket("receiver", port, 0.1)
        self.receiver = ADDRESSES["receiver"], receiver_port
        self.field = [(socket.IPPROTO_IP, socket.IP_TOS, struct.pack("i", field))]
        self.sender = None
        self.ends = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        with self.socket:
            while not self.ends:
                if select.select([self.socket], [], [], 0.1)[0]:
                    with contextlib.suppress(ConnectionError):  # an ICMP error for an earlier packet
                        self._pass_on(*self.socket.recvfrom(2048))

    def _pass_on(self, payload, source):
        if source != self.receiver:
            self.sender = source
            self.socket.sendmsg([payload], self.field, 0, self.receiver)
        elif self.sender:
            self.socket.sendto(payload, self.sender)

    def close(self):
        self.ends = True
        self.thread.join()


def rate_bps(port, field, options, found=None):
    """The sender's mean rate for SECONDS. found: the state of ECN that it waits for before."""
    receiver, path = Receiver(port), Path(port + 1, port, field)
    receiver.wait_for_playing()
    process = sender(port, f"max-bitrate={MAX_BPS} {options}", port + 1, rate_bps=0)
    try:
        wait_until(40, lambda: len(receiver.came) > 100, "data")
        if found:
            wait_until(40, lambda: process.last("ecn-state") == found, f"ECN to be {found}")
        time.sleep(2)
        start, before = time.monotonic(), process.number("bytes-sent")
        time.sleep(SECONDS)
        return (process.number("bytes-sent") - before) * 8 / (time.monotonic() - start)
    finally:
        process.kill()
        path.close()
        receiver.kill()


def compared(port, options, found=None):
    unmarked = rate_bps(port, NOT_ECT, "ecn=false")
    marked = rate_bps(port, CE, options, found)
    return Effect(f"{marked / 1e3:.0f} kbit/s, {unmarked / 1e3:.0f} without marks", marked >= LEAST * unmarked,
                  LEAST * unmarked / max(marked, 1))


@attack("CE on all packets, ecn=false", "on path, many", BOUND, 30, with_keys=BOUND)
def without_ecn(port):
    return compared(port, "ecn=false")


@attack("CE on all packets, found to be mangling", "on path, many", BOUND, 30, with_keys=BOUND)
def after_mangling(port):
    return compared(port, "ecn=true", "failed")
