# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the multihop experiment on short runs: experiments-multihop.py PROGRAMS SCRATCH_DIRECTORY."""

import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys

PROGRAMS, SCRATCH = map(pathlib.Path, sys.argv[1:])
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT)]

import pandas  # noqa: E402
from common.equation import Equation  # noqa: E402
from multihop import equation  # noqa: E402

EQUATION = Equation(PROGRAMS.parent)
WIRE_BITS = 8 * 1500
SEEDS = (1, 2, 3)
DURATION_S = 100
CONTROLS = {"all TFRC": ("tfrc", "tfrc"), "all Reno": ("reno", "reno"), "TFRC in Reno": ("tfrc", "reno"),
            "Reno in TFRC": ("reno", "tfrc")}
HOPS = (1, 5)


def of_equation(measures):
    """C1's sent rate over the equation's rate for C1's loss event rate, mean R and mean t_RTO;
    infinite without a loss."""
    p = measures["c1_loss_event_rate"]
    if p == 0:
        return math.inf
    return measures["c1_sent_bps"] / (WIRE_BITS * EQUATION.packets_per_s(p, measures["c1_rtt_s"], measures["c1_rto_s"]))


# Statements that hold for every seed; m[scenario, hops] are the measures of one seed.
CHECKS = {
    "one hop: TFRC is fair to TFRC": lambda m: 350e3 < m["all TFRC", 1]["c1_bps"] < 650e3,
    "C1 gets less over more hops": lambda m: all(
        m[scenario, 5]["c1_bps"] < m[scenario, 1]["c1_bps"] / 2 for scenario in CONTROLS),
    "TFRC uses more of the links than Reno": lambda m: all(
        m["all TFRC", hops]["utilisation"] > m["all Reno", hops]["utilisation"] for hops in HOPS),
    "among TFRC C1 gets less of five hops than among Reno": lambda m:
        m["all TFRC", 5]["c1_bps"] < m["all Reno", 5]["c1_bps"],
    "TFRC in Reno gets more than Reno in TFRC": lambda m: all(
        m["TFRC in Reno", hops]["c1_bps"] > m["Reno in TFRC", hops]["c1_bps"] for hops in HOPS),
    "one hop: TFRC sends what the equation has for its own p, R and t_RTO": lambda m:
        0.7 < of_equation(m["TFRC in Reno", 1]) < 1.4,
    "the default t_RTO is 4 R": lambda m: all(
        abs(m["TFRC in Reno", hops]["c1_rto_s"] / m["TFRC in Reno", hops]["c1_rtt_s"] - 4) < 0.001 for hops in HOPS),
}
# These statements must fail with a wrong equation.
SENSITIVE = ("TFRC in Reno gets more than Reno in TFRC",
             "one hop: TFRC sends what the equation has for its own p, R and t_RTO")


def run(program, scenario, hops, seed):
    c1, cross = CONTROLS[scenario]
    output = SCRATCH / f"{program}-{c1}-{cross}-{hops}-{seed}"
    subprocess.run([PROGRAMS / program, f"--c1={c1}", f"--cross={cross}", f"--hops={hops}", f"--seed={seed}",
                    f"--duration_s={DURATION_S}", f"--output={output}"], check=True)
    return json.loads((output / "measures.json").read_text())


def measure(program, scenarios, seeds):
    """Seed -> (scenario, hops) -> measures."""
    wanted = [(scenario, hops, seed) for scenario in scenarios for hops in HOPS for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(wanted, pool.map(lambda point: run(program, *point), wanted)))
    return {seed: {(scenario, hops): found[scenario, hops, seed] for scenario in scenarios for hops in HOPS}
            for seed in seeds}


def told(by_scenario):
    return "\n".join(f"  {scenario}, {hops} hops: C1 {row['c1_bps'] / 1e3:.1f} kbit/s, utilisation {row['utilisation']:.3f}"
                     for (scenario, hops), row in by_scenario.items())


def check_adds_up():
    """The counts add up: no more packets arrive than were sent and not dropped, and no more than
    the links can carry."""
    for directory in SCRATCH.glob("multihop-*-1"):
        lines = (directory / "flows.csv").read_text().split()
        rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]
        for row in rows:
            assert float(row["loss_events"]) <= float(row["packets_dropped"]) <= float(row["packets_sent"]), row
            arrived = float(row["goodput_bps"]) / 8 * (DURATION_S - 10) / 1500
            # Packets that were under way when the measurement began arrive, too.
            assert arrived <= float(row["packets_sent"]) - float(row["packets_dropped"]) + 40, row
        measures = json.loads((directory / "measures.json").read_text())
        assert measures["utilisation"] <= 1.02, measures


def check_beside_equation():
    """Rows whose rates are multiples of the equation's: C1 TFRC sends 3 times what the equation has
    for it, and Reno in its place 2 times what the equation has for Reno."""
    tfrc, reno = (0.01, 0.2, 0.8), (0.02, 0.3, 1.0)  # p, R, t_RTO

    def row(c1, seed, inputs, factor):
        p, rtt_s, rto_s = inputs
        return {"c1": c1, "cross": "reno", "scenario": c1, "tfrc_rto": "4r", "buffer_packets": 12, "hops": 1, "seed": seed,
                "c1_loss_event_rate": p, "c1_rtt_s": rtt_s, "c1_rto_s": rto_s,
                "c1_sent_bps": factor * WIRE_BITS * EQUATION.packets_per_s(p, rtt_s, rto_s)}

    found = equation.beside(pandas.DataFrame([row("tfrc", 1, tfrc, 3), row("reno", 1, reno, 2), row("tfrc", 2, tfrc, 3)]),
                            EQUATION)
    with_reno, alone = found.iloc[0], found.iloc[1]
    at_same_bps = 2 * WIRE_BITS * EQUATION.packets_per_s(tfrc[0], tfrc[1], reno[2])
    for name, expected in (("of_equation", 3), ("reno_of_equation", 2), ("reno_loss_event_rate", reno[0]),
                           ("reno_at_same_kbps", at_same_bps / 1e3),
                           ("of_reno_at_same", row("tfrc", 1, tfrc, 3)["c1_sent_bps"] / at_same_bps)):
        assert abs(with_reno[name] / expected - 1) < 1e-9, (name, with_reno[name], expected)
    assert abs(alone["of_equation"] / 3 - 1) < 1e-9 and math.isnan(alone["of_reno_at_same"]), alone


def main():
    check_beside_equation()
    by_seed = measure("multihop", CONTROLS, SEEDS)
    wrong = [f"seed {seed}: not so: {name}\n{told(found)}" for seed, found in by_seed.items()
             for name, holds in CHECKS.items() if not holds(found)]
    check_adds_up()
    broken = measure("multihop-wrong-equation", ["TFRC in Reno", "Reno in TFRC"], SEEDS[:1])[SEEDS[0]]
    wrong += [f"a wrong equation goes unnoticed: {name}\n{told(broken)}" for name in SENSITIVE if CHECKS[name](broken)]
    if wrong:
        sys.exit("\n".join(wrong))


main()
