# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a player misses of one movie, packets and frames, under the VoD benchmark's conditions in
simulation.

Owns the list of runs and the report. A seed plays the part of the trace that the benchmark's seed
plays; the columns are those of the benchmark's conditions.csv.
"""

import sys

import numpy
import pandas

from batch import tables
from batch.formats import percent_spread
from batch.report import Heading
from vod import benchmark, definition as vod, schedules

TITLE = "What a player misses"
SEEDS = 10

# Those of the benchmark's conditions whose network is a drop-tail queue with a constant delay
CONDITIONS = ("alone", "alone-1.2", "alone-2.2", "peaks", "loss-0.1", "loss-0.5", "loss-1", "loss-2", "reno", "cubic",
              "reno-deep", "cubic-deep")
TRANSPORTS = ("tfrc", "tfrc-live", "tfrc-stored", "tfrc-rfc", "udp")
TOLD = ("tfrc-live", "tfrc-stored")  # know the delay of the player
PLAYOUT_DELAY_MS = 1000  # of the player of tfrc-live and tfrc-stored
AHEAD_MS = 10_000  # of tfrc-stored
DURATION_S = 60
QUICK = {"conditions": ("alone-2.2", "cubic"), "most_s": 10}
FULL = {"conditions": CONDITIONS, "most_s": 120}
SHOWN = ("missed_1", "frames_missed_1", "I_missed_1")  # in one cell of the first table
WHOLE_TRACE_SEEDS = range(1, 6)  # of 'peaks': together they play the trace once
NETWORK = ("movie", "transport", "d2_ms", "queue", "rate_bps", "seed", "condition", "duration_s")


def _jobs_of(name, most_s, seed):
    """One condition over every transport: the same movie at the same time."""
    condition = benchmark.conditions.POINTS[name]
    movie = condition.movie or vod.MOVIES[1]
    trace = benchmark.movies.load(movie, benchmark.TRACES)
    duration_s = min(condition.duration_s or DURATION_S, most_s)
    start_s = benchmark.scenario.TCP_START_S
    beside = {"tcp": 1, "tcp_control": condition.tcp, "tcp_start_s": start_s} if condition.tcp else {}
    entries = vod.together(movie, trace, seed, 1, duration_s, bitrate_bps=condition.movie_bps,
                           first_s=start_s + benchmark.scenario.TCP_LEAD_S if beside else 0)
    classes = _classes(movie, trace, seed, duration_s, entries, condition.movie_bps)
    for transport in TRANSPORTS:
        told = {"playout_delay_ms": PLAYOUT_DELAY_MS, "classes": classes} if transport in TOLD else {}
        told |= {"ahead_ms": AHEAD_MS} if transport == "tfrc-stored" else {}
        yield vod.job("conditions", movie, trace.path, seed, entries, transport=transport, d2_ms=condition.d2_ms,
                      queue=condition.queue, rate_bps=condition.rate_bps, duration_s=duration_s, condition=name,
                      link_loss=condition.loss or None, packets=True, **beside, **told)


def _classes(movie, trace, seed, duration_s, entries, bitrate_bps):
    (stream, seconds), = benchmark.streams(movie, trace, seed, 1, duration_s)
    (_, schedule), = entries
    return schedules.classes(schedule, trace.path, stream.offset_s, seconds, bitrate_bps)


def jobs(quick, seeds):
    size = QUICK if quick else FULL
    try:
        return [job for name in size["conditions"] for seed in seeds for job in _jobs_of(name, size["most_s"], seed)]
    except benchmark.movies.TraceError as error:
        sys.exit(f"experiments: {error}")


def _frames_of(playlist):
    """The frames of a playlist's only movie."""
    schedule = playlist.read_text(encoding="ascii").splitlines()[1].split(",")[1]
    return benchmark.logs.read_frames(schedules.frames_of(playlist.with_name(schedule)))


def row_of(result):
    """The row of a run, with the columns of the benchmark's conditions.csv."""
    p = result.parameters
    packets = result.table("packets").sort_values("due_ns", kind="stable")
    due_s = packets["due_ns"].to_numpy() / 1e9
    delivery_s = ((packets["arrived_ns"] - packets["due_ns"]) / 1e9).to_numpy()
    counted = numpy.flatnonzero(due_s <= min(p["duration_s"], due_s[-1] - p["skip_end_s"]))
    path_s = p["d2_ms"] / 1e3 + benchmark.PACKET_BITS / p["rate_bps"]
    missed = benchmark.metrics.missed_measures(delivery_s[counted], path_s, benchmark.analysis.BUFFERS_S)
    of_frames = benchmark.pictures.missed_measures(
        _frames_of(p["playlist"]), numpy.arange(len(delivery_s)), delivery_s, path_s,
        benchmark.analysis.FRAME_BUFFERS_S, (counted[0], counted[-1]), benchmark.metrics.ROUNDING_S)
    return {**{name: p[name] for name in NETWORK}, "movies": 1, "tcp": p.get("tcp", 0), "sack": 1,
            "packets": len(counted), "lost": int(numpy.isnan(delivery_s[counted]).sum()),
            "unsent": int(numpy.isnan(packets["sent_ns"].to_numpy()[counted].astype(float)).sum()),
            "iptd_mean": result.measures["iptd_mean_s"], **missed, **of_frames,
            "tcp_throughput_bps": result.measures.get("tcp_throughput_bps")}


def _summary(cells):
    """Conditions in rows, transports in columns."""
    rows = []
    for name, group in cells.groupby("condition", sort=False):
        by_transport = {row["transport"]: row for _, row in group.iterrows()}
        rows.append([f"`{name}`: {benchmark.conditions.POINTS[name].title}",
                     *("; ".join(percent_spread(by_transport[transport], measure) for measure in SHOWN)
                       for transport in TRANSPORTS)])
    return tables.markdown(["condition", *map(benchmark.figures.title_of, TRANSPORTS)], rows)


def _whole_trace(frame):
    """The movie whose peaks exceed the link as a whole, from the seeds that play each second of it once: what is missed of
    all its packets, of which a busy part has more than another, and of its frames, of which all parts have as many."""
    whole = frame[(frame["condition"] == "peaks") & frame["seed"].isin(WHOLE_TRACE_SEEDS)]
    of_packets = ["missed_0.5", "missed_1", "missed_2"]
    of_frames = [f"{kind}_missed_1" for kind in ("frames", *benchmark.pictures.TYPES)]
    headings = ["missed at 0.5 s", "at 1 s", "at 2 s", "frames at 1 s", *(f"{kind} frames" for kind in "IPB")]
    rows = []
    for transport, group in whole.groupby("transport", sort=False):
        parts = [*((group[name] * group["packets"]).sum() / group["packets"].sum() for name in of_packets),
                 *(group[name].mean() for name in of_frames)]
        rows.append([benchmark.figures.title_of(transport), *(f"{100 * part:.2f}" for part in parts)])
    return tables.markdown(["all of action-movie, %", *headings], rows)


def report(results, out, quick):
    frame = pandas.DataFrame([row_of(result) for result in results])
    tables.write_csv(out / "conditions.csv", frame)
    cells = benchmark.player.cells_of(frame)
    whole = [_whole_trace(frame)] if set(WHOLE_TRACE_SEEDS) <= set(frame[frame["condition"] == "peaks"]["seed"]) else []
    tables.write_report(
        out, TITLE,
        f"{frame['seed'].nunique()} seed(s), each another part of the trace. A frame is missed if a packet of it, or of a "
        "frame to which it refers, is not there in time.",
        "A player with a buffer of 1 s misses, in %: packets; frames; I frames. Medians over seeds (least – most).",
        _summary(cells), *whole, Heading("Each condition"), "Medians over seeds (least – most), in %.",
        *benchmark.player.tables(cells))
