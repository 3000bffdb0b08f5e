# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 tests/bench/malice.py: what a malicious peer of one stream does to the others of a process.

The flood goes in turn to the stream of that peer, and to a port of the sender's host that nobody reads. So
both cases have the same load of the machine, and differ in what the process does with the flood."""

import argparse
import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
_HERE = pathlib.Path(__file__).resolve().parent
sys.path[0] = str(_HERE)
sys.path.append(str(_HERE.parents[1]))

from batch.arguments import names, positive  # noqa: E402 the paths come first
from batch.command import end_of_check  # noqa: E402
from scale.cases import OURS, SINKS  # noqa: E402
from scale.network import Network  # noqa: E402
from scale.processes import Failed, Program  # noqa: E402

RTT_MS = 50
WARM_UP_S = 4  # the flood begins 2 s after the first packet
LIMIT_S = 120
DEAF = """import socket, sys
deaf = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
deaf.bind(("", 0))
print(deaf.getsockname()[1], flush=True)
sys.stdin.read()"""


def options_of(arguments):
    made = argparse.ArgumentParser(prog="tests/bench/malice.sh", description="What a malicious peer of one stream does "
                                   "to the other streams of the process.")
    made.add_argument("--streams", type=positive, default=100, metavar="N", help="streams, of which one is attacked (%(default)s)")
    made.add_argument("--rate", type=positive, default=640_000, metavar="BPS", help="of a stream (%(default)s)")
    made.add_argument("--floods", type=names, default=["20000", "50000", "0"], metavar="LIST",
                      help="packets a second; 0: as many as the machine sends (20000,50000,0)")
    made.add_argument("--rounds", type=positive, default=5, metavar="N", help="rounds (%(default)s)")
    made.add_argument("--seconds", type=positive, default=5, metavar="S", help="seconds of a measurement (%(default)s)")
    options = made.parse_args(arguments)
    if options.streams < 2:
        made.error("--streams is at least 2")
    if not all(flood.isdigit() for flood in options.floods):
        made.error("--floods has numbers from 0 on")
    return options


def pinned(cpu):
    """Words in front of a command that keep it on a processor, where there are two."""
    return ["taskset", "-c", str(cpu)] if shutil.which("taskset") and {0, 1} <= os.sched_getaffinity(0) else []


@contextlib.contextmanager
def deaf_port(network):
    """A port of the sender's host, where packets arrive and are never read."""
    with subprocess.Popen([*network.sender, sys.executable, "-c", DEAF], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        yield process.stdout.readline().strip()
        process.stdin.close()


class Measurements:
    """log: what the programs say, a file that can be read."""

    def __init__(self, options, network, log, port):
        self._options, self._network, self._log, self._port = options, network, log, port
        self._programs = pathlib.Path(os.environ["BUILD_DIR"]) / "tests" / "bench"

    def of(self, who, flood):
        """A row of numbers: of the receiver and of the sending process."""
        options, network = self._options, self._network
        aside = (network.sender_address, self._port) if who == "aside" else ()
        line = SINKS[OURS].line.format(rate=options.rate, host=network.address)
        with contextlib.ExitStack() as programs:
            receiver = self._start(programs, network.receiver, 1, "bench-scale-malice", who, options.rate, RTT_MS, flood, *aside)
            receiver.wait_for("ready")
            sender = self._start(programs, network.sender, 0, "bench-scale-pipelines", f"--line={line}",
                                 f"--streams={options.streams}", f"--warm-up={WARM_UP_S}", f"--seconds={options.seconds}")
            sender.wait_for("ready")
            sender.go()
            sender.wait_for("measuring")
            row = sender.result()
            row |= receiver.end()
        self._log.seek(0)
        row["gave_up"] = "real-time priority" in self._log.read()
        self._log.truncate(0)
        row["loop_share"] = row["cpu_loop_us"] * row["packets"] / row["window_s"] / 1e6
        return row

    def _start(self, programs, place, cpu, program, *arguments):
        words = [*pinned(cpu), *place, str(self._programs / program), *map(str, arguments)]
        return programs.enter_context(Program(words, self._log, LIMIT_S, {**os.environ, "GST_DEBUG": "default:2"}))


def spread(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}} – {max(values):{form}})"


def table(floods, rows):
    """rows: (flood, who): the measurements, one of each round."""
    def column(case, name, form, unit=1):
        return spread([row[name] / unit for row in rows[case]], form)

    yield "| flood | packets a second | goes to | 99 % late, ms | ratio | most late, ms | I/O thread, % of a core | gave real-time up | victim, kbit/s |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for case in [("0", "none"), *((flood, who) for flood in floods for who in ("aside", "peer"))]:
        flood, who = case
        ratio = "–"
        if who == "peer":
            ratio = spread([peer["late_p99_us"] / aside["late_p99_us"]
                            for peer, aside in zip(rows[case], rows[flood, "aside"])], ".2f")
        yield (f"| {'none' if who == 'none' else flood if flood != '0' else 'most'} | {column(case, 'flood_pps', '.0f')} | "
               f"{ {'none': '–', 'aside': 'nobody', 'peer': 'the victim'}[who]} | {column(case, 'late_p99_us', '.2f', 1e3)} | "
               f"{ratio} | {column(case, 'late_max_us', '.1f', 1e3)} | {column(case, 'loop_share', '.0f', 0.01)} | "
               f"{sum(row['gave_up'] for row in rows[case])} of {len(rows[case])} | {column(case, 'victim_bps', '.0f', 1e3)} |")


def main():
    options = options_of(sys.argv[1:])
    end_of_check()
    cases = [("0", "none"), *((flood, who) for flood in options.floods for who in ("aside", "peer"))]
    rows = {case: [] for case in cases}
    with Network() as network, deaf_port(network) as port, tempfile.TemporaryFile("w+") as log:
        measurements = Measurements(options, network, log, port)
        print(f"{options.streams} streams of {options.rate / 1e3:g} kbit/s, R = {RTT_MS} ms; {network.description}; "
              f"{options.rounds} rounds of {options.seconds} s; {os.cpu_count()} processors, "
              f"{'one for each end' if pinned(0) else 'shared by both ends'}", flush=True)
        for turn in range(options.rounds):
            # A round begins with another case than the round before.
            for flood, who in cases[turn % len(cases):] + cases[:turn % len(cases)]:
                row = measurements.of(who, flood)
                rows[flood, who].append(row)
                print(f"round {turn + 1}, {who}, {row['flood_pps']:.0f} a second: 99 % late {row['late_p99_us'] / 1e3:.2f} ms, "
                      f"victim {row['victim_bps'] / 1e3:.0f} kbit/s", file=sys.stderr)
    print(*table(options.floods, rows), sep="\n")
    print(f"The equation allows the victim {rows['0', 'none'][0]['equation_bps'] / 1e3:.0f} kbit/s.")


try:
    main()
except Failed as error:
    sys.exit(f"malice.sh: {error}")
