#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a movie through tfrcsink and tfrcsrc in real time and records the statistics of both.

Owns the processes of one demo run: receivers, senders and, with --tcp, one TCP flow beside them.
The output directory gets the logs of all processes, the stream of each receiver, the bottleneck's
counters over time, and run.json. report.py makes the figures from these files.
"""

import argparse
import csv
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time

from gststats import Tail

FIRST_PORT = 5004  # in a namespace of our own; on the host the kernel chooses a free port
STATS_INTERVAL_MS = 200
READY_S = 30
DRAIN_S = 15  # for packets that are still on their way when the sender has ended


class Failure(Exception):
    pass


class Child:
    """A process in a namespace, or on the host if the namespace is ''. A log has its output."""

    def __init__(self, log, namespace, command):
        self.log = log
        prefix = ["ip", "netns", "exec", namespace] if namespace else []
        # The child has a session of its own, so that Ctrl-C in the terminal reaches this program
        # alone, which then ends its children.
        with open(log, "w") as output:
            self.process = subprocess.Popen(
                prefix + command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True)

    def running(self):
        return self.process.poll() is None

    def signal(self, number):
        if self.running():
            self.process.send_signal(number)

    def wait(self, seconds):
        """Whether the process ended within this number of seconds."""
        try:
            self.process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            return False

    def owns_port(self, table, port):
        """Whether one of the process's sockets in /proc/net/TABLE or TABLE6 is bound to port."""
        base = f"/proc/{self.process.pid}"
        inodes = set()
        try:
            for name in (table, table + "6"):
                with open(f"{base}/net/{name}") as lines:
                    columns = [line.split() for line in lines][1:]
                inodes |= {f"socket:[{c[9]}]" for c in columns if int(c[1].rsplit(":", 1)[1], 16) == port}
            return any(os.readlink(f"{base}/fd/{fd}") in inodes for fd in os.listdir(f"{base}/fd"))
        except OSError:  # not started yet, or a descriptor closed meanwhile
            return False

    def wait_for_port(self, table, port):
        limit = time.monotonic() + READY_S
        while not self.owns_port(table, port):
            if not self.running() or time.monotonic() > limit:
                raise Failure(f"the receiver did not come up on port {port}\n{self.end_of_log()}")
            time.sleep(0.05)

    def end_of_log(self):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-15:])


class Bottleneck:
    """The queue in the router. Asks tc for the queue's counters and writes them to
    bottleneck.csv."""

    def __init__(self, namespace, device, path):
        self.command = ["ip", "netns", "exec", namespace, "tc", "-s", "-j", "qdisc", "show", "dev", device]
        self.file = open(path, "w", newline="")
        self.rows = csv.writer(self.file)
        self.rows.writerow(["time", "bytes", "packets", "dropped", "queued"])

    def sample(self):
        """Packets in the queue now; None if tc has no answer."""
        answer = subprocess.run(self.command, capture_output=True, check=False)
        if answer.returncode:
            return None
        root = next(qdisc for qdisc in json.loads(answer.stdout) if qdisc.get("root"))
        self.rows.writerow([time.monotonic_ns()] + [root[key] for key in ("bytes", "packets", "drops", "qlen")])
        self.file.flush()
        return root["qlen"]


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]


def gst_launch(*elements):
    command = ["gst-launch-1.0", "-e", "-m"]
    for number, element in enumerate(elements):
        command += (["!"] if number else []) + element
    return command


class Run:
    """All children of one run, in the order in which they are started."""

    def __init__(self, options):
        self.options = options
        self.children = []
        self.receivers = []
        self.senders = []
        self.tcp = None
        self.bottleneck = None
        # gst-launch-1.0 has its properties on the command line, where all users of the host can read
        # them. So a passphrase is for one run.
        self.keys = [f"passphrase={secrets.token_hex(16)}"] if options.secure else []
        self.notes = []
        if options.router:
            self.bottleneck = Bottleneck(options.router, options.device, self.path("bottleneck.csv"))

    def path(self, name):
        return os.path.join(self.options.output, name)

    def start(self, name, namespace, command):
        child = Child(self.path(name + ".log"), namespace, command)
        self.children.append(child)
        return child

    def name(self, kind, number):
        return kind if self.options.streams == 1 else f"{kind}-{number + 1}"

    def trace(self, kind, number):
        return f"trace-location={self.path(self.name(kind, number))}.trace"

    def start_all(self):
        o = self.options
        stats = f"stats-update-interval={STATS_INTERVAL_MS}"
        ports = [FIRST_PORT + n if o.receiver else free_port() for n in range(o.streams)]
        for n, port in enumerate(ports):
            location = self.path(self.name("received", n) + ".ts")
            self.receivers.append(self.start(self.name("receiver", n), o.receiver, gst_launch(
                ["tfrcsrc", f"port={port}", stats, self.trace("receiver", n)] + self.keys + o.source.split(), ["filesink", "location=" + location])))
        for receiver, port in zip(self.receivers, ports):
            receiver.wait_for_port("udp", port)
        if o.tcp:
            self.start_tcp()
        for n, port in enumerate(ports):
            # set-timestamps gives each TS packet a time. Without it tsparse passes on up to a
            # second of movie at once.
            self.senders.append(self.start(self.name("sender", n), o.sender, gst_launch(
                ["filesrc", "location=" + o.movie], ["tsparse", "set-timestamps=true", "alignment=1"],
                ["tfrcsink", f"uri=tfrc://{o.address}:{port}", stats, self.trace("sender", n)] + self.keys
                + (["sync=false"] if o.greedy else []) + o.sink.split())))

    def start_tcp(self):
        o = self.options
        port = "5201"
        server = self.start("tcp", o.receiver, ["iperf3", "-s", "-1", "-p", port, "-i", "1", "-f", "k", "--forceflush"])
        server.wait_for_port("tcp", int(port))
        self.tcp = self.start("tcp-client", o.sender, [
            "iperf3", "-c", o.address, "-p", port, "-C", "reno", "-t", "86400", "-i", "60"])
        self.tcp_started_ns = time.monotonic_ns()

    def progress(self, second, tails):
        senders, receivers = tails
        received = [tail.update() for tail in receivers]
        first = [tail.update() for tail in senders][0]
        rates = "+".join(f"{tail.rate('bytes-sent') / 1e3:.0f}" for tail in senders)
        queued = self.bottleneck.sample() if self.bottleneck else None
        line = (f"{second:4d} s  sends {rates} kbit/s of {first.get('allowed-rate', 0) / 1e3:.0f} allowed"
                f"  RTT {first.get('rtt', 0) / 1e6:.1f} ms  p {first.get('loss-event-rate', 0):.2g}"
                f"  sender delay {first.get('queue-time', 0) / 1e6:.0f} ms ({first.get('queue-packets', 0)} packets)"
                f"  lost {sum(stats.get('packets-lost', 0) for stats in received)}")
        print(line + (f"  bottleneck {queued} packets" if queued is not None else ""), flush=True)

    def play(self):
        """Waits until the senders have ended. If there is a duration, tells them to end after
        it."""
        tails = ([Tail(child.log) for child in self.senders], [Tail(child.log) for child in self.receivers])
        begin = time.monotonic()
        second = 0
        stopped = False
        while any(sender.running() for sender in self.senders):
            now = time.monotonic() - begin
            if now >= second + 1:
                second = int(now)
                self.progress(second, tails)
            if self.options.duration and now >= self.options.duration and not stopped:
                stopped = True
                for sender in self.senders:
                    sender.signal(signal.SIGINT)  # gst-launch -e turns it into EOS
            time.sleep(0.05)
        for sender in self.senders:
            if sender.process.returncode and not stopped:
                raise Failure(f"a sender failed\n{sender.end_of_log()}")
        return stopped

    def finish(self):
        """Waits for the receivers, which end after the BYE of their sender; tells the others to
        end."""
        if self.tcp:
            self.tcp.signal(signal.SIGINT)
        limit = time.monotonic() + DRAIN_S
        for receiver in self.receivers:
            if not receiver.wait(max(0, limit - time.monotonic())):
                self.notes.append("a receiver did not learn that its stream had ended, and was stopped")
                receiver.signal(signal.SIGINT)
                receiver.wait(5)
        if self.bottleneck:
            self.bottleneck.sample()

    def end_children(self):
        for child in self.children:
            child.signal(signal.SIGTERM)
        for child in self.children:
            if not child.wait(5):
                child.signal(signal.SIGKILL)
                child.wait(5)

    def save(self, stopped):
        o = self.options
        facts = {key: getattr(o, key) for key in ("movie", "streams", "tcp", "greedy", "secure", "sink", "source", "network",
                                                  "capacity")}
        facts["stopped"] = stopped
        facts["notes"] = self.notes
        if self.tcp:
            facts["tcp_started_ns"] = self.tcp_started_ns
        with open(self.path("run.json"), "w") as file:
            json.dump(facts, file, indent=2)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--movie", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--streams", type=int, default=1)
    parser.add_argument("--duration", type=float, default=0, help="seconds; 0 plays to the end")
    parser.add_argument("--tcp", action="store_true")
    parser.add_argument("--greedy", action="store_true", help="send as fast as allowed, not in the movie's time")
    parser.add_argument("--secure", action="store_true", help="protect the streams with a passphrase of this run")
    parser.add_argument("--sink", default="", help="further properties of tfrcsink")
    parser.add_argument("--source", default="", help="further properties of tfrcsrc")
    parser.add_argument("--address", default="127.0.0.1", help="where the senders reach the receivers")
    parser.add_argument("--sender", default="", help="network namespace of the senders")
    parser.add_argument("--receiver", default="", help="network namespace of the receivers")
    parser.add_argument("--router", default="", help="network namespace of the bottleneck")
    parser.add_argument("--device", default="", help="interface of the bottleneck")
    parser.add_argument("--network", default="plain loopback", help="the network in words, for the report")
    parser.add_argument("--capacity", type=float, default=0, help="rate of the bottleneck, bit/s; 0 without a bottleneck")
    return parser.parse_args()


def terminate(_number, _frame):
    # Further signals are ignored, as they must not interrupt the end of the children.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, terminate)
    run = Run(parse_arguments())
    try:
        run.start_all()
        stopped = run.play()
        run.finish()
        run.save(stopped)
        return 0
    except Failure as failure:
        print(f"demo: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        run.end_children()


if __name__ == "__main__":
    sys.exit(main())
