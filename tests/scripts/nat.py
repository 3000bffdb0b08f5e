# SPDX-License-Identifier: LGPL-2.1-or-later
"""A viewer behind a NAT: nat.py SCRATCH [SECONDS [TIMEOUT]]

Three network namespaces: the sender's, a router's that masquerades and forgets a mapping after TIMEOUT seconds without a
packet, and the viewer's. The sender listens and the viewer calls. In the middle the sender has nothing to send for three
times TIMEOUT. Prints one line: what came, and which callers came and went.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

PORT = 5004
SENDER, ROUTER, VIEWER = (f"tfrc-nat-{os.getpid()}-{name}" for name in ("sender", "router", "viewer"))
SENDER_ADDRESS, OUTER_ADDRESS, INNER_ADDRESS, VIEWER_ADDRESS = "192.0.2.1", "192.0.2.2", "10.0.3.1", "10.0.3.2"
BYTES_PER_S, PAYLOAD = 80000, 1316
# Only ends waits that would last for ever.
LIMIT_S = 30


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


def send(movie):
    """Input: 'silence' and 'go on'. Answers: the callers that have come and gone so far."""
    Gst, pipeline, sink = element_of(
        f"filesrc location={movie} blocksize={PAYLOAD} ! identity datarate={BYTES_PER_S} "
        "! video/mpegts,systemstream=true,packetsize=188 ! valve name=valve drop-mode=transform-to-gap "
        f"! tfrcsink name=tfrc mode=listener port={PORT}")
    callers = {"added": [], "removed": []}
    for signal, list_of in callers.items():
        sink.connect(f"caller-{signal}", lambda _sink, _id, address, *_, list_of=list_of: list_of.append(address.to_string()))
    pipeline.set_state(Gst.State.PLAYING)
    for line in sys.stdin:
        pipeline.get_by_name("valve").set_property("drop", line.strip() == "silence")
        tell(callers)


def view():
    """Answers: the packets so far."""
    Gst, pipeline, source = element_of(f"tfrcsrc name=tfrc mode=caller address={SENDER_ADDRESS} port={PORT} ! fakesink sync=false")
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
def network(timeout_s):
    names = (SENDER, ROUTER, VIEWER)
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
        link(SENDER, SENDER_ADDRESS, ROUTER, OUTER_ADDRESS, "outer")
        link(ROUTER, INNER_ADDRESS, VIEWER, VIEWER_ADDRESS, "inner")
        subprocess.run(["ip", "-n", VIEWER, "route", "add", "default", "via", INNER_ADDRESS], check=True)
        run_in(ROUTER, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
        # Nothing comes in that has no mapping: the router does not know the way, and the sender not the viewer's address.
        run_in(ROUTER, "nft", "add table ip nat; add chain ip nat out { type nat hook postrouting priority 100; }; "
                              "add rule ip nat out oifname outer masquerade fully-random")
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


def wait_for_packets(viewer, more):
    """Until so many packets more have come. Returns the last answer."""
    before, end = viewer.ask()["received"], time.monotonic() + LIMIT_S
    while True:
        now = viewer.ask()
        assert now["ended"] is None, f"the viewer has ended: {now}"
        if now["received"] >= before + more:
            return now
        assert time.monotonic() < end + more * PAYLOAD / BYTES_PER_S, f"nothing comes: {now}"
        time.sleep(0.1)


def main(scratch, seconds=4, timeout_s=2):
    movie = pathlib.Path(scratch, "movie.ts")
    with movie.open("wb") as file:
        for _ in range(seconds + 4 * timeout_s + 2 * LIMIT_S):
            file.write((b"\x47\x1f\xff\x10" + bytes(184)) * (BYTES_PER_S // 188))
    packets = seconds * BYTES_PER_S // PAYLOAD // 2
    with network(timeout_s), Program(SENDER, "send", str(movie)) as sender, Program(VIEWER, "view") as viewer:
        sender.ask("go on")
        wait_for_packets(viewer, packets)
        sender.ask("silence")
        time.sleep(3 * timeout_s)
        sender.ask("go on")
        last, callers = wait_for_packets(viewer, packets), sender.ask("go on")
    print(f"{last['received']} packets, {last['lost']} lost, {3 * timeout_s} s of silence, mappings of {timeout_s} s; "
          f"callers {callers}")
    assert len(callers["added"]) == 1 and not callers["removed"], "the caller did not stay"
    assert callers["added"][0].startswith(OUTER_ADDRESS), "the NAT is not in the way"
    assert last["lost"] == 0, "packets were lost"


if sys.argv[1] == "send":
    send(sys.argv[2])
elif sys.argv[1] == "view":
    view()
else:
    main(sys.argv[1], *map(int, sys.argv[2:]))
