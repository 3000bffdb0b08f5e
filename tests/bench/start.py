#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long a movie of 4 Mbit/s is late at its start: tfrcsink beside other sinks, over a path of a given R.

    GST_PLUGIN_PATH_1_0=build/gst start.py [--runs N] [--rtt MS ...] [--only NAME ...]

The path is a relay of UDP on the loopback interface that delays each packet by R/2 in both directions, in
real time, so a busy machine adds to the delays.  The movie is one of null packets at a constant rate, from a
live source.  Prints for each sink the median and the range over the runs of

- late: the time from the sink's first packet, handshake included, until the last packet passed that was more
  than 0.2 s behind the movie
- queue: the same for 50 ms
- packets: that passed in 4 s, of 1520

`known' is the second stream of a process to the same receiver, the first of which has run for 6 s.
"""

import argparse
import heapq
import pathlib
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time

BYTES_PER_S, PAYLOAD = 500000, 1316
LATE_S, QUEUE_S, MEASURED_S = 0.2, 0.05, 4
PATIENCE_S = 60  # for two streams of 7 s, whose process starts slowly on a busy machine

MOVIE = "filesrc location={movie} blocksize=1316 ! identity datarate=500000 ! video/mpegts,systemstream=true,packetsize=188 ! "
TFRC = "tfrcsink host=127.0.0.1 port={near} sync=true lookahead=50 ahead-time=0 "
TFRC_RECEIVER = "tfrcsrc address=127.0.0.1 port={far} keep-listening=true "
SINKS = {
    "tfrcsink": (TFRC_RECEIVER, TFRC + "remember-rate=false"),
    "tfrcsink, known": (TFRC_RECEIVER, TFRC),
    "tfrcsink initial-window=0": (TFRC_RECEIVER, TFRC + "remember-rate=false initial-window=0"),
    "tfrcsink profile=rfc5348-strict": (TFRC_RECEIVER + "profile=rfc5348-strict", TFRC + "profile=rfc5348-strict"),
    "udpsink": ("udpsrc address=127.0.0.1 port={far}", "udpsink host=127.0.0.1 port={near} sync=true"),
    "srtsink": ('srtsrc uri="srt://127.0.0.1:{far}?mode=listener"', 'srtsink uri="srt://127.0.0.1:{near}?mode=caller" sync=true'),
}


class Relay:
    """Delays the packets of one sender to one receiver; ports near (where the sender sends) and far."""

    def __init__(self, near, far, delay_s):
        self.sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for own in self.sockets:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.sockets[0].bind(("127.0.0.1", near))
        self.sockets[1].connect(("127.0.0.1", far))
        self.delay_s, self.waiting, self.passed, self.sender, self.count = delay_s, [], [], None, 0

    def run(self, until_s):
        while (now := time.monotonic()) < until_s:
            while self.waiting and self.waiting[0][0] <= now:
                _, _, forward, data = heapq.heappop(self.waiting)
                try:
                    if forward:
                        self.sockets[1].send(data)
                    elif self.sender:
                        self.sockets[0].sendto(data, self.sender)
                except OSError:
                    pass
            wait_s = min(until_s, self.waiting[0][0] if self.waiting else until_s) - time.monotonic()
            for ready in select.select(self.sockets, [], [], max(0, wait_s))[0]:
                self.take(ready)

    def take(self, ready):
        try:
            data, source = ready.recvfrom(65536)
        except OSError:
            return
        now, forward = time.monotonic(), ready is self.sockets[0]
        if forward:
            self.sender = source
            self.passed.append((now, len(data)))
        self.count += 1
        heapq.heappush(self.waiting, (now + self.delay_s, self.count, forward, data))

    def close(self):
        for own in self.sockets:
            own.close()


def measure(passed):
    """(late until, queue until, packets of the movie in 4 s)"""
    if not passed:
        raise SystemExit(f"no stream has come within {PATIENCE_S} s: does GST_PLUGIN_PATH_1_0 name the plugin's directory, "
                         "and is the machine too busy to start a pipeline?")
    begin = passed[0][0]
    late, queue, packets = 0.0, 0.0, 0
    for at, size in passed:
        if size < PAYLOAD or at > begin + MEASURED_S:
            continue
        behind = at - begin - packets * PAYLOAD / BYTES_PER_S
        late = at - begin if behind > LATE_S else late
        queue = at - begin if behind > QUEUE_S else queue
        packets += 1
    return late, queue, packets


def after_pause(passed):
    """The second of two streams, which the longest time without data divides; nothing if there is no second."""
    data = [packet for packet in passed if packet[1] >= PAYLOAD]
    if len(data) < 2:
        return []
    gaps = [later[0] - packet[0] for packet, later in zip(data, data[1:])]
    middle = [gap if packet[0] > data[0][0] + 5 else 0 for gap, packet in zip(gaps, data)]
    return data[middle.index(max(middle)) + 1 :]


def stop(process):
    process.terminate()
    process.wait()


def send(pipelines):
    """In a process of its own: plays pipelines, one after the other, each for 6 s, with a second between them."""
    import gi

    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    Gst.init(None)
    for text in pipelines:
        pipeline = Gst.parse_launch(text)
        pipeline.set_state(Gst.State.PLAYING)
        time.sleep(6)
        pipeline.set_state(Gst.State.NULL)
        time.sleep(1)


def one_run(name, rtt_ms, movie, near):
    receiver, sender = SINKS[name]
    text = (MOVIE + sender).format(movie=movie, near=near)
    relay = Relay(near, near + 100, rtt_ms / 2000)
    far = subprocess.Popen(["gst-launch-1.0", "-q", *(receiver.format(far=near + 100) + " ! fakesink").split()])
    relay.run(time.monotonic() + 1)
    streams = [text] * (2 if name.endswith("known") else 1)
    process = subprocess.Popen([sys.executable, __file__, "--send", *streams])
    begin = time.monotonic()
    while process.poll() is None and time.monotonic() < begin + PATIENCE_S:
        relay.run(time.monotonic() + 0.1)
    passed = relay.passed
    if name.endswith("known"):
        passed = after_pause(passed)
    stop(process)
    stop(far)
    relay.close()
    return measure(passed)


def text_of(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} – {max(values):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rtt", type=int, nargs="+", default=[50, 200], help="ms")
    parser.add_argument("--only", nargs="+", choices=list(SINKS), default=list(SINKS))
    parser.add_argument("--send", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.send:
        send(arguments.send)
        return
    near = 27000
    with tempfile.TemporaryDirectory() as directory:
        movie = pathlib.Path(directory, "movie.ts")
        movie.write_bytes((b"\x47\x1f\xff\x10" + bytes(184)) * (8 * BYTES_PER_S // 188 // 7 * 7))
        for rtt_ms in arguments.rtt:
            print(f"R = {rtt_ms} ms, {arguments.runs} runs\n| sink | late until, s | queue until, s | packets |\n|---|---|---|---|")
            for name in arguments.only:
                results = []
                for _ in range(arguments.runs):
                    near += 2
                    results.append(one_run(name, rtt_ms, movie, near))
                late, queue, packets = zip(*results)
                print(f"| {name} | {text_of(late, 2)} | {text_of(queue, 2)} | {text_of(packets, 0)} |", flush=True)


if __name__ == "__main__":
    main()
