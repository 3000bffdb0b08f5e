# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cuts a transport stream into segments with a media playlist of HLS: hls-segments.py MOVIE.ts FOLDER

A segment begins with the tables right before a random access point.  GStreamer's hlssink2 (1.22) would do, but hangs in
one run of twelve.
"""

import pathlib
import sys

PACKET = 188


def pid(packet):
    return (packet[1] & 0x1f) << 8 | packet[2]


def is_random_access(packet):
    return bool(packet[3] & 0x20) and packet[4] > 0 and bool(packet[5] & 0x40)


def cuts(packets):
    """The numbers of the packets that begin a segment"""
    pictures = next(pid(packet) for packet in packets if is_random_access(packet))
    for number, packet in enumerate(packets):
        if pid(packet) != pictures or not is_random_access(packet):
            continue
        while number > 0 and pid(packets[number - 1]) < pictures and packets[number - 1][1] & 0x40:
            number -= 1
        yield number


def main(movie, folder):
    data = pathlib.Path(movie).read_bytes()
    packets = [data[at:at + PACKET] for at in range(0, len(data), PACKET)]
    begins = [0, *list(cuts(packets))[1:], len(packets)]
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:1", "#EXT-X-PLAYLIST-TYPE:VOD"]
    for number, (first, end) in enumerate(zip(begins, begins[1:])):
        name = f"{number:05d}.ts"
        (pathlib.Path(folder) / name).write_bytes(b"".join(packets[first:end]))
        lines += ["#EXTINF:1.0,", name]
    (pathlib.Path(folder) / "index.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]), encoding="ascii")


if __name__ == "__main__":
    main(*sys.argv[1:])
