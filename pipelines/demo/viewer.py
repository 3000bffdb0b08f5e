# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a viewer sees of a movie: which pictures came in time, and how they look.

A player shows a picture a fixed time after it was due to leave. It is in time if all TS packets that
have a part of it came before that. The player decodes what came in time, and repeats the last
picture where there is none. A picture is shown as it was sent if it is in time and each of its
pixels is that of the movie, so that it needs no damaged picture either.
"""

import collections
import dataclasses
import itertools
import pathlib
import subprocess

import numpy

from tscompare import RTP_PACKET, TS_PACKET

PACKET = RTP_PACKET * TS_PACKET
TICKS = 90000  # of PTS in a second
WIDTH, HEIGHT = 640, 360


class Unusable(Exception):
    """The movie is not one that can be judged."""


@dataclasses.dataclass
class Picture:
    pts: int
    packets: set  # numbers of the packets of 1316 bytes with a part of it


def _payload(ts):
    """Where a TS packet's payload begins."""
    return 4 + (1 + ts[4] if ts[3] & 0x20 else 0)


def _pts(pes):
    """The PTS of a video packet that begins here; None if none does."""
    if pes[:3] != b"\0\0\1" or pes[3] & 0xF0 != 0xE0 or not pes[7] & 0x80:
        return None
    high, middle, low = pes[9], int.from_bytes(pes[10:12], "big"), int.from_bytes(pes[12:14], "big")
    return (high >> 1 & 7) << 30 | middle >> 1 << 15 | low >> 1


class Movie:
    """packets: 1316 bytes each, as they travel. pictures: in the order in which they are shown."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        self.packets = [data[at : at + PACKET] for at in range(0, len(data), PACKET)]
        self.video = None  # the PID
        pictures = []
        for at in range(0, len(data) - TS_PACKET + 1, TS_PACKET):
            ts = data[at : at + TS_PACKET]
            if ts[0] != 0x47:
                raise Unusable(f"{path} is not an MPEG transport stream")
            pid = int.from_bytes(ts[1:3], "big") & 0x1FFF
            if ts[1] & 0x40 and ts[3] & 0x10:
                pts = _pts(ts[_payload(ts) :])
                if pts is not None:
                    self.video = self.video or pid
                    if pid == self.video:
                        pictures.append(Picture(pts, set()))
            if pictures and pid == self.video:
                pictures[-1].packets.add(at // PACKET)
        if len(pictures) < 2:
            raise Unusable(f"{path} has no video with time stamps")
        self.pictures = sorted(pictures, key=lambda picture: picture.pts)
        steps = collections.Counter(b.pts - a.pts for a, b in zip(self.pictures, self.pictures[1:]))
        self.step = steps.most_common(1)[0][0]

    def time_s(self, number):
        """When the picture is due to leave, from the movie's beginning."""
        return (self.pictures[number].pts - self.pictures[0].pts) / TICKS


def arrivals(movie, received, log):
    """When each packet of the movie came: its number and a time in ns. received and log are what
    vod-receive wrote."""
    numbers = collections.defaultdict(list)
    for number, packet in enumerate(movie.packets):
        numbers[packet].append(number)
    data = pathlib.Path(received).read_bytes()
    times = [int(line.split(",")[0]) for line in pathlib.Path(log).read_text().splitlines()[1:]]
    came = {}
    for number, time_ns in enumerate(times):
        # Equal packets came in the order in which they were sent.
        same = numbers.get(data[number * PACKET : (number + 1) * PACKET])
        if same:
            came[same.pop(0) if len(same) > 1 else same[0]] = time_ns
    return came


def judge(movie, came, start_ns, buffer_s):
    """For each picture whether it came in time, and the numbers of the packets that a player can
    use."""
    due = [start_ns + int((movie.time_s(number) + buffer_s) * 1e9) for number in range(len(movie.pictures))]
    in_time = [all(came.get(packet, due_ns + 1) <= due_ns for packet in picture.packets)
               for picture, due_ns in zip(movie.pictures, due)]
    useful = [due[0]] * len(movie.packets)  # until when
    for picture, due_ns in zip(movie.pictures, due):
        for packet in picture.packets:
            useful[packet] = max(useful[packet], due_ns)
    # Packets without video, such as those of audio alone
    for packet in range(1, len(useful)):
        useful[packet] = max(useful[packet], useful[packet - 1])
    return in_time, {packet for packet, time_ns in came.items() if time_ns <= useful[packet]}


def _without_video(movie, packet):
    """The packet with its tables and clock reference, and nothing of a picture."""
    parts = []
    for at in range(0, len(packet), TS_PACKET):
        ts = packet[at : at + TS_PACKET]
        if int.from_bytes(ts[1:3], "big") & 0x1FFF == movie.video and ts[3] & 0x10:
            ts = ts[: _payload(ts)].ljust(TS_PACKET, b"\xff")
        parts.append(ts)
    return b"".join(parts)


def write_seen(movie, usable, path):
    """The stream that a player decodes. The tables at its beginning, with which the movie's time
    begins, are always there."""
    with open(path, "wb") as file:
        file.write(movie.packets[0] if 0 in usable else _without_video(movie, movie.packets[0]))
        for number in sorted(usable - {0}):
            file.write(movie.packets[number])


class Decoder:
    """The pictures of a stream, one for each step of the movie's time, as arrays."""

    def __init__(self, path, step):
        caps = f"video/x-raw,format=RGB,width={WIDTH},height={HEIGHT},pixel-aspect-ratio=1/1,framerate={TICKS}/{step}"
        self.process = subprocess.Popen(
            ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "tsdemux", "!", "h264parse", "!", "avdec_h264", "!",
             "videorate", "!", "videoscale", "!", "videoconvert", "!", caps, "!", "fdsink", "fd=1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def next(self):
        """None after the last picture."""
        data = self.process.stdout.read(WIDTH * HEIGHT * 3)
        return numpy.frombuffer(data, numpy.uint8).reshape(HEIGHT, WIDTH, 3) if len(data) == WIDTH * HEIGHT * 3 else None

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def _difference(pictures):
    """How much pictures differ from each other: the mean square difference of two, in every fourth
    pixel's green, summed over all pairs."""
    samples = [picture[::2, ::2, 1].astype(numpy.int32) for picture in pictures if picture is not None]
    return sum(float(numpy.square(a - b).mean()) for a, b in itertools.combinations(samples, 2))


@dataclasses.dataclass
class Moment:
    """A picture of the movie as each stream shows it."""

    number: int
    seen: list
    difference: float


def look(movie, movie_path, seen_paths):
    """Decodes the movie and the streams side by side: for each stream which pictures equal the
    movie's, and the moment in which the streams differ most from each other."""
    decoders = [Decoder(path, movie.step) for path in (movie_path, *seen_paths)]
    equal = [[] for _ in seen_paths]
    moment = None
    try:
        for number in range(len(movie.pictures)):
            sent, *seen = [decoder.next() for decoder in decoders]
            if sent is None:
                break
            for same, picture in zip(equal, seen):
                same.append(picture is not None and numpy.array_equal(sent, picture))
            difference = _difference(seen)
            if moment is None or difference > moment.difference:
                moment = Moment(number, seen, difference)
    finally:
        for decoder in decoders:
            decoder.close()
    missing = len(movie.pictures) - len(equal[0])
    return [same + [False] * missing for same in equal], moment
