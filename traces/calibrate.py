#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the parameters and seeds in movies.json: calibrate.py MOVIE... [--seeds-only | --variants-only] (some minutes for each)

Owns the search. Two columns of the paper depend on one parameter each. The loss of plain UDP grows
with the strength of bursts, and its mean delay falls as P frames grow at the cost of I frames. The
program bisects both in turn, on the mean of several movies. (If I frames are too small to queue, as
in cinderella-man, no parameter changes the mean delay, and p_to_i stays.) The seed of each trace is
the first seed whose own columns are near the paper's. Its variants are the first seeds whose frames
have the trace's statistics; their losses and delays in a queue do not count.
"""

import argparse
import itertools
import sys
from dataclasses import replace

import measures
import model
import movies

SAMPLE_SEEDS = range(1_000_001, 1_000_005)  # no trace or variant may have one of these seeds
SAMPLE_DURATION_S = 3600
ROUNDS, HALVINGS = 2, 6
BURST_TO_I = {"cinderella-man": (2.5, 6.0), "v-for-vendetta": (1.0, 4.0)}
P_TO_I = {"v-for-vendetta": (0.08, 0.25)}

IPLR_TOLERANCE = 0.02  # relative to the paper's loss ratio
IPTD_TOLERANCE_S = 0.0005  # a mean delay within it rounds to the paper's
PEAK_TOLERANCE = 0.02  # relative, of the ratio of largest to mean frame
PEAK_SECOND_BPS = 2_000_000
MOST_SEEDS = 1000

VARIANTS = 19  # besides the trace itself
FIRST_VARIANT = 1001
VARIANT_DURATION_S = 600
ALIKE = 0.1  # largest relative difference from the trace in peak second and mean I, P and B frame
ALIKE_MEASURES = ("peak_1s_bps", "I_to_mean", "P_to_mean", "B_to_mean")


def sample(parameters):
    """Mean delay and loss ratio of plain UDP, over several movies."""
    frames = SAMPLE_DURATION_S * model.FRAMES_PER_S
    columns = [measures.of_udp(model.movie(parameters, frames, seed), 20) for seed in SAMPLE_SEEDS]
    return tuple(measures.mean([column[name] for column in columns]) for name in ("iptd_mean_s", "iplr"))


def bisect(too_high, low, high):
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if too_high(middle) else (middle, high)
    return round((low + high) / 2, 3)


def fit(movie):
    parameters = movie.parameters
    for _ in range(ROUNDS):
        burst_to_i = bisect(
            lambda value: sample(replace(parameters, burst_to_i=value))[1] > movie.paper["iplr"], *BURST_TO_I[movie.name]
        )
        parameters = replace(parameters, burst_to_i=burst_to_i)
        if movie.name in P_TO_I:
            p_to_i = bisect(
                lambda value: sample(replace(parameters, p_to_i=value))[0] < movie.paper["iptd_mean_s"], *P_TO_I[movie.name]
            )
            parameters = replace(parameters, p_to_i=p_to_i)
        iptd_mean_s, iplr = sample(parameters)
        found = f"burst_to_i {burst_to_i}, p_to_i {parameters.p_to_i}"
        print(f"{movie.name}: {found}: IPLR {iplr:.3e}, mean {iptd_mean_s * 1e3:.2f} ms")
    return parameters


def is_near(movie, trace):
    udp = measures.of_udp(trace, 20)
    if abs(udp["iplr"] / movie.paper["iplr"] - 1) > IPLR_TOLERANCE:
        return False
    if abs(udp["iptd_mean_s"] - movie.paper["iptd_mean_s"]) > IPTD_TOLERANCE_S:
        return False
    sizes = measures.of_sizes(trace)
    return (
        abs(sizes["peak_to_mean"] - movie.parameters.peak_to_mean) < PEAK_TOLERANCE
        and sizes["peak_1s_bps"] < PEAK_SECOND_BPS
        and measures.of_udp(trace, 100)["iplr"] == 0
    )


def find_seed(movie, duration_s):
    for seed in range(1, MOST_SEEDS + 1):
        if is_near(movie, model.movie(movie.parameters, duration_s * model.FRAMES_PER_S, seed)):
            print(f"{movie.name}: {duration_s} s with seed {seed}")
            return seed
    sys.exit(f"calibrate.py: none of {MOST_SEEDS} seeds makes {duration_s} s of {movie.name} near the paper's columns")


def is_alike(movie, sizes, trace_sizes):
    """Whether a movie has the statistics of the trace. Both arguments come from
    measures.of_sizes."""
    return (
        abs(sizes["peak_to_mean"] - movie.parameters.peak_to_mean) < PEAK_TOLERANCE
        and sizes["peak_1s_bps"] < PEAK_SECOND_BPS
        and all(abs(sizes[name] / trace_sizes[name] - 1) <= ALIKE for name in ALIKE_MEASURES)
    )


def find_variants(movie):
    def sizes(seed):
        return measures.of_sizes(model.movie(movie.parameters, VARIANT_DURATION_S * model.FRAMES_PER_S, seed))

    trace_sizes = sizes(movie.seeds[VARIANT_DURATION_S])
    alike = (seed for seed in itertools.count(FIRST_VARIANT) if is_alike(movie, sizes(seed), trace_sizes))
    found = list(itertools.islice(alike, VARIANTS))
    print(f"{movie.name}: {VARIANTS} of the seeds {FIRST_VARIANT} to {found[-1]} make movies like the trace")
    return found


def main():
    known = movies.load()
    parser = argparse.ArgumentParser(description="Finds the parameters and seeds in movies.json.")
    parser.add_argument("movies", nargs="+", choices=sorted(known), metavar="MOVIE", help=", ".join(sorted(known)))
    keep = parser.add_mutually_exclusive_group()
    keep.add_argument("--seeds-only", action="store_true", help="keep the parameters")
    keep.add_argument("--variants-only", action="store_true", help="keep the traces' seeds as well")
    options = parser.parse_args()
    for name in options.movies:
        movie = known[name]
        if not options.seeds_only and not options.variants_only:
            movie.parameters = fit(movie)
        if not options.variants_only:
            movie.seeds = {duration_s: find_seed(movie, duration_s) for duration_s in movie.seeds}
        movie.variants = find_variants(movie)
        movies.save(known)


if __name__ == "__main__":
    main()
