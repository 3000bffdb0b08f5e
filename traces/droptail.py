#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plain UDP through one drop-tail queue, computed exactly: droptail.py TRACE... [--rate BPS] [--queue PACKETS] [--delay MS]

Owns the model of the queue, which is that of the paper's Table 1: a server of constant rate, room
for a number of waiting packets besides the packet in service, and a propagation delay behind the
server. All packets have the same size, all times are whole ns, and nothing is random. The
computation is Lindley's recursion; a packet that finds no room is lost.
"""

import argparse
import sys
from dataclasses import dataclass

import tracefile
import transportstream


@dataclass(frozen=True)
class Result:
    """delays_ns: for each packet that arrived, the time from when it was due until it arrived.
    lost: the numbers of the lost packets."""

    packets: int
    delays_ns: list
    lost: list
    due_ns: list

    @property
    def loss_ratio(self):
        return len(self.lost) / self.packets if self.packets else 0.0

    @property
    def delay_mean_s(self):
        return sum(self.delays_ns) / len(self.delays_ns) / 1e9 if self.delays_ns else 0.0

    @property
    def delay_max_s(self):
        return max(self.delays_ns, default=0) / 1e9

    def bursts(self, apart_ns=1_000_000_000):
        """The number of packets lost in each burst. Losses that are apart_ns or more apart belong
        to different bursts."""
        sizes = []
        last_ns = None
        for number in self.lost:
            if last_ns is None or self.due_ns[number] - last_ns >= apart_ns:
                sizes.append(0)
            sizes[-1] += 1
            last_ns = self.due_ns[number]
        return sizes


def simulate(due_ns, service_ns, waiting, propagation_ns):
    """Sends packets that are due at these ascending times. A packet that leaves makes room for a
    packet that arrives at the same time."""
    delays_ns, lost = [], []
    full_ns = waiting * service_ns
    free_ns = 0  # when the server will have served all packets that it has accepted
    for number, now_ns in enumerate(due_ns):
        backlog_ns = max(0, free_ns - now_ns)
        # Each waiting packet needs a whole service, and the packet in service needs more than
        # nothing.
        if backlog_ns > full_ns:
            lost.append(number)
            continue
        free_ns = now_ns + backlog_ns + service_ns
        delays_ns.append(backlog_ns + service_ns + propagation_ns)
    return Result(len(due_ns), delays_ns, lost, due_ns)


def udp(due_ns, rate_bps=2_000_000, waiting=20, delay_ms=20, header_bytes=0):
    """The paper's UDP column for packets due at these times."""
    service_ns = (transportstream.PACKET_BYTES + header_bytes) * 8 * 1_000_000_000 // rate_bps
    return simulate(due_ns, service_ns, waiting, delay_ms * 1_000_000)


def main():
    parser = argparse.ArgumentParser(description="Plain UDP through a drop-tail queue, computed exactly.")
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    parser.add_argument("--rate", type=int, default=2_000_000, help="of the link, in bit/s (2000000)")
    parser.add_argument("--queue", type=int, default=20, help="packets that may wait, besides the one in service (20)")
    parser.add_argument("--delay", type=int, default=20, help="propagation delay in ms (20)")
    parser.add_argument("--header", type=int, default=0, help="bytes that each packet has on the wire besides its 1316 (0)")
    parser.add_argument("--order", choices=("coding", "display"), default="coding", help="in which frames are sent")
    options = parser.parse_args()
    if options.rate < 1 or options.queue < 0 or options.delay < 0 or options.header < 0:
        parser.error("--rate must be positive, --queue, --delay and --header not negative")
    print("trace,packets,lost,iplr,iptd_mean_s,iptd_max_s,loss_bursts")
    for path in options.traces:
        due_ns = transportstream.packets_of(tracefile.read(path), options.order)
        result = udp(due_ns, options.rate, options.queue, options.delay, options.header)
        print(
            f"{path},{result.packets},{len(result.lost)},{result.loss_ratio:.3e},{result.delay_mean_s:.5f},"
            f"{result.delay_max_s:.5f},{len(result.bursts())}"
        )


if __name__ == "__main__":
    try:
        main()
    except (tracefile.TraceError, OSError) as error:
        sys.exit(f"droptail.py: {error}")
