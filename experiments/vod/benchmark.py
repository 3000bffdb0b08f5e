"""What the simulation shares with the VoD benchmark on the testbed: where movies begin, what measures mean, the paper's
numbers.

Owns how the benchmark's modules are reached: they are a program's, found only beside it, and some have names that
others here have, too.
"""

import importlib
import pathlib
import sys
import types

import pandas

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "traces"
RESULTS = ROOT / "results" / "vod"
_HOME = ROOT / "pipelines" / "vod-benchmark"
_MODULES = ("conditions", "metrics", "movies", "paper", "transports", "scenario", "report.summary", "report.figures")


def _load():
    """The benchmark's modules by name; what others know by the same names stays as it is."""
    taken = ("report",) + _MODULES
    saved = {name: sys.modules.pop(name) for name in taken if name in sys.modules}
    sys.path[:0] = [str(_HOME), str(_HOME.parent)]
    try:
        return types.SimpleNamespace(**{name.split(".")[-1]: importlib.import_module(name) for name in _MODULES})
    finally:
        del sys.path[:2]
        for name in taken:
            sys.modules.pop(name, None)
        sys.modules.update(saved)


_loaded = _load()
movies, paper, scenario = _loaded.movies, _loaded.paper, _loaded.scenario
summary, figures = _loaded.summary, _loaded.figures

TABLE1_RATE_BPS = 2_000_000
FIG4_RATE_BPS = 10_000_000
FIG5_RATE_BPS = 15_000_000
PACKET_BITS = 8 * (1316 + 28)  # of UDP, with its headers: what a bandwidth-delay product is counted in

# What tells one run from another within an experiment
RUN = ("movie", "transport", "d2_ms", "queue", "movies", "seed")


def bdp_packets(rate_bps, d2_ms):
    """One bandwidth-delay product of the paper's network."""
    return round(2 * d2_ms / 1e3 * rate_bps / PACKET_BITS)


def testbed_rows(name):
    """The testbed's committed table of an experiment, a row for each movie of each run."""
    return pandas.read_csv(RESULTS / f"{name}.csv")


def played(movie, seed, trace_name=None):
    """The movie of a row of the testbed's tables, which says the name of its trace where seeds have movies of their own."""
    own = isinstance(trace_name, str) and trace_name.endswith(f"-{seed}")
    return movies.of_seed(movie, seed) if own else movies.load(movie, TRACES)


def streams(movie, trace, seed, movies_together, duration_s):
    """The movies that play together, each with its offset_s and start_s, and for how long: the testbed's own rule."""
    run = types.SimpleNamespace(seeds=(seed,), parameters={
        "movie": movie, "movies": movies_together, "duration_s": duration_s, "tcp": 0})
    found = scenario.streams(run, trace)
    return [(stream, scenario.duration_s(run, found, stream)) for stream in found]
