# SPDX-License-Identifier: LGPL-2.1-or-later
"""The movies: the places of their traces, the generation of others with the same statistics, the
mean rate, and the rate of the peak second.

Traces are frame sizes in display order, either the project's CSV (frame,type,time_ms,bytes) or the same four columns
separated by spaces; '#' starts a comment.
"""

import dataclasses
import functools
import hashlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "traces"
GENERATED = pathlib.Path(os.environ.get("BUILD_DIR") or ROOT / "build") / "movies"

TS_PACKET = 188
TS_PAYLOAD = 184
PES_HEADER_BYTES = 19  # with PTS and DTS
PEAK_WINDOW_FRAMES = 25


class TraceError(Exception):
    """A trace that is missing or cannot be understood."""


@dataclasses.dataclass(frozen=True)
class Movie:
    path: pathlib.Path
    seconds: float
    mean_bps: float  # of transport stream
    peak_bps: float  # in the peak second
    digest: str


def load(name, directory):
    """The movie NAME from its trace of 600 s in a directory."""
    return read(find(name, directory))


def of_seed(name, seed, directory=GENERATED):
    """The movie of a seed. Seed 1 has the calibrated movie; other seeds have other movies with the
    same statistics."""
    return read(generated(directory / f"{name}-like-600s-{seed}.csv", name, "--variant", seed))


def generated(path, *arguments):
    """The trace that traces/generate.py makes of these arguments. The file is complete, and is made
    again when the model has changed."""
    newest = max(source.stat().st_mtime for source in MODEL.iterdir() if source.suffix in (".py", ".json"))
    if not path.exists() or path.stat().st_mtime < newest:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        command = [sys.executable, MODEL / "generate.py", *arguments, "--output", partial]
        result = subprocess.run(list(map(str, command)), stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            raise TraceError(result.stderr.strip().split("\n")[-1])
        os.replace(partial, path)
    return path


def find(name, directory):
    found = sorted(pathlib.Path(directory).glob(f"{name}*-600s.*"), key=lambda path: (path.suffix != ".csv", path))
    if not found:
        raise TraceError(f"no trace {name}*-600s.csv in {directory}")
    return found[0]


@functools.lru_cache
def read(path):
    text = pathlib.Path(path).read_bytes()
    times, sizes = [], []
    for number, line in enumerate(text.decode("ascii", "replace").splitlines(), 1):
        fields = line.split("#")[0].replace(",", " ").split()
        if not fields or fields[0] == "frame":
            continue
        try:
            times.append(float(fields[2]))
            sizes.append(int(fields[3]))
        except (IndexError, ValueError):
            raise TraceError(f"{path}:{number}: not 'frame,type,time_ms,bytes': {line}") from None
    if len(sizes) < 2:
        raise TraceError(f"{path}: fewer than two frames")
    ts_bytes = [-(-(size + PES_HEADER_BYTES) // TS_PAYLOAD) * TS_PACKET for size in sizes]
    interval_s = (times[-1] - times[0]) / (len(times) - 1) / 1e3
    frames = min(PEAK_WINDOW_FRAMES, len(sizes))
    window = sum(ts_bytes[:frames])
    peak = window
    for index in range(frames, len(ts_bytes)):
        window += ts_bytes[index] - ts_bytes[index - frames]
        peak = max(peak, window)
    return Movie(pathlib.Path(path), len(sizes) * interval_s, sum(ts_bytes) * 8 / (len(sizes) * interval_s),
                 peak * 8 / (frames * interval_s), hashlib.sha256(text).hexdigest())
