#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays TFRC flows (tfrcsink, tfrcsrc) beside flows of the kernel's TCP on the testbed.

Owns one such run: the spec for the testbed, and the measures of the testbed's results. The measures
have the names that the simulation (experiments/fairness/fairness.cc) gives them.

    experiments/fairness-testbed/pair.py --rtt_ms=50 --tcp=cubic --output=DIRECTORY

By default tfrcsink has neither queue guard nor burst limit here. TCP has the kernel's settings.
"""

import argparse
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from common import testbed_run as run  # noqa: E402

RATE_BPS = 10_000_000
PACKET_BYTES = 1500
PORTS = {"tfrc": 5004, "tcp": 5201}  # of the first flow; tfrcsrc uses one port more
PORT_STEPS = {"tfrc": 2, "tcp": 1}
SETTINGS = {"rfc": run.RFC5348, "cubic": f"{run.RFC5348} tcp-model=cubic", "default": ""}
# In packets, as in the simulation; RED's thresholds are a quarter and three quarters of its queue.
LONG_QUEUES = {"codel": 1000, "fq_codel": 10240}
LEAST_RED = 20


def queue_packets(options):
    bdp = RATE_BPS * options.rtt_ms / 1e3 / 8 / PACKET_BYTES
    if options.queue == "red":
        return max(LEAST_RED, round(bdp))
    return LONG_QUEUES.get(options.queue) or max(1, round(bdp * options.queue_bdp))


def flows(options):
    """(kind, name, control, port) of each flow."""
    counts = {"tfrc": options.tfrc_flows, "tcp": options.tcp_flows}
    return [(kind, f"{kind}-{number}", "tfrc" if kind == "tfrc" else options.tcp, PORTS[kind] + number * PORT_STEPS[kind])
            for kind, count in counts.items() for number in range(count)]


def build(options):
    """The spec of the run for the testbed."""
    total_s = options.warmup_s + options.duration_s
    delay = f"{options.rtt_ms / 2:g}ms"
    bottleneck = {"rate": f"{RATE_BPS}bit", "queue": queue_packets(options), "delay": delay}
    if options.queue != "droptail":
        bottleneck["aqm"] = options.queue
    chance = random.Random(f"fairness {options.seed}")
    policy = f"experiment=rto-policy={options.rto_policy}"
    jobs = {f"meter-{node}": run.meter_job(node, link, node) for node, link in (("a", "access"), ("b", "bottleneck"))}
    properties = {"tfrc": {"source": policy, "sink": f"{policy} {SETTINGS[options.settings]}"}, "tcp": {}}
    start_s = {"tfrc": 0, "tcp": options.tcp_start_s}
    for kind, name, control, port in flows(options):
        jobs |= run.flow_jobs(name, control, "a", "b", port, start_s[kind] + chance.uniform(0, 1), total_s, **properties[kind])
    jobs["end"] = {"node": "r", "run": f"sleep {run.READY_S + total_s}"}
    # Large buffers, so that congestion control alone limits the rate.
    node = {"sysctl": {"net.ipv4.tcp_no_metrics_save": 1, "net.ipv4.tcp_rmem": "4096 131072 16777216",
                       "net.ipv4.tcp_wmem": "4096 65536 16777216", "net.ipv4.tcp_sack": options.sack}}
    return {
        "limit": f"{total_s + 60}s",
        "nodes": {"a": node, "r": {}, "b": node},
        "links": {"access": {"ends": ["a", "r"]},
                  "bottleneck": {"ends": ["r", "b"], "forward": bottleneck, "backward": {"delay": delay}}},
        "jobs": jobs,
    }


def measure(options, directory):
    """(measures, rows of flows) of a run whose results the testbed has written into the
    directory."""
    total_s = options.warmup_s + options.duration_s
    counts = run.Counts(directory, options.warmup_s, total_s)
    rows = []
    for kind, name, control, port in flows(options):
        sent, _ = counts.count("a", control, port, True)
        arrived, arrived_bytes = counts.count("b", control, port, False)
        if not sent:
            raise run.BadRun(f"{name} sent nothing")
        rows.append({"kind": kind, "packets": sent, "drops": sent - arrived, "rate_bps": counts.bps(arrived_bytes)})
    means = {kind: _mean_of([row for row in rows if row["kind"] == kind]) for kind in PORTS}
    rates = [row["rate_bps"] for row in rows]
    return {**{f"{kind}_bps": mean["rate_bps"] for kind, mean in means.items()},
            "ratio": means["tfrc"]["rate_bps"] / means["tcp"]["rate_bps"],
            "jain": sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates)),
            "utilisation": sum(rates) / RATE_BPS,
            **{f"{kind}_lost": mean["lost"] for kind, mean in means.items()},
            **_tfrc_loss_events(options, directory), "simulated_s": total_s}, rows


def _mean_of(rows):
    """The mean rate of flows, and the part of their packets that was lost."""
    return {"rate_bps": sum(row["rate_bps"] for row in rows) / len(rows),
            "lost": sum(row["drops"] for row in rows) / sum(row["packets"] for row in rows)}


def _tfrc_loss_events(options, directory):
    """Loss events per packet of all TFRC flows during the measurement, as tfrcsrc counts them."""
    packets = events = 0
    for kind, name, _, _ in flows(options):
        if kind != "tfrc":
            continue
        told = [(row["packets-received"] + row["packets-lost"], row["loss-events"])
                for row in run.gststats.read_log(directory / "jobs" / f"receiver-{name}.out")]
        if len(told) < options.warmup_s + 2:
            raise run.BadRun(f"the receiver of {name} told nothing")
        # One element a second: the index is the time in seconds.
        (packets_before, events_before), (packets_after, events_after) = told[options.warmup_s], told[-1]
        packets += packets_after - packets_before
        events += events_after - events_before
    return {"tfrc_p": events / max(1, packets), "tfrc_loss_events": events}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--rtt_ms", type=run.whole(2, 10000), default=20, help="of the path (%(default)s)")
    parser.add_argument("--queue", choices=("droptail", "red", "codel", "fq_codel"), default="droptail", help="%(default)s")
    parser.add_argument("--queue_bdp", type=float, default=1, help="of droptail (%(default)s)")
    parser.add_argument("--tcp", choices=("reno", "cubic"), default="reno", help="the kernel's (%(default)s)")
    parser.add_argument("--sack", type=int, choices=(0, 1), default=1, help="TCP's (%(default)s); without, it recovers as NewReno")
    parser.add_argument("--tfrc_flows", type=run.whole(1, 50), default=1, help="flows of TFRC (%(default)s)")
    parser.add_argument("--tcp_flows", type=run.whole(1, 50), default=1, help="flows of TCP (%(default)s)")
    parser.add_argument("--rto_policy", choices=("4r", "tcp", "linux", "balanced"), default="4r", help="%(default)s")
    parser.add_argument("--settings", choices=SETTINGS, default="rfc", help="of tfrcsink (%(default)s)")
    parser.add_argument("--tcp_start_s", type=run.whole(0, 100000), default=0, help="TCP starts within a second from then on")
    parser.add_argument("--warmup_s", type=run.whole(1, 100000), default=20, help="before measuring (%(default)s)")
    parser.add_argument("--duration_s", type=run.whole(1, 100000), default=60, help="that is measured (%(default)s)")
    run.main(parser, lambda options: run.play(build(options), lambda directory: measure(options, directory), options))


if __name__ == "__main__":
    main()
