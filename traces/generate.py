#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates a movie-like trace: generate.py MOVIE [--duration SECONDS] [--seed N | --variant N] [--output FILE]

Owns the command line and the comments in a generated file; model.py owns the model. The same arguments make the same file.
"""

import argparse
import os
import sys

import model
import movies
import tracefile

DEFAULT_DURATION_S = 600


def comments(movie, duration_s, seed):
    paper = movie.parameters
    return [
        f"{movie.name}-like: sizes from a model of groups of pictures, scenes and bursts, not from the movie; see README.md",
        f"traces/generate.py {movie.name} --duration {duration_s} --seed {seed}",
        f"{model.FRAMES_PER_S} frames/s in display order, access units without transport stream, which makes"
        f" {paper.mean_bps / 1000:g} kbit/s of them; largest frame {paper.peak_to_mean:g} x mean",
    ]


def generate(movie, duration_s, seed, file):
    trace = model.movie(movie.parameters, duration_s * model.FRAMES_PER_S, seed)
    tracefile.write(trace, comments(movie, duration_s, seed), file)


def positive(text):
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"'{text}' is no positive whole number")
    return int(text)


def main():
    known = movies.load()
    parser = argparse.ArgumentParser(description="Generates a movie-like trace.")
    parser.add_argument("movie", choices=sorted(known))
    parser.add_argument("--duration", type=positive, default=DEFAULT_DURATION_S, help="in s (600)", metavar="SECONDS")
    parser.add_argument("--seed", type=positive, help="default: the one calibrated for this duration, else 1", metavar="N")
    parser.add_argument("--variant", type=positive, metavar="N",
                        help="of ten minutes: 1 is the calibrated movie, 2 and more are others with its statistics")
    parser.add_argument("--output", help="file to write (standard output)", metavar="FILE")
    options = parser.parse_args()
    movie = known[options.movie]
    seed = options.seed or movie.seeds.get(options.duration, 1)
    if options.variant:
        variants = [movie.seeds[DEFAULT_DURATION_S], *movie.variants]
        if options.seed or options.duration != DEFAULT_DURATION_S:
            parser.error("--variant says the duration and the seed")
        if options.variant > len(variants):
            parser.error(f"--variant {options.variant}: {movie.name} has 1 to {len(variants)}")
        seed = variants[options.variant - 1]
    if not options.output:
        return generate(movie, options.duration, seed, sys.stdout)
    # Complete, or not there at all.
    partial = options.output + ".partial"
    with open(partial, "w", encoding="ascii", newline="\n") as file:
        generate(movie, options.duration, seed, file)
    os.replace(partial, options.output)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except (model.ModelError, OSError) as error:
        sys.exit(f"generate.py: {error}")
