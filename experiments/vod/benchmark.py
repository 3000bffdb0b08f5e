# SPDX-License-Identifier: LGPL-2.1-or-later
"""What this experiment shares with the VoD benchmark on the testbed: the starts of movies, the
meaning of measures, the paper's numbers.

Owns the search path of the benchmark's modules, which are files of a program and not a package.
"""

import sys
import types

import pandas

import batch

# The last place of the search path: other modules with the same names come first.
_HOME = batch.ROOT / "pipelines" / "vod-benchmark"
sys.path += [str(_HOME), str(_HOME.parent)]

import analysis  # noqa: E402
import conditions  # noqa: E402
import logs  # noqa: E402, F401 (for the other modules here)
import metrics  # noqa: E402, F401
import movies  # noqa: E402
import paper  # noqa: E402
import pictures  # noqa: E402, F401
import scenario  # noqa: E402
from report import figures, player, sections, summary  # noqa: E402, F401

TRACES = batch.ROOT / "traces"
RESULTS = batch.ROOT / "results" / "vod"
TABLE1_RATE_BPS = 2_000_000
FIG4_RATE_BPS = 10_000_000
FIG5_RATE_BPS = 15_000_000
PACKET_BITS = 8 * (1316 + 28)  # a UDP packet with headers, the unit of a bandwidth-delay product

# The columns that identify a run within an experiment
RUN = ("movie", "transport", "d2_ms", "queue", "movies", "seed")


def bdp_packets(rate_bps, d2_ms):
    """One bandwidth-delay product of the paper's network."""
    return round(2 * d2_ms / 1e3 * rate_bps / PACKET_BITS)


def testbed_rows(name):
    """The committed table of an experiment on the testbed: a row for each movie of each run."""
    return pandas.read_csv(RESULTS / f"{name}.csv")


def played(movie, seed, trace_name=None):
    """The movie of a row of the testbed's tables. The row has the name of its trace if each seed
    has a movie of its own."""
    own = isinstance(trace_name, str) and trace_name.endswith(f"-{seed}")
    return movies.of_seed(movie, seed) if own else movies.load(movie, TRACES)


def streams(movie, trace, seed, movies_together, duration_s):
    """The movies that play together, each with offset_s and start_s, and their duration. The rule
    is the testbed's own."""
    run = types.SimpleNamespace(seeds=(seed,), parameters={
        "movie": movie, "movies": movies_together, "duration_s": duration_s, "tcp": 0})
    found = scenario.streams(run, trace)
    return [(stream, scenario.duration_s(run, found, stream)) for stream in found]
