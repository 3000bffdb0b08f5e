#!/usr/bin/env python3
"""The chain of congested links on the testbed: real pipelines of tfrcsink and tfrcsrc, and the kernel's own Reno.

Owns one such run: what the testbed is told, and the measures of what it leaves, under the names that the simulation
(experiments/multihop/multihop.cc) gives them. As there, every flow has 10 ms to its first router and from its last; flows
that begin or end at a router share the host there, whose link is far from full.

    experiments/multihop-testbed/chain.py --hops=3 --c1=tfrc --cross=reno --output=DIRECTORY

tfrcsink has neither queue guard nor burst limit here, so that it does what RFC 5348 says, as the simulation does. TCP is
the kernel's as it is: its minimum RTO is 200 ms, and it delays ACKs by 40 ms to 200 ms.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import resource
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
PIPELINES = ROOT / "pipelines"
sys.path += [str(PIPELINES), str(PIPELINES / "vod-benchmark"), str(PIPELINES / "demo")]

import ccid3  # noqa: E402
import gststats  # noqa: E402
import logs  # noqa: E402
import testbed  # noqa: E402

RATE_BPS = 1_000_000
DELAY = "10ms"  # of every link
FIRST_PORT = 5000  # the port of Cn is n above
READY_S = 2.0  # until then receivers start
C1_START_S = 10.0
WALL_LIMIT_S = 3600  # a guest that hangs
CONTROLS = {"tfrc": "udp", "reno": "tcp"}  # and their protocols


def build_directory():
    """Where the plugin and the tools are built; BUILD_DIR is that of the simulations."""
    return pathlib.Path(os.environ.get("PLUGIN_BUILD_DIR") or ROOT / "build")


def programs():
    """What a result depends on."""
    return tuple(build_directory() / name for name in ccid3.PROGRAMS["tfrc"])


class BadRun(Exception):
    """Why there is no result, in words for the user."""


def flows(hops):
    """(number, sending host, receiving host), in the order of the paper: C1 over all hops, of the others two a hop."""
    found = [(1, 0, hops)]
    for hop in range(1, hops + 1):
        found += [(2 * hop, hop - 1, hop), (2 * hop + 1, hop, hop - 1)]
    return found


def control_of(number, options):
    return options.c1 if number == 1 else options.cross


def _jobs(number, sender, receiver, options, start_s):
    port = FIRST_PORT + number
    if control_of(number, options) == "tfrc":
        receive = f"exec gst-launch-1.0 -m tfrcsrc port={port} stats-update-interval=1000 ! fakesink sync=false"
        send = (f"while cat {ccid3.STREAM}; do :; done | gst-launch-1.0 fdsrc blocksize={10 * ccid3.PAYLOAD_BYTES} ! "
                f"video/mpegts,systemstream=true,packetsize=188 ! tfrcsink host=$ADDRESS_h{receiver} port={port} "
                f"sync=false queue-guard=false burst-limit=0 >/dev/null")
    else:
        receive = f"iperf3 -s -p {port} >/dev/null"
        send = f"iperf3 -c $ADDRESS_h{receiver} -p {port} -C reno -t {options.duration_s + 60} >/dev/null"
    return {
        f"receiver-{number}": {"node": f"h{receiver}", "run": receive, "background": True},
        f"sender-{number}": {"node": f"h{sender}", "run": send, "background": True, "at": f"{READY_S + start_s:.3f}s"},
    }


def build(options):
    """What the testbed is to do."""
    routers = range(options.hops + 1)
    line = {"rate": f"{RATE_BPS}bit", "queue": options.buffer_packets, "delay": DELAY}
    chance = random.Random(f"multihop {options.seed}")
    jobs = {f"meter-{number}": {"node": f"h{number}", "background": True,
                                "run": f"wire-meter $INTERFACE_access{number} --flows $TESTBED_OUT/flows-{number}.csv"}
            for number in routers}
    for number, sender, receiver in flows(options.hops):
        start_s = C1_START_S if number == 1 else chance.uniform(0, 1)
        jobs |= _jobs(number, sender, receiver, options, start_s)
    # The only one that anything waits for
    jobs["end"] = {"node": "r0", "run": f"sleep {READY_S + options.duration_s}"}
    return {
        "limit": f"{options.duration_s + 60}s",
        "nodes": {f"r{number}": {} for number in routers} |
                 {f"h{number}": {"sysctl": {"net.ipv4.tcp_no_metrics_save": 1}} for number in routers},
        "links": {f"access{number}": {"ends": [f"h{number}", f"r{number}"], "delay": DELAY} for number in routers} |
                 {f"hop{number}": {"ends": [f"r{number - 1}", f"r{number}"], **line} for number in routers[1:]},
        "jobs": jobs,
    }


def _flow_row(directory, number, sender, receiver, options, zero_ns):
    """What a flow sent and what arrived, from C1's start to the end, IP packets with all headers."""
    window = [zero_ns + int((READY_S + at_s) * 1e9) for at_s in (C1_START_S, options.duration_s)]
    control = control_of(number, options)

    def count(host, outgoing):
        chosen = [row for row in logs.read_flows(directory / f"flows-{host}.csv")
                  if (row.outgoing, row.proto, row.dport) == (outgoing, CONTROLS[control], FIRST_PORT + number)
                  and window[0] <= row.time_ns < window[1]]
        return sum(row.packets for row in chosen), sum(row.ip_bytes for row in chosen)

    sent, _ = count(sender, True)
    arrived, arrived_bytes = count(receiver, False)
    return {"flow": number, "control": control, "from": sender, "to": receiver, "packets_sent": sent,
            "packets_arrived": arrived, "goodput_bps": arrived_bytes * 8e9 / (window[1] - window[0])}


def measure(options, directory):
    """(measures, rows of flows) of a run that the testbed has left in the directory."""
    with open(directory / "run.json") as file:
        zero_ns = json.load(file)["started_realtime_ns"]
    rows = [_flow_row(directory, *flow, options, zero_ns) for flow in flows(options.hops)]
    if idle := [f"C{row['flow']}" for row in rows if row["flow"] != 1 and not row["packets_arrived"]]:
        raise BadRun(f"nothing arrived of {', '.join(idle)}")
    forward = [row["goodput_bps"] for row in rows if row["flow"] % 2 == 0]
    cross_bps = sum(forward) / len(forward)
    c1 = rows[0]
    with open(directory / "links.csv", newline="") as file:
        dropped = sum(int(row["dropped"]) for row in csv.DictReader(file))
    found = {"c1_bps": c1["goodput_bps"], "cross_bps": cross_bps, "utilisation": (c1["goodput_bps"] + cross_bps) / RATE_BPS,
             "dropped_packets": dropped}
    if options.c1 == "tfrc":
        told = gststats.read_log(directory / "jobs" / "receiver-1.out")
        if not told:
            raise BadRun("tfrcsrc of C1 told nothing")
        packets = told[-1]["packets-received"] + told[-1]["packets-lost"]
        found["c1_loss_event_rate"] = told[-1]["loss-events"] / max(1, packets)
    return found, rows


def play(options):
    """Plays the run; its directory gets measures.json and flows.csv, and the testbed's results in 'testbed'."""
    directory = options.output / "testbed"
    os.environ["BUILD_DIR"] = str(build_directory())
    with tempfile.TemporaryDirectory() as scratch:
        stream = pathlib.Path(scratch, ccid3.STREAM)
        stream.write_bytes(ccid3.NULL_PACKET * (ccid3.STREAM_BYTES // len(ccid3.NULL_PACKET)))
        outcome = testbed.run(build(options), output=directory, backend=options.backend, seed=options.seed,
                              limit_s=WALL_LIMIT_S, files=[stream])
    if outcome.exit_status != 0:
        raise BadRun(f"the testbed's exit status is {outcome.exit_status}, see {directory}")
    found, rows = measure(options, directory)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found |= {"simulated_s": options.duration_s, "cpu_s": used.ru_utime + used.ru_stime}
    (options.output / "measures.json").write_text(json.dumps(found, indent=1) + "\n")
    with open(options.output / "flows.csv", "w", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _whole(least, most):
    def read(text):
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value
    read.__name__ = "whole number"
    return read


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--hops", type=_whole(1, 10), default=1, help="hops of C1 (%(default)s)")
    parser.add_argument("--buffer_packets", type=_whole(1, 1000), default=12, help="of each hop (%(default)s)")
    parser.add_argument("--c1", choices=CONTROLS, default="tfrc", help="control of C1 (%(default)s)")
    parser.add_argument("--cross", choices=CONTROLS, default="reno", help="control of all others (%(default)s)")
    parser.add_argument("--duration_s", type=_whole(11, 100000), default=200, help="%(default)s")
    parser.add_argument("--seed", type=_whole(0, 2**31), default=1, help="%(default)s")
    parser.add_argument("--backend", choices=("auto", "netns", "guest"), default="guest", help="%(default)s")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="directory of the results")
    options = parser.parse_args()
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        play(options)
    except (BadRun, testbed.TestbedError, logs.LogError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")


if __name__ == "__main__":
    main()
