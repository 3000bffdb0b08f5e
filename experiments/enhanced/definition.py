# SPDX-License-Identifier: LGPL-2.1-or-later
"""Enhanced TFRC: the paper's experiment with RFC 5348, with each mechanism and with several
together, in congestion, with random losses, beside TCP, and with movies.

Owns the list of runs. report.py makes tables and figures of them.
"""

import sys

from batch.jobs import Job
from vod import benchmark, schedules

from . import variants
from .report import report  # noqa: F401 (a definition has it)

TITLE = "Enhanced TFRC"
SEEDS = 10

PROGRAM = "enhanced"
MOVIE_PROGRAM = "vod"
MOVIES = ("v-for-vendetta", "cinderella-man")
# The network of the VoD paper's Table 1
MOVIE = {"rate_bps": benchmark.TABLE1_RATE_BPS, "d2_ms": 20, "queue": 20, "skip_end_s": benchmark.scenario.UNCOUNTED_END_S}
MOVIE_LOSSES = (0, 0.03)  # 1 % does not hold up a movie on so short a path
SWEPT = (variants.CLASSIC, variants.PAPER, variants.ENHANCED)
GREEDY_BPS = 5e6
TELLING = (variants.CLASSIC, *variants.CLASSIFYING)  # the variants that are played with every loss rate
TELLING_MBPS = 3
LOSSES = (0, 0.01)
# Of runs beside TCP, of movies and of the other loss rates
FEWER_SEEDS = 5
# The network of the fairness experiment, with RFC 5348's burst limit and without queue guard: one
# bottleneck of 10 Mbit/s, one TCP flow
QUEUE_PROGRAM = "fairness"
QUEUES = ({"queue": "droptail", "queue_bdp": 0.1}, {"queue": "red"}, {"queue": "codel"}, {"queue": "fq_codel"})
QUEUE_RTT_MS = 50
QUEUE_VARIANTS = (variants.CLASSIC, "R bounded", *variants.CLASSIFYING)

FULL = {"offered_mbps": (0.5, 1, 1.5, 2, 3, 5), "each_mbps": {0: (1.5, 3), 0.01: (1, 3)}, "more_losses": (0.001, 0.03),
        "duration_s": 175, "tcps": {"reno": LOSSES, "cubic": LOSSES}, "more_tcps": ("reno",), "tcp_times_s": (20, 100),
        "queues": QUEUES, "queue_times_s": (15, 45), "movies": MOVIES, "movie_s": 598,
        "movie_variants": {"tfrc-rfc": tuple(variants.VARIANTS), "tfrc": SWEPT}}
QUICK = {"offered_mbps": (1, 3), "each_mbps": {0: (3,), 0.01: (3,)}, "more_losses": (), "duration_s": 15, "tcps": {"reno": (0,)},
         "more_tcps": (), "tcp_times_s": (5, 15), "queues": QUEUES[2:3], "queue_times_s": (3, 7), "movies": MOVIES[:1],
         "movie_s": 60, "movie_variants": {"tfrc-rfc": SWEPT}}


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    try:
        return [*_alone(size, seeds), *_beside_tcp(size, seeds[:FEWER_SEEDS]),
                *_queues(size, seeds[:FEWER_SEEDS]), *_movies(size, seeds[:FEWER_SEEDS])]
    except benchmark.movies.TraceError as error:
        sys.exit(f"experiments: {error}")


def _job(part, variant, seed, **parameters):
    return Job(PROGRAM, {"part": part, **variants.VARIANTS[variant], **parameters, "seed": seed},
               cost=parameters["duration_s"] * (4 if "tcp" in parameters else 2))


def _alone(size, seeds):
    """The measured flow and the cross traffic."""
    for seed in seeds:
        points = [(variant, mbps, loss) for variant in SWEPT for mbps in size["offered_mbps"] for loss in LOSSES]
        points += [(variant, mbps, loss) for variant in variants.VARIANTS for loss in LOSSES
                   for mbps in size["each_mbps"][loss]]
        if seed in seeds[:FEWER_SEEDS]:
            points += [(variant, TELLING_MBPS, loss) for variant in TELLING for loss in size["more_losses"]]
        for variant, mbps, loss in points:
            yield _job("alone", variant, seed, offered_bps=mbps * 1e6, link_loss=loss, duration_s=size["duration_s"])


def _beside_tcp(size, seeds):
    """A source that always has data, beside one TCP flow over the same path."""
    warmup_s, duration_s = size["tcp_times_s"]
    for seed in seeds:
        points = [(variant, tcp, loss) for tcp, losses in size["tcps"].items() for loss in losses
                  for variant in variants.VARIANTS]
        points += [(variant, tcp, loss) for tcp in size["more_tcps"] for loss in size["more_losses"] for variant in TELLING]
        for variant, tcp, loss in points:
            yield _job("tcp", variant, seed, offered_bps=GREEDY_BPS, tcp=tcp, link_loss=loss, warmup_s=warmup_s,
                       duration_s=duration_s)


def _queues(size, seeds):
    """Queues that drop packets before they are full, and a very short one, beside one Reno flow."""
    warmup_s, duration_s = size["queue_times_s"]
    for seed in seeds:
        for queue in size["queues"]:
            for variant in QUEUE_VARIANTS:
                yield Job(QUEUE_PROGRAM, {"part": "queues", **variants.VARIANTS[variant], **queue, "rtt_ms": QUEUE_RTT_MS,
                                          "tfrc_flows": 1, "tcp_flows": 1, "tcp": "reno", "warmup_s": warmup_s,
                                          "duration_s": duration_s, "seed": seed}, cost=20 * (warmup_s + duration_s))


def _movies(size, seeds):
    """One movie alone. Each seed has another movie of the same kind."""
    for movie in size["movies"]:
        for seed in seeds:
            trace = benchmark.movies.of_seed(movie, seed, schedules.DIRECTORY)
            schedule = schedules.modelled(trace.path)
            for transport, names in size["movie_variants"].items():
                for loss in MOVIE_LOSSES:
                    for variant in names:
                        yield Job(MOVIE_PROGRAM, {
                            "part": "movie", "movie": movie, "transport": transport, **variants.VARIANTS[variant], **MOVIE,
                            "link_loss": loss, "duration_s": size["movie_s"], "seed": seed,
                            "playlist": schedules.playlist([(0.0, schedule)])}, cost=size["movie_s"] / 2, depends=(schedule,))
