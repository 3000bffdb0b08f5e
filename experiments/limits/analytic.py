# SPDX-License-Identifier: LGPL-2.1-or-later
"""The analytic results of the limits paper: the throughput equation with any t_RTO (Fig. 13), the
loss event rate of a flow that sends W packets per round-trip time (Theorem 4.1, and the renewal
form), and the difference ratio.

The equation itself is libtfrc's (common/equation.py).
"""

from common.equation import Equation  # noqa: F401 (for the parts of this experiment)


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
