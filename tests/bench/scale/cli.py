# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line of tests/bench/scale.sh."""

import argparse
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

from batch import ROOT, command, provenance, report, store
from batch.arguments import names, positive

from . import busy, gate, overload, profile, record, tables
from .cases import OURS, SINKS, Case, cases_of
from .measure import Bench
from .network import Network
from .processes import Failed


def _numbers(text):
    return [positive(word) for word in names(text)]


def _count(text):
    if not text.isdigit() or int(text) > 64:
        raise argparse.ArgumentTypeError(f"not a number from 0 to 64: {text}")
    return int(text)


def _rate(text):
    """bit/s: '640k', '2M' or '640000'."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kM]?)", text)
    bps = int(float(found[1]) * {"": 1, "k": 1e3, "M": 1e6}[found[2]]) if found else 0
    if not 1000 <= bps <= 1_000_000_000:
        raise argparse.ArgumentTypeError(f"not a rate from 1k to 1000M: {text}")
    return bps


def _rates(text):
    return [_rate(word) for word in names(text)]


def _peers(text):
    peers = names(text)
    for peer in peers:
        if peer not in SINKS or peer == OURS:
            raise argparse.ArgumentTypeError(f"no peer of {OURS}: {peer}")
    return peers


def _round_trip_times(text):
    try:
        values = [int(word) for word in names(text)]
    except ValueError:
        values = []
    if not values or min(values) < 0 or max(values) > 150:
        raise argparse.ArgumentTypeError(f"not a list of milliseconds from 0 to 150: {text}")
    return values


def parser():
    made = argparse.ArgumentParser(prog="tests/bench/scale.sh", description="What many streams in one process cost.")
    made.add_argument("--streams", type=_numbers, default=[1, 10, 100, 300, 500, 1000], metavar="LIST",
                      help="numbers of streams of sinks (1,10,100,300,500,1000)")
    made.add_argument("--rate", type=_rates, default=[640_000, 2_000_000], metavar="LIST", help="bit/s of a stream (640k,2M)")
    made.add_argument("--peers", type=_peers, default=("udpsink", "srtsink"), metavar="LIST",
                      help=f"what {OURS} is compared with (udpsink,srtsink)")
    made.add_argument("--rtt", type=_round_trip_times, metavar="LIST",
                      help=f"round-trip times of {OURS} in ms (0,50; the gate: 50)")
    made.add_argument("--sources", type=_numbers, default=[100, 300], metavar="LIST",
                      help="numbers of streams of tfrcsrc and udpsrc (100,300); '' for none")
    made.add_argument("--rounds", type=positive, default=3, metavar="N", help="rounds (%(default)s)")
    made.add_argument("--seconds", type=positive, default=5, metavar="S", help="seconds of a measurement (%(default)s)")
    made.add_argument("--warm-up", type=positive, default=3, metavar="S", help="seconds before it (%(default)s)")
    made.add_argument("--spinners", type=_count, default=0, metavar="N",
                      help="processes of ordinary priority that are busy meanwhile (%(default)s)")
    made.add_argument("--out", type=pathlib.Path, metavar="DIR", help="directory of the results (BUILD/scale)")
    made.add_argument("--profile", action="store_true",
                      help="sample each case once more with perf, and name the most expensive functions")
    made.add_argument("--overload", action="store_true",
                      help=f"measure {OURS} alone, while it gets half of the processor time that it needs, and after that")
    made.add_argument("--report-only", action="store_true", help="make the report of the CSV file in --out")
    made.add_argument("--record", action="store_true",
                      help="make the run the record of this kind of machine, in results/scale")
    made.add_argument("--compare", action="store_true",
                      help="tell which figures are worse than those of the record by more than a tenth, and fail if any is for sure")
    made.add_argument("--gate", action="store_true", help="check limits with 100 streams, and report nothing")
    made.add_argument("--max-switches", type=float, default=0.6, metavar="X",
                      help="gate: voluntary switches a packet (%(default)s)")
    made.add_argument("--max-threads", type=int, default=4, metavar="N",
                      help="gate: threads beside one for each stream (%(default)s)")
    made.add_argument("--max-allocations", type=float, default=0.05, metavar="X",
                      help="gate: allocations a packet beside those of fakesink (%(default)s)")
    return made


def _gstreamer():
    try:
        text = subprocess.run(["gst-launch-1.0", "--version"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "GStreamer of an unknown version"
    return text.strip().splitlines()[-2] if "GStreamer" in text else text.strip()


def _conditions(options, network, load):
    return [
        f"Machine: {os.cpu_count()} CPUs, Linux {platform.release()}, {_gstreamer()}.",
        f"Revision {provenance.revision()}, {datetime.date.today()}.",
        f"{options.rounds} rounds; each case {options.seconds} s after {options.warm_up} s of warm-up.",
        f"Load average at the beginning {load:.1f}, at the end {os.getloadavg()[0]:.1f}.",
        f"Network: {network.description}.",
        *busy.conditions(options.spinners),
    ]


def _measure_all(bench, groups, rounds, csv):
    """Measures every case in every round, with another case first in each. Returns the rows."""
    rows = []
    count = sum(map(len, groups)) * rounds
    for group in groups:
        for number in range(rounds):
            first = number % len(group)
            for case in group[first:] + group[:first]:
                row = {"round": number + 1, **bench.measure(case)}
                rows.append(row)
                store.write_table(csv, rows)
                late = f", 99 % late {row['late_p99_us'] / 1e3:.1f} ms" if "late_p99_us" in row else ""
                print(f"[{len(rows)}/{count}] {case.streams} x {case.rate_bps / 1e3:g} kbit/s, {case.name}: "
                      f"{row['cpu_us']:.1f} us, {row['switches']:.2f} switches{late}, "
                      f"{row['of_nominal']:.2f} of nominal", flush=True)
    return rows


def _profiles(bench, groups, out):
    for case in (case for group in groups for case in group):
        path = out / f"perf-{case.element}-{case.rtt_ms}-{case.streams}-{case.rate_bps}.data"
        bench.profile(case, path)
        yield case, profile.most_expensive(path)


def _measure_overloads(bench, options, csv):
    rows = []
    for rate in options.rate:
        for count in options.streams:
            case = Case(OURS, count, rate, (options.rtt or [50])[0])
            for number in range(options.rounds):
                rows.append({"round": number + 1, **overload.measure(bench, case)})
                store.write_table(csv, rows)
                print(overload.summary(rows[-1]), flush=True)


def _rows_of(csv):
    return tables.read(csv) if csv.exists() else []


def _read_conditions(directory):
    return (directory / "conditions.txt").read_text().splitlines()


def _finish(out, rows, conditions, options, profiles=()):
    """Writes the report, and compares with the record. Returns the exit status."""
    name = record.machine(_gstreamer())
    place = record.DIRECTORY / name
    compared, is_good = [], True
    if options.compare and not (place / "scale.csv").exists():
        print(f"scale.sh: no record of this kind of machine in {place}: --record makes one", file=sys.stderr)
        is_good = False
    elif options.compare:
        found, is_good = record.blocks(_rows_of(place / "scale.csv"), rows)
        compared = [report.Heading("Beside the record"), report.Items(tuple(_read_conditions(place))), *found]
        print(report.markdown(found))
    _report(out, rows, conditions, profiles, compared)
    if options.record:
        print(f"{record.keep(out, name)}")
    return 0 if is_good else 1


def _report(out, rows, conditions, profiles, compared):
    # Imported here, because loading matplotlib takes longer than the gate's report.
    from . import picture

    path = out / "scale.png"
    drawn = picture.draw(path, rows)
    report.write_markdown(out / "report.md", "Many streams in one process",
                          [*tables.blocks(rows, conditions, path if drawn else None, profiles), *compared,
                           *overload.blocks(_rows_of(out / "overload.csv"))])
    print(f"{out / 'report.md'}")


def main(arguments):
    options = parser().parse_args(arguments)
    if (options.record or options.compare) and (options.gate or options.overload or any(busy.conditions(options.spinners))):
        parser().error("--record and --compare are for runs without --gate, --overload, --spinners and TFRC_REALTIME=0")
    command.end_of_check()
    build = pathlib.Path(os.environ.get("BUILD_DIR", ROOT / "build"))
    out = options.out or build / "scale"
    out.mkdir(parents=True, exist_ok=True)
    if options.report_only:
        return _finish(out, _rows_of(out / "scale.csv"), _read_conditions(out), options)
    if options.profile and not profile.is_there():
        print(profile.MISSING, file=sys.stderr)
        return 1
    # An interruption ends the programs and removes the namespaces.
    with command.stopped_by_signals(lambda: None), Network() as network:
        bench = Bench(build, out, network, options.warm_up, options.seconds)
        try:
            with busy.BusyProcesses(bench, options.spinners):
                return _run(options, bench, network, out)
        except Failed as error:
            print(f"scale.sh: {error}", file=sys.stderr)
            return 1


def _run(options, bench, network, out):
    if options.gate:
        print(f"Network: {network.description}.")
        rtt_ms = (options.rtt or [50])[0]
        return 0 if gate.run(bench, 100, 640_000, rtt_ms, options) else 1
    load = os.getloadavg()[0]
    groups = cases_of(options.streams, options.rate, options.peers, options.rtt or [0, 50], options.sources)
    place = out / "conditions.txt"
    # The first text is for an interrupted run.
    place.write_text("\n".join(_conditions(options, network, load)) + "\n")
    if options.overload:
        _measure_overloads(bench, options, out / "overload.csv")
        rows, profiles = _rows_of(out / "scale.csv"), []
    else:
        rows = _measure_all(bench, groups, options.rounds, out / "scale.csv")
        profiles = list(_profiles(bench, groups, out)) if options.profile else []
    conditions = _conditions(options, network, load)
    place.write_text("\n".join(conditions) + "\n")
    return _finish(out, rows, conditions, options, profiles)
