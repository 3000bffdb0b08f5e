# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs of real pipelines on the testbed, for experiments: the build directory, the commands of
greedy flows, and one run with its results.

Owns the search path of the testbed and of its helpers, because programs that play such runs are
started as files.
"""

import argparse
import csv
import json
import os
import pathlib
import resource
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PIPELINES = ROOT / "pipelines"
sys.path += [str(PIPELINES), str(PIPELINES / "vod-benchmark"), str(PIPELINES / "demo"), str(ROOT)]

import ccid3  # noqa: E402
import gststats  # noqa: E402, F401 (for programs)
import logs  # noqa: E402
import testbed  # noqa: E402
from batch import provenance  # noqa: E402

READY_S = 2.0  # receivers start before this time
WALL_LIMIT_S = 3600  # ends a guest that hangs
PROTOCOLS = {"tfrc": "udp", "reno": "tcp", "cubic": "tcp"}
RFC5348 = "queue-guard=false burst-limit=0 initial-window=0"  # of tfrcsink


class BadRun(Exception):
    """A run gave no result; the text is the reason, for the user."""


def build_directory():
    """The build directory of the plugin and the tools. BUILD_DIR is another directory: the
    simulations'."""
    return pathlib.Path(os.environ.get("PLUGIN_BUILD_DIR") or ROOT / "build")


def programs():
    """The files on which a result depends: programs, and what makes the network and reads the logs."""
    readers = (pathlib.Path(module.__file__) for module in (ccid3, gststats, logs))
    return (pathlib.Path(__file__), *readers, *provenance.testbed_sources(),
            *(build_directory() / name for name in ccid3.PROGRAMS["tfrc"]))


def flow_jobs(name, control, sender, receiver, port, start_s, seconds, *, source="", sink=RFC5348, offered_bps=None):
    """The testbed's jobs of a flow between two nodes. source and sink: properties of tfrcsrc and
    tfrcsink. offered_bps: the rate of the payload that TFRC is offered; None: TFRC has always
    data."""
    if control == "tfrc":
        packets = 10 if offered_bps is None else 1  # of a block
        pace = "" if offered_bps is None else f"identity datarate={offered_bps // 8} sync=true ! "
        receive = f"exec gst-launch-1.0 -m tfrcsrc port={port} stats-update-interval=1000 {source} ! fakesink sync=false"
        send = (f"while cat {ccid3.STREAM}; do :; done | gst-launch-1.0 fdsrc blocksize={packets * ccid3.PAYLOAD_BYTES} ! "
                f"{pace}video/mpegts,systemstream=true,packetsize=188 ! tfrcsink host=$ADDRESS_{receiver} port={port} "
                f"sync=false {sink} >/dev/null")
    else:
        receive = f"iperf3 -s -p {port} >/dev/null"
        send = f"iperf3 -c $ADDRESS_{receiver} -p {port} -C {control} -t {seconds + 60} >/dev/null"
    return {
        f"receiver-{name}": {"node": receiver, "run": receive, "background": True},
        f"sender-{name}": {"node": sender, "run": send, "background": True, "at": f"{READY_S + start_s:.3f}s"},
    }


def meter_job(node, link, name):
    """A job that counts the packets of each flow at a node; see Counts."""
    return {"node": node, "background": True,
            "run": f"wire-meter $INTERFACE_{link} --flows $TESTBED_OUT/flows-{name}.csv"}


class Counts:
    """The counts of the meters between two times, both in seconds after READY_S."""

    def __init__(self, directory, from_s, to_s):
        self._directory = directory
        with open(directory / "run.json") as file:
            zero_ns = json.load(file)["started_realtime_ns"]
        self._from_ns, self._to_ns = (zero_ns + int((READY_S + at_s) * 1e9) for at_s in (from_s, to_s))

    def count(self, meter, control, port, outgoing):
        """The packets and the IP bytes of a flow."""
        chosen = [row for row in logs.read_flows(self._directory / f"flows-{meter}.csv")
                  if (row.outgoing, row.proto, row.dport) == (outgoing, PROTOCOLS[control], port)
                  and self._from_ns <= row.time_ns < self._to_ns]
        return sum(row.packets for row in chosen), sum(row.ip_bytes for row in chosen)

    def bps(self, ip_bytes):
        return ip_bytes * 8e9 / (self._to_ns - self._from_ns)


def dropped(directory):
    with open(directory / "links.csv", newline="") as file:
        return sum(int(row["dropped"]) for row in csv.DictReader(file))


def play(spec, measure, options):
    """Plays a spec and writes measures.json and flows.csv into options.output, and the testbed's
    results into its directory 'testbed'. measure(directory) returns the measures as a dictionary
    and the rows of flows.csv. Raises BadRun if a job fails."""
    directory = options.output / "testbed"
    os.environ["BUILD_DIR"] = str(build_directory())
    with tempfile.TemporaryDirectory() as scratch:
        stream = pathlib.Path(scratch, ccid3.STREAM)
        stream.write_bytes(ccid3.NULL_PACKET * (ccid3.STREAM_BYTES // len(ccid3.NULL_PACKET)))
        outcome = testbed.run(spec, output=directory, backend=options.backend, seed=options.seed,
                              limit_s=WALL_LIMIT_S, files=[stream])
    if outcome.exit_status != 0:
        raise BadRun(f"the testbed's exit status is {outcome.exit_status}, see {directory}")
    found, rows = measure(directory)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found["cpu_s"] = used.ru_utime + used.ru_stime
    (options.output / "measures.json").write_text(json.dumps(found, indent=1) + "\n")
    with open(options.output / "flows.csv", "w", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def whole(least, most):
    """The type of an argument that is a whole number from least to most."""
    def read(text):
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value
    read.__name__ = "whole number"
    return read


def main(parser, play_it):
    """Adds the arguments that all programs of this kind take, and runs play_it(options)."""
    parser.add_argument("--seed", type=whole(0, 2**31), default=1, help="seed of all that is random (%(default)s)")
    parser.add_argument("--backend", choices=("auto", "netns", "guest"), default="guest", help="back end of the testbed (%(default)s)")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="directory of the results")
    options = parser.parse_args()
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        play_it(options)
    except (BadRun, testbed.TestbedError, logs.LogError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
