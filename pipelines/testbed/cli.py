# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line: python3 pipelines/testbed run|check|plan|available …"""

import argparse
import csv
import pathlib
import sys

from batch.command import end_of_check

from . import plan, runner, topology
from .errors import TestbedError

_USAGE_STATUS = 2


def _parser():
    parser = argparse.ArgumentParser(
        prog="testbed", description="Runs jobs on nodes that emulated links connect; see docs/testbed.md.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="run|check|plan|available")
    run = commands.add_parser("run", help="run the jobs and events of a spec")
    run.add_argument("--backend", choices=runner.BACKENDS, default="auto", help="auto: netns if this host can, else guest")
    run.add_argument("--seed", type=int, default=1, help="of what is random in the guest (1)")
    run.add_argument("--output", metavar="DIR", help="for the results (testbed/NAME OF THE SPEC in the build directory)")
    run.add_argument("--limit", type=float, metavar="SECONDS", help="of real time, after which the run is given up")
    run.add_argument("--pcap", action="append", default=[], metavar="NODE:LINK", help="capture there; may be repeated")
    run.add_argument("--file", action="append", default=[], metavar="FILE", help="for the jobs' directory; may be repeated")
    check = commands.add_parser("check", help="only tell whether a spec is right")
    show = commands.add_parser("plan", help="print the commands that make a spec's network and do its events")
    available = commands.add_parser("available", help="tell whether a back end can be used here, and if not, why")
    available.add_argument("backend", choices=sorted(runner.CHECKS))
    for command in (run, check, show):
        command.add_argument("spec", metavar="FILE")
    return parser


def _run(arguments):
    name = pathlib.Path(arguments.spec).stem
    output = arguments.output or runner.build_directory() / "testbed" / "results" / name
    result = runner.run(
        arguments.spec, output, arguments.backend, arguments.seed, arguments.limit, arguments.file, arguments.pcap)
    _report(name, result)
    return result.exit_status


def _report(name, result):
    jobs = result.directory / "jobs.csv"
    if not jobs.exists():
        print(f"{name}: given up after {result.wall_s:.1f} s of real time")
        return
    with open(jobs, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        print(f"{row['job']} on {row['node']}: {row['start_s']} s to {row['end_s']} s, status {row['exit_status']}")
    if result.exit_status == 124:
        print(f"{name}: stopped at its limit")
    print(f"{name}: status {result.exit_status}, {result.wall_s:.1f} s of real time ({result.backend}); "
          f"results in {result.directory}")


def main(arguments=None):
    arguments = _parser().parse_args(arguments)
    end_of_check()
    try:
        if arguments.command == "run":
            return _run(arguments)
        if arguments.command == "available":
            runner.CHECKS[arguments.backend]()
            return 0
        loaded = topology.load(arguments.spec)
        if arguments.command == "plan":
            print(plan.render(loaded), end="")
        return 0
    except TestbedError as error:
        print(f"testbed: {error}", file=sys.stderr)
        return _USAGE_STATUS
