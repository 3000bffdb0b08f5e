# SPDX-License-Identifier: LGPL-2.1-or-later
"""Video on demand: the VoD paper's Table 1 and Figs 4 to 6 in simulation, and simulations of the
testbed's runs beside the testbed's results.

Owns the list of runs. report.py makes tables and figures of them.
"""

import sys

from batch.jobs import Job

from . import benchmark, schedules
from .report import report  # noqa: F401 (a definition has it)

TITLE = "Video on demand"
SEEDS = 5

PROGRAM = "vod"
MOVIES = ("cinderella-man", "v-for-vendetta")
TRANSPORTS = ("tfrc", "tfrc-rfc", "udp", "udp-shaped-peak")
TESTBED = {"table1": ("tfrc", "udp", "udp-shaped-peak"), "levers": ("tfrc-rfc", "tfrc-burst", "tfrc-guard"),
           "fig4": ("tfrc", "tfrc-peak", "tfrc-smooth-300", "tfrc-smooth", "udp", "udp-shaped-peak")}
FIG4_TRANSPORTS = ("tfrc", "tfrc-rfc", "tfrc-peak", "tfrc-smooth-300", "tfrc-smooth", "udp", "udp-shaped-peak")
FIG4_FAR = ("tfrc", "tfrc-smooth-300", "tfrc-smooth", "udp", "udp-shaped-peak")
HOUR_S = 3600
END_S = benchmark.scenario.UNCOUNTED_END_S
FIG4_MOST = 15
FIG5_D2_MS = 20
FIG5_TRANSPORTS = ("tfrc", "tfrc-smooth-300", "udp")

FULL = {"table1_s": HOUR_S, "d2_ms": (20, 60), "queue": (20, 100), "movies": MOVIES, "fig4_s": 80,
        "fig4": {20: FIG4_TRANSPORTS, 60: FIG4_FAR}, "bdp": (0.5, 1, 2), "fig4_n": range(8, FIG4_MOST + 1), "fig5_s": 60,
        "smoothing_ms": (0, 100, 200, 300, 500, 1000, 1500), "tcp": (1, 2, 3, 5, 7, 10, 15, 20), "testbed_seeds": None}
QUICK = {"table1_s": 120, "d2_ms": (20, 60), "queue": (20,), "movies": ("v-for-vendetta",), "fig4_s": 20,
         "fig4": {20: FIG4_TRANSPORTS}, "bdp": (1,), "fig4_n": (8, 12, FIG4_MOST), "fig5_s": 10,
         "smoothing_ms": (0, 300), "tcp": (1, 5), "testbed_seeds": (1,)}


def job(part, movie, trace, seed, entries, *, transport, d2_ms, queue, rate_bps, duration_s, **more):
    """entries: pairs (start_s, schedule)."""
    parameters = {
        "part": part, "movie": movie, "transport": transport, "rate_bps": rate_bps, "d2_ms": d2_ms, "queue": queue,
        "duration_s": duration_s, "skip_end_s": END_S, "seed": seed, **more,
        "peak_bps": schedules.peak_bps(trace) if "peak" in transport else None, "playlist": schedules.playlist(entries)}
    return Job(PROGRAM, parameters, cost=(len(entries) + rate_bps / 1e6 * ("tcp" in more)) * duration_s,
               depends=tuple(path for _, path in entries))


def _table1(size, seeds):
    """An hour of one movie alone. Each seed has another movie of the same kind."""
    for movie in size["movies"]:
        for seed in seeds:
            trace = schedules.hour(movie, seed)
            entries = [(0.0, schedules.schedule(trace, 0, size["table1_s"] + END_S))]
            for d2_ms in size["d2_ms"]:
                for queue in size["queue"]:
                    for transport in TRANSPORTS:
                        yield job("table1", movie, trace, seed, entries, transport=transport, d2_ms=d2_ms, queue=queue,
                                  rate_bps=benchmark.TABLE1_RATE_BPS, duration_s=size["table1_s"])


def together(movie, trace, seed, count, duration_s, longest=None, first_s=0, bitrate_bps=None):
    """The movies that the testbed would play together; the first starts at first_s. longest: the
    number of movies for which the schedules have to be long enough. bitrate_bps: the mean rate to
    which they are scaled."""
    streams = benchmark.streams(movie, trace, seed, count, duration_s)
    lasting = benchmark.streams(movie, trace, seed, longest or count, duration_s)
    earlier_s = min(stream.start_s for stream, _ in streams) - first_s
    return [(stream.start_s - earlier_s, schedules.schedule(trace.path, stream.offset_s, seconds, bitrate_bps=bitrate_bps))
            for (stream, _), (_, seconds) in zip(streams, lasting)]


def _fig4(size, seeds):
    """8 to 15 movies at once, each from a place of its own on. Each seed has another movie."""
    for movie in size["movies"]:
        for seed in seeds:
            trace = benchmark.movies.of_seed(movie, seed)
            for count in size["fig4_n"]:
                entries = together(movie, trace, seed, count, size["fig4_s"], FIG4_MOST)
                for d2_ms, transports in size["fig4"].items():
                    bdp = benchmark.bdp_packets(benchmark.FIG4_RATE_BPS, d2_ms)
                    for part in size["bdp"]:
                        for transport in transports:
                            yield job("fig4", movie, trace.path, seed, entries, transport=transport, d2_ms=d2_ms,
                                      queue=int(part * bdp), rate_bps=benchmark.FIG4_RATE_BPS,
                                      duration_s=size["fig4_s"])


def _smoothing(size, seeds):
    """V for Vendetta as in Fig. 4, with a queue of one bandwidth-delay product and each of several
    smoothing times."""
    movie, d2_ms = MOVIES[1], 20
    queue = benchmark.bdp_packets(benchmark.FIG4_RATE_BPS, d2_ms)
    for seed in seeds:
        trace = benchmark.movies.of_seed(movie, seed)
        for count in size["fig4_n"]:
            entries = together(movie, trace, seed, count, size["fig4_s"], FIG4_MOST)
            for smoothing_ms in size["smoothing_ms"]:
                yield job("smoothing", movie, trace.path, seed, entries, d2_ms=d2_ms, queue=queue,
                          transport="tfrc-smooth" if smoothing_ms else "tfrc", rate_bps=benchmark.FIG4_RATE_BPS,
                          duration_s=size["fig4_s"], smoothing_ms=smoothing_ms or None)


def _fig5(size, seeds):
    """Cinderella Man beside greedy TCP flows. Each seed has another movie. Fig. 6 shows the same
    runs."""
    queue = benchmark.bdp_packets(benchmark.FIG5_RATE_BPS, FIG5_D2_MS)
    start_s = benchmark.scenario.TCP_START_S
    for seed in seeds:
        trace = benchmark.movies.of_seed(MOVIES[0], seed)
        entries = together(MOVIES[0], trace, seed, 1, size["fig5_s"], first_s=start_s + benchmark.scenario.TCP_LEAD_S)
        for tcp in size["tcp"]:
            for transport in FIG5_TRANSPORTS:
                yield job("fig5", MOVIES[0], trace.path, seed, entries, transport=transport, d2_ms=FIG5_D2_MS,
                          queue=queue, rate_bps=benchmark.FIG5_RATE_BPS, duration_s=size["fig5_s"], tcp=tcp,
                          tcp_start_s=start_s)


def testbed(size):
    """Simulations of the testbed's runs: the same packets at the same times."""
    for name, transports in TESTBED.items():
        rows = benchmark.testbed_rows(name)
        rows = rows[rows["transport"].isin(transports)].drop_duplicates(list(benchmark.RUN))
        for row in rows.itertuples():
            if size["testbed_seeds"] and (row.seed not in size["testbed_seeds"] or name != "table1"):
                continue
            trace = benchmark.played(row.movie, row.seed, getattr(row, "trace", None))
            entries = together(row.movie, trace, row.seed, row.movies, row.duration_s)
            yield job("testbed", row.movie, trace.path, row.seed, entries, transport=row.transport,
                      d2_ms=row.d2_ms, queue=row.queue, rate_bps=row.rate_bps, duration_s=row.duration_s)


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    try:
        return [*_table1(size, seeds), *_fig4(size, seeds), *_smoothing(size, seeds), *_fig5(size, seeds),
                *testbed(size)]
    except benchmark.movies.TraceError as error:
        sys.exit(f"experiments: {error}")
