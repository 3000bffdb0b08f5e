# SPDX-License-Identifier: LGPL-2.1-or-later
"""The limits of equation-based control: the limits paper's simulations, and TFRC beside TCP at
every round-trip time and load with every t_RTO.

Owns the list of runs. Their tables and figures are in loss_events.py (Figs 1 to 5), bounds.py (6 to
11) and rto.py (12 to 15, and the grid). Runs that several parts use are made once.
"""

from batch import tables
from batch.jobs import Job

from . import bounds, loss_events, rto
from .analytic import Equation
from .runs import runs

TITLE = "The limits of equation-based control"
SEEDS = 1

FULL = {"delays": tuple(rto.RTTS_MS), "background": (5, 35, 80, 150, 250, 400), "duration_s": 90, "warmup_s": 20}
QUICK = {"delays": (1, 50), "background": (5, 80), "duration_s": 10, "warmup_s": 5}


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    parts = (_loss_event_jobs, bounds_jobs, grid_jobs, _short_min_rto_jobs)
    return [job for seed in seeds for part in parts for job in part(size, seed)]


def _job(size, seed, delay_ms, background, **parameters):
    return Job("limits", {"delay_ms": delay_ms, "background": background, "duration_s": size["duration_s"],
                          "warmup_s": size["warmup_s"], "seed": seed, **parameters},
               cost=(size["duration_s"] + size["warmup_s"]) * parameters.get("rate_bps", 15e6))


def _loss_event_jobs(size, seed):
    return [_job(size, seed, bounds.PAPERS_DELAY_MS, background, rate_bps=loss_events.RATE_BPS, cbr=True, rto_policy="tcp",
                 rate_scales=scales)
            for scales in loss_events.RATE_SCALES for background in size["background"]]


def bounds_jobs(size, seed):
    """The runs of Figs 6 to 11. size: as FULL, without delays."""
    # Without history_length the run is one of the grid.
    return [_job(size, seed, bounds.PAPERS_DELAY_MS, background, rto_policy="tcp",
                 **({} if length == 8 else {"history_length": length}))
            for length in bounds.HISTORY_LENGTHS for background in size["background"]]


def grid_jobs(size, seed, policies=rto.POLICIES):
    """TFRC with each policy for t_RTO at each delay. size: as FULL."""
    return [_job(size, seed, delay_ms, background, rto_policy=policy)
            for delay_ms in size["delays"] for policy in policies for background in size["background"]]


def _short_min_rto_jobs(size, seed):
    return [_job(size, seed, delay_ms, background, rto_policy=policy, min_rto_s=rto.SHORT_MIN_RTO_S)
            for delay_ms in rto.SHORT_MIN_RTO_DELAYS_MS for policy in rto.SHORT_MIN_RTO_POLICIES
            for background in size["background"][::2]]


def report(results, out, quick):
    equation = Equation()
    with_cbr = [result for result in results if result.parameters.get("cbr")]
    every = runs([result for result in results if not result.parameters.get("cbr")], equation)
    tables.write_csv(out / "runs.csv", every.drop(columns="cpu_s"))
    tables.write_report(out, TITLE, *introduction(results, quick), *(loss_events.report(with_cbr, out) if with_cbr else ()),
                        *bounds.report(every, out), *rto.report(every, equation, out))


def introduction(results, quick):
    """The report's first block: the times of the runs, and what is counted."""
    parameters = results[0].parameters
    return (
        f"{parameters['duration_s']} s measured after {parameters['warmup_s']} s{', quick' if quick else ''} (the paper: "
        "1000 s in all, of which the first 200 s are not measured). Rates and losses are those of the packets that come to "
        "the bottleneck; a loss event of the network is what it drops of a flow within one round-trip time of the path. "
        "p is its packet loss rate, in place of the paper's ping.",
    )
