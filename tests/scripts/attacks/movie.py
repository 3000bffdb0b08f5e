# SPDX-License-Identifier: LGPL-2.1-or-later
"""A movie of constant rate that tfrcsink sends to tfrcsrc, and the packets that its player misses.

Each packet of 1316 bytes has a number and is due at a time of its own. A player has a buffer of
BUFFER_S. It misses a packet that comes later than that, or was lost, or has never been sent."""
import os
import re
import signal
import struct
import subprocess
import threading
import time

import modes
from network import ADDRESSES, namespace
from packets import FALSE_NUMBER, TS_PACKET

PACKET_BYTES = 1316
RATE_BPS = 640_000
PACKETS_PER_S = RATE_BPS / 8 / PACKET_BYTES
BUFFER_S = 1.0
LENGTH_S = 200
STATS_MS = 100

_scratch = os.environ.get("ATTACKS_SCRATCH", ".")
_processes = set()


def scratch():
    """A directory of this run."""
    return _scratch


class Unexpected(Exception):
    """The attack could not be measured."""


def wait_until(seconds, condition, what):
    """Polls the condition. The limit only ends a wait that would last for ever."""
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise Unexpected(f"waited {seconds} s for {what}")
        time.sleep(0.05)


def make_movie():
    """Writes the file of numbered null packets from which movies of any rate are made."""
    with open(os.path.join(_scratch, "movie.ts"), "wb") as out:
        for number in range(int(4 * LENGTH_S * PACKETS_PER_S)):
            out.write(TS_PACKET[:4] + struct.pack("!I", number) + bytes(180) + TS_PACKET * 6)


class Program:
    """A program on a host. A log has what it prints."""

    _count = 0

    def __init__(self, host, command, pass_fds=()):
        Program._count += 1
        self.log = os.path.join(_scratch, f"{Program._count}-{host}.log")
        with open(self.log, "wb") as out:
            self.popen = subprocess.Popen(["ip", "netns", "exec", namespace(host), *command],
                                          stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, pass_fds=pass_fds)
        _processes.add(self)

    def text(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def is_running(self):
        return self.popen.poll() is None

    def stop(self):
        self.popen.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.popen.send_signal(signal.SIGCONT)

    def kill(self):
        """Ends the program at once, without a BYE to the peer."""
        if self.is_running():
            self.popen.kill()
        self.popen.wait()
        _processes.discard(self)


class Process(Program):
    """A gst-launch-1.0 with its messages."""

    def __init__(self, host, pipeline, pass_fds=()):
        super().__init__(host, ["gst-launch-1.0", "-m", *pipeline.split()], pass_fds)

    def wait_for_playing(self):
        wait_until(30, lambda: "PLAYING" in self.text() or not self.is_running(), "a pipeline to play")
        if not self.is_running():
            raise Unexpected(f"gst-launch: {self.text()[-300:]}")

    def all_of(self, field):
        """All values of a field of the statistics, oldest first, as text."""
        return re.findall(rf"-stats.*? {field}=\([a-z0-9]*\)([^,;]*)", self.text())

    def last(self, field):
        values = self.all_of(field)
        if not values:
            raise Unexpected(f"no {field} in the statistics")
        return values[-1].strip('"')

    def number(self, field):
        """The newest value of a field; 0 before there are statistics."""
        values = self.all_of(field)
        return float(values[-1]) if values else 0.0

    def messages(self):
        """The number of messages on the bus, without the statistics that the test has requested."""
        return len(re.findall(r"^Got message #(?!.*tfrc-stats)", self.text(), re.M))


def process_ids():
    return [process.popen.pid for process in list(_processes)]


def kill_all():
    for process in list(_processes):
        process.kill()


def sender(port, options="", target_port=None, rate_bps=RATE_BPS):
    """A tfrcsink that sends the movie in real time from `port` to the receiver's host. With rate 0
    it sends as fast as it may."""
    pace = f"identity single-segment=true datarate={rate_bps // 8} !" if rate_bps else ""
    sync = "" if rate_bps else "sync=false"
    return Process("sender", f"filesrc location={_scratch}/movie.ts blocksize={PACKET_BYTES} ! {pace} tfrcsink {sync} "
                   f"host={ADDRESSES['receiver']} port={target_port or port} bind-address={ADDRESSES['sender']} "
                   f"bind-port={port} stats-update-interval={STATS_MS} {modes.sender_options()} {options}")


class Receiver(Process):
    """A tfrcsrc, and the time at which each packet of the movie came out of it."""

    def __init__(self, port, options=""):
        output, pipe = os.pipe()
        super().__init__("receiver", f"tfrcsrc port={port} stats-update-interval={STATS_MS} "
                         f"{modes.receiver_options()} {options} ! fdsink fd={pipe} sync=false", (pipe,))
        os.close(pipe)
        self.port = port
        self.came = []  # (when, number)
        self.false = 0  # packets that are not the movie's
        threading.Thread(target=self._read, args=(output,), daemon=True).start()

    def _read(self, output):
        rest = b""
        with os.fdopen(output, "rb", buffering=0) as movie:
            while chunk := movie.read(65536):
                now = time.monotonic()
                rest += chunk
                while len(rest) >= PACKET_BYTES:
                    number, = struct.unpack("!I", rest[4:8])
                    if number == FALSE_NUMBER:
                        self.false += 1
                    else:
                        self.came.append((now, number))
                    rest = rest[PACKET_BYTES:]


class Stream:
    """A movie from tfrcsink to tfrcsrc. Either end may be started later, and restarted."""

    def __init__(self, port, sender_options="allow-migration=always", receiver_options="", receiver=True, send=True):
        self.port = port
        self.sender_options, self.receiver_options = sender_options, receiver_options
        self.receivers, self.sender = [], None
        if receiver:
            self.start_receiver().wait_for_playing()
        if send:
            self.start_sender()
            if receiver:
                self.wait_for_packets(60)

    @property
    def receiver(self):
        return self.receivers[-1]

    @property
    def source(self):
        return ADDRESSES["sender"], self.port

    @property
    def target(self):
        return ADDRESSES["receiver"], self.port

    def start_receiver(self):
        self.receivers.append(Receiver(self.port, self.receiver_options))
        return self.receiver

    def start_sender(self, port=None):
        self.sender = sender(port or self.port, self.sender_options, self.port)
        return self.sender

    def came(self):
        return [packet for receiver in self.receivers for packet in receiver.came]

    def wait_for_packets(self, packets):
        """Waits until this number of further packets has come. Returns the time that this took."""
        start, wanted = time.monotonic(), len(self.receiver.came) + packets
        wait_until(40, lambda: len(self.receiver.came) >= wanted, f"{packets} packets of the movie")
        return time.monotonic() - start

    def missed(self, since, until=None, receivers=None):
        """The number of packets due between two times that a player has missed, and how long after
        `since` the last of them was due."""
        came = [packet for receiver in receivers or self.receivers for packet in receiver.came]
        if not came:
            return int((time.monotonic() - since) * PACKETS_PER_S), time.monotonic() - since
        until = until or time.monotonic() - BUFFER_S - 0.5
        start = min(when - number / PACKETS_PER_S for when, number in came)
        in_time = {number for when, number in came if when - start - number / PACKETS_PER_S <= BUFFER_S}
        due = range(max(0, int((since - start) * PACKETS_PER_S)), int((until - start) * PACKETS_PER_S))
        missed = [number for number in due if number not in in_time]
        return len(missed), missed[-1] / PACKETS_PER_S + start - since if missed else 0.0

    def close(self):
        for process in (self.sender, *self.receivers):
            if process:
                process.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
