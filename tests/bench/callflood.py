#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a flood of calls from forged addresses does to the callers of a sender that listens: as root, with network namespaces.

    GST_PLUGIN_PATH_1_0=build/gst callflood.py [--build DIR] [--callers N] [--calls PER_S] [--rounds N]

Each round measures the callers twice, without the flood and with it.  Both ends and the flood share the machine's processors.
"""

import argparse
import pathlib
import socket
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "bench"), str(ROOT)]

from scale.cases import PORT, Case  # noqa: E402
from scale.measure import Bench  # noqa: E402
from scale.network import Network  # noqa: E402

RATE_BPS, RTT_MS = 640_000, 50
COOKIE_AT = 16
# A call with a wrong cookie and no stream id (docs/wire-format.md)
CALL = struct.pack("!BBH4s4sI8sHH", 0x85, 204, 6, b"lies", b"TFRC", 7, bytes(8), 0, 0)


class Flood:
    """Calls from random addresses, until the context ends."""

    def __init__(self, program, target, per_s):
        self._program, self._target, self._per_s = program, target, per_s
        self.per_s = 0.0

    def __enter__(self):
        raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self._popen = subprocess.Popen([self._program, str(raw.fileno()), self._target, str(PORT), str(self._per_s), str(COOKIE_AT)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(raw.fileno(),))
        raw.close()
        self._popen.stdin.write(CALL)
        self._popen.stdin.close()
        return self

    def __exit__(self, *_):
        self._popen.terminate()
        said = self._popen.stdout.read().split()
        self._popen.wait()
        if said:
            self.per_s = int(said[0]) / float(said[1])


def flood_inside(program, target, per_s):
    """In a network namespace: floods until the input ends, and prints the calls per second."""
    with Flood(program, target, per_s) as flood:
        sys.stdin.read()
    print(flood.per_s)


def measured(bench, network, case, flooder, per_s):
    """(the row, calls per second)"""
    if per_s == 0:
        return bench.measure(case), 0.0
    words = [*network.receiver, sys.executable, __file__, "--inside", flooder, network.sender_address, str(per_s)]
    flood = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    row = bench.measure(case)
    said, _ = flood.communicate()
    return row, float(said)


def text_of(values, digits=0):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} – {max(values):.{digits}f})"


def main():
    if sys.argv[1:2] == ["--inside"]:
        flood_inside(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--callers", type=int, default=100)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    flooder = str(pathlib.Path(options.build, "tests", "key-flood").resolve())
    case = Case("tfrcsink mode=listener", options.callers, RATE_BPS, RTT_MS)
    rows = {0: [], options.calls: []}
    rates = []
    with Network() as network, tempfile.TemporaryDirectory() as out:
        if network.why_not:
            raise SystemExit(f"no network namespaces: {network.why_not}")
        # What answers the forged calls finds its way out of the sender.
        subprocess.run([*network.sender, "ip", "route", "add", "default", "via", network.address], check=True)
        bench = Bench(options.build, out, network, 3, 5)
        for _ in range(options.rounds):
            for per_s, measurements in rows.items():
                row, reached = measured(bench, network, case, flooder, per_s)
                measurements.append(row)
                rates += [reached] if per_s else []
    print(f"{options.callers} callers, {options.rounds} rounds; the flood reached {text_of(rates)} calls a second.\n")
    print("| calls a second | CPU, µs a packet | late: median, µs | 99 %, µs | missing, % | RSS a caller, KiB |\n|---|---|---|---|---|---|")
    for per_s, measurements in rows.items():
        print(f"| {per_s} | {text_of([row['cpu_us'] for row in measurements], 1)} | {text_of([row['late_p50_us'] for row in measurements])} "
              f"| {text_of([row['late_p99_us'] for row in measurements])} | {text_of([100 * row['missing'] for row in measurements], 3)} "
              f"| {text_of([row['rss_kib'] for row in measurements])} |")
    ratios = [flooded["late_p99_us"] / quiet["late_p99_us"] for quiet, flooded in zip(*rows.values())]
    print(f"\n99 % late with the flood, divided by that without in the same round: {text_of(ratios, 2)}")


if __name__ == "__main__":
    main()
