"""Video on demand: the VoD paper's Table 1 and Fig. 4 in simulation, and the testbed's runs again beside the testbed.

Owns which runs these are. What is drawn and tabled of them is report.py's.
"""

import functools

from common.jobs import Job

from . import benchmark, schedules
from .report import report  # noqa: F401 (a definition has it)

TITLE = "Video on demand"
SEEDS = 20

PROGRAM = "vod"
MOVIES = ("cinderella-man", "v-for-vendetta")
TRANSPORTS = ("tfrc", "tfrc-rfc", "udp", "udp-shaped-peak")
TESTBED = {"table1": ("tfrc", "udp", "udp-shaped-peak"), "levers": ("tfrc-rfc", "tfrc-burst", "tfrc-guard"),
           "fig4": ("tfrc", "tfrc-peak", "tfrc-smooth", "udp", "udp-shaped-peak")}
FIG4_TRANSPORTS = ("tfrc", "tfrc-rfc", "tfrc-smooth", "udp", "udp-shaped-peak")
HOUR_S = 3600
END_S = benchmark.scenario.UNCOUNTED_END_S
FIG4_SEEDS = 5  # of the seeds: each is up to 15 movies at once
FIG4_MOST = 15

FULL = {"table1_s": HOUR_S, "d2_ms": (20, 60), "table1": {20: TRANSPORTS, 100: ("tfrc", "udp")}, "movies": MOVIES,
        "fig4_s": 80, "fig4_queue": (18, 37, 74), "fig4_n": range(8, FIG4_MOST + 1), "testbed_seeds": None}
QUICK = {"table1_s": 120, "d2_ms": (20, 60), "table1": {20: TRANSPORTS}, "movies": ("v-for-vendetta",),
         "fig4_s": 20, "fig4_queue": (37,), "fig4_n": (8, 12, FIG4_MOST), "testbed_seeds": (1,)}


@functools.lru_cache(maxsize=None)
def trace_of(name):
    """The trace of ten minutes that the testbed plays."""
    return benchmark.movies.load(name, benchmark.TRACES)


def job(part, movie, trace, seed, entries, *, transport, d2_ms, queue, rate_bps, duration_s):
    """entries: pairs (start_s, schedule)."""
    parameters = {
        "part": part, "movie": movie, "transport": transport, "rate_bps": rate_bps, "d2_ms": d2_ms, "queue": queue,
        "duration_s": duration_s, "skip_end_s": END_S, "seed": seed,
        "peak_bps": schedules.peak_bps(trace) if "peak" in transport else None, "playlist": schedules.playlist(entries)}
    return Job(PROGRAM, parameters, cost=len(entries) * duration_s, depends=tuple(path for _, path in entries))


def _table1(size, seeds):
    """An hour of one movie alone; another movie of the same kind with each seed."""
    for movie in size["movies"]:
        for seed in seeds:
            trace = schedules.hour(movie, seed)
            entries = [(0.0, schedules.schedule(trace, 0, size["table1_s"] + END_S))]
            for d2_ms in size["d2_ms"]:
                for queue, transports in size["table1"].items():
                    for transport in transports:
                        yield job("table1", movie, trace, seed, entries, transport=transport, d2_ms=d2_ms, queue=queue,
                                  rate_bps=benchmark.TABLE1_RATE_BPS, duration_s=size["table1_s"])


def together(movie, seed, count, duration_s, longest=None):
    """Movies that the testbed would play together. longest: with schedules that are long enough for so many."""
    trace = trace_of(movie)
    streams = benchmark.streams(movie, trace, seed, count, duration_s)
    lasting = benchmark.streams(movie, trace, seed, longest or count, duration_s)
    first_s = min(stream.start_s for stream, _ in streams)
    return [(stream.start_s - first_s, schedules.schedule(trace.path, stream.offset_s, seconds))
            for (stream, _), (_, seconds) in zip(streams, lasting)]


def _fig4(size, seeds):
    """8 to 15 movies at once, each from a place of its own on."""
    for movie in size["movies"]:
        for seed in seeds[:FIG4_SEEDS]:
            for count in size["fig4_n"]:
                entries = together(movie, seed, count, size["fig4_s"], FIG4_MOST)
                for queue in size["fig4_queue"]:
                    for transport in FIG4_TRANSPORTS:
                        yield job("fig4", movie, trace_of(movie).path, seed, entries, transport=transport,
                                  d2_ms=20, queue=queue, rate_bps=benchmark.FIG4_RATE_BPS, duration_s=size["fig4_s"])


def testbed(size):
    """What the testbed has played, again: the same packets at the same times."""
    for name, transports in TESTBED.items():
        rows = benchmark.testbed_rows(name)
        rows = rows[rows["transport"].isin(transports)].drop_duplicates(list(benchmark.RUN))
        for row in rows.itertuples():
            if size["testbed_seeds"] and (row.seed not in size["testbed_seeds"] or name != "table1"):
                continue
            entries = together(row.movie, row.seed, row.movies, row.duration_s)
            yield job("testbed", row.movie, trace_of(row.movie).path, row.seed, entries, transport=row.transport,
                      d2_ms=row.d2_ms, queue=row.queue, rate_bps=row.rate_bps, duration_s=row.duration_s)


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    return [*_table1(size, seeds), *_fig4(size, seeds), *testbed(size)]
