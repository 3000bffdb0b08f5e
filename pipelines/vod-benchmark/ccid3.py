#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the kernel's own TFRC (DCCP, CCID 3) with tfrcsink on the same links.

Each plays alone and beside one TCP Reno flow. Both send packets of 1316 bytes as fast as they may,
over a bottleneck of 5 or 15 Mbit/s with a round-trip time of 50 ms. Owns these runs (their specs
for the testbed, and the measures of the results) and the comparison. To run it by itself:

    python3 pipelines/vod-benchmark/ccid3.py [--quick]

tfrcsink is greedy if its stream never ends and carries no times, such as a repeated file of null
packets:

    while cat null.ts; do :; done |
      gst-launch-1.0 fdsrc ! video/mpegts,systemstream=true,packetsize=188 ! tfrcsink host=192.0.2.1
      sync=false

Newer kernels have no DCCP, so the testbed's guest plays all runs.
"""

import argparse
import csv
import dataclasses
import os
import pathlib
import random
import statistics
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
# The demo is last, since it has modules 'play' and 'report', too.
sys.path += [str(HERE), str(HERE.parent), str(HERE.parent / "demo"), str(HERE.parents[1])]

import gststats  # noqa: E402
import logs  # noqa: E402
import metrics  # noqa: E402
from batch import command, provenance, runner, store  # noqa: E402

PAYLOAD_BYTES = 1316
RTT_MS = 50
# Packets that may wait. At 15 Mbit/s this is one bandwidth-delay product; at 5 Mbit/s that would be
# 24.
QUEUES = {5_000_000: 31, 15_000_000: 71}
TITLES = {"ccid3": "the kernel's CCID 3", "tfrc": "tfrcsink"}
FLOWS = tuple(TITLES)
SEEDS = (1, 2, 3, 4, 5)

PORT = 5004
TCP_PORT = 5201
FLOW_START_S = 2.0
TCP_START_S = 1.0  # TCP starts at most this time after the flow
LIMIT_S = 60  # of the testbed's time, in addition to the duration

# In packets. When the queue fills at 15 Mbit/s, more packets are under way than the kernel's
# default of 100, and the kernel would take feedback from then for an attack. RFC 4340, section
# 7.5.2 asks for five round-trip times.
SEQUENCE_WINDOW = 1000

PROTOCOLS = {"ccid3": "dccp", "tfrc": "udp"}
# Bytes before the payload of each packet that the meter does not count as headers: RTP with its
# extension.
FURTHER_HEADER_BYTES = {"ccid3": 0, "tfrc": 24}
# The files below the build directory on which a result depends.
PROGRAMS = {
    "ccid3": ("tools/dccp-flow/dccp-flow", "tools/meter/wire-meter"),
    "tfrc": ("gst/libgsttfrc.so", "lib/tfrc/libtfrc.so.0", "tools/meter/wire-meter"),
}
# The endless stream is this file over and over: null packets, which any transport stream may
# contain.
STREAM = "null-packets.ts"
STREAM_BYTES = 1200 * PAYLOAD_BYTES
NULL_PACKET = bytes([0x47, 0x1F, 0xFF, 0x10]) + bytes([0xFF]) * 184


@dataclasses.dataclass(frozen=True)
class Run:
    flow: str
    rate_bps: int
    tcp: int
    seed: int
    duration_s: int
    settle_s: int  # of the duration, before what is measured

    def label(self):
        return f"ccid3 {self.rate_bps // 1_000_000} Mbit/s {self.flow}{' + Reno' if self.tcp else ''} seed {self.seed}"

    def cost(self):
        # Processor time. The kernel's flow needs no process to wake up for each packet.
        return self.duration_s * (self.rate_bps + 4e6) * (3 if self.flow == "tfrc" else 1)


def runs(short=False, seeds=None):
    """The runs of the comparison. The short ones, with TCP alone, show that the program works; they
    say little about the steady state."""
    length = (8, 3) if short else (60, 15)
    return [Run(flow, rate_bps, tcp, seed, *length) for seed in seeds or (SEEDS[:1] if short else SEEDS)
            for rate_bps in ([min(QUEUES)] if short else QUEUES) for tcp in ((1,) if short else (0, 1)) for flow in FLOWS]


def _ccid3_jobs(run):
    # Debian's kernel does not load this module by itself, as a precaution. Nodes cannot see its
    # setting, so the first namespace changes it.
    load = (f"modprobe -q dccp_ipv4; ip netns attach first 1 && ip netns exec first "
            f"sysctl -qw net.dccp.default.seq_window={SEQUENCE_WINDOW}")
    return (f"{load} && dccp-flow --listen {PORT} --log $TESTBED_OUT/receiver.csv",
            f"dccp-flow $ADDRESS_b {PORT} --packet-size {PAYLOAD_BYTES} "
            f"--duration {run.duration_s + 1} --log $TESTBED_OUT/sender.csv && sleep 1")


def _tfrc_jobs(run):
    return (f"exec gst-launch-1.0 -m tfrcsrc port={PORT} stats-update-interval=100 ! fakesink sync=false",
            f"while [ $SECONDS -lt {run.duration_s + 2} ] && cat {STREAM}; do :; done | gst-launch-1.0 -m "
            f"fdsrc blocksize={10 * PAYLOAD_BYTES} ! video/mpegts,systemstream=true,packetsize=188 ! "
            f"tfrcsink host=$ADDRESS_b port={PORT} sync=false stats-update-interval=100 && sleep 1")


def _meter(node, link):
    return {"node": node, "run": f"wire-meter $INTERFACE_{link} --flows $TESTBED_OUT/flows-{node}.csv", "background": True}


def build(run):
    """The spec of the run for the testbed."""
    receiver, sender = {"ccid3": _ccid3_jobs, "tfrc": _tfrc_jobs}[run.flow](run)
    one_way = f"{RTT_MS / 2:g}ms"
    node = {"sysctl": {"net.ipv4.tcp_no_metrics_save": 1}}
    spec = {
        "limit": f"{run.duration_s + LIMIT_S}s",
        "nodes": {"a": node, "r": {}, "b": node},
        "links": {
            "access": {"ends": ["a", "r"]},
            "bottleneck": {
                "ends": ["r", "b"],
                "forward": {"rate": f"{run.rate_bps // 1000}kbit", "queue": QUEUES[run.rate_bps], "delay": one_way},
                "backward": {"delay": one_way},
            },
        },
        "jobs": {
            "meter-a": _meter("a", "access"),
            "meter-b": _meter("b", "bottleneck"),
            "receiver": {"node": "b", "run": receiver, "background": True},
            "sender": {"node": "a", "run": sender, "at": f"{FLOW_START_S}s"},
        },
    }
    if run.tcp:
        at_s = FLOW_START_S + random.Random(f"tcp {run.seed}").uniform(0, TCP_START_S)
        spec["jobs"] |= {
            "tcp-receiver": {"node": "b", "run": f"iperf3 -s -p {TCP_PORT} >/dev/null", "background": True},
            "tcp": {"node": "a", "at": f"{at_s:.3f}s",
                    "run": f"iperf3 -c $ADDRESS_b -p {TCP_PORT} -C reno -t {run.duration_s + 3} && sleep 1"},
        }
    return spec


class _Flow:
    """The packets of one flow towards b, at its entry into the network (a) and at its exit (b)."""

    def __init__(self, directory, protocol, port):
        self.sent, self.received = (
            [count for count in logs.read_flows(directory / f"flows-{node}.csv")
             if (count.outgoing, count.proto, count.dport) == (node == "a", protocol, port)] for node in "ab")
        if not self.received:
            raise runner.RunFailed(f"nothing came over {protocol} to port {port}")
        self.begin_ns = self.received[0].time_ns

    def packets_sent(self):
        return sum(count.packets for count in self.sent)

    def packets_lost(self):
        return self.packets_sent() - sum(count.packets for count in self.received)

    def between(self, window):
        return [count for count in self.received if window[0] <= count.time_ns < window[1]]


def _bps(counts, field, window):
    return sum(getattr(count, field) for count in counts) * 8e9 / (window[1] - window[0])


def _within(rows, window):
    return [row for row in rows if window[0] <= row["time"] < window[1]]


def _ccid3_state(directory, window):
    """Rows of the receiver (lost: since the row before) and of the sender, within the window."""

    def read(name):
        with open(directory / name, newline="") as file:
            return [{"time": int(row.pop("time_ns")), **row} for row in csv.DictReader(file)]

    received = _within(read("receiver.csv"), window)
    sender = _within(read("sender.csv"), window)
    lost = sum(int(row["lost"]) for row in received)
    packets = sum(int(row["packets"]) for row in received)
    return lost, packets, [(float(row["p"]), int(row["rtt_us"]) / 1e6) for row in sender]


def _tfrc_state(directory, window, begin_ns):
    # Both have another clock than the meters. The first packet of the flow gives the difference.
    def read(job):
        rows = gststats.read_log(directory / "jobs" / f"{job}.out")
        seen = [row for row in rows if row.get("packets-received", row.get("packets-sent"))]
        if not seen:
            raise runner.RunFailed(f"the {job} tells nothing of the stream")
        return _within([{**row, "time": row["time"] - seen[0]["time"] + begin_ns} for row in seen], window)

    received, sender = read("receiver"), read("sender")
    lost, packets = (received[-1][name] - received[0][name] for name in ("packets-lost", "packets-received"))
    return lost, packets, [(row["loss-event-rate"], row["rtt"] / 1e9) for row in sender]


def _drops(directory):
    with open(directory / "links.csv", newline="") as file:
        return next(int(row["dropped"]) for row in csv.DictReader(file)
                    if (row["link"], row["direction"]) == ("bottleneck", "forward"))


def measure(run, directory):
    """The row of a run, from the logs in the directory."""
    directory = pathlib.Path(directory)
    try:
        return _measure(run, directory)
    except (logs.LogError, OSError) as error:
        raise runner.RunFailed(str(error)) from error
    except (KeyError, ValueError, IndexError, StopIteration) as error:
        raise runner.RunFailed(f"{directory}: its logs are not complete ({error!r})") from error


def _measure(run, directory):
    flow = _Flow(directory, PROTOCOLS[run.flow], PORT)
    tcp = _Flow(directory, "tcp", TCP_PORT) if run.tcp else None
    window = tuple(flow.begin_ns + seconds * 10**9 for seconds in (run.settle_s, run.duration_s))
    counts = flow.between(window)
    if run.flow == "ccid3":
        lost, packets, states = _ccid3_state(directory, window)
    else:
        lost, packets, states = _tfrc_state(directory, window, flow.begin_ns)
    wire_bps = _bps(counts, "ip_bytes", window)
    headers_bps = _bps(counts, "packets", window) * FURTHER_HEADER_BYTES[run.flow]
    tcp_bps = _bps(tcp.between(window), "ip_bytes", window) if tcp else None
    # The network drops only packets that do not fit into the queue, so both counts must agree.
    drops, missing = _drops(directory), flow.packets_lost() + (tcp.packets_lost() if tcp else 0)
    if drops != missing:
        raise runner.RunFailed(f"the queue dropped {drops} packets, but {missing} are missing at b")
    return {
        "rate_bps": run.rate_bps, "rtt_ms": RTT_MS, "queue": QUEUES[run.rate_bps], "flow": run.flow, "tcp": run.tcp,
        "seed": run.seed, "duration_s": run.duration_s, "settle_s": run.settle_s,
        "payload_bps": _bps(counts, "payload_bytes", window) - headers_bps,
        "wire_bps": wire_bps,
        "loss_ratio": lost / (packets + lost),
        "loss_ratio_from_start": flow.packets_lost() / flow.packets_sent(),
        "tcp_wire_bps": tcp_bps,
        "tcp_loss_ratio_from_start": tcp.packets_lost() / tcp.packets_sent() if tcp else None,
        "share": wire_bps / (wire_bps + tcp_bps) if tcp else None,
        "utilisation": (wire_bps + (tcp_bps or 0)) / run.rate_bps,
        "cov_1s": metrics.rate_cov([count.time_ns / 1e9 for count in counts], [count.ip_bytes for count in counts],
                                   window[0] / 1e9, window[1] / 1e9, 1.0),
        "loss_event_rate": statistics.fmean(p for p, _ in states),
        "rtt_s": statistics.fmean(rtt_s for _, rtt_s in states),
    }


class Judge:
    """Plays runs with the programs of a build directory, for runner.play_all."""

    def __init__(self, build_directory, backend="guest", origin=None):
        self.build = pathlib.Path(build_directory)
        self.backend = "guest" if backend == "auto" else backend
        self.origin = origin or {}

    def key(self, run):
        programs = provenance.digest_of_programs(self.build, PROGRAMS[run.flow])
        identity = {"run": dataclasses.asdict(run), "spec": build(run), "backend": self.backend, "programs": programs}
        return store.key_of(identity)

    def plan(self, run):
        return runner.Plan(self.key(run), run.label(), run.cost(), run)

    def known(self, plan, result, directory):
        """The stored result, measured anew while its logs are there; None if it has to be played
        again."""
        if not pathlib.Path(directory, "run.json").is_file():
            return result
        origin = {name: result["rows"][0][name] for name in ("backend", *self.origin)}
        try:
            return {**result, "rows": [measure(plan.run, directory) | origin]}
        except runner.RunFailed:
            return None

    def play(self, plan, directory):
        from testbed import playing  # here, so that reports need no testbed

        stream = pathlib.Path(directory).with_name(STREAM)
        stream.write_bytes(NULL_PACKET * (STREAM_BYTES // len(NULL_PACKET)))
        try:
            outcome = playing.play(build(plan.run), directory, backend=self.backend, seed=plan.run.seed, files=[stream])
        finally:
            stream.unlink()
        row = measure(plan.run, directory) | {"backend": outcome.backend} | self.origin
        return {"label": plan.label, "rows": [row]}


def in_words(result):
    row = result["rows"][0]
    text = f"{row['wire_bps'] / 1e6:.3f} Mbit/s on the wire, loss {row['loss_ratio']:.2e}"
    return text + (f", share {row['share']:.2f}" if row["tcp"] else "")


def judge(output, build_directory, *, short=False, seeds=None, pool=None, backend="guest", origin=None, again=False):
    """Plays the runs without a result and writes OUTPUT/ccid3.csv; returns its rows and the number
    of failed runs."""
    player = Judge(build_directory, backend, origin)
    plans = [player.plan(run) for run in runs(short, seeds)]
    outcome = runner.play_all(plans, player.play, store.Store(output), in_words,
                              known=None if again else player.known, pool=pool)
    rows = [row for plan in plans if plan.key in outcome.results for row in outcome.results[plan.key]["rows"]]
    if rows:
        store.write_table(pathlib.Path(output) / "ccid3.csv", rows)
    return rows, len(outcome.failures)


MEASURES = ("utilisation", "payload_bps", "wire_bps", "loss_ratio", "loss_ratio_from_start", "share", "cov_1s",
            "loss_event_rate", "rtt_s")


def compare(rows):
    """Both senders side by side, in medians and ranges over seeds: a row for each link with and
    without TCP. 'fills' and 'loses' say whether tfrcsink uses as much of the link (to a thousandth)
    and loses no more."""
    result = []
    for rate_bps, tcp in sorted({(row["rate_bps"], row["tcp"]) for row in rows}):
        cell = {"rate_bps": rate_bps, "tcp": tcp}
        for flow in FLOWS:
            chosen = [row for row in rows if (row["rate_bps"], row["tcp"], row["flow"]) == (rate_bps, tcp, flow)]
            cell[f"seeds_{flow}"] = len(chosen)
            for name in MEASURES:
                values = [row[name] for row in chosen if row[name] is not None]
                cell[f"{name}_{flow}"] = statistics.median(values) if values else None
                cell[f"{name}_{flow}_min"], cell[f"{name}_{flow}_max"] = (
                    (min(values), max(values)) if values else (None, None))
        if None not in (cell["utilisation_ccid3"], cell["utilisation_tfrc"]):
            cell["fills"] = cell["utilisation_tfrc"] >= cell["utilisation_ccid3"] - 0.001
            cell["loses"] = cell["loss_ratio_tfrc"] <= cell["loss_ratio_ccid3"]
        result.append(cell)
    return result


def print_comparison(rows):
    for cell in compare(rows):
        print(f"\n{cell['rate_bps'] // 1_000_000} Mbit/s, {'beside one Reno flow' if cell['tcp'] else 'alone'}"
              f"{'':12}ccid3        tfrc")
        for name in MEASURES:
            if cell[f"{name}_tfrc"] is not None or cell[f"{name}_ccid3"] is not None:
                values = [cell[f"{name}_{flow}"] for flow in FLOWS]
                print(f"  {name:24}" + "".join(f"{'-':>12}" if value is None else f"{value:12.5g}" for value in values))
        if "fills" in cell:
            print(f"  fills the link as well: {'yes' if cell['fills'] else 'NO'}; loses no more: "
                  f"{'yes' if cell['loses'] else 'NO'}")


def main(arguments):
    build_directory = os.environ.get("BUILD_DIR") or HERE.parents[1] / "build"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="play 20 s with one seed, instead of 60 s with five seeds")
    command.add_options(parser, what="runs", seeds_help="instead of the experiment's own")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(build_directory) / "vod-benchmark")
    options = parser.parse_args(arguments)
    try:
        rows, failures = judge(options.output, build_directory, short=options.quick, pool=command.pool(options),
                               seeds=options.seeds)
    except runner.RunFailed as error:
        sys.exit(f"ccid3: {error}")
    print_comparison(rows)
    return 1 if failures else 0


if __name__ == "__main__":
    command.run(main)
