#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long after a sink's first buffer the first buffer leaves the source, over a path of a given R.

    GST_PLUGIN_PATH_1_0=build/gst firstbuffer.py [--runs N] [--rtt MS ...] [--only NAME ...]

The path is the relay of start.py: real time, on the loopback interface, R/2 in both directions, so a busy
machine adds to the delays.  The source waits before the sink starts.  Each sink gets a live stream of 1 Mbit/s,
and time counts from the moment in which its first buffer arrives at the sink, keys and handshake included, until
the first buffer leaves the source.  Prints for each sink the median and the range over the runs.
"""

import argparse
import pathlib
import select
import statistics
import subprocess
import sys
import tempfile
import time

from start import Relay, stop

LIMIT_S = 30

PASSPHRASE = " passphrase=three-of-a-kind-are-not-a-full-house"
RSA = " private-key-file={keys}/%s.key peer-public-key-file={keys}/%s.pub"
SOURCE = "tfrcsrc address=127.0.0.1 port={far} keep-listening=true"
SINK = "tfrcsink host=127.0.0.1 port={near} sync=false"
STREAMS = {
    "tfrcsink": (SOURCE, SINK),
    "tfrcsink, passphrase": (SOURCE + PASSPHRASE, SINK + PASSPHRASE),
    "tfrcsink, RSA": (SOURCE + RSA % ("source", "sink"), SINK + RSA % ("sink", "source")),
    "udpsink": ("udpsrc address=127.0.0.1 port={far}", "udpsink host=127.0.0.1 port={near} sync=false"),
    "srtsink": (
        'srtsrc uri="srt://127.0.0.1:{far}?mode=listener"',
        'srtsink uri="srt://127.0.0.1:{near}?mode=caller" sync=false',
    ),
}
MOVIE = "filesrc location={movie} blocksize=1316 ! identity datarate=125000 sync=true ! video/mpegts,systemstream=true,packetsize=188 ! "


def play(text, pads):
    """In a process of its own: plays a pipeline, and prints when the first buffer has passed each pad; before that, when
    a source was told to play, and as soon as it does."""
    import gi

    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    def passed(_pad, _info, name):
        times[name] = time.monotonic()
        return Gst.PadProbeReturn.REMOVE

    times = {}
    Gst.init(None)
    pipeline = Gst.parse_launch(text)
    kinds = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
    for name in pads:
        element, pad = name.split(".")
        pipeline.get_by_name(element).get_static_pad(pad).add_probe(kinds, passed, name)
    pipeline.set_state(Gst.State.READY)
    begin = time.monotonic()
    pipeline.set_state(Gst.State.PLAYING)
    if pads[0].endswith(".src"):
        pipeline.get_state(Gst.CLOCK_TIME_NONE)
        print(begin, flush=True)
    while len(times) < len(pads) and time.monotonic() < begin + LIMIT_S:
        time.sleep(0.01)
    print(*(times.get(name) for name in pads), flush=True)
    time.sleep(LIMIT_S)


def start(text, *pads):
    """A process that plays text. Each of pads, as element.pad, is one whose first buffer counts."""
    command = [sys.executable, __file__, "--play", text, *pads]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def next_line(process, relay):
    """The next line that a process prints, while packets pass"""
    end = time.monotonic() + LIMIT_S
    while not select.select([process.stdout], [], [], 0)[0] and time.monotonic() < end:
        relay.run(time.monotonic() + 0.01)
    line = process.stdout.readline() if select.select([process.stdout], [], [], 0)[0] else ""
    if not line:
        raise SystemExit("no buffer has come: GST_PLUGIN_PATH_1_0 has to name the plugin's directory")
    return line


def one_run(name, rtt_ms, movie, keys, near):
    source, sink = (text.format(near=near, far=near + 100, keys=keys) for text in STREAMS[name])
    relay = Relay(near, near + 100, rtt_ms / 2000)
    far = start(source.replace(" ", " name=end ", 1) + " ! fakesink async=false", "end.src")
    process = None
    try:
        next_line(far, relay)
        process = start(MOVIE.format(movie=movie) + sink.replace(" ", " name=end ", 1), "end.sink")
        left, arrived = (float(next_line(one, relay)) for one in (process, far))
    finally:
        for one in (process, far):
            if one:
                stop(one)
        relay.close()
    return 1000 * (arrived - left)


def make_keys(directory):
    for name in ("sink", "source"):
        key, public = (str(directory / f"{name}.{end}") for end in ("key", "pub"))
        subprocess.run(["openssl", "genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:3072", "-out", key], check=True)
        pathlib.Path(key).chmod(0o600)
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rtt", type=int, nargs="+", default=[50, 200], help="ms")
    parser.add_argument("--only", nargs="+", choices=list(STREAMS), default=list(STREAMS))
    parser.add_argument("--play", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.play:
        play(arguments.play[0], arguments.play[1:])
        return
    near = 28400
    with tempfile.TemporaryDirectory() as scratch:
        keys = pathlib.Path(scratch)
        make_keys(keys)
        movie = keys / "movie.ts"
        movie.write_bytes((b"\x47\x1f\xff\x10" + bytes(184)) * 7000)
        print("| first buffer after, ms | " + " | ".join(f"R = {rtt} ms" for rtt in arguments.rtt) + " |\n|---|" + "---|" * len(arguments.rtt))
        for name in arguments.only:
            cells = []
            for rtt_ms in arguments.rtt:
                results = []
                for _ in range(arguments.runs):
                    near += 2
                    results.append(one_run(name, rtt_ms, movie, keys, near))
                cells.append(f"{statistics.median(results):.0f} ({min(results):.0f} – {max(results):.0f})")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
