#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the statistics of traces side by side, as a Markdown table: statistics.py TRACE...

Owns the table; measures.py defines the measures. (Do not import this program: Python's own module
'statistics' has the same name.)
"""

import argparse
import os
import sys

import measures
import tracefile

# name, heading, format, divisor
SIZES = (
    ("frames", "frames", "d", 1),
    ("mean_ts_bps", "mean rate of the transport stream [kbit/s]", ".1f", 1000),
    ("mean_frame_bytes", "mean frame [bytes]", ".1f", 1),
    ("peak_to_mean", "largest frame / mean frame", ".2f", 1),
    ("frame_cov", "CoV of frames", ".2f", 1),
    ("I_to_mean", "mean I frame / mean frame", ".2f", 1),
    ("P_to_mean", "mean P frame / mean frame", ".2f", 1),
    ("B_to_mean", "mean B frame / mean frame", ".2f", 1),
    ("I_cov", "CoV of I frames", ".2f", 1),
    ("P_cov", "CoV of P frames", ".2f", 1),
    ("B_cov", "CoV of B frames", ".2f", 1),
    ("peak_0.1s_bps", "peak over 0.1 s [Mbit/s]", ".2f", 1e6),
    ("peak_1s_bps", "peak over 1 s [Mbit/s]", ".2f", 1e6),
    ("peak_10s_bps", "peak over 10 s [Mbit/s]", ".2f", 1e6),
    ("gop_cov", "CoV of GoPs", ".2f", 1),
    ("gop_correlation_1", "correlation of GoPs, next", ".2f", 1),
    ("gop_correlation_10", "correlation of GoPs, 10 later", ".2f", 1),
    ("gop_correlation_100", "correlation of GoPs, 100 later", ".2f", 1),
    ("gop_hurst", "Hurst parameter of GoPs", ".2f", 1),
)
UDP = (
    ("iplr", "IPLR", ".2e", 1),
    ("iptd_mean_s", "mean IPTD [ms]", ".1f", 1e-3),
    ("iptd_max_s", "maximum IPTD [ms]", ".1f", 1e-3),
    ("loss_bursts_per_hour", "bursts of losses in an hour", ".1f", 1),
    ("losses_per_burst", "losses in a burst", ".1f", 1),
)
SHAPED = (("late_1s", "at 2 Mbit/s without loss: later than 1 s [%]", ".1f", 1e-2),)


def rows(values, columns, prefix=""):
    """Lines of the table. values: one dictionary for each trace."""
    for name, title, form, unit in columns:
        if any(name in of_trace for of_trace in values):
            found = [of_trace.get(name) for of_trace in values]
            yield [prefix + title] + ["-" if x is None else format(x if unit == 1 else x / unit, form) for x in found]


def table(paths):
    traces = [tracefile.read(path) for path in paths]
    yield [""] + [os.path.splitext(os.path.basename(path))[0] for path in paths]
    yield ["---"] * (len(paths) + 1)
    yield from rows([measures.of_sizes(trace) for trace in traces], SIZES)
    for waiting in (20, 100):
        yield from rows([measures.of_udp(trace, waiting) for trace in traces], UDP, f"UDP, {waiting} packets: ")
    yield from rows([measures.of_shaped(trace) for trace in traces], SHAPED)


def main():
    parser = argparse.ArgumentParser(description="Prints the statistics of traces side by side.")
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    for line in table(parser.parse_args().traces):
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    try:
        main()
    except (tracefile.TraceError, OSError) as error:
        sys.exit(f"statistics.py: {error}")
