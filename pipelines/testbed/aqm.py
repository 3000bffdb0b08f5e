"""Active queue management in place of a drop-tail queue: what a spec may name, and what tc is told.

The queue's length stays the hard limit. Everything else is the kernel's default, but for RED, which has none: the
thresholds are a quarter and three quarters of the queue, and adaptive RED finds the probability by itself.
"""

# RED counts bytes; the queue's packets are taken to be of this size.
_PACKET_BYTES = 1500
# The kernel refuses RED's thresholds and the time constant that goes with them for queues of a few times this.
_LONGEST_RED = 1000
# A token bucket of one packet with the header of Ethernet, less than which the kernel warns of.
_BUCKET_BYTES = 1514


def name(value):
    """A discipline, or drop-tail (None)."""
    if value == "none":
        return None
    if not isinstance(value, str) or value not in _DISCIPLINES:
        raise ValueError(f"{value!r} is none of {', '.join(_DISCIPLINES)}, none")
    return value


def check_queue(shape):
    if shape.aqm == "red" and (shape.queue_packets or 0) > _LONGEST_RED:
        raise ValueError(f"red takes a queue of at most {_LONGEST_RED} packets")


def queue(verb, device, shape, overhead_bytes):
    """The commands of tc that add or change the queue. A class of netem would see packets only after their wait, so a
    token bucket of one packet is what empties it; unlike netem, it lets a packet that finds nothing waiting pass at
    once, if none has passed within its time. overhead_bytes is added to what the kernel counts of a packet."""
    return [
        f"qdisc {verb} dev {device} root handle 1: stab overhead {overhead_bytes} "
        f"tbf rate {shape.rate_bps}bit burst {_BUCKET_BYTES} limit {_BUCKET_BYTES}",
        f"qdisc {verb} dev {device} parent 1:1 handle 10: {_DISCIPLINES[shape.aqm](shape)}",
    ]


def _limited(discipline):
    return lambda shape: f"{discipline} limit {shape.queue_packets}"


def _red(shape):
    limit = shape.queue_packets * _PACKET_BYTES
    # Floyd's rule: (2 min + max) / 3 packets.
    burst = -(-5 * shape.queue_packets // 12)
    return (f"red limit {limit} min {limit // 4} max {3 * limit // 4} avpkt {_PACKET_BYTES} burst {burst} "
            f"bandwidth {shape.rate_bps}bit adaptive")


_DISCIPLINES = {"fq_codel": _limited("fq_codel"), "codel": _limited("codel"), "red": _red}
