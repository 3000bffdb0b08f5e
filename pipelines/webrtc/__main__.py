# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays calls between two webrtcbin through a path of 4, 1 and 4 Mbit/s, and prints what the encoder got.
pipelines/webrtc-rate.sh starts it."""

import argparse
import json
import math
import os
import pathlib
import select
import signal
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1]))

from batch import command  # noqa: E402

PHASES = [(4000, 15), (1000, 15), (4000, 15)]  # kbit/s, seconds
PHASE_S = PHASES[0][1]
SETTLED_S = 5  # a phase counts from here on, where the rates are meant
UNCOUNTED_END_S = 2  # pictures of the last seconds do not count: some are under way when the ends stop
TCP_PORT = 5001
ENDED_S = 60

TCP_RECEIVER = """
import socket, sys
server = socket.create_server(("10.9.0.2", int(sys.argv[1])))
print("ready", flush=True)
peer = server.accept()[0]
while peer.recv(65536):
    pass
"""
TCP_SENDER = """
import socket, sys, time
peer = socket.socket()
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
peer.connect(("10.9.0.2", int(sys.argv[1])))
while True:
    peer.sendall(bytes(16384))
"""


def inside(namespace, *command, **options):
    words = ["ip", "netns", "exec", namespace, sys.executable, *map(str, command)]
    return subprocess.Popen(words, text=True, **options)


class Path:
    """Two network namespaces with a path between them."""

    def __init__(self, seed):
        self.names = [f"webrtc-{os.getpid()}-{end}" for end in "ab"]
        for name in self.names:
            subprocess.run(["ip", "netns", "add", name], check=True)
            subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        schedule = [f"{kbit}:{seconds}" for kbit, seconds in PHASES]
        self.link = subprocess.Popen([sys.executable, HERE / "link.py", *self.names, str(seed), *schedule], text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.link.stdout.readline()

    def wait_for_start(self, ends):
        """Waits until the first picture leaves. Returns False if an end of the call has failed before."""
        while not select.select([self.link.stdout], [], [], 1)[0]:
            if any(end.poll() is not None for end in ends):
                return False
        return True

    def remove(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], check=True)

    def end(self):
        """Returns the packets, as link.py prints them."""
        log = json.loads(self.link.communicate("", timeout=ENDED_S)[0].splitlines()[-1])
        return [{"time": at, "protocol": protocol, "bytes": size, "wait": wait} for at, protocol, size, wait in log]


def call(path, element, properties):
    """Starts both ends, each of which reads what the other one says."""
    to_receiver, to_sender = os.pipe(), os.pipe()
    sender = inside(path.names[0], HERE / "peer.py", "send", element, *properties, stdin=to_sender[0],
                    stdout=to_receiver[1], stderr=subprocess.PIPE)
    receiver = inside(path.names[1], HERE / "peer.py", "receive", stdin=to_receiver[0], stdout=to_sender[1],
                      stderr=subprocess.PIPE)
    for file in (*to_receiver, *to_sender):
        os.close(file)
    return sender, receiver


def check(element, properties):
    if subprocess.run([sys.executable, HERE / "peer.py", "check", element, *properties], check=False).returncode:
        sys.exit(f"no call is played: {element} is not there, or has no such property; --elements chooses others")


def told(end):
    lines = end.communicate(timeout=ENDED_S)[1].splitlines()
    found = [line for line in lines if line.startswith('{"frames"')]
    if not found:
        sys.exit("an end of the call has failed:\n" + "\n".join(lines))
    return json.loads(found[0])


def check_runs(process, what):
    if process.poll() is not None:
        sys.exit(f"{what} has ended: no figures of this call")


def play(element, properties, seed, with_tcp):
    path = Path(seed)
    others = [path.link]
    try:
        sender, receiver = call(path, element, properties)
        others += [sender, receiver]
        if with_tcp:
            server = inside(path.names[1], "-c", TCP_RECEIVER, TCP_PORT, stdout=subprocess.PIPE)
            others.append(server)
            server.stdout.readline()
            tcp = inside(path.names[0], "-c", TCP_SENDER, TCP_PORT)
            others.append(tcp)
        if path.wait_for_start((sender, receiver)):
            time.sleep(sum(seconds for _, seconds in PHASES) + 0.5)
            if with_tcp:
                check_runs(tcp, "the TCP flow beside it")
        for end in (sender, receiver):
            end.send_signal(signal.SIGINT)
        return told(sender), told(receiver), path.end()
    finally:
        for other in others:
            other.kill()
            other.wait()
        path.remove()


def percentile(values, share):
    """The nearest rank: the least value that this share of all does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else float("nan")


def rate_kbit(packets, begin_s, end_s):
    return 8 * sum(packet["bytes"] for packet in packets if packet["wait"] is not None
                   and begin_s <= packet["time"] < end_s) / (end_s - begin_s) / 1000


def figures(sent, received, packets):
    end_s = len(PHASES) * PHASE_S
    packets = [packet for packet in packets if packet["time"] < end_s]
    video = [packet for packet in packets if packet["protocol"] == "udp"]
    tcp = [packet for packet in packets if packet["protocol"] == "tcp"]
    waits = [packet["wait"] * 1000 for packet in video if packet["wait"] is not None]
    arrived = dict(map(tuple, received["frames"]))
    # What is under way when the ends stop is not missing.
    last_s = max((taken for _, taken in sent["frames"]), default=0) - UNCOUNTED_END_S
    pictures = [(stamp, taken) for stamp, taken in sent["frames"] if taken <= last_s]
    delays = [(arrived[stamp] - taken) * 1000 for stamp, taken in pictures if stamp in arrived]
    if not delays:
        sys.exit("no picture has come: the call has failed")
    found = {f"video {kbit // 1000} Mbit/s ({number + 1})": rate_kbit(
        video, number * PHASE_S + SETTLED_S, (number + 1) * PHASE_S) for number, (kbit, _) in enumerate(PHASES)}
    found["queue p50, ms"] = percentile(waits, 0.5)
    found["queue p95, ms"] = percentile(waits, 0.95)
    found["lost, %"] = 100 * (1 - len(waits) / max(1, len(video)))
    found["picture p50, ms"] = percentile(delays, 0.5)
    found["picture p95, ms"] = percentile(delays, 0.95)
    found["pictures missing, %"] = 100 * (1 - len(delays) / max(1, len(pictures)))
    found["TCP, kbit/s"] = rate_kbit(tcp, SETTLED_S, end_s)
    found["least estimate, kbit/s"] = min((bitrate for _, bitrate in sent["estimates"]), default=0) / 1000
    return found


def text_of(values):
    form = "{:.1f}" if max(values) < 100 else "{:.0f}"
    low, middle, high = (form.format(value) for value in (min(values), statistics.median(values), max(values)))
    return middle if low == high else f"{middle} ({low} – {high})"


def main():
    parser = argparse.ArgumentParser(prog="webrtc-rate.sh", description=__doc__)
    parser.add_argument("--elements", default="rtptfrcbwe,rtpgccbwe", metavar="LIST",
                        help="estimators, each with properties behind colons (rtptfrcbwe,rtpgccbwe)")
    parser.add_argument("--tcp", action="store_true", help="a TCP flow (CUBIC) beside the call")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each, with the seeds from 1 on (3)")
    parser.add_argument("--json", metavar="FILE", help="write the figures of each run, too")
    options = parser.parse_args()
    if options.seeds < 1:
        parser.error("--seeds: at least 1")
    command.end_of_check()
    if os.geteuid() != 0:
        sys.exit("network namespaces need root")
    runs = {name: [] for name in options.elements.split(",")}
    for name in runs:
        element, *properties = name.split(":")
        check(element, properties)
    for seed in range(1, options.seeds + 1):
        for name in runs:
            element, *properties = name.split(":")
            runs[name].append(figures(*play(element, properties, seed, options.tcp)))
            print(f"{name}, seed {seed}: " + ", ".join(f"{key} {value:.1f}" for key, value in runs[name][-1].items()),
                  file=sys.stderr, flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(runs, indent=1), encoding="utf-8")
    print("| | " + " | ".join(runs) + " |\n|---" + "|---" * len(runs) + "|")
    for key in next(iter(runs.values()))[0]:
        print(f"| {key} | " + " | ".join(text_of([run[key] for run in of]) for of in runs.values()) + " |")


if __name__ == "__main__":
    main()
