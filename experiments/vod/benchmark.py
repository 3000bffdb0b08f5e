"""Shared with the VoD benchmark on the testbed: the starts of movies, the meaning of measures, the
paper's numbers.

Owns the search path of the benchmark's modules, which belong to a program.
"""

import sys
import types

import pandas

import batch

# Last: other modules of the same names come first.
_HOME = batch.ROOT / "pipelines" / "vod-benchmark"
sys.path += [str(_HOME), str(_HOME.parent)]

import movies  # noqa: E402
import paper  # noqa: E402
import scenario  # noqa: E402
from report import figures, sections, summary  # noqa: E402, F401 (for the other modules here)

TRACES = batch.ROOT / "traces"
RESULTS = batch.ROOT / "results" / "vod"
TABLE1_RATE_BPS = 2_000_000
FIG4_RATE_BPS = 10_000_000
FIG5_RATE_BPS = 15_000_000
PACKET_BITS = 8 * (1316 + 28)  # of UDP, with its headers: what a bandwidth-delay product is counted in

# The columns that identify a run within an experiment
RUN = ("movie", "transport", "d2_ms", "queue", "movies", "seed")


def bdp_packets(rate_bps, d2_ms):
    """One bandwidth-delay product of the paper's network."""
    return round(2 * d2_ms / 1e3 * rate_bps / PACKET_BITS)


def testbed_rows(name):
    """The testbed's committed table of an experiment, a row for each movie of each run."""
    return pandas.read_csv(RESULTS / f"{name}.csv")


def played(movie, seed, trace_name=None):
    """The movie of a row of the testbed's tables, which says the name of its trace where seeds have
    movies of their own."""
    own = isinstance(trace_name, str) and trace_name.endswith(f"-{seed}")
    return movies.of_seed(movie, seed) if own else movies.load(movie, TRACES)


def streams(movie, trace, seed, movies_together, duration_s):
    """The movies that play together, each with its offset_s and start_s, and for how long: the
    testbed's own rule."""
    run = types.SimpleNamespace(seeds=(seed,), parameters={
        "movie": movie, "movies": movies_together, "duration_s": duration_s, "tcp": 0})
    found = scenario.streams(run, trace)
    return [(stream, scenario.duration_s(run, found, stream)) for stream in found]
