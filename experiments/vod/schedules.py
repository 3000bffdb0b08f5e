# SPDX-License-Identifier: LGPL-2.1-or-later
"""Schedules: files with the time at which each packet of a movie is due, for the simulation.
vod-replay makes them, which sends the same packets on real networks.

Owns the directory and the names of these files. A name has the trace, a hash of the trace, the
start in the trace and the duration. A file that exists is made again only by another program than
the one that made it, whose hash is in a file beside it. The module also makes the traces of an hour,
which are too large to be kept.
"""

import functools
import hashlib
import os
import pathlib
import subprocess
import sys

import batch
from batch import store

from . import benchmark

# The last place of the search path, as other modules have the same names as modules there.
sys.path.append(str(benchmark.TRACES))

import tracefile  # noqa: E402
import transportstream  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BUILD_DIR") or batch.ROOT / "build" / "experiments")
DIRECTORY = BUILD / "movies"
PACKET_BYTES = transportstream.PACKET_BYTES
HEADER = "due_us,bytes"


def _fail(text):
    sys.exit(f"experiments: {text}")


def _places():
    """Where vod-replay may be: in the experiments' build directory, or in the project's usual one."""
    return [directory / "tools" / "vod-replay" / "vod-replay" for directory in (BUILD, batch.ROOT / "build")]


def vod_replay():
    """The path of vod-replay."""
    for program in _places():
        if os.access(program, os.X_OK):
            return program
    _fail("vod-replay is not built; it needs GStreamer: scripts/install-deps.sh run, then experiments/run again")


def _makers(*more):
    """vod-replay and further programs; nothing if not all of them are there, as what they have made may still be."""
    found = [program for program in _places() if os.access(program, os.X_OK)][:1]
    return (*found, *more) if found and all(path.is_file() for path in more) else ()


@functools.lru_cache(maxsize=None)
def _digest(trace):
    return hashlib.sha256(trace.read_bytes()).hexdigest()[:8]


def _run(command):
    result = subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        _fail(f"{pathlib.Path(command[0]).name} fails: {result.stderr.strip()}")


def _whole(path, write, makers=()):
    """The path of a file, which write(partial) makes unless it exists and these programs have made
    it; the file is complete or missing. No digest of a job has the programs: they count by what they
    write."""
    made_by = path.with_name(path.name + ".made-by")
    digest = store.digest_of(makers)
    if not path.exists() or makers and not (made_by.exists() and made_by.read_text() == digest):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            write(partial)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
        if makers:
            made_by.write_text(digest)
    return path


def _from_log(log, path):
    """Writes a schedule from vod-replay's log of due times. The first time becomes 0."""
    lines = log.read_text(encoding="ascii").splitlines()[1:]
    if not lines:
        _fail("vod-replay made no packet")
    due_ns = [int(line.split(",")[0]) for line in lines]
    rows = (f"{(due - due_ns[0] + 500) // 1000},{PACKET_BYTES}" for due in due_ns)
    path.write_text("\n".join((HEADER, *rows, "")), encoding="ascii")


def schedule(trace, offset_s, seconds, directory=DIRECTORY, bitrate_bps=None):
    """The schedule of a trace from an offset on, for a number of seconds. At its end the trace
    begins again. bitrate_bps: the mean rate to which the trace is scaled."""
    scaled = f"-at-{bitrate_bps}" if bitrate_bps else ""
    path = directory / f"{trace.stem}-{_digest(trace)}{scaled}-from-{offset_s:.3f}-for-{seconds:.3f}.csv"

    def write(partial):
        log = partial.with_name(partial.name + ".log")
        frames = frames_of(partial)
        try:
            _run([vod_replay(), trace, "--output", os.devnull, "--log", log, "--frames", frames, "--offset",
                  f"{offset_s:.3f}", "--duration", f"{seconds:.3f}", "--loop",
                  *(["--bitrate", bitrate_bps] if bitrate_bps else [])])
            _from_log(log, partial)
            os.replace(frames, frames_of(path))
        finally:
            log.unlink(missing_ok=True)
            frames.unlink(missing_ok=True)

    if not frames_of(path).exists():
        path.unlink(missing_ok=True)  # of a time when there was no such log
    return _whole(path, write, _makers())


def frames_of(path):
    """The log of frames beside a schedule that vod-replay made: which packets carry each frame."""
    return path.with_name(path.name + ".frames")


def classes(path, trace, offset_s, seconds, bitrate_bps=None):
    """Writes what the sink's classifier says of each packet beside the schedule of the same
    arguments, for transports that drop the least important packets first."""
    classifier = BUILD / "experiments" / "movie-classes"

    def write(partial):
        stream = partial.with_name(partial.name + ".ts")
        try:
            _run([vod_replay(), trace, "--output", stream, "--offset", f"{offset_s:.3f}", "--duration", f"{seconds:.3f}",
                  "--loop", *(["--bitrate", bitrate_bps] if bitrate_bps else [])])
            with open(partial, "wb") as file:
                subprocess.run([classifier, stream], stdout=file, check=True)
        finally:
            stream.unlink(missing_ok=True)

    return _whole(path.with_name(path.name + ".classes"), write, _makers(classifier))


def modelled(trace, directory=DIRECTORY):
    """The schedule of a whole trace by the model of traces/transportstream.py. It equals
    vod-replay's, and needs no GStreamer."""

    def write(partial):
        due_ns = transportstream.packets_of(tracefile.read(trace))
        rows = (f"{due // 1000},{PACKET_BYTES}" for due in due_ns)
        partial.write_text("\n".join((HEADER, *rows, "")), encoding="ascii")

    model = (pathlib.Path(module.__file__) for module in (tracefile, transportstream))
    return _whole(directory / f"{trace.stem}-{_digest(trace)}-modelled.csv", write, tuple(model))


def peak_bps(trace, directory=DIRECTORY):
    """The rate of the trace's peak second, kept beside the schedules: reading a trace of an hour
    takes a while."""
    path = directory / f"{trace.stem}-{_digest(trace)}.peak"
    _whole(path, lambda partial: partial.write_text(f"{int(benchmark.movies.read(trace).peak_bps)}\n"))
    return int(path.read_text())


def playlist(entries, directory=DIRECTORY):
    """A file with the start of each schedule. Its name is a hash of its contents. entries: pairs
    (start_s, schedule)."""
    text = "\n".join(["start_s,schedule", *(f"{start_s:.3f},{path.name}" for start_s, path in entries), ""])
    name = f"{len(entries)}-movies-{hashlib.sha256(text.encode()).hexdigest()[:12]}.csv"
    return _whole(directory / name, lambda partial: partial.write_text(text, encoding="ascii"))


def hour(movie, seed, directory=DIRECTORY):
    """The trace of an hour of a movie. Seed 1 gives the trace that the README of traces/ describes.
    Other seeds give other movies of the same model; these seeds were not selected."""
    seeded = ["--seed", 1000 + seed] if seed > 1 else []
    return benchmark.movies.generated(directory / f"{movie}-like-3600s-{seed}.csv", movie, "--duration", 3600, *seeded)
