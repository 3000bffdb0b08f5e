# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the limits experiment on short runs: experiments-limits.py PROGRAM SCRATCH_DIRECTORY [SEED...]."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

import pandas

PROGRAM, SCRATCH = map(pathlib.Path, sys.argv[1:3])
# All that is asserted has held for seeds 1 to 5; here one is enough.
SEEDS = tuple(map(int, sys.argv[3:])) or (1,)
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT)]

from limits import analytic  # noqa: E402

SHORT_RTT = {"delay_ms": 1, "background": 35, "duration_s": 30, "warmup_s": 10}
HEAVY = {"delay_ms": 50, "background": 80, "duration_s": 40, "warmup_s": 10, "rto_policy": "tcp"}
RUNS = {
    "cbr": {"rate_bps": 20e6, "background": 35, "cbr": "true", "rate_scales": "1,4", "duration_s": 40, "warmup_s": 10},
    **{policy: SHORT_RTT | {"rto_policy": policy} for policy in ("4r", "tcp", "balanced")},
    "L = 8": HEAVY,
    "L = 16": HEAVY | {"history_length": 16},
}

# Equation 1 of the paper (RFC 5348 section 3.1), b = 1, computed by hand: p, F(.1, .4) in packets per second,
# F(.01, .04)/F(.01, 1), F(.5, 1)/F(.5, 2)
EQUATION = ((0.01, 112.3, 2.99, 1.04), (0.05, 36.9, 8.85, 1.20), (0.10, 17.7, 14.0, 1.37), (0.15, 9.52, 17.8, 1.54),
            (0.20, 5.37, 20.3, 1.67))


def run(name, seed):
    output = SCRATCH / f"{name.replace(' ', '')}-{seed}"
    parameters = RUNS[name] | {"seed": seed, "output": output}
    subprocess.run([PROGRAM, *(f"--{key}={value}" for key, value in parameters.items())], check=True)
    return pandas.read_csv(output / "flows.csv")


def rate(flows, of, over="packets"):
    """The sum of one column of the flows over the sum of another"""
    return flows[of].sum() / flows[over].sum()


def kind(flows, name, scale=1):
    return flows[(flows["kind"] == name) & (flows["rate_scale"] == scale)]


def cbr(flows, low_bps, high_bps):
    return flows[(flows["offered_bps"] >= low_bps) & (flows["offered_bps"] <= high_bps)]


def share(flows):
    """TFRC's throughput over TCP's"""
    return kind(flows, "tfrc")["rate_bps"].mean() / kind(flows, "tcp")["rate_bps"].mean()


def predictor_spread(flows):
    """The variance of theta^ divided by the square of its mean"""
    tfrc = kind(flows, "tfrc")
    return (tfrc["var_predictor"] / tfrc["mean_predictor"] ** 2).mean()


def bound(flows):
    """E[1/theta^] over 1/E[theta]: above 1, f(E[1/theta^]) is below f(1/E[theta])."""
    tfrc = kind(flows, "tfrc")
    return (tfrc["mean_inverse_predictor"] * tfrc["mean_interval"]).mean()


def gap(flows):
    """E[1/theta^] - 1/E[theta^] over the value of equation 16 for it"""
    tfrc = kind(flows, "tfrc")
    return (tfrc["mean_inverse_predictor"] - 1 / tfrc["mean_predictor"]).mean() / tfrc["predicted_gap"].mean()


# Statements that hold for every seed; m[run] are the flows of one seed.
CHECKS = {
    "flows of every rate lose the same share of their packets": lambda m:
        0.7 < rate(cbr(m["cbr"], 64e3, 195e3), "drops") / rate(cbr(m["cbr"], 1e6, 1e6), "drops") < 1.4,
    "the loss event rate falls as the rate grows": lambda m:
        rate(cbr(m["cbr"], 64e3, 195e3), "loss_events") > rate(cbr(m["cbr"], 500e3, 500e3), "loss_events")
        > rate(cbr(m["cbr"], 1e6, 1e6), "loss_events"),
    "the renewal form is nearer than Theorem 4.1 for the fastest": lambda m: _renewal_is_nearer(m["cbr"]),
    "four times the equation sends more and sees fewer loss events": lambda m:
        kind(m["cbr"], "tfrc", 4)["rate_bps"].mean() > 1.5 * kind(m["cbr"], "tfrc")["rate_bps"].mean()
        and rate(kind(m["cbr"], "tfrc", 4), "loss_events") < rate(kind(m["cbr"], "tfrc"), "loss_events"),
    "4 R at 10 ms takes more than TCP gets, TCP's own timeout less": lambda m:
        share(m["4r"]) > 1.5 and share(m["tcp"]) < 0.7,
    "the balanced t_RTO at 10 ms is fair": lambda m: 0.5 < share(m["balanced"]) < 2,
    "a longer history makes the predictor steadier": lambda m:
        predictor_spread(m["L = 16"]) < predictor_spread(m["L = 8"]),
    # In the run with the most loss events
    "f(E[1/theta^]) is below f(1/E[theta])": lambda m: bound(m["4r"]) > 1,
    "equation 16 predicts how far": lambda m: all(0.6 < gap(m[name]) < 1.6 for name in ("4r", "L = 8", "L = 16")),
}


def _renewal_is_nearer(flows):
    fastest = cbr(flows, 1e6, 1e6).iloc[0]
    p, w = fastest["drops"] / fastest["packets"], 125 * kind(flows, "tfrc")["rtt_s"].mean()
    measured = fastest["loss_events"] / fastest["packets"]
    return (abs(analytic.renewal_loss_event_rate(p, w) - measured)
            < abs(analytic.theorem_loss_event_rate(p, w) - measured))


def check_analytic():
    equation = analytic.Equation()
    for p, packets_per_s, short, long in EQUATION:
        for expected, value in ((packets_per_s, equation.packets_per_s(p, 0.1, 0.4)),
                                (short, equation.ratio(p, 0.01, 0.04, 1)), (long, equation.ratio(p, 0.5, 1, 2))):
            assert abs(value / expected - 1) < 0.005, (p, expected, value)
    assert analytic.theorem_loss_event_rate(0.5, 2) == 0.375
    assert analytic.renewal_loss_event_rate(0.5, 2) == 0.25
    assert analytic.difference_ratio(3, 2) == 0.5 and analytic.difference_ratio(2, 3) == -0.5


def told(flows):
    return flows.groupby(["kind", "rate_scale", "offered_bps"], dropna=False)[
        ["rate_bps", "packets", "drops", "loss_events", "mean_interval", "mean_inverse_predictor"]].mean().to_string()


def main():
    check_analytic()
    wanted = [(name, seed) for name in RUNS for seed in SEEDS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(wanted, pool.map(lambda job: run(*job), wanted)))
    wrong = []
    for seed in SEEDS:
        measured = {name: found[name, seed] for name in RUNS}
        wrong += [f"seed {seed}: not so: {check}" for check, holds in CHECKS.items() if not holds(measured)]
    if wrong:
        print(*(f"{name}, seed {seed}:\n{told(flows)}" for (name, seed), flows in found.items()), sep="\n")
        sys.exit("\n".join(wrong))


main()
