# SPDX-License-Identifier: LGPL-2.1-or-later
"""Requests (generic NACK) and repairs: forged, copied, many at once, and of a receiver that asks for all."""
import collections
import itertools
import struct
import threading
import time

import modes
import off_path
import packets
import single_packet
from movie import PACKETS_PER_S, Stream, Unexpected, sender, wait_until
from network import ADDRESSES, PER_S, Forger, Repeat, Tap
from peer import DELAY_S, Peer, equation
from protected import Flood
from rate import FAST, HOLD_S, MOVIE, P, SIGNS_OF_LIFE, SLACK, Losses, Lying, against_signs_of_life, against_the_movie, \
    attack_by_receiver
from single_packet import effect_since, newest_data
from table import Effect, attack

OBSERVED_S = 5
NUMBERS = 16 * 17     # that one NACK can name
FREE, SHARE = 16, 0.25  # docs/decisions/repair.md, "What a receiver may cause"
AGAIN_S = 0.5 * DELAY_S  # repairs of a packet are R apart; the host's load moves them a little
UNHEARD = "nothing missed, nothing repaired"
UNPLAYED = "nothing missed, no false packet played"
ONE_EACH = "one repair a packet"
ONE_AN_R = "one repair a packet and R"
ALL = f"{FREE} repairs, one for each R, one a packet and R; 0.9 x the movie"
WITH_LOSSES = "1.5 x the equation, of which 16 packets and a quarter are repairs"


class Seen:
    """What a host can have seen of a stream: SSRCs, and the newest number, which it can count on."""

    def __init__(self, stream):
        port = stream.port
        with Tap("receiver", port) as to_receiver, Tap("sender", port) as to_sender:
            self.data = newest_data(to_receiver)
            self.when = time.monotonic()
            self.media = packets.ssrc_of_data(self.data)
            self.receiver = to_sender.fresh(ADDRESSES["receiver"], packets.is_feedback)[4:8]

    def newest(self):
        return packets.sequence_number(self.data) + int((time.monotonic() - self.when) * PACKETS_PER_S)

    def all_numbers(self):
        """As many numbers as one NACK has, up to the newest one."""
        newest = self.newest()
        return [number % 65536 for number in range(newest - NUMBERS + 1, newest + 1)]

    def nack(self, receiver=None, media=None):
        return packets.nack(receiver or self.receiver, media or self.media, self.all_numbers())


def repaired_in_vain(stream):
    """Repairs that the receiver has not asked for."""
    return max(0, int(stream.sender.number("packets-repaired") - stream.receiver.number("repair-requests")))


def unheard(stream):
    effect = effect_since(stream, time.monotonic(), OBSERVED_S, worst=0)
    repaired = repaired_in_vain(stream)
    return Effect(f"{effect.text}, {repaired} repairs", effect.ok and repaired == 0, max(effect.share, repaired))


# ---- hosts off the path

@attack("NACKs, forged or with leaked SSRCs", off_path.WHO, UNHEARD, with_keys=UNHEARD)
def forged_nacks(port):
    with Stream(port) as stream, Forger("intruder") as forger:
        seen, own = Seen(stream), (ADDRESSES["intruder"], port)

        def send():
            forger.send(own, stream.source, seen.nack())
            forger.send(stream.target, stream.source, seen.nack(receiver=packets.random_ssrc()))
            forger.send(stream.target, stream.source, seen.nack(packets.random_ssrc(), packets.random_ssrc()))
        with Repeat(send) as repeat:
            effect = unheard(stream)
        return Effect(f"{effect.text}, {3 * repeat.calls} NACKs", effect.ok and repeat.calls > 0, effect.share)


@attack("NACKs with leaked SSRCs, a flood", "off path, a flood", UNHEARD, 1, with_keys=UNHEARD)
def flood_of_nacks(port):
    with Stream(port) as stream:
        with Flood(stream.source, Seen(stream).nack()) as flood:
            effect = unheard(stream)
        return Effect(f"{effect.text}, {flood.per_s:.0f} NACKs a second", effect.ok and flood.per_s > 0, effect.share)


@attack("repairs, forged or with leaked SSRCs", off_path.WHO, UNPLAYED, with_keys=UNPLAYED)
def forged_repairs(port):
    with Stream(port) as stream, Forger("intruder") as forger:
        seen, own, numbers = Seen(stream), (ADDRESSES["intruder"], port), itertools.count()

        def send():
            newest, now = seen.newest(), time.monotonic()
            number = next(numbers)
            for at in (newest - 50, newest + 1, newest + 20000):
                right = packets.data(at, seen.media, now)
                guessed = packets.data(at, packets.random_ssrc(), now)
                forger.send(own, stream.target, packets.repair_of(right, number, newest + 1, now))
                forger.send(stream.source, stream.target, packets.repair_of(guessed, number, newest + 1, now))
        start = time.monotonic()
        with Repeat(send) as repeat:
            effect = effect_since(stream, start, OBSERVED_S, worst=0)
        return Effect(f"{effect.text}, {6 * repeat.calls} repairs",
                      effect.ok and stream.receiver.false == 0 and repeat.calls > 0, stream.receiver.false)


# ---- a host that sees the stream, one packet

def inject_repair(port, original_by):
    """One repair of a packet this far from the newest, in the place of the next packet."""
    with Stream(port) as stream, Tap("receiver", port) as tap, Forger("router") as forger:
        data = newest_data(tap)
        number = packets.sequence_number(data) + original_by
        false = data[:2] + struct.pack("!H", number % 65536) + data[4:24] + packets.data(0, data[8:12], 0)[24:]
        forger.send(stream.source, stream.target, packets.repair_of(
            false, 1, packets.transport_number(data) + 1, packets.send_time_us(data) / packets.US))
        return effect_since(stream, time.monotonic())


def attack_once(name):
    return attack(name, single_packet.WHO, single_packet.BOUND, raised_ttl=single_packet.BOUND, with_keys=single_packet.WITH_KEYS)


@attack_once("a repair of the packet that comes next")
def repair_of_next(port):
    return inject_repair(port, 1)


@attack_once("a repair, original number + 12000")
def repair_ahead(port):
    return inject_repair(port, single_packet.JUMP)


@attack_once("a repair, original number - 12000")
def repair_behind(port):
    return inject_repair(port, -single_packet.JUMP)


@attack_once("a NACK of all packets")
def nack_of_all(port):
    with Stream(port) as stream, Forger("router") as forger:
        seen = Seen(stream)
        forger.send(stream.target, stream.source, seen.nack())
        return effect_since(stream, time.monotonic())


# ---- a host that sees the stream and copies requests

class Asking(Peer):
    """Asks for each packet that is missing, once."""

    def __init__(self, port):
        self.asked = []
        super().__init__(port, drop=0.05)

    def _on_arrival(self, payload, now):
        before = self.newest_seq
        super()._on_arrival(payload, now)
        missing = range(1, (self.newest_seq - before) % 65536) if before is not None and packets.is_data(payload) else ()
        if 0 < len(missing) < NUMBERS:
            numbers = [(before + by) % 65536 for by in missing]
            self.asked += numbers
            self.send(packets.nack(self.ssrc, self.media, numbers))


def is_sealed_or_plain_nack(payload):
    return payload[:2] == bytes((0x80 | packets.NACK, packets.FEEDBACK))


def gaps(repairs):
    """The least time between two repairs of a packet; None: no packet was repaired twice."""
    last, least = {}, None
    for when, number in repairs:
        if number in last:
            least = min(least or 10, when - last[number])
        last[number] = when
    return least


def copies_of_nacks(port):
    """Each request comes 20 times more at once, and again when its repair has come."""
    ended = threading.Event()
    with Asking(port) as peer, Tap("sender", port) as tap, Forger("router") as forger:
        process = sender(port)

        def copy():
            for payload in tap.payloads(ADDRESSES["receiver"]):
                if ended.is_set():
                    return
                if is_sealed_or_plain_nack(payload) and payload not in copied:
                    copied.add(payload)
                    for _ in range(20):
                        forger.send((ADDRESSES["receiver"], port), (ADDRESSES["sender"], port), payload)
                    later = threading.Timer(2.5 * DELAY_S, forger.send, (
                        (ADDRESSES["receiver"], port), (ADDRESSES["sender"], port), payload))
                    later.daemon = True
                    later.start()
        copied = set()
        thread = threading.Thread(target=copy, daemon=True)
        try:
            wait_until(40, lambda: len(peer.got) >= 30, "data")
            thread.start()
            time.sleep(8)
            ended.set()
            thread.join()
            time.sleep(4 * DELAY_S)
            return peer, len(copied)
        finally:
            ended.set()
            process.kill()


@attack("copies of every NACK", "on path, many", ONE_AN_R, with_keys=ONE_EACH, keyed=modes.OF_PEER, always=(modes.PASSPHRASE,))
def copied_nacks(port):
    peer, copied = copies_of_nacks(port)
    asked, least = len(peer.asked), gaps(peer.repairs)
    most = max(collections.Counter(number for _, number in peer.repairs).values(), default=0)
    if not copied or not peer.repairs:
        raise Unexpected("nothing was asked for, or repaired")
    bound = 1 if modes.is_protected() else 2  # one copy came later than R
    return Effect(f"{asked} packets asked for, {len(peer.repairs)} repairs, {most} of one packet",
                  most <= bound and (least is None or least >= AGAIN_S), most / bound)


# ---- a receiver that lies

def ask_for_all():
    """on_tick of a peer: it asks for the newest packets of the movie all the time, PER_S times a second."""
    state = {"next": 0.0, "newest": None, "nack": b""}

    def tick(peer):
        now = time.monotonic()
        while peer.newest_seq is not None and state["next"] <= now:
            state["next"] = max(state["next"], now - 0.05) + 1 / PER_S
            if state["newest"] != peer.newest_seq:  # a NACK is dear to make for a host with other work
                state["newest"] = peer.newest_seq
                numbers = [(peer.newest_seq - by) % 65536 for by in reversed(range(NUMBERS))]
                state["nack"] = packets.nack(peer.ssrc, peer.media, numbers)
            peer.send(state["nack"])
    return tick


@attack_by_receiver("200 NACKs/s of all packets, nothing was lost", ALL, 14)
def asks_for_all(port):
    seconds = 8
    with Lying(port, "", 640_000) as lying:
        peer, start = lying.peer, time.monotonic()
        peer.on_tick = ask_for_all()
        time.sleep(seconds)
        until = time.monotonic()
        repairs = [repair for repair in list(peer.repairs) if start <= repair[0] < until]
        came, least = sum(start <= when < until for when, _ in list(peer.got)) - len(repairs), gaps(repairs)
    due, movie = FREE + seconds / DELAY_S + 1, seconds * PACKETS_PER_S
    return Effect(f"{len(repairs)} repairs where {due:.0f} are due, {came} of {movie:.0f} packets",
                  len(repairs) <= due and came >= 0.9 * movie and (least is None or least >= AGAIN_S), len(repairs) / due)


@attack_by_receiver("200 NACKs/s of all packets, p = 0.1", WITH_LOSSES, 14)
def asks_for_all_with_losses(port):
    seconds = 8
    with Lying(port, FAST, 0) as lying:
        lying.peer.on_tick = ask_for_all()
        start = time.monotonic() + HOLD_S
        rate_Bps = lying.lie(Losses(), seconds, HOLD_S)
        repairs = sum(when >= start for when, _ in list(lying.peer.repairs))
        all_packets = sum(when >= start for when, _ in list(lying.peer.got))
    due, most = SLACK * equation(P, DELAY_S), FREE + SHARE * all_packets + 1
    return Effect(f"{rate_Bps * 8e-3:.0f} kbit/s where {due / SLACK * 8e-3:.0f} are due, {repairs} of {all_packets} packets are repairs",
                  rate_Bps <= due and repairs <= most, max(rate_Bps / due, repairs / most))


def asks_without_feedback(port, report):
    """Returns the peer, and the packets that came in 8 s. report: whether it answers
    sender reports."""
    with Peer(port) as peer:
        peer.lie = lambda fields, _: False
        if not report:
            peer.receiver_report = lambda: packets.empty_report(peer.ssrc)
        process = sender(port, rate_bps=640_000)
        try:
            wait_until(40, lambda: peer.newest_seq is not None, "data")
            peer.on_tick = ask_for_all()
            time.sleep(3)
            start = time.monotonic()
            time.sleep(8)
            return peer, sum(when >= start for when, _ in list(peer.got))
        finally:
            process.kill()


@attack_by_receiver("200 NACKs/s, never feedback or reports", SIGNS_OF_LIFE, 18)
def asks_without_an_answer(port):
    """Nobody has shown that it receives what is sent there: nothing is repaired."""
    peer, came = asks_without_feedback(port, False)
    effect = against_signs_of_life(came)
    return Effect(effect.text + (f", {len(peer.repairs)} repairs" if peer.repairs else ""), effect.ok and not peer.repairs,
                  effect.share)


@attack_by_receiver("200 NACKs/s, receiver reports and never feedback", MOVIE, 18)
def asks_with_reports(port):
    peer, came = asks_without_feedback(port, True)
    effect, least = against_the_movie(came), gaps(peer.repairs)
    return Effect(f"{effect.text}, {len(peer.repairs)} of them repairs", effect.ok and (least is None or least >= AGAIN_S), effect.share)
