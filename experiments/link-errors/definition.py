# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a stream that does not answer link errors does to others where there are no link errors: every
loss here is a queue's, so that every verdict 'link error' is wrong.

Owns the list of runs and the table. The program is that of the experiment 'fairness'.
"""

from batch import tables
from batch.jobs import Job
from fairness import definition as fairness
from fairness.report import NAMES, runs
from vod import schedules

TITLE = "Streams that do not answer link errors, where there are none"
SEEDS = 3

# RFC 5348, the profile 'enhanced' with both of its limits, the classifier without them, and Spike
VARIANTS = {
    "all losses": {"loss_response": "all"},
    "empty-queue": {"loss_classifier": "empty-queue", "loss_response": "congestion-only", "link_error_gain": 2},
    "empty-queue, no limits": {"loss_classifier": "empty-queue", "loss_response": "congestion-only", "link_error_gain": 0,
                               "loss_allowance": 1},
    "spike": {"loss_classifier": "spike", "loss_response": "congestion-only"},
}
GREEDY = ("all losses", "empty-queue", "empty-queue, no limits", "spike")
MOVIES = ("all losses", "empty-queue", "empty-queue, no limits")
POLICY = "4r"
PACKET_BITS = 1500 * 8
MOVIE_BPS = 640e3 * 1368 / 1316  # with headers
TIMES_S = (20, 60)
FULL = {"times_s": TIMES_S, "rtts_ms": (20, 100), "packets": (2, 10, 100), "managed": ("codel", "red"), "loads": (0.5, 1, 2)}
QUICK = {"times_s": (2, 8), "rtts_ms": (20,), "packets": (10,), "managed": (), "loads": (2,)}
MOVIE_FLOWS = (10, 2)
MOVIE_RTT_MS = 50


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    return [job for seed in seeds for part in (_greedy, _movies) for job in part(size, seed)]


def _queues(size, rate_bps, rtt_ms):
    """Drop-tail queues by their length in packets, and the managed ones."""
    bdp = rate_bps * rtt_ms / 1e3 / PACKET_BITS
    return [{"queue": "droptail", "queue_bdp": packets / bdp} for packets in size["packets"]] + [
        {"queue": name} for name in size["managed"]]


def _job(part, size, variant, flows, tcp, rtt_ms, rate_bps, queue, seed, depends=(), **more):
    warmup_s, duration_s = size["times_s"]
    return Job("fairness", {"part": part, "settings": "default", **fairness.SETTINGS["default"], "rate_bps": rate_bps,
                            "rtt_ms": rtt_ms, "tfrc_flows": flows[0], "tcp_flows": flows[1], "tcp": tcp, "rto_policy": POLICY,
                            **VARIANTS[variant], "warmup_s": warmup_s, "duration_s": duration_s, "seed": seed, **queue, **more},
               cost=rate_bps * (warmup_s + duration_s), depends=depends)


def _greedy(size, seed):
    return [_job("greedy", size, variant, (1, 1), tcp, rtt_ms, 10e6, queue, seed)
            for rtt_ms in size["rtts_ms"] for queue in _queues(size, 10e6, rtt_ms) for tcp in fairness.TCPS
            for variant in GREEDY]


def _movies(size, seed):
    """Ten movies on a link that carries 1 / load of them, beside two flows of TCP."""
    entries = fairness.movies(seed, MOVIE_FLOWS[0], sum(size["times_s"]))
    movie = {"playlist": schedules.playlist(entries), "depends": tuple(path for _, path in entries)}
    found = []
    for load in size["loads"]:
        rate_bps = MOVIE_FLOWS[0] * MOVIE_BPS / load
        found += [_job("movies", size, variant, MOVIE_FLOWS, "cubic", MOVIE_RTT_MS, rate_bps, queue, seed, **movie)
                  for queue in _queues(size, rate_bps, MOVIE_RTT_MS) for variant in MOVIES]
    return found


MEASURES = ("packet_loss_rate", "tcp_bps", "tcp_share", "ratio", "missed")
CELL = ("part", "tcp", "rtt_ms", "load", "length")


def _variant(parameters):
    for name, settings in VARIANTS.items():
        if all(parameters.get(key) == value for key, value in settings.items()) and (
                parameters.get("loss_classifier") == settings.get("loss_classifier")):
            return name
    raise ValueError("a run with settings of no variant")


def _length(result):
    """The queue of a run, a drop-tail queue by its packets."""
    if result.parameters["queue"] != "droptail":
        return result.parameters["queue"]
    return f"{result.measures['queue_packets']:g} packets"


def report(results, out, quick):
    every = runs(results)
    every["variant"] = [_variant(result.parameters) for result in results]
    every["length"] = [_length(result) for result in results]
    every["load"] = [MOVIE_FLOWS[0] * MOVIE_BPS / rate if part == "movies" else 0
                     for rate, part in zip(every["rate_bps"], every["part"])]
    every["load"] = every["load"].round(2)
    cells = tables.over_seeds(every, (*CELL, "variant"), MEASURES)
    tables.write_csv(out / "runs.csv", every[[*CELL, "variant", "seed", *MEASURES]])
    tables.write_csv(out / "cells.csv", cells)
    warmup_s, duration_s = (QUICK if quick else FULL)["times_s"]
    tables.write_report(
        out, TITLE,
        f"ns-3{'; a quick run' if quick else ''}; {duration_s} s after {warmup_s} s; seeds "
        f"{', '.join(map(str, sorted(every['seed'].unique())))}; medians, and in brackets the least and the most. Every loss is "
        "a queue's. 'empty-queue' is the profile 'enhanced': at most twice the rate with all losses, and at most 2 % of link "
        "errors; 'no limits' is the classifier without both. TFRC has tfrcsink's defaults otherwise.",
        "## One greedy flow beside one of TCP",
        "10 Mbit/s. Rate of TFRC over TCP's, and the part of the packets that the queue drops:",
        _table(cells[cells["part"] == "greedy"], GREEDY, "ratio"),
        "## Ten movies beside two flows of CUBIC",
        f"Round-trip time {MOVIE_RTT_MS} ms; the movies alone are 'load' times what the link carries; what has waited for 2 s is "
        "dropped. What CUBIC gets, of an equal share of the link, and the part of the packets that the queue drops:",
        _table(cells[cells["part"] == "movies"], MOVIES, "tcp_share"),
        "## Worse by more than a tenth",
        "Cells in which the queue drops more than 1.1 times as much as with 'all losses', or TCP gets less than 0.9 times as "
        "much (medians):",
        _worse(cells))


def _of(cells, variant):
    found = cells[cells["variant"] == variant]
    return found.iloc[0] if len(found) else None


def _table(cells, variants, measure):
    rows = []
    for (_, tcp, rtt_ms, load, length), here in cells.groupby(list(CELL), sort=False):
        row = [f"load {load:g}" if load else f"{NAMES[tcp]}, {rtt_ms} ms", length]
        for variant in variants:
            found = _of(here, variant)
            row += [tables.spread(found, measure), f"{found['packet_loss_rate']:.2%}"] if found is not None else ["", ""]
        rows.append(row)
    return tables.markdown(["", "queue", *(heading for variant in variants for heading in (variant, "dropped"))], rows)


def _worse(cells):
    rows = []
    for variant in GREEDY[1:]:
        for part, played in (("greedy", GREEDY), ("movies", MOVIES)):
            chosen = cells[cells["part"] == part]
            if variant not in played or chosen.empty:
                continue
            dropped, less, number = [], [], 0
            for (_, tcp, rtt_ms, load, length), here in chosen.groupby(list(CELL), sort=False):
                base, found = _of(here, "all losses"), _of(here, variant)
                if base is None or found is None:
                    continue
                number += 1
                name = f"load {load:g}, {length}" if load else f"{NAMES[tcp]}, {rtt_ms} ms, {length}"
                if found["packet_loss_rate"] > 1.1 * base["packet_loss_rate"]:
                    dropped.append(f"{name} ({found['packet_loss_rate'] / base['packet_loss_rate']:.2f})")
                if found["tcp_bps"] < 0.9 * base["tcp_bps"]:
                    less.append(f"{name} ({found['tcp_bps'] / base['tcp_bps']:.2f})")
            rows.append([part, variant, number, "; ".join(dropped) or "none", "; ".join(less) or "none"])
    return tables.markdown(["part", "variant", "cells", "more is dropped", "TCP gets less"], rows)
