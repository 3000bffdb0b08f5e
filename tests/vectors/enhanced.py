# SPDX-License-Identifier: LGPL-2.1-or-later
"""Enhanced TFRC: round-trip time and t_RTO (eq. 3 and 4) and average loss interval (eq. 6 to 10).

The paper: Reddy, Reddy and Padmavathamma, Efficient Traffic Engineering Strategies for Improving
the Performance of TCP Friendly Rate Control Protocol, 2017. docs/decisions/enhanced.md says what
the paper leaves open. See generate.py for the rules.
"""

import random
from decimal import Decimal

from losshistory import SEQUENCES, THRESHOLD, LossHistory, same

MS = 10 ** 6                    # ns
LEAST_R = Decimal("1e-6")       # a microsecond, and the largest value of 24 bits in microseconds
MOST_R = Decimal("16.777215")
Q = Decimal("0.9")
T = Decimal("1.96")


# ---- round-trip time and t_RTO, eq. 3 and 4 ----


class Rtt:
    """R, A and t_RTO, all in seconds."""

    def __init__(self, method, k, rise_ns):
        self.method, self.k, self.Lt = method, k, Decimal(rise_ns) / 10 ** 9
        self.samples = []
        self.R = self.A = self.RTO = None

    def sample(self, sample_ns, link_error):
        last = self.samples[-1] if self.samples else None
        S = min(max(Decimal(sample_ns) / 10 ** 9, LEAST_R), MOST_R)
        self.samples.append(S)
        if last is None:
            self.R = self.A = S
            self.RTO = 4 * self.R
            return
        recent = self.samples[-self.k:]
        RTTmax, RTTmin = max(recent), min(recent)
        old = self.R
        self.A = Q * self.A + (1 - Q) * S
        self.R = getattr(self, self.method.replace("-", "_"))(S, S - last > self.Lt or link_error, RTTmax, RTTmin)
        if link_error:
            self.RTO = self.R / old * self.RTO
        else:
            self.RTO = 4 * self.R
        assert same(self.RTO, 4 * self.R)

    def ewma(self, S, first_branch, RTTmax, RTTmin):
        return Q * self.R + (1 - Q) * S

    def adaptive(self, S, first_branch, RTTmax, RTTmin):
        if first_branch:
            R = Q * self.R + (1 - Q) * S + (RTTmax - RTTmin)
        else:
            R = Q * self.R + (1 - Q) * S
        return min(R, MOST_R)

    def adaptive_bounded(self, S, first_branch, RTTmax, RTTmin):
        if first_branch:
            return max(self.A, min(self.A + (RTTmax - RTTmin), RTTmax))
        return self.A


def queue_fills(k, rise_ns):
    """Samples that rise by 5 ms each until the queue is full, then stay, then fall."""
    samples = [50 * MS] * 3 + [(50 + 5 * i) * MS for i in range(1, 31)] + [200 * MS] * (k + 2)
    return [(s, 0) for s in samples + [(200 - 20 * i) * MS for i in range(1, 8)]]


def rises_at_the_threshold(k, rise_ns):
    """Rises of exactly Lt, of a nanosecond more, and of a nanosecond less."""
    samples = [40 * MS]
    for step in (rise_ns, rise_ns + 1, -rise_ns, rise_ns - 1, rise_ns + 1, 0, -1, 1):
        samples.append(max(samples[-1] + step, 1000))
    return [(s, 0) for s in samples * 2]


def link_errors(k, rise_ns):
    """Link errors while the samples rise, stay and fall, several in a row, and with the first sample."""
    samples = (30, 30, 90, 90, 60, 61, 62, 62, 62, 40, 30, 30, 30)
    errors = (1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0)
    return [(s * MS, e) for s, e in zip(samples * 3, errors * 3)]


def out_of_range(k, rise_ns):
    """Samples below and above the values that a data packet can carry; eq. 3 reaches the largest R."""
    samples = (0, 1, 10 ** 12, 0, 10 ** 12, 10 ** 11, 0, 16777215000, 16777214999, 5 * 10 ** 9, 10 ** 10, 999, 1000, 1001)
    return [(s, i % 5 == 4) for i, s in enumerate(samples * 2)]


def random_samples(k, rise_ns):
    # Of Python's random functions only random() gives the same sequence in every version.
    draw = random.Random(1000 * k + rise_ns % 997).random
    samples, queue = [], 0.0
    for _ in range(60):
        queue = max(0.0, queue + 20 * (draw() - 0.45))
        samples.append((int((20 + queue + 2 * draw()) * MS), int(draw() < 0.1)))
    return samples


SAMPLES = (queue_fills, rises_at_the_threshold, link_errors, out_of_range, random_samples)
RTT_METHODS = ("ewma", "adaptive", "adaptive-bounded")


def rtt_rows():
    additions = limited = 0
    for k, rise_ns in ((2, 0), (3, 1), (8, 1 * MS), (32, 5 * MS)):
        for sequence in SAMPLES:
            for method in RTT_METHODS:
                case = "k%d_%s" % (k, sequence.__name__)
                rtt = Rtt(method, k, rise_ns)
                for sample_ns, link_error in sequence(k, rise_ns):
                    rtt.sample(sample_ns, link_error)
                    additions += rtt.R > rtt.A
                    limited += rtt.R == MOST_R
                    yield case, method, k, rise_ns, sample_ns, int(link_error), rtt.R, rtt.A, rtt.RTO
    assert additions > 500 and limited > 10, (additions, limited)


# ---- average loss interval, eq. 6 to 10 ----


class ChangedHistory(LossHistory):
    """A loss history of which a method changes the closed intervals. The averages are those of the
    RFC: of the closed intervals, and with the current interval."""

    def __init__(self, method, n, discounting, first):
        super().__init__(n, discounting, first)
        self.change = getattr(self, method.replace("-", "_"))
        self.negative_low = self.equal_extremes = 0

    def mean(self):
        k = self.k()
        DF = self.DF if self.discounting else 1
        DF_i = self.DF_i if self.discounting else [1] * (k + 1)
        of_closed = {i: self.w[i - 1] * DF_i[i] for i in range(1, k + 1)}
        with_current = {i: self.w[i] * DF_i[i] * DF for i in range(1, k)}
        return max(average(self.change(of_closed)), average([(self.I[0], self.w[0])] + self.change(with_current)))

    # Each method returns pairs of length and weight, from the weights of the closed intervals that
    # an average has.

    def statistics(self):
        """Index of the shortest and of the longest interval, of several the newest; mean; bounds."""
        closed = self.I[1:self.k() + 1]
        k = len(closed)
        shortest, longest = closed.index(min(closed)) + 1, closed.index(max(closed)) + 1
        m = sum(closed) / k
        sd = (sum((S - m) ** 2 for S in closed) / k).sqrt()
        low, high = m - T * sd / Decimal(k).sqrt(), m + T * sd / Decimal(k).sqrt()
        self.negative_low += low < 0
        self.equal_extremes += closed.count(min(closed)) > 1 or closed.count(max(closed)) > 1
        return shortest, longest, m, max(low, 1), high

    def replaced(self, w, shortest, longest, least, most):
        if self.I[shortest] == self.I[longest]:
            least = most = self.I[shortest]
        return [(least if i == shortest else most if i == longest else self.I[i], w[i]) for i in w]

    def ci_replace(self, w):
        shortest, longest, _, low, high = self.statistics()
        return self.replaced(w, shortest, longest, low, high)

    def ci_include(self, w):
        shortest, longest, _, low, high = self.statistics()
        pairs = [(self.I[i], w[i]) for i in w]
        if self.I[shortest] != self.I[longest]:
            pairs += [(value, w[i]) for value, i in ((low, shortest), (high, longest)) if i in w]
        return pairs

    def mean_replace(self, w):
        shortest, longest, m, _, _ = self.statistics()
        return self.replaced(w, shortest, longest, m, m)

    def mean_include(self, w):
        shortest, longest, m, _, _ = self.statistics()
        pairs = [(self.I[i], w[i]) for i in w]
        if self.I[shortest] != self.I[longest]:
            pairs.append((m, sum(w.values()) / self.k()))
        return pairs


def average(pairs):
    return sum(S * w for S, w in pairs) / sum(w for _, w in pairs)


def one_long_interval(n):
    """Short intervals with one very long interval among them, so that m - t sd / sqrt(k) is negative."""
    ops = [("first", 1)]
    for j in range(n + 10):
        ops += [("event", 5000 if j == min(n, 8) else 1 + j % 2), ("grow", 2), ("grow", 40)]
    return ops


METHOD_SEQUENCES = SEQUENCES + (("one_long_interval", one_long_interval),)
LONGEST_SEQUENCE = 48           # steps; longer sequences are cut off
LOSS_METHODS = ("ci-replace", "ci-include", "mean-replace", "mean-include")


def loss_method_rows():
    negative_low = equal_extremes = discounted = 0
    for n in range(2, 33):
        # The usual length has all sequences, and each other length has one of them.
        chosen = METHOD_SEQUENCES if n == 8 else [METHOD_SEQUENCES[n % len(METHOD_SEQUENCES)]]
        for i, method in enumerate(LOSS_METHODS):
            for name, sequence in chosen:
                for discounting in (0, 1) if n == 8 else ((n // 8 + i) % 2,):
                    case = "n%d_%s_%s" % (n, "discounted" if discounting else "plain", name)
                    for op, arg in sequence(n)[:LONGEST_SEQUENCE]:
                        if op == "first":
                            history = ChangedHistory(method, n, discounting, Decimal(arg))
                        else:
                            getattr(history, op)(Decimal(arg))
                        discounted += discounting and THRESHOLD < history.DF < 1
                        yield case, method, n, discounting, op, Decimal(arg), history.mean()
                    negative_low += history.negative_low
                    equal_extremes += history.equal_extremes
    assert min(negative_low, equal_extremes, discounted) > 50, (negative_low, equal_extremes, discounted)


# ---- numbers that README.md computes by hand ----


def by_hand(method, lengths, current=1):
    """Average of these intervals, the oldest first, in a history of four."""
    history = ChangedHistory(method, 4, 0, Decimal(lengths[0]))
    for length in lengths[1:]:
        history.event(Decimal(length))
    history.grow(Decimal(current))
    return history.mean()


def check_by_hand():
    rtt = Rtt("adaptive", 8, MS)
    bounded = Rtt("adaptive-bounded", 8, MS)
    for ms in (100, 110, 120):
        rtt.sample(ms * MS, 0)
        bounded.sample(ms * MS, 0)
    # R: 100; 0.9 100 + 0.1 110 + 10 = 111; 0.9 111 + 0.1 120 + 20 = 131.9. A: 100; 101; 102.9.
    assert (rtt.R, rtt.A, rtt.RTO) == (Decimal("0.1319"), Decimal("0.1029"), Decimal("0.5276"))
    assert bounded.R == Decimal("0.12")     # min (102.9 + 20, 120)

    # I_1 .. I_4 = 40, 10, 20, 30: m = 25, sd = sqrt(125). Weights 1, 1, 2/3, 1/3.
    lengths, W = (30, 20, 10, 40), Decimal(3)
    half_width = T * Decimal(125).sqrt() / 2
    low, high = 25 - half_width, 25 + half_width
    rest = Decimal(20) * 2 / 3 + Decimal(30) / 3
    assert same(by_hand("ci-replace", lengths), (high + low + rest) / W)
    assert same(by_hand("ci-include", lengths), (40 + 10 + high + low + rest) / (W + 2))
    assert same(by_hand("mean-replace", lengths), (50 + rest) / W)
    assert same(by_hand("mean-include", lengths), (50 + rest + 25 * W / 4) / (W + W / 4))
