# SPDX-License-Identifier: LGPL-2.1-or-later
"""The measures of a trace: sizes by frame type, peaks, correlation, and loss and delay over plain
UDP.

Owns the definitions. Rates are those of the transport stream, frames sent in coding order.
"""

import math

import droptail
import transportstream


def mean(values):
    return sum(values) / len(values)


def variance(values):
    average = mean(values)
    return sum((value - average) ** 2 for value in values) / len(values)


def variation(values):
    """Coefficient of variation: standard deviation to mean."""
    return math.sqrt(variance(values)) / mean(values)


def peak_bps(due_ns, window_ns):
    """The highest rate at which packets are due, over any half-open window of this length."""
    most = first = 0
    for last, time_ns in enumerate(due_ns):
        while time_ns - due_ns[first] >= window_ns:
            first += 1
        most = max(most, last - first + 1)
    return most * transportstream.PACKET_BYTES * 8 * 1_000_000_000 / window_ns


def gop_sizes(trace):
    """Bytes in each whole group of pictures, from I frame to I frame."""
    starts = [number for number, kind in enumerate(trace.types) if kind == "I"]
    return [sum(trace.sizes_bytes[first:end]) for first, end in zip(starts, starts[1:])]


def autocorrelation(values, lag):
    """The correlation of values that are 'lag' places apart. None if there are too few values, or
    all are equal."""
    if lag >= len(values) or variance(values) == 0:
        return None
    average = mean(values)
    products = [(one - average) * (other - average) for one, other in zip(values, values[lag:])]
    return sum(products) / (variance(values) * len(values))


def hurst(values, fewest_blocks=10):
    """The Hurst parameter by the method of aggregated variance: the variance of means over blocks of m values falls as
    m^(2H - 2). None for fewer than 40 values."""
    points = []
    block = 1
    while len(values) // block >= fewest_blocks:
        means = [mean(values[first : first + block]) for first in range(0, len(values) - block + 1, block)]
        if variance(means) > 0:
            points.append((math.log(block), math.log(variance(means))))
        block *= 2
    if len(points) < 3:
        return None
    x, y = mean([x for x, _ in points]), mean([y for _, y in points])
    return 1 + sum((px - x) * (py - y) for px, py in points) / sum((px - x) ** 2 for px, _ in points) / 2


def of_sizes(trace):
    """Measures that need no link, by name."""
    sizes = trace.sizes_bytes
    counts = transportstream.ts_packets(trace, trace.coding_order())
    due_ns = transportstream.due_times_ns(counts, trace.interval_ms)
    result = {
        "frames": len(trace),
        "mean_frame_bytes": mean(sizes),
        "mean_ts_bps": transportstream.bitrate_bps(counts, trace.interval_ms),
        "peak_to_mean": max(sizes) / mean(sizes),
        "frame_cov": variation(sizes),
    }
    for kind in "IPB":
        of_kind = [size for size, other in zip(sizes, trace.types) if other == kind]
        if of_kind:
            result[f"{kind}_to_mean"] = mean(of_kind) / mean(sizes)
            result[f"{kind}_cov"] = variation(of_kind)
    for name, window_ns in (("0.1s", 100_000_000), ("1s", 1_000_000_000), ("10s", 10_000_000_000)):
        result[f"peak_{name}_bps"] = peak_bps(due_ns, window_ns)
    gops = gop_sizes(trace)
    if len(gops) > 1:
        result["gop_cov"] = variation(gops)
        for lag in (1, 10, 100):
            result[f"gop_correlation_{lag}"] = autocorrelation(gops, lag)
        result["gop_hurst"] = hurst(gops)
    return result


def of_udp(trace, waiting, order="coding", delay_ms=20):
    """Measures of plain UDP over a link of 2 Mbit/s, by name."""
    result = droptail.udp(transportstream.packets_of(trace, order), waiting=waiting, delay_ms=delay_ms)
    bursts = result.bursts()
    return {
        "iplr": result.loss_ratio,
        "iptd_mean_s": result.delay_mean_s,
        "iptd_max_s": result.delay_max_s,
        "loss_bursts_per_hour": len(bursts) * 3600 / trace.duration_s,
        "losses_per_burst": mean(bursts) if bursts else 0.0,
    }


def of_shaped(trace):
    """Of a sender that loses nothing: packets leave at the rate of a link of 2 Mbit/s, and wait for
    as long as that takes."""
    packets = transportstream.packets_of(trace)
    delays_ns = droptail.udp(packets, waiting=len(packets), delay_ms=0).delays_ns
    return {"late_1s": sum(delay_ns > 1_000_000_000 for delay_ns in delays_ns) / len(packets)}
