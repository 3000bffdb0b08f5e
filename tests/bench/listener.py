#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What many viewers of one live stream cost the process that serves them, on the loopback interface.

    GST_PLUGIN_PATH_1_0=build/gst listener.py [--viewers N ...] [--runs N] [--only NAME ...]

The movie is one of null packets at 640 kbit/s.  Each viewer is a source in one further process.  Prints for each way
to serve, with the median and the range over the runs

- CPU: time of the serving process in 15 s, divided by the packets that the viewers got
- RSS: what that process has grown by since before the viewers came, divided by their number; of tfrcsinks behind a
  tee, which are there before, what it has more than one with a single tfrcsink, divided by the others
- got: the part of the movie's packets that the viewers got

Ratios of two rows of one run mean more than the rows, as other work on the machine changes both.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PAYLOAD, BYTES_PER_S = 1316, 80000
WARM_S, MEASURED_S = 5, 15
PORT = 28000

MOVIE = "filesrc location={movie} blocksize=1316 ! identity datarate=80000 ! video/mpegts,systemstream=true,packetsize=188 ! "
# name: (the serving pipeline, what of it is repeated for each viewer, a viewer)
SERVERS = {
    "tfrcsink, listener": ("tfrcsink mode=listener bind-address=127.0.0.1 port={port} lookahead=100", "",
                           "tfrcsrc mode=caller address=127.0.0.1 port={port}"),
    "tfrcsink behind tee": ("tee name=t ", "t. ! queue ! tfrcsink host=127.0.0.1 port={own} lookahead=100 ahead-time=0 ",
                            "tfrcsrc address=127.0.0.1 port={own}"),
    "srtsink, listener": ('srtsink uri="srt://127.0.0.1:{port}?mode=listener" wait-for-connection=false', "",
                          'srtsrc uri="srt://127.0.0.1:{port}?mode=caller"'),
}


def play(text):
    """In a process of its own: plays a pipeline, and tells how many packets all its fakesinks got while it was measured."""
    import gi

    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    Gst.init(None)
    pipeline = Gst.parse_launch(text)
    sinks = [element for element in pipeline.children if element.get_factory().get_name() == "fakesink"]

    def got():
        return sum(sink.get_property("stats").get_uint64("rendered")[1] for sink in sinks)

    pipeline.set_state(Gst.State.PLAYING)
    sys.stdin.readline()  # the measurement begins
    before = got()
    sys.stdin.readline()
    print(got() - before, flush=True)


def start(text):
    return subprocess.Popen([sys.executable, __file__, "--play", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def tell(process):
    process.stdin.write("\n")
    process.stdin.flush()


def cpu_s(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def rss_kib(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise SystemExit("no VmRSS")


def one_run(name, viewers, movie, port):
    """(CPU in us a packet, RSS in KiB, part of the packets). RSS: since the viewers have come, or, where they are first, all"""
    serving, each, viewer = SERVERS[name]
    ports = [port + 1 + i for i in range(viewers)]
    text = (MOVIE + serving).format(movie=movie, port=port) + "".join(each.format(own=own) for own in ports)
    watching = " ".join(viewer.format(port=port, own=own) + " ! fakesink sync=false" for own in ports)
    first, second = (watching, text) if each else (text, watching)
    processes = [start(first)]
    time.sleep(3)
    before_kib = 0 if each else rss_kib(processes[0])
    processes.append(start(second))
    server, client = (processes[1], processes[0]) if each else processes
    time.sleep(WARM_S)
    tell(client)
    before_s, before = cpu_s(server), time.monotonic()
    time.sleep(MEASURED_S)
    used_s, elapsed_s, rss = cpu_s(server) - before_s, time.monotonic() - before, rss_kib(server)
    tell(client)
    got = int(client.stdout.readline())
    for process in processes:
        process.kill()
        process.wait()
    return used_s / max(got, 1) * 1e6, rss - before_kib, got / (viewers * elapsed_s * BYTES_PER_S / PAYLOAD)


def text_of(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} – {max(values):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, nargs="+", default=[10, 50, 100])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=list(SERVERS), default=list(SERVERS))
    parser.add_argument("--play", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.play:
        play(arguments.play)
        return
    port = PORT
    with tempfile.TemporaryDirectory() as directory:
        movie = pathlib.Path(directory, "movie.ts")
        movie.write_bytes((b"\x47\x1f\xff\x10" + bytes(184)) * (60 * BYTES_PER_S // 188 // 7 * 7))
        alone = {name: 0 for name in arguments.only}
        for name in arguments.only:
            if SERVERS[name][1]:
                alone[name] = one_run(name, 1, movie, port)[1]
                port += 10
        print("| viewers | server | CPU, us a packet | RSS a viewer, KiB | got, % |\n|---|---|---|---|---|")
        for viewers in arguments.viewers:
            rows = {name: [] for name in arguments.only}
            for _ in range(arguments.runs):
                for name in arguments.only:
                    rows[name].append(one_run(name, viewers, movie, port))
                    port += viewers + 1
            for name, results in rows.items():
                cpu, rss, got = zip(*results)
                more = [(kib - alone[name]) / max(viewers - bool(alone[name]), 1) for kib in rss]
                print(f"| {viewers} | {name} | {text_of(cpu, 1)} | {text_of(more, 0)} | {text_of([100 * part for part in got], 1)} |",
                      flush=True)


if __name__ == "__main__":
    main()
