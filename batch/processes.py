# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs jobs as processes: command lines, keys of results, measures, failures and interruption."""

import contextlib
import functools
import json
import math
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading

from . import runner, store
from .jobs import Result

# The measures that every program writes; simulations write 'events' too.
REQUIRED = ("simulated_s", "cpu_s")
OUTPUT_TAIL_LINES = 10


class Interrupted(Exception):
    """A signal to this program ended a job. The job has no result, and has not failed."""


class Processes:
    """The processes of the built programs in a directory, and of the Python programs in another.
    Its 'play' is what the runner plays.

    build: the build directory; results depend on its shared libraries that a program loads.
    programs: the directory of the built programs. definitions: the directory of the Python
    programs."""

    def __init__(self, build, programs, definitions, revision):
        self.build = pathlib.Path(build).resolve()
        self.programs = pathlib.Path(programs).resolve()
        self.definitions = pathlib.Path(definitions).resolve()
        self.revision = revision
        self._running = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __reduce__(self):
        # Another process gets the places, and no process that runs here.
        return Processes, (self.build, self.programs, self.definitions, self.revision)

    def program(self, name):
        """The path of a job's program. Raises RunFailed if the file is missing."""
        python = name.endswith(".py")
        path = (self.definitions if python else self.programs) / name
        if not path.is_file():
            raise runner.RunFailed(f"{path} is missing" + ("" if python else ": build it first, as --list does"))
        return path

    def command(self, job):
        """The command line of a job as a list, without --output."""
        program = self.program(job.program)
        return ([sys.executable, "-B"] if program.suffix == ".py" else []) + [str(program), *job.arguments()]

    @functools.lru_cache(maxsize=None)
    def libraries(self, program):
        """The paths of the shared libraries that a program loads; none for a script."""
        found = subprocess.run(["ldd", str(program)], capture_output=True, text=True)
        return tuple(pathlib.Path(path) for path in re.findall(r"(?:=> )?(/\S+) \(", found.stdout))

    @functools.lru_cache(maxsize=None)
    def _digest(self, *files):
        return store.digest_of(files)

    def key(self, job):
        """A hash of everything on which the result depends: program, libraries, parameters and
        contents of files."""
        program = self.program(job.program)
        # Libraries of the system count by their version alone, which the program names.
        own = [path for path in self.libraries(program) if path.resolve().is_relative_to(self.build)]
        try:
            digest = self._digest(program, *own, *job.files())
        except OSError as error:
            raise runner.RunFailed(f"{error.filename}: {error.strerror}") from error
        return store.key_of({**job.identity(), "files": digest})

    def play(self, plan, directory):
        """Runs a job and returns its result for the store. Raises RunFailed if the job fails,
        Interrupted after stop()."""
        directory = directory.resolve()
        command = self.command(plan.run)
        output = directory / "output.txt"
        with open(output, "wb") as file:
            status = self._wait([*command, f"--output={directory}"], file)
        if status != 0:
            reason = f"signal {-status}" if status < 0 else f"exit status {status}"
            raise runner.RunFailed("\n    ".join([reason, *_tail(output)]))
        if output.stat().st_size == 0:
            output.unlink()
        return {"command": shlex.join(command), "revision": self.revision,
                "measures": read_measures(directory / "measures.json")}

    def _wait(self, command, output):
        with self._lock:
            if self._stopped:
                raise Interrupted
            # A group of its own, so that Ctrl-C reaches it through 'stop' alone.
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       process_group=0)
            self._running.add(process)
        if self._stopped:  # just now
            self.stop()
        status = process.wait()
        with self._lock:
            self._running.discard(process)
            if self._stopped:
                raise Interrupted
        return status

    def stop(self):
        """Ends the running jobs; no more jobs start. May be called from a signal handler."""
        self._stopped = True
        for process in tuple(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)


def _tail(path):
    return path.read_text(errors="replace").splitlines()[-OUTPUT_TAIL_LINES:]


def read_measures(path):
    """The numbers of measures.json, which must be one flat object. null, an undefined measure,
    becomes NaN. Raises RunFailed for any other content."""
    try:
        with open(path) as file:
            measures = json.load(file)
    except (OSError, ValueError) as error:
        raise runner.RunFailed(f"no {path.name}: {error}") from error
    if not isinstance(measures, dict):
        raise runner.RunFailed(f"{path.name} is not one object")
    measures = {name: math.nan if value is None else value for name, value in measures.items()}
    wrong = [name for name, value in measures.items() if isinstance(value, bool) or not isinstance(value, (int, float))]
    wrong += [name for name in REQUIRED if name not in measures]
    if wrong:
        raise runner.RunFailed(f"{path.name} has no number for {', '.join(wrong)}")
    return measures


def result_of(job, stored, directory):
    return Result(job.program, job.parameters, stored["measures"], directory)


def in_words(stored):
    """The line of progress of a finished job."""
    measures = stored["measures"]
    return f"{measures['simulated_s']:g} s in {measures['cpu_s']:.3g} s of CPU"
