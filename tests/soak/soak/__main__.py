# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line of the soak test: see ../../soak.sh."""

import argparse
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[3]))  # for the package 'batch'

import checks  # noqa: E402 the path comes first
import faults  # noqa: E402
from batch.command import end_of_check  # noqa: E402
from processes import Failed  # noqa: E402
from run import Run  # noqa: E402


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="tests/soak.sh", description="Streams for a long time over links on which all "
                                     "goes wrong that can, and checks that every stream comes back, that what arrives "
                                     "is what was sent, and that memory, descriptors and threads do not grow.")
    parser.add_argument("--seconds", type=float, default=1800, help="time in which faults begin (1800)")
    parser.add_argument("--streams", type=int, default=100, help="at least 8 (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the faults (1)")
    parser.add_argument("--kinds", default=",".join(faults.KINDS), help="of faults (%(default)s)")
    parser.add_argument("--log", type=pathlib.Path, default=pathlib.Path("/dev/null"), help="what the programs say")
    parser.add_argument("--quiet", action="store_true", help="do not say when a fault begins")
    options = parser.parse_args(arguments)
    if options.streams < 8 or options.seconds <= 0:
        parser.error("--streams is at least 8, and --seconds more than 0")
    options.kinds = options.kinds.split(",")
    for kind in options.kinds:
        if kind not in faults.KINDS:
            parser.error(f"there is no fault '{kind}'")
    return options


def main():
    options = options_of(sys.argv[1:])
    end_of_check()
    build = pathlib.Path(os.environ["BUILD_DIR"])
    say = (lambda line: None) if options.quiet else print
    with open(options.log, "a") as log:
        run = Run(options, build, log)
        try:
            record = run.play(say)
        except (Failed, OSError) as error:
            sys.exit(f"soak: {error}")
    print(*checks.recovery_table(record), sep="\n")
    for kind, rates in sorted(record.meanwhile.items()):
        print(f"while '{kind}' lasts: {sum(rates) / len(rates):.2f} of the rate")
    for name, unit in (("resident", 1 << 10), ("descriptors", 1), ("threads", 1)):
        for sender in range(len(record.usage[0])):
            values = [tick[sender][name] // unit for tick in record.usage]
            parts = [values[len(values) * part // 6] for part in range(1, 6)]
            print(f"sender {sender}, {name}{' KiB' if unit > 1 else ''}: first {values[0]}, after each sixth "
                  f"{', '.join(map(str, parts))}, last {values[-1]}, most {max(values)}")
    received = {name: sum(sums.get(name, 0) for sums in record.received.values())
                for name in ("packets", "missing", "duplicates", "disordered", "damaged")}
    print(", ".join(f"{name} {value}" for name, value in received.items()), f"(damaged by links {sum(record.damaged)})")
    asked, came, repaired, sent = checks.repairs_of(record, record.sent)
    print(f"repairs: {asked} packets asked for, {sent} repairs sent, {came} came, {repaired} of them were missing")
    failures = checks.of(record, run.protected)
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


main()
