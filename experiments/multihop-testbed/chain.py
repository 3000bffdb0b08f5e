#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a chain of congested links on the testbed: tfrcsink, tfrcsrc and the kernel's own Reno.

Owns one such run: the spec for the testbed, and the measures of the testbed's results. The measures
have the names that the simulation (experiments/multihop/multihop.cc) gives them. As in the
simulation, every flow has 10 ms to its first router and 10 ms from its last router. Flows that
begin or end at the same router share one host, whose link is far from full.

    experiments/multihop-testbed/chain.py --hops=3 --c1=tfrc --cross=reno --output=DIRECTORY

tfrcsink has neither queue guard nor burst limit here, so that it follows RFC 5348 alone, as the
simulation does. TCP has the kernel's settings: its minimum RTO is 200 ms, and it delays ACKs by
40 ms to 200 ms.
"""

import argparse
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from common import testbed_run as run  # noqa: E402

RATE_BPS = 1_000_000
DELAY = "10ms"  # of every link
FIRST_PORT = 5000  # the port of Cn is n above
C1_START_S = 10.0
CONTROLS = ("tfrc", "reno")


def flows(hops):
    """(number, sending host, receiving host), in the order of the paper: C1 goes over all hops;
    each hop has two of the other flows."""
    found = [(1, 0, hops)]
    for hop in range(1, hops + 1):
        found += [(2 * hop, hop - 1, hop), (2 * hop + 1, hop, hop - 1)]
    return found


def control_of(number, options):
    return options.c1 if number == 1 else options.cross


def build(options):
    """The spec of the run for the testbed."""
    routers = range(options.hops + 1)
    line = {"rate": f"{RATE_BPS}bit", "queue": options.buffer_packets, "delay": DELAY}
    chance = random.Random(f"multihop {options.seed}")
    jobs = {f"meter-{number}": run.meter_job(f"h{number}", f"access{number}", number) for number in routers}
    for number, sender, receiver in flows(options.hops):
        start_s = C1_START_S if number == 1 else chance.uniform(0, 1)
        jobs |= run.flow_jobs(number, control_of(number, options), f"h{sender}", f"h{receiver}", FIRST_PORT + number, start_s,
                              options.duration_s)
    # The only job that is not in the background: the run ends with it.
    jobs["end"] = {"node": "r0", "run": f"sleep {run.READY_S + options.duration_s}"}
    return {
        "limit": f"{options.duration_s + 60}s",
        "nodes": {f"r{number}": {} for number in routers} |
                 {f"h{number}": {"sysctl": {"net.ipv4.tcp_no_metrics_save": 1}} for number in routers},
        "links": {f"access{number}": {"ends": [f"h{number}", f"r{number}"], "delay": DELAY} for number in routers} |
                 {f"hop{number}": {"ends": [f"r{number - 1}", f"r{number}"], **line} for number in routers[1:]},
        "jobs": jobs,
    }


def _flow_row(counts, number, sender, receiver, options):
    """The row of a flow: what it sent and what arrived, from C1's start to the end. Bytes are those
    of IP packets."""
    control = control_of(number, options)
    sent, _ = counts.count(sender, control, FIRST_PORT + number, True)
    arrived, arrived_bytes = counts.count(receiver, control, FIRST_PORT + number, False)
    return {"flow": number, "control": control, "from": sender, "to": receiver, "packets_sent": sent,
            "packets_arrived": arrived, "goodput_bps": counts.bps(arrived_bytes)}


def measure(options, directory):
    """(measures, rows of flows) of a run whose results the testbed has written into the
    directory."""
    counts = run.Counts(directory, C1_START_S, options.duration_s)
    rows = [_flow_row(counts, *flow, options) for flow in flows(options.hops)]
    if idle := [f"C{row['flow']}" for row in rows if row["flow"] != 1 and not row["packets_arrived"]]:
        raise run.BadRun(f"nothing arrived of {', '.join(idle)}")
    forward = [row["goodput_bps"] for row in rows if row["flow"] % 2 == 0]
    cross_bps = sum(forward) / len(forward)
    c1 = rows[0]
    found = {"c1_bps": c1["goodput_bps"], "cross_bps": cross_bps, "utilisation": (c1["goodput_bps"] + cross_bps) / RATE_BPS,
             "dropped_packets": run.dropped(directory), "simulated_s": options.duration_s}
    if options.c1 == "tfrc":
        told = run.gststats.read_log(directory / "jobs" / "receiver-1.out")
        if not told:
            raise run.BadRun("tfrcsrc of C1 told nothing")
        packets = told[-1]["packets-received"] + told[-1]["packets-lost"]
        found["c1_loss_event_rate"] = told[-1]["loss-events"] / max(1, packets)
    return found, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--hops", type=run.whole(1, 10), default=1, help="hops of C1 (%(default)s)")
    parser.add_argument("--buffer_packets", type=run.whole(1, 1000), default=12, help="of each hop (%(default)s)")
    parser.add_argument("--c1", choices=CONTROLS, default="tfrc", help="control of C1 (%(default)s)")
    parser.add_argument("--cross", choices=CONTROLS, default="reno", help="control of all others (%(default)s)")
    parser.add_argument("--duration_s", type=run.whole(11, 100000), default=200, help="%(default)s")
    run.main(parser, lambda options: run.play(build(options), lambda directory: measure(options, directory), options))


if __name__ == "__main__":
    main()
