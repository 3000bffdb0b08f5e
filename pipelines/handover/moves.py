"""The moves of a receiver from one link to another, as the testbed is told about them.

Owns which runs there are and what each is made of: cn - r - mn, where mn has two links to r, of which one is in use
before the move and the other after it. Without --roam mn keeps its address and only routes change, as in the paper;
with it mn gets another address on the other network, which is what leaving WiFi for a mobile network does.
"""

import dataclasses
import shlex

PORT = 5004
# On the wire: 1316 bytes of transport stream, RTP with its extension, UDP, IP.
PAYLOAD_BYTES = 1316
PACKET_BYTES = PAYLOAD_BYTES + 24 + 28

LINKS_MS = (25, 70)
CASES = ((25, 70), (70, 25))  # one-way delays before and after
RATE_BPS = 5_000_000
BACKBONE_MS = 2  # cn to r, and r to what the link begins at
PLAYOUT_S = 0.5

START_S = 0.5  # programs take time to start
AFTER_S = 8  # the move, as played
TAIL_S = 1  # the network empties
LIMIT_S = 60  # of the testbed's time, beyond all that
MOVIE_S = 600
STATS_MS = 20
PHASES = 20  # starts of the stream within a second, as in the simulation

ADAPTATIONS = ("none", "paper", "direct")
CONTENTS = ("movie", "greedy")
# A greedy stream is there for the paper's numbers, whose TFRC has neither.
PLAIN = "queue-guard=false burst-limit=0"

# Roaming: WiFi's address is the node's own, the mobile network's is outside those that the testbed gives.
MOBILE_ADDRESS = "10.78.0.1"
ACCESS = {"wifi": (20_000_000, 10), "mobile": (5_000_000, 50)}  # bit/s, ms
QUEUE = 50
UNNOTICED_S = 0.3  # until the player's system knows that WiFi has gone
LEAVINGS = ("fails", "stays")  # what becomes of WiFi


@dataclasses.dataclass(frozen=True)
class Run:
    content: str  # movie, or greedy: the movie as fast as TFRC allows
    before_ms: int
    after_ms: int
    adaptation: str
    seed: int
    move_s: float
    trace: str
    leaving: str = ""  # roaming only

    def label(self):
        if self.leaving:
            return f"WiFi {self.leaving}, seed {self.seed}"
        return f"{self.content} {self.before_ms} -> {self.after_ms} ms, adaptation {self.adaptation}, seed {self.seed}"

    def cost(self):
        return (self.move_s + AFTER_S) * (4 if self.content == "greedy" else 1)


def runs(contents, adaptations, seeds, move_s, trace):
    return [Run(content, *case, adaptation, seed, move_s, trace)
            for content in contents for case in CASES for adaptation in adaptations for seed in seeds]


def roaming(seeds, move_s, trace):
    return [Run("movie", ACCESS["wifi"][1], ACCESS["mobile"][1], "direct", seed, move_s, trace, leaving)
            for leaving in LEAVINGS for seed in seeds]


def base_rtt_s(one_way_ms, rate_bps=None):
    """Of the empty path; with a rate, of one of the stream's packets."""
    return 2 * (one_way_ms + BACKBONE_MS) / 1e3 + (PACKET_BYTES * 8 / rate_bps if rate_bps else 0)


def build(run):
    """What the testbed is to do."""
    spec = _roam(run) if run.leaving else _handover(run)
    spec["limit"] = f"{run.move_s + AFTER_S + LIMIT_S:g}s"
    spec["nodes"] = {"cn": {}, "r": {}, "mn": {}}
    spec["links"] = {"trunk": {"ends": ["cn", "r"], "delay": f"{BACKBONE_MS / 2:g}ms"}, **spec["links"]}
    spec["jobs"] = {"meter-cn": _meter("cn", "trunk")} | {
        f"meter-{name}": _meter("mn", name) for name in spec["links"] if name != "trunk"} | _stream(run) | spec["jobs"]
    return spec


def links(run):
    """The one before the move and the one after it."""
    return ("wifi", "mobile") if run.leaving else ("old", "new")


def captures(run):
    """Where packets are captured whole: only there is it seen when the receiver first speaks on the new path."""
    return ["mn:mobile"] if run.leaving else []


def _link(rate_bps, delay_ms, queue):
    # What is behind r has its own millisecond, which all of a link's packets see.
    return {"ends": ["r", "mn"], "rate": f"{rate_bps // 1000}kbit", "queue": queue,
            "delay": f"{delay_ms + BACKBONE_MS / 2:g}ms"}


def _handover(run):
    """r's forwarding and mn's way back change at once; what is on the old link still arrives."""

    def queue_of(delay_ms):  # one bandwidth-delay product
        return round(RATE_BPS * base_rtt_s(delay_ms) / 8 / PACKET_BYTES)

    return {
        "links": {name: _link(RATE_BPS, delay_ms, queue_of(delay_ms))
                  for name, delay_ms in (("old", run.before_ms), ("new", run.after_ms))},
        "jobs": {},
        "events": [{"at": f"{run.move_s:g}s", "route": {"node": node, "to": to, "via": "new"}}
                   for node, to in (("r", "mn"), ("mn", "cn"))],
    }


def _roam(run):
    moved_s = run.move_s + (UNNOTICED_S if run.leaving == "fails" else 0)
    return {
        "links": {name: _link(*ACCESS[name], QUEUE) for name in ACCESS},
        "jobs": {
            "route-r": {"node": "r", "run": f"ip route add {MOBILE_ADDRESS} via $ADDRESS_mn dev mobile onlink"},
            "route-cn": {"node": "cn",
                         "run": f"ip route add {MOBILE_ADDRESS} via $ADDRESS_r dev trunk onlink src $ADDRESS_cn"},
            "move": {"node": "mn", "at": f"{moved_s:g}s",
                     "run": f"ip address add {MOBILE_ADDRESS}/32 dev mobile && ip route replace $ADDRESS_cn "
                            f"via $ADDRESS_r dev mobile onlink src {MOBILE_ADDRESS}"},
        },
        "events": [{"at": f"{run.move_s:g}s", "fail": "wifi"}] if run.leaving == "fails" else [],
    }


def _meter(node, link):
    return {"node": node, "run": f"wire-meter $INTERFACE_{link} --log $TESTBED_OUT/wire-{link}.csv", "background": True}


def _stream(run):
    phase = (run.seed - 1) % PHASES / PHASES
    start_s = START_S + phase
    duration_s = run.move_s + AFTER_S - start_s
    source = f"tfrcsrc port={PORT} auto-handover={'false' if run.adaptation == 'none' else 'true'}"
    if run.adaptation != "none":
        source += f" handover-mode={run.adaptation}"
    sink = f"tfrcsink host=$ADDRESS_mn port={PORT}"
    if run.leaving:
        sink += " allow-migration=always"
    ended, end = "", f"--duration {duration_s:g} "
    if run.content == "greedy":
        # As fast as TFRC allows there is more movie than time.
        sink += f" sync=false {PLAIN}"
        ended, end = f"timeout --preserve-status -s TERM {duration_s:g} ", ""
    sender = (f"{ended}vod-replay {shlex.quote(run.trace)} --offset {phase * MOVIE_S:g} {end}--loop --seed {run.seed} "
              "--log $TESTBED_OUT/due.csv ")
    stats = f"--stats-interval {STATS_MS} --stats $TESTBED_OUT"
    return {
        "receiver": {"node": "mn", "background": True,
                     "run": f'vod-receive "{source}" --log $TESTBED_OUT/received.csv {stats}/receiver.jsonl'},
        "sender": {"node": "cn", "at": f"{start_s:g}s",
                   "run": f'{sender}{stats}/sender.jsonl --sink "{sink}" && sleep {TAIL_S}'},
    }
