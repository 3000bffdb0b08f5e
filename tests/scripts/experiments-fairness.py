# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the fairness experiment on short runs: experiments-fairness.py PROGRAM SCRATCH_DIRECTORY [SEED...]."""

import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys

import pandas

PROGRAM, SCRATCH = map(pathlib.Path, sys.argv[1:3])
# All that is asserted has held for seeds 1 to 5; here one is enough.
SEEDS = tuple(map(int, sys.argv[3:])) or (1,)

LONG = {"rtt_ms": 100, "queue_bdp": 1, "warmup_s": 5, "duration_s": 60, "series": "true"}
SHORT = {"rtt_ms": 20, "warmup_s": 5, "duration_s": 20}
LATE = {"rtt_ms": 200, "tcp_start_s": 120, "warmup_s": 122, "duration_s": 60}
MOVIE = {"playlist": SCRATCH / "movie-playlist.csv", "warmup_s": 2, "duration_s": 20}
RUNS = {
    "long reno": LONG,
    "long cubic": LONG | {"tcp": "cubic"},
    "short cubic": SHORT | {"tcp": "cubic"},
    "short ns3-cubic": SHORT | {"tcp": "ns3-cubic"},
    "deep": SHORT | {"queue_bdp": 2},
    "codel": SHORT | {"queue": "codel"},
    "fq_codel": SHORT | {"queue": "fq_codel", "tfrc_flows": 2},
    "red": SHORT | {"queue": "red"},
    "tcp alone": SHORT | {"first": "tcp", "tfrc_flows": 4, "tcp_flows": 4},
    "late": LATE,
    "late tcp": LATE | {"first": "tcp"},
    "movie": MOVIE,
    "movie without room": MOVIE | {"rate_bps": 4e5},
}


def write_movie():
    """Writes a movie of 640 kbit/s in packets of 1316 bytes."""
    due_us = [round(i * 1316 * 8 / 0.64) for i in range(2000)]
    (SCRATCH / "movie.csv").write_text("\n".join(["due_us,bytes", *(f"{due},1316" for due in due_us), ""]))
    MOVIE["playlist"].write_text("start_s,schedule\n0,movie.csv\n")


def run(name, seed):
    output = SCRATCH / f"{name.replace(' ', '-')}-{seed}"
    parameters = RUNS[name] | {"seed": seed, "output": output}
    subprocess.run([PROGRAM, *(f"--{key}={value}" for key, value in parameters.items())], check=True)
    return json.loads((output / "measures.json").read_text())


def kept_window(name, seed):
    """The part of the window that is left after a loss that was repaired without a timeout: median
    over the losses."""
    series = pandas.read_csv(SCRATCH / f"{name.replace(' ', '-')}-{seed}" / "series.csv")
    tcp = series[series["kind"] == "tcp"].reset_index(drop=True)
    lost = (tcp["recoveries"].diff() == 1) & (tcp["timeouts"].diff() == 0) & (tcp["window_bytes"].shift() > 0)
    kept = [tcp["window_bytes"][i] / tcp["window_bytes"][i - 1] for i in tcp.index[lost]]
    assert len(kept) >= 3, f"{name}: only {len(kept)} losses"
    return statistics.median(kept)


CHECKS = {
    "Reno halves its window": lambda m, seed: 0.42 < kept_window("long reno", seed) < 0.62,
    "CUBIC keeps 0.7 of it": lambda m, seed: 0.64 < kept_window("long cubic", seed) < 0.82,
    "CUBIC takes more than Reno where there is much to fill":
        lambda m, seed: m["long cubic"]["ratio"] < m["long reno"]["ratio"],
    "without its Reno-friendly region CUBIC gets less where windows are small":
        lambda m, seed: m["short ns3-cubic"]["ratio"] > 1.15 * m["short cubic"]["ratio"],
    "FQ-CoDel shares equally": lambda m, seed: m["fq_codel"]["jain"] > 0.98,
    "a managed queue is short": lambda m, seed: max(m[name]["queue_delay_mean_s"] for name in ("codel", "fq_codel", "red"))
        < 0.02 < m["deep"]["queue_delay_mean_s"],
    "the link is used": lambda m, seed: all(0.9 < m[name]["utilisation"] < 1.001 for name in m if name.startswith(("long", "short"))),
    "TCP shares with TCP": lambda m, seed: 0.5 < m["tcp alone"]["ratio"] < 2 and m["tcp alone"]["jain"] > 0.8,
    "TCP that comes late to a long path waits long for its share of TFRC's":
        lambda m, seed: m["late"]["ratio"] > 2 > m["late tcp"]["ratio"],
    "a movie arrives where there is room": lambda m, seed: m["movie"]["missed"] < 0.03,
    "and misses much where there is none": lambda m, seed: m["movie without room"]["missed"] > 0.2,
}


def main():
    write_movie()
    wanted = [(name, seed) for seed in SEEDS for name in RUNS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(wanted, pool.map(lambda point: run(*point), wanted)))
    wrong = []
    for seed in SEEDS:
        measures = {name: found[name, seed] for name in RUNS}
        wrong += [f"seed {seed}: not so: {name}" for name, holds in CHECKS.items() if not holds(measures, seed)]
        if wrong:
            wrong += [f"  {name}: " + ", ".join(f"{key} {value:.4g}" for key, value in row.items() if value is not None)
                      for name, row in measures.items()]
    if wrong:
        sys.exit("\n".join(wrong))


main()
