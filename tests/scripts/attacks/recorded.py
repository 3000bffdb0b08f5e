# SPDX-License-Identifier: LGPL-2.1-or-later
"""A host that has recorded a protected stream, with its key messages, and plays it again as its
sender, which has gone: to the receiver that has played it, to another one with the same keys, and to
one in the place of the first, as after a restart."""
import threading
import time

from modes import PASSPHRASE, RSA, RSA_R, by_passphrase, by_request, by_rsa
from movie import PACKETS_PER_S, RATE_BPS, Receiver, Stream, wait_until
from network import ADDRESSES, Forger, Repeat, Tap
from table import Effect, attack

WHO = "on path, many"
BOUND = "no packet played"
RECORDED_S = 4


class Record(threading.Thread):
    """What has come from one end, with its times, while the context lasts."""

    def __init__(self, tap, source="sender"):
        super().__init__(daemon=True)
        self.tap, self.source = tap, source
        self.packets = []  # (when, payload)

    def run(self):
        try:
            for payload in self.tap.payloads(ADDRESSES[self.source]):
                self.packets.append((time.monotonic(), payload))
        except OSError:  # the tap is closed, or nothing comes any more
            pass

    def play(self, source, target):
        start, first = time.monotonic(), self.packets[0][0]
        with Forger("router") as forger:
            for when, payload in self.packets:
                time.sleep(max(0.0, start + when - first - time.monotonic()))
                forger.send(source, target, payload)
        time.sleep(1.5)  # for a sender that would be played as it does not respond


def played(receiver, record, source, target):
    before = len(receiver.came)
    record.play(source, target)
    return len(receiver.came) - before


def play_again(port, sender_options, receiver_options):
    with Stream(port, sender_options, f"keep-listening=true {receiver_options}", send=False) as stream:
        with Tap("receiver", port) as tap:
            record = Record(tap)
            record.start()
            stream.start_sender()
            stream.wait_for_packets(int(RECORDED_S * RATE_BPS / 8 / 1316))
            stream.sender.kill()
            time.sleep(0.5)
        recorded, packets = len(record.packets), len(stream.receiver.came)
        same = played(stream.receiver, record, stream.source, stream.target)
        other = Receiver(port + 2, receiver_options)
        stream.receivers.append(other)
        other.wait_for_playing()
        another = played(other, record, stream.source, (stream.target[0], port + 2))
        stream.receivers[0].kill()
        restarted = stream.start_receiver()
        restarted.wait_for_playing()
        again = played(restarted, record, stream.source, stream.target)
    return Effect(f"{recorded} packets recorded, {packets} played; again: {same} by the same receiver, {another} by another, "
                  f"{again} by one that has restarted", packets > 0 and same == another == again == 0)


@attack("recorded stream plays again, passphrase", WHO, BOUND, 30, mode=PASSPHRASE)
def passphrase(port):
    return play_again(port, *by_passphrase())


@attack("recorded stream plays again, RSA", WHO, BOUND, 30, mode=RSA)
def rsa(port):
    return play_again(port, *by_rsa())


@attack("recorded stream plays again, RSA-R", WHO, BOUND, 30, mode=RSA_R)
def rsa_r(port):
    return play_again(port, *by_request())


def is_request(payload):
    return payload[:2] == b"\x84\xcc" and payload[8:12] == b"TFRC" and payload[16:18] != bytes(2)


@attack("recorded requests for keys, a sender that restarts", WHO, "the stream starts within 1 s", 30, mode=RSA_R)
def requests(port):
    """All requests of some seconds of re-keying come again, 200 a second, in the receiver's name."""
    sender_options, receiver_options = by_request()
    with Stream(port, f"{sender_options} rekey-interval=1", f"keep-listening=true {receiver_options}", send=False) as stream:
        with Tap("sender", port) as tap:
            record = Record(tap, "receiver")
            record.start()
            stream.start_sender()
            stream.wait_for_packets(int(5 * PACKETS_PER_S))
            stream.sender.kill()
        requests = [payload for _, payload in record.packets if is_request(payload)]
        with Tap("sender", port) as tap, Forger("router") as forger, \
                Repeat(lambda: [forger.send(stream.target, stream.source, payload) for payload in requests]):
            before = len(stream.receiver.came)
            stream.start_sender()
            next(payload for payload in tap.payloads(ADDRESSES["sender"]))
            first = time.monotonic()
            wait_until(40, lambda: len(stream.receiver.came) > before, "a packet of the movie")
            took = stream.receiver.came[before][0] - first
    return Effect(f"starts after {max(took, 0):.2f} s, {len(requests)} key packets recorded", took <= 1 and len(requests) >= 3)
