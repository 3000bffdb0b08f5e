# SPDX-License-Identifier: LGPL-2.1-or-later
"""The movies that can be generated: what each is to give, and the parameters and seeds from
calibrate.py.

Owns movies.json.
"""

import json
import os
from dataclasses import asdict, dataclass

from model import Parameters

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "movies.json")


@dataclass
class Movie:
    """goal: what plain UDP gives at 20 ms (README.md, Calibration): for the paper's movies the UDP column of its Table 1, with
    'iplr_100' the loss with 100 packets; or 'peak_second_bps', the rate of the peak second, and 'loss_bursts_100', how many
    bursts of losses there are at least with 100 packets, scenes above the link's rate. seeds: by duration in seconds.
    variants: the seeds of other movies of ten minutes with the same statistics."""

    name: str
    goal: dict
    parameters: Parameters
    seeds: dict
    variants: list


def load():
    with open(PATH, encoding="ascii") as file:
        entries = json.load(file)
    movies = {}
    for name, entry in entries.items():
        parameters = dict(entry["parameters"], burst_frames=tuple(entry["parameters"]["burst_frames"]))
        seeds = {int(duration_s): seed for duration_s, seed in entry["seeds"].items()}
        movies[name] = Movie(name, entry["goal"], Parameters(**parameters), seeds, entry["variants"])
    return movies


def _block(entries, indent):
    lines = [f"{indent}  {json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def save(movies):
    texts = []
    for movie in movies.values():
        texts.append(
            f"  {json.dumps(movie.name)}: {{\n"
            f'    "goal": {json.dumps(movie.goal)},\n'
            f'    "parameters": {_block(asdict(movie.parameters), "    ")},\n'
            f'    "seeds": {json.dumps(movie.seeds)},\n'
            f'    "variants": {json.dumps(movie.variants)}\n  }}'
        )
    with open(PATH, "w", encoding="ascii") as file:
        file.write("{\n" + ",\n".join(texts) + "\n}\n")
