# SPDX-License-Identifier: LGPL-2.1-or-later
"""A receiver that lies to raise the sender's rate. The rate is compared with the rate that the
equation allows for the feedback."""
import time

import modes
import packets
from movie import sender, wait_until
from peer import DELAY_S, Peer, bytes_by_equation, equation
from table import Effect, attack

RECEIVER = "receiver"
P = 0.1
FAST = "max-bitrate=20000000 allow-migration=always"
SLACK = 1.5  # the equation has the path's least R; on a busy machine due packets leave in bursts
SIGNS_OF_LIFE = "8 packets in 8 s and one per own SR"
MOVIE = "what the movie needs"
HOLD_S = 1.5  # max (4 R, 1 s) with the path's R, and a round-trip time until the sender knows


def attack_by_receiver(name, bound, lasts_s, always=()):
    """An attack by a receiver, with the same bound in the modes of the receiver in Python."""
    return attack(name, RECEIVER, bound, lasts_s, with_keys=bound, keyed=modes.OF_PEER, always=always)


class Lying:
    """A sender and a peer that has been honest for two seconds, or lies from the start."""

    def __init__(self, port, options=FAST, movie_bps=0, lie=None, **peer):
        self.peer = Peer(port, **peer)
        self.peer.lie = lie
        self.sender = sender(port, options, rate_bps=movie_bps)
        wait_until(40, lambda: len(self.peer.got) >= 30, "data")
        time.sleep(2)

    def lie(self, lie, seconds, from_s=0.0):
        """Lies for this time. Returns the bytes per second that were sent from `from_s` on."""
        start = time.monotonic()
        self.peer.lie = lie
        time.sleep(seconds)
        until = time.monotonic()
        return self.peer.sent(start + from_s, until) / (until - start - from_s)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.peer.close()
        self.sender.kill()


class Losses:
    """Reports p in feedback, with counters that grow as they would at that p if each loss is an
    event."""

    def __init__(self, p=P):
        self.p, self.first, self.lost, self.told = p, None, 0, 0

    def __call__(self, fields, _=None):
        if self.first is None:
            self.first, self.lost = fields["seq"], fields["lost"]
        self.told = self.lost + int((fields["seq"] - self.first) * self.p)
        fields.update(p=self.p, lost=self.told, events=self.told)


def against_the_equation(sent_Bps, p=P, rtt_s=DELAY_S):
    due = equation(p, rtt_s)
    return Effect(f"{sent_Bps * 8e-3:.0f} kbit/s where {due * 8e-3:.0f} are due", sent_Bps <= SLACK * due, sent_Bps / (SLACK * due))


@attack_by_receiver("true feedback, p = 0.1", "1.5 x the equation", 14)
def honest(port):
    with Lying(port) as lying:
        return against_the_equation(lying.lie(Losses(), 8, HOLD_S))


@attack_by_receiver("HOn for ever, p = 0.1", "1.5 x the equation after max (4 R, 1 s)", 14)
def handover_for_ever(port):
    losses = Losses()

    def lie(fields, _):
        losses(fields)
        fields["flags"] = packets.HANDOVER
    with Lying(port) as lying:
        return against_the_equation(lying.lie(lie, 9, HOLD_S))


@attack_by_receiver("HOn again and again, p = 0.1", "1.5 x the equation after max (4 R, 1 s)", 18)
def handovers(port):
    losses, start = Losses(), time.monotonic()

    def lie(fields, _):
        losses(fields)
        number, phase = divmod(time.monotonic() - start, 1.5)
        if phase < 1:
            fields["flags"] = packets.HANDOVER | int(number) % 4 << 4
    with Lying(port) as lying:
        return against_the_equation(lying.lie(lie, 14, HOLD_S))


@attack_by_receiver("10 Gbit/s told as bandwidth, p = 0.1", "1.5 x the equation after max (4 R, 1 s)", 14)
def bandwidth(port):
    losses = Losses()

    def lie(fields, _):
        losses(fields)
        fields["flags"] = packets.HANDOVER | packets.BANDWIDTH
        fields["x_recv"] = 10e9 / 8 / 2
    with Lying(port) as lying:
        return against_the_equation(lying.lie(lie, 9, HOLD_S))


def against_what_was_sent(lying):
    """The sender's allowed rate since the lie, compared with the most that it has sent in one R."""
    allowed = max(float(text) for text in lying.sender.all_of("allowed-rate")[-20:])
    most = lying.peer.most_sent(DELAY_S) * 8
    return Effect(f"X {allowed / 1e6:.3g} Mbit/s, {most / 1e6:.2f} were sent", allowed <= 2 * SLACK * most,
                  allowed / (2 * SLACK * most))


@attack_by_receiver("X_recv = 2^32 - 1", "X at most 3 x what is sent in one R", 12, always=modes.OF_PEER)
def receive_rate(port):
    def lie(fields, _):
        fields["x_recv"] = packets.ALL_ONES
    with Lying(port, "", 640_000) as lying:
        lying.lie(lie, 6)
        return against_what_was_sent(lying)


@attack_by_receiver("half is lost, says it got twice as much and p = 0", "X at most 3 x what is sent in one R", 12)
def optimistic(port):
    def lie(fields, _):
        fields["x_recv"] *= 4
        fields["p"] = fields["lost"] = fields["events"] = 0
    with Lying(port, "", 640_000, rate_bps=340_000) as lying:
        lying.lie(lie, 6)
        return against_what_was_sent(lying)


@attack_by_receiver("p = 0 after losses", "1.5 x the equation, 8 intervals remembered", 16)
def forgets_losses(port):
    losses = Losses()

    def lie(fields, _):
        fields.update(p=0, lost=losses.told, events=losses.told)
    with Lying(port) as lying:
        lying.lie(losses, 4)
        seconds = 4
        sent = lying.lie(lie, seconds) * seconds
        due = bytes_by_equation(seconds, DELAY_S, 1 / P)
        return Effect(f"{sent / 1316:.0f} packets in {seconds} s where {due / 1316:.0f} are due", sent <= SLACK * due,
                      sent / (SLACK * due))


@attack_by_receiver("counters of nonsense", "loss-ratio at most 1; the rate as without", 12)
def nonsense(port):
    def lie(fields, peer):
        value = (packets.ALL_ONES, 0x80000000, 0, 12345)[len(peer.got) % 4]
        fields["lost"] = fields["events"] = value
        if len(peer.got) % 3 == 0:
            fields["seq"] = 0
    with Lying(port, "", 640_000) as lying:
        sent = lying.lie(lie, 6)
        ratio = max(float(text) for text in lying.sender.all_of("loss-ratio"))
        return Effect(f"loss-ratio {ratio:.3g}, {sent * 8e-3:.0f} kbit/s",
                      ratio <= 1 and sent * 8 <= SLACK * 640_000)


def reports_alone(port, honest_s, measured_after_s, report=None, options=""):
    """Sends nothing but receiver reports, a thousand a second: true ones, which name the last sender
    report and so give a round-trip time, or report(peer). Returns the number of packets that came in
    8 s."""
    state = {"next": 0.0}

    def flood(peer):
        now = time.monotonic()
        while peer.media and state["next"] <= now:
            state["next"] = max(state["next"], now - 0.05) + 0.001
            peer.send(peer.receiver_report())
    peer = Peer(port)
    if report:
        peer.receiver_report = lambda: report(peer)
    peer.lie = (lambda fields, _: None) if honest_s else (lambda fields, _: False)
    process = sender(port, options, rate_bps=640_000)
    try:
        wait_until(40, lambda: peer.got, "data")
        time.sleep(honest_s)
        peer.lie = lambda fields, _: False
        peer.on_tick = flood
        time.sleep(measured_after_s)
        start = time.monotonic()
        time.sleep(8)
        return sum(1 for when, _ in peer.got if when >= start)
    finally:
        peer.close()
        process.kill()


def against_signs_of_life(came):
    """The packets of 8 s, compared with one a second and one for each sender report."""
    return Effect(f"{came} packets in 8 s", came <= 8 + 4, came / (8 + 4))


def against_the_movie(came):
    due = 640_000 / 8 / 1316 * 8
    return Effect(f"{came} packets in 8 s where {due:.0f} are due", came <= SLACK * due, came / (SLACK * due))


@attack_by_receiver("1000 receiver reports/s, never feedback, without R", SIGNS_OF_LIFE, 18)
def reports_from_the_start(port):
    return against_signs_of_life(reports_alone(port, 0, 3, lambda peer: packets.receiver_report(peer.ssrc, peer.media, peer.highest_seq())))


@attack_by_receiver("1000 receiver reports/s, never feedback, p = 0", MOVIE, 18)
def reports_without_losses(port):
    return against_the_movie(reports_alone(port, 0, 3))


@attack_by_receiver("1000 receiver reports/s, no feedback any more", SIGNS_OF_LIFE, 26)
def reports_later(port):
    return against_signs_of_life(reports_alone(port, 3, 12))


@attack("the sender stands still for 20 s (R = 40 ms)", "nobody", "R < 60 ms 10 s later", 50)
def sender_stalls(port):
    # a link without a queue: the sender makes up for 20 s
    with Lying(port, "allow-migration=always", 640_000, delay_s=0.04, rate_bps=20_000_000) as lying:
        lying.sender.stop()
        time.sleep(20)
        lying.sender.go_on()
        time.sleep(10)
        rtt_ms = lying.sender.number("rtt") / 1e6
        return Effect(f"R {rtt_ms:.0f} ms", rtt_ms < 60)
