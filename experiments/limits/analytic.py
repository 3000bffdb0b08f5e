"""The analytic results of the limits paper: the throughput equation with any t_RTO (Fig. 13), the
loss event rate of a flow that sends W packets per round-trip time (Theorem 4.1, and the renewal
form), and the difference ratio.

The equation itself is libtfrc's, called from the built library; it has b = 1.
"""

import ctypes
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build_directory():
    """The build directory of libtfrc: BUILD_DIR, or the one that experiments/run builds."""
    return pathlib.Path(os.environ.get("BUILD_DIR") or ROOT / "build" / "experiments")


class Equation:
    """The throughput equation of RFC 5348 section 3.1 (RFC 3448's, the paper's Eq. 1)."""

    def __init__(self, build=None):
        library = ctypes.CDLL(str(pathlib.Path(build or build_directory()) / "lib/tfrc/libtfrc.so.0"))
        self._rate = library.tfrc_equation_rate_Bps
        self._rate.argtypes = [ctypes.c_double] * 4
        self._rate.restype = ctypes.c_double

    def rate_Bps(self, size_bytes, rtt_s, rto_s, p):
        return self._rate(size_bytes, rtt_s, rto_s, p)

    def packets_per_s(self, p, rtt_s, rto_s):
        """The paper's F(p, t_RTT, t_0)."""
        return self._rate(1, rtt_s, rto_s, p)

    def ratio(self, p, rtt_s, rto_s, other_rto_s):
        """F with one t_RTO over F with another."""
        return self.packets_per_s(p, rtt_s, rto_s) / self.packets_per_s(p, rtt_s, other_rto_s)


def theorem_loss_event_rate(packet_loss_rate, packets_per_rtt):
    """Theorem 4.1: each round of W packets has a loss event with probability 1 - (1 - p)^W. With
    less than a packet per round-trip time each packet is a round."""
    packets = max(packets_per_rtt, 1)
    return (1 - (1 - packet_loss_rate) ** packets) / packets


def renewal_loss_event_rate(packet_loss_rate, packets_per_rtt):
    """The renewal form: a round starts with a loss, not at a fixed time. One loss event is followed
    by the W packets of one RTT, whose losses belong to that event. Then 1/p packets follow until
    the next event."""
    return packet_loss_rate / (1 + packet_loss_rate * packets_per_rtt)


def difference_ratio(a, b):
    """The paper's metric: the fraction by which the larger value is above the smaller one; negative
    if a is the smaller one."""
    return (a - b) / b if a >= b else -(b - a) / a
