# SPDX-License-Identifier: LGPL-2.1-or-later
"""The moves of a receiver from one link to another, as specs of the testbed.

Owns the list of runs, and the network of each: cn - r - mn. mn has two links to r; it uses the
first before the move and the second after the move. Without --roam mn keeps its address and only
routes change, as in the paper. With --roam mn gets another address on the other network, as a phone
does that leaves WiFi for a mobile network.
"""

import dataclasses
import shlex

PORT = 5004
# On the wire: 1316 bytes of transport stream, RTP with its extension, UDP, IP.
PAYLOAD_BYTES = 1316
PACKET_BYTES = PAYLOAD_BYTES + 24 + 28
TAG_BYTES = 16  # of a protected packet
PASSPHRASE = "of-a-testbed-and-so-no-secret"

LINKS_MS = (25, 70)
CASES = ((25, 70), (70, 25))  # one-way delays before and after
RATE_BPS = 5_000_000
BACKBONE_MS = 2  # cn to r, and r to the begin of the link
PLAYOUT_S = 0.5

START_S = 0.5  # programs take time to start
AFTER_S = 8  # played after the move
TAIL_S = 1  # the network empties
LIMIT_S = 60  # of the testbed's time, after the planned end
MOVIE_S = 600
STATS_MS = 20
PHASES = 20  # starts of the stream within a second, as in the simulation

ADAPTATIONS = ("none", "paper", "direct")
CONTENTS = ("movie", "greedy")
# A greedy stream is compared with the paper's numbers. The paper's TFRC has none of these.
PLAIN = "queue-guard=false burst-limit=0 initial-window=0"

# Roaming: WiFi has the node's own address; the mobile network has an address outside of the range
# that the testbed assigns.
MOBILE_ADDRESS = "10.78.0.1"
ACCESS = {"wifi": (20_000_000, 10), "mobile": (5_000_000, 50)}  # bit/s, ms
QUEUE = 50
UNNOTICED_S = 0.3  # until the player's system notices that WiFi has failed
LEAVINGS = ("fails", "stays")  # whether WiFi fails at the move or goes on


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
    secure: bool = False

    def label(self):
        protected = ", protected" if self.secure else ""
        if self.leaving:
            return f"WiFi {self.leaving}, seed {self.seed}{protected}"
        return (f"{self.content} {self.before_ms} -> {self.after_ms} ms, adaptation {self.adaptation}, "
                f"seed {self.seed}{protected}")

    def cost(self):
        return (self.move_s + AFTER_S) * (4 if self.content == "greedy" else 1)


def runs(contents, adaptations, seeds, move_s, trace, secure=False):
    return [Run(content, *case, adaptation, seed, move_s, trace, secure=secure)
            for content in contents for case in CASES for adaptation in adaptations for seed in seeds]


def roaming(seeds, move_s, trace, secure=False):
    return [Run("movie", ACCESS["wifi"][1], ACCESS["mobile"][1], "direct", seed, move_s, trace, leaving, secure)
            for leaving in LEAVINGS for seed in seeds]


def packet_bytes(run):
    """Bytes of a packet of the stream on the wire."""
    return PACKET_BYTES + (TAG_BYTES if run.secure else 0)


def base_rtt_s(one_way_ms, rate_bps=None):
    """The round-trip time of the empty path. With a rate, it includes the transmission of a packet
    of the stream."""
    return 2 * (one_way_ms + BACKBONE_MS) / 1e3 + (PACKET_BYTES * 8 / rate_bps if rate_bps else 0)


def build(run):
    """The spec of the run for the testbed."""
    spec = _roam(run) if run.leaving else _handover(run)
    spec["limit"] = f"{run.move_s + AFTER_S + LIMIT_S:g}s"
    spec["nodes"] = {"cn": {}, "r": {}, "mn": {}}
    spec["links"] = {"trunk": {"ends": ["cn", "r"], "delay": f"{BACKBONE_MS / 2:g}ms"}, **spec["links"]}
    spec["jobs"] = {"meter-cn": _meter("cn", "trunk")} | {
        f"meter-{name}": _meter("mn", name) for name in spec["links"] if name != "trunk"} | _stream(run) | spec["jobs"]
    return spec


def links(run):
    """The names of the links before the move and after it."""
    return ("wifi", "mobile") if run.leaving else ("old", "new")


def captures(run):
    """Where whole packets are captured. Only a capture shows when the receiver first sends on the
    new path, and which protected packets are challenges."""
    return (["mn:mobile"] + (["cn:trunk"] if run.secure else [])) if run.leaving else []


def _link(rate_bps, delay_ms, queue):
    # The delay behind r is part of the link, as all of the link's packets have it.
    return {"ends": ["r", "mn"], "rate": f"{rate_bps // 1000}kbit", "queue": queue,
            "delay": f"{delay_ms + BACKBONE_MS / 2:g}ms"}


def _handover(run):
    """r's forwarding and mn's way back change at the same time. Packets on the old link still
    arrive."""

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
        source += f" experiment=handover-mode={run.adaptation}"
    sink = f"tfrcsink host=$ADDRESS_mn port={PORT} deadline=false ahead-time=0"
    if run.secure:
        source += f" passphrase={PASSPHRASE}"
        sink += f" passphrase={PASSPHRASE}"
    elif run.leaving:
        sink += " allow-migration=always"
    ended, end = "", f"--duration {duration_s:g} "
    if run.content == "greedy":
        # The movie is longer than the run, even if it is sent as fast as TFRC allows.
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
