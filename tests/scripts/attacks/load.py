# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traffic and work that others cause: bytes answered, and messages on the bus."""
import contextlib
import itertools
import time

import modes
import packets
from movie import Stream, sender, wait_until
from network import Tap, udp_socket
from off_path import FalseSender
from peer import Peer
from single_packet import effect_since
from table import Effect, attack

REQUESTS = 300
MESSAGES_PER_S = 20
SECONDS = 5
BOUND = f"{MESSAGES_PER_S} messages a second"


def amplification(port, request, own_stream=True, every_s=0.005):
    """A host asks again and again, and answers nothing. It may have a stream of its own.
    request(ssrc) returns a packet."""
    ssrc = packets.random_ssrc()
    sent, answers = [], []
    with Stream(port, send=False) as stream, udp_socket("intruder", port, 0.002) as intruder:
        def send(packet):
            intruder.sendto(packet, stream.target)
            sent.append(len(packet))
            until = time.monotonic() + every_s
            while time.monotonic() < until:
                with contextlib.suppress(TimeoutError):
                    answers.append(len(intruder.recv(2048)))

        for packet in packets.two_in_sequence(packets.data(1, ssrc, 0, ts_packets=1)) if own_stream else ():
            send(packet)
        for _ in range(REQUESTS):
            send(request(ssrc))
        time.sleep(0.5)
        send(packets.empty_report(ssrc))
    return ratio(sent, answers)


def ratio(sent, answers):
    """Compares the answers to a host with the packets that the host has sent, in bytes and in
    packets. Both arguments are lists of the bytes of each packet."""
    bytes_ratio, packets_ratio = sum(answers) / sum(sent), len(answers) / len(sent)
    return Effect(f"{bytes_ratio:.2f} x the bytes, {packets_ratio:.2f} x the packets",
                  bytes_ratio <= 1 and packets_ratio <= 1, max(bytes_ratio, packets_ratio))


@attack("20-byte challenges", "off path", "answered with 1 x bytes and packets", with_keys="answered with 1 x bytes and packets")
def challenges(port):
    return amplification(port, lambda ssrc: packets.path_packet(packets.CHALLENGE, ssrc))


@attack("sender reports alone", "off path", "answered with 1 x bytes and packets", with_keys="answered with 1 x bytes and packets")
def sender_reports(port):
    return amplification(port, lambda ssrc: packets.sender_report(ssrc, time.time()))


@attack("sender reports to a waiting source", "off path", "answered with 1 x bytes and packets", with_keys="answered with 1 x bytes and packets")
def sender_reports_first(port):
    return amplification(port, lambda ssrc: packets.sender_report(ssrc, time.time()), False)


@attack("data with gaps", "off path", "answered with 1 x bytes and packets", 25, with_keys="answered with 1 x bytes and packets")
def gaps(port):
    """Each packet shows that another one is missing, and leaves time for more than one request and for feedback."""
    numbers = itertools.count(4, 2)
    return amplification(port, lambda ssrc: packets.data(next(numbers), ssrc, time.monotonic(), ts_packets=1), every_s=0.05)


@attack("plain RTP with gaps, and sender reports", "off path", "answered with 1 x bytes and packets",
        with_keys="answered with 1 x bytes and packets")
def plain_gaps(port):
    numbers = itertools.count(4)

    def request(ssrc):
        number = next(numbers)
        return packets.plain_data(2 * number, ssrc) if number % 2 else packets.sender_report(ssrc, time.time())
    return amplification(port, request, False)


@attack("copied feedback of an address that does not answer", "on path", "1 x bytes and packets; nothing missed", 20,
        with_keys="1 x bytes and packets; nothing missed")
def feedback_elsewhere(port):
    """The sender lets its receiver move. The intruder copies feedback with a higher number than the
    receiver's, so that the receiver's own next feedback seems late."""
    sent, answers = [], []
    with Stream(port) as stream, Tap("sender", port) as tap, udp_socket("intruder", port, 0.002) as intruder:
        start = time.monotonic()
        for _ in range(3):
            feedback = tap.fresh(stream.target[0], packets.is_feedback)
            feedback = packets.changed_feedback(feedback, number_by=1)
            intruder.sendto(feedback, stream.source)
            sent.append(len(feedback))
            until = time.monotonic() + 1.5
            while time.monotonic() < until:
                with contextlib.suppress(TimeoutError):
                    answers.append(len(intruder.recv(2048)))
        missed = effect_since(stream, start, worst=0)
    effect = ratio(sent, answers)
    return Effect(f"{effect.text}; {missed.text}", effect.ok and missed.ok)


def messages_per_s(process):
    time.sleep(0.5)
    before = process.messages()
    time.sleep(SECONDS)
    rate = (process.messages() - before) / SECONDS
    return Effect(f"{rate:.0f} messages a second, {process.number('messages-dropped'):.0f} left out", rate <= MESSAGES_PER_S,
                  rate / MESSAGES_PER_S)


def messages_of(port, on_tick):
    """The rate of messages of a sender whose receiver calls on_tick at each tick."""
    peer = Peer(port, delay_s=0.02)
    process = sender(port)
    try:
        wait_until(40, lambda: len(peer.got) > 60, "data")
        peer.on_tick = on_tick
        return messages_per_s(process)
    finally:
        peer.close()
        process.kill()


@attack("BYE and feedback in turns", "receiver", BOUND, with_keys=BOUND, keyed=modes.OF_PEER)
def bye_and_feedback(port):
    def tick(peer):
        peer.send(packets.bye(peer.ssrc))
        peer.send_feedback()
    return messages_of(port, tick)


@attack("HOn on and off", "receiver", BOUND, with_keys=BOUND, keyed=modes.OF_PEER)
def handover_on_and_off(port):
    numbers = itertools.count()

    def lie(fields, _):
        number = next(numbers)
        fields["flags"] = packets.HANDOVER | number // 2 % 4 << 4 if number % 2 else 0

    def tick(peer):
        peer.lie = lie
        peer.send_feedback()
    return messages_of(port, tick)


@attack("new senders, keep-listening", "off path", BOUND, with_keys=BOUND)
def new_senders(port):
    """New senders, one after the other. Each answers challenges, sends a few packets, and says
    BYE."""
    with Stream(port, send=False, receiver_options="keep-listening=true") as stream, \
            FalseSender(port, answers=True, per_s=1000) as intruder:
        intruder.changes_after = 3
        return messages_per_s(stream.receiver)
