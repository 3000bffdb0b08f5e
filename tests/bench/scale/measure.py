# SPDX-License-Identifier: LGPL-2.1-or-later
"""One measurement of a sink or a source."""

import contextlib
import os
import pathlib

from . import profile
from .cases import PACKET_BITS, SINKS, SOURCES
from .processes import Program

_LIMIT_S = 240  # beside the measurement, for setting up thousands of streams
_FEEDER_EXTRA_S = 2
_PROFILER_EXTRA_S = 5  # within which perf starts
_KINDS = ("streaming", "loop", "pool")  # of threads, see usage.h


class Bench:
    """build: the directory of the programs. out: the directory of the logs. warm_up_s, seconds: of
    each measurement."""

    def __init__(self, build, out, network, warm_up_s, seconds):
        self.programs = pathlib.Path(build) / "tests" / "bench"
        self.out = pathlib.Path(out)
        self.network = network
        self.warm_up_s, self.seconds = warm_up_s, seconds

    def lasting(self, seconds):
        """The same for measurements of another length."""
        return Bench(self.programs.parents[1], self.out, self.network, self.warm_up_s, seconds)

    def profile(self, case, path):
        """Writes what perf samples during a measurement. Raises processes.Failed."""
        longer = self.lasting(self.seconds + _PROFILER_EXTRA_S)
        longer.measure(case, on_measuring=lambda pid: profile.record(pid, self.seconds, path))

    def measure(self, case, counts_allocations=False, on_measuring=lambda pid: None):
        """A row of the table. counts_allocations: also 'allocations'. on_measuring: called with the
        process that is measured, when its measurement begins. Raises processes.Failed."""
        with open(self.out / "programs.log", "a") as log, contextlib.ExitStack() as programs:
            row = (self._source if case.is_source else self._sink)(
                Run(self, case, log, programs), case, counts_allocations, on_measuring)
        nominal_pps = case.streams * case.rate_bps / PACKET_BITS
        if "arrived" in row:
            row["missing"] = max(0, 1 - row["arrived"] / (nominal_pps * self.seconds))
        return {
            "element": case.element, "rtt_ms": case.rtt_ms, "streams": case.streams, "rate_bps": case.rate_bps, **row,
            "threads": sum(row[f"threads_{kind}"] for kind in _KINDS),
            "of_nominal": row["packets"] / (nominal_pps * row["window_s"]),
        }

    def _sink(self, run, case, counts_allocations, on_measuring):
        sink = SINKS[case.element]
        receiver = None
        if sink.mode:
            called = [case.streams, self.network.sender_address] if sink.listens and not sink.partner else []
            receiver = run.start(self.network.receiver, "bench-scale-receiver", sink.mode, case.rate_bps, case.rtt_ms, *called)
            receiver.wait_for("ready")
        # Who is called comes first.
        if sink.partner and not sink.listens:
            run.pipelines(self.network.receiver, sink.partner).wait_for("ready")
        sender = run.pipelines(self.network.sender, sink.line, counts_allocations, sink.listens)
        sender.wait_for("ready")
        if sink.partner and sink.listens:
            run.pipelines(self.network.receiver, sink.partner).wait_for("ready")
        sender.go()
        row = run.measured(sender, on_measuring)
        return row | (receiver.end() if receiver else {})

    def _source(self, run, case, counts_allocations, on_measuring):
        line, mode = SOURCES[case.element]
        receiver = run.pipelines(self.network.receiver, line, counts_allocations)
        receiver.wait_for("ready")
        run.start(self.network.sender, "bench-scale-feeder", mode, self.network.address, case.streams, case.rate_bps,
                  int(self.warm_up_s + self.seconds + _FEEDER_EXTRA_S))
        receiver.go()
        return run.measured(receiver, on_measuring)


class Run:
    """The programs of one measurement."""

    def __init__(self, bench, case, log, programs):
        self._bench, self._case, self._log, self._programs = bench, case, log, programs

    def start(self, place, program, *arguments, environment=None):
        words = [*place, str(self._bench.programs / program), *map(str, arguments)]
        limit_s = _LIMIT_S + self._bench.warm_up_s + self._bench.seconds
        return self._programs.enter_context(Program(words, self._log, limit_s, environment))

    def pipelines(self, place, line, counts_allocations=False, is_one=False):
        """is_one: a single pipeline, each of whose packets leaves for all streams"""
        line = line.format(rate=self._case.rate_bps, host=self._bench.network.address, sender=self._bench.network.sender_address)
        environment = None
        if counts_allocations:
            # The slice allocator of older versions of GLib would hide allocations.
            environment = {**os.environ, "G_SLICE": "always-malloc",
                           "LD_PRELOAD": str(self._bench.programs / "libbench-allocations.so")}
        pipelines, copies = (1, self._case.streams) if is_one else (self._case.streams, 1)
        return self.start(place, "bench-scale-pipelines", f"--line={line}", f"--streams={pipelines}", f"--copies={copies}",
                          f"--warm-up={self._bench.warm_up_s}", f"--seconds={self._bench.seconds}",
                          environment=environment)

    def measured(self, pipelines, on_measuring):
        pipelines.wait_for("measuring")
        on_measuring(pipelines.pid)
        return pipelines.result()
