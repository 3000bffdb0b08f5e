# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run as a spec of the testbed: nodes, links, jobs, files.

Owns the network (a - r - b for every seed, side by side and not connected), the times at which
programs start, and the place in the trace at which each movie begins. All of these follow from the
run alone, so that equal runs have equal specs.
"""

import dataclasses
import math
import random

import conditions
import movies
import transports

FIRST_PORT = 5004
PORTS_PER_MOVIE = 10  # RIST takes two
TCP_PORT = 7001
LAST_GOP_S = 2.0  # a movie begins with an I frame; the last seconds of a trace may have none
TCP_GROUPS = 4  # processes that share the flows; each starts at a time of its own
GOLDEN = (math.sqrt(5) - 1) / 2

# Programs need time to start in an emulated CPU. These are the times of a receiver and a sender,
# with a margin.
FIRST_START_S = 0.5
RECEIVER_START_S = 0.15
SENDER_SPACING_S = 0.4
TCP_START_S = 2.0  # the TCP flows start within this time
TCP_LEAD_S = 5.0  # from the end of that time until the movie starts
UNCOUNTED_END_S = 2.0  # the end of a movie does not count, as its packets are under way at the end
ENDLESS_S = 3.0  # a sender that would never end is told to end this time after its movie
TAIL_S = 3.0  # the network empties after a sender has ended
DRAIN_LIMIT_S = 60


@dataclasses.dataclass(frozen=True)
class Stream:
    """One movie within a run: its seed, its number among those of the seed, and the names of its logs."""

    seed: int
    lane: str
    number: int
    port: int
    offset_s: float
    start_s: float

    @property
    def due_log(self):
        return f"due{self.lane}-{self.number}.csv"

    @property
    def frames_log(self):
        return f"frames{self.lane}-{self.number}.csv"

    @property
    def receive_log(self):
        return f"received{self.lane}-{self.number}.csv"


def lane_names(run):
    """The suffixes of the names of nodes and links, one for each seed; empty if there is only
    one."""
    return [""] if len(run.seeds) == 1 else [str(number) for number in range(1, len(run.seeds) + 1)]


def offset_s(movie, seed, number, seconds):
    """The offset in the trace at which a movie begins. The first movies of seeds 1 to 5 begin at
    fifths of the trace, so that five runs of a fifth play the whole trace once. Further seeds begin
    between these places; further movies of a seed begin at random places."""
    if number == 0:
        return round(min(seconds * (((seed - 1) * 0.2 + (seed - 1) // 5 * GOLDEN) % 1), seconds - LAST_GOP_S), 3)
    return round(random.Random(f"{movie} {seed} {number}").uniform(0, seconds - LAST_GOP_S), 3)


def streams(run, trace):
    """The movies of a run, in the order of their start."""
    p = run.parameters
    settle_s = FIRST_START_S + RECEIVER_START_S * p["movies"] * len(run.seeds)
    if p["tcp"]:
        settle_s += TCP_START_S + TCP_LEAD_S
    result = []
    for index, (lane, seed) in enumerate(zip(lane_names(run), run.seeds)):
        phases = random.Random(f"start {p['movie']} {seed}")
        for number in range(p["movies"]):
            start_s = settle_s + SENDER_SPACING_S * (index * p["movies"] + number) + phases.uniform(0, SENDER_SPACING_S)
            result.append(Stream(seed, lane, number, FIRST_PORT + PORTS_PER_MOVIE * number,
                                 offset_s(p["movie"], seed, number, trace.seconds), round(start_s, 3)))
    return result


def duration_s(run, all_streams, stream):
    """How long a movie plays. All movies end when the one that started last has played its time."""
    return run.parameters["duration_s"] + alone_s(all_streams, stream) + UNCOUNTED_END_S


def alone_s(all_streams, stream):
    """How long a movie plays until all movies on its network play."""
    return round(max(s.start_s for s in all_streams if s.lane == stream.lane) - stream.start_s, 3)


def _network(spec, lane, p):
    a, r, b = (name + lane for name in "arb")
    condition = conditions.of(p)
    spec["nodes"] |= {a: _node(p), r: {}, b: _node(p)}
    spec["links"] |= {
        "access" + lane: {"ends": [a, r]},
        "bottleneck" + lane: {
            "ends": [r, b],
            "forward": {"rate": f"{p['rate_bps'] // 1000}kbit", "queue": p["queue"], **condition.forward(p["d2_ms"])},
            "backward": condition.backward(p["d2_ms"]),
        },
    }


def _node(p):
    # tcp_no_metrics_save: the metrics of one connection must not change the next one.
    return {"sysctl": {"net.ipv4.tcp_sack": p["sack"], "net.ipv4.tcp_no_metrics_save": 1}}


def _meters(spec, lane, flows):
    for node, link in (("a", "access"), ("b", "bottleneck")):
        name = f"meter-{node}{lane}"
        command = f"wire-meter $INTERFACE_{link}{lane} --log $TESTBED_OUT/wire-{node}{lane}.csv"
        if flows:
            command += f" --flows $TESTBED_OUT/flows-{node}{lane}.csv"
        spec["jobs"][name] = {"node": node + lane, "run": command, "background": True}


def _step(spec, run, lane, start_s):
    """Adds the event that changes the delay in the middle of the movie that starts at start_s."""
    d2_ms = conditions.of(run.parameters).step_d2_ms
    if d2_ms is not None:
        at_s = start_s + run.parameters["duration_s"] / 2
        event = {"at": f"{at_s:.3f}s", "change": "bottleneck" + lane, "delay": f"{d2_ms}ms"}
        spec["events"] = [*spec.get("events", []), event]


def _movie(spec, run, trace, all_streams, stream):
    p = run.parameters
    scaled_bps = conditions.of(p).movie_bps
    scale = scaled_bps / trace.mean_bps if scaled_bps else 1
    sender, receiver = transports.fragments(
        p["transport"], host=f"$ADDRESS_b{stream.lane}", port=stream.port, d2_ms=p["d2_ms"], rate_bps=p["rate_bps"],
        movies=p["movies"], peak_bps=scale * trace.peak_bps)
    suffix = f"{stream.lane}-{stream.number}"
    spec["jobs"]["receiver" + suffix] = {
        "node": "b" + stream.lane,
        "run": f'vod-receive "{receiver}" --log $TESTBED_OUT/{stream.receive_log}',
        "background": True,
    }
    duration = duration_s(run, all_streams, stream)
    # The contents of the frames differ between movies, so that their packets can be told apart.
    command = (f'vod-replay {trace.path.name} --sink "{sender}" --offset {stream.offset_s} --duration {duration:.3f} '
               f"--loop --seed {1000 * stream.seed + stream.number} --log $TESTBED_OUT/{stream.due_log} "
               f"--frames $TESTBED_OUT/{stream.frames_log}")
    if scaled_bps:
        command += f" --bitrate {scaled_bps}"
    if transports.TRANSPORTS[p["transport"]].endless:
        command = f"timeout --preserve-status -s TERM {duration + ENDLESS_S:.3f} {command}"
    spec["jobs"]["sender" + suffix] = {
        "node": "a" + stream.lane,
        "run": f"{command} && sleep {TAIL_S}",
        "at": f"{stream.start_s}s",
    }


def tcp_ports(p):
    """The port of each process that carries TCP flows, and how many it carries."""
    groups = min(TCP_GROUPS, p["tcp"])
    return {TCP_PORT + group: p["tcp"] // groups + (group < p["tcp"] % groups) for group in range(groups)}


def _tcp_flows(spec, run, lane, seed):
    p = run.parameters
    phases = random.Random(f"tcp {seed} {p['tcp']}")
    congestion_control = conditions.of(p).tcp or "reno"
    for group, (port, flows) in enumerate(tcp_ports(p).items()):
        spec["jobs"][f"tcp-server{lane}-{group}"] = {
            "node": "b" + lane, "run": f"iperf3 -s -p {port} >/dev/null", "background": True}
        spec["jobs"][f"tcp{lane}-{group}"] = {
            "node": "a" + lane,
            "run": f"iperf3 -c $ADDRESS_b{lane} -p {port} -C {congestion_control} -P {flows} -t 86400 -i 0 >/dev/null",
            "at": f"{FIRST_START_S + phases.uniform(0, TCP_START_S):.3f}s",
            "background": True,
        }


def trace_of(run, movie_directory):
    """The movie that a run plays."""
    name = run.parameters["movie"]
    return movies.of_seed(name, run.seeds[0]) if run.own_movie else movies.load(name, movie_directory)


def build(run, movie_directory):
    """The run for the testbed: (spec, files, streams)."""
    p = run.parameters
    trace = trace_of(run, movie_directory)
    all_streams = streams(run, trace)
    latest = max(s.start_s for s in all_streams)
    limit_s = latest + p["duration_s"] + UNCOUNTED_END_S + TAIL_S + DRAIN_LIMIT_S
    spec = {"limit": f"{limit_s:.0f}s", "nodes": {}, "links": {}, "jobs": {}}
    for lane, seed in zip(lane_names(run), run.seeds):
        _network(spec, lane, p)
        _meters(spec, lane, flows=bool(p["tcp"]))
        if p["tcp"]:
            _tcp_flows(spec, run, lane, seed)
    for stream in all_streams:
        _movie(spec, run, trace, all_streams, stream)
        if stream.number == 0:
            _step(spec, run, stream.lane, stream.start_s)
    return spec, [trace.path], all_streams
