# SPDX-License-Identifier: LGPL-2.1-or-later
"""The experiments as data, those of the paper and one on network conditions: the runs of each.

A *cell* is a set of parameters without the seed: the keys of CELL, and 'condition' if there is one.
A *run* is a cell with the seeds that one network plays, side by side on links of their own.
Experiments may share runs: Figs 5 and 6 show the same runs. Queues are in waiting packets (one more
is in service); rates count IP packets.
"""

import dataclasses
import itertools

import conditions

CELL = ("movie", "transport", "d2_ms", "queue", "rate_bps", "movies", "tcp", "sack", "duration_s")
PARAMETERS = CELL + ("condition",)
MOVIES = ("cinderella-man", "v-for-vendetta")
V = "v-for-vendetta"
C = "cinderella-man"
ISOLATED = {"rate_bps": 2_000_000, "movies": 1, "tcp": 0, "sack": 1}
ALL_TRANSPORTS = ("tfrc", "udp", "udp-shaped-link", "udp-shaped-peak", "rtp", "srt", "srt-limited", "rist", "tcp")
# One bandwidth-delay product of 15 Mbit/s and a round-trip time of 40 ms, by the rule that gives
# Fig. 4's 37 packets.
BDP_15_MBPS = 56
USUAL_MOVIE_BPS = 640_000


@dataclasses.dataclass(frozen=True)
class Experiment:
    """axes: name -> values, in the order in which they vary (the last fastest). short: the values
    with --short. lanes: the number of seeds that one network plays at once, such that the emulated
    CPU stays mostly idle. own_movies: each seed plays a movie of its own, not another part of the
    same movie; only with one lane."""

    title: str
    axes: dict
    short: dict
    seeds: int
    lanes: int
    own_movies: bool = False


def _axes(**axes):
    return {name: values if isinstance(values, (tuple, list)) else (values,) for name, values in axes.items()}


_SHARED_WITH_TCP = {
    "axes": _axes(movie=C, sack=(0, 1), tcp=(1, 5, 10, 20), transport=("tfrc", "udp"), d2_ms=20, queue=BDP_15_MBPS,
                  rate_bps=15_000_000, movies=1, duration_s=60),
    "short": _axes(sack=0, tcp=2, transport="tfrc", duration_s=3),
    "seeds": 5,
    "lanes": 1,
    "own_movies": True,
}

EXPERIMENTS = {
    "table1": Experiment(
        "Table 1: one movie alone on 2 Mbit/s",
        _axes(movie=MOVIES, d2_ms=(20, 60), queue=(20, 100), transport=ALL_TRANSPORTS, duration_s=120, **ISOLATED),
        _axes(movie=V, d2_ms=20, queue=20, duration_s=5), seeds=5, lanes=5),
    "levers": Experiment(
        "What makes the difference: Table 1 with one lever at a time",
        _axes(movie=V, d2_ms=(20, 60), queue=20, transport=("tfrc-rfc", "tfrc-burst", "tfrc-guard", "tfrc"),
              duration_s=120, **ISOLATED),
        _axes(d2_ms=20, transport=("tfrc-rfc", "tfrc"), duration_s=5), seeds=5, lanes=5),
    "fig3": Experiment(
        "Fig. 3: loss against the bottleneck's queue",
        _axes(movie=V, queue=(10, 20, 40, 100), transport=("tfrc", "udp"), d2_ms=20, duration_s=120,
              **ISOLATED),
        # Table 1's runs
        _axes(queue=20, duration_s=5), seeds=5, lanes=5),
    "fig4": Experiment(
        "Fig. 4: 8 to 15 movies on 10 Mbit/s",
        _axes(movie=MOVIES, queue=(18, 37, 74), movies=(8, 9, 10, 11, 12, 13, 14, 15),
              transport=("tfrc", "tfrc-smooth-300", "tfrc-smooth", "tfrc-peak", "udp", "udp-shaped-peak", "srt"), d2_ms=20,
              rate_bps=10_000_000, tcp=0, sack=1, duration_s=80),
        _axes(movie=V, queue=18, movies=4, transport="tfrc", duration_s=3), seeds=5, lanes=1, own_movies=True),
    "fig5": Experiment("Fig. 5: one movie beside greedy TCP flows on 15 Mbit/s: the movie", **_SHARED_WITH_TCP),
    "fig6": Experiment("Fig. 6: one movie beside greedy TCP flows on 15 Mbit/s: one of the TCP flows",
                       **_SHARED_WITH_TCP),
    "conditions": Experiment(
        "Network conditions: what a player sees of one movie",
        _axes(movie=V, condition=tuple(conditions.POINTS),
              transport=("tfrc", "tfrc-live", "tfrc-stored", "tfrc-rfc", "udp", "udp-shaped-link", "srt-180ms", "srt-900ms",
                         "rist", "tcp"), movies=1, sack=1, duration_s=60),
        _axes(condition=("jitter-10", "red"), transport="tfrc", duration_s=3), seeds=5, lanes=5),
}


@dataclasses.dataclass(frozen=True)
class Run:
    """One network to emulate: a cell, and the seeds with which the network plays it."""

    cell: tuple  # pairs of name and value, in the order of PARAMETERS
    seeds: tuple
    own_movie: bool = False  # whether its only seed has a movie of its own

    @property
    def parameters(self):
        return dict(self.cell)

    def label(self):
        p = self.parameters
        text = f"{p['movie']} d2={p['d2_ms']} q={p['queue']}"
        if "condition" in p:
            text += f" {p['condition']}"
        if p["movies"] > 1:
            text += f" {p['movies']} movies"
        if p["tcp"]:
            text += f" {p['tcp']} TCP {'with' if p['sack'] else 'without'} SACK"
        seeds = str(self.seeds[0]) if len(self.seeds) == 1 else f"{self.seeds[0]}-{self.seeds[-1]}"
        return f"{text} {p['transport']} seed {seeds}"

    def cost(self):
        """The estimated CPU time in seconds: for the boot, and for the packets of movies and of
        TCP. The factors were measured."""
        p = self.parameters
        streams = p["movies"] * len(self.seeds)
        packets = (conditions.of(p).movie_bps or USUAL_MOVIE_BPS) / USUAL_MOVIE_BPS
        tcp_bps = p["rate_bps"] * len(self.seeds) if p["tcp"] else 0
        return 10 + (p["duration_s"] + 0.4 * streams) * (0.2 * streams * packets + 0.1e-6 * tcp_bps)


def axes_of(name, short=False, **overrides):
    """The axes of an experiment, changed by --short and by overrides. An override of an axis that
    the experiment does not have is ignored."""
    experiment = EXPERIMENTS[name]
    axes = dict(experiment.axes)
    if short:
        axes.update(experiment.short)
    axes.update({key: tuple(values) for key, values in overrides.items() if values is not None})
    return axes


def cells(axes):
    """Every combination of the axes, as tuples of pairs in the order of PARAMETERS. A condition
    sets further parameters."""
    for values in itertools.product(*axes.values()):
        cell = dict(zip(axes, values))
        if "condition" in cell:
            cell |= conditions.of(cell).cell()
        missing = [name for name in CELL if name not in cell]
        if missing:
            raise ValueError(f"axes without {', '.join(missing)}")
        yield tuple((name, cell[name]) for name in PARAMETERS if name in cell)


def runs(name, *, short=False, seeds=None, points=(), own_movies=None, **overrides):
    """The runs of an experiment. seeds: a list. own_movies: a boolean. None stands for the
    experiment's own value of either. points: pairs (key, text) that a run must have; a key may be
    'seed'."""
    experiment = EXPERIMENTS[name]
    own_movies = experiment.own_movies if own_movies is None else own_movies
    if seeds is None:
        seeds = range(1, (1 if short else experiment.seeds) + 1)
    wanted = [(key, text) for key, text in points if key != "seed"]
    only = {text for key, text in points if key == "seed"}
    seeds = [seed for seed in seeds if not only or str(seed) in only]
    for cell in cells(axes_of(name, short, **overrides)):
        texts = {key: str(value) for key, value in cell}
        if any(texts.get(key) != text for key, text in wanted):
            continue
        lanes = 1 if own_movies else min(experiment.lanes, conditions.of(dict(cell)).lanes)
        for first in range(0, len(seeds), lanes):
            yield Run(cell, tuple(seeds[first:first + lanes]), own_movies)
