#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the parameters and seeds in movies.json: calibrate.py MOVIE... [--seeds-only | --variants-only] (some minutes for each)

Owns the search. Two columns of the paper depend on one parameter each. The loss of plain UDP grows
with the strength of bursts, and its mean delay falls as P frames grow at the cost of I frames. The
program bisects both in turn, on the mean of several movies. (If I frames are too small to queue, as
in cinderella-man, no parameter changes the mean delay, and p_to_i stays. The loss of action-movie
comes from whole scenes, and grows with the differences between scenes.) The seed of each trace is
the first seed whose own columns are near the goal. Its variants are the first seeds whose frames
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
# By movie: the parameter with which the loss grows, and the range in which it is searched.
BY_LOSS = {"cinderella-man": ("burst_to_i", 2.5, 6.0), "v-for-vendetta": ("burst_to_i", 1.0, 4.0),
           "action-movie": ("detail_spread", 0.5, 0.9)}
P_TO_I = {"v-for-vendetta": (0.08, 0.25)}

IPLR_TOLERANCE = 0.02  # relative to the paper's loss ratio
IPLR_ROUGHLY = 0.1  # to a loss ratio that nobody has published
IPTD_TOLERANCE_S = 0.0005  # a mean delay within it rounds to the paper's
PEAK_TOLERANCE = 0.02  # relative, of the ratio of largest to mean frame
PEAK_SECOND_BPS = 2_000_000  # of a movie without a goal of its own: below the link's rate
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
    name, *within = BY_LOSS[movie.name]
    for _ in range(ROUNDS):
        by_loss = bisect(lambda value: sample(replace(parameters, **{name: value}))[1] > movie.goal["iplr"], *within)
        parameters = replace(parameters, **{name: by_loss})
        if movie.name in P_TO_I:
            p_to_i = bisect(
                lambda value: sample(replace(parameters, p_to_i=value))[0] < movie.goal["iptd_mean_s"], *P_TO_I[movie.name]
            )
            parameters = replace(parameters, p_to_i=p_to_i)
        iptd_mean_s, iplr = sample(parameters)
        found = f"{name} {by_loss}, p_to_i {parameters.p_to_i}"
        print(f"{movie.name}: {found}: IPLR {iplr:.3e}, mean {iptd_mean_s * 1e3:.2f} ms")
    return parameters


def has_peaks(movie, sizes):
    """Whether the largest frame and the peak second are the movie's. sizes come from
    measures.of_sizes."""
    goal_bps = movie.goal.get("peak_second_bps")
    second = abs(sizes["peak_1s_bps"] / goal_bps - 1) < PEAK_TOLERANCE if goal_bps else sizes["peak_1s_bps"] < PEAK_SECOND_BPS
    return second and abs(sizes["peak_to_mean"] - movie.parameters.peak_to_mean) < PEAK_TOLERANCE


def is_near(movie, trace):
    """Whether a trace has the movie's goal."""
    udp, large = measures.of_udp(trace, 20), measures.of_udp(trace, 100)
    return (
        abs(udp["iplr"] / movie.goal["iplr"] - 1) <= (IPLR_TOLERANCE if "iptd_mean_s" in movie.goal else IPLR_ROUGHLY)
        and abs(udp["iptd_mean_s"] - movie.goal.get("iptd_mean_s", udp["iptd_mean_s"])) <= IPTD_TOLERANCE_S
        and has_peaks(movie, measures.of_sizes(trace))
        and large["iplr"] == movie.goal.get("iplr_100", large["iplr"])
        and large["loss_bursts_per_hour"] * trace.duration_s / 3600 > movie.goal.get("loss_bursts_100", 0) - 0.5
    )


def made(movie, duration_s, seed):
    """The trace of a seed; None if its rate control finds no sizes within the limits."""
    try:
        return model.movie(movie.parameters, duration_s * model.FRAMES_PER_S, seed)
    except model.ModelError:
        return None


def find_seed(movie, duration_s):
    for seed in range(1, MOST_SEEDS + 1):
        trace = made(movie, duration_s, seed)
        if trace and is_near(movie, trace):
            print(f"{movie.name}: {duration_s} s with seed {seed}")
            return seed
    sys.exit(f"calibrate.py: none of {MOST_SEEDS} seeds makes {duration_s} s of {movie.name} near its goal")


def is_alike(movie, sizes, trace_sizes):
    """Whether a movie has the statistics of the trace. Both arguments come from
    measures.of_sizes."""
    return (
        has_peaks(movie, sizes)
        and all(abs(sizes[name] / trace_sizes[name] - 1) <= ALIKE for name in ALIKE_MEASURES)
    )


def find_variants(movie):
    trace_sizes = measures.of_sizes(made(movie, VARIANT_DURATION_S, movie.seeds[VARIANT_DURATION_S]))

    def alike(seed):
        trace = made(movie, VARIANT_DURATION_S, seed)
        return trace and is_alike(movie, measures.of_sizes(trace), trace_sizes)

    found = list(itertools.islice(filter(alike, itertools.count(FIRST_VARIANT)), VARIANTS))
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
