# SPDX-License-Identifier: LGPL-2.1-or-later
"""TFRC beside TCP as it is today: Reno and CUBIC as Linux has them, drop-tail and managed queues,
greedy flows and movies.

Owns the list of runs. report.py makes tables and figures of them.
"""

from batch.jobs import Job
from common.sink_settings import RFC5348, TFRCSINK
from vod import benchmark, schedules

from .report import report  # noqa: F401 (a definition has it)

TITLE = "TFRC beside today's TCP"
SEEDS = 3

# Round-trip time in ms: (seconds before the measurement, seconds of the measurement). From one loss
# to the next, a Reno flow's window takes seconds on short paths and most of a minute on the
# longest.
TIMES_S = {20: (10, 35), 50: (15, 45), 100: (25, 75), 200: (40, 120)}
DROP_TAIL_BDPS = (0.5, 1, 2, 10)
MANAGED = ("red", "codel", "fq_codel")
FLOWS = ((1, 1), (1, 4), (8, 8))
TCPS = ("reno", "cubic")
POLICIES = ("4r", "linux", "balanced")
SETTINGS = {"default": TFRCSINK, "rfc": RFC5348}
MOVIE = "v-for-vendetta"

# One flow of each kind with t_RTO balanced is played with every queue at every round-trip time.
# More flows, other policies and movies are played with these two queues at these round-trip times
# alone. All combinations would be ten times the work.
CROWD_QUEUES = ({"queue": "droptail", "queue_bdp": 1}, {"queue": "fq_codel"})
POLICY = "balanced"

FULL = {"times_s": TIMES_S, "bdps": DROP_TAIL_BDPS, "managed": MANAGED, "flows": FLOWS, "policies": POLICIES,
        "crowd_rtts_ms": (50, 200), "standard_bdps": (0.5, 1, 2), "long": (200, 600), "long_policies": ("4r", "balanced"),
        "late_rtts_ms": (200,), "spacing_rtts_ms": (20, 200)}
QUICK = {"times_s": {20: (2, 8)}, "bdps": (1,), "managed": ("fq_codel",), "flows": ((1, 1),), "policies": ("balanced",),
         "crowd_rtts_ms": (20,), "standard_bdps": (1,), "long": (2, 10), "long_policies": ("4r",), "late_rtts_ms": (),
         "spacing_rtts_ms": (20,)}
STANDARD_RTT_MS = 20
STANDARD_MIN_RTO_S = 1
STANDARD_POLICIES = ("4r", "balanced")
LONG_RTT_MS = 200
# TCP starts on a path that TFRC has used alone; the measurement is TCP's first minute.
LATE = {"tcp_start_s": 120, "warmup_s": 122, "duration_s": 60}
LATE_VARIANTS = ({"tfrc_burst": 2}, {"history_length": 4}, {"history_length": 2})
SPACINGS = ({}, {"tcp_paced": True}, {"tfrc_burst": 2})


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    parts = (_pairs, _crowds, _movies, _standard_rto, _long, _late, _spacing)
    return [job for seed in seeds for part in parts for job in part(size, seed)]


def _queues(size):
    return [{"queue": "droptail", "queue_bdp": bdp} for bdp in size["bdps"]] + [{"queue": name} for name in size["managed"]]


def _job(part, settings, rtt_ms, flows, tcp, policy, times_s, seed, depends=(), **parameters):
    warmup_s, duration_s = times_s
    return Job("fairness", {"part": part, "settings": settings, **SETTINGS[settings], "rtt_ms": rtt_ms,
                            "tfrc_flows": flows[0], "tcp_flows": flows[1], "tcp": tcp, "rto_policy": policy,
                            "warmup_s": warmup_s, "duration_s": duration_s, "seed": seed, **parameters},
               cost=warmup_s + duration_s, depends=depends)


def _pairs(size, seed):
    return [_job("pairs", settings, rtt_ms, (1, 1), tcp, POLICY, times_s, seed, **queue)
            for settings in SETTINGS for rtt_ms, times_s in size["times_s"].items() for queue in _queues(size) for tcp in TCPS]


def _crowd(part, size, seed, flows, policies, **more):
    return [_job(part, "default", rtt_ms, flows, tcp, policy, size["times_s"][rtt_ms], seed, **queue, **more)
            for rtt_ms in size["crowd_rtts_ms"] for queue in CROWD_QUEUES for tcp in TCPS for policy in policies]


def _crowds(size, seed):
    return [job for flows in size["flows"] for job in _crowd("crowds", size, seed, flows, size["policies"])]


def _movies(size, seed):
    """One movie for each TFRC flow. Each movie begins at another place in the trace."""
    found = []
    for flows in size["flows"]:
        entries = movies(seed, flows[0], max(sum(times_s) for times_s in size["times_s"].values()))
        found += _crowd("movies", size, seed, flows, (POLICY,), playlist=schedules.playlist(entries),
                        depends=tuple(path for _, path in entries))
    return found


def movies(seed, count, seconds):
    """Pairs (start_s, schedule). A movie begins when its flow starts, and that start is random
    already."""
    trace = benchmark.movies.load(MOVIE, benchmark.TRACES)
    return [(0.0, schedules.schedule(trace.path, benchmark.scenario.offset_s(MOVIE, seed, number, trace.seconds), seconds))
            for number in range(count)]


def _standard_rto(size, seed):
    """The short queues beside TCP whose least RTO is one second, as in RFC 6298."""
    return [_job("standard RTO", "rfc", STANDARD_RTT_MS, flows, tcp, policy, size["times_s"][STANDARD_RTT_MS], seed,
                 queue="droptail", queue_bdp=bdp, min_rto_s=min_rto_s)
            for bdp in size["standard_bdps"] for flows in size["flows"] for tcp in TCPS for policy in STANDARD_POLICIES
            for min_rto_s in (0.2, STANDARD_MIN_RTO_S)]


def _long(size, seed):
    """One flow of each kind on the long path, until their rates no longer change."""
    return [_job("long", "rfc", LONG_RTT_MS, (1, 1), tcp, policy, size["long"], seed, queue="droptail", queue_bdp=1)
            for tcp in TCPS for policy in size["long_policies"]]


def _late(size, seed):
    """TCP starts on a path that one other flow has used alone."""
    times_s = LATE["warmup_s"], LATE["duration_s"]
    found = []
    for rtt_ms in size["late_rtts_ms"]:
        for tcp in TCPS:
            cells = [{"settings": settings, "policy": policy} for settings in SETTINGS for policy in size["long_policies"]]
            cells += [{"settings": "rfc", "policy": "4r", "first": "tcp"}]
            cells += [{"settings": "rfc", "policy": "4r", **variant} for variant in LATE_VARIANTS]
            found += [_job("late", rtt_ms=rtt_ms, flows=(1, 1), tcp=tcp, times_s=times_s, seed=seed, queue="droptail",
                           queue_bdp=1, tcp_start_s=LATE["tcp_start_s"], **cell) for cell in cells]
    return found


def _spacing(size, seed):
    """Runs that show whether the spacing of packets decides which flow loses them."""
    return [_job("spacing", "rfc", rtt_ms, (1, 1), "reno", POLICY, size["times_s"][rtt_ms], seed,
                 queue="droptail", queue_bdp=bdp, **variant)
            for rtt_ms in size["spacing_rtts_ms"] for bdp in size["standard_bdps"] for variant in SPACINGS]
