#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a movie over plain UDP, SRT and TFRC at the same time, each over a path of its own, and shows what a viewer sees.

The three paths are alike: demo-relay makes them in user space. Owns the processes of a run, its conditions, and its
figures. viewer.py judges what came, and screen.py draws it.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # for the package 'batch'

import screen  # noqa: E402
import viewer  # noqa: E402
from batch import command  # noqa: E402
from batch.arguments import positive  # noqa: E402
from batch.report import Picture, Table, write_html  # noqa: E402
from play import READY_S, Child, Failure, free_port, gst_launch, terminate  # noqa: E402

SENT_TS = ["tsparse", "set-timestamps=true", "alignment=7"]
UDP_BUFFER_BYTES = 1000000  # of the socket, so that only the path loses packets
TCP_PACKET_BYTES = 1500  # of the relay's TCP flow
SLACK_MS = 100  # of the player's buffer, that a receiver which waits for repeated packets leaves to everything else
DRAIN_S = 2  # for packets that are still on their way when the senders have ended
UNCOUNTED_END_S = 0.5  # and the player's buffer: srtsink hangs up at the end, and the packets that srtsrc holds are lost
DESCRIPTION = """Plays a movie over plain UDP, SRT and TFRC at the same time, each over a path of its own that is like the
others, and ends with a picture of what a viewer sees. The paths are made in user space, and no root is needed."""
RATES = {"k": 10**3, "M": 10**6}


class Transport:
    """One way to carry the movie, with its ports: entry is the relay's, port the receiver's."""

    def __init__(self, name, title, sender, receiver):
        self.name, self.title = name, title
        self.entry, self.port = free_port(), free_port()
        self.sink = sender.replace("PORT", str(self.entry)).split()
        self.source = receiver.replace("PORT", str(self.port))


def has_element(name):
    return subprocess.run(["gst-inspect-1.0", "--exists", name], check=False).returncode == 0


def transports(options):
    latency = options.buffer_ms - SLACK_MS
    found = [Transport("udp", "plain UDP", "udpsink host=127.0.0.1 port=PORT",
                       f"udpsrc address=127.0.0.1 port=PORT buffer-size={UDP_BUFFER_BYTES}")]
    if has_element("srtsink"):
        found.append(Transport("srt", "SRT", f"srtsink sync=true uri=srt://127.0.0.1:PORT?mode=caller&latency={latency}",
                               f"srtsrc uri=srt://127.0.0.1:PORT?mode=listener&latency={latency}"))
    else:
        print("GStreamer has no srtsink here, so SRT is left out.")
    found.append(Transport("tfrc", "TFRC", f"tfrcsink uri=tfrc://127.0.0.1:PORT {options.sink}",
                           f"tfrcsrc address=127.0.0.1 port=PORT latency={latency} tell-latency=true {options.source}"))
    return found


class Run:
    """The processes of a run."""

    def __init__(self, options):
        self.options = options
        self.transports = transports(options)
        self.children = []
        self.relay = None

    def path(self, name):
        return os.path.join(self.options.output, name)

    def start(self, name, command):
        child = Child(self.path(name + ".log"), "", command)
        self.children.append(child)
        return child

    def start_relay(self):
        o = self.options
        self.relay = subprocess.Popen(
            [f"{o.build}/pipelines/demo/demo-relay", f"--rate={o.rate // 1000}", f"--queue={o.queue}", f"--rtt={o.rtt}",
             f"--loss={o.loss}", f"--seed={o.seed}", f"--tcp-begin={o.tcp[0]}", f"--tcp-end={o.tcp[1]}",
             *(f"{transport.entry}:{transport.port}" for transport in self.transports)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        if self.relay.stdout.readline() != "ready\n":
            raise Failure("the relay did not start")

    def start_receivers(self):
        receivers = [self.start(f"{t.name}-receiver", [
            f"{self.options.build}/tools/meter/vod-receive", t.source, "--log", self.path(f"{t.name}-arrivals.csv"),
            "--output", self.path(f"{t.name}-received.ts"), "--stats", self.path(f"{t.name}-receiver.json")])
            for t in self.transports]
        for transport, receiver in zip(self.transports, receivers):
            receiver.wait_for_port("udp", transport.port)
        return receivers

    def play(self):
        """Returns what the relay says of each path."""
        self.start_relay()
        receivers = self.start_receivers()
        senders = [self.start(f"{t.name}-sender", gst_launch(["filesrc", "location=" + self.options.movie], SENT_TS, t.sink))
                   for t in self.transports]
        begin = time.monotonic()
        told = 0
        while any(sender.running() for sender in senders):
            time.sleep(0.1)
            if time.monotonic() - begin >= told + 10:
                told += 10
                print(f"{told:4d} s", flush=True)
        for sender in senders:
            if sender.process.returncode:
                raise Failure(f"a sender failed\n{sender.end_of_log()}")
        time.sleep(DRAIN_S)
        for receiver in receivers:
            receiver.signal(signal.SIGINT)
        for transport, receiver in zip(self.transports, receivers):
            receiver.wait(5)
            # What came to a receiver that failed says nothing of its transport. srtsrc may not end after an overload.
            if receiver.process.returncode:
                raise Failure(f"the receiver of {transport.title} failed\n{receiver.end_of_log()}")
        facts = self.relay.communicate()[0]
        return [json.loads(line) for line in facts.splitlines()]

    def end_children(self):
        if self.relay and self.relay.poll() is None:
            self.relay.kill()
            self.relay.wait()
        for child in self.children:
            child.signal(signal.SIGTERM)
        for child in self.children:
            if not child.wait(5):
                child.signal(signal.SIGKILL)
                child.wait(5)


def longest_s(movie, shown):
    """The longest time without a picture as it was sent."""
    longest = current = 0
    for good in shown:
        current = 0 if good else current + 1
        longest = max(longest, current)
    return longest * movie.step / viewer.TICKS


class Result:
    """What one transport brought to its viewer."""

    def __init__(self, run, movie, transport, path):
        self.transport, self.path = transport, path
        if not path["start_ns"]:
            raise Failure(f"{transport.title}: no packet of the movie came to the relay")
        self.came = viewer.arrivals(movie, run.path(f"{transport.name}-received.ts"), run.path(f"{transport.name}-arrivals.csv"))
        self.in_time, usable = viewer.judge(movie, self.came, path["start_ns"], run.options.buffer_ms / 1e3)
        self.seen = run.path(f"{transport.name}-seen.ts")
        self.usable = usable
        viewer.write_seen(movie, usable, self.seen)
        self.shown = []
        self.packets = 0  # of the pictures that count, and between these

    def count(self, movie, equal, buffer_s):
        end_s = movie.time_s(len(movie.pictures) - 1) - buffer_s - UNCOUNTED_END_S
        counted = sum(movie.time_s(number) < end_s for number in range(len(movie.pictures)))
        self.packets = 1 + max((packet for picture in movie.pictures[:counted] for packet in picture.packets), default=-1)
        self.in_time = self.in_time[:counted]
        self.shown = [came and same for came, same in zip(self.in_time, equal)]

    def line(self):
        return f"{self.transport.title:10} shown in time and undamaged: {screen.share(self.shown)} of {len(self.shown)} pictures"

    def figures(self, movie, options):
        path = self.path
        figures = {
            "pictures shown in time and undamaged": sum(self.shown),
            "pictures of which all packets came in time": sum(self.in_time),
            "pictures": len(self.shown),
            "longest time without an undamaged picture, s": round(longest_s(movie, self.shown), 2),
            "packets of the movie": self.packets,
            "packets of the movie that came": sum(packet < self.packets for packet in self.came),
            "packets of the movie that a player could use": sum(packet < self.packets for packet in self.usable),
            "packets sent, with repeated ones and those of the protocol": path["packets"],
            "packets sent that the queue dropped": path["dropped"],
            "packets sent that were lost at random": path["lost"],
        }
        if options.tcp[1] > options.tcp[0]:
            arrived = path["tcp_packets"] - path["tcp_dropped"] - path["tcp_lost"]
            figures["the TCP flow's rate, kbit/s"] = round(
                arrived * TCP_PACKET_BYTES * 8 / 1e3 / (options.tcp[1] - options.tcp[0]))
        return figures


def conditions(o):
    tcp = f", from {o.tcp[0]} to {o.tcp[1]} s with one TCP flow (a model of Reno)" if o.tcp[1] > o.tcp[0] else ""
    ahead = o.sink if "ahead-time" in o.sink else "runs up to 10 s ahead, as with any file"
    return (f"{o.rate / 1e6:g} Mbit/s, queue of {o.queue} packets, RTT {o.rtt} ms, {o.loss:g} % random loss (seed {o.seed}){tcp}; "
            f"the player buffers {o.buffer_ms / 1e3:g} s; tfrcsink {ahead}")


def report(run, movie, results):
    o = run.options
    equal, moment = viewer.look(movie, o.movie, [result.seen for result in results])
    for result, same in zip(results, equal):
        result.count(movie, same, o.buffer_ms / 1e3)
    title = conditions(o)
    picture = run.path("demo.png")
    screen.draw(picture, movie, [(r.transport.name, r.transport.title, r.shown) for r in results], moment, o.tcp,
                title.replace("; ", ";\n", 1))
    figures = {result.transport.title: result.figures(movie, o) for result in results}
    rows = [[name, *(of[name] for of in figures.values())] for name in next(iter(figures.values()))]
    write_html(run.path("demo.html"), f"{os.path.basename(o.movie)} over {', '.join(figures)}", [
        title, Picture(picture, "one moment of the movie over each transport, and the pictures of each second"),
        Table(["", *figures], rows, by_row=True)])
    with open(run.path("summary.json"), "w") as file:
        json.dump({"conditions": title, "figures": figures}, file, indent=2)
    print("\n" + "\n".join(result.line() for result in results))
    print(f"Picture: {picture}; table: {run.path('demo.html')}")


def bits_per_second(text):
    try:
        rate = int(float(text.rstrip("kM")) * RATES.get(text[-1:], 1))
    except ValueError:
        rate = 0
    if rate < 1000:
        raise argparse.ArgumentTypeError(f"not a rate in bit/s: {text}")
    return rate


def span(text):
    """Two times in whole seconds."""
    if text == "none":
        return 0, 0
    begin, _, end = text.partition("-")
    if not (begin.isdecimal() and end.isdecimal() and int(begin) < int(end)):
        raise argparse.ArgumentTypeError(f"not two times in whole seconds as in 20-40, and not none: {text}")
    return int(begin), int(end)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="pipelines/demo.sh", description=DESCRIPTION)
    parser.add_argument("movie", nargs="?", metavar="MOVIE.ts", help="a transport stream with H.264 (a clip of 60 s that it makes)")
    parser.add_argument("--rate", type=bits_per_second, default="2M", help="of the link, in bit/s; k and M are understood (2M)")
    parser.add_argument("--queue", type=positive, default=25, metavar="PACKETS", help="that wait for the link (25)")
    parser.add_argument("--rtt", type=positive, default=40, metavar="MS", help="round-trip time without the queue (40)")
    parser.add_argument("--loss", type=float, default=0.2, metavar="PERCENT", help="lost at random (0.2)")
    parser.add_argument("--seed", type=positive, default=1, metavar="N", help="of the random losses (1)")
    parser.add_argument("--tcp", type=span, default="20-40", metavar="FROM-TO",
                        help="when one TCP flow shares the link, in seconds of the movie, or none (20-40)")
    parser.add_argument("--buffer", type=positive, default=500, dest="buffer_ms", metavar="MS",
                        help="how long after a picture is due to leave a player shows it (500)")
    parser.add_argument("--sink", default="", metavar="PROPERTIES", help="more properties of tfrcsink, such as ahead-time=0")
    parser.add_argument("--source", default="", metavar="PROPERTIES", help="more properties of tfrcsrc")
    parser.add_argument("--output", metavar="DIR", help="for picture, table and logs (build/demo)")
    options = parser.parse_args()
    if options.movie and not os.access(options.movie, os.R_OK):
        parser.error(f"cannot read {options.movie}")
    if options.buffer_ms <= SLACK_MS:
        parser.error(f"--buffer is more than {SLACK_MS} ms")
    return options


def prepare(options):
    """Makes the clip if no movie was given, and a directory without results of an earlier run."""
    options.build = os.environ["BUILD_DIR"]
    options.output = options.output or os.path.join(options.build, "demo")
    os.makedirs(options.output, exist_ok=True)
    for name in ("demo.png", "demo.html", "summary.json"):
        pathlib.Path(options.output, name).unlink(missing_ok=True)
    if options.movie:
        return
    options.movie = os.path.join(options.build, "demo", "clip.ts")
    if not os.path.exists(options.movie):
        print(f"Making a clip of 60 s: {options.movie}", flush=True)
        os.makedirs(os.path.dirname(options.movie), exist_ok=True)
        subprocess.run([HERE / "clip.sh", options.movie], check=True)


def main():
    options = parse_arguments()
    command.end_of_check()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, terminate)
    run = None
    try:
        prepare(options)
        movie = viewer.Movie(options.movie)
        run = Run(options)
        print(f"Playing {options.movie}: {conditions(options)}", flush=True)
        facts = run.play()
        print("Decoding what came", flush=True)
        report(run, movie, [Result(run, movie, *pair) for pair in zip(run.transports, facts)])
        return 0
    except (Failure, viewer.Unusable, subprocess.CalledProcessError) as failure:
        print(f"demo: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if run:
            run.end_children()


if __name__ == "__main__":
    sys.exit(main())
