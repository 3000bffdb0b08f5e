#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Viewers of tfrc-server on this machine: what they cost the server, and what they miss.

    GST_PLUGIN_PATH_1_0=build/gst server.py [--build DIR...] [--movies KIND=N...] [--viewers N] [--rounds N] [--seconds S]

The server has as many movies of each KIND as is said: ts, mp4, mkv or renditions (two transport streams each). All
have the same pictures, 640 kbit/s, but are files of their own. Each viewer is a tfrcsrc that calls the server, and all of
them are in one other process; viewer I watches movie I modulo the number of movies. After --settle seconds the server's
processor time, packets and memory are taken over --seconds. A round is a new server of each
build. Medians, and the range in parentheses.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

KINDS = {"ts": ("mpegtsmux", ".ts"), "mp4": ("mp4mux", ".mp4"), "mkv": ("matroskamux", ".mkv")}
RATE_KBPS, SMALL_KBPS, PICTURES_PER_S = 640, 320, 25
START_S = 90  # until all viewers have a packet
MOST_WAITING = 8  # viewers without a packet: a listener refuses a call while 64 wait, and one that has waited for 10 s
HERTZ = os.sysconf("SC_CLK_TCK")


# ---- movies ----------------------------------------------------------------------------------------------------------


def encode(stem, kbps, width, seconds):
    """Writes the pictures in each form: STEM.ts, STEM.mp4 and STEM.mkv."""
    branches = [f"encoded. ! queue ! h264parse ! {muxer} ! filesink location={stem}{suffix}" for muxer, suffix in KINDS.values()]
    subprocess.run(
        ["gst-launch-1.0", "-q", *f"videotestsrc pattern=snow num-buffers={seconds * PICTURES_PER_S} ! "
         f"video/x-raw,width={width},height={width * 9 // 16},framerate={PICTURES_PER_S}/1 ! x264enc bitrate={kbps} "
         f"key-int-max={PICTURES_PER_S} pass=cbr speed-preset=superfast ! tee name=encoded {' '.join(branches)}".split()], check=True)


def make_movies(folder, scratch, kinds, seconds):
    """Returns the names of the movies."""
    encode(scratch / "large", RATE_KBPS, 320, seconds)
    encode(scratch / "small", SMALL_KBPS, 160, seconds)
    names = []
    for kind, number in kinds.items():
        for i in range(number):
            if kind == "renditions":
                names.append(f"film{i}")
                shutil.copy(scratch / "large.ts", folder / f"film{i}.180p.ts")
                shutil.copy(scratch / "small.ts", folder / f"film{i}.90p.ts")
            else:
                names.append(f"movie{i}{KINDS[kind][1]}")
                shutil.copy(scratch / f"large{KINDS[kind][1]}", folder / names[-1])
    return names


# ---- viewers, a process of their own -----------------------------------------------------------------------------------


def view(port, names, viewers):
    """Says "ready" when all have a packet; a line on standard input asks for the counts since then."""
    # pylint: disable-next=import-outside-toplevel
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst  # pylint: disable=import-outside-toplevel
    Gst.init(None)
    fields = "packets-received", "packets-lost", "packets-missing", "packets-past-latency", "queue-dropped"
    sources, waiting = [], set()
    end = time.monotonic() + START_S
    for i in range(viewers):
        while len(waiting) >= MOST_WAITING and time.monotonic() < end:
            time.sleep(0.01)
            waiting = {source for source in waiting if not source.get_property("stats").get_value("packets-received")}
        pipeline = Gst.parse_launch(f"tfrcsrc name=source uri=tfrc://127.0.0.1:{port}/{names[i % len(names)]} ! fakesink sync=false")
        pipeline.set_state(Gst.State.PLAYING)
        sources.append((pipeline, pipeline.get_by_name("source")))
        waiting.add(sources[-1][1])

    def counts():
        found = [source.get_property("stats") for _, source in sources]
        return [[stats.get_value(field) or 0 for field in fields] for stats in found]

    while not all(row[0] for row in counts()):
        if time.monotonic() > end:
            silent = sum(not row[0] for row in counts())
            errors = [pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR) for pipeline, _ in sources]
            told = {message.parse_error()[0].message for message in errors if message}
            for pipeline, _ in sources:
                pipeline.set_state(Gst.State.NULL)
            raise SystemExit(f"{silent} viewers have no packet: {told or 'no error'}")
        time.sleep(0.1)
    print("ready", flush=True)
    before = None
    for _ in sys.stdin:
        now = counts()
        rows = [[b - a for a, b in zip(*pair)] for pair in zip(before, now)] if before else now
        print(json.dumps([dict(zip(fields, row)) for row in rows]), flush=True)
        before = now
    for pipeline, _ in sources:
        pipeline.set_state(Gst.State.NULL)


class Viewers:
    def __init__(self, port, names, viewers):
        self.process = subprocess.Popen([sys.executable, __file__, "--view", str(port), *names, "--viewers", str(viewers)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit("the viewers have not begun")

    def counts(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# ---- the server --------------------------------------------------------------------------------------------------------


class Server:
    def __init__(self, program, folder, viewers):
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as free:
            free.bind(("::", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [program, "--port", "0", "--media-port", str(self.port), "--max-streams", str(viewers), "--max-per-host", str(viewers),
             folder], stdout=subprocess.PIPE, text=True)
        self.uri = re.search(r"http://\S+", self.process.stdout.readline())[0]
        self.process.stdout.readline()
        self.folder = pathlib.Path(f"/proc/{self.process.pid}")

    def cpu_s(self):
        fields = (self.folder / "stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / HERTZ

    def rss_mb(self):
        return int(re.search(r"VmRSS:\s*(\d+)", (self.folder / "status").read_text(encoding="ascii"))[1]) * 1024 / 1e6

    def threads(self):
        return len(list((self.folder / "task").iterdir()))

    def counts(self):
        with urllib.request.urlopen(self.uri + "/streams", timeout=30) as answer:
            streams = json.load(answer)
        failed = [stream for stream in streams if stream["state"] != "playing"]
        if failed:
            raise SystemExit(f"a stream does not play: {failed[0]}")
        fields = "packets-sent", "packets-dropped", "packets-past-deadline"
        return {stream["id"]: [stream["stats"][field] for field in fields] for stream in streams}

    def end(self):
        self.process.terminate()
        self.process.wait()


# ---- a round -----------------------------------------------------------------------------------------------------------


def play_round(program, folder, names, options):
    server = Server(program, folder, options.viewers)
    try:
        time.sleep(1)
        idle_mb, idle_threads = server.rss_mb(), server.threads()
        viewers = Viewers(server.port, names, options.viewers)
        time.sleep(options.settle)
        viewers.counts()
        before, cpu_s, start = server.counts(), server.cpu_s(), time.monotonic()
        time.sleep(options.seconds)
        after, cpu_s, seconds = server.counts(), server.cpu_s() - cpu_s, time.monotonic() - start
        seen, rss_mb, threads = viewers.counts(), server.rss_mb(), server.threads()
        viewers.end()
    finally:
        server.end()
    sent, dropped, past = (sum(after[i][field] - before[i][field] for i in after) for field in range(3))
    missed = [100 * (row["packets-lost"] + row["packets-missing"] + row["queue-dropped"]) / max(1, row["packets-received"]) for row in seen]
    late = [100 * row["packets-past-latency"] / max(1, row["packets-received"]) for row in seen]
    return {
        "CPU, % of a core": 100 * cpu_s / seconds,
        "CPU a packet, us": 1e6 * cpu_s / sent,
        "packets/s": sent / seconds,
        "RSS, MB": rss_mb,
        "RSS a stream beyond the idle server, MB": (rss_mb - idle_mb) / options.viewers,
        "threads a stream": (threads - idle_threads) / options.viewers,
        "dropped or too late at the server, %": 100 * (dropped + past) / sent,
        "missed by a viewer, %, median": statistics.median(missed),
        "missed by a viewer, %, worst": max(missed),
        "late at a viewer, %, median": statistics.median(late),
        "late at a viewer, %, worst": max(late),
    }


def say(build, rounds):
    print(f"\n| figure, {build} | median (range) |\n|---|---|")
    for figure in rounds[0]:
        values = [row[figure] for row in rounds]
        print(f"| {figure} | {statistics.median(values):.3g} ({min(values):.3g} - {max(values):.3g}) |")


def kind(text):
    name, _, number = text.partition("=")
    if name not in (*KINDS, "renditions") or not number.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not KIND=N with ts, mp4, mkv or renditions")
    return name, int(number)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", nargs="+", default=["build"])
    parser.add_argument("--movies", type=kind, nargs="+", default=[("ts", 10), ("mp4", 6), ("renditions", 4)])
    parser.add_argument("--viewers", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--settle", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--view", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.view:
        view(options.view[0], options.view[1:], options.viewers)
        return
    programs = [pathlib.Path(build, "tools", "server", "tfrc-server") for build in options.build]
    with tempfile.TemporaryDirectory() as directory:
        folder, scratch = pathlib.Path(directory, "movies"), pathlib.Path(directory)
        folder.mkdir()
        names = make_movies(folder, scratch, dict(options.movies), int(options.settle + options.seconds) + START_S)
        rounds = [[play_round(program, folder, names, options) for program in programs] for _ in range(options.rounds)]
    load = os.getloadavg()[1]
    print(f"{options.viewers} viewers of {len(names)} movies ({', '.join(f'{n} {name}' for name, n in options.movies)}), "
          f"{options.rounds} rounds of {options.seconds:g} s, load {load:.1f} on {os.cpu_count()} cores")
    for build, rows in zip(options.build, zip(*rounds)):
        say(build, rows)


if __name__ == "__main__":
    main()
