# SPDX-License-Identifier: LGPL-2.1-or-later
"""A viewer behind a NAT: nat.py SCRATCH WAY [SECONDS [TIMEOUT]]

Three network namespaces: the sender's, a router's that masquerades and forgets a mapping after TIMEOUT seconds without a
packet, and the viewer's. WAY is how the viewer opens the NAT: 'call' calls a sender that listens, and 'probe' probes one
that has sent to the NAT in vain. In the middle the sender has nothing to send for three times TIMEOUT. Prints one line:
what came, and which callers came and went.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
import typing

PORT, SENDER_PORT = 5004, 5006
SENDER, ROUTER, VIEWER = (f"tfrc-nat-{os.getpid()}-{name}" for name in ("sender", "router", "viewer"))
SENDER_ADDRESS, OUTER_ADDRESS, INNER_ADDRESS, VIEWER_ADDRESS = "192.0.2.1", "192.0.2.2", "10.0.3.1", "10.0.3.2"
BYTES_PER_S, PAYLOAD = 80000, 1316
# Only ends waits that would last for ever.
LIMIT_S = 30


class Way(typing.NamedTuple):
    sink: str  # properties of tfrcsink
    source: str  # properties of tfrcsrc
    ports: str  # how the router chooses the port of a mapping; "": it keeps the viewer's
    callers: int


WAYS = {
    "call": Way(f"mode=listener port={PORT}", f"mode=caller address={SENDER_ADDRESS} port={PORT}", "fully-random", 1),
    "probe": Way(f"host={OUTER_ADDRESS} port={PORT} bind-port={SENDER_PORT}",
                 f"port={PORT} sender-address={SENDER_ADDRESS}:{SENDER_PORT}", "", 0),
}


# ---- the two ends: programs of their own, which answer each line of their input with a line of JSON -----------------------


def element_of(text):
    import gi

    gi.require_version("Gst", "1.0")
    from gi.repository import Gio, Gst  # noqa: F401  (Gio knows the class of addresses)

    Gst.init(None)
    pipeline = Gst.parse_launch(text)
    return Gst, pipeline, pipeline.get_by_name("tfrc")


def tell(value):
    print(json.dumps(value), flush=True)


def send(way, movie):
    """Input: 'silence' and 'go on'. Answers: the callers that have come and gone so far, and the warnings."""
    Gst, pipeline, sink = element_of(
        f"filesrc location={movie} blocksize={PAYLOAD} ! identity datarate={BYTES_PER_S} "
        "! video/mpegts,systemstream=true,packetsize=188 ! valve name=valve drop-mode=transform-to-gap "
        f"! tfrcsink name=tfrc {way.sink}")
    told = {"added": [], "removed": [], "warnings": []}
    for signal in ("added", "removed"):
        list_of = told[signal]
        sink.connect(f"caller-{signal}", lambda _sink, _id, address, *_, list_of=list_of: list_of.append(address.to_string()))
    pipeline.set_state(Gst.State.PLAYING)
    for line in sys.stdin:
        pipeline.get_by_name("valve").set_property("drop", line.strip() == "silence")
        while message := pipeline.get_bus().pop_filtered(Gst.MessageType.WARNING):
            told["warnings"].append(": ".join(map(str, message.parse_warning())))
        tell(told)


def view(way):
    """Answers: the packets so far."""
    Gst, pipeline, source = element_of(f"tfrcsrc name=tfrc {way.source} ! fakesink sync=false")
    pipeline.set_state(Gst.State.PLAYING)
    for _ in sys.stdin:
        stats = source.get_property("stats")
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.EOS)
        tell({"received": stats.get_value("packets-received"), "lost": stats.get_value("packets-lost"),
              "ended": message.type.value_nicks[0] if message else None})


# ---- the network ---------------------------------------------------------------------------------------------------


def run_in(namespace, *words):
    subprocess.run(["ip", "netns", "exec", namespace, *words], check=True, stdout=subprocess.DEVNULL)


def link(first, first_address, second, second_address, name):
    subprocess.run(["ip", "link", "add", name, "netns", first, "type", "veth", "peer", "name", name, "netns", second], check=True)
    for namespace, address in ((first, first_address), (second, second_address)):
        subprocess.run(["ip", "-n", namespace, "address", "add", f"{address}/24", "dev", name], check=True)
        subprocess.run(["ip", "-n", namespace, "link", "set", name, "up"], check=True)


@contextlib.contextmanager
def network(way, timeout_s):
    names = (SENDER, ROUTER, VIEWER)
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
        link(SENDER, SENDER_ADDRESS, ROUTER, OUTER_ADDRESS, "outer")
        link(ROUTER, INNER_ADDRESS, VIEWER, VIEWER_ADDRESS, "inner")
        subprocess.run(["ip", "-n", VIEWER, "route", "add", "default", "via", INNER_ADDRESS], check=True)
        run_in(ROUTER, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
        # Nothing comes in that has no mapping: the sender does not know the viewer's address. The router has a firewall for
        # itself: without one it would keep the viewer's port for what the sender has sent there before.
        run_in(ROUTER, "nft", "add table ip nat; add chain ip nat out { type nat hook postrouting priority 100; }; "
                              f"add rule ip nat out oifname outer masquerade {way.ports}; "
                              "add chain ip nat in { type filter hook input priority 0; }; add rule ip nat in iifname outer reject")
        for name in ("nf_conntrack_udp_timeout", "nf_conntrack_udp_timeout_stream"):
            run_in(ROUTER, "sysctl", "-q", "-w", f"net.netfilter.{name}={timeout_s}")
        yield
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, stderr=subprocess.DEVNULL)


class Program:
    def __init__(self, namespace, *words):
        self._process = subprocess.Popen(["ip", "netns", "exec", namespace, sys.executable, __file__, *words],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def ask(self, line="now"):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "an end has stopped"
        return json.loads(answer)


def wait_for(program, is_there, limit_s=LIMIT_S):
    """Returns the first answer with which this is true."""
    end = time.monotonic() + limit_s
    while True:
        now = program.ask()
        assert now.get("ended") is None, f"the viewer has ended: {now}"
        if is_there(now):
            return now
        assert time.monotonic() < end, f"nothing comes: {now}"
        time.sleep(0.1)


def wait_for_packets(viewer, more):
    """Until so many packets more have come. Returns the last answer."""
    enough = viewer.ask()["received"] + more
    return wait_for(viewer, lambda now: now["received"] >= enough, LIMIT_S + more * PAYLOAD / BYTES_PER_S)


def main(scratch, name, seconds=4, timeout_s=2):
    way, movie = WAYS[name], pathlib.Path(scratch, f"{name}.ts")
    with movie.open("wb") as file:
        for _ in range(seconds + 4 * timeout_s + 2 * LIMIT_S):
            file.write((b"\x47\x1f\xff\x10" + bytes(184)) * (BYTES_PER_S // 188))
    packets = seconds * BYTES_PER_S // PAYLOAD // 2
    with network(way, timeout_s), Program(SENDER, "send", name, str(movie)) as sender:
        if not way.callers:
            in_vain = wait_for(sender, lambda now: now["warnings"])["warnings"][0]
            assert "no program listens there" in in_vain and "it is a NAT" in in_vain, in_vain
        with Program(VIEWER, "view", name) as viewer:
            sender.ask("go on")
            wait_for_packets(viewer, packets)
            sender.ask("silence")
            time.sleep(3 * timeout_s)
            sender.ask("go on")
            last, told = wait_for_packets(viewer, packets), sender.ask("go on")
    print(f"{name}: {last['received']} packets, {last['lost']} lost, {3 * timeout_s} s of silence, mappings of {timeout_s} s; "
          f"the sender says {told}")
    assert len(told["added"]) == way.callers and not told["removed"], "the caller did not stay"
    assert all(caller.startswith(OUTER_ADDRESS) for caller in told["added"]), "the NAT is not in the way"
    assert last["lost"] == 0, "packets were lost"


if sys.argv[1] == "send":
    send(WAYS[sys.argv[2]], sys.argv[3])
elif sys.argv[1] == "view":
    view(WAYS[sys.argv[2]])
else:
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
