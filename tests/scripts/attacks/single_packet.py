# SPDX-License-Identifier: LGPL-2.1-or-later
"""One packet of a host on the path. The host has seen the stream, so that addresses, SSRCs and
sequence numbers are right."""
import struct
import subprocess
import time

import modes
import packets
from movie import Stream
from network import (ADDRESSES, ICMP_FRAGMENTATION_NEEDED, ICMP_PORT, Forger, Tap, icmp_unreachable, namespace, udp)
from table import Effect, attack

WHO = "on path, once"
WORST_PACKETS = 100
BOUND = f"{WORST_PACKETS} packets missed"
WITH_KEYS = "nothing missed"
OBSERVED_S = 8
JUMP = 12000


def effect_since(stream, start, observed_s=OBSERVED_S, worst=None):
    """The packets that a player misses in observed_s seconds. worst: with keys 0, else WORST_PACKETS."""
    if worst is None:
        worst = 0 if modes.is_protected() else WORST_PACKETS
    time.sleep(observed_s + 1.5)
    missed, last_s = stream.missed(start, start + observed_s)
    alive = stream.receiver.is_running()
    false = stream.receiver.false
    text = f"{missed} of {observed_s * 61} packets missed" + (f", the last after {last_s:.1f} s" if missed else "") + \
        (f", {false} false ones played" if false else "")
    return Effect(text + ("" if alive else "; EOS"), alive and missed <= worst, missed / max(worst, 1))


def newest_data(tap):
    return tap.fresh(ADDRESSES["sender"], packets.is_data)


def inject_data(port, options="", **changes):
    """Sends a changed copy of the newest data packet to the receiver."""
    with Stream(port, receiver_options=options) as stream, Tap("receiver", port) as tap, Forger("router") as forger:
        forger.send(stream.source, stream.target, packets.changed_data(newest_data(tap), **changes))
        return effect_since(stream, time.monotonic())


@attack("no attack", "nobody", "nothing missed")
def nothing(port):
    with Stream(port) as stream:
        return effect_since(stream, time.monotonic(), worst=0)


@attack("sequence number + 12000", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def sequence_number_ahead(port):
    return inject_data(port, seq_by=JUMP)


@attack("sequence number - 12000", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def sequence_number_behind(port):
    return inject_data(port, seq_by=-JUMP)


@attack("sequence number + 50", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def sequence_number_a_little_ahead(port):
    return inject_data(port, seq_by=50)


@attack("sequence number + 99", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def sequence_number_almost_too_far_ahead(port):
    return inject_data(port, seq_by=99)


@attack("R = 16.7 s", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def rtt(port):
    return inject_data(port, seq_by=1, rtt=16_700_000)


@attack("sequence number + 12000, R = 16.7 s", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def both(port):
    return inject_data(port, seq_by=JUMP, rtt=16_700_000)


@attack("send time + 30 s", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def send_time_ahead(port):
    return inject_data(port, seq_by=1, send_time_by=30 * packets.US)


@attack("send time - 30 s", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def send_time_behind(port):
    return inject_data(port, seq_by=1, send_time_by=-30 * packets.US)


@attack("another SSRC", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def another_ssrc(port):
    return inject_data(port, seq_by=1, ssrc=packets.random_ssrc())


@attack("two packets of 5 s ago", WHO, BOUND, 20, raised_ttl=BOUND, with_keys=WITH_KEYS)
def replay(port):
    with Stream(port) as stream, Tap("receiver", port) as tap, Forger("router") as forger:
        first = newest_data(tap)
        second = next(data for data in tap.payloads(ADDRESSES["sender"]) if packets.is_data(data))
        stream.wait_for_packets(300)
        for data in (first, second):
            forger.send(stream.source, stream.target, data)
        return effect_since(stream, time.monotonic())


@attack("BYE of the sender", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def bye_of_sender(port):
    return say_bye(port, "")


@attack("BYE of the sender, keep-listening", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def bye_of_sender_who_goes_on(port):
    return say_bye(port, "keep-listening=true")


def say_bye(port, options):
    with Stream(port, receiver_options=options) as stream, Tap("receiver", port) as tap, Forger("router") as forger:
        ssrc = packets.ssrc_of_data(newest_data(tap))
        forger.send(stream.source, stream.target, packets.bye(ssrc))
        return effect_since(stream, time.monotonic())


@attack("BYE of the receiver", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def bye_of_receiver(port):
    with Stream(port) as stream, Tap("sender", port) as tap, Forger("router") as forger:
        ssrc = tap.fresh(ADDRESSES["receiver"], packets.is_feedback)[4:8]
        forger.send(stream.target, stream.source, packets.bye(ssrc))
        return effect_since(stream, time.monotonic())


def inject_feedback(port, **changes):
    """Sends a changed copy of the newest feedback to the sender."""
    with Stream(port) as stream, Tap("sender", port) as tap, Forger("router") as forger:
        feedback = tap.fresh(ADDRESSES["receiver"], packets.is_feedback)
        forger.send(stream.target, stream.source, packets.changed_feedback(feedback, **changes))
        return effect_since(stream, time.monotonic())


@attack("feedback: all is lost", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS, always=modes.OF_PEER)
def feedback_all_lost(port):
    return inject_feedback(port, number_by=1, x_recv=1, p=packets.ALL_ONES)


@attack("feedback: all is lost, number + 2^30", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def feedback_far_ahead(port):
    return inject_feedback(port, number_by=2 ** 30, x_recv=1, p=packets.ALL_ONES)


@attack("feedback: all is lost of the newest packet, number + 2^31 - 1", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def feedback_about_the_newest(port):
    """Forged feedback that is newer, by number and by data, than any that is under way from the
    receiver."""
    with Stream(port) as stream, Tap("receiver", port) as tap, Forger("router") as forger:
        feedback = tap.fresh(ADDRESSES["receiver"], packets.is_feedback)
        newer_us = packets.send_time_us(newest_data(tap)) - struct.unpack_from("!I", feedback, 12)[0]
        forger.send(stream.target, stream.source, packets.changed_feedback(
            feedback, number_by=2 ** 31 - 1, t_recvdata_by=newer_us, x_recv=0, p=packets.ALL_ONES))
        return effect_since(stream, time.monotonic())


@attack("feedback: HOn, X_recv = 1", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def feedback_handover(port):
    return inject_feedback(port, number_by=1, x_recv=1, flags=packets.HANDOVER)


@attack("feedback: R_sample = 30 s", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def feedback_rtt(port):
    return inject_feedback(port, number_by=1, t_recvdata_by=-30 * packets.US)


@attack("ICMP port unreachable", WHO, BOUND, raised_ttl=BOUND, with_keys=WITH_KEYS)
def port_unreachable(port):
    with Stream(port) as stream, Tap("receiver", port) as tap, Forger("router") as forger:
        quoted = udp(stream.source, stream.target, newest_data(tap))
        forger.send_ip(icmp_unreachable(ADDRESSES["receiver"], quoted, ICMP_PORT))
        return effect_since(stream, time.monotonic())


@attack("ICMP fragmentation needed, MTU 600", WHO, "no fragments", 20, with_keys="no fragments")
def fragmentation_needed(port):
    with Stream(port) as stream, Tap("receiver", port) as tap, Forger("router") as forger:
        quoted = udp(stream.source, stream.target, newest_data(tap))
        start = time.monotonic()
        forger.send_ip(icmp_unreachable("10.98.1.1", quoted, ICMP_FRAGMENTATION_NEEDED, 600))
        stream.wait_for_packets(60)
        newest_data(tap)  # forgets the packets that the tap has kept
        seen = [next(tap.packets()) for _ in range(200)]
        # The kernel keeps the path MTU for the receiver's address, and so for other streams.
        subprocess.run(["ip", "netns", "exec", namespace("sender"), "ip", "route", "flush", "cache"], check=True)
        fragments = sum(packet[6] & 0x20 > 0 for packet in seen)
        effect = effect_since(stream, start)
        return Effect(f"{fragments} fragmented packets; {effect.text}", effect.ok and not fragments)
