# SPDX-License-Identifier: LGPL-2.1-or-later
"""The two throughput equations (tcp-model) beside the two TCPs, for long enough that a history of eight
loss intervals has settled, and what CUBIC itself does to Reno on the same paths.

Owns the list of runs and the tables. The program is that of the experiment 'fairness'.
"""

from batch import tables
from batch.jobs import Job
from common.sink_settings import TFRCSINK_TEXT
from fairness import definition as fairness
from fairness.report import NAMES, fair, runs

TITLE = "The equations of Reno and CUBIC beside both TCPs"
SEEDS = 3

# Seconds before the measurement, and of the measurement. CUBIC's losses come every 5 to 7 s where its
# windows are large, so that eight of them take a minute.
TIMES_S = (60, 300)
RTTS_MS = (20, 50, 100, 200)
SETTINGS = "default"
PACKET_BYTES = 1368  # of TFRC, with all headers
POLICY = "4r"  # of tfrcsink's default profile
CROWDS = ((1, 4), (8, 8))
MOVIE_FLOWS = ((1, 1), (1, 4))
CROWD_RTTS_MS = (50, 200)
CROWD_QUEUES = tuple({"queue": "droptail", "queue_bdp": bdp} for bdp in (1, 10)) + ({"queue": "codel"},)
QUICK = {"rtts_ms": (20,), "times_s": (2, 8), "queues": ({"queue": "droptail", "queue_bdp": 1},), "crowds": ((1, 4),)}
FULL = {"rtts_ms": RTTS_MS, "times_s": TIMES_S, "crowds": CROWDS, "queues": tuple(
    [{"queue": "droptail", "queue_bdp": bdp} for bdp in fairness.DROP_TAIL_BDPS] + [{"queue": name} for name in fairness.MANAGED])}

# Who comes first, with which equation or congestion control, beside which TCP
PAIRS = (("tfrc", "cubic", "cubic"), ("tfrc", "reno", "cubic"), ("tfrc", "cubic", "reno"), ("tcp", "cubic", "reno"))
HEADINGS = {("tfrc", "reno", "cubic"): "TFRC with Reno's equation beside CUBIC",
            ("tfrc", "cubic", "cubic"): "TFRC with CUBIC's equation beside CUBIC",
            ("tfrc", "cubic", "reno"): "TFRC with CUBIC's equation beside Reno",
            ("tfrc", "reno", "reno"): "TFRC with Reno's equation beside Reno",
            ("tcp", "cubic", "reno"): "TCP CUBIC beside Reno"}


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    return [job for part in (_movies, *(_pairs(pair) for pair in PAIRS), _crowds) for seed in seeds for job in part(size, seed)]


def _job(part, size, rtt_ms, flows, pair, queue, seed, depends=(), **more):
    first, model, tcp = pair
    who = {"tcp_model": model} if first == "tfrc" else {"first": "tcp", "first_tcp": model}
    warmup_s, duration_s = size["times_s"]
    return Job("fairness", {"part": part, "settings": SETTINGS, **fairness.SETTINGS[SETTINGS], "rtt_ms": rtt_ms,
                            "tfrc_flows": flows[0], "tcp_flows": flows[1], "tcp": tcp, "rto_policy": POLICY, **who,
                            "warmup_s": warmup_s, "duration_s": duration_s, "seed": seed, **queue, **more},
               cost=warmup_s + duration_s, depends=depends)


def _pairs(pair):
    return lambda size, seed: [_job("pairs", size, rtt_ms, (1, 1), pair, queue, seed)
                               for rtt_ms in size["rtts_ms"] for queue in size["queues"]]


def _small(size):
    """The paths on which crowds and movies are played: a part of all, as each takes as long as a pair."""
    rtts_ms = [rtt_ms for rtt_ms in CROWD_RTTS_MS if rtt_ms in size["rtts_ms"]] or size["rtts_ms"]
    queues = [queue for queue in CROWD_QUEUES if queue in size["queues"]]
    return [(rtt_ms, queue) for rtt_ms in rtts_ms for queue in queues]


def _crowds(size, seed):
    return [_job("crowds", size, rtt_ms, flows, pair, queue, seed)
            for flows in size["crowds"] for pair in (PAIRS[0], PAIRS[2]) for rtt_ms, queue in _small(size)]


def _movies(size, seed):
    """Live movies of 640 kbit/s beside CUBIC, with either equation."""
    found = []
    for flows in MOVIE_FLOWS:
        entries = fairness.movies(seed, flows[0], sum(size["times_s"]))
        movie = {"playlist": fairness.schedules.playlist(entries), "depends": tuple(path for _, path in entries)}
        found += [_job("movies", size, rtt_ms, flows, pair, queue, seed, **movie)
                  for pair in PAIRS[:2] for rtt_ms, queue in _small(size)]
    return found


BY = ("part", "first", "model", "tcp", "flows", "queue", "rtt_ms")
MEASURES = ("ratio", "tcp_share", "missed", "utilisation", "tfrc_p", "tcp_p", "event_interval_s", "reno_interval_s")


def _settled(every):
    """The mean time between the loss events of a TFRC flow, and that of a Reno flow with the same rate
    and round-trip time: its window rises by half of its highest value, 4/3 of the mean, a packet in
    each round-trip time."""
    packets = every["tfrc_p"].where(every["tfrc_p"] > 0)
    rate_pps = every["tfrc_bps"] / 8 / PACKET_BYTES
    every["event_interval_s"] = 1 / (packets * rate_pps)
    every["reno_interval_s"] = 2 / 3 * rate_pps * every["tfrc_rtt_s"] ** 2
    return every


def report(results, out, quick):
    every = runs(results)
    every["model"] = [result.parameters.get("tcp_model") or result.parameters["first_tcp"] for result in results]
    every = _settled(every)
    cells = tables.over_seeds(every, BY, MEASURES)
    kept = [*BY, "seed", "tfrc_bps", "tcp_bps", "jain", *MEASURES]
    tables.write_csv(out / "runs.csv", every[kept])
    tables.write_csv(out / "cells.csv", cells)
    greedy, movies = cells[cells["part"] != "movies"], cells[cells["part"] == "movies"]
    warmup_s, duration_s = (QUICK if quick else FULL)["times_s"]
    tables.write_report(
        out, TITLE,
        f"One bottleneck of 10 Mbit/s in ns-3{'; a quick run' if quick else ''}. Measured are {duration_s} s after {warmup_s} s. Seeds "
        f"{', '.join(map(str, sorted(every['seed'].unique())))}; medians, and in brackets the least and the most; a "
        f"number without brackets is of one seed. TFRC has {TFRCSINK_TEXT} and t_RTO of 4R. TCP and queues "
        "are those of the experiment 'fairness'.",
        "## Ratios",
        "Mean rate of a flow of the first kind over that of a flow of the second, with all headers. **Bold**: not within 0.5 "
        "to 2.",
        _ratios(greedy), _summary(greedy),
        "## Movies beside CUBIC",
        "V for Vendetta (640 kbit/s, played as if live: what has waited for 2 s is dropped). Share of its packets that come "
        "2.5 s late or not at all, and what TCP gets, of an equal share of the link:",
        _movies_table(movies),
        "## What a stream could tell of the TCP beside it",
        "Mean time between the loss events of the TFRC flow of a pair, and the time that a Reno flow of the same rate and "
        "round-trip time would have between its losses, 2/3 X R^2. Medians over all queues; least and most cell.",
        _intervals(greedy[greedy["part"] == "pairs"]))


def _headings(cells):
    return [key for key in HEADINGS if len(_of(cells, key))]


def _of(cells, key):
    return cells[(cells["first"] == key[0]) & (cells["model"] == key[1]) & (cells["tcp"] == key[2])]


def _ratios(cells):
    keys = _headings(cells)
    rows = []
    for (flows, queue, rtt_ms), here in cells.groupby(["flows", "queue", "rtt_ms"], sort=False):
        row = [flows, queue, rtt_ms]
        for key in keys:
            found = _of(here, key)
            if found.empty:
                row.append("")
                continue
            told = tables.spread(found.iloc[0], "ratio")
            row.append(told if fair(found.iloc[0]["ratio"]) else f"**{told}**")
        rows.append(row)
    order = {"1+1": 0, "1+4": 1, "8+8": 2}
    rows.sort(key=lambda row: (order.get(row[0], 3), str(row[1]), row[2]))
    return tables.markdown(["flows", "queue", "RTT, ms", *(HEADINGS[key] for key in keys)], rows)


def _summary(cells):
    rows = []
    for key in _headings(cells):
        ratios = _of(cells, key)["ratio"]
        rows.append([HEADINGS[key], f"{sum(map(fair, ratios))} of {len(ratios)}", ratios.min(), ratios.median(), ratios.max()])
    return tables.markdown(["", "within 0.5 to 2", "least", "median", "most"], rows)


def _movies_table(cells):
    rows = [[row["flows"], row["queue"], row["rtt_ms"], NAMES[row["model"]], tables.spread(row, "missed"),
             tables.spread(row, "tcp_share")]
            for _, row in cells.sort_values(["flows", "queue", "rtt_ms", "model"]).iterrows()]
    return tables.markdown(["flows", "queue", "RTT, ms", "equation", "missed", "share of TCP"], rows)


def _intervals(cells):
    rows = []
    for key in _headings(cells):
        if key[0] != "tfrc":
            continue
        for rtt_ms, here in _of(cells, key).groupby("rtt_ms"):
            rows.append([HEADINGS[key], rtt_ms, *(f"{here[name].median():.2g} ({here[name].min():.2g} – {here[name].max():.2g})"
                                                  for name in ("event_interval_s", "reno_interval_s"))])
    return tables.markdown(["", "RTT, ms", "between loss events, s", "2/3 X R^2, s"], rows)
