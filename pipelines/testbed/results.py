# SPDX-License-Identifier: LGPL-2.1-or-later
"""The results of a run, in one format for both back ends: see docs/testbed.md, 'Results'."""

import csv
import dataclasses
import json
import pathlib
import shutil
import subprocess

from . import plan
from .errors import TestbedError
from .topology import DIRECTIONS

LIMIT_STATUS = 124
# 'ingress' only redirects packets. The discipline behind a token bucket reports the drops.
_NOT_COUNTED = ("ingress", "tbf")


@dataclasses.dataclass(frozen=True)
class Result:
    exit_status: int
    backend: str
    wall_s: float
    directory: pathlib.Path


def finish(topology, output, facts):
    """Writes links.csv and run.json from the files of the session. facts: further contents of
    run.json. Returns the run's exit status."""
    session = output / "session"
    if not (session / "status").exists():
        console = output / "console.log"
        said = console.read_text(errors="replace") if console.exists() else ""
        raise TestbedError("the testbed could not be set up:\n" + said[-4000:].strip())
    status = int((session / "status").read_text())
    counters = json.loads((session / "qdiscs.json").read_text())
    _write_links(topology, {qdisc["dev"]: qdisc for qdisc in counters if qdisc["kind"] not in _NOT_COUNTED},
                 output / "links.csv")
    facts["started_realtime_ns"] = int((session / "started_us").read_text()) * 1000
    facts["duration_s"] = float((session / "duration_s").read_text())
    events = session / "events.csv"
    facts["events_done_s"] = [float(line.split(",")[1]) for line in events.read_text().split()] if events.exists() else []
    shutil.rmtree(session)
    write_facts(output, facts, status)
    return status


def write_facts(output, facts, status):
    facts["exit_status"] = status
    (output / "run.json").write_text(json.dumps(facts, indent=2, default=str) + "\n")


def _write_links(topology, qdiscs, path):
    """Writes a row for each direction of each link: the IP packets that have left its line, the
    packets that its queue dropped, and the packets that its line lost."""
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["link", "direction", "packets", "bytes", "dropped", "lost"])
        for name, wire in plan.wires(topology).items():
            for direction in DIRECTIONS:
                line = qdiscs[wire.line(direction)]
                queue = qdiscs.get(wire.queues[direction], {"drops": 0})
                bytes_ip = line["bytes"] - plan.ETHERNET_BYTES * line["packets"]
                table.writerow([name, direction, line["packets"], bytes_ip, queue["drops"], line["drops"]])


def versions():
    """The versions of the programs that shape packets, and of those that move them."""
    found = {}
    for name, command in (("iproute2", ["tc", "-V"]), ("gstreamer", ["gst-launch-1.0", "--version"])):
        try:
            listing = subprocess.run(command, capture_output=True, text=True)
            found[name] = (listing.stdout or listing.stderr).strip().partition("\n")[0]
        except OSError:
            found[name] = None
    return found
