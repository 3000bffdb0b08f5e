# SPDX-License-Identifier: LGPL-2.1-or-later
"""A host that does not see the stream. It knows addresses and ports, and can forge any source
address."""
import collections
import itertools
import os
import random
import threading
import time

import packets
from movie import Stream, Unexpected, wait_until
from network import ADDRESSES, ICMP_PORT, Forger, Tap, icmp_unreachable, udp, udp_socket
from single_packet import effect_since
from table import Effect, attack

WHO = "off path"
BOUND = "nothing missed"
ROUNDS = 100
OBSERVED_S = 10


class FalseSender:
    """Sends a stream of its own from the intruder's address until it is closed. answers: whether it
    answers challenges."""

    def __init__(self, port, answers=False, per_s=20):
        self.socket = udp_socket("intruder", port, 0.5 / per_s)
        self.target = (ADDRESSES["receiver"], port)
        self.answers, self.per_s = answers, per_s
        self.ssrc = packets.random_ssrc()
        self.changes_after = None  # after this number of packets: BYE, then a new SSRC
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        for seq in itertools.count(random.randrange(60000)):
            if self._ends.is_set():
                return
            try:
                if self.changes_after and seq % self.changes_after == 0:
                    self.socket.sendto(packets.bye(self.ssrc), self.target)
                    self.ssrc = packets.random_ssrc()
                self.socket.sendto(packets.data(seq, self.ssrc, time.monotonic()), self.target)
                self._listen(time.monotonic() + 1 / self.per_s)
            except ConnectionError:
                pass

    def _listen(self, until):
        while time.monotonic() < until:
            try:
                payload = self.socket.recv(2048)
            except TimeoutError:
                continue
            if self.answers and packets.is_challenge(payload):
                self.socket.sendto(packets.response(self.ssrc, payload), self.target)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()
        self.socket.close()


def from_the_start(stream):
    """Starts the true sender, and returns what a player misses of its movie from the beginning."""
    if not stream.receiver.is_running():
        return Effect("the whole movie: EOS before the sender came", False)
    start = time.monotonic()
    stream.start_sender().wait_for_playing()
    return effect_since(stream, start, OBSERVED_S, 0)


@attack("no attack, from the start of the movie", "nobody", BOUND)
def nothing(port):
    with Stream(port, send=False) as stream:
        return from_the_start(stream)


@attack("a packet to a waiting source", WHO, BOUND, with_keys=BOUND)
def one_packet(port):
    with Stream(port, send=False) as stream, udp_socket("intruder", port) as intruder:
        intruder.sendto(packets.data(1, packets.random_ssrc(), 0), stream.target)
        time.sleep(0.5)
        return from_the_start(stream)


@attack("a stream to a waiting source", WHO, BOUND, 22, with_keys=BOUND)
def stream_to_waiting(port):
    with Stream(port, send=False) as stream, FalseSender(port):
        time.sleep(5)
        return from_the_start(stream)


@attack("the same, from the sender's address", WHO, BOUND, 22, with_keys=BOUND)
def spoofed_stream_to_waiting(port):
    ssrc = packets.random_ssrc()
    with Stream(port, send=False) as stream, Forger("intruder") as forger:
        for seq in range(100):
            forger.send(stream.source, stream.target, packets.data(seq, ssrc, time.monotonic()))
            time.sleep(0.05)
        return from_the_start(stream)


@attack("two packets and BYE to a waiting source", WHO, BOUND, with_keys=BOUND)
def bye_to_waiting(port):
    ssrc = packets.random_ssrc()
    with Stream(port, send=False) as stream, udp_socket("intruder", port) as intruder:
        for packet in (*packets.two_in_sequence(packets.data(1, ssrc, 0)), packets.bye(ssrc)):
            intruder.sendto(packet, stream.target)
        time.sleep(1)
        return from_the_start(stream)


@attack("a stream that answers challenges, sender-address set", WHO, BOUND, 22, with_keys=BOUND)
def filtered(port):
    require_sender_address()
    with Stream(port, send=False, receiver_options=f"sender-address={ADDRESSES['sender']}") as stream, \
            FalseSender(port, answers=True):
        time.sleep(5)
        return from_the_start(stream)


def require_sender_address():
    with open(os.path.join(os.environ["ATTACKS_SCRATCH"], "tfrcsrc.txt")) as description:
        if "sender-address" not in description.read():
            raise Unexpected("tfrcsrc has no property sender-address")


@attack("a pause of 8 s, and a stream in it", WHO, "nothing missed from 5 s after it", 35, with_keys="nothing missed from 5 s after it")
def pause(port):
    return take_over(port, False)


@attack("the same, and it answers challenges", WHO, "nothing missed from 5 s after it", 35, with_keys="nothing missed from 5 s after it")
def pause_of_a_stream_with_an_address(port):
    return take_over(port, True)


def take_over(port, answers):
    with Stream(port) as stream:
        stream.sender.stop()
        time.sleep(1)
        with FalseSender(port, answers):
            time.sleep(7)
            stream.sender.go_on()
            time.sleep(5)
            return effect_since(stream, time.monotonic(), OBSERVED_S, 0)


@attack("2100 forged packets of eleven kinds", WHO, BOUND + ", all of them counted", 25, with_keys=BOUND + ", all of them counted")
def forgeries(port):
    """A host that does not see the stream can only guess. Packets that it replays were leaked long
    ago."""
    with Stream(port) as stream:
        with Tap("receiver", port) as to_receiver, Tap("sender", port) as to_sender:
            data = [payload for payload in itertools.islice(to_receiver.payloads(stream.source[0]), 50)
                    if packets.is_data(payload)]
            feedbacks = [payload for payload in itertools.islice(to_sender.payloads(stream.target[0]), 50)
                         if packets.is_feedback(payload)]
        stream.wait_for_packets(130)
        start = time.monotonic()
        with Forger("intruder") as forger:
            sent = send_forgeries(forger, stream, data, feedbacks)
        noticed(stream, sent)
        effect = effect_since(stream, start, worst=0)
        believed = [f"{field} {value}" for field, value in (
            ("migrations", stream.sender.number("migrations")),
            ("packets-lost", stream.sender.number("packets-lost"))) if value]
        if stream.sender.last("peer-address") != f"{stream.target[0]}:{port}":
            believed.append(f"sends to {stream.sender.last('peer-address')}")
        return Effect("; ".join([effect.text, *believed]), effect.ok and not believed)


def send_forgeries(forger, stream, data, feedbacks):
    sender, receiver, own = stream.source, stream.target, (ADDRESSES["intruder"], stream.port)
    sent = collections.Counter()

    def send(kind, source, target, payload):
        forger.send(source, target, payload)
        sent[kind, "sender" if target == sender else "receiver"] += 1

    for i in range(ROUNDS):
        feedback, packet = feedbacks[i % len(feedbacks)], data[i % len(data)]
        for source in (own, receiver):
            send("forged", source, sender, packets.with_random_ssrcs(packets.all_lost(feedback), 4, 8, 28 + 4))
            send("forged", source, sender, feedback)
            send("forged", source, sender, packets.bye(packets.random_ssrc()))
            send("forged", source, sender, packets.path_packet(packets.RESPONSE, feedback[4:8]))
        for source in (own, sender):
            for forged in packets.two_in_sequence(packets.with_random_ssrcs(packet, 8)):
                send("forged", source, receiver, forged)
            send("forged", source, receiver, packets.bye(packets.random_ssrc()))
            send("forged", source, receiver, packets.path_packet(packets.CHALLENGE, packets.random_ssrc()))
        send("leaked", sender, receiver, packets.path_packet(packets.CHALLENGE, packet[8:12]))
        send("forged", own, receiver, packet)
        send("duplicate", sender, receiver, packet)
        quoted, answer = udp(sender, receiver, packet), udp(receiver, sender, feedback)
        forger.send_ip(icmp_unreachable(receiver[0], quoted, ICMP_PORT))
        forger.send_ip(icmp_unreachable(sender[0], answer, ICMP_PORT))
        time.sleep(0.005)
    return sent


def noticed(stream, sent):
    """Waits until all forged packets have come and have been refused. One packet may still wait for
    its successor."""
    def counted(process, *fields):
        return sum(process.number(field) for field in fields)
    refused = ["foreign-packets", "malformed-packets",
               *(f"packets-refused-{reason}" for reason in ("authentication", "replay", "plaintext", "no-key"))]
    wait_until(20, lambda: counted(stream.sender, *refused, "feedback-refused") >= sent["forged", "sender"],
               "the sender to refuse all")
    wait_until(20, lambda: counted(stream.receiver, *refused) >= sent["forged", "receiver"] - 1,
               "the receiver to refuse all")
    wait_until(20, lambda: stream.sender.number("icmp-errors") >= 1, "an ICMP error at the sender")
