# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ends that start late, go away and come back. There is no attack; the movie has to play soon."""
import time

from movie import Stream, wait_until
from network import ADDRESSES
from off_path import require_sender_address
from table import Effect, attack

WHO = "nobody"
LATE_S = 5.0  # 4 s and two round-trip times, and the start of a program on a busy machine
BOUND = f"first data within {LATE_S:.0f} s"


def first_data(stream, process, bound_s=LATE_S):
    """The time from when a new process is playing until a packet comes out of the receiver."""
    before = len(stream.receiver.came)
    process.wait_for_playing()
    start = time.monotonic()
    wait_until(40, lambda: len(stream.receiver.came) > before, "data")
    took = max(stream.receiver.came[before][0] - start, 0)
    return Effect(f"first data after {took:.1f} s", took <= bound_s)


def late(port, seconds):
    with Stream(port, sender_options="", receiver=False) as stream:
        stream.sender.wait_for_playing()
        time.sleep(seconds)
        return first_data(stream, stream.start_receiver())


@attack("the receiver starts 10 s after the sender", WHO, BOUND, 20)
def ten_seconds(port):
    return late(port, 10)


@attack("the receiver starts 30 s after the sender", WHO, BOUND, 45)
def thirty_seconds(port):
    return late(port, 30)


@attack("the same after 10 s, sender-address set", WHO, "first data within 1 s", 20)
def hello(port):
    require_sender_address()
    options = f"sender-address={ADDRESSES['sender']}:{port}"
    with Stream(port, sender_options="", receiver_options=options, receiver=False) as stream:
        stream.sender.wait_for_playing()
        time.sleep(10)
        return first_data(stream, stream.start_receiver(), 1.0)


@attack("the receiver is killed, and replaced 10 s later", WHO, BOUND, 25)
def receiver_replaced(port):
    with Stream(port, sender_options="") as stream:
        stream.receiver.kill()
        time.sleep(10)
        return first_data(stream, stream.start_receiver())


@attack("the sender is killed, and back on another port", WHO, BOUND, 25)
def sender_replaced(port):
    with Stream(port, sender_options="") as stream:
        stream.sender.kill()
        return first_data(stream, stream.start_sender(port + 1))


@attack("the receiver stands still for 8 s", WHO, "nothing missed from 6 s after it", 30)
def receiver_stalls(port):
    with Stream(port, sender_options="") as stream:
        stream.receiver.stop()
        time.sleep(8)
        stream.receiver.go_on()
        start = time.monotonic()
        time.sleep(12)
        missed, last_s = stream.missed(start, start + 10)
        return Effect(f"the last missed {last_s:.1f} s after it" if missed else "nothing missed after it", last_s <= 6)
