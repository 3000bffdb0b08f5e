# SPDX-License-Identifier: LGPL-2.1-or-later
"""The measures of times and rates that the benchmark reports, as functions of plain arrays.

Owns the definitions of quantiles, delay variation, late packets, coefficient of variation, and the
summary of several runs. Delays are in seconds; NaN stands for a packet without a delay. None stands
for a measure that cannot be computed.
"""

import math

import numpy as np

ROUNDING_S = 0.5e-9  # times are whole nanoseconds, but sums of doubles


def quantile(values, fraction):
    """The quantile by the nearest rank: the smallest value such that this fraction of the values
    does not exceed it."""
    ordered = np.sort(values)
    # The rounding keeps 0.99 * 100 at 99, in spite of binary fractions.
    return float(ordered[max(math.ceil(round(fraction * len(ordered), 9)), 1) - 1])


def delay_measures(name, delays_s):
    """Mean, median, 99th percentile, and extremes of the delays that are not NaN."""
    present = delays_s[~np.isnan(delays_s)]
    if not len(present):
        return {f"{name}_{what}": None for what in ("mean", "p50", "p99", "min", "max")}
    return {f"{name}_mean": float(np.mean(present)), f"{name}_p50": quantile(present, 0.5),
            f"{name}_p99": quantile(present, 0.99), f"{name}_min": float(np.min(present)),
            f"{name}_max": float(np.max(present))}


def variation_measures(name, delays_s):
    """Delay variation in both meanings of RFC 5481, over packets in the order in which they were due.

    _pdv_p99 is the 99th percentile of the difference between a packet's delay and the smallest
    delay. _ipdv_mean is the mean absolute difference between the delays of neighbours that both
    arrived.
    """
    present = delays_s[~np.isnan(delays_s)]
    steps = np.abs(np.diff(delays_s))
    steps = steps[~np.isnan(steps)]
    return {f"{name}_pdv_p99": quantile(present, 0.99) - float(np.min(present)) if len(present) else None,
            f"{name}_ipdv_mean": float(np.mean(steps)) if len(steps) else None}


def late_measures(delivery_s, path_s, buffers_s):
    """The fraction of all packets that arrive after the player needed them.

    A player with a buffer of B seconds plays a packet B after the time at which an empty network
    would have delivered it: at due time + path_s + B. Packets that never arrive are lost, and are
    not counted here.
    """
    delivered = delivery_s[~np.isnan(delivery_s)]
    return {f"late_{buffer_s:g}": float(np.count_nonzero(delivered > buffer_s + path_s + ROUNDING_S)) / len(delivery_s)
            for buffer_s in buffers_s}


def missed_measures(delivery_s, path_s, buffers_s):
    """The fraction of all packets that the player does not have when it needs them, because they
    are late or lost."""
    missing = float(np.mean(np.isnan(delivery_s)))
    return {name.replace("late", "missed"): missing + late
            for name, late in late_measures(delivery_s, path_s, buffers_s).items()}


def rate_cov(times_s, weights, start_s, end_s, interval_s):
    """Coefficient of variation (standard deviation / mean) of the rate over the whole intervals from start to end."""
    # The rounding keeps a whole number of intervals whole, in spite of binary fractions.
    intervals = math.floor(round((end_s - start_s) / interval_s, 6))
    if intervals < 2:
        return None
    index = np.floor(np.round((np.asarray(times_s) - start_s) / interval_s, 6)).astype(np.int64)
    inside = (index >= 0) & (index < intervals)
    amounts = np.bincount(index[inside], weights=np.broadcast_to(weights, index.shape)[inside], minlength=intervals)
    mean = np.mean(amounts)
    return float(np.std(amounts) / mean) if mean > 0 else None


def _t_within(t, freedom):
    """Probability that Student's t lies between -t and t: the finite series for whole degrees of freedom."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    total, term = 0.0, cosine if odd else 1.0
    for n in range(3 if odd else 2, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (n - 1) / n
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def student_t(confidence, freedom):
    """The value that |Student's t| does not exceed with this probability."""
    low, high = 0.0, 1.0
    while _t_within(high, freedom) < confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_within(middle, freedom) < confidence else (low, middle)
    return high


def summarise(values, confidence=0.95):
    """The summary of a measure over several runs. ci95 is the half width of the confidence interval
    around the mean; None for one run."""
    present = np.array([value for value in values if value is not None], dtype=float)
    n = len(present)
    if n == 0:
        return {"n": 0, "median": None, "min": None, "max": None, "mean": None, "ci95": None}
    half = student_t(confidence, n - 1) * float(np.std(present, ddof=1)) / math.sqrt(n) if n > 1 else None
    return {"n": n, "median": float(np.median(present)), "min": float(np.min(present)), "max": float(np.max(present)),
            "mean": float(np.mean(present)), "ci95": half}
