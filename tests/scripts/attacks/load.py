"""Traffic and work that others cause: bytes answered, and messages on the bus."""
import contextlib
import itertools
import time

import packets
from movie import Stream, sender, wait_until
from network import udp_socket
from off_path import FalseSender
from peer import Peer
from table import Effect, attack

REQUESTS = 300
MESSAGES_PER_S = 20
SECONDS = 5
BOUND = f"{MESSAGES_PER_S} messages a second"


def amplification(port, request):
    """A host that has a stream of its own, and answers nothing, asks again and again. request(ssrc) is a packet."""
    ssrc = packets.random_ssrc()
    sent, answers = [], []
    with Stream(port, send=False) as stream, udp_socket("intruder", port, 0.002) as intruder:
        def send(packet):
            intruder.sendto(packet, stream.target)
            sent.append(len(packet))
            until = time.monotonic() + 0.005
            while time.monotonic() < until:
                with contextlib.suppress(TimeoutError):
                    answers.append(len(intruder.recv(2048)))

        for packet in packets.two_in_sequence(packets.data(1, ssrc, 0, ts_packets=1)):
            send(packet)
        for _ in range(REQUESTS):
            send(request(ssrc))
        time.sleep(0.5)
        send(packets.empty_report(ssrc))
    bytes_ratio, packets_ratio = sum(answers) / sum(sent), len(answers) / len(sent)
    return Effect(f"{bytes_ratio:.2f} x the bytes, {packets_ratio:.2f} x the packets",
                  bytes_ratio <= 1 and packets_ratio <= 1)


@attack("20-byte challenges", "off path", "answered with 1 x bytes and packets")
def challenges(port):
    return amplification(port, lambda ssrc: packets.path_packet(packets.CHALLENGE, ssrc))


@attack("sender reports alone", "off path", "answered with 1 x bytes and packets")
def sender_reports(port):
    return amplification(port, lambda ssrc: packets.sender_report(ssrc, time.time()))


def messages_per_s(process):
    time.sleep(0.5)
    before = process.messages()
    time.sleep(SECONDS)
    rate = (process.messages() - before) / SECONDS
    return Effect(f"{rate:.0f} messages a second", rate <= MESSAGES_PER_S)


def messages_of(port, on_tick):
    """Of a sender whose receiver does that at each tick."""
    peer = Peer(port, delay_s=0.02)
    process = sender(port)
    try:
        wait_until(40, lambda: len(peer.got) > 60, "data")
        peer.on_tick = on_tick
        return messages_per_s(process)
    finally:
        peer.close()
        process.kill()


@attack("BYE and feedback in turns", "receiver", BOUND)
def bye_and_feedback(port):
    def tick(peer):
        peer.send(packets.bye(peer.ssrc))
        peer.send_feedback()
    return messages_of(port, tick)


@attack("HOn on and off", "receiver", BOUND)
def handover_on_and_off(port):
    numbers = itertools.count()

    def lie(fields, _):
        number = next(numbers)
        fields["flags"] = packets.HANDOVER | number // 2 % 4 << 4 if number % 2 else 0

    def tick(peer):
        peer.lie = lie
        peer.send_feedback()
    return messages_of(port, tick)


@attack("new senders, keep-listening", "off path", BOUND)
def new_senders(port):
    """Each proves its address if it is asked to, sends a few packets, and says BYE."""
    with Stream(port, send=False, receiver_options="keep-listening=true") as stream, \
            FalseSender(port, answers=True, per_s=1000) as intruder:
        intruder.changes_after = 3
        return messages_per_s(stream.receiver)
