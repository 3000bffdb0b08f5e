#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays one greedy TFRC flow (tfrcsink, tfrcsrc) over a lossy bottleneck on the testbed, with
mechanisms of enhanced TFRC.

Owns one such run: the spec for the testbed, and the measures of the testbed's results. Measures and
options have the names of the simulation's (experiments/enhanced/enhanced.cc).

    experiments/enhanced-testbed/flow.py --link_loss=0.01 --loss_response=congestion-only
        --loss_classifier=trend --output=DIRECTORY

The bottleneck is the one that the simulation leaves to the flow: 1.5 Mbit/s, a base round-trip time
of 84 ms, a queue of one bandwidth-delay product. tfrcsink has neither queue guard nor burst limit
here.
"""

import argparse
import csv
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from common import testbed_run as run  # noqa: E402

RATE_BPS = 1_500_000
RTT_MS = 84
WIRE_BYTES = 1368  # of tfrcsink's packets
QUEUE_PACKETS = round(RATE_BPS * RTT_MS / 1e3 / 8 / WIRE_BYTES)
PORT = 5004
SINK_OPTIONS = {"rtt_method": ("ewma", "adaptive", "adaptive-bounded"), "rto_policy": ("4r", "adaptive"),
                "loss_response": ("all", "congestion-only")}
SOURCE_OPTIONS = {"loss_interval_method": ("weighted", "ci-replace", "ci-include", "mean-replace", "mean-include"),
                  "loss_classifier": ("none", "trend", "spike", "zigzag")}


def _experiment(options, names):
    return "experiment=" + ",".join(f"{name.replace('_', '-')}={getattr(options, name)}" for name in names)


def build(options):
    """The spec of the run for the testbed."""
    total_s = options.warmup_s + options.duration_s
    delay = f"{RTT_MS / 2:g}ms"
    chance = random.Random(f"enhanced {options.seed}")
    jobs = {f"meter-{node}": run.meter_job(node, link, node) for node, link in (("a", "access"), ("b", "bottleneck"))}
    jobs |= run.flow_jobs("tfrc", "tfrc", "a", "b", PORT, chance.uniform(0, 1), total_s,
                          source=_experiment(options, (*SOURCE_OPTIONS, "rto_policy")),
                          sink=f"{_experiment(options, SINK_OPTIONS)} stats-update-interval=1000 {run.RFC5348}")
    jobs["end"] = {"node": "r", "run": f"sleep {run.READY_S + total_s}"}
    return {
        "limit": f"{total_s + 60}s",
        "nodes": {"a": {}, "r": {}, "b": {}},
        "links": {"access": {"ends": ["a", "r"]},
                  "bottleneck": {"ends": ["r", "b"], "backward": {"delay": delay},
                                 "forward": {"rate": f"{RATE_BPS}bit", "queue": QUEUE_PACKETS, "delay": delay,
                                             "loss": options.link_loss}}},
        "jobs": jobs,
    }


def _bottleneck(directory):
    """The packets that the bottleneck's queue and line have lost in the whole run."""
    with open(directory / "links.csv", newline="") as file:
        row = next(row for row in csv.DictReader(file) if (row["link"], row["direction"]) == ("bottleneck", "forward"))
    return int(row["dropped"]), int(row["lost"])


def _mean(values):
    return sum(values) / len(values) if values else float("nan")


def measure(options, directory):
    """(measures, rows of flows) of a run whose results the testbed has written into the
    directory."""
    total_s = options.warmup_s + options.duration_s
    counts = run.Counts(directory, options.warmup_s, total_s)
    sent, _ = counts.count("a", "tfrc", PORT, True)
    arrived, arrived_bytes = counts.count("b", "tfrc", PORT, False)
    told = run.gststats.read_log(directory / "jobs" / "receiver-tfrc.out")
    if not sent or len(told) < options.warmup_s + 2:
        raise run.BadRun("the flow sent nothing, or tfrcsrc told nothing")
    queue_drops, link_errors = _bottleneck(directory)
    measured = told[options.warmup_s:]  # one element a second
    found = {"throughput_bps": counts.bps(arrived_bytes), "loss_ratio": (sent - arrived) / sent,
             "p": _mean([row["loss-event-rate"] for row in measured]), "rtt_s": _mean([row["rtt"] for row in measured]) / 1e9,
             "queue_drops": queue_drops, "link_errors": link_errors, "lost_told": told[-1]["packets-lost"],
             "link_errors_told": told[-1]["link-errors"], "simulated_s": total_s}
    return found, [{"kind": "tfrc", "packets": sent, "drops": sent - arrived, "rate_bps": found["throughput_bps"]}]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--link_loss", type=float, default=0, help="packets that the line loses, a fraction (%(default)s)")
    for name, choices in (SINK_OPTIONS | SOURCE_OPTIONS).items():
        parser.add_argument(f"--{name}", choices=choices, default=choices[0], help="%(default)s")
    parser.add_argument("--warmup_s", type=run.whole(1, 100000), default=8, help="before measuring (%(default)s)")
    parser.add_argument("--duration_s", type=run.whole(1, 100000), default=32, help="that is measured (%(default)s)")
    run.main(parser, lambda options: run.play(build(options), lambda directory: measure(options, directory), options))


if __name__ == "__main__":
    main()
