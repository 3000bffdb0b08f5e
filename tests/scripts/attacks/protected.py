# SPDX-License-Identifier: LGPL-2.1-or-later
"""Attacks on a stream with keys, by hosts without the keys that see every packet and
send as many as they like. The same packets, if only one of each, are in single_packet.py for a
stream without keys."""
import os
import random
import subprocess
import threading
import time

import modes
import packets
from movie import Stream
from network import ADDRESSES, Forger, Repeat, Tap, udp_overflows, udp_socket
from recorded import Record
from single_packet import effect_since
from table import Effect, attack

WHO = "on path, many"
BOUND = "nothing missed"
STARTS = "the stream starts within 1 s"
FLOOD_PER_S = int(os.environ.get("ATTACKS_FLOOD_PER_S", "100000"))
FLOODER = os.environ.get("ATTACKS_FLOODER", "key-flood")
OBSERVED_S = 5
CSB_ID_AT = 24  # in a key packet whose message begins there


def attack_with_keys(name, who, bound, lasts_s=15):
    return attack(name, who, None, lasts_s, with_keys=bound, always=(modes.PASSPHRASE,))


def protected(port, sender_options="", **options):
    return Stream(port, sender_options, **options)


def is_key_packet(payload):
    return payload[:2] == b"\x84\xcc" and payload[8:12] == b"TFRC"


def refused(stream):
    names = ("authentication", "replay", "plaintext", "no-key")
    return sum(end.number(f"packets-refused-{name}") for end in (stream.sender, stream.receiver) for name in names)


def effect_of_many(stream, send):
    start = time.monotonic()
    with Repeat(send) as repeat:
        effect = effect_since(stream, start, OBSERVED_S, worst=0)
    return Effect(f"{effect.text}, {refused(stream):.0f} packets refused", effect.ok and repeat.calls > 0)


def inject(port, to, change):
    """Sends a changed copy of the newest packet to one end, from the other end's address."""
    with protected(port) as stream, Tap(to, port) as tap, Forger("router") as forger:
        ends = (stream.source, stream.target) if to == "receiver" else (stream.target, stream.source)
        seen = tap.fresh(ends[0][0], lambda payload: len(payload) > 28 and not is_key_packet(payload))
        return effect_of_many(stream, lambda: forger.send(*ends, change(seen)))


def one_bit(payload):
    changed = bytearray(payload)
    changed[random.randrange(8, len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


@attack_with_keys("protected: no attack", "nobody", BOUND)
def nothing(port):
    with protected(port) as stream:
        return effect_since(stream, time.monotonic(), worst=0)


@attack_with_keys("protected: data with a changed bit", WHO, BOUND)
def changed_data(port):
    return inject(port, "receiver", one_bit)


@attack_with_keys("protected: data further on", WHO, BOUND)
def data_ahead(port):
    return inject(port, "receiver", lambda seen: packets.changed_data(seen, seq_by=random.randrange(1, 30000)))


@attack_with_keys("protected: feedback with a changed bit", WHO, BOUND)
def changed_feedback(port):
    return inject(port, "sender", one_bit)


@attack_with_keys("protected: plain data, feedback and BYE", WHO, BOUND)
def plaintext(port):
    with protected(port) as stream, Tap("receiver", port) as tap, Tap("sender", port) as back, Forger("router") as forger:
        sender = packets.ssrc_of_data(tap.fresh(ADDRESSES["sender"], packets.is_data))
        receiver = back.fresh(ADDRESSES["receiver"], packets.is_feedback)[4:8]
        lost = {"t_recvdata": 0, "t_delay": 0, "x_recv": 1, "p": 1, "seq": 0, "lost": 0, "events": 1, "number": 2 ** 30, "flags": 0}

        def send():
            forger.send(stream.source, stream.target, packets.data(random.randrange(65536), sender, time.time()))
            forger.send(stream.source, stream.target, packets.bye(sender))
            forger.send(stream.target, stream.source, packets.bye(receiver))
            forger.send(stream.target, stream.source, packets.feedback(receiver, sender, lost))
        return effect_of_many(stream, send)


@attack_with_keys("protected: copies of every packet, from elsewhere", WHO, BOUND)
def copies(port):
    """The copies of the packets come twice, from the intruder's address."""
    ended = threading.Event()
    with protected(port) as stream, Tap("receiver", port) as tap, udp_socket("intruder", port) as intruder:
        def copy():
            for packet in tap.packets():
                if ended.is_set():
                    return
                target = stream.target if packet[12:16] == bytes(map(int, ADDRESSES["sender"].split("."))) else stream.source
                for _ in range(2):
                    intruder.sendto(packet[28:], target)
        thread = threading.Thread(target=copy, daemon=True)
        thread.start()
        effect = effect_since(stream, time.monotonic(), OBSERVED_S, worst=0)
        ended.set()
        thread.join()
        moved = stream.sender.number("migrations")
    return Effect(f"{effect.text}, {moved:.0f} migrations", effect.ok and moved == 0)


class Flood:
    """Copies of a packet from random addresses, until the context ends. random_at: where each copy has random bytes,
    instead of the CSB ID of a key packet."""

    def __init__(self, target, packet, random_at=CSB_ID_AT):
        with Forger("router") as forger:
            raw = forger.socket.fileno()
            self.popen = subprocess.Popen(
                [FLOODER, str(raw), target[0], str(target[1]), str(FLOOD_PER_S), str(random_at)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(raw,))
        self.popen.stdin.write(packet)
        self.popen.stdin.close()
        self.sent, self.per_s = 0, 0.0  # what has been reached

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.popen.terminate()
        self.popen.wait()
        said = self.popen.stdout.read().split()
        self.popen.stdout.close()
        if said:
            self.sent = int(said[0])
            self.per_s = self.sent / float(said[1])


@attack_with_keys("protected: key messages, new keys every second", WHO, "nothing missed, no new keys failed", 1)
def key_messages(port):
    with protected(port, sender_options="rekey-interval=1", send=False) as stream:
        with Tap("receiver", port) as tap:
            stream.start_sender()
            offer = next(payload for payload in tap.payloads(ADDRESSES["sender"]) if is_key_packet(payload))
        stream.wait_for_packets(60)
        before, overflows = stream.receiver.number("rekeyings"), udp_overflows("receiver")
        with Flood(stream.target, offer) as flood:
            effect = effect_since(stream, time.monotonic(), OBSERVED_S, worst=0)
        overflows = udp_overflows("receiver") - overflows
        rekeyings = stream.receiver.number("rekeyings") - before
        failed = stream.sender.text().count("rekey-failed")
    return Effect(f"{effect.text}, {flood.per_s:.0f} messages a second, {overflows} did not fit into the socket, "
                  f"{rekeyings:.0f} new keys, {failed} failed",
                  effect.ok and flood.per_s > 0 and rekeyings >= 3 and failed == 0)


def empty_key_packet(ssrc):
    """It asks a sender for the keys of its stream."""
    return b"\x84\xcc\x00\x04" + ssrc + b"TFRC" + bytes(8)


@attack("protected: requests for keys in the receiver's name", "off path, a flood", None,
        with_keys="nothing missed, no offer in the clear", always=(modes.PASSPHRASE,))
def requests_for_keys(port):
    with protected(port) as stream, Tap("sender", port) as tap, Forger("router") as forger:
        record = Record(tap)
        record.start()
        effect = effect_of_many(stream, lambda: forger.send(stream.target, stream.source, empty_key_packet(packets.random_ssrc())))
        rekeyings = stream.receiver.number("rekeyings")
        clear = sum(is_key_packet(payload) for _, payload in list(record.packets))
    return Effect(f"{effect.text}, {clear} key packets in the clear, {rekeyings:.0f} new keys",
                  effect.ok and clear == 0 and bool(record.packets) and rekeyings >= 2)


def offer_of(mode, port):
    """The first key packet of a sender with keys of another mode: a whole offer."""
    with modes.mode(mode), protected(port, send=False) as stream, Tap("sender", port) as tap:
        stream.start_sender()
        return next(payload for payload in tap.payloads(ADDRESSES["sender"]) if is_key_packet(payload))


def time_of_start(stream):
    """The time from the sender's first key packet to the first packet of the movie."""
    with Tap("sender", stream.target[1]) as tap:
        stream.start_sender()
        next(payload for payload in tap.payloads(ADDRESSES["sender"]) if is_key_packet(payload))
        first = time.monotonic()
    stream.wait_for_packets(1)
    return stream.receiver.came[0][0] - first


def start_under_flood(port, mode):
    """A late start is measured again, three times at most, where more than a twentieth did not fit into the socket: other
    programs had the processor then."""
    offer = offer_of(mode, port + 2)
    for _ in range(3):
        overflows = udp_overflows("receiver")
        with protected(port, send=False) as stream, Flood(stream.target, offer) as flood:
            time.sleep(0.5)
            took = time_of_start(stream)
        overflows = udp_overflows("receiver") - overflows
        if took <= 1 or overflows * 20 <= flood.sent:
            break
    return Effect(f"starts after {max(took, 0):.2f} s, {flood.per_s:.0f} messages a second, {overflows} did not fit into the socket",
                  took <= 1 and flood.per_s > 0)


@attack("protected: start by RSA, offers by passphrases", "off path, a flood", None, with_keys=STARTS, keyed=(modes.RSA,), always=(modes.RSA,))
def offers_by_passphrase(port):
    return start_under_flood(port, modes.PASSPHRASE)


@attack("protected: start by a passphrase, offers by RSA", "off path, a flood", None, with_keys=STARTS, keyed=(modes.PASSPHRASE,),
        always=(modes.PASSPHRASE,))
def offers_by_rsa(port):
    return start_under_flood(port, modes.RSA)


@attack("protected: start, key messages of the same kind", "off path, a flood", None, with_keys=STARTS, always=(modes.PASSPHRASE,))
def messages_of_the_same_kind(port):
    return start_under_flood(port, modes.current())


def request_of(port):
    """The first packet of a receiver's request."""
    with protected(port, send=False) as stream, Tap("receiver", port) as tap:
        stream.start_sender()
        return next(payload for payload in tap.payloads(ADDRESSES["receiver"]) if is_key_packet(payload) and payload[16:18] != b"\0\0")


@attack("protected: the receiver starts 1 s late, requests with its address", "off path, a flood", None, 20,
        with_keys="the stream starts within 3 s of its receiver", keyed=(modes.RSA_R,))
def requests_of_the_receiver(port):
    """The sender asks every 2 s at least."""
    request = request_of(port + 2)
    with protected(port, receiver=False) as stream, Forger("router") as forger:
        def send():
            """Another request each time, and no cookie of this sender."""
            forger.send(stream.target, stream.source, request[:12] + os.urandom(4) + request[16:-4] + os.urandom(4))
        with Repeat(send) as repeat:
            time.sleep(1)
            stream.start_receiver().wait_for_playing()
            start = time.monotonic()
            stream.wait_for_packets(1)
            took = stream.receiver.came[0][0] - start
    return Effect(f"starts after {max(took, 0):.1f} s, {repeat.calls} requests", took <= 3 and repeat.calls > 0)
