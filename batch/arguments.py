# SPDX-License-Identifier: LGPL-2.1-or-later
"""Types of command-line arguments for programs that play many runs."""

import argparse


def names(text):
    """The names in a list with commas."""
    return tuple(name for name in text.split(",") if name)


def seed_list(text):
    """The seeds that a text names: '5' is 1 to 5, '3,7' is 3 and 7, '4-6' is 4 to 6."""
    try:
        if text.isdecimal():
            seeds = list(range(1, int(text) + 1))
        elif "-" in text:
            first, last = map(int, text.split("-"))
            seeds = list(range(first, last + 1))
        else:
            seeds = [int(seed) for seed in names(text)]
    except ValueError:
        seeds = []
    if not seeds or min(seeds) < 1:
        raise argparse.ArgumentTypeError(f"not a number of seeds, list (3,7) or range (4-6): {text}")
    return seeds


def seed_text(seeds):
    """The shortest text from which seed_list makes these seeds."""
    if seeds == list(range(1, len(seeds) + 1)):
        return str(len(seeds))
    return f"{seeds[0]}-{seeds[0]}" if len(seeds) == 1 else ",".join(map(str, seeds))


def positive(text):
    """A whole number of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"not a positive whole number: {text}")
    return value
