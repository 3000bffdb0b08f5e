# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fast link adaptation after a handover: the simulations of the handover paper, and further ones.

Owns the list of runs. report.py makes tables and figures of them.
"""

import batch
from batch.jobs import Job
from common.sink_settings import TFRCSINK

from .report import report  # noqa: F401 (a definition has it)

TITLE = "Fast link adaptation after a handover"
SEEDS = 20  # each seed is another start of the stream

PROGRAM = "handover"
LINKS_MS = (25, 70)
CASES = ((25, 70), (70, 25))  # low to high round-trip time, and high to low
ADAPTATIONS = ("none", "paper", "direct")
WITH_BOUND = (*ADAPTATIONS, "bound")
MEASURED_S = 6  # after the last handover
MOVIES = ("cinderella-man", "v-for-vendetta")
MOVIE_S = 600

FULL = {"times_s": (30, 120), "sweep_ms": range(5, 71, 5), "sweep_seeds": 2, "left_out": True}
QUICK = {"times_s": (30,), "sweep_ms": (5, 25, 70), "sweep_seeds": 1, "left_out": False}


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    parts = [_figures(), _main(size, seeds), _sweep(size, seeds[::size["sweep_seeds"]])]
    if size["left_out"]:
        parts += [_robustness(seeds), _bandwidth(seeds), _tcp(seeds), _lost(seeds), _to_and_fro(seeds), _movies(seeds)]
    return [job for part in parts for job in part]


def start_s(seed):
    """Twenty starts within a second: one phase of the queue's cycle. The experiment
    'handover-starts' has the other phases."""
    return (seed - 1) % 20 / 20


def _job(part, case, adaptation, seed, handover_s=30, after_s=MEASURED_S, **more):
    delay1_ms, delay2_ms = case
    return Job(PROGRAM, {"part": part, "delay1_ms": delay1_ms, "delay2_ms": delay2_ms, "adaptation": adaptation,
                         "start_s": start_s(seed), "handover_s": handover_s, "duration_s": handover_s + after_s,
                         "seed": seed, **more}, cost=handover_s + after_s)


def _figures():
    """The paper's Figs 1 and 5: one run each, over time."""
    return [_job("figure", case, adaptation, 1, after_s=30, sample_s=0.1)
            for case in CASES for adaptation in ADAPTATIONS]


def _main(size, seeds):
    return [_job("main", case, adaptation, seed, handover_s)
            for handover_s in size["times_s"] for case in CASES for adaptation in WITH_BOUND for seed in seeds]


def _sweep(size, seeds):
    return [_job("sweep", (delay_ms, LINKS_MS[0]), adaptation, seed)
            for delay_ms in size["sweep_ms"] for adaptation in ADAPTATIONS for seed in seeds]


def _robustness(seeds):
    """Other queues, and other settings of sender and receiver."""
    settings = {"shared queue of 33": {"shared": True, "queue": 33}, "queues of 10": {"queue": 10},
                "tfrcsink's defaults": TFRCSINK, "no marks": {"suppress_echo": True}}
    return [_job(part, case, adaptation, seed, **settings[part])
            for part in settings for case in CASES for adaptation in WITH_BOUND for seed in seeds
            if part != "no marks" or adaptation in ("paper", "direct")]


def _bandwidth(seeds):
    """The new link has half the rate, or twice."""
    return [_job("bandwidth", case, adaptation, seed, rate2_bps=rate_bps, bandwidth_known=known)
            for rate_bps in (2.5e6, 10e6) for known in (False, True) for case in CASES for adaptation in WITH_BOUND
            for seed in seeds if not known or adaptation in ("paper", "direct")]


def _tcp(seeds):
    """A TCP flow has filled the new link."""
    return [_job("tcp", case, adaptation, seed, after_s=30, tcp=True)
            for case in CASES for adaptation in ADAPTATIONS for seed in seeds]


def _lost(seeds):
    """All urgent feedback about the handover is lost, or the sender never hears of the handover."""
    return [_job("lost notifications", case, adaptation, seed, lose_s=lose_s)
            for lose_s in (0.1, 3600) for case in CASES for adaptation in ("paper", "direct") for seed in seeds]


def _to_and_fro(seeds):
    return [_job("to and fro", case, adaptation, seed, after_s=60, handovers=10, period_s=6)
            for case in CASES for adaptation in WITH_BOUND for seed in seeds]


def _movies(seeds):
    """Movies of 640 kbit/s from twenty places on, with tfrcsink's defaults."""
    from vod import schedules  # it needs vod-replay

    packets = {movie: schedules.schedule(batch.ROOT / "traces" / f"{movie}-like-{MOVIE_S}s.csv", 0, MOVIE_S)
               for movie in MOVIES}
    return [_job(f"movie {movie}", case, adaptation, seed, packet_bytes=1368, schedule=packets[movie],
                 offset_s=(seed - 1) % 20 * MOVIE_S / 20, after_s=30, handovers=handovers, **TFRCSINK)
            for movie in MOVIES for case in CASES for handovers in (0, 1)
            for adaptation in (ADAPTATIONS if handovers else ("none",)) for seed in seeds]
