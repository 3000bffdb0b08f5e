# SPDX-License-Identifier: LGPL-2.1-or-later
"""A process that gets half of the processor time that its streams need, for three seconds: do all
streams suffer alike, and how soon are they back?

The process has one processor. A program with a higher real-time priority takes a share of this
processor, which follows from what the process used before. The receiver has the other processors.
"""

import contextlib
import dataclasses
import os
import struct
import time

from batch import report

from . import tables
from .cases import PACKET_BITS, SINKS
from .measure import Run
from .processes import Failed

LEFT = 0.5  # of the time that the streams need
CALM_S, OVERLOAD_S, AFTER_S = 2, 3, 5
BEGINNING_S = 0.5  # of the overload, in which queues fill: does not count
SLOT_NS = 100_000_000
GOOD_SLOTS = 5  # in a row, after which a stream counts as back
GOOD_LATE_NS = 20_000_000
_RECORD = struct.Struct("=QQII")  # arrivallog.h
_COLUMNS = {
    "needed": "cores needed", "left": "cores left", "kept": "packets in time of overload, of nominal", "jain": "Jain's index",
    "least": "least, of the mean", "most": "most, of the mean", "late_calm_ms": "99 % late before, ms",
    "late_end_ms": "median late at the end, ms", "recovery_s": "back after, s", "missing": "missing", "threads": "threads",
    "rss_kib": "RSS, KiB a stream"}


@dataclasses.dataclass(frozen=True)
class Arrival:
    arrival_ns: int
    due_ns: int
    stream: int
    number: int

    @property
    def late_ns(self):
        return self.arrival_ns - self.due_ns


def read(path):
    return [Arrival(*fields) for fields in _RECORD.iter_unpack(path.read_bytes())]


# ---- what the arrivals say


def jain(values):
    """Jain's index of fairness: 1 if all are equal, 1/n if one has everything."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else 0


def _quantile(values, share):
    return sorted(values)[int(share * (len(values) - 1))] if values else None


def _between(arrivals, begin_ns, end_ns):
    return [each for each in arrivals if begin_ns <= each.arrival_ns < end_ns]


def recovery_s(arrivals, end_ns, last_ns):
    """Seconds from the end of the overload to the first slot with which GOOD_SLOTS begin in which 99 %
    of the packets are at most GOOD_LATE_NS late; None if there are none before last_ns. A slot
    without packets is not good."""
    slots = [[] for _ in range((last_ns - end_ns) // SLOT_NS)]
    for each in arrivals:
        slot = (each.arrival_ns - end_ns) // SLOT_NS
        if 0 <= slot < len(slots):
            slots[slot].append(each.late_ns)
    good = [bool(slot) and _quantile(slot, 0.99) <= GOOD_LATE_NS for slot in slots]
    for first in range(len(good) - GOOD_SLOTS + 1):
        if all(good[first:first + GOOD_SLOTS]):
            return first * SLOT_NS / 1e9
    return None


def analyse(arrivals, case, begin_ns, end_ns):
    """The columns of a row that follow from what has arrived. begin_ns, end_ns: of the overload."""
    counted_ns = begin_ns + int(BEGINNING_S * 1e9)
    during = _between(arrivals, counted_ns, end_ns)
    counts = [0] * case.streams
    for each in during:
        counts[each.stream] += 1
    mean = len(during) / case.streams
    before = [each.late_ns for each in _between(arrivals, begin_ns - int(1e9), begin_ns)]
    last = [each.late_ns for each in _between(arrivals, end_ns - SLOT_NS, end_ns)]
    known = {(each.stream, each.number) for each in arrivals}
    nominal = case.streams * case.rate_bps / PACKET_BITS * (end_ns - counted_ns) / 1e9
    return {
        "kept": len(during) / nominal, "jain": jain(counts),
        "least": min(counts) / mean if mean else None, "most": max(counts) / mean if mean else None,
        "late_calm_ms": _quantile(before, 0.99) / 1e6 if before else None,
        "late_end_ms": _quantile(last, 0.5) / 1e6 if last else None,
        "recovery_s": recovery_s(arrivals, end_ns, end_ns + int((AFTER_S - 1) * 1e9)),
        "missing": 1 - len(known) / _made(arrivals) if arrivals else None,
    }


def _made(arrivals):
    """Packets that left or were lost: from the first to the last number of each stream."""
    numbers = {}
    for each in arrivals:
        first, last = numbers.get(each.stream, (each.number, each.number))
        numbers[each.stream] = min(first, each.number), max(last, each.number)
    return sum(last - first + 1 for first, last in numbers.values())


# ---- the measurement


def _processors():
    """The sender's processor, and those of the receiver."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        raise Failed("an overload needs two processors")
    return processors[-1], processors[:-1]


def _on(processors):
    return ["taskset", "-c", ",".join(map(str, processors))]


def _cpu_s(pid):
    """Of all threads of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _needed(pid, seconds):
    """The processor time that the process takes in a second."""
    before, begun = _cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    return (_cpu_s(pid) - before) / (time.monotonic() - begun)


def measure(bench, case):
    """A row of the table. Raises processes.Failed."""
    own, others = _processors()
    path = bench.out / "arrivals.bin"
    sink = SINKS[case.element]
    bench = bench.lasting(CALM_S + OVERLOAD_S + AFTER_S)
    with open(bench.out / "programs.log", "a") as log, contextlib.ExitStack() as programs:
        run = Run(bench, case, log, programs)
        receiver = run.start([*bench.network.receiver, *_on(others)], "bench-scale-receiver", sink.mode, case.rate_bps,
                             case.rtt_ms, path)
        receiver.wait_for("ready")
        sender = run.pipelines([*bench.network.sender, *_on([own])], sink.line)
        sender.wait_for("ready")
        sender.go()
        sender.wait_for("measuring")
        needed = _needed(sender.pid, CALM_S)
        spinner = run.start([], "bench-scale-spinner", own, 1 - LEFT * min(needed, 1), OVERLOAD_S)
        taken = spinner.result()
        row = sender.result()
        receiver.end()
    arrivals = read(path)
    path.unlink()
    return {"element": case.element, "rtt_ms": case.rtt_ms, "streams": case.streams, "rate_bps": case.rate_bps,
            "needed": needed, "left": LEFT * min(needed, 1),
            **analyse(arrivals, case, taken["begin_ns"], taken["end_ns"]),
            "threads": sum(value for name, value in row.items() if name.startswith("threads_")), "rss_kib": row["rss_kib"]}


# ---- the report


def summary(row):
    back = "not back" if row["recovery_s"] is None else f"back after {row['recovery_s']:.1f} s"
    return (f"overload of {row['streams']} streams: {row['kept']:.2f} of the packets, Jain's index {row['jain']:.4f}, "
            f"least {row['least'] or 0:.2f} and most {row['most'] or 0:.2f} of the mean, {back}")


def blocks(rows):
    if not rows:
        return
    yield report.Heading("Overload")
    yield (f"The process has {LEFT:g} of the processor time that it needs, for {OVERLOAD_S} s. The first {BEGINNING_S:g} s do not "
           f"count. The streams are back when 99 % of the packets are at most {GOOD_LATE_NS / 1e6:g} ms late, for "
           f"{GOOD_SLOTS * SLOT_NS / 1e9:g} s. A row for each measurement; \u201c\u2013\u201d: the streams were not back.")
    yield report.Table(["streams", "element", *_COLUMNS.values()],
                       [[int(row["streams"]), tables.case_of(row).name, *(row[column] for column in _COLUMNS)] for row in rows],
                       align=True)
