# SPDX-License-Identifier: LGPL-2.1-or-later
"""Active queue management in place of a drop-tail queue: the names in specs, and the arguments of
tc.

The queue's length stays the hard limit. The spec says whether packets with ECT are marked instead of
dropped. All other parameters have the kernel's defaults. RED has no defaults: its thresholds are a quarter and three quarters of the queue, and adaptive RED finds the
probability by itself.
"""

# RED counts bytes, and a spec counts packets. This is the size that packets are taken to have.
_PACKET_BYTES = 1500
# For queues of a few times this length, the kernel refuses RED's thresholds and their time
# constant.
_LONGEST_RED = 1000
# One packet with the header of Ethernet. The kernel warns of smaller token buckets.
_BUCKET_BYTES = 1514


def name(value):
    """The name of a discipline, or None for drop-tail."""
    if value == "none":
        return None
    if not isinstance(value, str) or value not in _DISCIPLINES:
        raise ValueError(f"{value!r} is none of {', '.join(_DISCIPLINES)}, none")
    return value


def check_queue(shape):
    if shape.aqm == "red" and (shape.queue_packets or 0) > _LONGEST_RED:
        raise ValueError(f"red takes a queue of at most {_LONGEST_RED} packets")


def queue(verb, device, shape, overhead_bytes):
    """The commands of tc that add or change the queue. overhead_bytes is added to the length that
    the kernel counts for a packet.

    A token bucket of one packet empties the queue. netem cannot do so, as a queue inside netem
    would see packets only after their wait. Unlike netem, the token bucket lets a packet pass at
    once if no packet waits and none has passed within the packet's transmission time."""
    return [
        f"qdisc {verb} dev {device} root handle 1: stab overhead {overhead_bytes} "
        f"tbf rate {shape.rate_bps}bit burst {_BUCKET_BYTES} limit {_BUCKET_BYTES}",
        f"qdisc {verb} dev {device} parent 1:1 handle 10: {_DISCIPLINES[shape.aqm](shape)}",
    ]


def _limited(discipline):
    return lambda shape: f"{discipline} limit {shape.queue_packets} {'ecn' if shape.ecn else 'noecn'}"


def _red(shape):
    limit = shape.queue_packets * _PACKET_BYTES
    # Floyd's rule: (2 min + max) / 3 packets.
    burst = -(-5 * shape.queue_packets // 12)
    return (f"red limit {limit} min {limit // 4} max {3 * limit // 4} avpkt {_PACKET_BYTES} burst {burst} "
            f"bandwidth {shape.rate_bps}bit adaptive{' ecn' if shape.ecn else ''}")


_DISCIPLINES = {"fq_codel": _limited("fq_codel"), "codel": _limited("codel"), "red": _red}
