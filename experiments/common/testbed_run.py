"""What experiments that play real pipelines on the testbed share: where these are built, a greedy TFRC flow's commands, one
run with its results.

Owns how the testbed and its helpers are reached: programs of this kind are run as files, which find it beside them.
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

READY_S = 2.0  # until then receivers start
WALL_LIMIT_S = 3600  # a guest that hangs
PROTOCOLS = {"tfrc": "udp", "reno": "tcp", "cubic": "tcp"}
RFC5348 = "queue-guard=false burst-limit=0"  # of tfrcsink


class BadRun(Exception):
    """Why there is no result, in words for the user."""


def build_directory():
    """Where the plugin and the tools are built; BUILD_DIR is that of the simulations."""
    return pathlib.Path(os.environ.get("PLUGIN_BUILD_DIR") or ROOT / "build")


def programs():
    """What a result depends on."""
    return (pathlib.Path(__file__), *(build_directory() / name for name in ccid3.PROGRAMS["tfrc"]))


def flow_jobs(name, control, sender, receiver, port, start_s, seconds, *, source="", sink=RFC5348):
    """Jobs of a greedy flow between two nodes. source and sink: properties of tfrcsrc and tfrcsink."""
    if control == "tfrc":
        receive = f"exec gst-launch-1.0 -m tfrcsrc port={port} stats-update-interval=1000 {source} ! fakesink sync=false"
        send = (f"while cat {ccid3.STREAM}; do :; done | gst-launch-1.0 fdsrc blocksize={10 * ccid3.PAYLOAD_BYTES} ! "
                f"video/mpegts,systemstream=true,packetsize=188 ! tfrcsink host=$ADDRESS_{receiver} port={port} "
                f"sync=false {sink} >/dev/null")
    else:
        receive = f"iperf3 -s -p {port} >/dev/null"
        send = f"iperf3 -c $ADDRESS_{receiver} -p {port} -C {control} -t {seconds + 60} >/dev/null"
    return {
        f"receiver-{name}": {"node": receiver, "run": receive, "background": True},
        f"sender-{name}": {"node": sender, "run": send, "background": True, "at": f"{READY_S + start_s:.3f}s"},
    }


def meter_job(node, link, name):
    """Counts the packets of each flow at a node; see Counts."""
    return {"node": node, "background": True,
            "run": f"wire-meter $INTERFACE_{link} --flows $TESTBED_OUT/flows-{name}.csv"}


class Counts:
    """What meters have counted, from one time after READY_S to another."""

    def __init__(self, directory, from_s, to_s):
        self._directory = directory
        with open(directory / "run.json") as file:
            zero_ns = json.load(file)["started_realtime_ns"]
        self._from_ns, self._to_ns = (zero_ns + int((READY_S + at_s) * 1e9) for at_s in (from_s, to_s))

    def count(self, meter, control, port, outgoing):
        """(packets, IP bytes) of a flow."""
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
    """Plays a spec; options.output gets measures.json and flows.csv, which measure(directory) returns as a dictionary and
    rows, and the testbed's results in 'testbed'."""
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
    """A type of arguments."""
    def read(text):
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value
    read.__name__ = "whole number"
    return read


def main(parser, play_it):
    """Adds what all such programs take, and runs one."""
    parser.add_argument("--seed", type=whole(0, 2**31), default=1, help="%(default)s")
    parser.add_argument("--backend", choices=("auto", "netns", "guest"), default="guest", help="%(default)s")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="directory of the results")
    options = parser.parse_args()
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        play_it(options)
    except (BadRun, testbed.TestbedError, logs.LogError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
