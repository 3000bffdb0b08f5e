# SPDX-License-Identifier: LGPL-2.1-or-later
"""Loss histories of RFC 5348: weights and average loss interval (section 5.4), history discounting
(5.5), and sequences of loss intervals. See generate.py for the rules."""

import random
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
EXACT = Decimal(10) ** -40      # largest relative difference between two ways to the same number
THRESHOLD = Decimal("0.25")     # section 5.5


def same(a, b):
    return abs(a - b) <= EXACT * abs(b)


# ---- average loss interval, sections 5.4 and 5.5 ----


def weights(n):
    return [Fraction(1) if i < Fraction(n, 2) else Fraction(2 * (n - i), n + 2) for i in range(n)]


class LossHistory:
    """Intervals and their discount factors; index 0 is the current interval, 1 the newest closed one."""

    def __init__(self, n, discounting, first):
        self.n = n
        self.w = [Decimal(w.numerator) / w.denominator for w in weights(n)]
        self.discounting = discounting
        self.I = [Decimal(1), first]
        self.DF_i = [Decimal(1), Decimal(1)]
        self.DF = Decimal(1)

    def k(self):
        return min(len(self.I) - 1, self.n)

    def grow(self, length):
        self.I[0] = length
        if self.discounting:
            self.update_DF()

    def event(self, length):
        self.grow(length)
        DF_i = [self.DF * d for d in self.DF_i]
        # Interval 0 has no discount factor, so the new DF_1 is 1.
        self.DF_i = ([Decimal(1), Decimal(1)] + DF_i[1:])[:self.n + 1]
        self.I = ([Decimal(1)] + self.I)[:self.n + 1]
        self.DF = Decimal(1)
        self.grow(Decimal(1))

    def update_DF(self):
        I_tot = W_tot = Decimal(0)
        for i in range(1, self.k() + 1):
            W_tot = W_tot + self.w[i - 1] * self.DF_i[i]
            I_tot = I_tot + self.I[i] * self.w[i - 1] * self.DF_i[i]
        I_mean = I_tot / W_tot
        if self.I[0] > 2 * I_mean:
            self.DF = max(2 * I_mean / self.I[0], THRESHOLD)
        else:
            self.DF = Decimal(1)

    def mean(self):
        if self.discounting:
            return self.mean_discounted()
        assert same(self.mean_discounted(), self.mean_plain())
        return self.mean_plain()

    def mean_plain(self):
        """Section 5.4."""
        I_tot0 = I_tot1 = W_tot = Decimal(0)
        for i in range(0, self.k()):
            I_tot0 = I_tot0 + self.I[i] * self.w[i]
            W_tot = W_tot + self.w[i]
        for i in range(1, self.k() + 1):
            I_tot1 = I_tot1 + self.I[i] * self.w[i - 1]
        return max(I_tot0, I_tot1) / W_tot

    def mean_discounted(self):
        """Section 5.5; with fewer than n intervals, k stands for n as it does in section 5.4."""
        I_tot0, W_tot0 = self.I[0] * self.w[0], self.w[0]
        I_tot1 = W_tot1 = Decimal(0)
        for i in range(1, self.k()):
            I_tot0 = I_tot0 + self.I[i] * self.w[i] * self.DF_i[i] * self.DF
            W_tot0 = W_tot0 + self.w[i] * self.DF_i[i] * self.DF
        for i in range(1, self.k() + 1):
            I_tot1 = I_tot1 + self.I[i] * self.w[i - 1] * self.DF_i[i]
            W_tot1 = W_tot1 + self.w[i - 1] * self.DF_i[i]
        return 1 / min(W_tot0 / I_tot0, W_tot1 / I_tot1)


# ---- the sequences of intervals.csv: lists of (op, arg) ----


def first_events(n):
    """From the first event until every interval but the newest n has been forgotten."""
    ops = [("first", 12.5), ("grow", 2), ("grow", 12), ("grow", 13), ("grow", 30)]
    for j in range(n + 3):
        length = (29, 7, 180, 1, 64)[j % 5]
        ops += [("event", length), ("grow", length // 2 + 1), ("grow", length + 40)]
    return ops


def long_current(n):
    """Equal intervals, then one so long that DF goes from 1 through all values to the threshold."""
    ops = [("first", 87.25)] + [("event", 100)] * (n + 1)
    for length in (50, 100, 101, 199, 200, 201, 250, 400, 640, 799, 800, 801, 1600, 10 ** 4, 10 ** 6, 5 * 10 ** 9):
        ops.append(("grow", length))
    ops += [("event", 500), ("grow", 3), ("grow", 300), ("event", 20), ("grow", 1000), ("event", 1000)]
    return ops


def discounted_row(n):
    """Each interval three times the last, so that discount factors multiply; then short ones push them out."""
    ops = [("first", 41.75)] + [("event", 40)] * n
    for j in range(6):
        length = 120 * 3 ** j
        ops += [("grow", length // 2), ("grow", length + 3), ("event", length)]
    for _ in range(n + 1):
        ops += [("event", 9), ("grow", 4)]
    return ops


def extreme_first(n, first):
    """A synthetic first interval far from all others, until it has been forgotten."""
    ops = [("first", first), ("grow", 5)]
    for j in range(n + 2):
        ops += [("event", 5 + j), ("grow", 3)]
    return ops


def random_sequence(n, seed):
    # Of Python's random functions only random() gives the same sequence in every version.
    draw = random.Random(seed).random
    ops = [("first", 1 + 200 * draw())]
    current = 1
    for _ in range(max(60, 6 * n)):
        if draw() < 0.6:
            current += 1 + int(draw() * 2 ** int(draw() * 10))
            ops.append(("grow", current))
        else:
            # An event is known only after later packets: the interval ends a little before its last known length.
            ops.append(("event", max(1, current - int(4 * draw()))))
            current = 1
    return ops


SEQUENCES = (
    ("first_events", first_events),
    ("long_current", long_current),
    ("discounted_row", discounted_row),
    ("first_shortest", lambda n: extreme_first(n, 1)),
    ("first_huge", lambda n: extreme_first(n, 1e12)),
    ("random_a", lambda n: random_sequence(n, 5348)),
    ("random_b", lambda n: random_sequence(n, 3448)),
)
