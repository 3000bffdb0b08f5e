# SPDX-License-Identifier: LGPL-2.1-or-later
"""Limits on what does not depend on the speed of the machine: switches, threads, allocations.

A machine that is busy makes the number of switches smaller, not larger: more is due at each wake-up.
"""

from .cases import BASELINE, OURS, Case

# The other packets have to arrive, so that the numbers are about streams that play.
_MOST_MISSING = 0.5


def checks(ours, baseline, limits):
    """Triples of what, value, limit; the value may be at most the limit."""
    yield "voluntary switches a packet", ours["switches"], limits.max_switches
    # GLib's pool has as many threads as messages that the elements post at the same time, which depends on speed.
    yield "threads beside one for each stream", ours["threads"] - ours["threads_pool"] - ours["streams"], limits.max_threads
    yield "allocations a packet, less those of fakesink", ours["allocations"] - baseline["allocations"], limits.max_allocations
    yield "packets that are missing, of all", ours["missing"], _MOST_MISSING
    yield "errors", ours["errors"], 0


def run(bench, streams, rate_bps, rtt_ms, limits):
    """Measures, prints each check, and returns whether all pass."""
    ours = bench.measure(Case(OURS, streams, rate_bps, rtt_ms), counts_allocations=True)
    baseline = bench.measure(Case(BASELINE, streams, rate_bps), counts_allocations=True)
    passed = True
    for what, value, limit in checks(ours, baseline, limits):
        fits = value <= limit
        passed = passed and fits
        print(f"{what:<48} {value:9.4f} (at most {limit:g}){'' if fits else '  MISSED'}")
    return passed
