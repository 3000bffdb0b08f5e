# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processes that keep processors busy while others are measured."""

import os
import subprocess


class BusyProcesses:
    """A context, in which this number of processes of ordinary priority work without rest. The kernel ends
    them if this process is killed."""

    def __init__(self, bench, count):
        self._words = [str(bench.programs / "bench-scale-spinner"), "ordinary"]
        self._count = count
        self._processes = []

    def __enter__(self):
        try:
            for _ in range(self._count):
                self._processes.append(subprocess.Popen(self._words, stdin=subprocess.DEVNULL))
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        while self._processes:
            process = self._processes.pop()
            process.kill()
            process.wait()


def conditions(count):
    """Lines of the report."""
    if count:
        yield f"Busy meanwhile: {count} {'process' if count == 1 else 'processes'} of ordinary priority."
    if os.environ.get("TFRC_REALTIME") == "0":
        yield "The I/O loops have no real-time priority (TFRC_REALTIME=0)."
