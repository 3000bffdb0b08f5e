# SPDX-License-Identifier: LGPL-2.1-or-later
"""The effect of tfrcsink's defaults, the queue guard, the burst limit and the initial window, on a
movie: its waits in the sender and its losses over many links, beside RFC 5348 alone.

Owns the list of runs. report.py makes tables and figures of them.
"""

import batch
from batch.jobs import Job
from common.sink_settings import TFRCSINK

from .report import report  # noqa: F401 (a definition has it)

TITLE = "Queue guard and burst limit"
SEEDS = 10

PROGRAM = "guard"
MOVIES = ("v-for-vendetta", "cinderella-man")
MOVIE_S = 600
# Seeds are places in the movie. 227 has no divisor in common with 600, so that 600 seeds give 600
# different places.
BETWEEN_PLACES_S = 227
SENDERS = {"rfc": {}, "defaults": TFRCSINK}


def link(rate_mbps, queue, rtt_ms, **more):
    return {"rate_bps": rate_mbps * 1e6, "queue": queue, "rtt_ms": rtt_ms, **more}


def step(to_ms):
    return {"step_s": MOVIE_S // 2, "step_rtt_ms": to_ms}


# Queues are in packets, including the packet in service.
ROWS = {
    "jitter 0-10": link(5, 200, 40, jitter_ms=10),
    "jitter 0-50": link(5, 200, 120, jitter_ms=50),
    "jitter 0-50, reordered": link(5, 200, 120, jitter_ms=50, jitter_reorders=True),
    "jitter 0-25 both ways": link(5, 200, 120, jitter_ms=25, feedback_jitter_ms=25),
    "feedback jitter 0-50": link(5, 200, 200, feedback_jitter_ms=50),
    "RTT becomes 150": link(5, 200, 50, **step(150)),
    "RTT becomes 150, slow link": link(2, 20, 50, **step(150)),
    "Table 1, d2 20": link(2, 20, 42),
    "Table 1, d2 60": link(2, 20, 122),
    "Table 1, d2 20, jitter 0-5": link(2, 20, 42, jitter_ms=5),
    "Table 1, d2 60, jitter 0-5": link(2, 20, 122, jitter_ms=5),
    "Table 1, d2 20, queue 100": link(2, 100, 42),
    "Table 1, d2 60, queue 100": link(2, 100, 122),
    "one Reno, RTT 42": link(2, 20, 42, tcp=1),
    "one Reno, RTT 102": link(2, 20, 102, tcp=1),
    "one Reno, 10 BDP": link(10, 457, 50, tcp=1),
    "queue of one Reno, 1 BDP": link(10, 183, 200, tcp=1, tcp_lead_s=20),
    "queue of four Renos, 10 BDP": link(10, 457, 50, tcp=4, tcp_lead_s=20),
    "short queue": link(5, 18, 50),
    "short queue, one Reno": link(5, 18, 50, tcp=1),
    "fast link": link(15, 60, 50),
    "loss 0.1 %": link(5, 200, 120, loss=0.001),
    "loss 0.5 %": link(5, 200, 120, loss=0.005),
    "loss 1 %": link(5, 200, 120, loss=0.01),
    "loss 2 %": link(5, 200, 120, loss=0.02),
}

FULL = {"movies": MOVIES, "duration_s": MOVIE_S}
QUICK = {"movies": MOVIES[:1], "duration_s": 60}


def jobs(quick, seeds):
    from vod import schedules  # here, as it reads the trace, which the list of rows does not need

    size = QUICK if quick else FULL
    shorter = size["duration_s"] / MOVIE_S
    packets = {movie: schedules.modelled(batch.ROOT / "traces" / f"{movie}-like-{MOVIE_S}s.csv")
               for movie in size["movies"]}
    return [_job(row, movie, sender, seed, packets[movie], size["duration_s"], shorter)
            for row in ROWS for movie in size["movies"] for sender in SENDERS for seed in seeds]


def _job(row, movie, sender, seed, schedule, duration_s, shorter):
    settings = dict(ROWS[row])
    if "step_s" in settings:
        settings["step_s"] *= shorter
    return Job(PROGRAM, {"row": row, "movie": movie, **settings, **SENDERS[sender], "schedule": schedule,
                         "offset_s": BETWEEN_PLACES_S * seed % MOVIE_S, "duration_s": duration_s, "seed": seed},
               cost=duration_s * (1 + settings["rate_bps"] * settings.get("tcp", 0) / 1e6))
