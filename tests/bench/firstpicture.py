#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long a viewer who joins a live stream waits for the first picture, over a path of a given R.

    GST_PLUGIN_PATH_1_0=build/gst firstpicture.py [--joins N] [--rtt MS ...] [--gop S] [--bitrate KBITS] [--only NAME ...]

The path is the relay of start.py: real time, on the loopback interface, R/2 in both directions, so a busy
machine adds to the delays.  The movie has 25 pictures a second and one random access point in each GOP, and plays in
a process of its own.  Viewers join one after the other, each at a random moment of the GOP and from another
port.  Prints for each sink the median and the range over the joins of

- call: the time from the moment in which the viewer's pipeline is told to play until its first packet leaves: a
  passphrase is made a key meanwhile.  A receiver of udpsink calls nobody.
- packet: the time from the call until the first packet leaves the source
- picture: the time from the call until the first picture leaves the decoder, whole and from a random access point;
  also in R
"""

import argparse
import pathlib
import random
import socket
import statistics
import subprocess
import tempfile
import time

from firstbuffer import PASSPHRASE, next_line, start
from start import Relay, stop

FPS = 25
JOIN_S = 4  # of the movie for each join, beside its wait for a moment of the GOP
SETTLE_S = 1.5  # a GOP may have begun before that, and the cache has it

DECODER = " ! tsdemux ! h264parse ! avdec_h264 name=decoder max-threads=1 output-corrupt=false ! fakesink sync=false async=false"
LISTENER = "tfrcsink mode=listener bind-address=127.0.0.1 port={server}"
CALLER = "tfrcsrc name=source mode=caller address=127.0.0.1 port={viewer}"
# name: (sink, a viewer's source).  Viewers call the relay, and udpsink alone sends to it.
STREAMS = {
    "tfrcsink, listener": (LISTENER, CALLER),
    "tfrcsink, listener, passphrase": (LISTENER + PASSPHRASE, CALLER + PASSPHRASE),
    "srtsink, listener": (
        'srtsink uri="srt://127.0.0.1:{server}?mode=listener" wait-for-connection=false',
        'srtsrc name=source uri="srt://127.0.0.1:{viewer}?mode=caller"',
    ),
    "udpsink": ("udpsink host=127.0.0.1 port={viewer}", "udpsrc name=source address=127.0.0.1 port={server}"),
}


def make_movie(path, seconds, gop_s, kbits):
    text = (
        f"videotestsrc num-buffers={int(seconds * FPS)} pattern=zone-plate kx2=12 ky2=12 kt=8 ! video/x-raw,width=640,height=360,"
        f"framerate={FPS}/1 ! x264enc speed-preset=superfast tune=zerolatency bitrate={kbits} vbv-buf-capacity=1000 "
        f"key-int-max={int(gop_s * FPS)} option-string=scenecut=0 ! h264parse config-interval=-1 ! mpegtsmux ! filesink location={path}"
    )
    subprocess.run(["gst-launch-1.0", "-q", *text.split()], check=True)


def key_picture_bytes(path):
    """The size of a key picture: the median over the movie, in packets of a transport stream"""
    movie, sizes, pid = path.read_bytes(), [], None
    for at in range(0, len(movie), 188):
        own, begins = movie[at + 1] & 0x1F, movie[at + 1] & 0x40
        own = own << 8 | movie[at + 2]
        is_random_access = movie[at + 3] & 0x20 and movie[at + 4] and movie[at + 5] & 0x40
        if begins and is_random_access:
            pid = own
            sizes.append(0)
        elif begins and own == pid:
            pid = None
        if own == pid:
            sizes[-1] += 188
    return statistics.median(sizes)


def join(source, ports, rtt_ms):
    """(call, packet, picture) of a viewer, in ms"""
    relay = Relay(ports["viewer"], ports["server"], rtt_ms / 2000)
    viewer = start(source.format(**ports) + DECODER, "source.src", "decoder.src")
    try:
        played = float(next_line(viewer, relay))
        packet, picture = (float(word) for word in next_line(viewer, relay).split())
    finally:
        stop(viewer)
        relay.close()
    called = played if source.startswith("udpsrc") else relay.passed[0][0]
    return 1000 * (called - played), 1000 * (packet - called), 1000 * (picture - called)


def free_ports(names):
    sockets = {name: socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for name in names}
    for own in sockets.values():
        own.bind(("127.0.0.1", 0))
    ports = {name: own.getsockname()[1] for name, own in sockets.items()}
    for own in sockets.values():
        own.close()
    return ports


def joins(name, arguments, rtt_ms, movie):
    sink, source = STREAMS[name]
    ports = free_ports(("server", "viewer"))
    text = f"filesrc location={movie} ! tsparse alignment=7 set-timestamps=true ! " + sink.format(**ports)
    server = subprocess.Popen(["gst-launch-1.0", "-q", *text.split()])
    results = []
    try:
        time.sleep(arguments.gop + SETTLE_S)
        for _ in range(arguments.joins):
            time.sleep(random.uniform(0, arguments.gop))
            results.append(join(source, ports, rtt_ms))
    finally:
        stop(server)
    return results


def text_of(values, digits=0):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} – {max(values):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--joins", type=int, default=12)
    parser.add_argument("--rtt", type=int, nargs="+", default=[20, 50, 200], help="ms")
    parser.add_argument("--gop", type=float, default=2, help="s")
    parser.add_argument("--bitrate", type=int, default=1000, help="kbit/s")
    parser.add_argument("--only", nargs="+", choices=list(STREAMS), default=list(STREAMS))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        movie = pathlib.Path(scratch, "movie.ts")
        make_movie(movie, 3 * arguments.gop + arguments.joins * (2 * arguments.gop + JOIN_S), arguments.gop, arguments.bitrate)
        print(f"key pictures of {key_picture_bytes(movie) / 1000:.0f} KB, a GOP of {arguments.gop:g} s, {arguments.joins} joins")
        print("| R, ms | sink | call, ms | packet, ms | picture, ms | picture, R |\n|---|---|---|---|---|---|")
        for rtt_ms in arguments.rtt:
            for name in arguments.only:
                calls, packets, pictures = zip(*joins(name, arguments, rtt_ms, movie))
                in_rtt = text_of([picture / rtt_ms for picture in pictures], 1)
                print(f"| {rtt_ms} | {name} | {text_of(calls)} | {text_of(packets)} | {text_of(pictures)} | {in_rtt} |", flush=True)


if __name__ == "__main__":
    main()
