# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rest of a receiver's lies in docs/security.md and docs/decisions/reports.md: about R, losses,
counters, the ECN field and the TTL, in feedback and in reports."""
import contextlib
import itertools
import socket
import threading

import modes
import packets
from movie import Unexpected
from network import ADDRESSES, Tap
from peer import DELAY_S
from rate import HOLD_S, MOVIE, P, SIGNS_OF_LIFE, SLACK, Losses, Lying, against_signs_of_life, against_the_equation, \
    against_the_movie, attack_by_receiver, reports_alone
from table import Effect

EQUATION = "1.5 x the equation"
W_INIT = 4380  # RFC 5348, 4.2
SMALL_P, SHORT_S = 0.01, 0.03
TTL, TTL_MAX = 40, 44


def with_losses(port, change):
    """True feedback about P, in which change(fields, peer) adds a lie."""
    losses = Losses()

    def lie(fields, peer):
        losses(fields)
        change(fields, peer)
    with Lying(port) as lying:
        return against_the_equation(lying.lie(lie, 8, HOLD_S))


# ---- in feedback

@attack_by_receiver("a tenth is lost, p = 0.01 is told", EQUATION + " with that p", 14)
def small_p(port):
    with Lying(port, drop=P) as lying:
        return against_the_equation(lying.lie(Losses(SMALL_P), 8, HOLD_S), SMALL_P)


@attack_by_receiver("a tenth is lost, p = 0 from the start", MOVIE, 14)
def never_a_loss(port):
    def lie(fields, _):
        fields["p"] = fields["lost"] = fields["events"] = 0
    with Lying(port, "", 640_000, lie, drop=P) as lying:
        return against_the_movie(round(lying.lie(lie, 8) * 8 / 1316))


@attack_by_receiver("p and counters begin anew after losses", MOVIE, 16)
def counters_from_zero(port):
    def lie(fields, _):
        fields["p"] = fields["lost"] = fields["events"] = 0
    with Lying(port, "", 640_000) as lying:
        lying.lie(Losses(), 3)
        return against_the_movie(round(lying.lie(lie, 8) * 8 / 1316))


@attack_by_receiver("t_delay makes R 30 ms, p = 0.1", EQUATION + " with that R", 14)
def short_rtt(port):
    losses = Losses()

    def lie(fields, _):
        losses(fields)
        fields["t_delay"] += (DELAY_S - SHORT_S) * packets.US
    with Lying(port) as lying:
        return against_the_equation(lying.lie(lie, 8, HOLD_S), rtt_s=SHORT_S)


@attack_by_receiver("t_delay = 2^32 - 1, p = 0.1", EQUATION, 14)
def endless_delay(port):
    return with_losses(port, lambda fields, _: fields.update(t_delay=packets.ALL_ONES))


@attack_by_receiver("t_recvdata of 10 s later, p = 0.1", EQUATION, 14)
def time_not_sent(port):
    return with_losses(port, lambda fields, _: fields.update(t_recvdata=fields["t_recvdata"] + 10 * packets.US))


@attack_by_receiver("all losses are link errors, p = 0.1", EQUATION, 14)
def link_errors(port):
    """The congestion p is 0."""
    return with_losses(port, lambda fields, _: fields.update(flags=packets.CLASSIFIED, words=(0, fields["lost"])))


@attack_by_receiver("ECN counts of nonsense, p = 0.1", EQUATION, 14)
def ecn_counts(port):
    values = itertools.cycle((packets.ALL_ONES, 0, 1 << 31, 12345, 7))
    return with_losses(port, lambda fields, _: fields.update(
        flags=packets.ECN, ce=next(values), words=(next(values), next(values), next(values))))


@attack_by_receiver("the same feedback again and again", SIGNS_OF_LIFE, 28)
def repeated_feedback(port):
    first = {}

    def lie(fields, _):
        first.update({} if first else fields)
        fields.update(first)
    with Lying(port, "", 640_000) as lying:
        lying.peer.on_tick = lambda peer: peer.send_feedback()
        lying.lie(lie, 12)
        return against_signs_of_life(round(lying.lie(lie, 8) * 8 / 1316))


@attack_by_receiver("a TTL of 1, adaptive-ttl", "at most ttl-max, without keys ttl", 14)
def ttl_of_1(port):
    """The sender seems to be far away."""
    most = {"ttl": 0}

    def watch(tap):
        with contextlib.suppress(OSError):  # the tap is closed
            for packet in tap.packets():
                if packet[12:16] == socket.inet_aton(ADDRESSES["sender"]):
                    most["ttl"] = max(most["ttl"], packet[8])
    with Tap("sender", port) as tap:
        threading.Thread(target=watch, args=(tap,), daemon=True).start()
        with Lying(port, f"adaptive-ttl=true ttl={TTL} ttl-min=30 ttl-max={TTL_MAX}", 640_000) as lying:
            lying.lie(lambda fields, _: fields.update(ttl=1), 8)
    if not most["ttl"]:
        raise Unexpected("no packet was seen")
    bound = TTL_MAX if modes.is_protected() else TTL
    return Effect(f"TTL {most['ttl']} of {bound}", most["ttl"] <= bound, most["ttl"] / bound)


# ---- in reports, without feedback

@attack_by_receiver("reports of packets that were not sent", SIGNS_OF_LIFE, 18)
def report_ahead(port):
    return against_signs_of_life(reports_alone(port, 0, 3, lambda peer: packets.receiver_report(
        peer.ssrc, peer.media, peer.highest_seq() + 1000, peer.last_sr)))


@attack_by_receiver("reports of the same highest number", "1.5 x W_init/R, half after 2 T", 32)
def report_of_old(port):
    """The first of them starts the stream at W_init/R. All others are no news, and the nofeedback
    timer is 2 T = 12.4 s (docs/rules.md, "The rate from receiver reports")."""
    highest = []

    def report(peer):
        if not highest and peer.last_sr:
            highest.append(peer.highest_seq())
        return packets.receiver_report(peer.ssrc, peer.media, highest[0] if highest else 0, peer.last_sr)
    came, due = reports_alone(port, 0, 18, report), W_INIT / DELAY_S / 2 / 1316 * 8
    return Effect(f"{came} packets in 8 s where {due:.0f} are due", came <= SLACK * due, came / (SLACK * due))


@attack_by_receiver("reports with an LSR that was not sent", SIGNS_OF_LIFE, 18)
def report_of_no_sr(port):
    return against_signs_of_life(reports_alone(port, 0, 3, lambda peer: packets.receiver_report(
        peer.ssrc, peer.media, peer.highest_seq(), 0x12345678)))


@attack_by_receiver("reports of more losses than packets", MOVIE, 18)
def report_of_losses(port):
    return against_the_movie(reports_alone(port, 0, 3, lambda peer: packets.receiver_report(
        peer.ssrc, peer.media, peer.highest_seq(), peer.last_sr, 0x7FFFFF)))


@attack_by_receiver("transport-wide feedback of packets that were not sent", SIGNS_OF_LIFE, 18)
def transport_ahead(port):
    numbers = itertools.count()
    return against_signs_of_life(reports_alone(port, 0, 3, lambda peer: packets.transport_feedback(
        peer.ssrc, peer.media, peer.highest_seq() + 1000, 100, next(numbers)), "transport-cc=true"))
