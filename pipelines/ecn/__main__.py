# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a movie through a queue that marks packets with ECT instead of dropping them.

pipelines/ecn-demo.sh starts this program. A run has one queue discipline and one seed, and plays
the same part of the movie twice, one after the other: with ECN and without. The movie needs more
than the link has, so that the queue has to signal congestion all the time.
"""

import argparse
import csv
import json
import os
import pathlib
import shlex
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(HERE.parent), str(ROOT)]

import testbed  # noqa: E402
from batch import command  # noqa: E402
from batch.arguments import positive  # noqa: E402
from testbed.errors import TestbedError  # noqa: E402

TRACE = ROOT / "traces" / "v-for-vendetta-like-600s.csv"
TRACE_S = 600
QUEUES = {"red": 60, "codel": 1000, "fq_codel": 10240}  # packets
RATE = "2mbit"
MOVIE_BPS = 2_200_000
FIRST_PORT = 5004
START_S = 0.5  # programs take time to start
SENDER_MORE_S = 5  # what waits in the sender at the end of the movie leaves in this time
MODES = (("on", "true"), ("off", "false"))
# lost: by the network; repaired: those of them that came again in time, so that a player misses the rest
COLUMNS = ("queue", "seed", "ecn", "packets", "lost", "repaired", "marked", "loss_events", "delay_ms", "ecn_state")


def stream(mode, ecn, port, at_s, seed, seconds):
    """The two jobs of one stream."""
    offset_s = seed * 97 % (TRACE_S - 100)
    stats = "--stats-interval 1000 --stats $TESTBED_OUT"
    source, sink = f"tfrcsrc port={port}", f"tfrcsink host=$ADDRESS_b port={port} ecn={ecn} deadline=false ahead-time=0"
    return {
        f"receiver-{mode}": {"node": "b", "background": True,
                             "run": f'vod-receive "{source}" {stats}/receiver-{mode}.jsonl'},
        f"sender-{mode}": {"node": "a", "at": f"{at_s:g}s",
                           "run": f"vod-replay {shlex.quote(TRACE.name)} --bitrate {MOVIE_BPS} --offset {offset_s} "
                                  f'--duration {seconds} --loop {stats}/sender-{mode}.jsonl --sink "{sink}" && sleep 1'},
    }


def build(queue, seed, seconds):
    """The spec of a run."""
    forward = {"rate": RATE, "queue": QUEUES[queue], "aqm": queue, "ecn": True}
    jobs = {}
    for number, (mode, ecn) in enumerate(MODES):
        at_s = START_S + number * (seconds + SENDER_MORE_S)
        jobs |= stream(mode, ecn, FIRST_PORT + number, at_s, seed, seconds)
    return {
        "limit": f"{len(MODES) * (seconds + SENDER_MORE_S) + 60}s",
        "nodes": {"a": {}, "r": {}, "b": {}},
        "links": {"access": {"ends": ["a", "r"], "delay": "1ms"},
                  "bottleneck": {"ends": ["r", "b"], "delay": "20ms", "forward": forward}},
        "jobs": jobs,
    }


def last_stats(path, factory):
    """The last statistics of an element in a log of statistics."""
    found = None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if entry["factory"] == factory:
                found = entry["stats"]
    return found


def measure(queue, seed, mode, directory):
    """One row of the table."""
    receiver = last_stats(directory / f"receiver-{mode}.jsonl", "tfrcsrc")
    sender = last_stats(directory / f"sender-{mode}.jsonl", "tfrcsink")
    values = (queue, seed, mode, sender["packets-sent"], receiver["packets-lost"], receiver["packets-repaired"],
              receiver["ce-marks"], receiver["loss-events"], round(sender["sender-delay-max"] / 1e6), sender["ecn-state"])
    return dict(zip(COLUMNS, values))


def play(queue, seed, options):
    directory = options.output / f"{queue}-{seed}"
    done = testbed.run(build(queue, seed, options.seconds), directory, backend=options.backend, seed=seed, files=[TRACE])
    if done.exit_status != 0:
        sys.exit(f"ecn-demo: {queue}, seed {seed}: the testbed's exit status is {done.exit_status}, see {directory}")
    return [measure(queue, seed, mode, directory) for mode, _ in MODES]


def print_row(values):
    print("  ".join(f"{value:>11}" for value in values), flush=True)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="ecn-demo.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--queue", choices=QUEUES, action="append", help="discipline of the queue; may be repeated (red, codel)")
    parser.add_argument("--runs", type=positive, default=3, help="with seeds from 1 on (%(default)s)")
    parser.add_argument("--seconds", type=positive, default=20, help="of the movie (%(default)s)")
    parser.add_argument("--backend", choices=("auto", "netns", "guest"), default="guest",
                        help="back end of the testbed (guest, with which the numbers do not depend on this machine)")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", help="directory of the results (ecn-demo in the build directory)")
    options = parser.parse_args(arguments)
    build_directory = pathlib.Path(os.environ.get("BUILD_DIR") or ROOT / "build")
    options.output = options.output or build_directory / "ecn-demo"
    options.queue = options.queue or ["red", "codel"]
    return options


def main(arguments):
    options = parse_arguments(arguments)
    command.end_of_check()
    rows = []
    print_row(COLUMNS)
    try:
        for queue in options.queue:
            for seed in range(1, options.runs + 1):
                played = play(queue, seed, options)
                for row in played:
                    print_row(row.values())
                rows += played
    except TestbedError as error:
        sys.exit(f"ecn-demo: {error}")
    with open(options.output / "runs.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
